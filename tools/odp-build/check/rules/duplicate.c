/* Rows that equal another one in everything (ODP-K06), where no primary key would tell. Memory is bounded:
 * rows are compared with the first MEMORY different ones. */

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/put.h"
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

/* Rows with a fault are left out: they are not published as they stand. */
struct rows {
    struct odp_key_hash *hash;
    uint8_t *take;
};

/* Room for all texts of record I, each behind its length; NULL: no memory, or a cell has a fault. */
static char *room_of(struct odp_check *c, uint32_t i)
{
    uint32_t n = c->v->schema->n;
    size_t need = 16;
    for (uint32_t f = 0; f < n; f++) {
        if (c->b->columns[f].state[i] == ODP_VALUE_BAD)
            return NULL;
        need += c->b->columns[f].text[i].len + sizeof(uint32_t);
    }
    odp_buffer_clear(&c->w->buffer);
    char *room = odp_buffer_reserve(&c->w->buffer, need);
    c->failed = c->failed || room == NULL;
    return room;
}

static struct odp_key_hash hash_shape(struct odp_key_hash hash, const struct odp_geom *g)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, &hash.hi, sizeof hash.hi);
    (void)XXH3_128bits_update(&state, &hash.lo, sizeof hash.lo);
    (void)XXH3_128bits_update(&state, g->xy, 2 * sizeof *g->xy * g->npoints);
    XXH128_hash_t h = XXH3_128bits_digest(&state);
    return (struct odp_key_hash){h.high64, (uint32_t)h.low64 & 0x7FFFFFFFu};
}

/* Byte for byte: 1.0 and 1 are two rows. */
static bool hash_row(struct odp_check *c, uint32_t i, struct odp_around text, struct odp_key_hash *out)
{
    odp_bytes16 seen = {0};
    char *room = room_of(c, i), *w = room;
    if (room == NULL)
        return false;
    for (uint32_t f = 0; f < c->v->schema->n; f++) {
        struct odp_slice s = c->b->columns[f].text[i];
        uint32_t len = s.ptr != NULL ? (uint32_t)s.len : UINT32_MAX;
        memcpy(w, &len, sizeof len);
        w = odp_put_part(w + sizeof len, s, text, &seen, odp_look_nowhere);
    }
    XXH128_hash_t h = XXH3_128bits(room, (size_t)(w - room));
    *out = (struct odp_key_hash){h.high64, (uint32_t)h.low64 & 0x7FFFFFFFu};
    const struct odp_geom *g = c->b->geometry != NULL ? c->b->geometry[i] : NULL;
    if (g != NULL)
        *out = hash_shape(*out, g);
    return true;
}

static void hash_rows(struct odp_check *c, void *state, void **part)
{
    if (state == NULL)
        return;
    const struct odp_around text = odp_around_of(odp_buffer_slice(&c->b->text));
    struct rows *rows = odp_arena_alloc(&c->b->arena, sizeof *rows);
    rows->hash = odp_arena_array(&c->b->arena, c->n + 1u, sizeof *rows->hash);
    rows->take = odp_arena_alloc(&c->b->arena, c->n + 1u);
    *part = rows;
    for (uint32_t i = 0; i < c->n; i++)
        rows->take[i] = hash_row(c, i, text, &rows->hash[i]);
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct odp_keyset *set = state;
    const struct rows *rows = part;
    uint64_t all = odp_records_expected(v, b);
    if (set != NULL)
        odp_keyset_expect(set, all < MEMORY ? all : MEMORY);
    for (uint32_t i = 0; set != NULL && i < b->nrecords; i++) {
        uint64_t first = 0;
        if (i + AHEAD < b->nrecords && rows->take[i + AHEAD])
            odp_keyset_prefetch(set, rows->hash[i + AHEAD]);
        if (!rows->take[i] || (b->records[i].flags & ODP_RECORD_SKIP) != 0 ||
            (odp_keyset_size(set) >= MEMORY && !odp_keyset_has(set, rows->hash[i])))
            continue;
        enum odp_status status = odp_keyset_add(set, rows->hash[i], b->records[i].line, &first);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status != ODP_DONE)
            continue;
        struct odp_diag d;
        char line[24];
        size_t n = sizeof line;
        odp_merge_diag(v, b, i, -1, ODP_K06, &d);
        d.where = v->schema->primary.where;
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
