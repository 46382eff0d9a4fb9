/* Where all faults of a group stand: "3–17, 22, 40", so that none is out of reach when only some are shown.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/html_internal.h"
#include "words/report.h"

#define OPEN_MOST 12 /* runs that need no click */

static int by_first(const void *a, const void *b)
{
    const struct odp_diag_lines *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The runs of G in ascending order, those that touch as one. *OUT is freed by the caller. */
static enum odp_status sorted_runs(const struct odp_diag_group *g, struct odp_diag_lines **out, size_t *n)
{
    struct odp_diag_lines *runs = calloc((size_t)g->nlines + 1, sizeof *runs);
    size_t k = 0, m = 0;
    *out = runs;
    *n = 0;
    if (runs == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (const struct odp_diag_lines *run = g->lines; run != NULL; run = run->next)
        runs[k++] = *run;
    qsort(runs, k, sizeof *runs, by_first);
    for (size_t i = 0; i < k; i++) {
        if (m > 0 && runs[i].first <= runs[m - 1].last + 1)
            runs[m - 1].last = runs[i].last > runs[m - 1].last ? runs[i].last : runs[m - 1].last;
        else
            runs[m++] = runs[i];
    }
    *n = m;
    return ODP_OK;
}

static json_t *runs_of(struct html *h, const struct odp_diag_lines *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&h->words, i > 0 ? ", " : "");
        odp_text_number(&h->words, runs[i].first, h->lang);
        if (runs[i].last > runs[i].first) {
            odp_buffer_add_str(&h->words, runs[i].last == runs[i].first + 1 ? ", " : "–");
            odp_text_number(&h->words, runs[i].last, h->lang);
        }
    }
    return html_take(h);
}

void html_set_lines(struct html *h, json_t *o, const struct odp_diag_group *g)
{
    struct odp_diag_lines *runs;
    size_t n;
    if (g->lines == NULL)
        return;
    if (sorted_runs(g, &runs, &n) != ODP_OK) {
        h->failed = true;
        return;
    }
    bool records = g->examples != NULL && report_counts_records(g->examples->diag.file);
    json_t *lines =
        json_pack("{s:s, s:o}", "word",
                  records ? odp_word(h->lang, W_report_all_records) : odp_word(h->lang, W_report_all_lines),
                  "all", runs_of(h, runs, n));
    if (n > OPEN_MOST)
        json_object_set_new(lines, "short", runs_of(h, runs, OPEN_MOST / 2));
    if (g->unlisted > 0) { /* faults that are in no run: there are too many */
        json_t *unlisted =
            json_pack("{s:o, s:o}", "n", html_number(h, g->unlisted), "slug", html_text(h, g->dataset));
        json_object_set_new(unlisted, "count", html_index(h, g->count));
        json_object_set_new(lines, "unlisted", unlisted);
    }
    json_object_set_new(o, "lines", lines);
    free(runs);
}
