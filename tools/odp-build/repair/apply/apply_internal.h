/* Inside of repair/apply: reading a correction workbook.
 *
 *   apply.c          all of it: for each sheet, read, match, rewrite
 *   hidden_sheet.c   the hidden sheet: which sheets and columns there were
 *   sheet_rows.c     a sheet's rows: keeps the edited ones, and the digests of all
 *   match.c          reads the source once: each edited row meets its record
 *   equal_records.c  which of several equal records to correct, in a source that has changed
 *   sheet_cell.c     a cell of the workbook as text of the source
 *   sheet_edits.c    writes the edits (repair/rewrite) except those that do not fit
 *   conflicts.c      diagnostics */
#pragma once

#include "base/digest.h"
#include "read/xlsx/workbook/workbook.h"
#include "repair/workbook/records.h"

struct apply_column {
    enum correct_column_kind kind;
    uint32_t column; /* of the source, for CELL and PROPOSAL */
    const char *header;
    int at; /* column of the sheet; -1: missing */
};

/* A cell of the workbook. */
struct apply_cell {
    struct odp_slice text; /* TEXT: as shown; else as the file has it */
    struct odp_slice iso;
    enum odp_cell_kind kind;
    bool formula, merged, there; /* THERE: the sheet has its column */
    uint32_t at;                 /* column of the sheet */
};

enum apply_state { APPLY_OPEN, APPLY_DONE /* matched, or reported */ };

/* A row with a request. */
struct apply_row {
    uint32_t sheet_row;
    bool added; /* without an id */
    struct correct_id id;
    enum correct_action action;
    struct apply_cell *cells;     /* by column of the source */
    struct apply_cell *proposals; /* the same; NULL: none has any */
    enum apply_state state;
    char wanted[CORRECT_ID_DIGEST]; /* digest of the record as the workbook wants it */
    bool has_wanted, found_wanted;
    struct odp_slice *near; /* the record that is in its place now, shown; NULL: none */
    uint64_t near_row;
    bool near_key; /* found by its primary key */
    uint64_t key;  /* hash of its primary key's cells; 0: it has none */
};

/* The records that are equal to that of a row with a request. */
struct apply_equal {
    char digest[CORRECT_ID_DIGEST];
    uint64_t wanting;   /* rows of the workbook with a request */
    uint64_t untouched; /* rows of the workbook; while counting, those with a request too */
    uint64_t there;     /* records of the source */
    uint64_t left;      /* records that may be corrected */
    bool copy;          /* there was one more equal record, with or without a row */
};

enum apply_by { APPLY_BY_DIGEST, APPLY_BY_ROW, APPLY_BY_KEY, APPLY_BY_WANTED, APPLY_ORDERS };

struct apply_sheet {
    const struct odp_resource *resource;
    const char *name, *slug, *table, *file; /* as the hidden sheet has them; FILE: of --as, "" else */
    char sha256[ODP_SHA256_HEX];
    const char *path; /* of the source; NULL: do not use it */
    int at;           /* its place in the workbook; -1: missing */
    bool same;        /* its digest is the workbook's */
    struct apply_column *columns;
    size_t ncolumns;
    uint32_t width;      /* columns of the source */
    const char **labels; /* of those */
    int *of_field;       /* column by field, -1: none; set when the source is open */
    int *field_of;       /* field by column, or -1 */
    struct apply_row **rows;
    size_t nrows;
    struct apply_order {
        const struct apply_row **row;
        size_t n;
    } order[APPLY_ORDERS];            /* of rows with an id, sorted */
    char (*known)[CORRECT_ID_DIGEST]; /* of all rows with an id */
    size_t nknown;
    struct apply_equal *equals; /* by digest; of a source that has changed */
    size_t nequals;
};

struct apply {
    const struct odp_correct_options *o;
    const char *path; /* of the workbook */
    struct odp_workbook *workbook;
    struct odp_arena *arena;
    struct odp_diags *diags;
    struct odp_applied *out;
    struct odp_applied_file *files;        /* out->file, being filled */
    const struct odp_correct_watch *watch; /* or NULL */
    struct apply_sheet *sheets;
    size_t nsheets;
    struct odp_edits *edits; /* of the sheet at work */
    struct odp_buffer text;
    bool bad;    /* something was refused */
    bool failed; /* no memory for a diagnostic: asked where reading goes on */
};

/* ---- what is said ---- */

/* Reports D at cell (ROW, COLUMN from 0; -1: the row) of SHEET (or NULL: the workbook); an error counts as a
 * conflict. */
void apply_report(struct apply *a, const struct apply_sheet *sheet, uint32_t row, int column,
                  struct odp_diag d);
/* The same about the sheet's source. */
void apply_report_source(struct apply *a, const struct apply_sheet *sheet, struct odp_diag d);
/* OK, or FAIL: no memory for a diagnostic or a kept text. */
enum odp_status apply_status(const struct apply *a) ODP_MUST_USE;
/* "B17" of a cell, in the arena. */
const char *apply_cell_name(struct apply *a, uint32_t row, uint32_t column);
/* TEXT of field FIELD (-1: none) as it may be shown: private values are masked. */
struct odp_slice apply_may_show(const struct apply_sheet *s, int field, struct odp_slice text);
/* Reports a workbook that cannot be read. BAD, or FAIL. */
enum odp_status apply_report_fault(struct apply *a, const struct odp_workbook_fault *fault) ODP_MUST_USE;

/* ---- the parts ---- */

enum odp_status apply_meta(struct apply *a) ODP_MUST_USE; /* OK, BAD (reported), FAIL */
enum odp_status apply_rows(struct apply *a, struct apply_sheet *s, size_t sheet) ODP_MUST_USE; /* the same */
enum odp_status apply_match(struct apply *a,
                            struct apply_sheet *s) ODP_MUST_USE; /* the same; fills a->edits */
/* Reads the source to fill s->equals, without diagnostics: OK, FAIL. */
enum odp_status apply_equal_count(struct apply *a, struct apply_sheet *s) ODP_MUST_USE;
/* The entry of DIGEST; NULL: no row has a request for such a record. */
struct apply_equal *apply_equal_find(const struct apply_sheet *s, const char digest[CORRECT_ID_DIGEST]);
/* Writes a->edits, except those that the source cannot take. */
enum odp_status apply_rewrite(struct apply *a, const struct apply_sheet *s) ODP_MUST_USE;

/* A cell on its way into the source. */
struct apply_take {
    uint32_t column; /* of the source */
    const struct apply_cell *cell;
    struct odp_slice source; /* the source's cell now, as shown; ptr NULL: unknown */
    bool cut;                /* it was shown cut */
    bool edited;             /* set: TEXT differs from SOURCE */
    struct odp_slice text;   /* set: the text for the source */
};
/* Sets EDITED and TEXT. False: the cell of ROW cannot be used (reported). */
bool apply_cell_text(struct apply *a, const struct apply_sheet *s, const struct apply_row *row,
                     struct apply_take *t) ODP_MUST_USE;
/* The same without a diagnostic: false if it cannot be used. */
bool apply_cell_quietly(struct apply *a, const struct apply_sheet *s, struct apply_take *t) ODP_MUST_USE;
