/* Aggregates by key. A group is one piece of memory: its head, its values by select, what is kept beside
 * them, the bytes of its key. */
#include <errno.h>
#include <stdlib.h>

#include "base/room.h"
#include "check/across/across_internal.h"

struct cross_group {
    uint32_t hash, key_len;
    uint64_t pad; /* values are aligned to 16 */
};

/* Values by function; all of 16 bytes or a multiple. */
struct count {
    uint64_t n, pad;
};
struct sum {
    struct num total;
    uint64_t n, pad;
};
struct text {
    char *ptr; /* NULL: none yet, or null */
    uint32_t len, cap;
};

static uint32_t size_of(enum odp_cross_function f)
{
    switch (f) {
    case ODP_CROSS_COUNT:
    case ODP_CROSS_DISTINCT:
        return sizeof(struct count);
    case ODP_CROSS_SUM:
    case ODP_CROSS_MEAN:
        return (uint32_t)((sizeof(struct sum) + 15) / 16 * 16);
    default:
        return sizeof(struct text);
    }
}

/* Offsets after those of the selects. */
enum { AT_PLACE, AT_SHOWN, AT_GEOMETRY, AT_COUNT };

static void *value_at(const struct cross_group *g, uint32_t offset)
{
    return (char *)(uintptr_t)g + sizeof *g + offset; /* whoever has the group const only reads */
}

static char *key_of(const struct cross_table *t, const struct cross_group *g)
{
    return value_at(g, t->size);
}

uint32_t cross_group_hash(const struct cross_group *g)
{
    return g->hash;
}

static enum odp_status make_seen(struct cross_table *t)
{
    static const struct odp_cross_side none = {0};
    bool distinct = false;
    for (size_t k = 0; k < t->side->nselects; k++)
        distinct = distinct || t->side->selects[k].function == ODP_CROSS_DISTINCT;
    if (!distinct)
        return ODP_OK;
    t->seen = calloc(1, sizeof *t->seen);
    return t->seen != NULL ? cross_table_init(t->seen, &none, false, false)
                           : odp_failure_set("allocate memory", NULL, ENOMEM);
}

enum odp_status cross_table_init(struct cross_table *t, const struct odp_cross_side *side, bool keeps_place,
                                 bool keeps_geometry)
{
    memset(t, 0, sizeof *t);
    odp_arena_init(&t->arena);
    odp_buffer_init(&t->buffer);
    t->side = side;
    t->keeps_place = keeps_place;
    t->keeps_geometry = keeps_geometry;
    t->offsets = odp_realloc_array(NULL, side->nselects + AT_COUNT, sizeof *t->offsets);
    if (t->offsets == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < side->nselects; k++) {
        t->offsets[k] = t->size;
        t->size += size_of(side->selects[k].function);
    }
    t->offsets[side->nselects + AT_PLACE] = t->size;
    t->size += keeps_place ? 32 : 0;
    t->offsets[side->nselects + AT_SHOWN] = t->size;
    t->size += keeps_place ? (uint32_t)(side->key.n * sizeof(struct odp_slice)) : 0;
    t->offsets[side->nselects + AT_GEOMETRY] = t->size;
    t->size += keeps_geometry ? 16 : 0;
    return make_seen(t);
}

void cross_table_release(struct cross_table *t)
{
    if (t->seen != NULL)
        cross_table_release(t->seen);
    free(t->seen);
    free(t->offsets);
    free(t->slots);
    free(t->order);
    odp_buffer_release(&t->buffer);
    odp_arena_release(&t->arena);
    memset(t, 0, sizeof *t);
}

void cross_table_clear(struct cross_table *t)
{
    if (t->slots != NULL)
        memset(t->slots, 0, t->cap * sizeof *t->slots);
    t->n = 0;
    odp_arena_reset(&t->arena);
    if (t->seen != NULL)
        cross_table_clear(t->seen);
}

/* The slot of KEY, or the free one where it belongs: at most half of them are taken. */
static struct cross_group **locate(const struct cross_table *t, struct odp_slice key, uint32_t hash)
{
    size_t mask = t->cap - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct cross_group *g = t->slots[i];
        if (g == NULL ||
            (g->hash == hash && g->key_len == key.len && memcmp(key_of(t, g), key.ptr, key.len) == 0))
            return &t->slots[i];
    }
}

static enum odp_status grow(struct cross_table *t)
{
    struct cross_group **old = t->slots;
    size_t had = t->cap, cap = had > 0 ? 2 * had : 64;
    if (cap > (size_t)1 << 31)
        return odp_failure_set("allocate memory", NULL, ENOMEM); /* hashes have 32 bits */
    struct cross_group **slots = calloc(cap, sizeof *slots);
    if (slots == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    t->slots = slots;
    t->cap = cap;
    for (size_t i = 0; i < had; i++)
        if (old[i] != NULL)
            *locate(t, (struct odp_slice){key_of(t, old[i]), old[i]->key_len}, old[i]->hash) = old[i];
    free(old);
    return ODP_OK;
}

const struct cross_group *cross_table_find(const struct cross_table *t, struct odp_slice key, uint64_t hash)
{
    return t->cap > 0 ? *locate(t, key, (uint32_t)hash) : NULL;
}

static bool note_order(struct cross_table *t, struct cross_group *g)
{
    if (!odp_room(t->order, t->n, t->order_cap))
        return false;
    t->order[t->n] = g;
    return true;
}

struct cross_group *cross_table_at(struct cross_table *t, struct odp_slice key, uint64_t hash, bool *fresh)
{
    *fresh = false;
    if (2 * (t->n + 1) > t->cap && grow(t) != ODP_OK)
        return NULL;
    struct cross_group **slot = locate(t, key, (uint32_t)hash);
    if (*slot != NULL)
        return *slot;
    struct cross_group *g = odp_arena_zero(&t->arena, 1, sizeof *g + t->size + key.len);
    if (key.len > UINT32_MAX || (t->keeps_place && !note_order(t, g)))
        return NULL;
    g->hash = (uint32_t)hash;
    g->key_len = (uint32_t)key.len;
    memcpy(key_of(t, g), key.ptr, key.len);
    *slot = g;
    t->n++;
    *fresh = true;
    return g;
}

/* ---- a record counts ---- */

static enum odp_status keep(struct cross_table *t, struct text *v, struct odp_slice s)
{
    if (s.len > UINT32_MAX - 16)
        return odp_failure_set("text", NULL, EFBIG);
    if (v->ptr == NULL ||
        v->cap < s.len) { /* room to spare: what a growing text leaves behind stays less than what it takes */
        uint32_t cap = ((uint32_t)s.len + (v->ptr != NULL ? (uint32_t)s.len / 2 : 0) + 15) / 16 * 16;
        char *ptr = odp_arena_alloc(&t->arena, cap > 0 ? cap : 16);
        v->ptr = ptr;
        v->cap = cap > 0 ? cap : 16;
    }
    if (s.len > 0)
        memcpy(v->ptr, s.ptr, s.len);
    v->len = (uint32_t)s.len;
    return ODP_OK;
}

static enum odp_status take_distinct(struct cross_table *t, const struct cross_group *g, size_t k,
                                     struct odp_slice text, struct count *v)
{
    const struct odp_cross_select *s = &t->side->selects[k];
    uint32_t field = (uint32_t)s->field;
    const struct odp_key one = {.fields = &field, .n = 1};
    const uintptr_t id[2] = {(uintptr_t)g, k};
    bool fresh;
    odp_buffer_clear(&t->buffer);
    odp_buffer_add(&t->buffer, id, sizeof id);
    (void)cross_key_add(&t->buffer, &t->side->resource->schema, &one, &text);
    if (odp_buffer_status(&t->buffer) != ODP_OK)
        return ODP_FAIL;
    struct odp_slice key = odp_buffer_slice(&t->buffer);
    if (cross_table_at(t->seen, key, cross_hash(key), &fresh) == NULL)
        return ODP_FAIL;
    v->n += fresh;
    return ODP_OK;
}

static void take_number(struct sum *v, struct odp_slice text)
{
    struct num n = num_parse(text);
    v->total = num_add(v->n == 0 ? num_of(0) : v->total, n); /* never wide: what num_add gives is its own */
    v->n++;
}

static enum odp_status take_one(struct cross_table *t, struct cross_group *g, size_t k, struct odp_slice text,
                                bool fresh)
{
    const struct odp_cross_select *s = &t->side->selects[k];
    void *at = value_at(g, t->offsets[k]);
    struct text *best = at;
    int order;
    switch (s->function) {
    case ODP_CROSS_COUNT:
        ((struct count *)at)->n += s->field < 0 || text.ptr != NULL;
        return ODP_OK;
    case ODP_CROSS_DISTINCT:
        return text.ptr != NULL ? take_distinct(t, g, k, text, at) : ODP_OK;
    case ODP_CROSS_SUM:
    case ODP_CROSS_MEAN:
        if (text.ptr != NULL)
            take_number(at, text);
        return ODP_OK;
    case ODP_CROSS_FIELD:
        return fresh && text.ptr != NULL ? keep(t, best, text) : ODP_OK;
    default:
        if (text.ptr == NULL)
            return ODP_OK;
        order = best->ptr == NULL ? 0
                                  : odp_expr_compare(t->side->resource->schema.fields[s->field].type, text,
                                                     (struct odp_slice){best->ptr, best->len});
        if (best->ptr == NULL || (s->function == ODP_CROSS_MIN ? order < 0 : order > 0))
            return keep(t, best, text);
        return ODP_OK;
    }
}

static enum odp_status begin_group(struct cross_table *t, struct cross_group *g, const struct odp_batch *b,
                                   uint32_t i)
{
    const uint32_t *at = t->offsets + t->side->nselects;
    if (t->keeps_geometry && b->geometry != NULL && b->geometry[i] != NULL) {
        struct odp_geom *copy = cross_geometry_copy(&t->arena, b->geometry[i]);
        if (copy == NULL)
            return ODP_FAIL;
        memcpy(value_at(g, at[AT_GEOMETRY]), &copy, sizeof copy);
    }
    if (!t->keeps_place)
        return ODP_OK;
    *(struct cross_place *)value_at(g, at[AT_PLACE]) =
        (struct cross_place){b->records[i].row, b->records[i].line, b->records[i].offset};
    struct odp_slice *shown = value_at(g, at[AT_SHOWN]);
    for (uint32_t k = 0; k < t->side->key.n; k++)
        if ((shown[k] = odp_arena_copy(&t->arena, b->columns[t->side->key.fields[k]].text[i])).ptr == NULL)
            return ODP_FAIL;
    return ODP_OK;
}

enum odp_status cross_table_take(struct cross_table *t, struct cross_group *g, const struct odp_batch *b,
                                 uint32_t i, bool fresh)
{
    if (fresh && begin_group(t, g, b, i) != ODP_OK)
        return ODP_FAIL;
    for (size_t k = 0; k < t->side->nselects; k++) {
        int f = t->side->selects[k].field;
        bool there = f >= 0 && b->columns[f].state[i] != ODP_VALUE_NULL && b->columns[f].text[i].ptr != NULL;
        if (take_one(t, g, k, there ? b->columns[f].text[i] : (struct odp_slice){NULL, 0}, fresh) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- what became of it ---- */

static enum odp_status number_text(struct num n, struct odp_arena *a, struct odp_slice *out)
{
    char room[NUM_TEXT];
    *out = (struct odp_slice){NULL, 0};
    if (n.state == NUM_NULL)
        return ODP_OK;
    *out = odp_arena_copy(a, num_text(&n, room));
    return ODP_OK;
}

enum odp_status cross_table_value(const struct cross_table *t, const struct cross_group *g, size_t k,
                                  struct odp_arena *a, struct odp_slice *out)
{
    enum odp_cross_function f = t->side->selects[k].function;
    const void *at = g != NULL ? value_at(g, t->offsets[k]) : NULL;
    *out = (struct odp_slice){NULL, 0};
    if (f == ODP_CROSS_COUNT || f == ODP_CROSS_DISTINCT)
        return number_text(num_of(at != NULL ? (__int128)((const struct count *)at)->n : 0), a, out);
    if (at == NULL)
        return ODP_OK;
    if (f == ODP_CROSS_SUM || f == ODP_CROSS_MEAN) {
        const struct sum *v = at;
        if (v->n == 0)
            return ODP_OK;
        return number_text(f == ODP_CROSS_SUM ? v->total : num_div(v->total, num_of((__int128)v->n)), a, out);
    }
    const struct text *v = at;
    if (v->ptr != NULL)
        *out = (struct odp_slice){v->ptr, v->len};
    return ODP_OK;
}

const struct odp_geom *cross_table_geometry(const struct cross_table *t, const struct cross_group *g)
{
    const struct odp_geom *found = NULL;
    if (g != NULL && t->keeps_geometry)
        memcpy(&found, value_at(g, t->offsets[t->side->nselects + AT_GEOMETRY]), sizeof found);
    return found;
}

const struct cross_place *cross_table_place(const struct cross_table *t, const struct cross_group *g)
{
    return value_at(g, t->offsets[t->side->nselects + AT_PLACE]);
}

const struct odp_slice *cross_table_shown(const struct cross_table *t, const struct cross_group *g)
{
    return value_at(g, t->offsets[t->side->nselects + AT_SHOWN]);
}
