/* Sums of measures by the values of lists (categories, keys into a code list): a region that reports in
 * another unit moves the whole sum but little. Doubles are enough: they decide a warning. */
#include <math.h>
#include <stdlib.h>

#include "base/decimal_small.h"
#include "check/drift/rows_internal.h"
#include "words/check.h"

enum { GROUPINGS = 4, VALUES = 1024 /* of a list that groups */, SLOTS = 2 * VALUES, MEASURES = 64 };

struct total {
    double sum, logs;
    uint64_t n, positive; /* values; those that LOGS has */
};

struct group {
    struct odp_slice value;
    struct total *totals; /* of each measure: before, now */
};

struct grouping {
    uint32_t field, old;
    const struct row_column *column; /* NULL: it is in the key */
    struct group *groups;
    uint16_t *slots; /* number of the group + 1 */
    size_t n;
    bool over; /* more values than are kept: it does not group */
};

struct groups {
    struct grouping groupings[GROUPINGS];
    size_t ngroupings, nmeasures;
    const struct row_column *measures[MEASURES];
};

static void add_grouping(struct groups *g, struct odp_drift_rows *w, uint32_t field, int old)
{
    if (g->ngroupings == GROUPINGS || old < 0 || !odp_profile_lists(w->resource, field))
        return;
    g->groupings[g->ngroupings++] =
        (struct grouping){.field = field,
                          .old = (uint32_t)old,
                          .column = rows_column(w, field),
                          .groups = odp_arena_zero(&w->arena, VALUES, sizeof(struct group)),
                          .slots = odp_arena_zero(&w->arena, SLOTS, sizeof(uint16_t))};
}

struct groups *groups_new(struct odp_drift_rows *w, const struct odp_drift_columns *before)
{
    struct groups *g = odp_arena_zero(&w->arena, 1, sizeof *g);
    for (uint32_t k = 0; k < w->ncolumns && g->nmeasures < MEASURES; k++)
        if (w->columns[k].number)
            g->measures[g->nmeasures++] = &w->columns[k];
    for (uint32_t f = 0; f < w->resource->schema.n && g->nmeasures > 0; f++)
        if (w->resource->schema.fields[f].is_public)
            add_grouping(g, w, f, rows_old(before, &w->resource->schema.fields[f]));
    return g;
}

static double value_of(struct odp_slice text)
{
    int64_t m;
    unsigned scale;
    char copy[ODP_DECIMAL_SIZE + 1];
    if (text.ptr == NULL || text.len >= sizeof copy)
        return NAN;
    if (odp_decimal_small(text, &m, &scale))
        return (double)m / (double)odp_decimal_power(scale);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return strtod(copy, NULL);
}

/* The group of VALUE; NULL: it has none. */
static struct group *group_of(struct odp_drift_rows *w, struct grouping *g, struct odp_slice value)
{
    uint32_t hash = rows_hash(value, false);
    if (value.ptr == NULL || g->over)
        return NULL;
    for (;; hash++) {
        uint16_t *slot = &g->slots[hash % SLOTS];
        if (*slot != 0 && !odp_slice_eq(g->groups[*slot - 1].value, value))
            continue;
        if (*slot != 0)
            return &g->groups[*slot - 1];
        g->over = g->n == VALUES;
        if (g->over)
            return NULL;
        *slot = (uint16_t)++g->n;
        g->groups[g->n - 1] =
            (struct group){odp_arena_copy(&w->arena, value),
                           odp_arena_zero(&w->arena, 2 * w->groups->nmeasures, sizeof(struct total))};
        return &g->groups[g->n - 1];
    }
}

void groups_add(struct odp_drift_rows *w, const struct odp_slice *text, bool now)
{
    struct groups *g = w->groups;
    double values[MEASURES] = {0}, logs[MEASURES] = {0};
    if (g->ngroupings == 0)
        return;
    for (size_t k = 0; k < g->nmeasures; k++) {
        values[k] = value_of(text[now ? g->measures[k]->field : g->measures[k]->old]);
        logs[k] = values[k] > 0 ? log10(values[k]) : NAN;
    }
    for (size_t i = 0; i < g->ngroupings; i++) {
        struct grouping *by = &g->groupings[i];
        struct group *group = group_of(w, by, text[now ? by->field : by->old]);
        for (size_t k = 0; group != NULL && k < g->nmeasures; k++) {
            struct total *t = &group->totals[2 * k + now];
            if (isnan(values[k]))
                continue;
            t->sum += values[k];
            t->n++;
            t->logs += isnan(logs[k]) ? 0 : logs[k];
            t->positive += isnan(logs[k]) ? 0 : 1;
        }
    }
}

/* By how many times A has grown to B or shrunk to it. */
static double times(double a, double b)
{
    return a > 0 && b > 0 ? fmax(a, b) / fmin(a, b) - 1 : 0;
}

/* How far the mean of a group's values has moved: the one of sums and the one of logarithms, which a single
 * large value does not move. Groups of a few records say nothing. */
static double moved_by(const struct total *t, bool declared)
{
    const struct total *a = &t[0], *b = &t[1];
    const uint64_t least = declared ? 1 : DRIFT_LITTLE;
    if (a->n < least || b->n < least || 2 * a->positive < a->n || 2 * b->positive < b->n)
        return 0;
    return fmin(times(a->sum / (double)a->n, b->sum / (double)b->n),
                times(pow(10, a->logs / (double)a->positive), pow(10, b->logs / (double)b->positive)));
}

struct jump {
    const char *field;
    const struct group *group;
    const struct total *total;
    double size;
    size_t others;
};

static void add_sum(struct odp_buffer *out, double sum, enum odp_lang lang)
{
    char text[40];
    text[fabs(sum) < 1e14 ? odp_decimal_fixed(sum, 2, text) : 0] = '\0';
    drift_add_figure(out, text, lang);
}

static void say_jump(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct jump *j = ctx;
    odp_buffer_printf(out, odp_word(lang, W_check_sum_of_group), j->field, (int)j->group->value.len,
                      j->group->value.ptr);
    add_sum(out, j->total[0].sum, lang);
    odp_buffer_add_str(out, " → ");
    add_sum(out, j->total[1].sum, lang);
    odp_buffer_add_str(out, " (");
    drift_add_percent(out, j->total[1].sum / j->total[0].sum - 1, true, lang);
    odp_buffer_add_char(out, ')');
    if (j->others > 0)
        odp_buffer_printf(out, odp_word(lang, W_check_more_groups), j->others);
}

static void compare_groups(const struct pair *p, const struct odp_drift_rows *w, const struct grouping *by,
                           size_t measure, struct jump *worst)
{
    struct jump j = {.field = w->resource->schema.fields[by->field].name};
    /* Where records have changed groups, sums have for that. */
    const bool stays = !by->over && (by->column == NULL || 10 * by->column->changed <= w->shared);
    for (size_t i = 0; i < by->n && stays; i++) {
        const struct total *t = &by->groups[i].totals[2 * measure];
        const double size = moved_by(t, p->d->where[ODP_DRIFT_GROUP] != NULL);
        if (size <= p->d->bound[ODP_DRIFT_GROUP])
            continue;
        j.others += j.group != NULL;
        if (size <= j.size)
            continue;
        j.size = size;
        j.group = &by->groups[i];
        j.total = t;
    }
    if (j.size > worst->size)
        *worst = j;
}

bool groups_compare(const struct pair *p, const struct odp_drift_rows *w, uint32_t k)
{
    struct jump worst = {0};
    const struct groups *g = w->groups;
    if (p->d->bound[ODP_DRIFT_GROUP] < 0 || p->f->rows || p->in_key || w->cut)
        return false;
    for (size_t m = 0; m < g->nmeasures; m++)
        for (size_t i = 0; g->measures[m]->field == k && i < g->ngroupings; i++)
            compare_groups(p, w, &g->groupings[i], m, &worst);
    if (worst.group == NULL)
        return false;
    drift_add(p, ODP_Q14, ODP_DRIFT_GROUP, worst.size, drift_text(p->f, say_jump, &worst));
    return true;
}
