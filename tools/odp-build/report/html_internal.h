/* Inside of report: the model of the page of --report html (templates/report/model.json), made in two parts:
 * html.c the page, its tables and findings; html_examples.c the examples of a group. Text of any origin goes
 * through report_clean; templates escape it. */
#pragma once

#include "base/odd_sign.h"
#include "report/report_internal.h"

#define HTML_MET 24

struct html {
    struct report_job *j;
    size_t shown;                 /* groups with examples; the others are only counted */
    unsigned examples;            /* of each of them */
    struct odp_odd met[HTML_MET]; /* signs that were labelled: the legend */
    size_t nmet;
};

json_t *html_number(struct report_job *j, uint64_t n);
json_t *html_index(size_t i);        /* of an anchor: no grouping */
json_t *html_legend(struct html *h); /* what the labels met mean */
/* Where all faults of G stand ("3–17, 22, 40") as member "lines" of O, if any line is known. */
void html_set_lines(struct html *h, json_t *o, const struct odp_diag_group *g);
/* What G's examples say, and the examples: members of its object O. */
void html_set_examples(struct html *h, json_t *o, const struct odp_diag_group *g);
