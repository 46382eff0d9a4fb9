/* Report formats: one const vtable a format, one registry: human, json, sarif, github, junit, html, xlsx. A
 * report is made once, at the end, from the merged collector and the run's summary; repair/workbook makes
 * the correction workbook (xlsx) from the sources. */
#pragma once

#include "base/buffer.h"
#include "base/diag.h"
#include "report/score.h"

enum odp_outcome {
    ODP_OUTCOME_CHECKED,
    ODP_OUTCOME_PUBLISHED,
    ODP_OUTCOME_UNCHANGED,
    ODP_OUTCOME_REJECTED,
    ODP_OUTCOME_KEPT /* previous version kept */,
    ODP_OUTCOME_DRAFT,
    ODP_OUTCOME_WITHDRAWN
};

/* One dataset in the summary. */
struct odp_summary_dataset {
    const char *slug;
    struct odp_text title;
    const char *version;           /* or NULL */
    const struct odp_score *score; /* Satu Data; or NULL */
    uint64_t rows, errors, warnings;
    enum odp_outcome outcome;
    const char *formats; /* "GeoJSON CSV" */
    bool compared;       /* a new version, with differences from the one before: */
    uint64_t added, removed, changed;
};
struct odp_summary {
    bool build;                                 /* build, not check */
    bool idle;                                  /* nothing had changed, nothing was done */
    const struct odp_summary_dataset *datasets; /* published datasets of the run, in the catalogue's order */
    size_t ndatasets, nresources;
    uint64_t rows, source_bytes, site_files, site_bytes;
    double seconds;         /* 0: not shown */
    const char *time;       /* when it was made: "2024-03-21T08:15:00", UTC; or NULL */
    const char *release;    /* "2.5.0" or NULL */
    const char *out, *site; /* "build/site", "build/site.builds/9f31c2…" or NULL when not switched */
    const char *as_file;    /* the file of --as, or NULL */
    const char *against;    /* of a check: the published site that it compared with; or NULL */
    const char *version;    /* of odp-build */
};

struct odp_report_style {
    enum odp_lang lang;
    bool color;
    unsigned width;    /* terminal columns, 0 = 100 */
    unsigned examples; /* shown a group by the human report; 0 = 3 */
    bool quiet;        /* the human report names errors alone, and sums up nothing */
    bool brief;        /* the human report without its table and closing lines */
    bool served;       /* the page may load what its own server puts in */
};

struct report_job; /* a report at work */
struct odp_report {
    const char *name;        /* "json" */
    struct odp_text summary; /* for the help */
    bool workbook; /* made by repair/workbook into a file, which must be named (mode 0600); render is NULL */
    enum odp_status (*render)(struct report_job *j, const struct odp_report_style *style);
};
/* Appends the report of D and S to OUT. REPORT is not a workbook. */
enum odp_status odp_report_render(const struct odp_report *report, const struct odp_diags *d,
                                  const struct odp_summary *s, const struct odp_report_style *style,
                                  struct odp_buffer *out) ODP_MUST_USE;
const struct odp_report *odp_report_find(const char *name);
const struct odp_report *const *odp_reports(size_t *n);

/* Fills in "{0}" … and "{value}" of a code's text. */
void odp_report_fill(struct odp_buffer *out, const struct odp_text *text, const struct odp_diag *d,
                     enum odp_lang lang);
/* The one-sentence message of a diagnostic (JSON "message") and what to do ("help"). */
void odp_report_message(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
void odp_report_help(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang);
/* "odp-build intake kumuh kumuh.csv": the command that mends a whole column which is wrong like D.
 * AS_FILE: the file of --as, or NULL. False: there is none. */
bool odp_report_step(struct odp_buffer *out, const struct odp_diag *d, const char *as_file);
/* The long explanation with an example and how to mend it. */
enum odp_status odp_report_explain(struct odp_buffer *out, enum odp_code code,
                                   const struct odp_report_style *style) ODP_MUST_USE;
