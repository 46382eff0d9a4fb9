/* Inside of report: the page's own pen; not for other formats. Whatever is not a literal of these files goes through html_data or html_flush, and
 * nowhere else. */
#ifndef ODP_REPORT_HTML_INTERNAL_H
#define ODP_REPORT_HTML_INTERNAL_H

#include "base/html.h"
#include "base/odd_sign.h"
#include "report/report_internal.h"

#define HTML_MET 24

struct html {
    struct odp_buffer *out, words; /* words: a text being put together, for html_flush */
    const struct odp_diags *diags;
    const struct odp_summary *summary;
    const struct odp_diag_group **groups; /* worst first */
    size_t n;
    size_t *sections;  /* by group: index of the first group of its dataset */
    size_t *said;      /* by group: scratch of one table */
    size_t shown;      /* groups with examples; the others are only counted */
    unsigned examples; /* of each of them */
    enum odp_lang lang;
    struct odp_odd met[HTML_MET]; /* signs that were labelled: the legend */
    size_t nmet;
};

extern const char html_style[],
    html_script[]; /* what stands between their tags, byte for byte: the policy names their digests */

/* Where both are formats their arguments must be the same. */
const char *html_say(const struct html *h, const char *id, const char *en) __attribute__((format_arg(2), format_arg(3)));
void html_raw(struct html *h, const char *markup);
void html_data(struct html *h, const char *text); /* text of any origin */
void html_flush(struct html *h);                  /* h->words as text; empties it */
/* A value as it stands in the source, each sign that is not seen with a label; with SPACES, also white space (a row without them: it has
 * delimiters). */
void html_shown(struct html *h, struct odp_slice s, bool spaces);
void html_legend(struct html *h); /* what the labels met mean */
/* "Semua baris: 3–17, 22, 40" */
void html_lines(struct html *h, const struct odp_diag_group *g);
void html_number(struct html *h, uint64_t n);
/* "galat" in its colour. */
void html_badge(struct html *h, enum odp_severity s);
bool html_same(const char *a, const char *b);
void html_title(struct html *h, const struct odp_diag_group *g);
/* What a group is of, or "katalog", "situs". */
void html_dataset(struct html *h, const struct odp_diag_group *g);
/* A table that scrolls by itself where the screen is narrow; CAPTION is a literal. */
void html_table(struct html *h, const char *id, const char *caption);
void html_table_end(struct html *h);

void html_faults(struct html *h); /* the filter, and a section for each dataset with faults */
void html_rules(struct html *h);  /* how to mend, by code */
void html_scores(struct html *h); /* Satu Data */

#endif
