/* Inside of report: what the formats share. */
#ifndef ODP_REPORT_REPORT_INTERNAL_H
#define ODP_REPORT_REPORT_INTERNAL_H

#include <jansson.h>

#include "report/report.h"

/* The formats: registered in report.c. */
extern const struct odp_report report_human, report_as_json, report_sarif, report_github, report_junit,
    report_html;

enum paint { PAINT_NONE, PAINT_ERROR, PAINT_WARNING, PAINT_NOTE, PAINT_DIM, PAINT_BOLD, PAINT_HELP };

/* A text report being written. */
struct page {
    struct odp_buffer *out;
    const struct odp_diags *diags;
    const struct odp_summary *summary;
    enum odp_lang lang;
    bool color, quiet;
    size_t width; /* columns */
    unsigned examples;
    size_t lines; /* written so far */
};

const char *page_say(const struct page *p, const char *id, const char *en);
void page_text(struct page *p, const char *s);
void page_slice(struct page *p, struct odp_slice s);
void page_paint(struct page *p, enum paint paint, const char *s); /* S in that colour */
void page_line(struct page *p);                                   /* ends the line */
void page_number(struct page *p, uint64_t n);                     /* 1.204 or 1,204 */
void page_spaces(struct page *p, size_t n);
/* S, then spaces up to WIDTH columns; at least one when SEPARATE. */
void page_cell(struct page *p, struct odp_slice s, size_t width);
void page_cell_right(struct page *p, struct odp_slice s, size_t width);
enum paint page_severity_paint(enum odp_severity s);

/* Text of any origin made fit for a terminal: no control, no direction-changing characters, tab as an arrow.
 * Keeps the number of characters. */
void report_clean(struct odp_buffer *out, struct odp_slice s);
/* The same for what a source holds, special spaces and signs without a width shown, too. *MARK and *MARK_END
 * (byte places in S) become places in what was appended; both may be NULL. */
void report_show(struct odp_buffer *out, struct odp_slice s, size_t *mark, size_t *mark_end);
/* A real number with PLACES decimals, in the language's writing. */
void report_decimal(struct odp_buffer *out, double v, int places, enum odp_lang lang);
/* The title with its arguments; the rule's own message where there is one. */
void report_title(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
/* A title without its arguments: "tidak ada dalam …". */
void report_bare_title(struct odp_buffer *out, enum odp_code code, enum odp_lang lang);
/* The title of CODE with the arguments that all its faults in GROUPS share, whatever their own messages;
 * where they differ, the bare one. */
void report_code_title(struct odp_buffer *out, const struct odp_diag_group *const *groups, size_t n,
                       enum odp_code code, enum odp_lang lang);
/* What G as a whole is called. */
void report_group_title(struct odp_buffer *out, const struct odp_diag_group *g, enum odp_lang lang);
/* Whether all examples of G have the same title; else the group as a whole is named by the bare one. */
bool report_same_titles(const struct odp_diag_group *g, enum odp_lang lang);
/* Between OPEN and CLOSE: the sign in the value that is not seen, or taken for another, where there is one:
 * "ada spasi tak terputus (U+00A0) setelah ‘Kota’". */
void report_odd(struct odp_buffer *out, const char *open, const struct odp_diag *d, enum odp_lang lang,
                const char *close);
/* BEFORE and what to do; nothing, and false, where there is nothing to say. */
bool report_add_help(struct odp_buffer *out, const char *before, const struct odp_diag *d,
                     enum odp_lang lang);
void report_expected(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
/* "replace", "delete-record", "delete-lines", "rename-label"; NULL where nothing is proposed. */
const char *report_action(const struct odp_diag *d);
/* The proposal for people: the value, or "hapus baris ini"; nothing where nothing is proposed. */
void report_proposal(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
/* The marked part, where it is known to begin at line and column and to end in the same line. */
bool report_mark(const struct odp_diag *d, struct odp_slice *marked);
/* "kolom Q (luas_ha)" of a cell in a CSV file: what its reader sees in a spreadsheet, where D->column counts
 * characters; nothing where there is none. */
void report_column(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
/* "Data!B17" of a fault in a workbook. */
void report_sheet_place(struct odp_buffer *out, const struct odp_diag *d);
/* OUT gets the bytes that would take the place of the marked part (quoted as it is), where that place is
 * exact; false where it is not. */
bool report_replacement(const struct odp_diag *d, struct odp_buffer *out);
/* S as a JSON string, made fit where it is not UTF-8; NULL: null. JSON's values are never NULL: odp-build
 * ends where jansson gets no memory. */
json_t *report_json(struct odp_slice s);
/* WORDS (valid UTF-8) as a JSON string; empties them. That they are whole is asked where work ends. */
json_t *report_take(struct odp_buffer *words);
/* VALUE in one line, appended. */
enum odp_status report_dump(const json_t *value, struct odp_buffer *out) ODP_MUST_USE;
/* PAGE of templates/report, written of M in LANG, appended. */
enum odp_status report_write(const char *page, const json_t *m, enum odp_lang lang,
                             struct odp_buffer *out) ODP_MUST_USE;
/* "kumuh.luas_ha", "proyek/timeline.tanggal", "references/kabkota@2025.kode"; FIELD may be NULL. */
void report_place(struct odp_buffer *out, const char *dataset, const char *resource, const char *field);
const char *report_severity_word(enum odp_severity s, enum odp_lang lang);
/* Line numbers of a shapefile count its records. */
bool report_counts_records(const char *file);

/* Where the source is shown: the place line, the source line and its underline. GUTTER: columns of the line
 * numbers. */
void page_snippet(struct page *p, const struct odp_diag *d, size_t gutter, enum paint paint);
size_t report_gutter(const struct odp_diag_group *g, unsigned examples);
/* Groups, worst first. Returns how many groups were left for the summary. */
size_t page_groups(struct page *p);
void page_summary(struct page *p);
void page_table(struct page *p);
void page_closing(struct page *p);

/* Groups without a place that say the same of three datasets or more ("overdue") are shown as one. True where
 * G is one of them; *FIRST: the first one. */
bool report_is_shared(const struct odp_diag_group *const *groups, size_t n, size_t i, bool *first);

/* Whether group K, shared, says the same as group I. */
bool report_is_like(const struct odp_diag_group *const *groups, size_t n, size_t i, size_t k);
/* One of each block into OUT (room for N): the first of those that share a fault, and, with MERGED, of a rule
 * broken in several fields of a dataset. */
size_t report_leaders(const struct odp_diag_group *const *groups, size_t n, bool merged,
                      const struct odp_diag_group **out);

/* What a summary asks of each group again and again. */
struct report_kin {
    bool shared, first; /* report_is_shared */
    size_t head;        /* index of the first group of its dataset that is not shared */
    size_t rule;        /* index of the first group of its dataset that breaks the same rule */
};
/* *OUT (N entries) is freed by the caller with free(). */
enum odp_status report_kin_of(const struct odp_diag_group *const *groups, size_t n,
                              struct report_kin **out) ODP_MUST_USE;

/* Sorted groups reordered within each severity: one of each dataset, then the second of each, so that none
 * hides the others. */
enum odp_status report_take_turns(const struct odp_diag_group **groups, size_t n) ODP_MUST_USE;
/* One rule broken in several fields of a dataset. */
bool report_same_rule(const struct odp_diag_group *a, const struct odp_diag_group *b);

/* Both NULL, or the same text. */
bool report_same(const char *a, const char *b);
/* What the summary has about SLUG (may be NULL), or NULL. */
const struct odp_summary_dataset *report_dataset(const struct odp_summary *s, const char *slug);

/* All groups sorted: errors, warnings, notes, each in order of first arrival. *OUT is freed by the caller
 * with free(). */
enum odp_status report_sorted(const struct odp_diags *d, const struct odp_diag_group ***out,
                              size_t *n) ODP_MUST_USE;

#endif
