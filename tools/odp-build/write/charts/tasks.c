/* Records of a gantt: the CHART_TASKS that are most days late are kept while all pass, and how many are late,
 * in time, not done. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

static int cmp_text(const struct odp_buffer *a, const struct odp_buffer *b)
{
    return odp_slice_cmp(odp_buffer_slice(a), odp_buffer_slice(b));
}

/* The later first; all of two tasks is compared, so that their order is that of no source. */
static int latest_cmp(const void *a, const void *b)
{
    const struct chart_task *x = a, *y = b;
    if (x->actual - x->planned != y->actual - y->planned)
        return x->actual - x->planned > y->actual - y->planned ? -1 : 1;
    int by = cmp_text(&x->series, &y->series);
    by = by != 0 ? by : cmp_text(&x->category, &y->category);
    return by != 0 ? by : (x->planned > y->planned) - (x->planned < y->planned);
}

static bool days_of(struct odp_slice text, int64_t *out)
{
    struct odp_datetime t;
    if (text.ptr == NULL || odp_date_parse(text, ODP_DATE, NULL, "UTC", &t) != ODP_DATE_OK)
        return false;
    *out = odp_date_days(&t);
    return true;
}

void chart_tasks_add(struct odp_chart_data *d, const struct odp_slice *field)
{
    const struct odp_chart *c = d->chart;
    if (d->tasks == NULL)
        d->tasks = odp_arena_zero(&d->arena, CHART_TASKS + 1, sizeof *d->tasks);
    struct chart_task *t = &d->tasks[d->ntasks]; /* one more than is kept */
    if (!days_of(field[c->planned], &t->planned)) {
        d->no_time++;
        return;
    }
    if (!days_of(field[c->actual], &t->actual)) {
        d->open++;
        return;
    }
    d->whole.n++;
    if (t->actual <= t->planned)
        return;
    d->late++;
    odp_buffer_clear(&t->category);
    odp_buffer_clear(&t->series);
    odp_buffer_add_slice(&t->category, field[c->category]);
    if (c->series >= 0)
        odp_buffer_add_slice(&t->series, field[c->series]);
    for (uint32_t i = d->ntasks; i > 0 && latest_cmp(&d->tasks[i], &d->tasks[i - 1]) < 0; i--) {
        struct chart_task before = d->tasks[i - 1];
        d->tasks[i - 1] = d->tasks[i];
        d->tasks[i] = before;
    }
    d->ntasks += d->ntasks < CHART_TASKS;
}

void chart_tasks_release(struct odp_chart_data *d)
{
    for (size_t i = 0; d->tasks != NULL && i <= CHART_TASKS; i++) {
        odp_buffer_release(&d->tasks[i].category);
        odp_buffer_release(&d->tasks[i].series);
    }
    d->tasks = NULL;
}

static int order_cmp(const void *a, const void *b)
{
    const struct chart_task *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->planned != y->planned ? (x->planned > y->planned) - (x->planned < y->planned)
                                    : latest_cmp(a, b);
}

/* Tasks of one series together, the series with the latest task first. */
void chart_tasks_finish(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    uint32_t n = d->ntasks;
    for (uint32_t i = 0; i < n; i++) {
        struct chart_task *t = &d->tasks[i];
        d->key.failed |= t->category.failed || t->series.failed;
        t->rank = i;
        for (uint32_t k = 0; k < i && d->chart->series >= 0; k++)
            if (cmp_text(&d->tasks[k].series, &t->series) == 0) {
                t->rank = d->tasks[k].rank;
                break;
            }
    }
    if (n > 0)
        qsort(d->tasks, n, sizeof *d->tasks, order_cmp);
    d->axis = AXIS_TIME;
    d->categories = odp_arena_zero(&d->arena, n + 1, sizeof *d->categories);
    d->series = odp_arena_zero(&d->arena, n + 1, sizeof *d->series);
    for (uint32_t i = 0; i < n; i++) {
        const struct chart_task *t = &d->tasks[i];
        d->categories[i].key = odp_arena_copy(&d->arena, odp_buffer_slice(&t->category));
        d->series[i].key = odp_arena_copy(&d->arena, odp_buffer_slice(&t->series));
    }
    d->ncategories = n;
    d->nseries = n;
    chart_label_groups(d, d->categories, n, d->chart->category, codes);
    if (d->chart->series >= 0)
        chart_label_groups(d, d->series, n, d->chart->series, codes);
}
