/* Inside read/xlsx:
 *
 *   xlsx.c    open, read, close                 header.c  header rows, title rows in front of them
 *   choose.c  which sheet; faults of the file   row.c     a row of the sheet to a record
 *   number.c  numbers as a person would write them
 *
 * The dialect's header, headerRows, headerJoin, commentRows, commentChar and sheet are the workbook's where
 * the descriptor declares a workbook. A workbook that replaces a CSV file or a shapefile (check --as) is
 * read with the defaults: the dialect describes the other file. */
#pragma once

#include "read/sheet.h"

enum {
    XLSX_BATCH_BYTES = 512 * 1024,
    XLSX_BATCH_RECORDS = 4096,
    XLSX_TITLE_ROWS = 50 /* how far a header is looked for that is not where it should be */
};

struct xlsx_source {
    struct odp_source_base base;
    struct odp_arena arena;
    struct odp_workbook *book;
    struct odp_sheet *sheet;
    size_t number;    /* of the sheet, from 0 */
    const char *name; /* of it */
    const struct odp_dialect *dialect;
    struct odp_sheet_row next; /* read, not yet a record; next.row 0: none */
    uint32_t first;            /* column of the sheet that is the first of the table */
    uint32_t last_row;         /* the last one that was a record, or of the header */
    uint64_t records, batches, progress;
    struct odp_slice header;  /* the (last) header row as it is shown */
    struct odp_buffer *above; /* by column: the first cell of the merged range that covers it */
    uint32_t *above_row;      /* and in which row */
    bool ended, from_1904, columns_looked_at;
};

/* choose.c. A diagnostic about the file as a whole. */
void xlsx_file_diag(const struct xlsx_source *s, enum odp_code code, struct odp_diag *d);
/* What the workbook's reader found wrong, for people: BAD (said) or FAIL. */
enum odp_status xlsx_say_fault(const struct xlsx_source *s, const struct odp_workbook_fault *f,
                               struct odp_diags *diags) ODP_MUST_USE;
/* The sheet to be read: s->number, s->name. OK, BAD (F13, F14 said), FAIL. */
enum odp_status xlsx_choose(struct xlsx_source *s, struct odp_diags *diags) ODP_MUST_USE;

/* header.c. Up to the row behind the header: OK, BAD (H01, H08, or odp_header_match), FAIL. */
enum odp_status xlsx_header_read(struct xlsx_source *s, struct odp_diags *diags) ODP_MUST_USE;
/* The next row that has a value and is no comment into s->next. OK, DONE, BAD (said), FAIL. */
enum odp_status xlsx_next(struct xlsx_source *s, struct odp_diags *diags) ODP_MUST_USE;

/* row.c. s->next as a record of B, faults of its form said. OK or FAIL. */
enum odp_status xlsx_add_row(struct xlsx_source *s, struct odp_batch *b) ODP_MUST_USE;
/* The shortest decimal that is the same number for a spreadsheet program: its length, or 0 where TEXT fits
 * already. "12.300000000000001" is what programs write for 12.3. */
size_t xlsx_number(struct odp_slice text, char out[80]);

extern const struct odp_source_kind odp_source_xlsx;
