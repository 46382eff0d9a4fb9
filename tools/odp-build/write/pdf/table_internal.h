/* Inside of write/pdf: a table, from measuring to setting; for table*.c, appendix.c and entries*.c.
 *
 *   table_text    texts of cells, by pango's layouts
 *   table_widths  widths of columns from what their cells measure; numbers only
 *   table_plan    portrait or landscape, bands, heights of rows
 *   table         pages, tags, ink
 *
 * Lengths are points; a cell's measure is kept in pango's units (1/1024 point), in 32 bits: there may be
 * millions. */
#pragma once

#include "base/buffer.h"
#include "write/pdf/pdf_internal.h"

/* Space around the text of a cell. */
#define ODP_TABLE_PAD_X 3.5
#define ODP_TABLE_PAD_Y 1.9

/* ---- table_text.c: one size of type ---- */

struct odp_table_text {
    struct odp_fonts *fonts;
    struct odp_face face;   /* of the cells */
    double line_height;     /* of a Latin line */
    PangoAttrList *figures; /* of the text on the right */
    struct odp_buffer clean;
};
/* Fonts stay borrowed. */
void odp_table_text_init(struct odp_table_text *t, struct odp_fonts *f, double size);
void odp_table_text_release(struct odp_table_text *t);

struct odp_table_extent {
    int32_t natural; /* of the widest line; 0 for an empty text */
    int32_t total;   /* of all lines together */
    int32_t tail;    /* figures: from the decimal comma on, 0 without one; -1: not a figure */
    bool one_line;   /* without line ends, and not too long to be measured as a whole */
};
/* FIGURE (or RIGHT): digits without kerning, at the right edge. */
void odp_table_text_extent(struct odp_table_text *t, struct odp_slice text, bool figure,
                           struct odp_table_extent *e);
/* Of words between spaces that with most bytes. */
struct odp_slice odp_table_text_longest_word(struct odp_slice text);
/* Without line ends at its end. */
struct odp_slice odp_table_text_trim(struct odp_slice text);
/* TEXT as it is laid out: valid, without control characters, line ends as LF. Borrowed until the next call.
 */
struct odp_slice odp_table_text_clean(struct odp_table_text *t, struct odp_slice text);
/* Lines of TEXT (clean) from byte *FROM on, as many as fit into MOST points, but one at least; draws them at
 * AT on CR, which is NULL where they are only measured. Returns their height. *FROM moves past them; past the
 * text's length at the end. */
double odp_table_text_lines(struct odp_table_text *t, struct odp_slice text, struct odp_box at, cairo_t *cr,
                            size_t *from, double most);
/* All lines of TEXT (which need not be clean). */
double odp_table_text_set(struct odp_table_text *t, struct odp_slice text, struct odp_box at, cairo_t *cr);
/* The head's layout, to be unreferenced. At most 12 lines, then an ellipsis: a head must leave room for rows.
 */
PangoLayout *odp_table_text_head(struct odp_table_text *t, const char *head, bool right, double width);

/* ---- table_widths.c ---- */

struct odp_table_widths {
    uint32_t n, rows;
    const double *least, *most; /* n: a column's width */
    const double *sample;       /* rows * n: what a cell measures in one line */
    const double *weight;       /* rows: how much a row's height counts */
    double room;                /* for all columns together */
};
/* Widths between least and most that make the rows low. Room that is left stays free. False: LEAST is more
 * than the room. */
bool odp_table_widths_solve(const struct odp_table_widths *w, double *width);
/* Lines of a text that measures NATURAL, wrapped to WIDTH: an estimate. */
double odp_table_widths_lines(double natural, double width);

/* ---- table_plan.c ---- */

struct odp_table_column {
    struct odp_print_column is;
    double natural, word; /* widest cell in one line, widest word */
    size_t word_bytes;    /* of the longest word so far */
    double head_natural, head_word;
    double left, tail;      /* figures: widest part in front of the decimal comma, widest part from it on */
    bool any_figure, mixed; /* there are figures; they have decimals of several lengths */
    bool aligned;           /* figures are aligned at their commas */
};

/* Columns that are set side by side: the whole table, or a part of one that is too wide for the paper. */
struct odp_table_band {
    uint32_t *column;
    uint32_t n;
    uint32_t first, last; /* columns from 1 that are not repeated ones */
    double *x, *width;    /* of the text in a column, from the left edge of the area for content */
    double all;           /* width of the whole */
    double head_height;
    float *height; /* of each row */
};

struct odp_print_table {
    struct odp_table_text text;
    struct odp_arena arena;
    struct odp_table_column *columns;
    struct odp_print_records of;
    uint32_t n;
    uint64_t rows;
    int32_t *measure;         /* rows * n: of a text of one line; else -1 - all lines together */
    double width[2], body[2]; /* width and height of the area for content; [true]: landscape */
    bool wide;
    struct odp_table_band *bands;
    uint32_t nbands;
};
/* Columns, records and text are there: measures, chooses, solves. */
void odp_table_plan(struct odp_print_table *t);

/* The text of a cell; a line end at its end is no line of it. */
struct odp_slice odp_table_cell(const struct odp_print_table *t, uint64_t i, uint32_t k, const char **uri);
/* Cell K (of all columns) of row I is one line that fits into WIDTH. */
bool odp_table_fits(const struct odp_print_table *t, uint64_t i, uint32_t k, double width);
