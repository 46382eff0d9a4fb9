/* Row rules of the catalogue (odp:rules): broken where their expression is false (ODP-L01). */
#include "catalog/expr/report.h"
#include "check/check_internal.h"

struct compiled {
    const struct odp_rule *rule;
    const struct odp_expr *expr;
};

/* OK: *OUT is set. BAD: reported. */
static enum odp_status compile(struct odp_arena *arena, const struct odp_resource *r,
                               const struct odp_rule *rule, const struct odp_expr **out,
                               struct odp_diags *diags)
{
    struct odp_expr_fault fault = {0};
    bool geometry = r->geometry.present && odp_schema_find(&r->schema, ODP_LIT("geometry")) < 0;
    const struct odp_expr_scope scope = {.schema = &r->schema, .geometry = geometry ? "geometry" : NULL};
    enum odp_status status = odp_expr_compile_in(arena, rule->expr, &scope, out, &fault);
    if (status != ODP_BAD)
        return status;
    const struct odp_diag place = {.dataset = r->dataset->slug,
                                   .resource = r->name,
                                   .file = rule->file,
                                   .line = rule->line,
                                   .column = rule->column,
                                   .source = rule->expr,
                                   .rule = rule->code,
                                   .where = rule->where};
    return odp_expr_report(place, &fault, diags);
}

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    const struct odp_resource *r = v->resource;
    struct compiled *compiled = odp_arena_zero(&v->arena, r->nrules + 1, sizeof *compiled);
    *state = compiled;
    size_t n = 0;
    for (size_t k = 0; k < r->nrules; k++) {
        if (r->rules[k].severity == ODP_SEVERITY_OFF)
            continue;
        enum odp_status status = compile(&v->arena, r, &r->rules[k], &compiled[n].expr, diags);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status == ODP_OK)
            compiled[n++].rule = &r->rules[k];
    }
    return ODP_OK;
}

static void check_rows(struct odp_check *c, void *state, void **part)
{
    uint8_t *truth = NULL;
    for (const struct compiled *k = state; k->rule != NULL && c->n > 0; k++) {
        odp_arena_reset(&c->w->scratch);
        truth = odp_arena_alloc(&c->w->scratch, c->n);
        if (odp_expr_eval(k->expr, c->b, &c->w->scratch, truth) != ODP_OK) {
            c->failed = true;
            return;
        }
        size_t nfields;
        const uint32_t *fields = odp_expr_fields(k->expr, &nfields);
        const uint8_t *broken = memchr(truth, ODP_FALSE, c->n), *end = truth + c->n;
        for (; broken != NULL;
             broken = ++broken < end ? memchr(broken, ODP_FALSE, (size_t)(end - broken)) : NULL) {
            uint32_t i = (uint32_t)(broken - truth);
            if ((c->b->records[i].flags & ODP_RECORD_SKIP) != 0)
                continue;
            struct odp_fault *f = odp_check_note(c, i, nfields > 0 ? (int)fields[0] : -1, ODP_L01);
            f->severity = k->rule->severity;
            f->rule = k->rule->code;
            f->where = k->rule->where;
            f->message = &k->rule->message;
            f->args[0] = odp_slice_of(k->rule->code);
            f->args[1] = k->rule->expr;
        }
    }
}

static void close_rule(void *state)
{
    for (const struct compiled *k = state; k->rule != NULL; k++)
        odp_expr_release(k->expr);
}

const struct odp_rule_kind odp_rule_expression = {
    .name = "expression", .open = open_rule, .close = close_rule, .rows = check_rows};

enum odp_status odp_validate_rules(const struct odp_catalog *c, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < c->nresources && worst != ODP_FAIL; i++)
        for (size_t k = 0; k < c->resources[i]->nrules && worst != ODP_FAIL; k++) {
            const struct odp_expr *expr;
            enum odp_status status =
                compile(&arena, c->resources[i], &c->resources[i]->rules[k], &expr, diags);
            if (status != ODP_OK)
                worst = status;
            else
                odp_expr_release(expr);
        }
    odp_arena_release(&arena);
    return worst;
}
