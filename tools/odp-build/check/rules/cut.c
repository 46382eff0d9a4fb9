/* Data cut off before we got it: texts at exactly the length where old programs cut them (ODP-W11), a file
 * that ends at exactly the last row of a spreadsheet (R21). Both are reported once, at the end, because only
 * the whole shows them. */
#include <stdio.h>

#include "base/utf8.h"
#include "check/check_internal.h"

enum { LIMITS = 2, FEWEST = 2 };
static const uint32_t limits[LIMITS] = {255, 32767};

/* Of one field and one limit. */
struct length {
    uint64_t exact, longer;
    uint64_t line, row; /* of the first */
};
struct state {
    struct length *length; /* LIMITS a field */
    uint64_t last_line;
};

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct state *s = odp_arena_zero(&v->arena, 1, sizeof *s);
    s->length = odp_arena_zero(&v->arena, (size_t)v->schema->n + 1, LIMITS * sizeof *s->length);
    *state = s;
    return ODP_OK;
}

/* Only columns with a long text are looked at. */
static void count(struct odp_check *c, void *state, void **part)
{
    uint32_t n = c->v->schema->n;
    struct length *found = NULL;
    for (uint32_t f = 0; f < n && !c->failed; f++) {
        if (c->longest[f] < limits[0] || odp_check_field(c, f)->type != ODP_TYPE_STRING)
            continue;
        if (found == NULL)
            found = odp_arena_zero(&c->b->arena, (size_t)n + 1, LIMITS * sizeof *found);
        for (uint32_t i = 0; i < c->n; i++) {
            struct odp_slice s = c->b->columns[f].text[i];
            size_t chars = s.ptr != NULL && s.len >= limits[0] ? odp_utf8_count(s) : 0;
            for (size_t k = 0; k < LIMITS && chars > 0; k++) {
                struct length *l = &found[f * LIMITS + k];
                l->longer += chars > limits[k];
                if (chars == limits[k] && l->exact++ == 0) {
                    l->line = c->b->records[i].line;
                    l->row = c->b->records[i].row;
                }
            }
        }
    }
    *part = found;
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct state *s = state;
    const struct length *found = part;
    if (b->nrecords > 0)
        s->last_line = b->records[b->nrecords - 1].line;
    for (size_t k = 0; found != NULL && k < (size_t)v->schema->n * LIMITS; k++) {
        if (s->length[k].exact == 0) {
            s->length[k].line = found[k].line;
            s->length[k].row = found[k].row;
        }
        s->length[k].exact += found[k].exact;
        s->length[k].longer += found[k].longer;
    }
    return ODP_OK;
}

static enum odp_status say(const struct odp_validator *v, struct odp_diag *d, uint64_t number,
                           struct odp_diags *diags)
{
    char text[24];
    d->dataset = v->resource->dataset->slug;
    d->resource = v->resource->name;
    d->file = v->info->file;
    d->args[0] =
        (struct odp_slice){text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number)};
    odp_diags_add(diags, d);
    return ODP_OK;
}

static enum odp_status finish(struct odp_validator *v, void *state, struct odp_diags *diags)
{
    const struct state *s = state;
    for (uint32_t f = 0; f < v->schema->n; f++)
        for (size_t k = 0; k < LIMITS; k++) {
            const struct length *l = &s->length[f * LIMITS + k];
            struct odp_diag d = {
                .code = ODP_W11, .line = l->line, .row = l->row, .field = v->schema->fields[f].name};
            if (l->exact >= FEWEST && l->longer == 0 &&
                v->schema->fields[f].constraints.max_length != limits[k] &&
                say(v, &d, limits[k], diags) != ODP_OK)
                return ODP_FAIL;
        }
    uint64_t rows = v->rows + (v->resource->dialect.header && v->info->labels != NULL);
    struct odp_diag d = {.code = ODP_R21, .line = s->last_line, .row = v->rows};
    return rows == 1048576 || rows == 65536 ? say(v, &d, rows, diags) : ODP_OK;
}

const struct odp_rule_kind odp_rule_cut = {
    .name = "cut", .open = open_rule, .rows = count, .merge = merge, .finish = finish};
