/* Inside of report: the model of the HTML report (templates/report/model.json). html.c makes the page, its
 * tables and findings; html_examples.c the examples of a group. Text of any origin goes through
 * report_clean; templates escape it. */
#pragma once

#include "base/odd_sign.h"
#include "report/report_internal.h"

#define HTML_SIGNS 24

struct html {
    struct report_job *j;
    size_t shown;                     /* groups with examples; the others are only counted */
    unsigned examples;                /* of each of them */
    struct odp_odd signs[HTML_SIGNS]; /* labelled signs: the legend */
    size_t nsigns;
};

json_t *html_number(struct report_job *j, uint64_t n);
json_t *html_index(size_t i);        /* for an anchor: no grouping */
json_t *html_legend(struct html *h); /* what the labels mean */
/* Sets member "lines" of O to the lines of all faults of G ("3–17, 22, 40"), if any is known. */
void html_set_lines(struct html *h, json_t *o, const struct odp_diag_group *g);
/* Sets the members of O for K's examples and what they have in common; of a block, which S measures, one of
 * each of its groups. */
void html_set_examples(struct html *h, json_t *o, const struct report_group *k,
                       const struct report_shared *s);
