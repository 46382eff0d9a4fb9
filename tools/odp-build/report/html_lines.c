/* Where all faults of a group stand: "3–17, 22, 40", so that none is out of reach when only some are shown. */
#include <errno.h>
#include <stdlib.h>

#include "report/html_internal.h"

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

static void add_runs(struct html *h, const struct odp_diag_lines *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        html_raw(h, i > 0 ? ", " : "");
        html_number(h, runs[i].first);
        if (runs[i].last > runs[i].first) {
            html_raw(h, runs[i].last == runs[i].first + 1 ? ", " : "–");
            html_number(h, runs[i].last);
        }
    }
}

/* Faults that are in no run: there are too many. */
static void say_unlisted(struct html *h, const struct odp_diag_group *g)
{
    if (g->unlisted == 0)
        return;
    html_raw(h, html_say(h, ", dan ", ", and "));
    html_number(h, g->unlisted);
    html_raw(h, html_say(h, " lagi, terlalu banyak untuk halaman ini: <code>odp-build check ", " more, too many for this page: <code>odp-build check "));
    html_data(h, g->dataset);
    odp_buffer_printf(h->out, " --report json --examples %llu</code>", (unsigned long long)g->count);
}

void html_lines(struct html *h, const struct odp_diag_group *g)
{
    struct odp_diag_lines *runs;
    size_t n;
    if (g->lines == NULL)
        return;
    if (sorted_runs(g, &runs, &n) != ODP_OK) {
        h->out->failed = true;
        return;
    }
    bool records = g->examples != NULL && report_counts_records(g->examples->diag.file);
    const char *word = records ? html_say(h, "Semua rekaman: ", "All records: ") : html_say(h, "Semua baris: ", "All lines: ");
    if (n > OPEN_MOST) {
        odp_buffer_printf(h->out, "<details class=\"lines\"><summary>%s", word);
        add_runs(h, runs, OPEN_MOST / 2);
        html_raw(h, ", …</summary>\n<p>");
    } else {
        odp_buffer_printf(h->out, "<p class=\"lines\">%s", word);
    }
    add_runs(h, runs, n);
    say_unlisted(h, g);
    html_raw(h, n > OPEN_MOST ? "</p></details>\n" : "</p>\n");
    free(runs);
}
