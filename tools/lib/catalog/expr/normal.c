/* The normal form: the language without needless choices. Names are quoted, numbers are as short as possible,
 * instants are in UTC, parentheses are where the tree needs them. Quotes are doubled, in a text backslashes
 * too: it is an expression again, with the same normal form (the query engine makes links of it). */
#include "catalog/expr/expr_internal.h"
#include "catalog/index/search.h"

static void write_node(const struct expr_node *n, const struct odp_expr *e, struct odp_buffer *out);

static void quoted(struct odp_buffer *out, struct odp_slice s, char quote)
{
    odp_buffer_add_char(out, quote);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == quote || (s.ptr[i] == '\\' && quote == '\''))
            odp_buffer_add_char(out, s.ptr[i]);
        odp_buffer_add_char(out, s.ptr[i]);
    }
    odp_buffer_add_char(out, quote);
}

static void constant(const struct instr *in, struct odp_buffer *out)
{
    bool call = in->kind == KIND_DATE ||
                in->kind == KIND_DATETIME; /* times and months are texts next to their fields */
    char room[NUM_TEXT];
    if (in->kind == KIND_NUMBER) {
        odp_buffer_add_slice(out, num_text(&in->num, room));
        return;
    }
    char instant[ODP_DATETIME_SIZE];
    struct odp_slice text = in->text;
    if (in->kind == KIND_DATETIME) /* as the index has it */
        text = (struct odp_slice){instant, odp_search_instant_text(in->text, instant)};
    odp_buffer_add_str(out, in->kind == KIND_DATE ? "DATE(" : call ? "TIMESTAMP(" : "");
    quoted(out, text, '\'');
    odp_buffer_add_str(out, call ? ")" : "");
}

static void spatial(const struct instr *in, const struct odp_expr *e, struct odp_buffer *out)
{
    odp_buffer_add_str(out, odp_spatial_op_name((enum odp_spatial_op)in->relation));
    odp_buffer_add_char(out, '(');
    if (!in->negate) {
        quoted(out, odp_slice_of(e->geometry), '"');
        odp_buffer_add_char(out, ',');
    }
    odp_spatial_add_text(in->spatial, out);
    if (in->negate) {
        odp_buffer_add_char(out, ',');
        quoted(out, odp_slice_of(e->geometry), '"');
    }
    odp_buffer_add_char(out, ')');
}

/* Everything but values and calls is put in parentheses. */
static void operand(const struct expr_node *n, const struct odp_expr *e, struct odp_buffer *out)
{
    bool bare = n->child == NULL || n->in->op == OP_CALL;
    odp_buffer_add_str(out, bare ? "" : "(");
    write_node(n, e, out);
    odp_buffer_add_str(out, bare ? "" : ")");
}

static void with_operands(const struct expr_node *n, const struct odp_expr *e, struct odp_buffer *out)
{
    const struct instr *in = n->in;
    const struct expr_node *k = n->child;
    enum op op = (enum op)in->op;
    operand(k, e, out);
    for (k = k->next; k != NULL && op != OP_BETWEEN && op != OP_IN_END && op != OP_LIKE; k = k->next) {
        odp_buffer_add_str(out, expr_ops[k->join != 0 ? k->join : op].sign);
        operand(k, e, out);
    }
    if (k == NULL)
        return;
    odp_buffer_add_str(out, in->negate ? " NOT" : "");
    odp_buffer_add_str(out, op == OP_BETWEEN ? " BETWEEN " : op == OP_LIKE ? " LIKE " : " IN (");
    for (; k != NULL; k = k->next) {
        operand(k, e, out);
        if (k->next != NULL)
            odp_buffer_add_str(out, op == OP_BETWEEN ? " AND " : ",");
    }
    odp_buffer_add_str(out, op == OP_IN_END ? ")" : "");
}

static void write_node(const struct expr_node *n, const struct odp_expr *e, struct odp_buffer *out)
{
    const struct instr *in = n->in;
    switch ((enum op)in->op) {
    case OP_FIELD:
        quoted(out, odp_slice_of(e->schema->fields[in->field].name), '"');
        break;
    case OP_GEOMETRY:
        quoted(out, odp_slice_of(e->geometry), '"');
        break;
    case OP_CONST_NUM:
        constant(in, out);
        break;
    case OP_CONST_TEXT:
        quoted(out, in->text, '\'');
        break;
    case OP_CONST_BOOL:
        odp_buffer_add_str(out, in->truth ? "TRUE" : "FALSE");
        break;
    case OP_SPATIAL:
        spatial(in, e, out);
        break;
    case OP_NEG:
    case OP_NOT:
        odp_buffer_add_str(out, in->op == OP_NEG ? "-" : "NOT ");
        operand(n->child, e, out);
        break;
    case OP_CALL:
        odp_buffer_add_str(out, odp_expr_function(in->relation)->name);
        for (const struct expr_node *k = n->child; k != NULL; k = k->next) {
            odp_buffer_add_char(out, k == n->child ? '(' : ',');
            write_node(k, e, out);
        }
        odp_buffer_add_char(out, ')');
        break;
    case OP_IS_NULL:
        operand(n->child, e, out);
        odp_buffer_add_str(out, in->negate ? " IS NOT NULL" : " IS NULL");
        break;
    default:
        with_operands(n, e, out);
        break;
    }
}

enum odp_status odp_expr_normal(const struct odp_expr *e, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    write_node(expr_tree(&arena, e), e, out);
    enum odp_status status = odp_arena_status(&arena);
    odp_arena_release(&arena);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
