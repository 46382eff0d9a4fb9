/* A rule over what was gathered. Blocks of rows (or of groups) become batches of the rule's scope, which the
 * expression looks at; on any thread, with results in order. */
#include <errno.h>
#include <stdlib.h>

#include "check/across/across_internal.h"

enum { GROUPS = 2048 /* of one block */, PREPARED = 1024 /* geometries kept ready a slot: a power of two */ };

/* A joined geometry that was prepared for one pair. */
struct prepared {
    const struct cross_group *group;
    uint32_t pair;
    struct odp_spatial *spatial; /* NULL: GEOS cannot hold it */
};

struct broken {
    struct cross_place place;
    struct odp_slice shown;
    struct broken *next;
};

/* One block on its way; one a slot of the pool. */
struct slot {
    struct odp_arena arena;
    struct odp_buffer bytes, text;
    size_t block, from, n;
    struct odp_slice **columns; /* texts by scope field, NULL: not needed */
    struct cross_place *places;
    const struct odp_geom **geometry;
    const struct cross_group **found; /* join * n + row; NULL: no match */
    struct prepared *prepared;
    struct broken *first, *last;
};

struct evaluation {
    const struct odp_cross *x;
    const struct cross_rule *r;
    const struct cross_gather *own;
    struct odp_diags *diags;
    struct slot *slots;
    size_t next;  /* block */
    bool *needed; /* by scope field */
    const struct odp_expr_pair *pairs;
    size_t npairs;
    const uint32_t *key; /* scope fields that name a row, and what it was looked up by */
    uint32_t nkey;
};

/* ---- a block as a batch ---- */

static enum odp_status produce(void *ctx, size_t i)
{
    struct evaluation *e = ctx;
    struct slot *s = &e->slots[i];
    odp_arena_reset(&s->arena);
    s->first = s->last = NULL;
    s->block = e->next++;
    if (e->own->by_key) {
        s->from = s->block * GROUPS;
        if (s->from >= e->own->table.n)
            return ODP_DONE;
        s->n = e->own->table.n - s->from < GROUPS ? e->own->table.n - s->from : GROUPS;
        return ODP_OK;
    }
    if (s->block >= e->own->nblocks)
        return ODP_DONE;
    const struct cross_block *b = &e->own->blocks[s->block];
    s->n = b->rows;
    odp_buffer_clear(&s->bytes);
    char *room = odp_buffer_reserve(&s->bytes, b->len);
    if (room == NULL)
        return ODP_FAIL;
    s->bytes.len = b->len;
    return cross_spool_read(&e->x->spool, b->at, b->len, room);
}

static enum odp_status make_columns(const struct evaluation *e, struct slot *s)
{
    uint32_t n = e->r->rule->scope.n;
    s->columns = odp_arena_zero(&s->arena, n + 1u, sizeof(struct odp_slice *));
    s->places = odp_arena_array(&s->arena, s->n + 1, sizeof *s->places);
    s->geometry = odp_arena_zero(&s->arena, s->n + 1, sizeof(const struct odp_geom *));
    s->found = odp_arena_zero(&s->arena, e->r->rule->njoins * s->n + 1, sizeof(const struct cross_group *));
    for (uint32_t f = 0; f < n; f++)
        if (e->needed[f] &&
            (s->columns[f] = odp_arena_zero(&s->arena, s->n + 1, sizeof **s->columns)) == NULL)
            return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status load_rows(const struct evaluation *e, struct slot *s)
{
    const struct cross_kept *kept = &e->own->kept;
    struct odp_slice bytes = odp_buffer_slice(&s->bytes);
    struct odp_slice *text = odp_arena_array(&s->arena, kept->n + 1u, sizeof *text);
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (cross_row_read(bytes, &at, kept, &s->arena, &s->places[i], text, &s->geometry[i]) != ODP_OK)
            return ODP_FAIL;
        for (uint32_t k = 0; k < kept->n; k++)
            s->columns[kept->fields[k]][i] = text[k];
    }
    return ODP_OK;
}

static enum odp_status load_groups(const struct evaluation *e, struct slot *s)
{
    const struct cross_table *t = &e->own->table;
    const struct odp_cross_side *side = t->side;
    for (size_t i = 0; i < s->n; i++) {
        const struct cross_group *g = t->order[s->from + i];
        s->places[i] = *cross_table_place(t, g);
        for (uint32_t k = 0; k < side->key.n; k++)
            s->columns[k][i] = cross_table_shown(t, g)[k];
        for (size_t k = 0; k < side->nselects; k++)
            if (s->columns[side->first + k] != NULL &&
                cross_table_value(t, g, k, &s->arena, &s->columns[side->first + k][i]) != ODP_OK)
                return ODP_FAIL;
    }
    return ODP_OK;
}

/* The scope's field that holds field F of the rule's own table. */
static uint32_t scope_of(const struct odp_cross_rule *rule, uint32_t f)
{
    for (uint32_t k = 0; rule->grouped && k < rule->each.key.n; k++)
        if (rule->each.key.fields[k] == f)
            return k;
    return f;
}

static enum odp_status load_join(const struct evaluation *e, struct slot *s, size_t j)
{
    const struct odp_cross_rule *rule = e->r->rule;
    const struct odp_cross_side *side = &rule->joins[j];
    const struct cross_table *t = &e->r->gathers[j + 1].table;
    struct odp_slice text[64];
    for (size_t i = 0; i < s->n; i++) {
        const struct cross_group *g = NULL;
        for (uint32_t k = 0; k < side->local.n; k++)
            text[k] = s->columns[scope_of(rule, side->local.fields[k])][i];
        odp_buffer_clear(&s->text);
        if (cross_key_add(&s->text, &rule->each.resource->schema, &side->local, text)) {
            if (odp_buffer_status(&s->text) != ODP_OK)
                return ODP_FAIL;
            g = cross_table_find(t, odp_buffer_slice(&s->text), cross_hash(odp_buffer_slice(&s->text)));
        }
        s->found[j * s->n + i] = g;
        for (size_t k = 0; k < side->nselects; k++)
            if (s->columns[side->first + k] != NULL &&
                cross_table_value(t, g, k, &s->arena, &s->columns[side->first + k][i]) != ODP_OK)
                return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- geometry against geometry ---- */

/* What is prepared for PAIR and GROUP, whose geometry is G. */
static enum odp_status prepare(struct slot *s, uint32_t pair, enum odp_spatial_op op,
                               const struct cross_group *group, const struct odp_geom *g,
                               const struct odp_spatial **out)
{
    struct prepared *p = &s->prepared[(cross_group_hash(group) + pair) & (PREPARED - 1)];
    if (p->group != group || p->pair != pair) {
        odp_spatial_free(p->spatial);
        *p = (struct prepared){.group = group, .pair = pair};
        if (odp_spatial_of(&p->spatial, op, g) == ODP_FAIL)
            return ODP_FAIL;
    }
    *out = p->spatial;
    return ODP_OK;
}

static enum odp_status answer_pair(const struct evaluation *e, struct slot *s, uint32_t pair,
                                   struct odp_column *column)
{
    size_t j = e->r->other_join[e->pairs[pair].other];
    const struct cross_table *t = &e->r->gathers[j + 1].table;
    if (s->prepared == NULL && (s->prepared = calloc(PREPARED, sizeof *s->prepared)) == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < s->n; i++) {
        const struct cross_group *group = s->found[j * s->n + i];
        const struct odp_geom *g = cross_table_geometry(t, group);
        const struct odp_spatial *spatial = NULL;
        uint8_t truth = ODP_UNKNOWN;
        if (g != NULL && s->geometry[i] != NULL &&
            prepare(s, pair, e->pairs[pair].op, group, g, &spatial) != ODP_OK)
            return ODP_FAIL;
        if (spatial != NULL && odp_spatial_test(spatial, s->geometry[i], &truth) == ODP_FAIL)
            return ODP_FAIL;
        column->state[i] = truth == ODP_UNKNOWN ? ODP_VALUE_NULL : ODP_VALUE_OK;
        column->text[i] = truth == ODP_TRUE ? ODP_LIT("true") : ODP_LIT("false");
    }
    return ODP_OK;
}

/* ---- the expression ---- */

static enum odp_status make_batch(const struct evaluation *e, struct slot *s, struct odp_batch *b)
{
    uint32_t n = e->r->rule->scope.n;
    *b = (struct odp_batch){.nrecords = (uint32_t)s->n, .geometry = s->geometry};
    b->columns = odp_arena_zero(&s->arena, n + e->npairs + 1, sizeof *b->columns);
    for (uint32_t f = 0; f < n + e->npairs; f++) {
        struct odp_column *c = &b->columns[f];
        if (f < n && !e->needed[f])
            continue;
        c->state = odp_arena_alloc(&s->arena, s->n + 1);
        c->text = f < n ? s->columns[f] : odp_arena_array(&s->arena, s->n + 1, sizeof *c->text);
        for (size_t i = 0; f < n && i < s->n; i++)
            c->state[i] = c->text[i].ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
        if (f >= n && answer_pair(e, s, f - n, c) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status note_broken(const struct evaluation *e, struct slot *s, size_t i,
                                   struct odp_slice *row)
{
    struct broken *b = odp_arena_zero(&s->arena, 1, sizeof *b);
    for (uint32_t f = 0; f < e->r->rule->scope.n; f++)
        row[f] = s->columns[f] != NULL ? s->columns[f][i] : (struct odp_slice){NULL, 0};
    odp_buffer_clear(&s->text);
    cross_show(&s->text, e->r, row, e->key, e->nkey);
    if (odp_buffer_status(&s->text) != ODP_OK)
        return ODP_FAIL;
    b->place = s->places[i];
    b->shown = odp_arena_copy(&s->arena, odp_buffer_slice(&s->text));
    if (s->last != NULL)
        s->last->next = b;
    else
        s->first = b;
    s->last = b;
    return b->shown.ptr != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status work(void *ctx, size_t i, unsigned worker)
{
    const struct evaluation *e = ctx;
    struct slot *s = &e->slots[i];
    struct odp_batch batch;
    enum odp_status status = make_columns(e, s);
    if (status == ODP_OK)
        status = e->own->by_key ? load_groups(e, s) : load_rows(e, s);
    for (size_t j = 0; j < e->r->rule->njoins && status == ODP_OK; j++)
        status = load_join(e, s, j);
    if (status == ODP_OK)
        status = make_batch(e, s, &batch);
    uint8_t *truth = odp_arena_alloc(&s->arena, s->n + 1);
    struct odp_slice *row = odp_arena_array(&s->arena, e->r->rule->scope.n + 1u, sizeof *row);
    if (status != ODP_OK || odp_expr_eval(e->r->expr, &batch, &s->arena, truth) != ODP_OK)
        return ODP_FAIL;
    for (size_t k = 0; k < s->n && status == ODP_OK; k++)
        if (truth[k] == ODP_FALSE)
            status = note_broken(e, s, k, row);
    return status;
}

/* Where the report points: the first field of the rule's own table that the expression names, else the one
 * that leads to the other table. */
static const char *field_of(const struct evaluation *e)
{
    size_t n;
    const uint32_t *fields = odp_expr_fields(e->r->expr, &n);
    uint32_t own = e->r->rule->grouped ? 0 : e->r->rule->each.resource->schema.n;
    for (size_t i = 0; i < n; i++)
        if (fields[i] < own)
            return e->r->rule->scope.fields[fields[i]].name;
    if (!e->r->rule->grouped && e->r->rule->njoins > 0)
        return e->r->rule->scope.fields[e->r->rule->joins[0].local.fields[0]].name;
    return NULL;
}

static enum odp_status consume(void *ctx, size_t i)
{
    const struct evaluation *e = ctx;
    const struct odp_cross_rule *rule = e->r->rule;
    const struct odp_resource *r = rule->each.resource;
    const char *with =
        rule->njoins > 0 ? odp_cross_table_name(rule->joins[0].resource, &e->slots[i].arena) : "—";
    for (const struct broken *b = e->slots[i].first; b != NULL; b = b->next) {
        struct odp_diag d = {.code = ODP_L02,
                             .severity = rule->severity_said ? rule->severity : ODP_SEVERITY_OFF,
                             .dataset = r->dataset->slug,
                             .resource = r->name,
                             .file = e->own->file,
                             .sheet = e->own->sheet,
                             .field = field_of(e),
                             .value = b->shown,
                             .where = rule->where,
                             .rule = rule->code,
                             .message = &rule->message};
        if (!rule->grouped) {
            d.line = b->place.line;
            d.row = b->place.row;
            d.offset = b->place.offset;
        }
        d.args[0] = odp_slice_of(rule->code);
        d.args[1] = rule->expr.text;
        d.args[2] = odp_slice_of(with);
        if (odp_diags_add(e->diags, &d) == ODP_FAIL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* ---- all of it ---- */

static enum odp_status note_unchecked(const struct cross_rule *r, const struct odp_resource *because,
                                      struct odp_arena *a, struct odp_diags *diags)
{
    const struct odp_resource *own = r->rule->each.resource;
    const char *name = odp_cross_table_name(because, a);
    struct odp_diag d = {.code = ODP_L03,
                         .dataset = own->dataset->slug,
                         .resource = own->name,
                         .rule = r->rule->code,
                         .where = r->rule->where};
    d.args[0] = odp_slice_of(r->rule->code);
    d.args[1] = odp_slice_of(name);
    return odp_diags_add(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static void add_key(struct evaluation *e, uint32_t *key, uint32_t field)
{
    for (uint32_t k = 0; k < e->nkey; k++)
        if (key[k] == field)
            return;
    key[e->nkey++] = field;
    e->needed[field] = true;
}

/* Which columns of the scope are made: what the expression names, keys, and what names the record. */
static enum odp_status choose_needed(struct evaluation *e, struct odp_arena *a)
{
    const struct odp_cross_rule *rule = e->r->rule;
    size_t n;
    const uint32_t *fields = odp_expr_fields(e->r->expr, &n);
    uint32_t *key = odp_arena_array(a, (size_t)rule->scope.n + 1, sizeof *key);
    e->needed = odp_arena_zero(a, rule->scope.n + 1u, sizeof *e->needed);
    for (size_t i = 0; i < n; i++)
        if (fields[i] < rule->scope.n)
            e->needed[fields[i]] = true;
    for (uint32_t k = 0; k < e->own->kept.n; k++)
        e->needed[e->own->kept.fields[k]] = true;
    const struct odp_key *primary = &rule->each.resource->schema.primary;
    for (uint32_t k = 0; k < (rule->grouped ? rule->each.key.n : primary->n); k++)
        add_key(e, key, rule->grouped ? k : primary->fields[k]);
    for (size_t j = 0; j < rule->njoins; j++)
        for (uint32_t k = 0; k < rule->joins[j].local.n; k++)
            add_key(e, key, scope_of(rule, rule->joins[j].local.fields[k]));
    e->key = key;
    e->pairs = odp_expr_pairs(e->r->expr, &e->npairs);
    return ODP_OK;
}

static void close_slots(struct evaluation *e, size_t n)
{
    for (size_t i = 0; e->slots != NULL && i < n; i++) {
        struct slot *s = &e->slots[i];
        for (size_t k = 0; s->prepared != NULL && k < PREPARED; k++)
            odp_spatial_free(s->prepared[k].spatial);
        free(s->prepared);
        odp_buffer_release(&s->bytes);
        odp_buffer_release(&s->text);
        odp_arena_release(&s->arena);
    }
}

static enum odp_status evaluate(struct odp_cross *x, const struct cross_rule *r, struct odp_pool *pool,
                                struct odp_diags *diags, struct odp_arena *a)
{
    struct evaluation e = {.x = x, .r = r, .own = &r->gathers[0], .diags = diags};
    size_t n = odp_pool_slots(pool);
    enum odp_status status = choose_needed(&e, a);
    e.slots = odp_arena_zero(a, n, sizeof *e.slots);
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        odp_arena_init(&e.slots[i].arena);
        odp_buffer_init(&e.slots[i].bytes);
        odp_buffer_init(&e.slots[i].text);
    }
    const struct odp_ordered ordered = {&e, produce, work, consume};
    if (status == ODP_OK)
        status = odp_pool_ordered(pool, &ordered);
    close_slots(&e, n);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_cross_evaluate(struct odp_cross *x, size_t i, struct odp_pool *pool,
                                   bool (*usable)(const void *ctx, const struct odp_resource *r),
                                   const void *ctx, struct odp_diags *diags)
{
    const struct cross_rule *r = &x->rules[i];
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    const struct odp_resource *missing = NULL;
    if (r->gathers == NULL)
        return ODP_OK;
    for (size_t k = r->rule->njoins + 1; k-- > 0;) {
        const struct cross_gather *g = &r->gathers[k];
        if (g->file == NULL || !usable(ctx, g->side->resource))
            missing = g->side->resource;
    }
    odp_arena_init(&arena);
    status =
        missing != NULL ? note_unchecked(r, missing, &arena, diags) : evaluate(x, r, pool, diags, &arena);
    odp_arena_release(&arena);
    return status;
}
