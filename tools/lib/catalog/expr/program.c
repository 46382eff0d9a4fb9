/* The program of an expression: what the parser appends to it, what it uses, and giving it back. */
#include <stdlib.h>

#include "catalog/expr/expr_internal.h"

struct instr *expr_emit(struct compiler *c, enum op op, enum kind kind, uint32_t pops)
{
    struct odp_expr *e = c->expr;
    if (e->n == c->cap || c->stack < pops) {
        (void)odp_failure_set("compile expression", NULL, 0); /* cannot happen: cap is twice the tokens */
        return NULL;
    }
    c->stack += 1 - pops;
    if (c->stack > e->depth)
        e->depth = c->stack;
    struct instr *in = &e->code[e->n++];
    *in = (struct instr){.op = (uint8_t)op, .kind = (uint8_t)kind};
    return in;
}

void expr_note_field(struct compiler *c, uint32_t index)
{
    struct odp_expr *e = c->expr;
    for (uint32_t i = 0; i < e->nfields; i++)
        if (e->fields[i] == index)
            return;
    e->fields[e->nfields++] = index; /* room for every field of the schema, and every pair */
}

void odp_expr_release(const struct odp_expr *e)
{
    if (e == NULL || e->borrows)
        return;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->code[i].op == OP_SPATIAL)
            odp_spatial_free((struct odp_spatial *)(uintptr_t)e->code[i].spatial); /* made by the compiler, shared as const */
}

const uint32_t *odp_expr_fields(const struct odp_expr *e, size_t *n)
{
    *n = e->nfields;
    return e->fields;
}

const struct odp_expr_pair *odp_expr_pairs(const struct odp_expr *e, size_t *n)
{
    *n = e->npairs;
    return e->pairs;
}

bool odp_expr_has_geometry(const struct odp_expr *e)
{
    return e->geometry != NULL;
}
