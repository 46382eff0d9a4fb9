/* Rows that equal another one in everything (ODP-K06), where no primary key would tell. Memory is bounded:
 * rows are compared with the first MEMORY different ones. */
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "check/check_internal.h"

#define MEMORY 700000u /* 17 MB at most */
#define AHEAD  12u     /* rows whose places are fetched into the cache before their turn */

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct odp_keyset *set = NULL;
    if (v->schema->primary.n > 0 || v->schema->n == 0 || v->off[ODP_K06])
        return ODP_OK;
    enum odp_status status = odp_keyset_new(&set);
    *state = set;
    return status;
}

static void close_rule(void *state)
{
    odp_keyset_free(state);
}

/* The texts of a record as a tuple, byte for byte. */
struct tuple {
    struct odp_slice *parts;
    uint8_t *types; /* all text: 1.0 and 1 are two rows */
};

static struct odp_key_hash hash_row(const struct odp_check *c, uint32_t i, const struct tuple *t)
{
    uint32_t n = c->v->schema->n;
    for (uint32_t f = 0; f < n; f++)
        t->parts[f] = c->b->columns[f].text[i];
    struct odp_key_hash hash = odp_key_hash_of(t->parts, t->types, n);
    const struct odp_geom *g = c->b->geometry != NULL ? c->b->geometry[i] : NULL;
    if (g == NULL)
        return hash;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, &hash.hi, sizeof hash.hi);
    (void)XXH3_128bits_update(&state, &hash.lo, sizeof hash.lo);
    (void)XXH3_128bits_update(&state, g->xy, 2 * sizeof *g->xy * g->npoints);
    XXH128_hash_t h = XXH3_128bits_digest(&state);
    return (struct odp_key_hash){h.high64, (uint32_t)h.low64 & 0x7FFFFFFFu};
}

static bool has_bad_cell(const struct odp_check *c, uint32_t i)
{
    for (uint32_t f = 0; f < c->v->schema->n; f++)
        if (c->b->columns[f].state[i] == ODP_VALUE_BAD)
            return true;
    return false;
}

/* Rows with a fault are left out: they are not published as they stand. */
struct rows {
    struct odp_key_hash *hash;
    uint8_t *take;
};

static void hash_rows(struct odp_check *c, void *state, void **part)
{
    if (state == NULL)
        return;
    struct tuple tuple = {odp_arena_array(&c->b->arena, c->v->schema->n, sizeof *tuple.parts),
                          odp_arena_alloc(&c->b->arena, c->v->schema->n)};
    struct rows *rows = odp_arena_alloc(&c->b->arena, sizeof *rows);
    rows->hash = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *rows->hash);
    rows->take = odp_arena_zero(&c->b->arena, c->n + 1u, 1);
    memset(tuple.types, ODP_TYPE_STRING, c->v->schema->n);
    *part = rows;
    for (uint32_t i = 0; i < c->n; i++) {
        rows->take[i] = !has_bad_cell(c, i);
        if (rows->take[i])
            rows->hash[i] = hash_row(c, i, &tuple);
    }
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct odp_keyset *set = state;
    const struct rows *rows = part;
    for (uint32_t i = 0; set != NULL && i < b->nrecords; i++) {
        uint64_t first = 0;
        if (i + AHEAD < b->nrecords && rows->take[i + AHEAD])
            odp_keyset_prefetch(set, rows->hash[i + AHEAD]);
        if (!rows->take[i] || (b->records[i].flags & ODP_RECORD_SKIP) != 0 ||
            (odp_keyset_size(set) >= MEMORY && !odp_keyset_has(set, rows->hash[i])))
            continue;
        enum odp_status status =
            odp_keyset_add(set, rows->hash[i], b->records[i].line, (struct odp_slice){NULL, 0}, &first);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status != ODP_DONE)
            continue;
        struct odp_diag d;
        char line[24];
        size_t n = sizeof line;
        odp_merge_diag(v, b, i, -1, ODP_K06, v->schema->primary.where, &d);
        d.action = ODP_ACTION_DELETE_RECORD;
        do
            line[--n] = (char)('0' + first % 10);
        while ((first /= 10) > 0);
        d.args[0] = (struct odp_slice){line + n, sizeof line - n};
        if (odp_merge_add(b, i, &d) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_duplicate = {
    .name = "duplicate", .open = open_rule, .close = close_rule, .rows = hash_rows, .merge = merge};
