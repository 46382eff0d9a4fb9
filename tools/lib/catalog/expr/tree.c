/* The program as a tree. Operands come off a stack as eval.c takes them; chains are joined while it is built, so nothing here
 * or behind it goes deeper than parentheses do. */
#include "catalog/expr/expr_internal.h"

static unsigned operands_of(enum op op)
{
    switch (op) {
    case OP_FIELD:
    case OP_CONST_NUM:
    case OP_CONST_TEXT:
    case OP_CONST_BOOL:
    case OP_GEOMETRY:
    case OP_SPATIAL:
    case OP_IN_BEGIN:
        return 0;
    case OP_NEG:
    case OP_NOT:
    case OP_FOLD:
    case OP_IS_NULL:
        return 1;
    case OP_BETWEEN:
        return 3;
    default:
        return 2;
    }
}

/* What chains with OP; OP_NOT where nothing does. */
static enum op chain_of(enum op op)
{
    switch (op) {
    case OP_AND:
    case OP_OR:
        return op;
    case OP_ADD:
    case OP_SUB:
        return OP_ADD;
    case OP_MUL:
    case OP_DIV:
        return OP_MUL;
    default:
        return OP_NOT;
    }
}

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

static bool chains(const struct expr_node *n, enum op chain)
{
    return n->child != NULL && chain_of((enum op)n->in->op) == chain;
}

/* LEFT op RIGHT. AND and OR take both sides in: they are associative for three values, too. Arithmetic rounds, so only its
 * left. */
static void join(struct expr_node *n, struct expr_node *left, struct expr_node *right)
{
    enum op op = (enum op)n->in->op, chain = chain_of(op);
    bool logic = chain == OP_AND || chain == OP_OR;
    n->constant = true;
    if (chains(left, chain)) {
        n->child = left->child;
        n->last = left->last;
        n->leaves = left->leaves;
        n->values = left->values;
        n->constant = left->constant;
    } else {
        append(n, left);
    }
    if (!logic || !chains(right, chain)) {
        right->join = (uint8_t)op;
        append(n, right);
        return;
    }
    n->last->next = right->child;
    n->last = right->last;
    n->leaves += right->leaves;
    n->values += right->values;
    n->constant = n->constant && right->constant;
}

static void fill(struct expr_node *n, struct expr_node **operand, unsigned count)
{
    enum op op = (enum op)n->in->op;
    if (count == 2 && chain_of(op) != OP_NOT) {
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

enum odp_status expr_tree(struct odp_arena *a, const struct odp_expr *e, struct expr_node **out)
{
    struct expr_node **stack = odp_arena_array(a, (size_t)e->depth + 1, sizeof(struct expr_node *));
    struct expr_node *nodes = odp_arena_zero(a, e->n, sizeof *nodes);
    size_t top = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const struct instr *in = &e->code[i];
        struct expr_node *n = &nodes[i];
        unsigned count = operands_of((enum op)in->op);
        *n = (struct expr_node){.in = in, .first = i, .end = i + 1};
        top -= count;
        if (count > 0)
            n->first = stack[top]->first;
        if (in->op == OP_IN_ITEM) { /* the list gathers its items */
            append(stack[top], stack[top + 1]);
            top++;
            continue;
        }
        if (in->op == OP_IN_END) {
            struct expr_node *value = stack[top], *list = stack[top + 1];
            fill(n, &value, 1);
            n->last->next = list->child;
            n->last = list->last;
            n->leaves += list->leaves;
            n->values += list->values;
            n->constant = n->constant && list->constant;
        } else {
            fill(n, &stack[top], count);
        }
        stack[top++] = n;
    }
    *out = stack[0];
    return ODP_OK;
}
