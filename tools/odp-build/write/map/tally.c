#include "write/map/map_internal.h"

#include <stdlib.h>

/* ---- records by value ---- */

enum { SLOTS = sizeof((struct map_tally *)0)->slots / sizeof(uint32_t) };

enum odp_status map_tally_init(struct map_tally *t, uint32_t max, struct odp_arena *a)
{
    *t = (struct map_tally){.arena = a, .max = max};
    t->values = odp_arena_zero(a, (size_t)max + 1, sizeof *t->values);
    return ODP_OK;
}

static uint32_t slot_of(struct odp_slice value)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    for (size_t i = 0; i < value.len; i++)
        h = (h ^ (unsigned char)value.ptr[i]) * UINT64_C(0x100000001B3);
    return (uint32_t)((h ^ (h >> 32)) % SLOTS);
}

enum odp_status map_tally_add(struct map_tally *t, struct odp_slice value, uint32_t *which)
{
    uint32_t *slot = value.ptr != NULL ? &t->slots[slot_of(value)] : NULL,
             i = slot != NULL ? *slot : MAP_OTHER;
    while (i != MAP_OTHER && !odp_slice_eq(t->values[i].value, value))
        i = t->values[i].next;
    if (i == MAP_OTHER && slot != NULL && t->n == t->max)
        t->crowded = true;
    if (i == MAP_OTHER && slot != NULL && t->n < t->max) {
        struct odp_slice copy = odp_arena_copy(t->arena, value);
        if (copy.ptr == NULL)
            return ODP_FAIL;
        i = ++t->n;
        t->values[i] = (struct map_value){.value = copy, .next = *slot};
        *slot = i;
    }
    t->values[i].count++;
    *which = i;
    return ODP_OK;
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
    *l = (struct map_legend){.field = field};
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
     * far apart as it goes under protanopia, deuteranopia and tritanopia, the first ones most.
     * tests/unit/write/test_map_emit.c computes it. */
    static const char *const colors[MAP_VALUES] = {"#3C78C8", "#F05A0F", "#A54B96", "#00A55A",
                                                   "#9678FF", "#A55A2D", "#FF3C87", "#C31EB4"};
    return i < l->n ? colors[i] : "#7F7F7F";
}
