/* A rule over what was gathered. Blocks of rows (or of groups) become batches of the rule's scope, on which
 * the expression is evaluated; on any thread, with results in order. */
#include <stdlib.h>

#include "check/across/across_internal.h"

enum {
    GROUPS = 2048,   /* of one block */
    PREPARED = 1024, /* geometries kept ready a slot: a power of two */
    KEY_FIELDS = 64
};

/* A joined geometry that was prepared for one pair. */
struct prepared {
    const struct odp_geom *geometry;
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
    size_t block, n; /* its number; its rows */
    struct odp_batch batch;
    struct cross_place *places;
    const struct cross_group **found; /* join * n + row; NULL: no match */
    struct prepared *prepared;
    struct broken *first, **end;
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
    uint32_t *key; /* scope fields that name a row, and what it was looked up by */
    uint32_t nkey;
};

/* ---- a block as a batch ---- */

static enum odp_status produce(void *ctx, size_t i)
{
    struct evaluation *e = ctx;
    struct slot *s = &e->slots[i];
    odp_arena_reset(&s->arena);
    s->first = NULL;
    s->end = &s->first;
    s->block = e->next++;
    if (e->own->by_key) {
        size_t from = s->block * GROUPS, all = e->own->table.keys.n;
        s->n = from < all ? all - from : 0;
        s->n = s->n < GROUPS ? s->n : GROUPS;
        return s->n > 0 ? ODP_OK : ODP_DONE;
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

static void make_columns(const struct evaluation *e, struct slot *s)
{
    uint32_t n = e->r->rule->scope.n;
    s->places = odp_arena_array(&s->arena, s->n + 1, sizeof *s->places);
    s->found = odp_arena_zero(&s->arena, e->r->rule->njoins * s->n + 1, sizeof(const struct cross_group *));
    s->batch = (struct odp_batch){.nrecords = (uint32_t)s->n};
    s->batch.geometry = odp_arena_zero(&s->arena, s->n + 1, sizeof(const struct odp_geom *));
    s->batch.columns = odp_arena_zero(&s->arena, n + e->npairs + 1, sizeof *s->batch.columns);
    for (uint32_t f = 0; f < n + e->npairs; f++)
        if (f >= n || e->needed[f]) {
            s->batch.columns[f].text = odp_arena_zero(&s->arena, s->n + 1, sizeof(struct odp_slice));
            s->batch.columns[f].state = odp_arena_alloc(&s->arena, s->n + 1);
        }
}

static void load_rows(const struct evaluation *e, struct slot *s)
{
    const struct cross_kept *kept = &e->own->kept;
    struct odp_slice bytes = odp_buffer_slice(&s->bytes);
    struct cross_row row = {.text = odp_arena_array(&s->arena, kept->n + 1u, sizeof *row.text)};
    for (size_t i = 0; i < s->n; i++) {
        cross_row_read(&bytes, kept, &s->arena, &row);
        s->places[i] = row.place;
        s->batch.geometry[i] = row.geometry;
        for (uint32_t k = 0; k < kept->n; k++)
            s->batch.columns[kept->fields[k]].text[i] = row.text[k];
    }
}

/* The selects of T, of group G, in row I. */
static void load_values(struct slot *s, const struct cross_table *t, const struct cross_group *g, size_t i)
{
    for (size_t k = 0; k < t->side->nselects; k++) {
        struct odp_slice *text = s->batch.columns[t->side->first + k].text;
        if (text != NULL)
            text[i] = cross_table_value(t, g, k, &s->arena);
    }
}

static void load_groups(const struct evaluation *e, struct slot *s)
{
    const struct cross_table *t = &e->own->table;
    for (size_t i = 0; i < s->n; i++) {
        const struct cross_group *g = t->groups[s->block * GROUPS + i];
        s->places[i] = cross_group_place(g);
        for (uint32_t k = 0; k < t->side->key.n; k++)
            s->batch.columns[k].text[i] = cross_group_shown(g)[k];
        load_values(s, t, g, i);
    }
}

/* The scope's field that holds field F of the rule's own table. */
static uint32_t scope_of(const struct odp_cross_rule *rule, uint32_t f)
{
    for (uint32_t k = 0; rule->grouped && k < rule->each.key.n; k++)
        if (rule->each.key.fields[k] == f)
            return k;
    return f;
}

static void load_join(const struct evaluation *e, struct slot *s, size_t j)
{
    const struct odp_cross_rule *rule = e->r->rule;
    const struct odp_key *local = &rule->joins[j].local;
    const struct cross_table *t = &e->r->gathers[j + 1].table;
    struct odp_slice text[KEY_FIELDS];
    for (size_t i = 0; i < s->n; i++) {
        for (uint32_t k = 0; k < local->n && k < KEY_FIELDS; k++)
            text[k] = s->batch.columns[scope_of(rule, local->fields[k])].text[i];
        odp_buffer_clear(&s->text);
        if (cross_key_add(&s->text, &rule->each.resource->schema, local, text))
            s->found[j * s->n + i] = cross_table_find(t, odp_buffer_slice(&s->text));
        load_values(s, t, s->found[j * s->n + i], i);
    }
}

/* ---- geometry against geometry ---- */

/* Prepared state of PAIR and G. */
static enum odp_status prepare(struct slot *s, uint32_t pair, enum odp_spatial_op op,
                               const struct odp_geom *g, const struct odp_spatial **out)
{
    struct prepared *p = &s->prepared[((uintptr_t)g / sizeof *g + pair) & (PREPARED - 1)];
    if (p->geometry != g || p->pair != pair) {
        odp_spatial_free(p->spatial);
        *p = (struct prepared){.geometry = g, .pair = pair};
        if (odp_spatial_of(&p->spatial, op, g) == ODP_FAIL)
            return ODP_FAIL;
    }
    *out = p->spatial;
    return ODP_OK;
}

static enum odp_status answer_pair(const struct evaluation *e, struct slot *s, uint32_t pair)
{
    struct odp_column *column = &s->batch.columns[e->r->rule->scope.n + pair];
    size_t j = e->r->other_join[e->pairs[pair].other];
    if (s->prepared == NULL && (s->prepared = calloc(PREPARED, sizeof *s->prepared)) == NULL)
        return odp_failure_memory();
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_geom *g = cross_group_geometry(s->found[j * s->n + i]), *own = s->batch.geometry[i];
        const struct odp_spatial *spatial = NULL;
        uint8_t truth = ODP_UNKNOWN;
        if (g != NULL && own != NULL && prepare(s, pair, e->pairs[pair].op, g, &spatial) != ODP_OK)
            return ODP_FAIL;
        if (spatial != NULL && odp_spatial_test(spatial, own, &truth) == ODP_FAIL)
            return ODP_FAIL;
        if (truth != ODP_UNKNOWN)
            column->text[i] = truth == ODP_TRUE ? ODP_LIT("true") : ODP_LIT("false");
    }
    return ODP_OK;
}

/* ---- the expression ---- */

static void note_broken(const struct evaluation *e, struct slot *s, size_t i, struct odp_slice *row)
{
    struct broken *b = odp_arena_zero(&s->arena, 1, sizeof *b);
    for (uint32_t f = 0; f < e->r->rule->scope.n; f++)
        row[f] = e->needed[f] ? s->batch.columns[f].text[i] : (struct odp_slice){NULL, 0};
    odp_buffer_clear(&s->text);
    const struct cross_group *group = e->own->by_key ? e->own->table.groups[s->block * GROUPS + i] : NULL;
    cross_show(&s->text, e->r, row, group, e->key, e->nkey);
    b->place = s->places[i];
    b->shown = odp_arena_copy(&s->arena, odp_buffer_slice(&s->text));
    *s->end = b;
    s->end = &b->next;
}

static enum odp_status work(void *ctx, size_t i, unsigned worker)
{
    const struct evaluation *e = ctx;
    struct slot *s = &e->slots[i];
    make_columns(e, s);
    if (e->own->by_key)
        load_groups(e, s);
    else
        load_rows(e, s);
    for (size_t j = 0; j < e->r->rule->njoins; j++)
        load_join(e, s, j);
    for (uint32_t k = 0; k < e->npairs; k++)
        if (answer_pair(e, s, k) != ODP_OK)
            return ODP_FAIL;
    for (size_t f = 0; f < e->r->rule->scope.n + e->npairs; f++) {
        const struct odp_column *c = &s->batch.columns[f];
        for (size_t k = 0; c->text != NULL && k < s->n; k++)
            c->state[k] = c->text[k].ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
    }
    uint8_t *truth = odp_arena_alloc(&s->arena, s->n + 1);
    struct odp_slice *row = odp_arena_array(&s->arena, e->r->rule->scope.n + 1u, sizeof *row);
    if (odp_expr_eval(e->r->expr, &s->batch, &s->arena, truth) != ODP_OK)
        return ODP_FAIL;
    for (size_t k = 0; k < s->n; k++)
        if (truth[k] == ODP_FALSE)
            note_broken(e, s, k, row);
    return odp_buffer_status(&s->text);
}

/* Where the report points: the first field of the rule's own table that the expression names, else the one
 * that leads to the other table; of a group, in its first record, the first that makes it. */
static const char *field_of(const struct cross_rule *r)
{
    size_t n;
    const uint32_t *fields = odp_expr_fields(r->expr, &n);
    const struct odp_cross_rule *rule = r->rule;
    if (rule->grouped)
        return rule->scope.fields[0].name;
    for (size_t i = 0; i < n; i++)
        if (fields[i] < rule->each.resource->schema.n)
            return rule->scope.fields[fields[i]].name;
    return rule->njoins > 0 ? rule->scope.fields[rule->joins[0].local.fields[0]].name : NULL;
}

static enum odp_status consume(void *ctx, size_t i)
{
    const struct evaluation *e = ctx;
    const struct odp_cross_rule *rule = e->r->rule;
    const struct odp_resource *r = rule->each.resource;
    const char *with =
        rule->njoins > 0 ? odp_cross_table_name(rule->joins[0].resource, &e->slots[i].arena) : "—";
    for (const struct broken *b = e->slots[i].first; b != NULL; b = b->next) {
        struct odp_diag d = {
            .code = ODP_L02,
            .severity = rule->severity_said ? rule->severity : ODP_SEVERITY_OFF,
            .dataset = r->dataset->slug,
            .resource = r->name,
            .file = e->own->file,
            .sheet = e->own->sheet,
            .line = b->place.line,
            .row = b->place.row,
            .offset = b->place.offset,
            .field = field_of(e->r),
            .value = b->shown,
            .where = rule->where,
            .rule = rule->code,
            .message = &rule->message,
            .args = {odp_slice_of(rule->code), rule->expr.text, odp_slice_of(with)},
        };
        odp_diags_add(e->diags, &d);
    }
    return ODP_OK;
}

/* ---- all of it ---- */

/* WHAT of BECAUSE is not sound. */
static void note_unchecked(const struct cross_rule *r, const struct odp_resource *because, const char *what,
                           struct odp_arena *a, struct odp_diags *diags)
{
    const struct odp_resource *own = r->rule->each.resource;
    const char *name = odp_cross_table_name(because, a);
    const struct odp_diag d = {
        .code = ODP_L03,
        .dataset = own->dataset->slug,
        .resource = own->name,
        .rule = r->rule->code,
        .where = r->rule->where,
        .args = {odp_slice_of(r->rule->code),
                 odp_slice_of(*what != '\0' ? odp_arena_printf(a, "%s.%s", name, what) : name)},
    };
    odp_diags_add(diags, &d);
}

static void use_fields(struct odp_cross_use *use, const uint32_t *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i] < use->resource->schema.n)
            use->fields[fields[i]] = true;
}

/* What G of R needs. */
static struct odp_cross_use use_of(const struct cross_rule *r, const struct cross_gather *g,
                                   struct odp_arena *a)
{
    const struct odp_cross_side *side = g->side;
    struct odp_cross_use use = {.resource = side->resource,
                                .fields = odp_arena_zero(a, side->resource->schema.n + 1u, 1),
                                .geometry = g->by_key ? g->table.keeps_geometry : g->kept.geometry,
                                .by_row = !g->by_key};
    size_t n = 0;
    const uint32_t *where = g->where != NULL ? odp_expr_fields(g->where, &n) : NULL;
    use_fields(&use, where, n);
    use.geometry = use.geometry || (g->where != NULL && odp_expr_has_geometry(g->where));
    use_fields(&use, side->key.fields, side->key.n);
    use_fields(&use, g->kept.fields, g->kept.used);
    for (size_t k = 0; k < side->nselects; k++)
        if (side->selects[k].field >= 0)
            use.fields[side->selects[k].field] = true;
    return use;
}

static void add_key(struct evaluation *e, uint32_t field)
{
    for (uint32_t k = 0; k < e->nkey; k++)
        if (e->key[k] == field)
            return;
    e->key[e->nkey++] = field;
    e->needed[field] = true;
}

/* Which columns of the scope are made: what the expression names, keys, and what names the record. */
static void choose_needed(struct evaluation *e, struct odp_arena *a)
{
    const struct odp_cross_rule *rule = e->r->rule;
    size_t n;
    const uint32_t *fields = odp_expr_fields(e->r->expr, &n);
    e->key = odp_arena_array(a, (size_t)rule->scope.n + 1, sizeof *e->key);
    e->needed = odp_arena_zero(a, rule->scope.n + 1u, sizeof *e->needed);
    for (size_t i = 0; i < n; i++)
        if (fields[i] < rule->scope.n)
            e->needed[fields[i]] = true;
    for (uint32_t k = 0; k < e->own->kept.n; k++)
        e->needed[e->own->kept.fields[k]] = true;
    const struct odp_key *primary = &rule->each.resource->schema.primary;
    for (uint32_t k = 0; k < (rule->grouped ? rule->each.key.n : primary->n); k++)
        add_key(e, rule->grouped ? k : primary->fields[k]);
    for (size_t j = 0; j < rule->njoins; j++)
        for (uint32_t k = 0; k < rule->joins[j].local.n; k++)
            add_key(e, scope_of(rule, rule->joins[j].local.fields[k]));
    e->pairs = odp_expr_pairs(e->r->expr, &e->npairs);
}

static void close_slot(struct slot *s)
{
    for (size_t k = 0; s->prepared != NULL && k < PREPARED; k++)
        odp_spatial_free(s->prepared[k].spatial);
    free(s->prepared);
    odp_buffer_release(&s->bytes);
    odp_buffer_release(&s->text);
    odp_arena_release(&s->arena);
}

static enum odp_status evaluate(struct evaluation *e, struct odp_pool *pool, struct odp_arena *a)
{
    size_t n = odp_pool_slots(pool);
    choose_needed(e, a);
    e->slots = odp_arena_zero(a, n, sizeof *e->slots);
    for (size_t i = 0; i < n; i++) {
        odp_arena_init(&e->slots[i].arena);
        odp_buffer_init(&e->slots[i].bytes);
        odp_buffer_init(&e->slots[i].text);
    }
    const struct odp_ordered ordered = {e, produce, work, consume};
    enum odp_status status = odp_pool_ordered(pool, &ordered);
    for (size_t i = 0; i < n; i++)
        close_slot(&e->slots[i]);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_cross_evaluate(struct odp_cross *x, size_t i, struct odp_pool *pool,
                                   const struct odp_cross_tables *tables, struct odp_diags *diags)
{
    const struct cross_rule *r = &x->rules[i];
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    const char *unsound = NULL;
    const struct odp_resource *because = NULL;
    if (r->gathers == NULL)
        return ODP_OK;
    for (size_t k = 0; k <= r->rule->njoins && unsound == NULL; k++) {
        const struct cross_gather *g = &r->gathers[k];
        const struct odp_cross_use use = use_of(r, g, &arena);
        because = g->side->resource;
        unsound = g->file != NULL ? tables->unsound(tables->ctx, &use) : "";
    }
    struct evaluation e = {.x = x, .r = r, .own = &r->gathers[0], .diags = diags};
    if (unsound != NULL)
        note_unchecked(r, because, unsound, &arena, diags);
    else
        status = evaluate(&e, pool, &arena);
    odp_arena_release(&arena);
    return status;
}
