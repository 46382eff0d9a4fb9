/* After the last record: times in order; all records, places, and the places above them, as blocks. */
#include "write/summary/summary_internal.h"

#include <stdlib.h>

enum { NO_TIME = UINT32_MAX };

/* ---- times ---- */

struct stamp {
    struct odp_slice text;
    uint32_t from;
};

static int stamp_cmp(const void *a, const void *b)
{
    return odp_slice_cmp(((const struct stamp *)a)->text, ((const struct stamp *)b)->text);
}

/* Returns for each number of a time where it is among the kept ones, or NO_TIME; [0] is no time. */
static uint32_t *order_times(struct odp_summary *s)
{
    uint32_t known = s->stamps.map.n, n = s->no_times ? 0 : known;
    struct stamp *all = odp_arena_array(&s->arena, n + 1, sizeof *all);
    uint32_t *at = odp_arena_array(&s->arena, known + 1, sizeof *at);
    for (uint32_t i = 0; i <= known; i++)
        at[i] = NO_TIME;
    for (uint32_t i = 0; i < n; i++)
        all[i] = (struct stamp){s->stamps.item[i], i + 1};
    qsort(all, n, sizeof *all, stamp_cmp);
    s->earlier = n > SUMMARY_TIMES ? n - SUMMARY_TIMES : 0;
    s->ntimes = n - s->earlier;
    s->times = odp_arena_array(&s->arena, s->ntimes + 1, sizeof *s->times);
    for (uint32_t i = s->earlier; i < n; i++) {
        s->times[i - s->earlier] = all[i].text;
        at[all[i].from] = i - s->earlier;
    }
    return at;
}

/* ---- blocks ---- */

static struct block new_block(struct odp_summary *s, struct odp_slice code)
{
    return (struct block){.code = code,
                          .total = summary_cells(s),
                          .times = odp_arena_zero(&s->arena, s->ntimes + 1, sizeof(struct cell *))};
}

/* Adds the records of a row, which are of TIME. */
static void add_row(struct odp_summary *s, struct block *b, const struct row *row, uint32_t time)
{
    if (!s->measures->panel || s->no_times || time + 1 == s->ntimes)
        summary_merge(s, b->total, row->cells);
    if (time == NO_TIME)
        return;
    if (b->times[time] == NULL)
        b->times[time] = summary_cells(s);
    summary_merge(s, b->times[time], row->cells);
}

static struct block *place_at(struct odp_summary *s, struct level *l, struct odp_slice code)
{
    uint32_t known = level_places(l), at = summary_text(s, &l->codes, code);
    if (at == known) {
        l->places = odp_arena_more(&s->arena, l->places, at, sizeof *l->places);
        l->places[at] = new_block(s, l->codes.item[at]);
    }
    return &l->places[at];
}

static int block_cmp(const void *a, const void *b)
{
    return odp_slice_cmp(((const struct block *)a)->code, ((const struct block *)b)->code);
}

/* ---- the whole ---- */

static void begin_levels(struct odp_summary *s)
{
    const struct odp_foreign_key *key = s->no_places ? NULL : s->place;
    for (; key != NULL && s->nlevels < SUMMARY_LEVELS; key = odp_place_key(key->target))
        s->levels[s->nlevels++].list = key->target;
}

static void add_to_places(struct odp_summary *s, const struct odp_code_lists *codes, const struct row *row,
                          uint32_t time)
{
    if (row->place == 0 || s->nlevels == 0)
        return;
    struct odp_slice code = s->codes.item[row->place - 1];
    add_row(s, place_at(s, &s->levels[0], code), row, time);
    if (s->nlevels == 1)
        return;
    const struct odp_code_label *label = odp_code_lists_label(codes, s->levels[0].list, code);
    if (label != NULL && label->parent.ptr != NULL)
        add_row(s, place_at(s, &s->levels[1], label->parent), row, time);
}

void summary_finish(struct odp_summary *s, const struct odp_code_lists *codes)
{
    const uint32_t *at = order_times(s);
    begin_levels(s);
    s->all = new_block(s, (struct odp_slice){"", 0});
    for (uint32_t i = 0; i < summary_rows(s); i++) {
        const struct row *row = &s->rows[i];
        add_row(s, &s->all, row, at[row->time]);
        add_to_places(s, codes, row, at[row->time]);
    }
    for (uint32_t i = 0; i < s->nlevels; i++)
        qsort(s->levels[i].places, level_places(&s->levels[i]), sizeof *s->levels[i].places, block_cmp);
}
