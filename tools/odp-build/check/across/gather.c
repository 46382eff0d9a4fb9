/* Batches go by: on any thread what costs time (conditions, keys, rows as bytes), then in order what must be.
 */
#include "base/room.h"
#include "check/across/across_internal.h"

enum odp_status odp_cross_begin(struct odp_cross *x, const struct odp_resource *r, const char *file)
{
    for (size_t i = 0; i < x->ngathers; i++) {
        struct cross_gather *g = x->gathers[i];
        if (g->side->resource != r)
            continue;
        g->nblocks = 0;
        g->sheet = NULL;
        if (g->by_key)
            cross_table_clear(&g->table);
        g->file = odp_arena_str(&x->arena, file);
    }
    return ODP_OK;
}

/* COUNTS[i]: whether record I of B counts. */
static enum odp_status choose(const struct cross_gather *g, const struct odp_batch *b,
                              struct odp_arena *scratch, bool *counts)
{
    uint8_t *truth = odp_arena_alloc(scratch, b->nrecords + 1u);
    memset(truth, ODP_TRUE, b->nrecords);
    if (g->where != NULL && b->nrecords > 0 && odp_expr_eval(g->where, b, scratch, truth) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t i = 0; i < b->nrecords; i++)
        counts[i] = truth[i] == ODP_TRUE && (b->records[i].flags & ODP_RECORD_SKIP) == 0;
    return ODP_OK;
}

static enum odp_status make_keys(const struct cross_gather *g, const struct odp_batch *b,
                                 struct odp_arena *scratch, const bool *counts, struct cross_part *part)
{
    const struct odp_key *key = &g->side->key;
    struct odp_slice text[64];
    part->keys = odp_arena_zero(scratch, b->nrecords + 1u, sizeof *part->keys);
    part->hash = odp_arena_array(scratch, b->nrecords + 1u, sizeof *part->hash);
    size_t *ends = odp_arena_array(scratch, b->nrecords + 1u, sizeof *ends);
    if (key->n > sizeof text / sizeof *text)
        return ODP_FAIL;
    odp_buffer_clear(&part->rows);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        for (uint32_t k = 0; k < key->n; k++) {
            const struct odp_column *c = &b->columns[key->fields[k]];
            text[k] = c->state[i] != ODP_VALUE_NULL ? c->text[i] : (struct odp_slice){NULL, 0};
        }
        part->keys[i].len = counts[i] && cross_key_add(&part->rows, &g->side->resource->schema, key, text);
        ends[i] = part->rows.len;
    }
    if (odp_buffer_status(&part->rows) != ODP_OK)
        return ODP_FAIL;
    size_t from = 0;
    for (uint32_t i = 0; i < b->nrecords; from = ends[i++])
        if (part->keys[i].len > 0) {
            part->keys[i] = (struct odp_slice){part->rows.ptr + from, ends[i] - from};
            part->hash[i] = cross_hash(part->keys[i]);
        }
    return ODP_OK;
}

static enum odp_status make_rows(const struct cross_gather *g, const struct odp_batch *b, const bool *counts,
                                 struct cross_part *part)
{
    odp_buffer_clear(&part->rows);
    part->nrows = 0;
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (counts[i]) {
            cross_row_add(&part->rows, &g->kept, b, i);
            part->nrows++;
        }
    return odp_buffer_status(&part->rows);
}

enum odp_status odp_cross_batch(struct odp_cross *x, struct odp_batch *b, size_t slot)
{
    struct odp_arena *scratch = &x->scratch[slot];
    odp_arena_reset(scratch);
    for (size_t i = 0; i < x->ngathers; i++) {
        const struct cross_gather *g = x->gathers[i];
        struct cross_part *part = &x->parts[slot * x->ngathers + i];
        if (g->side->resource != b->resource)
            continue;
        bool *counts = odp_arena_array(scratch, b->nrecords + 1u, sizeof *counts);
        enum odp_status status = choose(g, b, scratch, counts);
        if (status == ODP_OK)
            status = g->by_key ? make_keys(g, b, scratch, counts, part) : make_rows(g, b, counts, part);
        if (status != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status merge_keys(struct cross_gather *g, const struct odp_batch *b,
                                  const struct cross_part *part)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        bool fresh;
        if (part->keys[i].len == 0)
            continue;
        struct cross_group *group = cross_table_at(&g->table, part->keys[i], part->hash[i], &fresh);
        if (group == NULL || cross_table_take(&g->table, group, b, i, fresh) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status merge_rows(struct odp_cross *x, struct cross_gather *g, const struct cross_part *part)
{
    if (part->nrows == 0)
        return ODP_OK;
    if (!odp_room(g->blocks, g->nblocks, g->blocks_cap))
        return ODP_FAIL;
    struct cross_block *block = &g->blocks[g->nblocks];
    *block = (struct cross_block){.len = part->rows.len, .rows = part->nrows};
    if (cross_spool_add(&x->spool, odp_buffer_slice(&part->rows), &block->at) != ODP_OK)
        return ODP_FAIL;
    g->nblocks++;
    return ODP_OK;
}

enum odp_status odp_cross_merge(struct odp_cross *x, const struct odp_batch *b, size_t slot)
{
    for (size_t i = 0; i < x->ngathers; i++) {
        struct cross_gather *g = x->gathers[i];
        const struct cross_part *part = &x->parts[slot * x->ngathers + i];
        if (g->side->resource != b->resource)
            continue;
        if (b->sheet != NULL && g->sheet == NULL && (g->sheet = odp_arena_str(&x->arena, b->sheet)) == NULL)
            return ODP_FAIL;
        if ((g->by_key ? merge_keys(g, b, part) : merge_rows(x, g, part)) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}
