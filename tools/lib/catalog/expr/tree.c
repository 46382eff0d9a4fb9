/* The program as a tree. Operands come off a stack as eval.c takes them; chains are joined while it is built,
 * so nothing here or behind it goes deeper than parentheses do. */
#include "catalog/expr/expr_internal.h"

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

/* The operands of FROM become further ones of TO. */
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
    if (n->in->kind == KIND_BOOL || op >= OP_EQ)
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
        unsigned count = expr_ops[in->op].operands;
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
