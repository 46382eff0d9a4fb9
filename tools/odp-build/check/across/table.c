/* Aggregates by key. A group is one piece of memory: what is kept beside its values, then the values. */
#include <errno.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/room.h"
#include "catalog/expr/num.h"
#include "check/across/across_internal.h"

/* Of those, only what its table keeps is filled. Values are aligned to 16. */
struct cross_group {
    struct cross_place place;
    struct odp_slice *shown;
    const struct odp_geom *geometry;
    uint64_t records, lines[CROSS_LINES]; /* of the first of them */
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
    if (f == ODP_CROSS_COUNT || f == ODP_CROSS_DISTINCT)
        return sizeof(struct count);
    return f == ODP_CROSS_SUM || f == ODP_CROSS_MEAN ? (uint32_t)((sizeof(struct sum) + 15) / 16 * 16)
                                                     : sizeof(struct text);
}

/* A table that keeps nothing beside the values saves that room. */
static size_t head_of(const struct cross_table *t)
{
    return t->keeps_place || t->keeps_geometry ? sizeof(struct cross_group) : 0;
}

static void *value_at(const struct cross_table *t, const struct cross_group *g, size_t k)
{
    return (char *)(uintptr_t)g + head_of(t) + t->offsets[k]; /* a caller with a const group only reads */
}

enum odp_status cross_table_init(struct cross_table *t, const struct odp_cross_side *side, bool keeps_place,
                                 bool keeps_geometry)
{
    *t = (struct cross_table){.side = side, .keeps_place = keeps_place, .keeps_geometry = keeps_geometry};
    t->offsets = odp_realloc_array(NULL, side->nselects + 1, sizeof *t->offsets);
    for (size_t k = 0; t->offsets != NULL && k < side->nselects; k++) {
        t->offsets[k] = t->size;
        t->size += size_of(side->selects[k].function);
    }
    return t->offsets != NULL ? ODP_OK : ODP_FAIL;
}

void cross_table_release(struct cross_table *t)
{
    free(t->offsets);
    free(t->groups);
    odp_map_release(&t->keys);
    odp_map_release(&t->distinct);
    odp_buffer_release(&t->buffer);
    odp_arena_release(&t->arena);
}

void cross_table_clear(struct cross_table *t)
{
    odp_map_clear(&t->keys);
    odp_map_clear(&t->distinct);
    odp_arena_reset(&t->arena);
}

/* ---- keys: numbers count by value, instants by instant, everything else by its text ---- */

static void add_part(struct odp_buffer *out, struct odp_slice s)
{
    uint32_t len = (uint32_t)s.len; /* keeps (a, bc) and (ab, c) apart */
    odp_buffer_add(out, &len, sizeof len);
    odp_buffer_add_slice(out, s);
}

static void add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice s)
{
    char room[ODP_DECIMAL_SIZE];
    struct odp_datetime d;
    if ((odp_type_is_number(type) || type == ODP_TYPE_YEAR) && s.len < ODP_DECIMAL_SIZE &&
        num_is_literal(s)) {
        add_part(out, (struct odp_slice){room, odp_decimal_normal(s, room)});
    } else if (type == ODP_TYPE_DATETIME && odp_date_parse(s, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK) {
        const int64_t instant[2] = {
            (odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset) * 60 + d.second, d.nanos};
        add_part(out, (struct odp_slice){(const char *)instant, sizeof instant});
    } else {
        add_part(out, s);
    }
}

bool cross_key_add(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key,
                   const struct odp_slice *text)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (text[k].ptr == NULL)
            return false;
    for (uint32_t k = 0; k < key->n; k++)
        add_value(out, s->fields[key->fields[k]].type, text[k]);
    return true;
}

const struct cross_group *cross_table_find(const struct cross_table *t, struct odp_slice key)
{
    uint32_t number = odp_map_find(&t->keys, key);
    return number != ODP_MAP_NONE ? t->groups[number] : NULL;
}

/* ---- a record counts ---- */

static enum odp_status keep(struct cross_table *t, struct text *v, struct odp_slice s)
{
    if (s.len > UINT32_MAX - 16)
        return odp_failure_set("text", NULL, EFBIG);
    if (v->ptr == NULL || v->cap < s.len) {
        /* Room to spare: what a growing text leaves behind stays less than what it takes. */
        v->cap = ((uint32_t)s.len + (v->ptr != NULL ? (uint32_t)s.len / 2 : 0) + 16) / 16 * 16;
        v->ptr = odp_arena_alloc(&t->arena, v->cap);
    }
    if (s.len > 0)
        memcpy(v->ptr, s.ptr, s.len);
    v->len = (uint32_t)s.len;
    return ODP_OK;
}

/* Whether TEXT of select K is new in group NUMBER. */
static bool is_new(struct cross_table *t, uint32_t number, size_t k, struct odp_slice text)
{
    uint32_t field = (uint32_t)t->side->selects[k].field;
    const struct odp_key one = {.fields = &field, .n = 1};
    const uint32_t id[2] = {number, (uint32_t)k};
    bool fresh;
    odp_buffer_clear(&t->buffer);
    odp_buffer_add(&t->buffer, id, sizeof id);
    (void)cross_key_add(&t->buffer, &t->side->resource->schema, &one, &text);
    (void)odp_map_put(&t->distinct, odp_buffer_slice(&t->buffer), &fresh);
    return fresh;
}

static void add_number(struct sum *v, struct odp_slice text)
{
    struct num n = num_parse(text);
    v->total = num_add(v->n == 0 ? num_of(0) : v->total, n); /* never wide: what num_add gives is its own */
    v->n++;
}

/* TEXT, which is not null, in select K of group NUMBER. */
static enum odp_status take_value(struct cross_table *t, uint32_t number, size_t k, struct odp_slice text,
                                  bool fresh)
{
    const struct odp_cross_select *s = &t->side->selects[k];
    void *at = value_at(t, t->groups[number], k);
    struct text *best = at;
    switch (s->function) {
    case ODP_CROSS_COUNT:
        ((struct count *)at)->n++;
        return ODP_OK;
    case ODP_CROSS_DISTINCT:
        ((struct count *)at)->n += is_new(t, number, k, text);
        return ODP_OK;
    case ODP_CROSS_SUM:
    case ODP_CROSS_MEAN:
        add_number(at, text);
        return ODP_OK;
    case ODP_CROSS_FIELD:
        return fresh ? keep(t, best, text) : ODP_OK;
    case ODP_CROSS_MIN:
    case ODP_CROSS_MAX:
        break;
    }
    int order = best->ptr != NULL ? odp_expr_compare(t->side->resource->schema.fields[s->field].type, text,
                                                     (struct odp_slice){best->ptr, best->len})
                                  : 0;
    bool better = best->ptr == NULL || (s->function == ODP_CROSS_MIN ? order < 0 : order > 0);
    return better ? keep(t, best, text) : ODP_OK;
}

static struct cross_group *begin_group(struct cross_table *t, const struct odp_batch *b, uint32_t i)
{
    struct cross_group *g = odp_arena_zero(&t->arena, 1, head_of(t) + t->size);
    if (t->keeps_geometry && b->geometry != NULL && b->geometry[i] != NULL)
        g->geometry = cross_geometry_copy(&t->arena, b->geometry[i]);
    if (!t->keeps_place)
        return g;
    g->place = (struct cross_place){b->records[i].row, b->records[i].line, b->records[i].offset};
    g->shown = odp_arena_array(&t->arena, t->side->key.n, sizeof *g->shown);
    for (uint32_t k = 0; k < t->side->key.n; k++)
        g->shown[k] = odp_arena_copy(&t->arena, b->columns[t->side->key.fields[k]].text[i]);
    return g;
}

enum odp_status cross_table_take(struct cross_table *t, struct odp_slice key, const struct odp_batch *b,
                                 uint32_t i)
{
    bool fresh;
    uint32_t number = odp_map_put(&t->keys, key, &fresh);
    if (fresh && !odp_room(t->groups, number, t->cap))
        return ODP_FAIL;
    if (fresh)
        t->groups[number] = begin_group(t, b, i);
    struct cross_group *g = t->groups[number];
    if (t->keeps_place && g->records++ < CROSS_LINES)
        g->lines[g->records - 1] = b->records[i].line;
    for (size_t k = 0; k < t->side->nselects; k++) {
        int f = t->side->selects[k].field;
        struct odp_slice text = f < 0 ? ODP_LIT("") : b->columns[f].text[i]; /* COUNT() counts records */
        if (text.ptr == NULL || (f >= 0 && b->columns[f].state[i] == ODP_VALUE_NULL))
            continue;
        if (take_value(t, number, k, text, fresh) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- what became of it ---- */

static struct odp_slice number_text(struct num n, struct odp_arena *a)
{
    char room[NUM_TEXT];
    return n.state != NUM_NULL ? odp_arena_copy(a, num_text(&n, room)) : (struct odp_slice){NULL, 0};
}

struct odp_slice cross_table_value(const struct cross_table *t, const struct cross_group *g, size_t k,
                                   struct odp_arena *a)
{
    static const struct sum none = {0}; /* of any function: without a match */
    enum odp_cross_function f = t->side->selects[k].function;
    const void *at = g != NULL ? value_at(t, g, k) : &none;
    const struct sum *sum = at;
    const struct text *text = at;
    if (f == ODP_CROSS_COUNT || f == ODP_CROSS_DISTINCT)
        return number_text(num_of((__int128)((const struct count *)at)->n), a);
    if (f != ODP_CROSS_SUM && f != ODP_CROSS_MEAN)
        return (struct odp_slice){text->ptr, text->len};
    if (sum->n == 0)
        return (struct odp_slice){NULL, 0};
    return number_text(f == ODP_CROSS_SUM ? sum->total : num_div(sum->total, num_of((__int128)sum->n)), a);
}

const struct odp_geom *cross_group_geometry(const struct cross_group *g)
{
    return g != NULL ? g->geometry : NULL;
}

struct cross_place cross_group_place(const struct cross_group *g)
{
    return g->place;
}

const struct odp_slice *cross_group_shown(const struct cross_group *g)
{
    return g->shown;
}

const uint64_t *cross_group_lines(const struct cross_group *g, uint64_t *records)
{
    *records = g->records;
    return g->lines;
}
