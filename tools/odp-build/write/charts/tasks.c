/* Records of a gantt. While they pass, the CHART_TASKS that are most days late are kept, and, up to
 * CHART_CELLS_MAX, all of them: then the gantt has whole series, those with most days late. Of more
 * records, or without a series, it has the late ones. */
#include "write/charts/charts_internal.h"

#include <stdlib.h>

/* The later first; all of two tasks is compared, so that their order is that of no source. */
static int latest_cmp(const void *a, const void *b)
{
    const struct chart_task *x = a, *y = b;
    if (chart_task_late(x) != chart_task_late(y))
        return chart_task_late(x) > chart_task_late(y) ? -1 : 1;
    int by = odp_slice_cmp(x->series, y->series);
    by = by != 0 ? by : odp_slice_cmp(x->category, y->category);
    return by != 0 ? by : (x->planned > y->planned) - (x->planned < y->planned);
}

static int plan_cmp(const void *a, const void *b)
{
    const struct chart_task *x = a, *y = b;
    if (x->planned != y->planned)
        return (x->planned > y->planned) - (x->planned < y->planned);
    return x->done != y->done ? x->done - y->done : latest_cmp(a, b);
}

static int series_cmp(const void *a, const void *b)
{
    int by = odp_slice_cmp(((const struct chart_task *)a)->series, ((const struct chart_task *)b)->series);
    return by != 0 ? by : plan_cmp(a, b);
}

static bool days_of(struct odp_slice text, int64_t *out)
{
    struct odp_datetime t;
    if (text.ptr == NULL || odp_date_parse(text, ODP_DATE, NULL, "UTC", &t) != ODP_DATE_OK)
        return false;
    *out = odp_date_days(&t);
    return true;
}

/* All tasks while there is room for them. */
static void keep_all(struct odp_chart_data *d, const struct chart_task *t)
{
    size_t text = t->category.len + t->series.len;
    if (d->nall == CHART_CELLS_MAX || text > CHART_TEXT_MAX - d->text)
        d->all_full = true;
    if (d->all_full || d->chart->series < 0)
        return;
    d->text += text;
    d->all = odp_arena_more(&d->arena, d->all, d->nall, sizeof *d->all);
    d->all[d->nall] = *t;
    d->all[d->nall].category = odp_arena_copy(&d->arena, t->category);
    d->all[d->nall++].series = odp_arena_copy(&d->arena, t->series);
}

/* The latest, in texts of their own; the last place is free for the next. */
static void keep_latest(struct odp_chart_data *d, const struct chart_task *t)
{
    struct chart_task *place = &d->tasks[d->ntasks];
    struct odp_buffer *text = &d->task_text[place->text];
    odp_buffer_clear(text);
    odp_buffer_add_slice(text, t->category);
    odp_buffer_add_slice(text, t->series);
    *place = (struct chart_task){.category = {text->ptr, text->failed ? 0 : t->category.len},
                                 .series = {text->ptr + t->category.len, text->failed ? 0 : t->series.len},
                                 .planned = t->planned,
                                 .actual = t->actual,
                                 .done = true,
                                 .text = place->text};
    for (uint32_t i = d->ntasks; i > 0 && latest_cmp(&d->tasks[i], &d->tasks[i - 1]) < 0; i--) {
        struct chart_task before = d->tasks[i - 1];
        d->tasks[i - 1] = d->tasks[i];
        d->tasks[i] = before;
    }
    d->ntasks += d->ntasks < CHART_TASKS;
}

static void begin(struct odp_chart_data *d)
{
    d->tasks = odp_arena_zero(&d->arena, CHART_TASKS + 1, sizeof *d->tasks);
    d->task_text = odp_arena_zero(&d->arena, CHART_TASKS + 1, sizeof *d->task_text);
    for (uint32_t i = 0; i <= CHART_TASKS; i++)
        d->tasks[i].text = i;
}

void chart_tasks_add(struct odp_chart_data *d, const struct odp_slice *field)
{
    const struct odp_chart *c = d->chart;
    struct chart_task t = {.category = field[c->category]};
    if (d->tasks == NULL)
        begin(d);
    if (c->series >= 0)
        t.series = field[c->series];
    if (!days_of(field[c->planned], &t.planned)) {
        d->no_time++;
        return;
    }
    t.done = days_of(field[c->actual], &t.actual);
    d->whole.n += t.done;
    keep_all(d, &t);
    if (chart_task_late(&t) <= 0)
        return;
    d->late++;
    keep_latest(d, &t);
}

void chart_tasks_release(struct odp_chart_data *d)
{
    for (size_t i = 0; d->task_text != NULL && i <= CHART_TASKS; i++)
        odp_buffer_release(&d->task_text[i]);
    d->task_text = NULL;
}

/* ---- after the last record ---- */

/* The tasks of a series: N from FIRST on. */
struct stretch {
    const struct chart_task *first;
    uint32_t n;
    int64_t late; /* days, of all that are late */
};

static int stretch_cmp(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->late != y->late)
        return x->late > y->late ? -1 : 1;
    return odp_slice_cmp(x->first->series, y->first->series);
}

/* Whole series into d->tasks, as many as have room; the first even if it has not. */
static void take_series(struct odp_chart_data *d)
{
    struct stretch *of = odp_arena_array(&d->arena, d->nall, sizeof *of);
    uint32_t n = 0, taken = 0;
    qsort(d->all, d->nall, sizeof *d->all, series_cmp);
    for (uint32_t i = 0; i < d->nall; i++) {
        int64_t late = chart_task_late(&d->all[i]);
        if (i == 0 || !odp_slice_eq(d->all[i].series, d->all[i - 1].series))
            of[n++] = (struct stretch){.first = &d->all[i]};
        of[n - 1].n++;
        of[n - 1].late += late > 0 ? late : 0;
    }
    qsort(of, n, sizeof *of, stretch_cmp);
    for (uint32_t i = 0; i < n && of[i].late > 0 && (i == 0 || taken + of[i].n <= CHART_TASKS); i++)
        for (uint32_t k = 0; k < of[i].n && taken < CHART_TASKS; k++) {
            d->tasks[taken] = of[i].first[k];
            d->tasks[taken++].rank = i;
        }
    d->ntasks = taken;
}

static int order_cmp(const void *a, const void *b)
{
    const struct chart_task *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : plan_cmp(a, b);
}

/* The latest tasks, those of one series together. */
static void order_latest(struct odp_chart_data *d)
{
    for (uint32_t i = 0; i < d->ntasks; i++) {
        struct chart_task *t = &d->tasks[i];
        t->rank = i;
        for (uint32_t k = 0; k < i && d->chart->series >= 0; k++)
            if (odp_slice_eq(d->tasks[k].series, t->series)) {
                t->rank = d->tasks[k].rank;
                break;
            }
    }
    qsort(d->tasks, d->ntasks, sizeof *d->tasks, order_cmp);
}

void chart_tasks_finish(struct odp_chart_data *d, const struct odp_code_lists *codes)
{
    uint32_t n = d->ntasks;
    d->axis = AXIS_TIME;
    if (n == 0)
        return;
    for (uint32_t i = 0; i <= CHART_TASKS; i++)
        d->key.failed |= d->task_text[i].failed;
    const struct chart_task worst = d->tasks[0];
    if (d->chart->series >= 0 && !d->all_full)
        take_series(d);
    else
        order_latest(d);
    n = d->ntasks;
    d->tasks[n] = worst;
    d->categories = odp_arena_zero(&d->arena, n + 1, sizeof *d->categories);
    d->series = odp_arena_zero(&d->arena, n + 1, sizeof *d->series);
    for (uint32_t i = 0; i <= n; i++) {
        d->categories[i].key = d->tasks[i].category;
        d->series[i].key = d->tasks[i].series;
    }
    d->ncategories = n;
    d->nseries = n;
    chart_label_groups(d, d->categories, n + 1, d->chart->category, codes);
    if (d->chart->series >= 0)
        chart_label_groups(d, d->series, n + 1, d->chart->series, codes);
}
