/* Inside of repair/entry_workbook:
 *   entry.c               the workbook, its sheets, its looks
 *   column.c              a column: format, checks while typing, the header's comment
 *   guide.c               the sheet of guidance
 *   code_list_sheets.c    code lists, categories, booleans
 *   pen.c                 text, formats and sheets for the library
 *   field.c               what a field expects, in words
 *
 * The library's first error latches in e->error; entry.c asks at the end. */
#pragma once

#include <xlsxwriter.h>

#include "base/buffer.h"
#include "repair/entry_workbook/entry.h"

struct entry_list {
    const struct odp_field *field;    /* with categories or an enumeration, or */
    const struct odp_code_list *list; /* the labels of a code list */
    const char *sheet, *name;         /* its sheet; its defined name */
    size_t n;
};

struct entry {
    struct odp_arena arena;
    struct odp_buffer text;
    const struct odp_dataset *dataset;
    const struct odp_code_lists *codes;
    const bool *xlsx;
    enum odp_lang lang;
    lxw_workbook *workbook;
    lxw_format *required, *optional, *key, *title, *section, *label, *wrapped, *list_head, *code_text,
        *missing, *twice, *shade;
    struct entry_list *lists;
    size_t nlists;
    lxw_error error; /* the first */
};

/* The text in the workbook's language. Two formats must take the same arguments. */
static inline const char *entry_word(const struct entry *e, const char *id, const char *en)
    __attribute__((format_arg(2), format_arg(3)));
static inline const char *entry_word(const struct entry *e, const char *id, const char *en)
{
    return e->lang == ODP_LANG_EN ? en : id;
}
/* Keeps the first error of the library. */
static inline void entry_note(struct entry *e, lxw_error error)
{
    if (e->error == LXW_NO_ERROR)
        e->error = error;
}
/* pen.c. S as a cell may hold it: no control characters, at most MOST bytes; valid until the next call. */
const char *entry_text(struct entry *e, struct odp_slice s, size_t most);
lxw_format *entry_format(struct entry *e); /* a new one; the library's default if out of memory (noted) */
lxw_worksheet *entry_sheet(struct entry *e, const char *name); /* NULL: noted */
static inline void entry_put(struct entry *e, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col,
                             const char *text, lxw_format *format)
{
    entry_note(e, worksheet_write_string(sheet, row, col, text, format));
}

/* code_list_sheets.c. The list of field K of R, registered; or NULL. */
const struct entry_list *entry_list_of(struct entry *e, const struct odp_resource *r, uint32_t k);
void entry_lists_put(struct entry *e);

/* column.c. Column K of R on SHEET, its labels in row HEADER (from 0; -1: there is none). */
void entry_column(struct entry *e, const struct odp_resource *r, uint32_t k, lxw_worksheet *sheet,
                  int header);

/* field.c. Whether field K is part of the primary key. */
bool entry_is_key(const struct odp_resource *r, uint32_t k);
/* Appends what the field expects: type, unit, range, length, list. */
void entry_expected(struct entry *e, struct odp_buffer *out, const struct odp_resource *r, uint32_t k,
                    const struct entry_list *list);
/* Its title, or name. */
const char *entry_title(const struct entry *e, const struct odp_field *f);
/* The number format of its cells, as spreadsheets write those. */
const char *entry_number_format(const struct odp_field *f);

/* guide.c */
void entry_guide_put(struct entry *e, lxw_worksheet *sheet);
