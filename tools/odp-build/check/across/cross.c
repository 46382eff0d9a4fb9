/* Compiling the rules, and the state of a run. */
#include <stdlib.h>

#include "catalog/expr/report.h"
#include "check/across/across_internal.h"

/* ---- expressions ---- */

/* OK: *OUT is set. BAD: reported in DIAGS (NULL: known to be right). */
static enum odp_status compile(struct odp_arena *a, const struct odp_cross_rule *rule,
                               const struct odp_cross_text *text, const struct odp_expr_scope *scope,
                               const struct odp_expr **out, struct odp_diags *diags)
{
    struct odp_expr_fault fault = {0};
    *out = NULL;
    enum odp_status status = odp_expr_compile_in(a, text->text, scope, out, &fault);
    const struct odp_diag place = {.dataset = rule->owner->slug,
                                   .file = rule->file,
                                   .line = text->line,
                                   .column = text->column,
                                   .source = text->text,
                                   .rule = rule->code,
                                   .where = rule->where};
    return status == ODP_BAD && diags != NULL ? odp_expr_report(place, &fault, diags) : status;
}

static enum odp_status compile_where(struct odp_arena *a, const struct odp_cross_rule *rule,
                                     const struct odp_cross_side *side, const struct odp_expr **out,
                                     struct odp_diags *diags)
{
    const struct odp_resource *r = side->resource;
    bool geometry = r->geometry.present && odp_schema_find(&r->schema, ODP_LIT("geometry")) < 0;
    const struct odp_expr_scope scope = {.schema = &r->schema, .geometry = geometry ? "geometry" : NULL};
    *out = NULL;
    return side->where.text.ptr != NULL ? compile(a, rule, &side->where, &scope, out, diags) : ODP_OK;
}

/* The geometries that the rule's expression may name beside the record's own. */
static void list_others(struct odp_arena *a, const struct odp_cross_rule *rule, const char ***names,
                        uint32_t **joins)
{
    size_t n = 0;
    *names = odp_arena_zero(a, rule->njoins + 1, sizeof **names);
    *joins = odp_arena_zero(a, rule->njoins + 1, sizeof **joins);
    for (size_t i = 0; i < rule->njoins; i++)
        if (rule->joins[i].geometry != NULL) {
            (*joins)[n] = (uint32_t)i;
            (*names)[n++] = rule->joins[i].geometry;
        }
}

static enum odp_status compile_expr(struct odp_arena *a, const struct odp_cross_rule *rule,
                                    const char *const *others, const struct odp_expr **out,
                                    struct odp_diags *diags)
{
    const struct odp_expr_scope scope = {.schema = &rule->scope,
                                         .geometry = rule->each.geometry,
                                         .others = rule->each.geometry != NULL ? others : NULL};
    return compile(a, rule, &rule->expr, &scope, out, diags);
}

static enum odp_status check_rule(struct odp_arena *a, const struct odp_cross_rule *rule,
                                  struct odp_diags *diags)
{
    const struct odp_expr *expr = NULL;
    const char **others;
    uint32_t *joins;
    enum odp_status worst = ODP_OK, status = ODP_OK;
    list_others(a, rule, &others, &joins);
    for (size_t i = 0; i <= rule->njoins + 1 && status != ODP_FAIL; i++) {
        status = i > rule->njoins
                     ? compile_expr(a, rule, others, &expr, diags)
                     : compile_where(a, rule, i == 0 ? &rule->each : &rule->joins[i - 1], &expr, diags);
        odp_expr_release(expr);
        worst = status != ODP_OK ? status : worst;
    }
    return worst;
}

enum odp_status odp_cross_check(const struct odp_catalog *c, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < c->ncross && worst != ODP_FAIL; i++) {
        enum odp_status status = check_rule(&arena, &c->cross[i], diags);
        worst = status != ODP_OK ? status : worst;
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return worst;
}

/* ---- a run ---- */

static void add_field(struct cross_kept *kept, uint32_t field)
{
    for (uint32_t i = 0; i < kept->n; i++)
        if (kept->fields[i] == field)
            return;
    kept->fields[kept->n++] = field;
}

/* What of the rule's own rows is needed later: what the expression names, the keys to look up by, and what
 * names the record. */
static void choose_kept(struct odp_cross *x, struct cross_rule *r)
{
    const struct odp_schema *s = &r->rule->each.resource->schema;
    struct cross_kept *kept = &r->gathers[0].kept;
    size_t n;
    const uint32_t *fields = odp_expr_fields(r->expr, &n);
    kept->fields = odp_arena_array(&x->arena, (size_t)s->n + 1, sizeof *kept->fields);
    for (size_t i = 0; i < n; i++)
        if (fields[i] < s->n)
            add_field(kept, fields[i]);
    for (size_t j = 0; j < r->rule->njoins; j++)
        for (uint32_t k = 0; k < r->rule->joins[j].local.n; k++)
            add_field(kept, r->rule->joins[j].local.fields[k]);
    kept->used = kept->n;
    for (uint32_t k = 0; k < s->primary.n; k++)
        add_field(kept, s->primary.fields[k]);
    kept->geometry = odp_expr_has_geometry(r->expr);
}

static bool names_geometry_of(const struct cross_rule *r, size_t join)
{
    size_t n;
    const struct odp_expr_pair *pairs = odp_expr_pairs(r->expr, &n);
    for (size_t i = 0; i < n; i++)
        if (r->other_join[pairs[i].other] == join)
            return true;
    return false;
}

static enum odp_status open_rule(struct odp_cross *x, struct cross_rule *r)
{
    const struct odp_cross_rule *rule = r->rule;
    list_others(&x->arena, rule, &r->others, &r->other_join);
    if (compile_expr(&x->arena, rule, r->others, &r->expr, NULL) != ODP_OK)
        return ODP_FAIL;
    r->gathers = odp_arena_zero(&x->arena, rule->njoins + 1, sizeof *r->gathers);
    for (size_t i = 0; i <= rule->njoins; i++) {
        struct cross_gather *g = &r->gathers[i];
        g->side = i == 0 ? &rule->each : &rule->joins[i - 1];
        g->by_key = i > 0 || rule->grouped;
        x->gathers[x->ngathers++] = g;
        if (compile_where(&x->arena, rule, g->side, &g->where, NULL) != ODP_OK)
            return ODP_FAIL;
        if (!g->by_key)
            choose_kept(x, r);
        else if (cross_table_init(&g->table, g->side, i == 0, i > 0 && names_geometry_of(r, i - 1)) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

enum odp_status odp_cross_new(struct odp_cross **out, const struct odp_catalog *c, const bool *active,
                              size_t slots)
{
    struct odp_cross *x = calloc(1, sizeof *x);
    size_t n = 0;
    *out = x;
    if (x == NULL)
        return odp_failure_memory();
    cross_spool_init(&x->spool);
    x->catalog = c;
    for (size_t i = 0; i < c->ncross; i++)
        n += active[i] ? c->cross[i].njoins + 1 : 0;
    x->rules = odp_arena_zero(&x->arena, c->ncross + 1, sizeof *x->rules);
    x->gathers = odp_arena_zero(&x->arena, n + 1, sizeof(struct cross_gather *));
    x->parts = odp_arena_zero(&x->arena, slots * n + 1, sizeof *x->parts);
    x->scratch = odp_arena_zero(&x->arena, slots + 1, sizeof *x->scratch);
    for (size_t i = 0; i < slots; i++)
        odp_arena_init(&x->scratch[i]);
    for (size_t i = 0; i < slots * n; i++)
        odp_buffer_init(&x->parts[i].rows);
    x->nslots = slots;
    for (size_t i = 0; i < c->ncross; i++) {
        x->rules[i].rule = &c->cross[i];
        if (active[i] && open_rule(x, &x->rules[i]) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

void odp_cross_free(struct odp_cross *x)
{
    if (x == NULL)
        return;
    for (size_t i = 0; i < x->nslots * x->ngathers; i++)
        odp_buffer_release(&x->parts[i].rows);
    for (size_t i = 0; i < x->nslots; i++)
        odp_arena_release(&x->scratch[i]);
    for (size_t i = 0; i < x->ngathers; i++) {
        odp_expr_release(x->gathers[i]->where);
        if (x->gathers[i]->by_key)
            cross_table_release(&x->gathers[i]->table);
        free(x->gathers[i]->blocks);
    }
    for (size_t i = 0; i < x->catalog->ncross; i++)
        odp_expr_release(x->rules[i].expr);
    cross_spool_release(&x->spool);
    odp_arena_release(&x->arena);
    free(x);
}

bool odp_cross_needs(const struct odp_cross *x, const struct odp_resource *r)
{
    for (size_t i = 0; x != NULL && i < x->ngathers; i++)
        if (x->gathers[i]->side->resource == r)
            return true;
    return false;
}
