/* S_INTERSECTS(geometry, literal) and its kin: the literal is read by spatial_text.c from the text itself, so
 * the tokens it was cut into are stepped over. */
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

static const struct token *peek(const struct compiler *c)
{
    return &c->tokens[c->at];
}

static bool is_name(const struct token *t)
{
    return t->kind == TOKEN_NAME || t->kind == TOKEN_QUOTED;
}

static bool ends_argument(const struct token *t)
{
    return t->kind == TOKEN_COMMA || t->kind == TOKEN_CLOSE;
}

static bool is_geometry(const struct compiler *c, const struct token *t)
{
    return is_name(t) && ends_argument(&t[1]) && odp_slice_is(t->text, c->geometry);
}

static void fault_side(struct compiler *c, const struct token *t)
{
    struct odp_slice name = odp_slice_of(c->geometry);
    expr_fault_about(c, t, W_expr_expected_here_geometry_such_point, name, name);
}

/* The literal at T's place in its text is wrong at byte AT, to the end of the token that has it. */
static void fault_literal(struct compiler *c, const struct token *t, size_t at, struct odp_text why)
{
    size_t from = at, end = at;
    if (t->kind == TOKEN_SHAPE) {
        from = t->at;
        end = t->at + t->len;
    }
    for (const struct token *k = t; t->kind != TOKEN_SHAPE && k->kind != TOKEN_END && k->at <= at; k++)
        if (at < k->at + k->len)
            end = k->at + k->len;
    expr_fault(c, from, end, why.in[ODP_LANG_ID], why.in[ODP_LANG_EN]);
}

/* The literal that begins at the next token. */
static struct odp_spatial *take_literal(struct compiler *c, enum odp_spatial_op relation, bool flipped)
{
    const struct token *t = peek(c);
    bool own = t->kind == TOKEN_SHAPE; /* its text stands by itself */
    struct odp_text why = {{NULL, NULL}};
    struct odp_spatial *out = NULL;
    size_t at = own ? 0 : t->at;
    if (!own && (t->kind != TOKEN_NAME || ends_argument(&t[1]) || c->text.ptr == NULL)) {
        fault_side(c, t);
        return NULL;
    }
    enum odp_status status =
        odp_spatial_parse(&out, relation, flipped, own ? t->text : c->text, &at, c->arena, &why);
    if (status == ODP_BAD)
        fault_literal(c, t, at, why);
    else if (status != ODP_OK)
        expr_stop(c, status);
    if (status != ODP_OK)
        return NULL;
    c->at++;
    while (!own && peek(c)->kind != TOKEN_END && peek(c)->at < at)
        c->at++;
    return out;
}

/* GEOMETRY , LITERAL or the other way round, up to the closing parenthesis. */
static struct odp_spatial *parse_sides(struct compiler *c, enum odp_spatial_op relation, bool *flipped)
{
    struct odp_spatial *literal = NULL;
    *flipped = !is_geometry(c, peek(c));
    if (*flipped)
        literal = take_literal(c, relation, true);
    else
        c->at++;
    if (!expr_take(c, TOKEN_COMMA))
        expr_expected(c, W_expr_a_comma);
    const struct token *second = peek(c);
    if (!*flipped && c->status == ODP_OK)
        literal = take_literal(c, relation, false);
    else if (is_geometry(c, second))
        c->at++;
    else if (second->kind == TOKEN_NAME && second[1].kind == TOKEN_OPEN)
        expr_fault_about(c, second, W_expr_one_both_must, odp_slice_of(c->geometry), (struct odp_slice){0});
    else
        fault_side(c, second);
    if (!expr_take(c, TOKEN_CLOSE))
        expr_expected(c, W_expr_closing_parenthesis);
    return literal;
}

/* Which of the other geometries T names, or -1. */
static int other_of(const struct compiler *c, const struct token *t)
{
    for (int i = 0; c->others != NULL && is_name(t) && c->others[i] != NULL; i++)
        if (odp_slice_is(t->text, c->others[i]))
            return i;
    return -1;
}

/* GEOMETRY , OTHER or the other way round, from the next token on: the caller of the expression knows the
 * answer. False: it is something else. */
static bool is_pair(const struct compiler *c, int *other, bool *flipped)
{
    const struct token *t = peek(c);
    if (c->others == NULL || t->kind == TOKEN_END || t[1].kind != TOKEN_COMMA)
        return false;
    *flipped = other_of(c, t) >= 0;
    *other = other_of(c, *flipped ? t : &t[2]);
    return *other >= 0 && odp_slice_is((*flipped ? &t[2] : t)->text, c->geometry);
}

static void parse_pair(struct compiler *c, enum odp_spatial_op op, uint32_t other)
{
    struct odp_expr *e = c->expr;
    uint32_t k = 0;
    c->at += 3;
    if (!expr_take(c, TOKEN_CLOSE))
        expr_expected(c, W_expr_closing_parenthesis);
    while (k < e->npairs && (e->pairs[k].op != op || e->pairs[k].other != other))
        k++;
    if (k == e->npairs)
        e->pairs[e->npairs++] = (struct odp_expr_pair){op, other};
    expr_emit(c, OP_FIELD, KIND_BOOL, 0)->field = c->schema->n + k;
    expr_note_field(e, c->schema->n + k);
}

struct operand expr_parse_spatial(struct compiler *c, enum odp_spatial_op relation)
{
    const struct token *name = peek(c);
    struct operand out = {.kind = KIND_BOOL, .first = c->expr->n, .at = name->at};
    bool flipped;
    int other;
    if (c->geometry == NULL) {
        expr_fault_token(c, name, W_expr_these_records_have_no_geometry);
        return out;
    }
    c->at += 2;
    c->expr->geometry = c->geometry;
    if (is_pair(c, &other, &flipped)) {
        parse_pair(c, flipped ? odp_spatial_flipped(relation) : relation, (uint32_t)other);
    } else {
        struct odp_spatial *literal = parse_sides(c, relation, &flipped);
        struct instr *in = expr_emit(c, OP_SPATIAL, KIND_BOOL, 0);
        in->spatial = literal; /* released with the program, or here */
        in->relation = (uint8_t)relation;
        in->negate = flipped;
        if (c->status != ODP_OK)
            odp_spatial_free(literal);
    }
    out.end = c->tokens[c->at - 1].at + c->tokens[c->at - 1].len;
    return out;
}
