/* S_INTERSECTS(geometry, literal) and its kin: the literal is read by spatial_text.c from the text itself, so the tokens it was cut
 * into are stepped over. */
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

static bool is_geometry(const struct compiler *c, const struct token *t)
{
    return (t->kind == TOKEN_NAME || t->kind == TOKEN_QUOTED) && (t[1].kind == TOKEN_COMMA || t[1].kind == TOKEN_CLOSE) &&
           odp_slice_is(t->text, c->geometry);
}

static enum odp_status fault_side(struct compiler *c, const struct token *t)
{
    struct odp_slice name = odp_slice_of(c->geometry);
    return expr_fault_about(c, t->at, t->at + t->len, W_expr_expected_here_geometry_such_point, name, name);
}

/* The literal that begins at the next token. */
static enum odp_status take_literal(struct compiler *c, enum odp_spatial_op relation, bool flipped, struct odp_spatial **out)
{
    const struct token *t = &c->tokens[c->at];
    bool own = t->kind == TOKEN_SHAPE; /* its text stands by itself */
    struct odp_text why = {{NULL, NULL}};
    size_t at = own ? 0 : t->at;
    if (!own && (t->kind != TOKEN_NAME || t[1].kind == TOKEN_COMMA || t[1].kind == TOKEN_CLOSE || c->text.ptr == NULL))
        return fault_side(c, t);
    enum odp_status status = odp_spatial_parse(out, relation, flipped, own ? t->text : c->text, &at, c->arena, &why);
    if (status == ODP_BAD) {
        size_t from = own ? t->at : at, end = own ? t->at + t->len : at;
        for (const struct token *k = t; !own && k->kind != TOKEN_END && k->at <= at; k++)
            if (at < k->at + k->len)
                end = k->at + k->len;
        c->fault->at = from;
        c->fault->len = end - from;
        c->fault->message = why;
    }
    if (status != ODP_OK)
        return status;
    c->at++;
    while (!own && c->tokens[c->at].kind != TOKEN_END && c->tokens[c->at].at < at)
        c->at++;
    return ODP_OK;
}

static bool take(struct compiler *c, enum token_kind kind)
{
    if (c->tokens[c->at].kind != kind)
        return false;
    c->at++;
    return true;
}

/* GEOMETRY , LITERAL or the other way round, up to the closing parenthesis. */
static enum odp_status parse_sides(struct compiler *c, enum odp_spatial_op relation, bool *flipped,
                                   struct odp_spatial **literal)
{
    enum odp_status status = ODP_OK;
    *flipped = !is_geometry(c, &c->tokens[c->at]);
    if (*flipped)
        status = take_literal(c, relation, true, literal);
    else
        c->at++;
    if (status == ODP_OK && !take(c, TOKEN_COMMA))
        status = expr_expected(c, W_expr_a_comma);
    if (status != ODP_OK)
        return status;
    const struct token *second = &c->tokens[c->at];
    if (*flipped && !is_geometry(c, second))
        return second->kind == TOKEN_NAME && second[1].kind == TOKEN_OPEN
                   ? expr_fault_about(c, second->at, second->at + second->len, W_expr_one_both_must, odp_slice_of(c->geometry), (struct odp_slice){0})
                   : fault_side(c, second);
    if (*flipped)
        c->at++;
    else
        status = take_literal(c, relation, false, literal);
    if (status == ODP_OK && !take(c, TOKEN_CLOSE))
        status = expr_expected(c, W_expr_closing_parenthesis);
    return status;
}

/* Which of the other geometries T names, or -1. */
static int other_of(const struct compiler *c, const struct token *t)
{
    for (int i = 0; c->others != NULL && (t->kind == TOKEN_NAME || t->kind == TOKEN_QUOTED) && c->others[i] != NULL; i++)
        if (odp_slice_is(t->text, c->others[i]))
            return i;
    return -1;
}

/* GEOMETRY , OTHER or the other way round, from the next token on: the caller of the expression knows the answer. False: it is something else. */
static bool is_pair(const struct compiler *c, int *other, bool *flipped)
{
    const struct token *t = &c->tokens[c->at];
    if (c->others == NULL || t->kind == TOKEN_END || t[1].kind != TOKEN_COMMA)
        return false;
    *flipped = other_of(c, t) >= 0;
    *other = other_of(c, *flipped ? t : &t[2]);
    return *other >= 0 && odp_slice_is((*flipped ? &t[2] : t)->text, c->geometry);
}

static enum odp_status parse_pair(struct compiler *c, enum odp_spatial_op op, uint32_t other, struct operand *out)
{
    struct odp_expr *e = c->expr;
    uint32_t k = 0;
    c->at += 3;
    if (c->tokens[c->at].kind != TOKEN_CLOSE)
        return expr_expected(c, W_expr_closing_parenthesis);
    out->end = c->tokens[c->at].at + c->tokens[c->at].len;
    c->at++;
    while (k < e->npairs && (e->pairs[k].op != op || e->pairs[k].other != other))
        k++;
    if (k == e->npairs)
        e->pairs[e->npairs++] = (struct odp_expr_pair){op, other};
    struct instr *in = expr_emit(c, OP_FIELD, KIND_BOOL, 0);
    if (in == NULL)
        return ODP_FAIL;
    in->field = c->schema->n + k;
    e->geometry = c->geometry;
    expr_note_field(c, in->field);
    return ODP_OK;
}

enum odp_status expr_parse_spatial(struct compiler *c, enum odp_spatial_op relation, struct operand *out)
{
    const struct token *name = &c->tokens[c->at];
    struct odp_spatial *literal = NULL;
    bool flipped;
    if (c->geometry == NULL)
        return expr_fault(c, name->at, name->at + name->len, W_expr_these_records_have_no_geometry);
    c->at += 2;
    int other;
    if (is_pair(c, &other, &flipped)) {
        *out = (struct operand){.kind = KIND_BOOL, .first = c->expr->n, .at = name->at};
        return parse_pair(c, flipped ? odp_spatial_flipped(relation) : relation, (uint32_t)other, out);
    }
    enum odp_status status = parse_sides(c, relation, &flipped, &literal);
    if (status == ODP_OK) {
        *out = (struct operand){.kind = KIND_BOOL, .first = c->expr->n, .at = name->at};
        out->end = c->tokens[c->at - 1].at + c->tokens[c->at - 1].len;
        c->expr->geometry = c->geometry;
        struct instr *in = expr_emit(c, OP_SPATIAL, KIND_BOOL, 0);
        if (in != NULL) {
            in->spatial = literal;
            in->relation = (uint8_t)relation;
            in->negate = flipped;
            return ODP_OK;
        }
        status = ODP_FAIL;
    }
    odp_spatial_free(literal);
    return status;
}
