/* Batches go by: what takes time (conditions, keys, rows as bytes) on any thread, the rest in order. */
#include "base/room.h"
#include "check/across/across_internal.h"

enum { KEY_FIELDS = 64 };

void odp_cross_begin(struct odp_cross *x, const struct odp_resource *r, const char *file)
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
}

/* The key of record I, at the end of ROWS; false: it has none. */
static bool add_key(const struct cross_gather *g, const struct odp_batch *b, uint32_t i,
                    struct odp_buffer *rows)
{
    const struct odp_key *key = &g->side->key;
    struct odp_slice text[KEY_FIELDS];
    for (uint32_t k = 0; k < key->n && k < KEY_FIELDS; k++) {
        const struct odp_column *c = &b->columns[key->fields[k]];
        text[k] = c->state[i] != ODP_VALUE_NULL ? c->text[i] : (struct odp_slice){NULL, 0};
    }
    return key->n <= KEY_FIELDS && cross_key_add(rows, &g->side->resource->schema, key, text);
}

/* Whether a value of record I that the rule uses was reported: one cause, one fault. */
static bool is_reported(const struct cross_kept *kept, const struct odp_batch *b, uint32_t i)
{
    bool bad = kept->geometry && (b->records[i].flags & ODP_RECORD_GEOMETRY_BAD) != 0;
    for (uint32_t k = 0; k < kept->used && !bad; k++)
        bad = b->columns[kept->fields[k]].state[i] == ODP_VALUE_BAD;
    return bad;
}

/* What counts of B, as keys or as rows. */
static enum odp_status gather(const struct cross_gather *g, const struct odp_batch *b, struct odp_arena *a,
                              struct cross_part *part)
{
    uint8_t *truth = odp_arena_alloc(a, b->nrecords + 1u);
    memset(truth, ODP_TRUE, b->nrecords);
    if (g->where != NULL && b->nrecords > 0 && odp_expr_eval(g->where, b, a, truth) != ODP_OK)
        return ODP_FAIL;
    part->keys = odp_arena_zero(a, b->nrecords + 1u, sizeof *part->keys);
    part->nrows = 0;
    odp_buffer_clear(&part->rows);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        size_t from = part->rows.len;
        if (truth[i] != ODP_TRUE || (b->records[i].flags & ODP_RECORD_SKIP) != 0)
            continue;
        if (!g->by_key && is_reported(&g->kept, b, i))
            continue;
        if (!g->by_key)
            cross_row_add(&part->rows, &g->kept, b, i);
        else if (add_key(g, b, i, &part->rows))
            part->keys[i].len = part->rows.len - from;
        part->nrows++;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < b->nrecords; at += part->keys[i++].len) /* the buffer moves no more */
        part->keys[i].ptr = part->rows.ptr + at;
    return odp_buffer_status(&part->rows);
}

enum odp_status odp_cross_batch(struct odp_cross *x, struct odp_batch *b, size_t slot)
{
    odp_arena_reset(&x->scratch[slot]);
    for (size_t i = 0; i < x->ngathers; i++)
        if (x->gathers[i]->side->resource == b->resource &&
            gather(x->gathers[i], b, &x->scratch[slot], &x->parts[slot * x->ngathers + i]) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status merge_keys(struct cross_gather *g, const struct odp_batch *b,
                                  const struct cross_part *part)
{
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (part->keys[i].len > 0 && cross_table_take(&g->table, part->keys[i], b, i) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status merge_rows(struct odp_cross *x, struct cross_gather *g, const struct cross_part *part)
{
    struct cross_block block = {.len = part->rows.len, .rows = part->nrows};
    if (part->nrows == 0)
        return ODP_OK;
    if (!odp_room(g->blocks, g->nblocks, g->blocks_cap) ||
        cross_spool_add(&x->spool, odp_buffer_slice(&part->rows), &block.at) != ODP_OK)
        return ODP_FAIL;
    g->blocks[g->nblocks++] = block;
    return ODP_OK;
}

enum odp_status odp_cross_merge(struct odp_cross *x, const struct odp_batch *b, size_t slot)
{
    for (size_t i = 0; i < x->ngathers; i++) {
        struct cross_gather *g = x->gathers[i];
        const struct cross_part *part = &x->parts[slot * x->ngathers + i];
        if (g->side->resource != b->resource)
            continue;
        if (b->sheet != NULL && g->sheet == NULL)
            g->sheet = odp_arena_str(&x->arena, b->sheet);
        if ((g->by_key ? merge_keys(g, b, part) : merge_rows(x, g, part)) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}
