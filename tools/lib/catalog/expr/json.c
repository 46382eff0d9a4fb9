/* CQL2 JSON (OGC 21-065, 7 and annex): the document becomes the tokens of the same expression in text, each
 * with its place, and those are compiled. So both forms are one language with the same faults. Texts and
 * names need no escapes.
 *
 * jansson keeps whole numbers of 64 bits, and doubles. A double is written with the fewest digits that read
 * back as it: 0.1 is 0.1. A literal of more than 15 digits needs CQL2 text. */

#include "catalog/expr/expr_internal.h"
#include "catalog/expr/spatial_internal.h"
#include "words/expr.h"

#define EXPR_SHAPES_MAX (1 << 20) /* bytes of all geometries as text */

/* The place of a part of the document. */
struct place {
    const struct place *up; /* NULL: the document itself */
    const char *key;        /* NULL: the item INDEX of an array */
    size_t index;
    unsigned depth;
};

/* A fault latches as in the compiler. */
struct json_writer {
    struct compiler c;
    const struct place **places; /* by token */
    size_t n, bytes, shapes;
    unsigned depth;
    const struct place *at; /* of the fault */
};

/* ---- places and tokens ---- */

/* The tokens of a document, each with the place it came from. */

static void wrong(struct json_writer *w, const struct place *at, const char *id, const char *en)
{
    if (w->c.status == ODP_OK)
        w->at = at;
    expr_fault(&w->c, 0, 0, id, en);
}

static const struct place *member(struct json_writer *w, const struct place *up, const char *key,
                                  size_t index)
{
    struct place *p = odp_arena_alloc(w->c.arena, sizeof *p);
    *p = (struct place){.up = up, .key = key, .index = index, .depth = up->depth + 1};
    return p;
}

static void add_token(struct json_writer *w, const struct place *at, enum token_kind kind,
                      struct odp_slice text, size_t bytes)
{
    w->bytes += bytes < EXPR_TEXT_MAX ? bytes : EXPR_TEXT_MAX + 1;
    if (w->bytes > EXPR_TEXT_MAX)
        wrong(w, at, W_expr_expression_longer_than_65_536);
    if (w->c.status != ODP_OK)
        return;
    w->c.tokens = odp_arena_more(w->c.arena, w->c.tokens, w->n, sizeof *w->c.tokens);
    w->places = odp_arena_more(w->c.arena, w->places, w->n, sizeof *w->places);
    w->c.tokens[w->n] = (struct token){kind, (uint32_t)w->n, kind != TOKEN_END, text};
    w->places[w->n++] = at;
}

static struct odp_slice number_text(struct json_writer *w, const json_t *j)
{
    char room[SPATIAL_NUMBER];
    if (json_is_integer(j))
        return odp_slice_of(odp_arena_printf(w->c.arena, "%" JSON_INTEGER_FORMAT, json_integer_value(j)));
    return odp_arena_copy(w->c.arena, (struct odp_slice){room, spatial_number(json_real_value(j), room)});
}

/* ---- geometries ---- */

/* GeoJSON (RFC 7946) geometries of CQL2 JSON as WKT. What the coordinates mean (closed rings, ranges, valid
 * polygons) is checked by spatial_text.c, as for text. */

struct shape {
    struct json_writer *w;
    struct odp_buffer text;
    int axes; /* 2 or 3 once the first position was seen */
};

static const struct shape_type {
    const char *name, *wkt;
    unsigned levels; /* arrays around a position */
} types[] = {
    {"Point", "POINT", 0},
    {"LineString", "LINESTRING", 1},
    {"Polygon", "POLYGON", 2},
    {"MultiPoint", "MULTIPOINT", 1},
    {"MultiLineString", "MULTILINESTRING", 2},
    {"MultiPolygon", "MULTIPOLYGON", 3},
};

static bool is_good(const struct shape *s)
{
    return s->w->c.status == ODP_OK;
}

static void add_number(struct shape *s, const json_t *j)
{
    odp_buffer_add_slice(&s->text, number_text(s->w, j));
}

static void position(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    if (!json_is_array(j) || n < 2 || n > 3 || (s->axes != 0 && (int)n != s->axes)) {
        wrong(s->w, at, W_expr_position_longitude_latitude);
        return;
    }
    s->axes = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(j, i);
        if (!json_is_number(number)) {
            wrong(s->w, at, W_expr_position_made_numbers);
            return;
        }
        odp_buffer_add_str(&s->text, i > 0 ? " " : "");
        add_number(s, number);
    }
    if (s->text.len > EXPR_SHAPES_MAX)
        wrong(s->w, at, W_expr_geometries_expression_more_than_1);
}

/* Arrays inside each other are parentheses; at most three. */
static void coordinates(struct shape *s, const json_t *j, unsigned levels, const struct place *at)
{
    if (levels == 0) {
        position(s, j, at);
        return;
    }
    if (!json_is_array(j) || json_array_size(j) == 0)
        wrong(s->w, at, W_expr_array_coordinates_not_empty);
    odp_buffer_add_char(&s->text, '(');
    for (size_t i = 0; is_good(s) && i < json_array_size(j); i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        coordinates(s, json_array_get(j, i), levels - 1, member(s->w, at, NULL, i));
    }
    odp_buffer_add_char(&s->text, ')');
}

static void geometry(struct shape *s, const json_t *j, const struct place *at);

static void collection(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *members = json_object_get(j, "geometries");
    const struct place *list = member(s->w, at, "geometries", 0);
    if (!json_is_array(members) || json_array_size(members) == 0)
        wrong(s->w, members != NULL ? list : at, W_expr_geometries_must_array_geometries);
    if (++s->w->depth > EXPR_DEPTH)
        wrong(s->w, at, W_expr_expression_nested_more_than_100);
    odp_buffer_add_str(&s->text, "GEOMETRYCOLLECTION(");
    for (size_t i = 0; is_good(s) && i < json_array_size(members); i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        geometry(s, json_array_get(members, i), member(s->w, list, NULL, i));
    }
    s->w->depth--;
    odp_buffer_add_char(&s->text, ')');
}

/* The word comes before the coordinates are known; " Z" is put in afterwards. */
static void geometry(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *type = json_object_get(j, "type"), *list = json_object_get(j, "coordinates");
    const char *name = json_is_string(type) ? json_string_value(type) : "";
    const struct shape_type *t = NULL;
    if (strcmp(name, "GeometryCollection") == 0) {
        collection(s, j, at);
        return;
    }
    for (size_t i = 0; i < ODP_COUNT(types); i++)
        if (strcmp(name, types[i].name) == 0)
            t = &types[i];
    if (t == NULL)
        wrong(s->w, type != NULL ? member(s->w, at, "type", 0) : at, W_expr_geojson_geometry_expected_here);
    else if (list == NULL)
        wrong(s->w, at, W_expr_geometry_has_no_coordinates);
    if (t == NULL || list == NULL)
        return;
    odp_buffer_add_str(&s->text, t->wkt);
    size_t behind = s->text.len;
    s->axes = 0;
    odp_buffer_add_str(&s->text, t->levels == 0 ? "  (" : "  ");
    coordinates(s, list, t->levels, member(s->w, at, "coordinates", 0));
    odp_buffer_add_str(&s->text, t->levels == 0 ? ")" : "");
    if (s->axes == 3 && odp_buffer_status(&s->text) == ODP_OK)
        s->text.ptr[behind + 1] = 'Z';
}

static void box(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    bool good = json_is_array(j) && (n == 4 || n == 6);
    for (size_t i = 0; good && i < n; i++)
        good = json_is_number(json_array_get(j, i));
    if (!good)
        wrong(s->w, member(s->w, at, "bbox", 0), W_expr_bbox_must_array_4_6);
    for (size_t i = 0; good && i < n; i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "BBOX(");
        add_number(s, json_array_get(j, i));
    }
    odp_buffer_add_char(&s->text, ')');
}

static void add_shape(struct json_writer *w, const json_t *j, const struct place *at)
{
    struct shape s = {.w = w};
    if (json_object_get(j, "type") == NULL) /* a geometry may have a bbox, too */
        box(&s, json_object_get(j, "bbox"), at);
    else
        geometry(&s, j, at);
    if (odp_buffer_status(&s.text) != ODP_OK)
        expr_stop(&w->c, ODP_FAIL);
    w->shapes += s.text.len;
    if (w->shapes > EXPR_SHAPES_MAX)
        wrong(w, at, W_expr_geometries_expression_more_than_1);
    add_token(w, at, TOKEN_SHAPE, odp_arena_copy(w->c.arena, odp_buffer_slice(&s.text)), 1);
    odp_buffer_release(&s.text);
}

static const struct place root = {.up = NULL};

/* ---- tokens ---- */

/* A sign or a word of the language, which takes BYTES. */
static void sign(struct json_writer *w, const struct place *at, enum token_kind kind, size_t bytes)
{
    add_token(w, at, kind, (struct odp_slice){0}, bytes);
}

/* The expression outlives the document: its text is copied. */
static void word(struct json_writer *w, const struct place *at, enum token_kind kind, struct odp_slice text)
{
    add_token(w, at, kind, odp_arena_copy(w->c.arena, text), text.len + 2);
}

static struct odp_slice text_of(const json_t *j)
{
    return (struct odp_slice){json_string_value(j), json_string_length(j)};
}

/* ---- operations ---- */

enum form { FORM_CHAIN, FORM_NOT, FORM_INFIX, FORM_BETWEEN, FORM_IN, FORM_IS_NULL, FORM_CALL };

static const struct operation {
    const char *name;
    enum form form;
    enum token_kind kind;
    unsigned args; /* FORM_CHAIN: or more */
} operations[] = {
    {"and", FORM_CHAIN, TOKEN_AND, 2},       {"or", FORM_CHAIN, TOKEN_OR, 2},
    {"not", FORM_NOT, TOKEN_NOT, 1},         {"=", FORM_INFIX, TOKEN_EQ, 2},
    {"<>", FORM_INFIX, TOKEN_NE, 2},         {"<", FORM_INFIX, TOKEN_LT, 2},
    {"<=", FORM_INFIX, TOKEN_LE, 2},         {">", FORM_INFIX, TOKEN_GT, 2},
    {">=", FORM_INFIX, TOKEN_GE, 2},         {"like", FORM_INFIX, TOKEN_LIKE, 2},
    {"between", FORM_BETWEEN, TOKEN_AND, 3}, {"in", FORM_IN, TOKEN_IN, 2},
    {"isNull", FORM_IS_NULL, TOKEN_IS, 1},   {"+", FORM_INFIX, TOKEN_PLUS, 2},
    {"-", FORM_INFIX, TOKEN_MINUS, 2},       {"*", FORM_INFIX, TOKEN_TIMES, 2},
    {"/", FORM_INFIX, TOKEN_OVER, 2},
};

static const struct operation *find_operation(struct odp_slice name)
{
    static const struct operation spatial = {"", FORM_CALL, TOKEN_NAME, 2},
                                  call = {"", FORM_CALL, TOKEN_NAME, 0}; /* as many as the function takes */
    for (size_t i = 0; i < ODP_COUNT(operations); i++)
        if (odp_slice_is(name, operations[i].name))
            return &operations[i];
    if (odp_spatial_op_find(name) >= 0)
        return &spatial;
    return expr_function_find(name) >= 0 ? &call : NULL;
}

static void value(struct json_writer *w, const json_t *j, const struct place *at);

/* The list of IN. */
static void list(struct json_writer *w, const json_t *j, const struct place *at)
{
    if (!json_is_array(j) || json_array_size(j) == 0)
        wrong(w, at, W_expr_array_values_expected_here_one);
    sign(w, at, TOKEN_OPEN, 1);
    for (size_t i = 0; w->c.status == ODP_OK && i < json_array_size(j); i++) {
        const struct place *item = member(w, at, NULL, i);
        if (i > 0)
            sign(w, at, TOKEN_COMMA, 1);
        value(w, json_array_get(j, i), item);
    }
    sign(w, at, TOKEN_CLOSE, 1);
}

static void operands(struct json_writer *w, const struct operation *o, const json_t *args,
                     const struct place *at, const struct place *list_at)
{
    if (o->form == FORM_NOT)
        sign(w, at, TOKEN_NOT, 3);
    for (size_t i = 0; w->c.status == ODP_OK && i < json_array_size(args); i++) {
        const struct place *arg = member(w, list_at, NULL, i);
        if (i > 0 && o->form == FORM_CALL)
            sign(w, at, TOKEN_COMMA, 1);
        else if (i > 0)
            sign(w, at, o->form == FORM_BETWEEN && i == 1 ? TOKEN_BETWEEN : o->kind, 3);
        if (o->form == FORM_IN && i == 1)
            list(w, json_array_get(args, i), arg);
        else
            value(w, json_array_get(args, i), arg);
    }
    if (o->form == FORM_IS_NULL) {
        sign(w, at, TOKEN_IS, 3);
        sign(w, at, TOKEN_NULL, 4);
    }
}

/* "at least two", "one", "two", "three" values. */
static void wrong_args(struct json_writer *w, const struct operation *o, const struct place *at)
{
    static const struct odp_text counts[] = {{{W_expr_two_at_least}},
                                             {{W_expr_one}},
                                             {{W_expr_two}},
                                             {{W_expr_three}}},
                                 text = {{W_expr_args_of_operation}};
    const struct odp_text *count = &counts[o->form == FORM_CHAIN ? 0 : o->args];
    struct odp_slice id = odp_slice_of(count->in[ODP_LANG_ID]), en = odp_slice_of(count->in[ODP_LANG_EN]);
    wrong(w, at, expr_fill(w->c.arena, text.in[ODP_LANG_ID], id, id),
          expr_fill(w->c.arena, text.in[ODP_LANG_EN], en, en));
}

static void operation(struct json_writer *w, const json_t *j, const struct place *at)
{
    static const struct odp_text none = {{W_expr_there_no_operation_there_not}};
    const json_t *op = json_object_get(j, "op"), *args = json_object_get(j, "args");
    const struct place *op_at = member(w, at, "op", 0), *args_at = member(w, at, "args", 0);
    struct odp_slice name = json_is_string(op) ? text_of(op) : (struct odp_slice){0}, all;
    const struct operation *o = json_is_string(op) ? find_operation(name) : NULL;
    size_t n = json_array_size(args);
    if (o == NULL) {
        all = expr_function_names(w->c.arena);
        wrong(w, op_at, expr_fill(w->c.arena, none.in[ODP_LANG_ID], name, all),
              expr_fill(w->c.arena, none.in[ODP_LANG_EN], name, all));
        return;
    }
    if (!json_is_array(args) || n < o->args || (o->form != FORM_CHAIN && o->args > 0 && n > o->args)) {
        wrong_args(w, o, args == NULL ? at : args_at);
        return;
    }
    if (++w->depth > EXPR_DEPTH)
        wrong(w, at, W_expr_expression_nested_more_than_100);
    if (o->form == FORM_CALL)
        add_token(w, op_at, TOKEN_NAME, odp_arena_copy(w->c.arena, name), name.len);
    sign(w, at, TOKEN_OPEN, 1);
    operands(w, o, args, at, args_at);
    sign(w, at, TOKEN_CLOSE, 1);
    w->depth--;
}

/* ---- values ---- */

/* {"date": "…"}, {"timestamp": "…"}: as DATE('…'). */
static void moment(struct json_writer *w, const json_t *text, const char *name, const struct place *at)
{
    const struct place *inside = member(w, at, name, 0);
    if (!json_is_string(text)) {
        wrong(w, inside, W_expr_text_expected_here);
        return;
    }
    word(w, at, TOKEN_NAME, odp_slice_of(name));
    sign(w, at, TOKEN_OPEN, 1);
    word(w, inside, TOKEN_TEXT, text_of(text));
    sign(w, at, TOKEN_CLOSE, 1);
}

static void property(struct json_writer *w, const json_t *name, const struct place *at)
{
    const struct place *inside = member(w, at, "property", 0);
    if (json_is_string(name))
        word(w, inside, TOKEN_QUOTED, text_of(name));
    else
        wrong(w, inside, W_expr_name_field_expected_here);
}

static void object(struct json_writer *w, const json_t *j, const struct place *at)
{
    static const char *const moments[] = {"date", "timestamp"};
    if (json_object_get(j, "op") != NULL) {
        operation(w, j, at);
        return;
    }
    if (json_object_get(j, "property") != NULL) {
        property(w, json_object_get(j, "property"), at);
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(j, moments[i]) != NULL) {
            moment(w, json_object_get(j, moments[i]), moments[i], at);
            return;
        }
    if (json_object_get(j, "type") != NULL || json_object_get(j, "bbox") != NULL)
        add_shape(w, j, at);
    else
        wrong(w, at, W_expr_object_with_op_property_date);
}

static void value(struct json_writer *w, const json_t *j, const struct place *at)
{
    struct odp_slice number;
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        object(w, j, at);
        return;
    case JSON_STRING:
        word(w, at, TOKEN_TEXT, text_of(j));
        return;
    case JSON_INTEGER:
    case JSON_REAL:
        number = number_text(w, j);
        add_token(w, at, TOKEN_NUMBER, number, number.len);
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        sign(w, at, json_is_true(j) ? TOKEN_TRUE : TOKEN_FALSE, 5);
        return;
    case JSON_NULL:
        wrong(w, at, W_expr_null_cannot_compared_use_isnull);
        return;
    default:
        wrong(w, at, W_expr_array_only_list);
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
        text = p->key != NULL ? odp_arena_printf(a, "/%s%s", p->key, text)
                              : odp_arena_printf(a, "/%zu%s", p->index, text);
    return text;
}

enum odp_status odp_expr_compile_json(struct odp_arena *arena, const json_t *json,
                                      const struct odp_expr_scope *scope, const struct odp_expr **out,
                                      struct odp_expr_json_fault *fault)
{
    struct odp_expr_fault inner = {0};
    struct json_writer w = {
        .c = {.arena = arena, .schema = scope->schema, .geometry = scope->geometry, .fault = &inner}};
    *out = NULL;
    *fault = (struct odp_expr_json_fault){0};
    if (json != NULL)
        value(&w, json, &root);
    else
        wrong(&w, &root, W_expr_expression_empty);
    sign(&w, &root, TOKEN_END, 0);
    if (w.c.status == ODP_OK) {
        w.c.last = w.n - 1;
        w.c.cap = (uint32_t)w.n * 2 + 8;
        if (expr_compile_tokens(&w.c, out) == ODP_BAD)
            w.at = place_of(&w, inner.at, inner.at + inner.len);
    }
    if (w.c.status != ODP_BAD)
        return w.c.status;
    fault->message = inner.message;
    fault->pointer = pointer_of(arena, w.at);
    return ODP_BAD;
}
