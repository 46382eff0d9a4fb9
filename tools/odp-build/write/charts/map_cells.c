/* Where the records of a map are, while they pass: by cell of a grid and by kind of symbol. The grid begins
 * with cells of some centimetres; where there are more than ODP_CHART_SYMBOLS_MAX of them, four become one,
 * until there are not. How often that happens depends on all records together, not on their order. */
#include "write/charts/charts_internal.h"

#include <errno.h>
#include <stdlib.h>

enum { LEVEL = 30 };

void odp_chart_map_drop(struct odp_chart_data *d)
{
    if (d->cells != NULL)
        free(d->cells->cell);
    free(d->cells);
    d->cells = NULL;
}

static uint32_t slot_of(uint32_t x, uint32_t y, uint32_t entry)
{
    uint64_t h = x * UINT64_C(0x9E3779B97F4A7C15) ^ y * UINT64_C(0xC2B2AE3D27D4EB4F) ^
                 entry * UINT64_C(0x165667B19E3779F9);
    return (uint32_t)((h ^ (h >> 31)) * UINT64_C(0x9E3779B97F4A7C15) >> 49);
}

/* The cell that is equal to C in place and entry, or none. */
static struct odp_chart_map_cell *find(struct odp_chart_map_cells *m, const struct odp_chart_map_cell *c)
{
    for (uint32_t i = m->slots[slot_of(c->x, c->y, c->entry)]; i != 0; i = m->cell[i - 1].next)
        if (m->cell[i - 1].x == c->x && m->cell[i - 1].y == c->y && m->cell[i - 1].entry == c->entry)
            return &m->cell[i - 1];
    return NULL;
}

/* Adds or merges; there is room. */
static void put(struct odp_chart_map_cells *m, struct odp_chart_map_cell c)
{
    struct odp_chart_map_cell *there = find(m, &c);
    if (there != NULL) {
        there->n += c.n;
        there->sum += c.sum;
        return;
    }
    uint32_t *slot = &m->slots[slot_of(c.x, c.y, c.entry)];
    c.next = *slot;
    m->cell[m->n] = c;
    *slot = ++m->n;
}

static void coarsen(struct odp_chart_map_cells *m)
{
    uint32_t n = m->n;
    memset(m->slots, 0, sizeof m->slots);
    m->n = 0;
    m->level--;
    for (uint32_t i = 0; i < n; i++) {
        struct odp_chart_map_cell c = m->cell[i];
        c.x >>= 1;
        c.y >>= 1;
        put(m, c); /* never behind i */
    }
}

static bool make_room(struct odp_chart_data *d)
{
    struct odp_chart_map_cells *m = d->cells;
    if (m == NULL) {
        m = d->cells = calloc(1, sizeof *m);
        if (m == NULL)
            return odp_failure_set("allocate memory", NULL, ENOMEM) == ODP_OK;
        m->level = LEVEL;
    }
    if (m->n < m->cap)
        return true;
    uint32_t cap = m->cap != 0 ? m->cap * 2 : 256;
    struct odp_chart_map_cell *grown = odp_realloc_array(m->cell, cap, sizeof *grown);
    if (grown == NULL)
        return false;
    m->cell = grown;
    m->cap = cap;
    return true;
}

enum odp_status odp_chart_map_add(struct odp_chart_data *d, uint32_t entry, const double at[2],
                                  odp_fixed value)
{
    if (!make_room(d))
        return ODP_FAIL;
    struct odp_chart_map_cells *m = d->cells;
    const double cells = (double)(UINT32_C(1) << LEVEL);
    double x = (at[0] + 180.0) / 360.0 * cells,
           y = (at[1] + 180.0) / 360.0 * cells; /* cells are square in degrees */
    unsigned down = LEVEL - m->level;
    x = x < 0 ? 0 : x > cells - 1 ? cells - 1 : x;
    y = y < 0 ? 0 : y > cells - 1 ? cells - 1 : y;
    put(m, (struct odp_chart_map_cell){
               .x = (uint32_t)x >> down, .y = (uint32_t)y >> down, .entry = entry, .n = 1, .sum = value});
    while (m->n > ODP_CHART_SYMBOLS_MAX && m->level > 0)
        coarsen(m);
    return ODP_OK;
}
