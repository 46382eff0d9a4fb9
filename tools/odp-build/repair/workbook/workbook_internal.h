/* Inside of repair/workbook: the writer of the correction workbook.
 *
 *   workbook.c         plan, sheets, the whole
 *   sheet_plan.c       a resource's faults by rule and by field
 *   resource_sheet.c   a resource's sheet
 *   code_list_sheet.c  the sheet of code lists
 *   summary_sheet.c    the summary, the hidden sheet
 *   cells.c            cells, comments, sheets, looks
 *
 * Rows are streamed (xlsx/book.h), so memory does not grow with them; it does with comments, hence their
 * limit. Functions that read sources ask book_status. */
#pragma once

#include "repair/workbook/records.h"
#include "report/report.h"
#include "xlsx/book.h"

enum { BOOK_EXAMPLES = 12 /* places named of a rule that cannot be mended in the workbook */ };

/* Faults of one kind: a line of the summary. */
struct book_rule {
    enum odp_code code;
    enum odp_severity severity;
    const char *field, *rule; /* or NULL */
    uint64_t count, proposals, causes[ODP_CAUSES];
    uint64_t example[ODP_CAUSES];   /* of a cause: its first fault in the list */
    bool here;                      /* its faults are in records, and can be mended in the workbook */
    uint64_t first;                 /* of the fault in the list, for its words */
    uint64_t places[BOOK_EXAMPLES]; /* rows; of a fault without a row: its line */
    size_t nplaces;
};

enum { FIELD_BAD = 1, FIELD_PROPOSED = 2 };

struct book_column {
    enum correct_column_kind kind;
    uint32_t column;    /* of the source, for CELL and PROPOSAL */
    int field;          /* of the schema, or -1 */
    const char *header; /* unique on its sheet */
    unsigned width;     /* of the widest text so far, in characters */
};

struct book_code {
    struct odp_slice code, name;
};

/* A list of codes on the sheet of lists. */
struct book_list {
    const struct odp_resource *resource; /* a code list's edition, or NULL: */
    const struct odp_field *field;       /* categories of this field */
    uint32_t code;                       /* field of the code in RESOURCE */
    struct book_code *codes;
    size_t n;
    bool whole;      /* false: it has more codes than are kept */
    lxw_row_t first; /* row of the first code on the sheet */
};

struct book_sheet {
    const struct odp_resource *resource;
    const struct odp_fault_list *faults;
    const char *path, *name; /* of the source; of the sheet */
    char sha256[ODP_SHA256_HEX];
    uint8_t *fields; /* FIELD_*, by field of the schema */
    struct book_rule *rules;
    size_t nrules;
    uint64_t bad;         /* records with a fault for the workbook: without any, it has no sheet */
    uint64_t left_out;    /* of those, beyond the sheet's rows */
    uint64_t cut, broken; /* cells and records that cannot be changed here */
    uint64_t rows;        /* records of the source */
    bool context;
    lxw_worksheet *sheet; /* NULL: none, or its source cannot be read any more */
    lxw_row_t row;        /* the next */
    struct book_column *columns;
    lxw_col_t ncolumns;
    uint64_t next; /* fault to look at */
    uint64_t held; /* the bad record before, if rows around it are shown: 0 none */
};

struct book_looks {
    lxw_format *title, *text, *section, *head, *head_own, *head_proposal, *plain, *context, *context_line,
        *problem, *proposal, *action, *number, *bad[ODP_SEVERITY_ERROR + 1],
        *line[ODP_SEVERITY_ERROR + 1]; /* by severity */
};

struct book {
    const struct odp_correct_options *o;
    struct odp_arena arena;
    struct odp_book out;
    struct book_looks looks;
    struct book_sheet *sheets;
    size_t nsheets;
    struct book_list *lists;
    size_t nlists;
    lxw_worksheet *about, *meta;
    unsigned comments;
    uint64_t comments_left_out;
    struct odp_buffer text, cell, shown; /* shown: of cells.c */
    struct odp_buffer faults;            /* struct odp_diag: of the record at work */
    struct odp_diags *diags;             /* of reading sources: already reported */
};

/* TEXT in the language of the workbook. */
#define book_word(b, ...) odp_word((b)->o->lang, __VA_ARGS__)
/* OK, or the first failure: of the library, or of memory. */
enum odp_status book_status(const struct book *b) ODP_MUST_USE;
const char *book_number(struct book *b, uint64_t n); /* with the language's grouping; in the arena */
void book_comment(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t col, struct odp_slice text);
void book_make_looks(struct book *b);

/* Sets rules, fields, bad of SHEET from its faults. */
void book_plan(struct book *b, struct book_sheet *sheet);
/* Whether a fault can be mended in the workbook. */
bool book_is_here(const struct odp_diag *d);
enum odp_status book_rows_put(struct book *b, struct book_sheet *sheet) ODP_MUST_USE;
/* Plans and reads the lists that fields need; writes their sheet. */
enum odp_status book_lists_plan(struct book *b) ODP_MUST_USE;
void book_lists_put(struct book *b);
/* The list of a field, or NULL. */
const struct book_list *book_list_of(const struct book *b, const struct odp_resource *r, int field);
const char *book_lists_name(const struct book *b);
const char *book_about_name(const struct book *b);
void book_about_put(struct book *b);
void book_meta_put(struct book *b);
