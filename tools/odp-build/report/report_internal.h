/* Inside of report: a report at work, and what the formats share.
 *
 * groups.c finds and sorts the groups once for all formats; a format draws them. Words are appended to
 * j->to: the report itself for text, j->words for values of a model. */
#pragma once

#include <jansson.h>

#include "report/report.h"

/* A group of faults, among all of them: errors, warnings, notes, each in order of first arrival. Places are
 * indexes of j->groups. */
struct report_group {
    const struct odp_diag_group *g;
    const struct odp_diag *first; /* its first example, or what is known without one */
    size_t index;
    size_t block; /* a fault that three or more datasets share ("overdue"): the first such group; else its
                     own index */
    bool shared;
    size_t section; /* the first group of its dataset that is not shared; of what is shared the first such */
    size_t rule;    /* the first group of its section that breaks the same rule in the same dataset */
    int cause;      /* its column has one cause (enum odp_cause); -1: not so */
    bool left_out;  /* some faults are in no example */
};

struct report_job {
    const struct odp_diags *diags;
    const struct odp_summary *summary;
    enum odp_lang lang;
    struct odp_buffer *out, *to;
    struct report_group *groups; /* worst first */
    size_t n;
    struct odp_arena arena; /* texts that last as long as the report */
    struct odp_buffer words, scratch, other;
    bool failed;
    /* text for a terminal */
    bool color;
    size_t width; /* columns */
    size_t lines; /* written so far */
    unsigned examples;
};

/* The formats: registered in report.c. */
extern const struct odp_report report_human, report_as_json, report_sarif, report_github, report_junit,
    report_html;

/* ---- groups.c ---- */

void report_find_groups(struct report_job *j);
/* Puts one group of each block and of each cause of whole columns into OUT (room for j->n) and, if MERGED,
 * one of each rule that is broken in several fields of a dataset. */
size_t report_leaders(struct report_job *j, bool merged, const struct report_group **out);
/* Reorders leaders within each severity: one of each dataset, then the second of each, so that none hides
 * the others. */
void report_take_turns(struct report_job *j, const struct report_group **leaders, size_t n);
/* What the groups of a block come to: how many, of how many datasets and tables. */
struct report_shared {
    size_t n, datasets, tables;
    bool own;      /* their titles differ */
    bool expected; /* what is expected is the same */
};
struct report_shared report_measure_shared(struct report_job *j, const struct report_group *first);
/* "34 bidang", "34 bidang dalam 3 dataset", "22 dataset": how many things share the fault of G. */
void report_add_shared(struct report_job *j, const struct report_shared *s, const struct odp_diag_group *g);
/* One rule broken in several fields of a dataset. */
bool report_same_rule(const struct odp_diag_group *a, const struct odp_diag_group *b);
/* The same, and all over both columns of one table. */
bool report_same_cause(const struct report_group *a, const struct report_group *b);
/* The summary of dataset SLUG (may be NULL), or NULL. */
const struct odp_summary_dataset *report_dataset(const struct odp_summary *s, const char *slug);

/* ---- findings.c: one cause of a column, then faults by value ---- */

struct report_finding {
    const struct odp_diag *d;         /* the first of them */
    uint64_t count;                   /* of equal faults; SOME: at least so many */
    const struct odp_diag_runs *rows; /* where, if there are several */
    bool some;
    bool whole; /* one cause of a column: COUNT of its OF filled cells (RECORDS: of the file's records) */
    bool records;
    uint64_t of;
};
struct report_walk {
    const struct report_group *group;
    const struct odp_diag_node *node;
    bool begun;
};
/* The next finding of the group; false at the end. */
bool report_next(struct report_walk *w, struct report_finding *out);
/* The cause of most of a column (enum odp_cause), or -1. */
int report_cause(const struct odp_diag_group *g);
/* Whether faults of G have CAUSE, too, which a column of the same table (KNOWN) has. */
bool report_shares_cause(const struct odp_diag_group *g, const struct odp_diag_group *known, int cause);
/* Lines of all faults of G in ascending order, touching runs joined, in the report's arena; their number. */
size_t report_runs_of(struct report_job *j, const struct odp_diag_group *g, struct odp_diag_lines **out);
/* "3-5, 9, …" */
void report_add_runs(struct odp_buffer *out, const struct odp_diag_lines *runs, size_t n, size_t most);
void report_add_rows(struct report_job *j, const struct report_finding *f, size_t most);
void report_add_count(struct report_job *j, const struct report_finding *f); /* "24 baris" */
/* " di 24 baris: 3-5, 9, …", " di 602 dari 602 baris: …" */
void report_add_places_listed(struct report_job *j, const struct report_finding *f);
const char *report_places(struct report_job *j, const struct report_finding *f); /* in j->arena */
/* "koma desimal, seperti dari Excel …"; nothing unless the whole column has that cause. */
void report_add_cause(struct odp_buffer *out, const struct report_finding *f, enum odp_lang lang);
/* BEFORE and the command that mends all of F; false: there is none. */
bool report_add_step(struct report_job *j, const char *before, const struct report_finding *f);
/* odp_report_message of all of F, with its count and cause. */
void report_add_message(struct report_job *j, const struct report_finding *f);
const char *report_step(struct report_job *j, const struct report_finding *f); /* in j->arena; "": none */

/* ---- words, appended to j->to ---- */

void report_str(struct report_job *j, const char *s);
#define report_word(j, ...) odp_word((j)->lang, __VA_ARGS__)
#define report_say(j, ...)  report_str(j, report_word(j, __VA_ARGS__)) /* a word */
/* Appends a word that is a format. */
void report_put(struct report_job *j, const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));
void report_number(struct report_job *j, uint64_t n); /* 1.204 or 1,204 */
/* The number, then the word for one or for many. */
void report_counted(struct report_job *j, uint64_t n, const char *one_id, const char *one_en,
                    const char *many_id, const char *many_en);
/* A real number with PLACES decimals, in the language's writing. */
void report_decimal(struct report_job *j, double v, int places);
/* "kumuh.luas_ha", "proyek/timeline.tanggal". */
void report_place(struct report_job *j, const struct odp_diag_group *g);
/* The same of names; each may be NULL. */
void report_place_of(struct odp_buffer *out, const char *dataset, const char *resource, const char *field);
void report_bare_title(struct report_job *j,
                       enum odp_code code); /* without its arguments: "tidak ada dalam …" */
/* The title of CODE with arguments if all its faults share them, else the bare one. */
void report_code_title(struct report_job *j, enum odp_code code);
void report_group_title(struct report_job *j, const struct odp_diag_group *g); /* the title of G as a whole */
/* Appends BEFORE and what to do; false if there is nothing to say. */
bool report_add_help(struct report_job *j, const char *before, const struct odp_diag *d);
const char *report_severity_word(enum odp_severity s, enum odp_lang lang);
const char *report_outcome_word(enum odp_outcome outcome, enum odp_lang lang); /* for the table of datasets */
/* The heading of a dataset's faults: its slug, or "katalog" or "situs". */
const char *report_dataset_word(const struct report_job *j, const struct odp_diag_group *g);
static inline const char *report_code(const struct odp_diag_group *g)
{
    return odp_code_info(g->code)->code;
}

/* ---- what is said of one fault ---- */

typedef void report_words(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
report_words report_after_title; /* the rest of odp_report_message */
report_words report_title;       /* with its arguments, or the rule's own message */
report_words report_expected;
report_words report_odd; /* "ada spasi tak terputus (U+00A0) setelah ‘Kota’": an invisible or misleading sign
                          in the value */
report_words report_proposal; /* for people: the value, or "hapus baris ini"; nothing without a proposal */
report_words
    report_column; /* "kolom Q (luas_ha)" of a cell in a CSV file, as a spreadsheet counts; else nothing */
report_words report_sheet_place; /* "Data!B17" */
/* The words that SAY writes of D, in j->arena. */
const char *report_text(struct report_job *j, report_words *say, const struct odp_diag *d);
/* Whether it writes the same of both. */
bool report_same_words(struct report_job *j, report_words *say, const struct odp_diag *a,
                       const struct odp_diag *b);
/* Whether all examples of G have the same title. */
bool report_same_titles(struct report_job *j, const struct odp_diag_group *g);

/* Text of any origin for a terminal: no control characters, none that change direction, tab as an arrow.
 * Keeps the number of characters. */
void report_clean(struct odp_buffer *out, struct odp_slice s);
/* The same for text of a source; also shows special spaces and signs without a width. MARK (or NULL): two
 * byte places in S that become places in the appended text. */
void report_show(struct odp_buffer *out, struct odp_slice s, size_t mark[2]);

/* "replace", "delete-record", "delete-lines", "rename-label"; NULL without a proposal. */
const char *report_action(const struct odp_diag *d);
/* The marked part, if it begins at line and column and ends in the same line. */
bool report_mark(const struct odp_diag *d, struct odp_slice *marked);
/* Appends the bytes that replace the marked part (quoted like it) if that place is exact; else false. */
bool report_replacement(const struct odp_diag *d, struct odp_buffer *out);
/* Whether line numbers of FILE count records (shapefiles). */
bool report_counts_records(const char *file);

/* ---- values of a model. JSON's values are never NULL: odp-build ends where jansson gets no memory. ---- */

json_t *report_json(struct odp_slice s);   /* cleaned if not UTF-8; ptr NULL: null */
json_t *report_take(struct report_job *j); /* j->words as a JSON string; empties them */
json_t *report_clean_json(struct report_job *j, const char *text); /* text of any origin; NULL is "" */
/* Appends VALUE, which it takes, in one line to j->out. */
enum odp_status report_dump(struct report_job *j, json_t *value) ODP_MUST_USE;
/* Writes PAGE of templates/report from M, which it takes. */
enum odp_status report_write(struct report_job *j, const char *page, json_t *m) ODP_MUST_USE;

/* ---- text for a terminal ---- */

enum paint { PAINT_NONE, PAINT_ERROR, PAINT_WARNING, PAINT_NOTE, PAINT_DIM, PAINT_BOLD, PAINT_HELP };
void page_paint(struct report_job *j, enum paint paint, const char *s); /* S in that colour */
enum paint page_severity_paint(enum odp_severity s);
void page_line(struct report_job *j); /* ends the line */
void page_spaces(struct report_job *j, size_t n);
/* S, then spaces up to WIDTH columns. */
void page_cell(struct report_job *j, const char *s, size_t width);
void page_cell_right(struct report_job *j, const char *s, size_t width);
/* Shows the source: the place, the source line and its underline. GUTTER: columns of the line numbers. */
/* "kumuh.csv:1832   kolom Q (luas_ha)   baris data 1831"; "portal.json:12:5" of what is no table. D has a
 * file. */
void page_at(struct report_job *j, const struct odp_diag *d);
void page_snippet(struct report_job *j, const struct report_finding *f, size_t gutter, enum paint paint);
size_t page_gutter(const struct odp_diag_group *g, unsigned examples);
/* summary.c: what each dataset has; the table of datasets and the last word. */
void page_summary(struct report_job *j);
void page_closing(struct report_job *j);
