/* The program of an expression: what the parser appends to it, what it uses; programs made of others, and
 * giving them back. */

#include "catalog/expr/expr_internal.h"

/* ---- tree ---- */

/* The program as a tree. Operands come off a stack as in eval.c; chains are joined while it is built, so
 * nothing goes deeper than parentheses do. */

static void append(struct expr_node *to, struct expr_node *child)
{
    if (to->last != NULL)
        to->last->next = child;
    else
        to->child = child;
    to->last = child;
    to->leaves += child->leaves;
    to->values += child->values;
    to->constant = to->constant && child->constant;
}

/* Moves FROM's operands to TO. */
static void take_over(struct expr_node *to, const struct expr_node *from)
{
    if (to->last != NULL)
        to->last->next = from->child;
    else
        to->child = from->child;
    to->last = from->last;
    to->leaves += from->leaves;
    to->values += from->values;
    to->constant = to->constant && from->constant;
}

/* LEFT op RIGHT. AND and OR take both sides in: they are associative for three values, too. Arithmetic
 * rounds, so only its left. */
static void join(struct expr_node *n, struct expr_node *left, struct expr_node *right)
{
    const uint8_t chain = expr_ops[n->in->op].chain;
    bool logic = chain == OP_AND || chain == OP_OR;
    n->constant = true;
    if (left->child != NULL && expr_ops[left->in->op].chain == chain)
        take_over(n, left);
    else
        append(n, left);
    if (logic && right->child != NULL && expr_ops[right->in->op].chain == chain) {
        take_over(n, right);
        return;
    }
    right->join = n->in->op;
    append(n, right);
}

static void fill(struct expr_node *n, struct expr_node **operand, unsigned count)
{
    enum op op = (enum op)n->in->op;
    if (expr_ops[op].chain != 0) {
        join(n, operand[0], operand[1]);
        return;
    }
    n->constant = op != OP_FIELD && op != OP_GEOMETRY && op != OP_SPATIAL;
    n->values = op == OP_CONST_NUM || op == OP_CONST_TEXT || op == OP_CONST_BOOL;
    for (unsigned i = 0; i < count; i++)
        append(n, operand[i]);
    if (op == OP_CALL ? expr_call_gives(n->in) == KIND_BOOL : n->in->kind == KIND_BOOL || op >= OP_EQ)
        n->leaves = n->leaves > 0 ? n->leaves : 1;
}

const struct expr_node *expr_tree(struct odp_arena *a, const struct odp_expr *e)
{
    struct expr_node **stack = odp_arena_array(a, (size_t)e->depth + 1, sizeof(struct expr_node *));
    struct expr_node *nodes = odp_arena_zero(a, e->n, sizeof *nodes);
    size_t top = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const struct instr *in = &e->code[i];
        struct expr_node *n = &nodes[i];
        unsigned count = in->op == OP_CALL ? in->field : expr_ops[in->op].operands;
        *n = (struct expr_node){.in = in, .first = i, .end = i + 1};
        top -= count;
        if (count > 0)
            n->first = stack[top]->first;
        if (in->op == OP_IN_ITEM) { /* the list gathers its items */
            append(stack[top], stack[top + 1]);
            top++;
            continue;
        }
        fill(n, &stack[top], in->op == OP_IN_END ? 1 : count);
        if (in->op == OP_IN_END)
            take_over(n, stack[top + 1]);
        stack[top++] = n;
    }
    return stack[0];
}

const struct expr_op expr_ops[] = {
    [OP_FIELD] = {NULL, 0, 0},       [OP_CONST_NUM] = {NULL, 0, 0}, [OP_CONST_TEXT] = {NULL, 0, 0},
    [OP_CONST_BOOL] = {NULL, 0, 0},  [OP_GEOMETRY] = {NULL, 0, 0},  [OP_SPATIAL] = {NULL, 0, 0},
    [OP_ADD] = {"+", 2, OP_ADD},     [OP_SUB] = {"-", 2, OP_ADD},   [OP_MUL] = {"*", 2, OP_MUL},
    [OP_DIV] = {"/", 2, OP_MUL},     [OP_NEG] = {NULL, 1, 0},       [OP_CALL] = {NULL, 0, 0},
    [OP_EQ] = {"=", 2, 0},           [OP_NE] = {"<>", 2, 0},        [OP_LT] = {"<", 2, 0},
    [OP_LE] = {"<=", 2, 0},          [OP_GT] = {">", 2, 0},         [OP_GE] = {">=", 2, 0},
    [OP_BETWEEN] = {NULL, 3, 0},     [OP_LIKE] = {NULL, 2, 0},      [OP_IS_NULL] = {NULL, 1, 0},
    [OP_IN_BEGIN] = {NULL, 0, 0},    [OP_IN_ITEM] = {NULL, 2, 0},   [OP_IN_END] = {NULL, 2, 0},
    [OP_AND] = {" AND ", 2, OP_AND}, [OP_OR] = {" OR ", 2, OP_OR},  [OP_NOT] = {NULL, 1, 0},
};

struct instr *expr_emit(struct compiler *c, enum op op, enum kind kind, uint32_t pops)
{
    struct odp_expr *e = c->expr;
    if (c->status == ODP_OK &&
        (e->n == c->cap || c->stack < pops)) /* cannot happen: cap is twice the tokens */
        expr_stop(c, odp_failure_set("compile expression", NULL, 0));
    if (c->status != ODP_OK)
        return &c->dropped;
    c->stack += 1 - pops;
    if (c->stack > e->depth)
        e->depth = c->stack;
    struct instr *in = &e->code[e->n++];
    *in = (struct instr){.op = (uint8_t)op, .kind = (uint8_t)kind};
    return in;
}

void expr_note_field(struct odp_expr *e, uint32_t index)
{
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
            odp_spatial_free((struct odp_spatial *)(uintptr_t)e->code[i]
                                 .spatial); /* made by the compiler, shared as const */
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

/* ---- expressions made of others ---- */

/* Room for N instructions and so many fields. */
static struct odp_expr *make(struct odp_arena *arena, const struct odp_schema *schema, size_t n,
                             size_t fields)
{
    struct odp_expr *e = odp_arena_zero(arena, 1, sizeof *e);
    e->code = odp_arena_zero(arena, n, sizeof *e->code);
    e->fields = odp_arena_zero(arena, fields, sizeof *e->fields);
    e->schema = schema;
    return e;
}

enum odp_status odp_expr_and(struct odp_arena *arena, const struct odp_expr *a, const struct odp_expr *b,
                             const struct odp_expr **out)
{
    *out = NULL;
    if (a == NULL && b == NULL)
        return ODP_OK;
    if (a == NULL || b == NULL) { /* a copy: releasing it frees nothing of another's */
        struct odp_expr *copy = odp_arena_zero(arena, 1, sizeof *copy);
        *copy = a != NULL ? *a : *b;
        copy->borrows = true;
        *out = copy;
        return ODP_OK;
    }
    struct odp_expr *e = make(arena, a->schema, (size_t)a->n + b->n + 1, (size_t)a->nfields + b->nfields + 1);
    memcpy(e->code, a->code, a->n * sizeof *e->code);
    memcpy(e->code + a->n, b->code, b->n * sizeof *e->code);
    e->n = a->n + b->n + 1;
    e->code[e->n - 1] = (struct instr){.op = OP_AND, .kind = KIND_BOOL};
    e->depth = a->depth > b->depth + 1 ? a->depth : b->depth + 1;
    for (uint32_t i = 0; i < a->nfields; i++)
        expr_note_field(e, a->fields[i]);
    for (uint32_t i = 0; i < b->nfields; i++)
        expr_note_field(e, b->fields[i]);
    e->geometry = a->geometry != NULL ? a->geometry : b->geometry;
    e->borrows = true;
    *out = e;
    return ODP_OK;
}

enum odp_status odp_expr_box(struct odp_arena *arena, const struct odp_expr_scope *scope, const double box[4],
                             const struct odp_expr **out)
{
    struct odp_spatial *spatial;
    struct odp_expr *e = make(arena, scope->schema, 1, 1);
    enum odp_status status = odp_spatial_box(&spatial, ODP_S_INTERSECTS, box);
    e->code[0] =
        (struct instr){.op = OP_SPATIAL, .kind = KIND_BOOL, .spatial = spatial, .relation = ODP_S_INTERSECTS};
    e->n = e->depth = 1;
    e->geometry = scope->geometry != NULL ? scope->geometry : "";
    *out = status == ODP_OK ? e : NULL;
    return status;
}

enum odp_status odp_expr_equal(struct odp_arena *arena, const struct odp_expr_scope *scope, uint32_t field,
                               struct odp_expr_values values, const struct odp_expr **out,
                               struct odp_text *expected)
{
    enum odp_type type = scope->schema->fields[field].type;
    const uint8_t kind = (uint8_t)expr_kind_of(type);
    struct odp_expr *e = make(arena, scope->schema, 2 * values.n + 3, 1);
    struct instr *in = e->code;
    *out = NULL;
    *in++ = (struct instr){.op = OP_FIELD, .kind = kind, .field = field};
    if (values.n != 1)
        *in++ = (struct instr){.op = OP_IN_BEGIN, .kind = KIND_BOOL};
    for (size_t i = 0; i < values.n; i++) {
        enum odp_status status = expr_constant(arena, values.list[i], type, in++, expected);
        if (status != ODP_OK)
            return status;
        *in++ = (struct instr){.op = values.n != 1 ? OP_IN_ITEM : OP_EQ, .kind = kind};
    }
    if (values.n != 1)
        *in++ = (struct instr){.op = OP_IN_END, .kind = kind};
    e->n = (uint32_t)(in - e->code);
    e->depth = values.n != 1 ? 3 : 2;
    e->fields[0] = field;
    e->nfields = 1;
    *out = e;
    return ODP_OK;
}
