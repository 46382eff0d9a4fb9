/* Inside of repair/draft: what is known of a file and its columns, in the order it becomes known. */
#pragma once

#include <jansson.h>

#include "base/privacy.h"
#include "base/template/template.h"
#include "catalog/records/batch.h"
#include "repair/draft/distinct.h"
#include "repair/draft/draft.h"
#include "repair/draft/forms.h"

enum {
    SMALL = 64,        /* distinct values kept as text */
    SMALL_BYTES = 120, /* longest of them */
    RUNS = 12,         /* of a code's shape */
    EXAMPLES = 5,
    HEAD = 80,          /* records at the start, taken as rows */
    HEAD_CELLS = 16384, /* cells of such a record */
    WIDTHS = 256,       /* record widths with a count of their own */
    COMPOSITES = 48,
    WORDS = 4,
    SPELLINGS = 6,
    HITS = 3 /* lists in the notes to which a column is compared */
};

/* A value with its place, for evidence. */
struct example {
    struct odp_slice text;
    uint64_t line;
};

struct small {
    char text[SMALL_BYTES];
    uint32_t len;
    uint64_t count, line;
};

/* A code as runs of digits, capital letters, small letters or one other character. */
struct run {
    char kind; /* '9' 'A' 'a', or the character itself */
    uint32_t least, most;
};
struct shape {
    struct run run[RUNS];
    uint32_t n;
    bool none; /* values differ in kind, or are no codes */
};

/* A code list's edition, or the key of a dataset of the catalogue. */
struct target {
    const struct odp_resource *resource;
    uint32_t field;
    struct distinct values;
    uint64_t bytes;    /* of its values: mean length */
    const char *label; /* "references/kabkota@2025" */
};
struct hit {
    const struct target *target;
    size_t common;
};

struct column {
    struct odp_slice label, title, unit; /* trimmed; UNIT: of a row of units */
    const char *name;
    char native;    /* DBF type, 0: text */
    uint32_t width; /* DBF */
    /* survey: over all records but totals and notes */
    uint64_t cells, empty, spaced, multiline;
    uint64_t token[TOKENS], tokens; /* cells that are such a word */
    uint64_t token_line[TOKENS];
    uint64_t form[FORMS], affixed[FORMS], wide_plain, leading_zero, year, scientific;
    uint64_t stored[2];     /* of a workbook: cells that are numbers, that are dates */
    uint64_t sequence;      /* cells that hold their record's number */
    struct odp_slice affix; /* text around a number: "Rp ", " %", the first found */
    uint64_t affix_other;
    uint64_t date[PATTERNS];
    uint64_t longest, shortest; /* characters */
    uint64_t privacy[ODP_PRIVACY_EMAIL + 1], privacy_line[ODP_PRIVACY_EMAIL + 1], private_cells;
    struct shape shape;
    struct small *small;
    uint32_t nsmall;
    bool small_over;
    struct small word[WORDS]; /* values without a digit, between numbers and dates */
    uint32_t nwords;
    struct small spelling[SPELLINGS]; /* words for no value, as written */
    uint32_t nspellings;
    uint64_t words, words_over; /* cells with a word; those with a word that is not kept */
    uint64_t uri;               /* cells that are web addresses */
    uint64_t zero_fraction;     /* 0.5, 0,5: the mark is the decimal sign */
    struct distinct distinct;
    struct hit hit[HITS];
    uint32_t nhits;
    /* decided */
    enum odp_type type;
    const char *format; /* of a date, or NULL */
    int form_index;     /* of a number, or -1 */
    char group, decimal;
    bool bare_false, zone;
    struct odp_slice yes, no; /* of a boolean: one spelling of each */
    bool pattern, categories, secret, required, unique, lat, lon;
    uint64_t missing;               /* bits: tokens that count as no value */
    struct odp_slice missing_word;  /* one more, found in the file */
    const struct target *reference; /* or NULL */
    struct odp_text evidence;
    /* settle */
    uint64_t fit, misfit, values;
    struct example misfits[EXAMPLES], absent[EXAMPLES];
    uint64_t nabsent;
    struct odp_slice least, most; /* canonical */
};

/* A row at the start of the file, and all of them. */
struct row {
    struct odp_slice *cell; /* trimmed */
    const struct odp_slice
        *spread; /* of a workbook: a label over several columns counts for each; NULL: as cell */
    uint32_t n, filled;
    bool comment;
};
struct head {
    struct row row[HEAD];
    uint32_t n;
};

struct composite {
    uint32_t field[4], n;
    struct distinct set;
    bool dead, unsure;
};

struct fact { /* a line of the notes about the file */
    struct odp_text text;
    struct fact *next;
};

struct odp_draft {
    struct odp_arena arena;
    struct odp_draft_options options;
    enum odp_draft_kind kind;
    const char *slug;
    struct odp_text title;
    const char *basename;
    const char **sources;
    size_t nsources;
    uint64_t bytes;
    char modified[16]; /* day of the file's last change */
    /* text */
    const char *encoding;
    uint64_t bom, crlf, lf, cr;
    bool ascii, plausible; /* PLAUSIBLE: as windows-1252, every byte of it */
    /* dialect */
    char delimiter, quote, escape, comment;
    int forced_header; /* a choice: 1 a header, 2 none */
    const char *forced_encoding;
    bool skip_space, header, trailing, header_names;
    uint32_t *header_rows, nheader_rows, *comment_rows, ncomment_rows;
    uint32_t ncolumns;
    struct odp_slice *labels, *titles; /* as the reader joins them; with the label of a group of columns */
    const struct odp_slice *units;     /* of the row of units below the header, or NULL */
    bool shared_labels;                /* two columns share one */
    /* workbook */
    const char *sheet, *forced_sheet;
    /* shapefile */
    const struct column *lon, *lat; /* points; NULL: none */
    unsigned geometry_types;
    uint64_t geometry_null, geometry_count;
    bool has_box, crs_assumed;
    double box[4];
    const char *crs;
    char *native; /* by column: DBF type */
    uint32_t *native_width;
    /* survey */
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct column *columns;
    uint32_t n;
    uint64_t rows, skipped, beyond; /* beyond: cells in columns that are not read */
    uint64_t suspects;              /* total and note rows */
    struct example suspect[EXAMPLES];
    size_t budget;
    struct target *targets;
    size_t ntargets;
    bool targets_read;
    char file_decimal, file_group;
    uint64_t faults[ODP_CODE_COUNT]; /* of reading, by code */
    uint64_t fault_line[ODP_CODE_COUNT];
    /* keys */
    struct odp_key primary;
    int last_update; /* column, or -1 */
    struct composite composite[COMPOSITES];
    uint32_t ncomposites;
    /* notes */
    struct fact *facts, **facts_end, **facts_file; /* facts_file: where facts of open end */
    struct odp_doubt *doubts;
    size_t ndoubts, doubts_file; /* those of open come first */
    struct odp_buffer words;     /* a text being made */
};

/* ---- wording.c: texts in both languages ---- */

struct arg {
    struct odp_slice text; /* ptr NULL: the number */
    uint64_t number;
};
#define N(v) ((struct arg){.number = (v)})
#define S(v) ((struct arg){.text = (v)})
#define C(v) ((struct arg){.text = odp_slice_of(v)})
#define ARGS(...)                                                                                            \
    (const struct arg[])                                                                                     \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
/* {0} … of both templates filled in; numbers grouped as the language has it. */
struct odp_text draft_text(struct odp_draft *d, const char *id, const char *en, const struct arg *args);
/* A followed by B. */
struct odp_text draft_join(struct odp_draft *d, struct odp_text a, struct odp_text b);
/* TITLE, with the name of C (or NULL) as {0}. */
struct odp_text column_title(struct odp_draft *d, const struct column *c, struct odp_text title);
#define T(word) ((struct odp_text){{word}})
void draft_fact(struct odp_draft *d, const char *id, const char *en, const struct arg *args);

enum doubt_kind {
    DOUBT_NOTE,
    DOUBT_HEADER,
    DOUBT_ENCODING,
    DOUBT_SHEET,
    DOUBT_DATE,
    DOUBT_NUMBER,
    DOUBT_CODE,
    DOUBT_PRIVATE,
    DOUBT_MISSING,
    DOUBT_REFERENCE,
    DOUBT_KEY
};
/* Adds a doubt about C (or NULL: the file): OPTIONS, of which the first is the default; NULL: none. TITLE,
 * EVIDENCE: filled in. Borrowed until the next doubt. */
struct odp_doubt *draft_doubt(struct odp_draft *d, enum doubt_kind kind, const struct column *c,
                              struct odp_text title, struct odp_text evidence,
                              const struct odp_text options[2]);
/* Adds a doubt without options; ARGS are those of EVIDENCE. */
void draft_note(struct odp_draft *d, const struct column *c, struct odp_text title, struct odp_text evidence,
                const struct arg *args);
/* S shortened, with personal identifiers masked, in the arena. */
struct odp_slice draft_shown(struct odp_draft *d, struct odp_slice s);
enum odp_status draft_fault(struct odp_draft *d, struct odp_diags *diags, enum odp_code code, const char *a0,
                            const char *a1);

json_t *draft_json_text(struct odp_slice s); /* up to what is not UTF-8 */
/* OK, or FAIL: out of memory since the draft was opened. Asked at the end of each stage. */
enum odp_status draft_status(const struct odp_draft *d) ODP_MUST_USE;

extern const struct odp_template_text odp_draft_templates[];
extern const unsigned char odp_draft_model_json[];

/* ---- names.c ---- */

void draft_names(struct odp_draft *d);
/* Reports blank and repeated labels. */
void draft_labels(struct odp_draft *d);

/* ---- encoding.c, dialect.c, first_rows.c ---- */
/* Reports geodata of NAME in FILE, with the command that makes shapefiles of it. BAD, or FAIL. */
enum odp_status draft_foreign(struct odp_draft *d, const char *name, const char *file,
                              struct odp_diags *diags) ODP_MUST_USE;
enum odp_status draft_encoding(struct odp_draft *d, struct odp_diags *diags);
enum odp_status draft_dialect(struct odp_draft *d, struct odp_diags *diags);
/* The rows at the start, by the dialect: titles, header, comments. WIDTH: of records (a workbook has its
 * own). */
enum odp_status draft_rows(struct odp_draft *d, uint32_t width, struct odp_diags *diags);
/* ---- workbook.c ---- */
/* Chooses the sheet. */
enum odp_status draft_workbook(struct odp_draft *d, struct odp_diags *diags);
/* The rows at its start, as wide as its table, whose width is d->ncolumns then. */
enum odp_status draft_workbook_head(struct odp_draft *d, struct head *h, struct odp_diags *diags);

/* ---- forms.c ---- */
void shape_take(struct shape *s, struct odp_slice v);
/* Appends it as a pattern ("[0-9]{2}\\.[0-9]{2}") to OUT. */
void shape_pattern(const struct shape *s, struct odp_buffer *out);

/* ---- records.c, survey.c, column.c, decide.c, references.c, settle.c ---- */
void draft_resource_text(struct odp_draft *d);
typedef void draft_record(struct odp_draft *d, const struct odp_batch *b, uint32_t i);
enum odp_status draft_each(struct odp_draft *d, draft_record *take, struct odp_diags *diags);
bool draft_suspect(const struct odp_draft *d, const struct odp_batch *b, uint32_t i);
/* Cell of column C; false: the record has none. */
bool draft_cell(const struct odp_batch *b, uint32_t i, uint32_t c, struct odp_cell *out);
void column_take(struct odp_draft *d, struct column *c, const struct odp_cell *cell, uint64_t line,
                 uint64_t row);
void draft_decide(struct odp_draft *d);
void column_text(struct odp_draft *d, uint32_t i,
                 uint64_t n); /* decide_text.c: strings, and what may be one */
/* Words in the name of a key. */
#define KEY_WORDS                                                                                            \
    "id kode kd code nomor no key objectid fid gid oid uid uuid guid npsn nisn nis nip nik urut urutan "     \
    "indeks index idx pk"
/* Whole numbers that count or measure: different in all rows by chance only. */
bool column_is_measure(const struct odp_draft *d, const struct column *c);
bool column_is_code(const struct column *c);
bool column_trims(const struct column *c); /* spaces around its codes are not part of them */
bool column_same_table(const struct odp_draft *d,
                       const struct column *c); /* most labels are those of the dataset it would refer to */
void column_to_yes(struct column *c);           /* 1 and 0 as yes and no */
void column_to_code(struct column *c);          /* a number as a string with categories */
enum odp_status draft_targets(struct odp_draft *d);
void draft_compare(struct odp_draft *d);
/* shapefile.c: labels, types and coordinate system; the files of a shapefile. */
enum odp_status draft_shape_probe(struct odp_draft *d, struct odp_diags *diags);
enum odp_status draft_shape_files(struct odp_draft *d);
/* Whether cell S of C is no value. */
bool column_null(const struct column *c, struct odp_slice s);
uint64_t column_values(const struct column *c); /* cells that are neither empty nor a word for no value */
void column_form(struct column *c, int form);
void draft_resource(struct odp_draft *d);
