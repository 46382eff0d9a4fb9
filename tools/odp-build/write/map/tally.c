#include "write/map/map_internal.h"

#include <stdlib.h>

/* ---- records by value ---- */

void map_tally_init(struct map_tally *t, uint32_t max, struct odp_arena *a)
{
    *t = (struct map_tally){.arena = a, .max = max, .known = json_object()};
    t->values = odp_arena_zero(a, (size_t)max + 1, sizeof *t->values);
}

void map_tally_release(struct map_tally *t)
{
    json_decref(t->known);
    t->known = NULL;
}

uint32_t map_tally_add(struct map_tally *t, struct odp_slice value)
{
    struct odp_slice copy = {NULL, 0};
    uint32_t i = MAP_OTHER;
    if (value.ptr != NULL) {
        const json_t *known = json_object_getn(t->known, value.ptr, value.len);
        i = (uint32_t)json_integer_value(known);
        t->crowded = t->crowded || (known == NULL && t->n == t->max);
        if (known == NULL && t->n < t->max)
            copy = odp_arena_copy(t->arena, value);
    }
    if (copy.ptr != NULL) {
        i = ++t->n;
        t->values[i].value = copy;
        json_object_setn_new_nocheck(t->known, copy.ptr, copy.len, json_integer(i));
    }
    t->values[i].count++;
    return i;
}

/* ---- the legend ---- */

struct ranked {
    uint32_t value;
    uint64_t count;
    size_t declared; /* its place among the field's categories */
    struct odp_slice text;
};

static int by_count(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return odp_slice_cmp(x->text, y->text);
}

static int by_declaration(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->declared != y->declared ? (x->declared > y->declared) - (x->declared < y->declared)
                                      : by_count(a, b);
}

void map_legend_make(struct map_legend *l, const struct map_tally *t, const struct odp_field *f,
                     uint32_t field)
{
    struct ranked all[MAP_CATEGORIES + 1];
    uint32_t n = 0;
    *l = (struct map_legend){.field = field, .ordered = f->categories_ordered};
    for (uint32_t i = 1; i <= t->n && n < MAP_CATEGORIES; i++) {
        size_t k = 0;
        while (k < f->ncategories && !odp_slice_eq(f->categories[k].value, t->values[i].value))
            k++;
        all[n++] = (struct ranked){i, t->values[i].count, k, t->values[i].value};
    }
    qsort(all, n, sizeof *all, by_count);
    l->n = n <= MAP_VALUES ? n : MAP_VALUES - 1; /* others are one colour more */
    qsort(all, l->n, sizeof *all, by_declaration);
    l->others = t->values[MAP_OTHER].count;
    for (uint32_t i = 0; i <= t->n; i++)
        l->entry[i] = l->n;
    for (uint32_t i = 0; i < n; i++) {
        if (i >= l->n) {
            l->others += all[i].count;
            continue;
        }
        l->value[i] = all[i].value;
        l->entry[all[i].value] = i;
    }
}

const char *map_legend_color(const struct map_legend *l, uint32_t i)
{
    /* Each at least 3:1 against white and against the dark ground, so one set does for both; within that as
     * far apart as it goes under protanopia, deuteranopia and tritanopia, the first ones most. Of values that
     * have an order, steps from amber to violet, darker one by one.
     * tests/unit/write/test_map_emit.c computes it; assets/js/lib/explore/places.js has the same. */
    static const char *const colors[2][MAP_VALUES] = {
        {"#3C78C8", "#F05A0F", "#A54B96", "#00A55A", "#9678FF", "#A55A2D", "#FF3C87", "#C31EB4"},
        {"#BF890E", "#D57600", "#F15407", "#F04156", "#E33C85", "#CB3EAB", "#AC44C9", "#864BDB"}};
    const uint32_t last = l->n > 1 ? l->n - 1 : 1;
    if (i >= l->n)
        return "#7F7F7F";
    return colors[l->ordered][l->ordered ? (i * (MAP_VALUES - 1) + last / 2) / last : i];
}

/* ---- records by cell ---- */

/* The grid begins with cells of some centimetres; where there are more than MAP_CELLS of them, four become
 * one, until there are not. How often that happens depends on all records together, not on their order. */
enum { LEVEL = 30, CELL_SLOTS = sizeof((struct map_grid *)0)->slots / sizeof(uint32_t) };

static uint32_t *slot_at(struct map_grid *g, int32_t x, int32_t y)
{
    uint64_t h = (uint32_t)x * UINT64_C(0x9E3779B97F4A7C15) ^ (uint32_t)y * UINT64_C(0xC2B2AE3D27D4EB4F);
    return &g->slots[((h ^ (h >> 31)) * UINT64_C(0x9E3779B97F4A7C15) >> 40) % CELL_SLOTS];
}

/* Finds or makes the cell at X, Y, while there is room. */
static struct map_cell *find(struct map_grid *g, int32_t x, int32_t y)
{
    uint32_t *slot = slot_at(g, x, y), i = *slot;
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
        struct map_cell *to = find(g, c.x >> 1, c.y >> 1); /* never after i */
        for (size_t k = 0; k < ODP_COUNT(c.count); k++)
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

void map_grid_add(struct map_grid *g, const double at[2], uint32_t category)
{
    if (g->cells == NULL) {
        g->cells = odp_arena_zero(g->arena, MAP_CELLS + 1, sizeof *g->cells);
        g->level = LEVEL;
    }
    find(g, cell_of(at[0], g->level), cell_of(at[1], g->level))->count[category]++;
    while (g->n > MAP_CELLS && g->level > 0)
        coarsen(g);
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
