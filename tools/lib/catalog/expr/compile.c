/* Recursive descent over the tokens, straight into the program:
 *
 *   or: and {OR and} · and: not {AND not} · not: [NOT] predicate
 *   predicate: sum [comparison sum | [NOT] BETWEEN sum AND sum | [NOT] LIKE text | [NOT] IN ( sum {, sum} ) | IS [NOT] NULL]
 *   sum: product {(+|-) product} · product: sign {(*|/) sign} · sign: [+|-] primary
 *   primary: number | text | TRUE | FALSE | DATE(text) | TIMESTAMP(text) | CASEI(sum) | field | S_…(geometry, literal) |
 *            ( or ) */
#include <string.h>

#include "catalog/expr/expr_internal.h"
#include "catalog/expr/fold.h"
#include "words/expr.h"

static enum odp_status parse_or(struct compiler *c, struct operand *out) ODP_MUST_USE;
static enum odp_status parse_sum(struct compiler *c, struct operand *out) ODP_MUST_USE;
static enum odp_status parse_sign(struct compiler *c, struct operand *out) ODP_MUST_USE;

static const struct token *peek(const struct compiler *c)
{
    return &c->tokens[c->at];
}

static bool take(struct compiler *c, enum token_kind kind)
{
    if (peek(c)->kind != kind)
        return false;
    c->at++;
    return true;
}

static uint32_t previous_end(const struct compiler *c)
{
    const struct token *t = &c->tokens[c->at - 1];
    return t->at + t->len;
}

static enum odp_status enter(struct compiler *c)
{
    const struct token *t = peek(c);
    if (++c->nesting <= EXPR_DEPTH)
        return ODP_OK;
    return expr_fault(c, t->at, t->at + t->len, W_expr_expression_nested_more_than_100);
}

static enum odp_status begin_literal(struct compiler *c, struct operand *out, enum op op, enum kind kind, struct instr **in)
{
    const struct token *t = peek(c);
    *out = (struct operand){.kind = kind, .literal = true, .first = c->expr->n, .at = t->at, .end = t->at + t->len};
    *in = expr_emit(c, op, kind, 0);
    return *in != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status parse_number(struct compiler *c, struct operand *out)
{
    struct instr *in;
    if (begin_literal(c, out, OP_CONST_NUM, KIND_NUMBER, &in) != ODP_OK)
        return ODP_FAIL;
    in->num = num_parse(peek(c)->text);
    if (in->num.state == NUM_WIDE && (in->num.wide = odp_arena_copy(c->arena, in->num.wide)).ptr == NULL)
        return ODP_FAIL;
    if (in->num.state == NUM_NULL)
        return expr_fault(c, out->at, out->end, W_expr_number_out_range);
    c->at++;
    return ODP_OK;
}

static enum odp_status parse_text(struct compiler *c, struct operand *out)
{
    struct instr *in;
    if (begin_literal(c, out, OP_CONST_TEXT, KIND_TEXT, &in) != ODP_OK)
        return ODP_FAIL;
    in->text = peek(c)->text;
    c->at++;
    return ODP_OK;
}

static enum odp_status parse_truth(struct compiler *c, struct operand *out)
{
    struct instr *in;
    if (begin_literal(c, out, OP_CONST_BOOL, KIND_BOOL, &in) != ODP_OK)
        return ODP_FAIL;
    in->truth = peek(c)->kind == TOKEN_TRUE;
    c->at++;
    return ODP_OK;
}

static enum odp_status parse_field(struct compiler *c, struct operand *out)
{
    const struct token *t = peek(c);
    int index = odp_schema_find(c->schema, t->text);
    if (index < 0 && c->geometry != NULL && odp_slice_is(t->text, c->geometry)) {
        *out = (struct operand){.kind = KIND_COMPLEX, .first = c->expr->n, .at = t->at, .end = t->at + t->len};
        c->expr->geometry = c->geometry;
        c->at++;
        return expr_emit(c, OP_GEOMETRY, KIND_COMPLEX, 0) != NULL ? ODP_OK : ODP_FAIL;
    }
    if (index < 0)
        return expr_fault_field(c, t);
    *out = (struct operand){
        .kind = expr_kind_of(c->schema->fields[index].type), .first = c->expr->n, .at = t->at, .end = t->at + t->len};
    struct instr *in = expr_emit(c, OP_FIELD, out->kind, 0);
    if (in == NULL)
        return ODP_FAIL;
    in->field = (uint32_t)index;
    c->at++;
    expr_note_field(c, in->field);
    return ODP_OK;
}

/* DATE('…') and TIMESTAMP('…'). */
static enum odp_status parse_instant(struct compiler *c, struct operand *out, enum kind kind)
{
    struct operand model = {.kind = kind};
    if (peek(c)->kind != TOKEN_TEXT)
        return expr_expected(c, W_expr_text_between_quotes);
    enum odp_status status = parse_text(c, out);
    return status == ODP_OK ? expr_unify(c, &model, out, false) : status;
}

static enum odp_status parse_casei(struct compiler *c, struct operand *out)
{
    enum odp_status status = parse_sum(c, out);
    if (status == ODP_OK)
        status = expr_require(c, out, KIND_TEXT);
    if (status != ODP_OK)
        return status;
    struct instr *last = &c->expr->code[out->first];
    if (out->literal) {
        char *folded = odp_arena_alloc(c->arena, last->text.len * EXPR_FOLD + 1);
        last->text = (struct odp_slice){folded, expr_fold(last->text, folded)};
        return ODP_OK;
    }
    return expr_emit(c, OP_FOLD, KIND_TEXT, 1) != NULL ? ODP_OK : ODP_FAIL;
}

static bool is_word(const struct token *t, const char *word)
{
    return t->text.len == strlen(word) && strncasecmp(t->text.ptr, word, t->text.len) == 0;
}

static enum odp_status parse_function(struct compiler *c, struct operand *out)
{
    const struct token *name = peek(c);
    enum odp_status status;
    int relation = odp_spatial_op_find(name->text);
    if (relation >= 0)
        return expr_parse_spatial(c, (enum odp_spatial_op)relation, out);
    c->at += 2;
    if (is_word(name, "date"))
        status = parse_instant(c, out, KIND_DATE);
    else if (is_word(name, "timestamp"))
        status = parse_instant(c, out, KIND_DATETIME);
    else if (is_word(name, "casei"))
        status = parse_casei(c, out);
    else
        return expr_fault_about(
            c, name->at, name->at + name->len, W_expr_there_no_function_there_date, name->text, (struct odp_slice){0});
    if (status != ODP_OK)
        return status;
    if (!take(c, TOKEN_CLOSE))
        return expr_expected(c, W_expr_closing_parenthesis);
    out->at = name->at;
    out->end = previous_end(c);
    return ODP_OK;
}

static enum odp_status parse_parens(struct compiler *c, struct operand *out)
{
    uint32_t at = peek(c)->at;
    c->at++;
    enum odp_status status = parse_or(c, out);
    if (status != ODP_OK)
        return status;
    if (!take(c, TOKEN_CLOSE))
        return expr_expected(c, W_expr_closing_parenthesis);
    out->at = at;
    out->end = previous_end(c);
    return ODP_OK;
}

static enum odp_status parse_primary(struct compiler *c, struct operand *out)
{
    const struct token *t = peek(c);
    switch (t->kind) {
    case TOKEN_NUMBER:
        return parse_number(c, out);
    case TOKEN_TEXT:
        return parse_text(c, out);
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        return parse_truth(c, out);
    case TOKEN_NAME:
        return t[1].kind == TOKEN_OPEN ? parse_function(c, out) : parse_field(c, out);
    case TOKEN_QUOTED:
        return parse_field(c, out);
    case TOKEN_OPEN:
        return parse_parens(c, out);
    case TOKEN_NULL:
        return expr_fault(c, t->at, t->at + t->len, W_expr_null_cannot_compared_write_null);
    default:
        return expr_expected(c, W_expr_field_number_text_opening);
    }
}

/* A literal too long for 128 bits stays text, so its sign is text too. */
static enum odp_status negate_literal(struct compiler *c, struct instr *in)
{
    struct odp_slice old = in->num.wide;
    if (in->num.state != NUM_WIDE) {
        in->num = num_neg(in->num);
        return ODP_OK;
    }
    if (*old.ptr == '-') {
        in->num.wide = (struct odp_slice){old.ptr + 1, old.len - 1};
        return ODP_OK;
    }
    char *text = odp_arena_alloc(c->arena, old.len + 1);
    *text = '-';
    memcpy(text + 1, old.ptr, old.len);
    in->num.wide = (struct odp_slice){text, old.len + 1};
    return ODP_OK;
}

static enum odp_status parse_sign(struct compiler *c, struct operand *out)
{
    const struct token *t = peek(c);
    if (t->kind != TOKEN_MINUS && t->kind != TOKEN_PLUS) {
        enum odp_status status = enter(c);
        if (status == ODP_OK)
            status = parse_primary(c, out);
        c->nesting--;
        return status;
    }
    c->at++;
    enum odp_status status = enter(c);
    if (status == ODP_OK)
        status = parse_sign(c, out);
    c->nesting--;
    if (status == ODP_OK)
        status = expr_require(c, out, KIND_NUMBER);
    if (status != ODP_OK || t->kind == TOKEN_PLUS)
        return status;
    out->at = t->at;
    if (out->literal)
        return negate_literal(c, &c->expr->code[out->first]);
    return expr_emit(c, OP_NEG, KIND_NUMBER, 1) != NULL ? ODP_OK : ODP_FAIL;
}

/* One left-associative level of arithmetic: {SIGN operand}, SIGN between FIRST and LAST of the tokens. */
static enum odp_status parse_level(struct compiler *c, struct operand *out, enum token_kind low, enum token_kind high,
                                   enum op op, enum odp_status (*operand)(struct compiler *, struct operand *))
{
    struct operand right;
    enum odp_status status = operand(c, out);
    while (status == ODP_OK && (peek(c)->kind == low || peek(c)->kind == high)) {
        enum op now = peek(c)->kind == low ? op : (enum op)(op + 1);
        c->at++;
        status = expr_require(c, out, KIND_NUMBER);
        if (status == ODP_OK)
            status = operand(c, &right);
        if (status == ODP_OK)
            status = expr_require(c, &right, KIND_NUMBER);
        if (status == ODP_OK && expr_emit(c, now, KIND_NUMBER, 2) == NULL)
            return ODP_FAIL;
        if (status == ODP_OK) {
            out->literal = false;
            out->end = right.end;
        }
    }
    return status;
}

static enum odp_status parse_product(struct compiler *c, struct operand *out)
{
    return parse_level(c, out, TOKEN_TIMES, TOKEN_OVER, OP_MUL, parse_sign);
}

static enum odp_status parse_sum(struct compiler *c, struct operand *out)
{
    return parse_level(c, out, TOKEN_PLUS, TOKEN_MINUS, OP_ADD, parse_product);
}

/* The last instruction of a predicate: everything since FIRST of LEFT is a truth now. */
static enum odp_status finish(struct compiler *c, struct operand *left, enum op op, enum kind kind, uint32_t pops, bool negate)
{
    struct instr *in = expr_emit(c, op, kind, pops);
    if (in == NULL)
        return ODP_FAIL;
    in->negate = negate;
    left->kind = KIND_BOOL;
    left->literal = false;
    left->end = previous_end(c);
    return ODP_OK;
}

static enum odp_status parse_comparison(struct compiler *c, struct operand *left)
{
    static const enum op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    enum op op = ops[peek(c)->kind - TOKEN_EQ];
    struct operand right;
    c->at++;
    enum odp_status status = parse_sum(c, &right);
    if (status == ODP_OK)
        status = expr_unify(c, left, &right, op != OP_EQ && op != OP_NE);
    return status == ODP_OK ? finish(c, left, op, left->kind, 2, false) : status;
}

static enum odp_status parse_between(struct compiler *c, struct operand *left, bool negate)
{
    struct operand low, high;
    enum odp_status status = parse_sum(c, &low);
    if (status == ODP_OK && !take(c, TOKEN_AND))
        status = expr_expected(c, W_expr_upper_bound);
    if (status == ODP_OK)
        status = parse_sum(c, &high);
    if (status == ODP_OK)
        status = expr_unify(c, left, &low, true);
    if (status == ODP_OK)
        status = expr_unify(c, left, &high, true);
    return status == ODP_OK ? finish(c, left, OP_BETWEEN, left->kind, 3, negate) : status;
}

/* The pattern is a text (or CASEI of one): it cannot come from the data. */
static enum odp_status parse_like(struct compiler *c, struct operand *left, bool negate)
{
    struct operand pattern;
    enum odp_status status = expr_require(c, left, KIND_TEXT);
    if (status == ODP_OK)
        status = parse_sum(c, &pattern);
    if (status != ODP_OK)
        return status;
    if (!pattern.literal || pattern.kind != KIND_TEXT)
        return expr_fault(c, pattern.at, pattern.end, W_expr_pattern_like_must_text_between);
    return finish(c, left, OP_LIKE, KIND_TEXT, 2, negate);
}

/* value, then an accumulator, then for each item: its code and IN_ITEM (accumulator OR value = item). */
static enum odp_status parse_in(struct compiler *c, struct operand *left, bool negate)
{
    if (!take(c, TOKEN_OPEN))
        return expr_expected(c, W_expr_opening_parenthesis);
    if (expr_emit(c, OP_IN_BEGIN, KIND_BOOL, 0) == NULL)
        return ODP_FAIL;
    do {
        struct operand item;
        enum odp_status status = parse_sum(c, &item);
        if (status == ODP_OK)
            status = expr_unify(c, left, &item, false);
        if (status != ODP_OK)
            return status;
        if (expr_emit(c, OP_IN_ITEM, left->kind, 2) == NULL)
            return ODP_FAIL;
    } while (take(c, TOKEN_COMMA));
    if (!take(c, TOKEN_CLOSE))
        return expr_expected(c, W_expr_comma_closing_parenthesis);
    return finish(c, left, OP_IN_END, left->kind, 2, negate);
}

static enum odp_status parse_predicate(struct compiler *c, struct operand *out)
{
    enum odp_status status = parse_sum(c, out);
    if (status != ODP_OK)
        return status;
    if (peek(c)->kind >= TOKEN_EQ && peek(c)->kind <= TOKEN_GE) {
        status = parse_comparison(c, out);
        if (status == ODP_OK && peek(c)->kind >= TOKEN_EQ && peek(c)->kind <= TOKEN_GE)
            return expr_fault(c, peek(c)->at, peek(c)->at + peek(c)->len,
                              W_expr_comparisons_cannot_chained_join);
        return status;
    }
    if (take(c, TOKEN_IS)) {
        bool negate = take(c, TOKEN_NOT);
        if (!take(c, TOKEN_NULL))
            return expr_expected(c, "NULL", "NULL");
        return finish(c, out, OP_IS_NULL, out->kind, 1, negate);
    }
    bool negate = take(c, TOKEN_NOT);
    if (take(c, TOKEN_BETWEEN))
        return parse_between(c, out, negate);
    if (take(c, TOKEN_LIKE))
        return parse_like(c, out, negate);
    if (take(c, TOKEN_IN))
        return parse_in(c, out, negate);
    return negate ? expr_expected(c, W_expr_between_like) : ODP_OK;
}

static enum odp_status parse_not(struct compiler *c, struct operand *out)
{
    const struct token *t = peek(c);
    if (!take(c, TOKEN_NOT))
        return parse_predicate(c, out);
    enum odp_status status = enter(c);
    if (status == ODP_OK)
        status = parse_not(c, out);
    c->nesting--;
    if (status == ODP_OK)
        status = expr_require(c, out, KIND_BOOL);
    if (status != ODP_OK)
        return status;
    out->at = t->at;
    return finish(c, out, OP_NOT, KIND_BOOL, 1, false);
}

static enum odp_status parse_chain(struct compiler *c, struct operand *out, enum token_kind word, enum op op,
                                   enum odp_status (*part)(struct compiler *, struct operand *))
{
    struct operand right;
    enum odp_status status = part(c, out);
    while (status == ODP_OK && take(c, word)) {
        status = expr_require(c, out, KIND_BOOL);
        if (status == ODP_OK)
            status = part(c, &right);
        if (status == ODP_OK)
            status = expr_require(c, &right, KIND_BOOL);
        if (status == ODP_OK)
            status = finish(c, out, op, KIND_BOOL, 2, false);
    }
    return status;
}

static enum odp_status parse_and(struct compiler *c, struct operand *out)
{
    return parse_chain(c, out, TOKEN_AND, OP_AND, parse_not);
}

static enum odp_status parse_or(struct compiler *c, struct operand *out)
{
    return parse_chain(c, out, TOKEN_OR, OP_OR, parse_and);
}

enum odp_status expr_compile_tokens(struct compiler *c, const struct odp_expr **out)
{
    struct operand whole;
    struct odp_expr *e = odp_arena_zero(c->arena, 1, sizeof *e);
    c->expr = e;
    e->schema = c->schema;
    e->code = odp_arena_array(c->arena, c->cap, sizeof *e->code);
    e->fields = odp_arena_array(c->arena, (size_t)c->schema->n + 1 + (c->others != NULL ? c->cap : 0), sizeof *e->fields);
    e->pairs = c->others != NULL ? odp_arena_array(c->arena, c->cap, sizeof *e->pairs) : NULL;
    if ((c->others != NULL && e->pairs == NULL))
        return ODP_FAIL;
    enum odp_status status = parse_or(c, &whole);
    if (status == ODP_OK && peek(c)->kind != TOKEN_END)
        status = expr_expected(c, W_expr_end_expression);
    if (status == ODP_OK)
        status = expr_require(c, &whole, KIND_BOOL);
    if (status == ODP_OK)
        *out = e;
    else
        odp_expr_release(e);
    return status;
}

enum odp_status odp_expr_compile_in(struct odp_arena *arena, struct odp_slice text, const struct odp_expr_scope *scope,
                                    const struct odp_expr **out, struct odp_expr_fault *fault)
{
    struct compiler c = {.arena = arena,
                         .text = text.ptr != NULL ? text : ODP_LIT(""),
                         .schema = scope->schema,
                         .geometry = scope->geometry,
                         .others = scope->others,
                         .fault = fault};
    *out = NULL;
    *fault = (struct odp_expr_fault){0};
    enum odp_status status = expr_lex(&c);
    if (status == ODP_OK && c.tokens[0].kind == TOKEN_END)
        status = expr_fault(&c, 0, text.len, W_expr_expression_empty);
    return status == ODP_OK ? expr_compile_tokens(&c, out) : status;
}

enum odp_status odp_expr_compile(struct odp_arena *arena, struct odp_slice text, const struct odp_schema *schema,
                                 const struct odp_expr **out, struct odp_expr_fault *fault)
{
    const struct odp_expr_scope scope = {.schema = schema};
    return odp_expr_compile_in(arena, text, &scope, out, fault);
}
