/* Writing a workbook by libxlsxwriter: what everything here that writes .xlsx shares.
 *
 * The first failure of the library, or of the disk, stays in `status`; odp_book_close returns it, so the
 * calls between look at nothing. The library does not check whether its temporary files were written
 * completely: closing looks at them, and reads every part of the workbook back (check.c). What it forgets
 * to close after a failure is emptied through descriptors of our own. */
#pragma once

#include <time.h>

#include "base/file.h"
#include "xlsx/check.h"
#include "xlsx/text.h"

struct odp_book {
    struct odp_arena *arena; /* borrowed */
    enum odp_status status;
    const char *place; /* on the disk */
    lxw_workbook *workbook;
    struct odp_book_sheet *sheets;
    size_t nsheets;
    struct odp_buffer text; /* a cell's, as the library wants it */
};

/* Opens a workbook, whose *B is zeros so far, at PLACE. STREAMED: each row goes to a temporary file in
 * FOLDER (NULL: that of PLACE), and none is written twice or upwards; else rows stay in memory, and what
 * is temporary is in FOLDER (NULL: TMPDIR). Close or discard it in every case. */
void odp_book_open(struct odp_book *b, const char *place, const char *folder, bool streamed,
                   struct odp_arena *a);
/* Keeps ERROR, if it is one and the first. */
void odp_book_note(struct odp_book *b, lxw_error error);
/* OK, or FAIL: so far. */
enum odp_status odp_book_status(const struct odp_book *b) ODP_MUST_USE;
enum odp_status odp_book_close(struct odp_book *b) ODP_MUST_USE;
void odp_book_discard(struct odp_book *b);

/* The same for a file of the user's: it is made next to PATH, and takes its name when it is complete.
 * SECRET: nobody else may read it, from its first byte on. */
void odp_book_make(struct odp_book *b, const char *path, bool secret, bool streamed, struct odp_arena *a);
enum odp_status odp_book_made(struct odp_book *b, const char *path) ODP_MUST_USE;

/* A sheet called NAME, or NULL. */
lxw_worksheet *odp_book_sheet(struct odp_book *b, const char *name);
/* name.c. A valid name made of TITLE, and of PART (> 1) as " (2)"; of no sheet so far, and not among the N of
 * TAKEN. In the arena. */
char *odp_book_sheet_name(const struct odp_book *b, const char *title, unsigned part,
                          const char *const *taken, size_t n);

/* How cells look. */
enum {
    LOOK_TOP = 1,
    LOOK_MIDDLE = 2,
    LOOK_LEFT = 4,
    LOOK_RIGHT = 8,
    LOOK_BOLD = 16,
    LOOK_ITALIC = 32,
    LOOK_WRAP = 64,
    LOOK_TEXT = 128,    /* typed digits stay text */
    LOOK_FRAME = 256,   /* a thin line around */
    LOOK_HEAD = 512,    /* bold, wrapped, a thick line below */
    LOOK_LINK = 1024,   /* blue, underlined */
    LOOK_WHITE = 2048,  /* the letters */
    LOOK_INK = 0x1F3864 /* dark blue */
};
struct odp_look {
    lxw_format **to; /* is set; never NULL */
    unsigned how;
    lxw_color_t back, front; /* 0: the usual ones */
    double size;             /* 0: the usual one */
    uint8_t indent;
    const char *number; /* its format, or NULL */
};
void odp_book_looks(struct odp_book *b, const struct odp_look *looks, size_t n);
lxw_format *odp_book_format(struct odp_book *b) ODP_NEVER_NULL; /* a plain one */

/* TEXT, as it reads back, in a cell; "": a blank cell. One too long for a cell is "(…)". */
void odp_book_put(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                  struct odp_slice text, lxw_format *look);
static inline void odp_book_put_str(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                                    const char *text, lxw_format *look)
{
    odp_book_put(b, sheet, row, col, odp_slice_of(text), look);
}
/* Widths of the first N columns. */
void odp_book_widths(struct odp_book *b, lxw_worksheet *sheet, const double *widths, lxw_col_t n,
                     lxw_format *look);
/* What may be typed in rows FIRST to LAST of COL. A list by formula is V's value_formula with
 * VALIDATION_TYPE_LIST_FORMULA. */
void odp_book_validate(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t first, lxw_col_t col,
                       lxw_row_t last, lxw_data_validation *v);
/* Codes are text on purpose: no green corners from (FIRST, 0) to (LAST, COL). */
void odp_book_codes(struct odp_book *b, lxw_worksheet *sheet, lxw_row_t first, lxw_row_t last, lxw_col_t col);
/* Landscape A4, one page wide. */
void odp_book_print(lxw_worksheet *sheet);
/* Seconds since 1970 of DAY, never 0, which the library takes for now. */
time_t odp_book_day(struct odp_slice day);
