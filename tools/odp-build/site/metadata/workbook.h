/* Inside of site/metadata: a small workbook of one sheet, checked and staged. Nothing of it depends on the clock. */
#ifndef ODP_SITE_METADATA_WORKBOOK_H
#define ODP_SITE_METADATA_WORKBOOK_H

#include <xlsxwriter.h>

#include "site/metadata/metadata_internal.h"

struct workbook {
    struct metadata *m;
    lxw_workbook *book;
    lxw_worksheet *sheet;
    lxw_format *title, *note, *head, *section, *label, *text, *link;
    struct odp_buffer cell;
    const char *path;  /* of the site */
    char *place;       /* on the disk; NULL once it is staged, or dropped */
    enum odp_status status; /* the first failure stays */
};

/* ENTRY: what the workbook's properties say of its dataset. */
void workbook_open(struct workbook *w, struct metadata *m, const json_t *entry, const char *path, const char *title);
void workbook_put(struct workbook *w, lxw_row_t row, lxw_col_t col, const char *text, lxw_format *format);
void workbook_put_number(struct workbook *w, lxw_row_t row, lxw_col_t col, double n, lxw_format *format);
/* Wide as W characters. */
void workbook_column(struct workbook *w, lxw_col_t col, double width);
/* Rows that hold long text are as high as LINES lines: not all programs find it out. */
void workbook_height(struct workbook *w, lxw_row_t row, unsigned lines);
/* Lines that TEXT takes in a column WIDTH wide. */
unsigned workbook_lines(const char *text, double width);
/* Title, dataset, note, in the first three rows. */
void workbook_heading(struct workbook *w, const char *title, const char *dataset, const char *note);
/* Closes, reads back and stages; or drops it where something failed. */
enum odp_status workbook_finish(struct workbook *w) ODP_MUST_USE;

#endif
