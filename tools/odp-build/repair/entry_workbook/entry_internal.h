/* Inside of repair/entry_workbook:
 *   entry.c               the workbook, its sheets, its looks
 *   column.c              a column: format, checks while typing, the header's comment
 *   guide.c               the sheet of guidance
 *   code_list_sheets.c    code lists, categories, booleans
 *   field.c               what a field expects, in words
 */
#pragma once

#include "repair/entry_workbook/entry.h"
#include "xlsx/book.h"

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
    struct odp_book book;
    lxw_format *required, *optional, *key, *title, *section, *label, *wrapped, *list_head, *code_text,
        *missing, *twice, *shade;
    struct entry_list *lists;
    size_t nlists;
    const char **taken; /* names of sheets: of the resources, of lists */
    size_t ntaken;
};

/* The text in the workbook's language. Two formats must take the same arguments. */
#define entry_word(e, ...) odp_word((e)->lang, __VA_ARGS__)

/* code_list_sheets.c. The list of field K of R, registered; or NULL. */
const struct entry_list *entry_list_of(struct entry *e, const struct odp_resource *r, uint32_t k);
void entry_lists_put(struct entry *e);

/* column.c. Column K of R on SHEET, its labels in row HEADER (from 0; -1: there is none). */
void entry_column(struct entry *e, const struct odp_resource *r, uint32_t k, lxw_worksheet *sheet,
                  int header);

/* field.c. Appends what the field expects: type, unit, range, length, list. */
void entry_expected(struct entry *e, struct odp_buffer *out, const struct odp_resource *r, uint32_t k,
                    const struct entry_list *list);
/* Its title, or name. */
const char *entry_title(const struct entry *e, const struct odp_field *f);
/* The number format of its cells, as spreadsheets write those. */
const char *entry_number_format(const struct odp_field *f);

/* guide.c */
void entry_guide_put(struct entry *e, lxw_worksheet *sheet);
