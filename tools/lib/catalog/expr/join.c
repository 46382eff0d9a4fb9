/* Expressions made of others. */
#include <stdlib.h>

#include "catalog/expr/expr_internal.h"

static void add_field(struct odp_expr *e, uint32_t field)
{
    for (uint32_t i = 0; i < e->nfields; i++)
        if (e->fields[i] == field)
            return;
    e->fields[e->nfields++] = field;
}

enum odp_status odp_expr_and(struct odp_arena *arena, const struct odp_expr *a, const struct odp_expr *b,
                             const struct odp_expr **out)
{
    *out = NULL;
    if (a == NULL && b == NULL)
        return ODP_OK;
    struct odp_expr *e = odp_arena_zero(arena, 1, sizeof *e);
    if (a == NULL || b == NULL) { /* one of its own all the same: releasing it never takes what is another's */
        *e = a != NULL ? *a : *b;
        e->borrows = true;
        *out = e;
        return ODP_OK;
    }
    e->code = odp_arena_array(arena, (size_t)a->n + b->n + 1, sizeof *e->code);
    e->fields = odp_arena_array(arena, (size_t)a->nfields + b->nfields + 1, sizeof *e->fields);
    memcpy(e->code, a->code, a->n * sizeof *e->code);
    memcpy(e->code + a->n, b->code, b->n * sizeof *e->code);
    e->n = a->n + b->n + 1;
    e->code[e->n - 1] = (struct instr){.op = OP_AND, .kind = KIND_BOOL};
    e->depth = a->depth > b->depth + 1 ? a->depth : b->depth + 1;
    for (uint32_t i = 0; i < a->nfields; i++)
        add_field(e, a->fields[i]);
    for (uint32_t i = 0; i < b->nfields; i++)
        add_field(e, b->fields[i]);
    e->schema = a->schema;
    e->geometry = a->geometry != NULL ? a->geometry : b->geometry;
    e->borrows = true;
    *out = e;
    return ODP_OK;
}

/* Room for N instructions and one field. */
static struct odp_expr *make(struct odp_arena *arena, const struct odp_expr_scope *scope, size_t n)
{
    struct odp_expr *e = odp_arena_zero(arena, 1, sizeof *e);
    if (n > UINT32_MAX)
        return NULL;
    e->code = odp_arena_zero(arena, n, sizeof *e->code);
    e->fields = odp_arena_zero(arena, 1, sizeof *e->fields);
    e->schema = scope->schema;
    return e;
}

enum odp_status odp_expr_box(struct odp_arena *arena, const struct odp_expr_scope *scope, const double box[4],
                             const struct odp_expr **out)
{
    struct odp_spatial *spatial;
    struct odp_expr *e = make(arena, scope, 1);
    *out = NULL;
    if (e == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_spatial_box(&spatial, ODP_S_INTERSECTS, box);
    if (status != ODP_OK)
        return status;
    e->code[0] = (struct instr){.op = OP_SPATIAL, .kind = KIND_BOOL, .spatial = spatial, .relation = ODP_S_INTERSECTS};
    e->n = e->depth = 1;
    e->geometry = scope->geometry != NULL ? scope->geometry : "";
    *out = e;
    return ODP_OK;
}

enum odp_status odp_expr_equal(struct odp_arena *arena, const struct odp_expr_scope *scope, uint32_t field,
                               const struct odp_slice *values, size_t n, const struct odp_expr **out, struct odp_text *expected)
{
    enum odp_type type = scope->schema->fields[field].type;
    enum kind kind = expr_kind_of(type);
    struct odp_expr *e = make(arena, scope, 2 * n + 3);
    *out = NULL;
    if (e == NULL)
        return ODP_FAIL;
    struct instr *in = e->code;
    *in++ = (struct instr){.op = OP_FIELD, .kind = (uint8_t)kind, .field = field};
    if (n != 1)
        *in++ = (struct instr){.op = OP_IN_BEGIN, .kind = KIND_BOOL};
    for (size_t i = 0; i < n; i++) {
        enum odp_status status = expr_constant(arena, values[i], type, in++, expected);
        if (status != ODP_OK)
            return status;
        *in++ = (struct instr){.op = n != 1 ? OP_IN_ITEM : OP_EQ, .kind = (uint8_t)kind};
    }
    if (n != 1)
        *in++ = (struct instr){.op = OP_IN_END, .kind = (uint8_t)kind};
    e->n = (uint32_t)(in - e->code);
    e->depth = n != 1 ? 3 : 2;
    e->fields[0] = field;
    e->nfields = 1;
    *out = e;
    return ODP_OK;
}
