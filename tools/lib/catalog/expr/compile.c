/* Recursive descent over the tokens, straight into the program:
 *
 *   or: and {OR and} · and: not {AND not} · not: [NOT] predicate
 *   predicate: sum [comparison sum | [NOT] BETWEEN sum AND sum | [NOT] LIKE text | [NOT] IN ( sum {, sum} ) |
 * IS [NOT] NULL] sum: product {(+|-) product} · product: sign {(*|/) sign} · sign: [+|-] primary primary:
 * number | text | TRUE | FALSE | DATE(text) | TIMESTAMP(text) | FUNCTION(sum {, sum}) | field |
 *            S_…(geometry, literal) | ( or )
 *
 * After a fault the next token is the end, so every part returns by itself (struct compiler). */
#include <string.h>

#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

/* ---- spatial functions ---- */

/* S_INTERSECTS(geometry, literal) and its kin: the literal is read by spatial_text.c from the text itself, so
 * the tokens it was cut into are stepped over. */

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

/* The literal at token T is wrong at byte AT, to the end of its token. */
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
    bool own = t->kind == TOKEN_SHAPE; /* it has its own text */
    struct odp_text why = {{NULL, NULL}};
    struct odp_spatial *out = NULL;
    size_t at = own ? 0 : t->at;
    if (!own && (t->kind != TOKEN_NAME || ends_argument(&t[1]) || c->text.ptr == NULL)) {
        fault_side(c, t);
        return NULL;
    }
    enum odp_status status = odp_spatial_parse(&out, flipped ? odp_spatial_flipped(relation) : relation,
                                               own ? t->text : c->text, &at, c->arena, &why);
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

static struct operand parse_spatial(struct compiler *c, enum odp_spatial_op relation)
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

static struct operand parse_or(struct compiler *c);
static struct operand parse_sum(struct compiler *c);

static uint32_t previous_end(const struct compiler *c)
{
    const struct token *t = &c->tokens[c->at - 1];
    return t->at + t->len;
}

static void enter(struct compiler *c)
{
    if (++c->nesting > EXPR_DEPTH)
        expr_fault_token(c, peek(c), W_expr_expression_nested_more_than_100);
}

/* ---- values ---- */

/* The next token as one instruction. */
static struct instr *one(struct compiler *c, struct operand *out, enum op op, enum kind kind)
{
    const struct token *t = peek(c);
    *out = (struct operand){.kind = kind, .first = c->expr->n, .at = t->at, .end = t->at + t->len};
    out->literal = op == OP_CONST_NUM || op == OP_CONST_TEXT || op == OP_CONST_BOOL;
    c->at++;
    return expr_emit(c, op, kind, 0);
}

static struct operand parse_number(struct compiler *c)
{
    struct operand out;
    const struct token *t = peek(c);
    struct num num = num_parse(t->text);
    if (num.state == NUM_WIDE)
        num.wide = odp_arena_copy(c->arena, num.wide);
    one(c, &out, OP_CONST_NUM, KIND_NUMBER)->num = num;
    if (num.state == NUM_NULL)
        expr_fault_token(c, t, W_expr_number_out_range);
    return out;
}

static struct operand parse_text(struct compiler *c)
{
    struct operand out;
    struct odp_slice text = peek(c)->text;
    one(c, &out, OP_CONST_TEXT, KIND_TEXT)->text = text;
    return out;
}

static struct operand parse_truth(struct compiler *c)
{
    struct operand out;
    bool truth = peek(c)->kind == TOKEN_TRUE;
    one(c, &out, OP_CONST_BOOL, KIND_BOOL)->truth = truth;
    return out;
}

static struct operand parse_field(struct compiler *c)
{
    struct operand out = {0};
    const struct token *t = peek(c);
    int index = odp_schema_find(c->schema, t->text);
    if (index >= 0) {
        one(c, &out, OP_FIELD, expr_kind_of(c->schema->fields[index].type))->field = (uint32_t)index;
        expr_note_field(c->expr, (uint32_t)index);
    } else if (c->geometry != NULL && odp_slice_is(t->text, c->geometry)) {
        (void)one(c, &out, OP_GEOMETRY, KIND_COMPLEX);
        c->expr->geometry = c->geometry;
    } else {
        expr_fault_field(c, t);
    }
    return out;
}

/* DATE('…') and TIMESTAMP('…'). */
static struct operand parse_instant(struct compiler *c, enum kind kind)
{
    struct operand model = {.kind = kind}, out = {0};
    if (peek(c)->kind != TOKEN_TEXT) {
        expr_expected(c, W_expr_text_between_quotes);
        return out;
    }
    out = parse_text(c);
    expr_unify(c, &model, &out, false);
    return out;
}

/* MORE must be of FIRST's kind; OTHERS: that is settled, by others before MORE. */
static void unify(struct compiler *c, struct operand *first, struct operand *more, bool ordered, bool others)
{
    enum kind was = first->kind;
    expr_unify(c, first, more, ordered);
    if (others && first->kind != was)
        expr_require(c, more, was);
}

/* Argument K of F must be of the kind that F takes there; FIRST is what F was given before. */
static void check_argument(struct compiler *c, const struct odp_expr_function *f, uint32_t k,
                           struct operand *first, struct operand *arg)
{
    const char letter = f->arguments[k < strlen(f->arguments) ? k : strlen(f->arguments) - 1];
    if (letter == 's')
        expr_require(c, arg, KIND_TEXT);
    else if (letter == 'n' || letter == 'i')
        expr_require(c, arg, KIND_NUMBER);
    else if (letter == 'd' && arg->kind != KIND_YEARMONTH)
        expr_require(c, arg, KIND_DATE);
    else if (letter == '*')
        unify(c, first, arg, false, k > 1);
}

/* STARTS_WITH(x, 'a%') is x LIKE 'a\%%', for which there are indexes. */
static struct odp_slice pattern_of(struct compiler *c, const char *like, struct odp_slice part)
{
    char *out = odp_arena_alloc(c->arena, part.len * 2 + 2);
    size_t n = 0;
    for (; *like != '\0'; like++) {
        if (*like == '%')
            out[n++] = '%';
        for (size_t i = 0; *like == '=' && i < part.len; i++) {
            if (part.ptr[i] == '%' || part.ptr[i] == '_' || part.ptr[i] == '\\')
                out[n++] = '\\';
            out[n++] = part.ptr[i];
        }
    }
    return (struct odp_slice){out, n};
}

/* A text that is made of literals is a literal: a pattern of LIKE. */
static bool fold_call(struct compiler *c, const struct instr *in, const struct operand *out)
{
    struct expr_cell arg[EXPR_ARGS];
    struct instr *code = &c->expr->code[out->first];
    for (uint32_t k = 0; k < in->field; k++)
        arg[k] = (struct expr_cell){
            .num = code[k].num, .text = code[k].text, .truth = code[k].truth ? ODP_TRUE : ODP_FALSE};
    const struct expr_cell value = expr_call(in, arg, c->arena);
    if (value.text.ptr == NULL)
        return false;
    *code = (struct instr){.op = OP_CONST_TEXT, .kind = KIND_TEXT, .text = value.text};
    c->expr->n = out->first + 1;
    c->stack -= in->field - 1;
    return true;
}

/* The call of function NUMBER, whose N arguments are OUT … LAST. */
static void finish_call(struct compiler *c, int number, uint32_t n, bool literal, struct operand *out,
                        const struct operand *last)
{
    const struct odp_expr_function *f = odp_expr_function((size_t)number);
    const struct instr in = {
        .op = OP_CALL, .kind = (uint8_t)out->kind, .field = n, .relation = (uint8_t)number};
    if (f->like != NULL && last->literal) {
        struct odp_slice *part = &c->expr->code[last->first].text;
        *part = pattern_of(c, f->like, *part);
        expr_emit(c, OP_LIKE, KIND_TEXT, 2);
        out->literal = false;
    } else {
        out->literal = literal && f->returns == 's' && fold_call(c, &in, out);
        if (!out->literal)
            *expr_emit(c, OP_CALL, out->kind, n) = in;
    }
    out->kind = expr_call_gives(&in);
}

static struct operand parse_call(struct compiler *c, const struct token *name, int number)
{
    const struct odp_expr_function *f = odp_expr_function((size_t)number);
    struct operand out = {0}, arg;
    bool literal = true;
    uint32_t n = 0;
    do {
        arg = parse_sum(c);
        out = n == 0 ? arg : out;
        check_argument(c, f, n, &out, &arg);
        literal = literal && arg.literal;
    } while (++n < f->most && expr_take(c, TOKEN_COMMA));
    if (n < f->least || peek(c)->kind == TOKEN_COMMA)
        expr_fault_about(c, name, W_expr_write_as, odp_slice_of(f->form), (struct odp_slice){0});
    if (c->status == ODP_OK)
        finish_call(c, number, n, literal, &out, &arg);
    return out;
}

static struct operand parse_function(struct compiler *c)
{
    const struct token *name = peek(c);
    struct operand out = {0};
    int relation = odp_spatial_op_find(name->text), number = expr_function_find(name->text);
    if (relation >= 0)
        return parse_spatial(c, (enum odp_spatial_op)relation);
    c->at += 2;
    if (number >= 0)
        out = parse_call(c, name, number);
    else if (odp_slice_is_nocase(name->text, "date"))
        out = parse_instant(c, KIND_DATE);
    else if (odp_slice_is_nocase(name->text, "timestamp"))
        out = parse_instant(c, KIND_DATETIME);
    else
        expr_fault_about(c, name, W_expr_there_no_function_there, name->text, expr_function_names(c->arena));
    if (!expr_take(c, TOKEN_CLOSE))
        expr_expected(c, W_expr_closing_parenthesis);
    out.at = name->at;
    out.end = previous_end(c);
    return out;
}

static struct operand parse_parens(struct compiler *c)
{
    uint32_t at = peek(c)->at;
    c->at++;
    struct operand out = parse_or(c);
    if (!expr_take(c, TOKEN_CLOSE))
        expr_expected(c, W_expr_closing_parenthesis);
    out.at = at;
    out.end = previous_end(c);
    return out;
}

static struct operand parse_primary(struct compiler *c)
{
    const struct token *t = peek(c);
    switch (t->kind) {
    case TOKEN_NUMBER:
        return parse_number(c);
    case TOKEN_TEXT:
        return parse_text(c);
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        return parse_truth(c);
    case TOKEN_NAME:
        return t[1].kind == TOKEN_OPEN ? parse_function(c) : parse_field(c);
    case TOKEN_QUOTED:
        return parse_field(c);
    case TOKEN_OPEN:
        return parse_parens(c);
    case TOKEN_NULL:
        expr_fault_token(c, t, W_expr_null_cannot_compared_write_null);
        break;
    default:
        expr_expected(c, W_expr_field_number_text_opening);
    }
    return (struct operand){0};
}

/* ---- arithmetic ---- */

/* A literal too long for 128 bits stays text, so its sign is text too. */
static void negate_literal(struct compiler *c, struct num *n)
{
    if (n->state != NUM_WIDE)
        *n = num_neg(*n);
    else if (*n->wide.ptr == '-')
        n->wide = (struct odp_slice){n->wide.ptr + 1, n->wide.len - 1};
    else
        n->wide = odp_slice_of(odp_arena_printf(c->arena, "-%.*s", (int)n->wide.len, n->wide.ptr));
}

static struct operand parse_sign(struct compiler *c)
{
    const struct token *t = peek(c);
    bool sign = expr_take(c, TOKEN_MINUS) || expr_take(c, TOKEN_PLUS);
    enter(c);
    struct operand out = sign ? parse_sign(c) : parse_primary(c);
    c->nesting--;
    if (sign)
        expr_require(c, &out, KIND_NUMBER);
    if (t->kind != TOKEN_MINUS || c->status != ODP_OK)
        return out;
    out.at = t->at;
    if (out.literal)
        negate_literal(c, &c->expr->code[out.first].num);
    else
        (void)expr_emit(c, OP_NEG, KIND_NUMBER, 1);
    return out;
}

/* One left-associative level of arithmetic: {SIGN operand}, where LOW means OP and HIGH the one after it. */
static struct operand parse_level(struct compiler *c, enum token_kind low, enum token_kind high, enum op op,
                                  struct operand (*operand)(struct compiler *))
{
    struct operand out = operand(c);
    while (peek(c)->kind == low || peek(c)->kind == high) {
        enum op now = peek(c)->kind == low ? op : (enum op)(op + 1);
        c->at++;
        expr_require(c, &out, KIND_NUMBER);
        struct operand right = operand(c);
        expr_require(c, &right, KIND_NUMBER);
        (void)expr_emit(c, now, KIND_NUMBER, 2);
        out.literal = false;
        out.end = right.end;
    }
    return out;
}

static struct operand parse_product(struct compiler *c)
{
    return parse_level(c, TOKEN_TIMES, TOKEN_OVER, OP_MUL, parse_sign);
}

static struct operand parse_sum(struct compiler *c)
{
    return parse_level(c, TOKEN_PLUS, TOKEN_MINUS, OP_ADD, parse_product);
}

/* ---- predicates ---- */

/* The last instruction of a predicate: everything since FIRST of LEFT is a truth now. */
static void finish(struct compiler *c, struct operand *left, enum op op, uint32_t pops, bool negate)
{
    expr_emit(c, op, left->kind, pops)->negate = negate;
    left->kind = KIND_BOOL;
    left->literal = false;
    left->end = previous_end(c);
}

static bool is_comparison(const struct token *t)
{
    return t->kind >= TOKEN_EQ && t->kind <= TOKEN_GE;
}

static void parse_comparison(struct compiler *c, struct operand *left)
{
    enum op op = (enum op)(OP_EQ + (peek(c)->kind - TOKEN_EQ)); /* both lists have one order */
    c->at++;
    struct operand right = parse_sum(c);
    expr_unify(c, left, &right, op != OP_EQ && op != OP_NE);
    finish(c, left, op, 2, false);
    if (is_comparison(peek(c)))
        expr_fault_token(c, peek(c), W_expr_comparisons_cannot_chained_join);
}

static void parse_between(struct compiler *c, struct operand *left, bool negate)
{
    struct operand low = parse_sum(c);
    if (!expr_take(c, TOKEN_AND))
        expr_expected(c, W_expr_upper_bound);
    struct operand high = parse_sum(c);
    unify(c, left, &low, true, false);
    unify(c, left, &high, true, true);
    finish(c, left, OP_BETWEEN, 3, negate);
}

/* The pattern is a text (or a function of one): it cannot come from the data. */
static void parse_like(struct compiler *c, struct operand *left, bool negate)
{
    expr_require(c, left, KIND_TEXT);
    struct operand pattern = parse_sum(c);
    if (!pattern.literal || pattern.kind != KIND_TEXT)
        expr_fault(c, pattern.at, pattern.end, W_expr_pattern_like_must_text_between);
    finish(c, left, OP_LIKE, 2, negate);
}

/* value, then an accumulator, then for each item: its code and IN_ITEM (accumulator OR value = item). */
static void parse_in(struct compiler *c, struct operand *left, bool negate)
{
    if (!expr_take(c, TOKEN_OPEN))
        expr_expected(c, W_expr_opening_parenthesis);
    (void)expr_emit(c, OP_IN_BEGIN, KIND_BOOL, 0);
    for (bool others = false; !others || expr_take(c, TOKEN_COMMA); others = true) {
        struct operand item = parse_sum(c);
        unify(c, left, &item, false, others);
        (void)expr_emit(c, OP_IN_ITEM, left->kind, 2);
    }
    if (!expr_take(c, TOKEN_CLOSE))
        expr_expected(c, W_expr_comma_closing_parenthesis);
    finish(c, left, OP_IN_END, 2, negate);
}

static struct operand parse_predicate(struct compiler *c)
{
    struct operand out = parse_sum(c);
    if (is_comparison(peek(c))) {
        parse_comparison(c, &out);
        return out;
    }
    bool is = expr_take(c, TOKEN_IS), negate = expr_take(c, TOKEN_NOT);
    if (is) {
        if (!expr_take(c, TOKEN_NULL))
            expr_expected(c, "NULL", "NULL");
        finish(c, &out, OP_IS_NULL, 1, negate);
    } else if (expr_take(c, TOKEN_BETWEEN)) {
        parse_between(c, &out, negate);
    } else if (expr_take(c, TOKEN_LIKE)) {
        parse_like(c, &out, negate);
    } else if (expr_take(c, TOKEN_IN)) {
        parse_in(c, &out, negate);
    } else if (negate) {
        expr_expected(c, W_expr_between_like);
    }
    return out;
}

static struct operand parse_not(struct compiler *c)
{
    const struct token *t = peek(c);
    if (!expr_take(c, TOKEN_NOT))
        return parse_predicate(c);
    enter(c);
    struct operand out = parse_not(c);
    c->nesting--;
    expr_require(c, &out, KIND_BOOL);
    out.at = t->at;
    finish(c, &out, OP_NOT, 1, false);
    return out;
}

static struct operand parse_chain(struct compiler *c, enum token_kind word, enum op op,
                                  struct operand (*part)(struct compiler *))
{
    struct operand out = part(c);
    while (expr_take(c, word)) {
        expr_require(c, &out, KIND_BOOL);
        struct operand right = part(c);
        expr_require(c, &right, KIND_BOOL);
        finish(c, &out, op, 2, false);
    }
    return out;
}

static struct operand parse_and(struct compiler *c)
{
    return parse_chain(c, TOKEN_AND, OP_AND, parse_not);
}

static struct operand parse_or(struct compiler *c)
{
    return parse_chain(c, TOKEN_OR, OP_OR, parse_and);
}

/* ---- the whole ---- */

enum odp_status expr_compile_tokens(struct compiler *c, const struct odp_expr **out)
{
    size_t pairs = c->others != NULL ? c->cap : 0;
    struct odp_expr *e = odp_arena_zero(c->arena, 1, sizeof *e);
    c->expr = e;
    e->schema = c->schema;
    e->code = odp_arena_array(c->arena, c->cap, sizeof *e->code);
    e->fields = odp_arena_array(c->arena, (size_t)c->schema->n + 1 + pairs, sizeof *e->fields);
    e->pairs = odp_arena_array(c->arena, pairs, sizeof *e->pairs);
    struct operand whole = parse_or(c);
    if (peek(c)->kind != TOKEN_END)
        expr_expected(c, W_expr_end_expression);
    expr_require(c, &whole, KIND_BOOL);
    if (c->status == ODP_OK)
        *out = e;
    else
        odp_expr_release(e);
    return c->status;
}

enum odp_status odp_expr_compile_in(struct odp_arena *arena, struct odp_slice text,
                                    const struct odp_expr_scope *scope, const struct odp_expr **out,
                                    struct odp_expr_fault *fault)
{
    struct compiler c = {.arena = arena,
                         .text = text.ptr != NULL ? text : ODP_LIT(""),
                         .schema = scope->schema,
                         .geometry = scope->geometry,
                         .others = scope->others,
                         .fault = fault};
    *out = NULL;
    *fault = (struct odp_expr_fault){0};
    expr_lex(&c);
    if (c.status == ODP_OK && c.tokens[0].kind == TOKEN_END)
        expr_fault(&c, 0, text.len, W_expr_expression_empty);
    return c.status == ODP_OK ? expr_compile_tokens(&c, out) : c.status;
}
