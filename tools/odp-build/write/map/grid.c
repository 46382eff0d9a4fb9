/* Records by cell. The grid begins with cells of some centimetres; where there are more than MAP_CELLS of
 * them, four become one, until there are not. How often that happens depends on all records together, not on
 * their order. */
#include "write/map/map_internal.h"

#include <errno.h>
#include <stdlib.h>

enum { LEVEL = 30, SLOTS = sizeof((struct map_grid *)0)->slots / sizeof(uint32_t) };

void map_grid_release(struct map_grid *g)
{
    free(g->cells);
    g->cells = NULL;
    g->n = 0;
}

static uint32_t *slot_of(struct map_grid *g, int32_t x, int32_t y)
{
    uint64_t h = (uint32_t)x * UINT64_C(0x9E3779B97F4A7C15) ^ (uint32_t)y * UINT64_C(0xC2B2AE3D27D4EB4F);
    return &g->slots[((h ^ (h >> 31)) * UINT64_C(0x9E3779B97F4A7C15) >> 40) % SLOTS];
}

/* The cell at X, Y; made without records where there is none and there is room. */
static struct map_cell *find(struct map_grid *g, int32_t x, int32_t y)
{
    uint32_t *slot = slot_of(g, x, y), i = *slot;
    while (i != 0 && (g->cells[i - 1].x != x || g->cells[i - 1].y != y))
        i = g->cells[i - 1].next;
    if (i == 0) {
        memset(&g->cells[g->n], 0, sizeof *g->cells);
        g->cells[g->n].x = x;
        g->cells[g->n].y = y;
        g->cells[g->n].next = *slot;
        i = *slot = ++g->n;
    }
    return &g->cells[i - 1];
}

static void coarsen(struct map_grid *g)
{
    uint32_t n = g->n;
    memset(g->slots, 0, sizeof g->slots);
    g->n = 0;
    g->level--;
    for (uint32_t i = 0; i < n; i++) {
        struct map_cell c = g->cells[i];
        struct map_cell *to = find(g, c.x >> 1, c.y >> 1); /* never behind i */
        for (size_t k = 0; k < sizeof c.count / sizeof *c.count; k++)
            to->count[k] += c.count[k];
    }
}

static int32_t cell_of(double degrees, unsigned level)
{
    const double cells = (double)(UINT32_C(1) << LEVEL);
    double v = (degrees + 180.0) / 360.0 * cells; /* cells are square in degrees */
    v = v < 0 ? 0 : v > cells - 1 ? cells - 1 : v;
    return (int32_t)v >> (LEVEL - level);
}

enum odp_status map_grid_add(struct map_grid *g, const double at[2], uint32_t category)
{
    if (g->cells == NULL) {
        g->cells = calloc(MAP_CELLS + 1, sizeof *g->cells);
        if (g->cells == NULL)
            return odp_failure_set("allocate memory", NULL, ENOMEM);
        g->level = LEVEL;
    }
    find(g, cell_of(at[0], g->level), cell_of(at[1], g->level))->count[category]++;
    while (g->n > MAP_CELLS && g->level > 0)
        coarsen(g);
    return ODP_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct map_cell *x = a, *y = b;
    return x->y != y->y ? (x->y > y->y) - (x->y < y->y) : (x->x > y->x) - (x->x < y->x);
}

void map_grid_sort(struct map_grid *g)
{
    if (g->n > 0)
        qsort(g->cells, g->n, sizeof *g->cells, by_place);
}

void map_grid_box(const struct map_grid *g, const struct map_cell *c, double box[4])
{
    double size = 360.0 / (double)(UINT32_C(1) << g->level);
    box[0] = (double)c->x * size - 180;
    box[1] = (double)c->y * size - 180;
    box[2] = ((double)c->x + 1) * size - 180;
    box[3] = ((double)c->y + 1) * size - 180;
}
