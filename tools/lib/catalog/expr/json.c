/* CQL2 JSON (OGC 21-065, 7 and annex): the document becomes the tokens of the same expression in text, each with the place it
 * came from, and those are compiled. So both forms are one language, and have the same faults. Texts and names are taken as
 * they are: nothing need be escaped.
 *
 * jansson keeps whole numbers of 64 bits, and of others the double. That is written with the fewest digits that give it again:
 * 0.1 is 0.1. Who needs a literal of more than 15 digits writes CQL2 text. */
#include "catalog/expr/json_internal.h"
#include "words/expr.h"

static const struct place root = {.up = NULL};

static enum odp_status sign(struct json_writer *w, const struct place *at, enum token_kind kind)
{
    return expr_json_token(w, at, kind, (struct odp_slice){0}, 1);
}

/* The expression outlives the document: its text is copied. */
static enum odp_status word(struct json_writer *w, const struct place *at, enum token_kind kind, struct odp_slice text)
{
    struct odp_slice copy = odp_arena_copy(w->c.arena, text);
    return copy.ptr != NULL ? expr_json_token(w, at, kind, copy, text.len + 2) : ODP_FAIL;
}

static enum odp_status number(struct json_writer *w, const json_t *j, const struct place *at)
{
    char room[EXPR_JSON_NUMBER];
    struct odp_slice text = odp_arena_copy(w->c.arena, (struct odp_slice){room, (size_t)expr_json_number(j, room)});
    return text.ptr != NULL ? expr_json_token(w, at, TOKEN_NUMBER, text, text.len) : ODP_FAIL;
}

static struct odp_slice text_of(const json_t *j)
{
    return (struct odp_slice){json_string_value(j), json_string_length(j)};
}

/* ---- operations ---- */

enum form { FORM_CHAIN, FORM_NOT, FORM_INFIX, FORM_BETWEEN, FORM_IN, FORM_IS_NULL, FORM_CALL };

struct operation {
    const char *name;
    enum form form;
    enum token_kind kind;
    unsigned args, most; /* MOST 0: any number */
};

static const struct operation operations[] = {
    {"and", FORM_CHAIN, TOKEN_AND, 2, 0},     {"or", FORM_CHAIN, TOKEN_OR, 2, 0},         {"not", FORM_NOT, TOKEN_NOT, 1, 1},
    {"=", FORM_INFIX, TOKEN_EQ, 2, 2},        {"<>", FORM_INFIX, TOKEN_NE, 2, 2},         {"<", FORM_INFIX, TOKEN_LT, 2, 2},
    {"<=", FORM_INFIX, TOKEN_LE, 2, 2},       {">", FORM_INFIX, TOKEN_GT, 2, 2},          {">=", FORM_INFIX, TOKEN_GE, 2, 2},
    {"like", FORM_INFIX, TOKEN_LIKE, 2, 2},   {"between", FORM_BETWEEN, TOKEN_AND, 3, 3}, {"in", FORM_IN, TOKEN_IN, 2, 2},
    {"isNull", FORM_IS_NULL, TOKEN_IS, 1, 1}, {"casei", FORM_CALL, TOKEN_NAME, 1, 1},     {"+", FORM_INFIX, TOKEN_PLUS, 2, 2},
    {"-", FORM_INFIX, TOKEN_MINUS, 2, 2},     {"*", FORM_INFIX, TOKEN_TIMES, 2, 2},       {"/", FORM_INFIX, TOKEN_OVER, 2, 2},
};

static const struct operation *find_operation(struct odp_slice name)
{
    static const struct operation call = {"", FORM_CALL, TOKEN_NAME, 2, 2};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (odp_slice_is(name, operations[i].name))
            return &operations[i];
    return odp_spatial_op_find(name) >= 0 ? &call : NULL;
}

/* Tokens between the operands I - 1 and I. */
static enum odp_status between(struct json_writer *w, const struct operation *o, const struct place *at, size_t i)
{
    if (i == 0)
        return ODP_OK;
    if (o->form == FORM_CALL)
        return sign(w, at, TOKEN_COMMA);
    return expr_json_token(w, at, o->form == FORM_BETWEEN && i == 1 ? TOKEN_BETWEEN : o->kind, (struct odp_slice){0}, 3);
}

static enum odp_status value(struct json_writer *w, const json_t *j, const struct place *at);

/* The list of IN. */
static enum odp_status list(struct json_writer *w, const json_t *j, const struct place *at)
{
    if (!json_is_array(j) || json_array_size(j) == 0)
        return expr_json_wrong(w, at, W_expr_array_values_expected_here_one, (struct odp_slice){0});
    enum odp_status status = sign(w, at, TOKEN_OPEN);
    for (size_t i = 0; status == ODP_OK && i < json_array_size(j); i++) {
        const struct place *item = expr_json_member(w, at, NULL, i);
        if (i > 0)
            status = sign(w, at, TOKEN_COMMA);
        if (status == ODP_OK)
            status = value(w, json_array_get(j, i), item);
    }
    return status == ODP_OK ? sign(w, at, TOKEN_CLOSE) : status;
}

static enum odp_status operands(struct json_writer *w, const struct operation *o, const json_t *args, const struct place *at,
                                const struct place *list_at)
{
    enum odp_status status = o->form == FORM_NOT ? expr_json_token(w, at, TOKEN_NOT, (struct odp_slice){0}, 3) : ODP_OK;
    for (size_t i = 0; status == ODP_OK && i < json_array_size(args); i++) {
        const struct place *arg = expr_json_member(w, list_at, NULL, i);
        status = between(w, o, at, i);
        if (status == ODP_OK)
            status =
                o->form == FORM_IN && i == 1 ? list(w, json_array_get(args, i), arg) : value(w, json_array_get(args, i), arg);
    }
    if (status != ODP_OK || o->form != FORM_IS_NULL)
        return status;
    status = expr_json_token(w, at, TOKEN_IS, (struct odp_slice){0}, 3);
    return status == ODP_OK ? expr_json_token(w, at, TOKEN_NULL, (struct odp_slice){0}, 4) : status;
}

/* "at least two", "one", "two", "three" values. */
static enum odp_status wrong_args(struct json_writer *w, const struct operation *o, const struct place *at)
{
    static const char *const id[] = {"", "satu", "dua", "tiga"}, *const en[] = {"", "one", "two", "three"};
    w->at = at;
    enum odp_status status =
        expr_fault_about(&w->c, 0, 0, "“args” harus larik berisi {0}{1} nilai", "", ODP_LIT(""), odp_slice_of(id[o->args]));
    const char *kept = w->c.fault->message.in[ODP_LANG_ID];
    if (status == ODP_BAD)
        status = expr_fault_about(&w->c, 0, 0, "", "“args” must be an array of {0}{1}",
                                  o->most == 0 ? ODP_LIT("at least ") : ODP_LIT(""), odp_slice_of(en[o->args]));
    w->c.fault->message.in[ODP_LANG_ID] = kept;
    return status;
}

static enum odp_status operation(struct json_writer *w, const json_t *j, const struct place *at)
{
    const json_t *op = json_object_get(j, "op"), *args = json_object_get(j, "args");
    const struct place *op_at = expr_json_member(w, at, "op", 0), *args_at = expr_json_member(w, at, "args", 0);
    const struct operation *o = json_is_string(op) ? find_operation(text_of(op)) : NULL;
    if (o == NULL)
        return expr_json_wrong(w, op_at, W_expr_there_no_operation_there_not,
                               json_is_string(op) ? text_of(op) : (struct odp_slice){0});
    size_t n = json_array_size(args);
    if (!json_is_array(args) || n < o->args || (o->most > 0 && n > o->most))
        return wrong_args(w, o, args == NULL ? at : args_at);
    if (++w->depth > EXPR_DEPTH)
        return expr_json_wrong(w, at, W_expr_expression_nested_more_than_100, (struct odp_slice){0});
    enum odp_status status =
        o->form == FORM_CALL ? expr_json_token(w, op_at, TOKEN_NAME, text_of(op), json_string_length(op)) : ODP_OK;
    if (status == ODP_OK)
        status = sign(w, at, TOKEN_OPEN);
    if (status == ODP_OK)
        status = operands(w, o, args, at, args_at);
    w->depth--;
    return status == ODP_OK ? sign(w, at, TOKEN_CLOSE) : status;
}

/* ---- values ---- */

/* {"date": "…"}, {"timestamp": "…"}: as DATE('…'). */
static enum odp_status moment(struct json_writer *w, const json_t *text, const char *name, const struct place *at)
{
    const struct place *inside = expr_json_member(w, at, name, 0);
    if (!json_is_string(text))
        return expr_json_wrong(w, inside, W_expr_text_expected_here, (struct odp_slice){0});
    enum odp_status status = word(w, at, TOKEN_NAME, odp_slice_of(name));
    if (status == ODP_OK)
        status = sign(w, at, TOKEN_OPEN);
    if (status == ODP_OK)
        status = word(w, inside, TOKEN_TEXT, text_of(text));
    return status == ODP_OK ? sign(w, at, TOKEN_CLOSE) : status;
}

static enum odp_status property(struct json_writer *w, const json_t *name, const struct place *at)
{
    const struct place *inside = expr_json_member(w, at, "property", 0);
    if (!json_is_string(name))
        return expr_json_wrong(w, inside, W_expr_name_field_expected_here, (struct odp_slice){0});
    return word(w, inside, TOKEN_QUOTED, text_of(name));
}

static enum odp_status object(struct json_writer *w, const json_t *j, const struct place *at)
{
    if (json_object_get(j, "op") != NULL)
        return operation(w, j, at);
    if (json_object_get(j, "property") != NULL)
        return property(w, json_object_get(j, "property"), at);
    if (json_object_get(j, "date") != NULL)
        return moment(w, json_object_get(j, "date"), "date", at);
    if (json_object_get(j, "timestamp") != NULL)
        return moment(w, json_object_get(j, "timestamp"), "timestamp", at);
    if (json_object_get(j, "type") != NULL || json_object_get(j, "bbox") != NULL)
        return expr_json_geometry(w, j, at);
    return expr_json_wrong(w, at, W_expr_object_with_op_property_date, (struct odp_slice){0});
}

static enum odp_status value(struct json_writer *w, const json_t *j, const struct place *at)
{
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        return object(w, j, at);
    case JSON_STRING:
        return word(w, at, TOKEN_TEXT, text_of(j));
    case JSON_INTEGER:
    case JSON_REAL:
        return number(w, j, at);
    case JSON_TRUE:
    case JSON_FALSE:
        return expr_json_token(w, at, json_is_true(j) ? TOKEN_TRUE : TOKEN_FALSE, (struct odp_slice){0}, 5);
    case JSON_NULL:
        return expr_json_wrong(w, at, W_expr_null_cannot_compared_use_isnull, (struct odp_slice){0});
    default:
        return expr_json_wrong(w, at, W_expr_array_only_list, (struct odp_slice){0});
    }
}

/* ---- faults ---- */

/* The innermost place that holds the tokens FROM … END - 1. */
static const struct place *place_of(const struct json_writer *w, size_t from, size_t end)
{
    size_t last = w->n > 0 ? w->n - 1 : 0; /* the end of the tokens is the whole */
    const struct place *p = from < last ? w->places[from] : &root;
    for (size_t i = from + 1; i < end && i < last; i++) {
        const struct place *q = w->places[i];
        while (p != q) {
            if (p->depth >= q->depth)
                p = p->up;
            else
                q = q->up;
        }
    }
    return p;
}

/* RFC 6901. All keys are words of the language: nothing to escape. */
static const char *pointer_of(struct odp_arena *a, const struct place *p)
{
    const char *text = "";
    for (; p->up != NULL; p = p->up)
        text = p->key != NULL ? odp_arena_printf(a, "/%s%s", p->key, text) : odp_arena_printf(a, "/%zu%s", p->index, text);
    return text;
}

enum odp_status odp_expr_compile_json(struct odp_arena *arena, const json_t *json, const struct odp_expr_scope *scope,
                                      const struct odp_expr **out, struct odp_expr_json_fault *fault)
{
    struct odp_expr_fault inner = {0};
    struct json_writer w = {.c = {.arena = arena, .schema = scope->schema, .geometry = scope->geometry, .fault = &inner}};
    *out = NULL;
    *fault = (struct odp_expr_json_fault){0};
    enum odp_status status =
        json != NULL ? value(&w, json, &root)
                     : expr_json_wrong(&w, &root, W_expr_expression_empty, (struct odp_slice){0});
    if (status == ODP_OK)
        status = expr_json_token(&w, &root, TOKEN_END, (struct odp_slice){0}, 0);
    if (status == ODP_OK) {
        w.c.cap = (uint32_t)w.n * 2 + 8;
        status = expr_compile_tokens(&w.c, out);
        w.at = status == ODP_BAD ? place_of(&w, inner.at, inner.at + inner.len) : NULL;
    }
    if (status != ODP_BAD)
        return status;
    fault->message = inner.message;
    fault->pointer = pointer_of(arena, w.at);
    return ODP_BAD;
}
