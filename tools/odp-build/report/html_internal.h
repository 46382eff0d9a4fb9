/* Inside of report: the model of the page of --report html (templates/report/model.json), made in parts. Text
 * of any origin goes through report_clean; templates escape it. JSON's values are never NULL: odp-build ends
 * where jansson gets no memory. */
#ifndef ODP_REPORT_HTML_INTERNAL_H
#define ODP_REPORT_HTML_INTERNAL_H

#include <jansson.h>

#include "base/odd_sign.h"
#include "report/report_internal.h"

#define HTML_MET 24

struct html {
    struct odp_buffer words; /* a text being put together, for html_take */
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
    bool failed;
};

/* h->words as a JSON string; empties them. */
json_t *html_take(struct html *h);
json_t *html_text(struct html *h, const char *text); /* text of any origin; NULL is "" */
json_t *html_number(struct html *h, uint64_t n);
json_t *html_index(struct html *h, size_t i); /* of an anchor: no grouping */
/* "1 kali", "3 times": ONE and MANY are the words in the page's language, with a space before. */
json_t *html_counted(struct html *h, uint64_t n, const char *one, const char *many);
/* A member that is left out where the words, or the text, are empty. */
void html_set_words(struct html *h, json_t *o, const char *key);
void html_set_text(struct html *h, json_t *o, const char *key, const char *text);
json_t *html_cell(struct html *h, uint64_t n); /* {n, none} of a table */
/* What a group is of, or "katalog", "situs". */
json_t *html_dataset(struct html *h, const struct odp_diag_group *g);
/* A value as it stands in the source, in pieces: each sign that is not seen with a label; with SPACES, also
 * white space (a row without them: it has delimiters). */
json_t *html_shown(struct html *h, struct odp_slice s, bool spaces);
json_t *html_legend(struct html *h); /* what the labels met mean */
/* Where all faults of G stand ("3–17, 22, 40") as member "lines" of O, if any line is known. */
void html_set_lines(struct html *h, json_t *o, const struct odp_diag_group *g);
/* What G's examples say, and the examples: members of its object O. */
void html_set_examples(struct html *h, json_t *o, const struct odp_diag_group *g);
json_t *html_scores(struct html *h); /* Satu Data; NULL: no dataset has a score */

#endif
