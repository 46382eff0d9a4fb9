/* Takes in a file that came in the wrong clothes (`odp-build intake`): what is certain about the file as a
 * whole is normalised in one step, and it becomes the resource's source.
 *
 *   bytes     encoding, byte order mark, doubly quoted lines, .xlsx, HTML called .xls
 *   frame     delimiter, "sep=", title rows, rows of units or numbers, blank columns and rows at the end
 *   header    order of the columns; titles and near names become the schema's names
 *   columns   decimal and group sign, dates, booleans, marks for nothing, spaces around values
 *
 * The whole column decides, never a sample; what is not certain stays as it is, and is a fault afterwards as
 * it would be without intake. A cell that is right under the schema is never changed, unless the whole column
 * shows that it means something else ("1.250" among "1.250,5" is not 1.25).
 *
 * The file that stands in the source's place is the model for what the schema does not say: line ends, byte
 * order mark, quotes, title rows, order of the columns. */
#pragma once

#include "repair/repair.h"

enum odp_intake_kind {
    ODP_INTAKE_FORM,      /* BEFORE "xlsx" or "HTML" */
    ODP_INTAKE_MERGED,    /* CELLS of merged ranges got the value of their first one */
    ODP_INTAKE_ENCODING,  /* BEFORE to AFTER */
    ODP_INTAKE_BOM,       /* AFTER "": dropped; else added */
    ODP_INTAKE_WRAPPED,   /* CELLS lines that were quoted as a whole */
    ODP_INTAKE_DELIMITER, /* BEFORE to AFTER */
    ODP_INTAKE_SPACE,     /* after each delimiter */
    ODP_INTAKE_SEP,       /* the line "sep=" */
    ODP_INTAKE_TITLES,    /* CELLS rows before the header: dropped */
    ODP_INTAKE_BELOW,     /* CELLS rows below it, of units or numbers: dropped */
    ODP_INTAKE_BLANK_ROWS,
    ODP_INTAKE_BLANK_COLUMNS,
    ODP_INTAKE_NUMBER_COLUMN, /* BEFORE: its label */
    ODP_INTAKE_ORDER,         /* of the columns */
    ODP_INTAKE_LABEL,         /* BEFORE to AFTER */
    ODP_INTAKE_DECIMAL,       /* BEFORE to AFTER, in COLUMNS columns and CELLS cells: so are the next */
    ODP_INTAKE_GROUP,
    ODP_INTAKE_DATE,
    ODP_INTAKE_BOOLEAN,
    ODP_INTAKE_NOTHING, /* BEFORE: the mark for nothing */
    ODP_INTAKE_TRIM,
    ODP_INTAKE_KINDS
};
struct odp_intake_change {
    enum odp_intake_kind kind;
    struct odp_slice before, after;
    uint64_t columns, cells;
};

struct odp_intake_options {
    const struct odp_resource *resource;
    const char *path, *file; /* that came, and as shown */
    const char *model;       /* the source that stands, or NULL */
    odp_edit_show *show;     /* is told of the first MOST changed cells of each column, or NULL */
    void *ctx;
    uint64_t most;
};

struct odp_intake;
/* Reads the file and decides. OK; BAD: it cannot be taken in (reported in DIAGS); FAIL. Free *OUT in every
 * case. */
enum odp_status odp_intake_open(struct odp_intake **out, const struct odp_intake_options *o,
                                struct odp_diags *diags) ODP_MUST_USE;
/* Writes what it becomes to the new file PATH, and proves it. OK, BAD (reported), FAIL: PATH is not there. */
enum odp_status odp_intake_write(struct odp_intake *x, const char *path,
                                 struct odp_diags *diags) ODP_MUST_USE;
/* Whether it is in other clothes than the resource's, before anything is written. */
bool odp_intake_would_mend(const struct odp_intake *x);
/* What was changed, once it was written. */
const struct odp_intake_change *odp_intake_changes(struct odp_intake *x, size_t *n);
/* Lines (of a workbook: rows) more that it has in front of its records than what was written. */
int64_t odp_intake_skipped(const struct odp_intake *x);
/* False: the written file has the very bytes of the one that came. */
bool odp_intake_mends(const struct odp_intake *x);
uint64_t odp_intake_records(const struct odp_intake *x);
void odp_intake_free(struct odp_intake *x);
