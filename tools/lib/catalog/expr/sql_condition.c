/* An expression as a condition of SQL (sql.h). What SQLite answers as eval.c does becomes SQL; the rest, and
 * what is too deep or too long for SQLite's parser, becomes odp_eval over that part of the program.
 *
 *   text, dates, times      compare as bytes: columns, constants, odp_casei(…)
 *   numbers                 REAL with REAL, INTEGER with INTEGER, and constants with exactly such a value.
 *                           REAL with INTEGER
 *                           goes to odp_eval (the column's decimal may be neither), as arithmetic and wide
 *                             columns do. A REAL has at most 15 significant digits, so distinct
 *                           decimals are distinct doubles, in the same order
 *   LIKE 'abc%…'            also x >= 'abc' AND x < 'abd', for an index; the upper end is the next
 *                           character's
 *   spatial                 odp_spatial; under AND and OR alone also a search in the R*Tree
 *   only constants          evaluated here */

#include "base/utf8.h"
#include "catalog/expr/sql_internal.h"

enum {
    DEPTH_MAX =
        12, /* conditions inside each other: SQLite's parser holds 100 symbols, up to 6 of them a level */
    LEAVES_MAX = 400,   /* conditions: its expressions are at most 1000 deep, and chains lean to the left */
    VALUES_MAX = 30000, /* of 32,766 */
    ARGS_MAX = 90       /* of 100 arguments of a function: more columns are packed by odp_pack */
};
#define ROUNDED 4e-5 /* degrees: more than rounding a coordinate to 32 bits changes */

void odp_sql_init(struct odp_sql *s, struct odp_arena *arena)
{
    *s = (struct odp_sql){.arena = arena};
}

void odp_sql_release(struct odp_sql *s)
{
    odp_buffer_release(&s->text);
}

void odp_sql_bind(struct odp_sql *s, const struct odp_sql_value *v)
{
    s->values = odp_arena_more(s->arena, s->values, s->n, sizeof *s->values);
    s->values[s->n++] = *v;
    odp_buffer_add_char(&s->text, '?');
}

/* A failure latches. */
struct writer {
    const struct odp_expr *e;
    const struct odp_sql_table *t;
    struct odp_sql *out;
    unsigned depth;
    enum odp_status status;
};

static void condition(struct writer *w, const struct expr_node *n, bool must);

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

static void bind(struct writer *w, struct odp_sql_value v)
{
    odp_sql_bind(w->out, &v);
}

static void bind_text(struct writer *w, struct odp_slice text)
{
    bind(w, (struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = text});
}

static void bind_pointer(struct writer *w, const void *p, const char *type)
{
    bind(w, (struct odp_sql_value){.kind = ODP_SQL_POINTER, .pointer = p, .pointer_type = type});
}

/* The columns of P as arguments. */
static void add_columns(struct writer *w, const struct odp_row_program *p)
{
    uint32_t n = p->expr.nfields;
    bool pack = n > ARGS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (pack && i % ARGS_MAX == 0)
            add(w, i == 0 ? ", odp_pack(" : "), odp_pack(");
        else
            add(w, ", ");
        add_column(w, p->expr.fields[i]);
    }
    add(w, pack ? ")" : "");
}

/* N as eval.c's work. */
static void ask_eval(struct writer *w, const struct expr_node *n)
{
    const struct odp_row_program *p = expr_row_program(w->out->arena, w->e, n);
    add(w, "odp_eval(");
    bind_pointer(w, p, "odp_eval");
    add_columns(w, p);
    if (p->expr.geometry != NULL) {
        add(w, ", ");
        add_name(w, w->t->geometry);
    }
    add(w, ")");
}

/* N names neither a field nor the geometry: its truth is known. */
static void add_constant(struct writer *w, const struct expr_node *n)
{
    static const char *const words[] = {[ODP_FALSE] = "0", [ODP_TRUE] = "1", [ODP_UNKNOWN] = "NULL"};
    struct odp_row *row;
    uint8_t truth = ODP_UNKNOWN;
    enum odp_status status = odp_row_new(&row, expr_row_program(w->out->arena, w->e, n));
    if (status == ODP_OK) {
        odp_row_begin(row);
        status = odp_row_eval(row, &truth);
    }
    odp_row_free(row);
    if (status != ODP_OK)
        w->status = status;
    add(w, words[truth]);
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
    while (expr_is_casei(n->in))
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

static void operand(struct writer *w, const struct expr_node *n, enum kind kind, enum odp_type type)
{
    struct odp_sql_value value;
    if (kind == KIND_BOOL) {
        condition(w, n, false);
    } else if (n->in->op == OP_FIELD) {
        add_column(w, n->in->field);
    } else if (expr_is_casei(n->in)) {
        add(w, "odp_casei(");
        operand(w, n->child, kind, type);
        add(w, ")");
    } else {
        (void)expr_sql_value(n->in, type, &value); /* it has one: operands_fit */
        bind(w, value);
    }
}

/* ---- conditions ---- */

/* "(" A sign B ")" · "(" A " BETWEEN " B " AND " C ")" · "(" A " IN (" B ", " C "))". */
static void compare(struct writer *w, const struct expr_node *n)
{
    enum op op = (enum op)n->in->op;
    enum kind kind = (enum kind)n->in->kind;
    enum odp_type type;
    if (!operands_fit(w, n, kind, &type)) {
        ask_eval(w, n);
        return;
    }
    add(w, "(");
    operand(w, n->child, kind, type);
    add(w, n->in->negate ? " NOT " : " ");
    add(w, op == OP_BETWEEN ? "BETWEEN" : op == OP_IN_END ? "IN" : expr_ops[op].sign);
    add(w, op == OP_IN_END ? " (" : " ");
    for (const struct expr_node *k = n->child->next; k != NULL; k = k->next) {
        operand(w, k, kind, type);
        if (k->next != NULL)
            add(w, op == OP_BETWEEN ? " AND " : ", ");
    }
    add(w, op == OP_IN_END ? "))" : ")");
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

/* Replaces the N bytes of TEXT (with room for one more) by the least text after all that begin with them; 0:
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

static void like_call(struct writer *w, const struct expr_node *n)
{
    add(w, "odp_like(");
    operand(w, n->child, KIND_TEXT, ODP_TYPE_STRING);
    add(w, ", ");
    bind_text(w, n->last->in->text);
    add(w, ")");
}

/* column >= FIXED AND column < BEHIND, and LIKE itself where the pattern goes on with more than %. */
static void like_range(struct writer *w, const struct expr_node *n, struct odp_slice fixed, bool exact)
{
    char *end = odp_arena_alloc(w->out->arena, fixed.len + 4);
    memcpy(end, fixed.ptr, fixed.len);
    size_t len = behind(end, fixed.len);
    add(w, "(");
    add_column(w, n->child->in->field);
    add(w, " >= ");
    bind_text(w, fixed);
    if (len > 0) {
        add(w, " AND ");
        add_column(w, n->child->in->field);
        add(w, " < ");
        bind_text(w, (struct odp_slice){end, len});
    }
    if (!exact || len == 0) {
        add(w, " AND ");
        like_call(w, n);
    }
    add(w, ")");
}

static void like(struct writer *w, const struct expr_node *n)
{
    struct odp_slice pattern = n->last->in->text;
    size_t rest;
    char *text = odp_arena_alloc(w->out->arena, pattern.len + 1);
    struct odp_slice fixed = {text, fixed_part(pattern, text, &rest)};
    if (!text_fits(n->child)) {
        ask_eval(w, n);
    } else if (n->child->in->op == OP_FIELD && fixed.len > 0 && rest < pattern.len && !n->in->negate) {
        like_range(w, n, fixed, pattern.ptr[rest] == '%' && rest + 1 == pattern.len);
    } else if (rest == pattern.len) { /* nothing but characters */
        add(w, "(");
        operand(w, n->child, KIND_TEXT, ODP_TYPE_STRING);
        add(w, n->in->negate ? " <> " : " = ");
        bind_text(w, fixed);
        add(w, ")");
    } else {
        add(w, n->in->negate ? "(NOT " : "");
        like_call(w, n);
        add(w, n->in->negate ? ")" : "");
    }
}

static void is_null(struct writer *w, const struct expr_node *n)
{
    const struct expr_node *value = n->child;
    enum kind kind = (enum kind)n->in->kind;
    enum op op = (enum op)value->in->op;
    if (kind != KIND_BOOL && op != OP_GEOMETRY && op != OP_FIELD &&
        !(kind == KIND_TEXT && text_fits(value))) {
        ask_eval(w, n);
        return;
    }
    add(w, "(");
    if (op == OP_GEOMETRY)
        add_name(w, w->t->geometry);
    else
        operand(w, value, kind, ODP_TYPE_STRING);
    add(w, n->in->negate ? " IS NOT NULL)" : " IS NULL)");
}

/* ---- geometries ---- */

static void bind_number(struct writer *w, const char *before, double v)
{
    add(w, before);
    bind(w, (struct odp_sql_value){.kind = ODP_SQL_REAL, .r = v});
}

/* "SELECT id FROM <rtree> WHERE …": what BOX may touch. */
static void search_box(struct writer *w, const double box[4])
{
    odp_buffer_printf(&w->out->text, "SELECT b.id FROM %s AS b WHERE ", w->t->rtree);
    bind_number(w, "(b.minx <= ", box[2]);
    bind_number(w, " AND b.maxx >= ", box[0]);
    bind_number(w, " AND b.miny <= ", box[3]);
    bind_number(w, " AND b.maxy >= ", box[1]);
    add(w, ")");
}

/* odp_spatial of the record that a search of the R*Tree has come to. */
static void ask_shape_of_box(struct writer *w, const struct odp_spatial *s)
{
    add(w, "odp_spatial(");
    bind_pointer(w, s, "odp_spatial");
    odp_buffer_printf(&w->out->text, ", (SELECT g.%s FROM %s AS g WHERE g.fid = b.id))", w->t->geometry,
                      w->t->name);
}

/* An R*Tree search for what intersects BOX. A record's box is tight but for rounding: each of its edges
 * touches the geometry. An edge within BOX has a point of the geometry in BOX; shapes are looked at only for
 * the others: at BOX's corners, or across BOX from side to side. */
static void search_rectangle(struct writer *w, const struct odp_spatial *s, const double box[4])
{
    const double west = box[0] + ROUNDED, east = box[2] - ROUNDED, south = box[1] + ROUNDED,
                 north = box[3] - ROUNDED;
    search_box(w, box);
    bind_number(w, " AND ((b.minx >= ", west);
    bind_number(w, " AND b.maxx <= ", east);
    bind_number(w, " AND (b.miny BETWEEN ", south);
    bind_number(w, " AND ", north);
    bind_number(w, " OR b.maxy BETWEEN ", south);
    bind_number(w, " AND ", north);
    bind_number(w, ")) OR (b.miny >= ", south);
    bind_number(w, " AND b.maxy <= ", north);
    bind_number(w, " AND (b.minx BETWEEN ", west);
    bind_number(w, " AND ", east);
    bind_number(w, " OR b.maxx BETWEEN ", west);
    bind_number(w, " AND ", east);
    add(w, ")) OR ");
    ask_shape_of_box(w, s);
    add(w, ")");
}

/* MUST: the condition as a whole cannot hold where this one does not. */
static void spatial(struct writer *w, const struct expr_node *n, bool must)
{
    const struct odp_spatial *s = n->in->spatial;
    bool search = must && !w->t->no_box;
    double boxes[2][4];
    if (search && odp_spatial_is_box(s, boxes[0])) {
        odp_buffer_printf(&w->out->text, "(%s.fid IN (", w->t->alias);
        search_rectangle(w, s, boxes[0]);
        add(w, "))");
        return;
    }
    unsigned count = search ? odp_spatial_boxes(s, boxes) : 0;
    add(w, "(");
    if (count > 0)
        odp_buffer_printf(&w->out->text, "%s.fid IN (", w->t->alias);
    for (unsigned i = 0; i < count; i++) { /* one search a box: the R*Tree takes no OR */
        add(w, i > 0 ? " UNION ALL " : "");
        search_box(w, boxes[i]);
    }
    add(w, count > 0 ? ") AND odp_spatial(" : "odp_spatial(");
    bind_pointer(w, s, "odp_spatial");
    add(w, ", ");
    add_name(w, w->t->geometry);
    add(w, "))");
}

/* ---- the whole ---- */

static void chain(struct writer *w, const struct expr_node *n, bool must)
{
    add(w, "(");
    for (const struct expr_node *k = n->child; k != NULL; k = k->next) {
        condition(w, k, must);
        add(w, k->next != NULL ? expr_ops[n->in->op].sign : ")");
    }
}

static void one(struct writer *w, const struct expr_node *n, bool must)
{
    switch ((enum op)n->in->op) {
    case OP_AND:
    case OP_OR:
        chain(w, n, must);
        return;
    case OP_NOT:
        add(w, "(NOT ");
        condition(w, n->child, false);
        add(w, ")");
        return;
    case OP_FIELD: /* a boolean one */
        add_column(w, n->in->field);
        return;
    case OP_SPATIAL:
        spatial(w, n, must);
        return;
    case OP_LIKE:
        like(w, n);
        return;
    case OP_IS_NULL:
        is_null(w, n);
        return;
    case OP_CALL:
        ask_eval(w, n);
        return;
    default:
        compare(w, n);
    }
}

static void condition(struct writer *w, const struct expr_node *n, bool must)
{
    if (n->constant) {
        add_constant(w, n);
    } else if (w->depth >= DEPTH_MAX) {
        ask_eval(w, n);
    } else {
        w->depth++;
        one(w, n, must);
        w->depth--;
    }
}

static enum odp_status status_of(const struct writer *w)
{
    enum odp_status status = w->status == ODP_OK ? odp_buffer_status(&w->out->text) : w->status;
    return status == ODP_OK ? odp_arena_status(w->out->arena) : status;
}

enum odp_status odp_expr_sql(const struct odp_expr *e, const struct odp_sql_table *t, struct odp_sql *out)
{
    struct writer w = {.e = e, .t = t, .out = out};
    const struct expr_node *root = expr_tree(out->arena, e);
    bool large = root->leaves > LEAVES_MAX || root->values > VALUES_MAX;
    if (large && !root->constant)
        ask_eval(&w, root);
    else
        condition(&w, root, true);
    return status_of(&w);
}

enum odp_status odp_expr_sql_search(const struct odp_expr *e, const struct odp_sql_table *t,
                                    struct odp_sql *out, bool *is)
{
    struct writer w = {.e = e, .t = t, .out = out};
    const struct instr *root = expr_tree(out->arena, e)->in;
    double boxes[2][4];
    bool rectangle = root->op == OP_SPATIAL && odp_spatial_is_box(root->spatial, boxes[0]);
    /* no box, or two that may both find a record: not one search */
    *is = rectangle || (root->op == OP_SPATIAL && odp_spatial_boxes(root->spatial, boxes) == 1);
    if (rectangle) {
        search_rectangle(&w, root->spatial, boxes[0]);
    } else if (*is) {
        search_box(&w, boxes[0]);
        add(&w, " AND ");
        ask_shape_of_box(&w, root->spatial);
    }
    return status_of(&w);
}
