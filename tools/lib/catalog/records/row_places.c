#include "catalog/records/row_places.h"

#include "base/map.h"

/* Records of one table by one of its fields. */
struct rows {
    const struct odp_resource *resource;
    uint32_t key, place;         /* its fields */
    struct odp_map keys, places; /* places: their codes */
    struct odp_slice *code;      /* by number in places */
    uint32_t *place_of;          /* by number in keys: its number in places; ODP_MAP_NONE: none */
    struct odp_arena arena;      /* of both */
    bool whole;
};

struct odp_row_places {
    struct rows *rows;
    size_t n;
};

static struct rows *rows_of(const struct odp_row_places *p, const struct odp_foreign_key *key)
{
    for (size_t i = 0; p != NULL && i < p->n; i++)
        if (p->rows[i].resource == key->target && p->rows[i].key == key->remote.fields[0])
            return &p->rows[i];
    return NULL;
}

enum odp_status odp_row_places_new(struct odp_row_places **out, const struct odp_catalog *c,
                                   struct odp_arena *a)
{
    struct odp_row_places *p = odp_arena_zero(a, 1, sizeof *p);
    *out = p;
    for (size_t i = 0; i < c->nresources; i++) {
        const struct odp_foreign_key *key = odp_place_through(c->resources[i]);
        if (key == NULL || rows_of(p, key) != NULL)
            continue;
        p->rows = odp_arena_more(a, p->rows, p->n, sizeof *p->rows);
        struct rows *rows = &p->rows[p->n++];
        *rows = (struct rows){.resource = key->target,
                              .key = key->remote.fields[0],
                              .place = odp_place_key(key->target)->local.fields[0],
                              .whole = true};
        odp_map_init(&rows->keys);
        odp_map_init(&rows->places);
        odp_arena_init(&rows->arena);
    }
    return odp_arena_status(a);
}

void odp_row_places_free(struct odp_row_places *p)
{
    for (size_t i = 0; p != NULL && i < p->n; i++) {
        odp_map_release(&p->rows[i].keys);
        odp_map_release(&p->rows[i].places);
        odp_arena_release(&p->rows[i].arena);
    }
}

static void clear(struct rows *rows)
{
    odp_map_clear(&rows->keys);
    odp_map_clear(&rows->places);
    odp_arena_reset(&rows->arena);
    rows->code = NULL;
    rows->place_of = NULL;
}

void odp_row_places_begin(struct odp_row_places *p, const struct odp_resource *r)
{
    for (size_t i = 0; p != NULL && i < p->n; i++)
        if (p->rows[i].resource == r) {
            clear(&p->rows[i]);
            p->rows[i].whole = true;
        }
}

static uint32_t number_of_place(struct rows *rows, struct odp_slice code)
{
    bool fresh;
    const uint32_t at = odp_map_put(&rows->places, code, &fresh);
    if (fresh) {
        rows->code = odp_arena_more(&rows->arena, rows->code, at, sizeof *rows->code);
        rows->code[at] = odp_arena_copy(&rows->arena, code);
    }
    return at;
}

/* The first record of a key counts. */
static void add(struct rows *rows, struct odp_slice key, struct odp_slice place)
{
    bool fresh;
    if (key.ptr == NULL || !rows->whole)
        return;
    if (rows->keys.n == ODP_ROW_PLACES_MAX) {
        clear(rows);
        rows->whole = false;
        return;
    }
    const uint32_t at = odp_map_put(&rows->keys, key, &fresh);
    if (!fresh)
        return;
    rows->place_of = odp_arena_more(&rows->arena, rows->place_of, at, sizeof *rows->place_of);
    rows->place_of[at] = place.ptr != NULL ? number_of_place(rows, place) : ODP_MAP_NONE;
}

static enum odp_status status_of(const struct rows *rows)
{
    const struct odp_arena *const arenas[] = {&rows->arena, &rows->keys.keys, &rows->keys.table,
                                              &rows->places.keys, &rows->places.table};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(arenas) && status == ODP_OK; i++)
        status = odp_arena_status(arenas[i]);
    return status;
}

static struct odp_slice cell(const struct odp_batch *b, uint32_t field, uint32_t i)
{
    const struct odp_column *column = &b->columns[field];
    return column->state[i] == ODP_VALUE_OK ? column->text[i] : (struct odp_slice){NULL, 0};
}

enum odp_status odp_row_places_take(struct odp_row_places *p, const struct odp_batch *b)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; p != NULL && k < p->n && status == ODP_OK; k++) {
        struct rows *rows = &p->rows[k];
        if (rows->resource != b->resource)
            continue;
        for (uint32_t i = 0; i < b->nrecords; i++)
            if (!b->record_bad[i])
                add(rows, cell(b, rows->key, i), cell(b, rows->place, i));
        status = status_of(rows);
    }
    return status;
}

enum odp_status odp_row_places_add(struct odp_row_places *p, const struct odp_resource *r,
                                   const struct odp_slice *field)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; p != NULL && k < p->n && status == ODP_OK; k++)
        if (p->rows[k].resource == r) {
            add(&p->rows[k], field[p->rows[k].key], field[p->rows[k].place]);
            status = status_of(&p->rows[k]);
        }
    return status;
}

bool odp_row_places_whole(const struct odp_row_places *p, const struct odp_foreign_key *key)
{
    const struct rows *rows = rows_of(p, key);
    return rows != NULL && rows->whole;
}

struct odp_slice odp_row_places_find(const struct odp_row_places *p, const struct odp_foreign_key *key,
                                     struct odp_slice value)
{
    const struct rows *rows = rows_of(p, key);
    const uint32_t at = rows != NULL && value.ptr != NULL ? odp_map_find(&rows->keys, value) : ODP_MAP_NONE;
    return at != ODP_MAP_NONE && rows->place_of[at] != ODP_MAP_NONE ? rows->code[rows->place_of[at]]
                                                                    : (struct odp_slice){NULL, 0};
}
