/* An expression as a condition of SQL (sql.h). What SQLite answers as eval.c does is written in SQL; any other condition, and
 * whatever is nested too deep or too long for its parser, becomes a call of odp_eval over the same part of the program.
 *
 *   text, dates, times      compare as bytes: columns, constants, odp_casei(…)
 *   numbers                 REAL with REAL, INTEGER with INTEGER, and constants that have such a value exactly. REAL with INTEGER
 *                           goes to odp_eval: SQLite compares a double with an integer, but the column's decimal may be neither.
 *                           So do arithmetic and wide columns. A REAL of `data` has at most 15 significant digits, so distinct
 *                           decimals are distinct doubles, in the same order
 *   LIKE 'abc%…'            also x >= 'abc' AND x < 'abd', so that an index is used; the upper end is the next character's,
 *                           never half of one
 *   spatial                 odp_spatial, and under AND and OR alone also a search in the R*Tree
 *   only constants          worked out here */
#include <math.h>

#include "base/utf8.h"
#include "catalog/expr/sql_internal.h"

enum {
    DEPTH_MAX =
        12, /* conditions inside each other: SQLite's parser holds 100 symbols, up to 6 of them a level */
    LEAVES_MAX = 400,   /* conditions: its expressions are at most 1000 deep, and chains lean to the left */
    VALUES_MAX = 30000, /* of 32,766 */
    ARGS_MAX = 90       /* of 100 arguments of a function: more columns are packed by odp_pack */
};
#define ROUNDED 4e-5 /* degrees, more than rounding to 32 bits makes of a coordinate */

struct writer {
    const struct odp_expr *e;
    const struct odp_sql_table *t;
    struct odp_sql *out;
    unsigned depth;
};

static enum odp_status condition(struct writer *w, const struct expr_node *n, bool must) ODP_MUST_USE;

static void add(struct writer *w, const char *sql)
{
    odp_buffer_add_str(&w->out->text, sql);
}

static void add_name(struct writer *w, const char *name)
{
    add(w, w->t->alias);
    add(w, ".");
    add(w, name);
}

static void add_column(struct writer *w, uint32_t field)
{
    add_name(w, w->t->columns[field]);
}

static void add_shape(struct writer *w)
{
    add_name(w, w->t->geometry);
}

static enum odp_status bind_text(struct writer *w, struct odp_slice text)
{
    return odp_sql_bind(w->out, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = text});
}

static enum odp_status bind_pointer(struct writer *w, const void *p, const char *type)
{
    return odp_sql_bind(w->out,
                        &(struct odp_sql_value){.kind = ODP_SQL_POINTER, .pointer = p, .pointer_type = type});
}

/* The columns of P as arguments. */
static void add_columns(struct writer *w, const struct odp_row_program *p)
{
    uint32_t n = p->expr.nfields;
    bool pack = n > ARGS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        add(w, !pack ? ", " : i % ARGS_MAX != 0 ? ", " : i == 0 ? ", odp_pack(" : "), odp_pack(");
        add_column(w, p->expr.fields[i]);
    }
    add(w, pack ? ")" : "");
}

/* N as eval.c's work. */
static enum odp_status ask_eval(struct writer *w, const struct expr_node *n)
{
    struct odp_row_program *p;
    if (expr_row_program(w->out->arena, w->e, n, &p) != ODP_OK)
        return ODP_FAIL;
    add(w, "odp_eval(");
    if (bind_pointer(w, p, "odp_eval") != ODP_OK)
        return ODP_FAIL;
    add_columns(w, p);
    if (p->expr.geometry != NULL) {
        add(w, ", ");
        add_shape(w);
    }
    add(w, ")");
    return ODP_OK;
}

/* N names neither a field nor the geometry: its truth is known. */
static enum odp_status add_constant(struct writer *w, const struct expr_node *n)
{
    struct odp_row_program *p;
    struct odp_row *row;
    uint8_t truth;
    if (expr_row_program(w->out->arena, w->e, n, &p) != ODP_OK || odp_row_new(&row, p) != ODP_OK)
        return ODP_FAIL;
    odp_row_begin(row);
    enum odp_status status = odp_row_eval(row, &truth);
    odp_row_free(row);
    if (status == ODP_OK)
        add(w, truth == ODP_TRUE ? "1" : truth == ODP_FALSE ? "0" : "NULL");
    return status;
}

/* ---- operands ---- */

static enum odp_type type_of(const struct writer *w, const struct expr_node *n)
{
    return w->e->schema->fields[n->in->field].type;
}

/* Numbers that SQLite compares as num.c does; *TYPE is what constants among them are bound for. */
static bool numbers_fit(const struct writer *w, const struct expr_node *first, enum odp_type *type)
{
    bool real = false, whole = false;
    for (const struct expr_node *n = first; n != NULL; n = n->next) {
        if (n->in->op != OP_FIELD)
            continue;
        if (w->t->wide != NULL && w->t->wide[n->in->field])
            return false;
        if (type_of(w, n) == ODP_TYPE_NUMBER)
            real = true;
        else
            whole = true;
    }
    *type = real ? ODP_TYPE_NUMBER : ODP_TYPE_INTEGER;
    return !(real && whole);
}

static bool text_fits(const struct expr_node *n)
{
    while (n->in->op == OP_FOLD)
        n = n->child;
    return n->in->op == OP_FIELD || n->in->op == OP_CONST_TEXT;
}

/* Whether SQLite compares the operands of N, of KIND, as eval.c does. */
static bool operands_fit(const struct writer *w, const struct expr_node *n, enum kind kind,
                         enum odp_type *type)
{
    struct odp_sql_value value;
    *type = ODP_TYPE_STRING;
    if (kind == KIND_BOOL)
        return true;
    if (kind == KIND_NUMBER && !numbers_fit(w, n->child, type))
        return false;
    for (const struct expr_node *k = n->child; k != NULL; k = k->next) {
        if (kind == KIND_TEXT || kind == KIND_DURATION) {
            if (!text_fits(k))
                return false;
        } else if (k->in->op != OP_FIELD &&
                   (k->in->op != OP_CONST_NUM || !expr_sql_value(k->in, *type, &value))) {
            return false;
        }
    }
    return true;
}

static enum odp_status operand(struct writer *w, const struct expr_node *n, enum kind kind,
                               enum odp_type type)
{
    struct odp_sql_value value;
    if (kind == KIND_BOOL)
        return condition(w, n, false);
    switch ((enum op)n->in->op) {
    case OP_FIELD:
        add_column(w, n->in->field);
        return ODP_OK;
    case OP_FOLD: {
        add(w, "odp_casei(");
        enum odp_status status = operand(w, n->child, kind, type);
        add(w, ")");
        return status;
    }
    default:
        return expr_sql_value(n->in, type, &value) ? odp_sql_bind(w->out, &value)
                                                   : odp_failure_set("write condition", NULL, 0);
    }
}

/* ---- conditions ---- */

static const char *sign_of(enum op op)
{
    static const char *const signs[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    return signs[op - OP_EQ];
}

/* "(" A sign B ")" · "(" A " BETWEEN " B " AND " C ")" · "(" A " IN (" B ", " C "))". */
static enum odp_status compare(struct writer *w, const struct expr_node *n)
{
    enum op op = (enum op)n->in->op;
    enum kind kind = (enum kind)n->in->kind;
    enum odp_type type;
    const struct expr_node *value = n->child;
    if (!operands_fit(w, n, kind, &type))
        return ask_eval(w, n);
    add(w, "(");
    enum odp_status status = operand(w, value, kind, type);
    add(w, n->in->negate ? " NOT" : "");
    add(w, op == OP_BETWEEN ? " BETWEEN " : op == OP_IN_END ? " IN (" : sign_of(op));
    for (const struct expr_node *k = value->next; status == ODP_OK && k != NULL; k = k->next) {
        status = operand(w, k, kind, type);
        if (k->next != NULL)
            add(w, op == OP_BETWEEN ? " AND " : ", ");
    }
    add(w, op == OP_IN_END ? "))" : ")");
    return status;
}

/* The fixed beginning of PATTERN, without its escapes, in OUT; *REST: where the pattern goes on. */
static size_t fixed_part(struct odp_slice pattern, char *out, size_t *rest)
{
    size_t n = 0, i = 0;
    for (; i < pattern.len && pattern.ptr[i] != '%' && pattern.ptr[i] != '_'; i++) {
        if (pattern.ptr[i] == '\\' && i + 1 < pattern.len)
            i++;
        out[n++] = pattern.ptr[i];
    }
    *rest = i;
    return n;
}

/* The least text behind all that begin with the N bytes of TEXT, in its place (room for one byte more); 0:
 * there is none. */
static size_t behind(char *text, size_t n)
{
    while (n > 0) {
        size_t last = n - 1;
        uint32_t cp;
        while (last > 0 && ((unsigned char)text[last] & 0xC0) == 0x80)
            last--;
        if (odp_utf8_decode(text + last, n - last, &cp) != n - last)
            return 0;
        cp = cp == 0xD7FF ? 0xE000 : cp + 1; /* no surrogates */
        if (cp <= 0x10FFFF)
            return last + odp_utf8_encode(cp, text + last);
        n = last; /* the last character of all: what follows it, follows the one before */
    }
    return 0;
}

static enum odp_status like_call(struct writer *w, const struct expr_node *n)
{
    add(w, "odp_like(");
    enum odp_status status = operand(w, n->child, KIND_TEXT, ODP_TYPE_STRING);
    add(w, ", ");
    if (status == ODP_OK)
        status = bind_text(w, n->last->in->text);
    add(w, ")");
    return status;
}

/* column >= FIXED AND column < BEHIND, and LIKE itself where the pattern goes on with more than %. */
static enum odp_status like_range(struct writer *w, const struct expr_node *n, struct odp_slice fixed,
                                  bool exact)
{
    char *end = odp_arena_alloc(w->out->arena, fixed.len + 4);
    memcpy(end, fixed.ptr, fixed.len);
    size_t len = behind(end, fixed.len);
    add(w, "(");
    add_column(w, n->child->in->field);
    add(w, " >= ");
    enum odp_status status = bind_text(w, fixed);
    if (status == ODP_OK && len > 0) {
        add(w, " AND ");
        add_column(w, n->child->in->field);
        add(w, " < ");
        status = bind_text(w, (struct odp_slice){end, len});
    }
    if (status == ODP_OK && (!exact || len == 0)) {
        add(w, " AND ");
        status = like_call(w, n);
    }
    add(w, ")");
    return status;
}

static enum odp_status like(struct writer *w, const struct expr_node *n)
{
    struct odp_slice pattern = n->last->in->text;
    size_t rest;
    if (!text_fits(n->child))
        return ask_eval(w, n);
    char *fixed = odp_arena_alloc(w->out->arena, pattern.len + 1);
    size_t len = fixed_part(pattern, fixed, &rest);
    if (n->child->in->op == OP_FIELD && len > 0 && rest < pattern.len && !n->in->negate)
        return like_range(w, n, (struct odp_slice){fixed, len},
                          pattern.ptr[rest] == '%' && rest + 1 == pattern.len);
    if (rest == pattern.len) { /* nothing but characters */
        add(w, "(");
        enum odp_status status = operand(w, n->child, KIND_TEXT, ODP_TYPE_STRING);
        add(w, n->in->negate ? " <> " : " = ");
        if (status == ODP_OK)
            status = bind_text(w, (struct odp_slice){fixed, len});
        add(w, ")");
        return status;
    }
    add(w, n->in->negate ? "(NOT " : "");
    enum odp_status status = like_call(w, n);
    add(w, n->in->negate ? ")" : "");
    return status;
}

static enum odp_status is_null(struct writer *w, const struct expr_node *n)
{
    const struct expr_node *value = n->child;
    enum kind kind = (enum kind)n->in->kind;
    if (value->in->op == OP_GEOMETRY) {
        add(w, "(");
        add_shape(w);
        add(w, n->in->negate ? " IS NOT NULL)" : " IS NULL)");
        return ODP_OK;
    }
    if (kind != KIND_BOOL && value->in->op != OP_FIELD && !(kind == KIND_TEXT && text_fits(value)))
        return ask_eval(w, n);
    add(w, "(");
    enum odp_status status = operand(w, value, kind, ODP_TYPE_STRING);
    add(w, n->in->negate ? " IS NOT NULL)" : " IS NULL)");
    return status;
}

static enum odp_status bind_number(struct writer *w, const char *before, double v)
{
    add(w, before);
    return odp_sql_bind(w->out, &(struct odp_sql_value){.kind = ODP_SQL_REAL, .r = v});
}

/* "SELECT id FROM <rtree> WHERE …": what BOX may touch. */
static enum odp_status search_box(struct writer *w, const double box[4])
{
    static const char *const parts[] = {
        "(b.minx <= ", " AND b.maxx >= ", " AND b.miny <= ", " AND b.maxy >= "};
    const double value[] = {box[2], box[0], box[3], box[1]};
    odp_buffer_printf(&w->out->text, "SELECT b.id FROM %s AS b WHERE ", w->t->rtree);
    for (int i = 0; i < 4; i++)
        if (bind_number(w, parts[i], value[i]) != ODP_OK)
            return ODP_FAIL;
    add(w, ")");
    return ODP_OK;
}

/* odp_spatial of the record that a search of the R*Tree has come to. */
static enum odp_status ask_shape_of_box(struct writer *w, const struct odp_spatial *s)
{
    add(w, "odp_spatial(");
    if (bind_pointer(w, s, "odp_spatial") != ODP_OK)
        return ODP_FAIL;
    odp_buffer_printf(&w->out->text, ", (SELECT g.%s FROM %s AS g WHERE g.fid = b.id))", w->t->geometry,
                      w->t->name);
    return ODP_OK;
}

/* A search in the R*Tree for what intersects BOX. A record's box is tight but for its rounding: each of
 * its four edges touches the geometry. Where one edge lies within BOX as a whole, a point of the geometry
 * does; shapes are looked at only where none is: at BOX's corners, or where a record's box goes across BOX
 * from side to side. */
static enum odp_status search_rectangle(struct writer *w, const struct odp_spatial *s, const double box[4])
{
    const double west = box[0] + ROUNDED, east = box[2] - ROUNDED, south = box[1] + ROUNDED,
                 north = box[3] - ROUNDED;
    const struct {
        const char *text;
        double value;
    } parts[] = {{" AND ((b.minx >= ", west},      {" AND b.maxx <= ", east},
                 {" AND (b.miny BETWEEN ", south}, {" AND ", north},
                 {" OR b.maxy BETWEEN ", south},   {" AND ", north},
                 {")) OR (b.miny >= ", south},     {" AND b.maxy <= ", north},
                 {" AND (b.minx BETWEEN ", west},  {" AND ", east},
                 {" OR b.maxx BETWEEN ", west},    {" AND ", east}};
    if (search_box(w, box) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (bind_number(w, parts[i].text, parts[i].value) != ODP_OK)
            return ODP_FAIL;
    add(w, ")) OR ");
    if (ask_shape_of_box(w, s) != ODP_OK)
        return ODP_FAIL;
    add(w, ")");
    return ODP_OK;
}

/* MUST: the condition as a whole cannot hold where this one does not. */
static enum odp_status spatial(struct writer *w, const struct expr_node *n, bool must)
{
    double boxes[2][4];
    if (must && !w->t->no_box && odp_spatial_is_box(n->in->spatial, boxes[0])) {
        odp_buffer_printf(&w->out->text, "(%s.fid IN (", w->t->alias);
        enum odp_status status = search_rectangle(w, n->in->spatial, boxes[0]);
        add(w, "))");
        return status;
    }
    unsigned count = must && !w->t->no_box ? odp_spatial_boxes(n->in->spatial, boxes) : 0;
    add(w, "(");
    if (count > 0)
        odp_buffer_printf(&w->out->text, "%s.fid IN (", w->t->alias);
    for (unsigned i = 0; i < count; i++) { /* one search a box: the R*Tree takes no OR */
        add(w, i > 0 ? " UNION ALL " : "");
        if (search_box(w, boxes[i]) != ODP_OK)
            return ODP_FAIL;
    }
    add(w, count > 0 ? ") AND " : "");
    add(w, "odp_spatial(");
    if (bind_pointer(w, n->in->spatial, "odp_spatial") != ODP_OK)
        return ODP_FAIL;
    add(w, ", ");
    add_shape(w);
    add(w, "))");
    return ODP_OK;
}

static enum odp_status chain(struct writer *w, const struct expr_node *n, bool must)
{
    enum odp_status status = ODP_OK;
    add(w, "(");
    for (const struct expr_node *k = n->child; status == ODP_OK && k != NULL; k = k->next) {
        status = condition(w, k, must);
        if (k->next != NULL)
            add(w, n->in->op == OP_AND ? " AND " : " OR ");
    }
    add(w, ")");
    return status;
}

static enum odp_status one(struct writer *w, const struct expr_node *n, bool must)
{
    enum odp_status status;
    switch ((enum op)n->in->op) {
    case OP_AND:
    case OP_OR:
        return chain(w, n, must);
    case OP_NOT:
        add(w, "(NOT ");
        status = condition(w, n->child, false);
        add(w, ")");
        return status;
    case OP_FIELD: /* a boolean one */
        add_column(w, n->in->field);
        return ODP_OK;
    case OP_SPATIAL:
        return spatial(w, n, must);
    case OP_LIKE:
        return like(w, n);
    case OP_IS_NULL:
        return is_null(w, n);
    default:
        return compare(w, n);
    }
}

static enum odp_status condition(struct writer *w, const struct expr_node *n, bool must)
{
    if (n->constant)
        return add_constant(w, n);
    if (w->depth >= DEPTH_MAX)
        return ask_eval(w, n);
    w->depth++;
    enum odp_status status = one(w, n, must);
    w->depth--;
    return status;
}

enum odp_status odp_expr_sql(const struct odp_expr *e, const struct odp_sql_table *t, struct odp_sql *out)
{
    struct writer w = {.e = e, .t = t, .out = out};
    struct expr_node *root;
    if (expr_tree(out->arena, e, &root) != ODP_OK)
        return ODP_FAIL;
    bool large = root->leaves > LEAVES_MAX || root->values > VALUES_MAX;
    enum odp_status status = large && !root->constant ? ask_eval(&w, root) : condition(&w, root, true);
    return status == ODP_OK ? odp_buffer_status(&out->text) : status;
}

enum odp_status odp_expr_sql_search(const struct odp_expr *e, const struct odp_sql_table *t,
                                    struct odp_sql *out, bool *is)
{
    struct writer w = {.e = e, .t = t, .out = out};
    struct expr_node *root;
    double boxes[2][4];
    *is = false;
    if (expr_tree(out->arena, e, &root) != ODP_OK)
        return ODP_FAIL;
    if (root->in->op != OP_SPATIAL)
        return ODP_OK;
    const struct odp_spatial *s = root->in->spatial;
    bool rectangle = odp_spatial_is_box(s, boxes[0]);
    if (!rectangle && odp_spatial_boxes(s, boxes) != 1) /* none, or two of which both may find a record */
        return ODP_OK;
    *is = true;
    if (rectangle)
        return search_rectangle(&w, s, boxes[0]);
    if (search_box(&w, boxes[0]) != ODP_OK)
        return ODP_FAIL;
    add(&w, " AND ");
    return ask_shape_of_box(&w, s);
}
