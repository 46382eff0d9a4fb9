/* Inside of repair/intake, in the order of the work:
 *
 *   foreign.c   a workbook, or a table of HTML, as CSV in a scratch file
 *   rows.c      rows of a CSV file, whatever is in them
 *   wrapped.c   lines that were quoted as a whole, unwrapped into a scratch file
 *   header.c    the header's place, the columns' fields, what is around the header
 *   model.c     the source that stands: how it looks
 *   survey.c    every cell of every column: in which notations it can be
 *   decide.c    the notation of a column; a cell in the schema's
 *   write.c     the file as the resource has it
 *   changes.c   what was changed; scratch files
 *   intake.c    all of it */
#pragma once

#include "base/digest.h"
#include "read/csv/reader.h"
#include "repair/draft/forms.h"
#include "repair/intake/intake.h"

enum {
    WAYS = 64,       /* notations of a column: bits of a mask */
    WORDS = 8,       /* different words of a column of booleans */
    WORD_BYTES = 24, /* longest of them */
    HEAD_ROWS = 60   /* how far a header is looked for */
};

/* How a cell of a workbook was stored: the first character of its text in the scratch file, which no text of
 * XML can have. */
enum native { NATIVE_TEXT, NATIVE_NUMBER = 1, NATIVE_DATE = 2, NATIVE_BOOLEAN = 3, NATIVE_PERCENT = 4 };

/* ---- rows.c ---- */

struct cell {
    struct odp_slice text, raw; /* RAW: as in the file, with its quotes */
    bool quoted, percent;       /* PERCENT: a number that a workbook shows as 100 times of it */
    enum native native;
};

struct rows {
    struct csv_text text;
    struct csv_rules rules;
    bool native;    /* of a workbook */
    uint64_t line;  /* of the row that comes next */
    uint64_t lost;  /* characters that the encoding does not have, so far */
    size_t advance; /* of the row that was given out */
    struct cell *cells;
    size_t cap_cells;
    struct odp_buffer room;
};
struct row {
    struct odp_slice source; /* without its line end; until the next row */
    struct odp_slice end;    /* the line end; "": the file ends */
    uint64_t line;
    bool broken; /* its quotes: the physical line */
    bool comment, blank;
    const struct cell *cells; /* set by rows_split */
    uint32_t n;
};
/* Opens PATH, read as HOW says. OK, BAD (reported), FAIL. Close in every case. */
enum odp_status rows_open(struct rows *r, const struct odp_resource *how, const char *path, const char *file,
                          struct odp_diags *diags) ODP_MUST_USE;
/* OK, DONE, FAIL. */
enum odp_status rows_next(struct rows *r, struct row *out) ODP_MUST_USE;
enum odp_status rows_split(struct rows *r, struct row *row) ODP_MUST_USE;
void rows_close(struct rows *r);

/* ---- what is known ---- */

/* A notation of a column's cells, against the schema's. */
struct way {
    uint64_t same, differs; /* cells that fit both: of one value, of two */
    uint64_t only;          /* that fit this one alone */
    uint64_t apart;         /* mask of the notations by which a cell has another value */
};

struct word {
    char text[WORD_BYTES];
    uint32_t len;
    uint64_t count;
};

struct column {
    struct odp_slice label;        /* trimmed */
    const struct odp_field *field; /* NULL: not in the schema */
    bool gone;
    /* survey */
    uint64_t filled, empty; /* cells with a value: those below aside */
    uint64_t own;           /* that fit the schema's notation */
    uint64_t lead, trail;   /* with white space in front, behind */
    uint64_t sequence;      /* that hold their record's number */
    uint64_t whole, zeros;  /* numbers without marks; that end in 0 behind a mark */
    uint64_t token[TOKENS], tokens, natives;
    struct way way[WAYS];
    struct word word[WORDS];
    uint32_t nwords;
    bool many_words;
    /* decided */
    int chosen; /* the way, or -1: the schema's */
    bool trims;
    struct odp_slice yes, no; /* words for them; ptr NULL: the schema's */
    /* written */
    uint64_t cells[ODP_INTAKE_KINDS], shown;
};

/* The source that stands. */
struct model {
    bool there;
    bool bom, end; /* has a mark; its last line has an end */
    struct odp_slice eol;
    struct odp_slice titles, header, below; /* as they stand, with their line ends */
    int *field_of_column;
    uint32_t ncolumns;
    /* By field: all cells with a value are quoted, all without; only those are that must be. */
    bool *quotes, *quotes_empty, *plain;
};

struct odp_intake {
    struct odp_arena arena;
    struct odp_intake_options options;
    const struct odp_resource *resource;
    struct csv_rules target; /* of the resource */
    const char *scratch[2];  /* to be removed */
    size_t nscratch;
    /* the file */
    const char *path;        /* to be read: the one that came, or a scratch file */
    struct odp_resource how; /* how it is read */
    bool foreign, native;    /* no text: made by foreign.c; and of a workbook */
    bool same_frame;         /* cells need not be written anew */
    const char *encoding;    /* of the file that came */
    struct odp_slice sep;    /* the line that says the delimiter, as it stands */
    /* header.c: rows from 0 */
    uint32_t header, nheader, below; /* BELOW: rows below it that are no records */
    uint32_t titles;                 /* rows before it that are neither comments nor "sep=" */
    struct column *columns;
    uint32_t n;
    uint32_t *order, norder; /* columns, in the order of the new file */
    bool reordered;
    struct model model;
    /* survey */
    uint64_t records, nothing_left; /* NOTHING_LEFT: truly empty cells */
    char file_decimal;              /* proved by a column; 0: none */
    int file_month_first;           /* the same of dates: 0 or 1; -1: none */
    bool spaced;                    /* its values have white space around them */
    int mark;                       /* token that means nothing, or -1 */
    /* written */
    struct odp_intake_change *changes;
    size_t nchanges;
    bool noted, mends, high, came_bom; /* HIGH: it has a character outside ASCII */
    uint64_t blank_rows;               /* at the end */
    int64_t skipped;                   /* lines in front of the records: came less written */
};

/* ---- the parts ---- */

/* A free name in TMPDIR that free removes. NULL: out of memory. */
char *intake_scratch(struct odp_intake *x) ODP_MUST_USE;
void intake_note(struct odp_intake *x, enum odp_intake_kind kind, struct odp_slice before,
                 struct odp_slice after, uint64_t cells);

/* Encodings by name: case, - and _ aside. */
bool intake_same_encoding(const char *a, const char *b);

/* x->path and x->native, if the file is no text. OK, BAD (reported), FAIL. */
enum odp_status intake_foreign(struct odp_intake *x, struct odp_diags *diags) ODP_MUST_USE;
enum odp_status intake_unwrap(struct odp_intake *x, struct odp_diags *diags) ODP_MUST_USE;
enum odp_status intake_header(struct odp_intake *x, struct odp_diags *diags) ODP_MUST_USE;
enum odp_status intake_model(struct odp_intake *x) ODP_MUST_USE;
enum odp_status intake_survey(struct odp_intake *x, struct odp_diags *diags) ODP_MUST_USE;
void intake_decide(struct odp_intake *x);

/* Rows that R's dialect has in front of its header (or of the records, without one), and below it. */
uint32_t intake_titles(const struct odp_resource *r);
uint32_t intake_below(const struct odp_resource *r);

/* How many ways C can be written in, besides the schema's. */
uint32_t ways_of(const struct odp_field *f);
/* A value in way W (or, -1, the schema's): canonical text. False: TEXT does not fit. */
bool way_read(const struct odp_field *f, int w, struct odp_slice text, char out[ODP_DECIMAL_SIZE],
              size_t *len);
/* Whether TEXT means "no value" for F. */
bool field_null(const struct odp_field *f, struct odp_slice text);
/* Cell S of column C in the schema's notation: a slice of S, or a copy in OUT (cleared first). *KIND: why it
 * was changed; ODP_INTAKE_KINDS: it was not. */
struct odp_slice intake_cell(const struct odp_intake *x, const struct column *c, const struct cell *cell,
                             struct odp_buffer *out, enum odp_intake_kind *kind);
