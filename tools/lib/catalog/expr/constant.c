/* Values outside of an expression's text: of canonical text, of parameters, and in the query index. And which
 * kinds fit together. */

#include "base/datetime.h"
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"
#include "base/decimal.h"
#include "catalog/expr/sql_internal.h"
#include "catalog/index/search.h"

/* ---- kinds ---- */

enum kind expr_kind_of(enum odp_type t)
{
    static const enum kind families[ODP_FAMILIES] = {
        [ODP_FAMILY_TEXT] = KIND_TEXT,       [ODP_FAMILY_NUMBER] = KIND_NUMBER,
        [ODP_FAMILY_TRUTH] = KIND_BOOL,      [ODP_FAMILY_DURATION] = KIND_DURATION,
        [ODP_FAMILY_LIST] = KIND_COMPLEX,    [ODP_FAMILY_POINT] = KIND_COMPLEX,
        [ODP_FAMILY_GEOJSON] = KIND_COMPLEX, [ODP_FAMILY_JSON] = KIND_COMPLEX,
        [ODP_FAMILY_ANY] = KIND_TEXT};
    static const enum kind dates[] = {[ODP_DATE] = KIND_DATE,
                                      [ODP_TIME] = KIND_TIME,
                                      [ODP_DATETIME] = KIND_DATETIME,
                                      [ODP_YEAR] = KIND_NUMBER,
                                      [ODP_YEARMONTH] = KIND_YEARMONTH};
    const struct odp_field_type *type = odp_field_type(t);
    return type->family == ODP_FAMILY_DATE ? dates[type->date] : families[type->family];
}

static __int128 nanos_of(const struct odp_datetime *d)
{
    return ((__int128)d->hour * 3600 + d->minute * 60 + d->second) * 1000000000 + d->nanos;
}

/* Two digits at P as canonical text has them; 100 or more: not digits. */
static int64_t two(const char *p)
{
    unsigned a = (unsigned char)p[0] - (unsigned)'0', b = (unsigned char)p[1] - (unsigned)'0';
    return a > 9 || b > 9 ? 100 : a * 10 + b;
}

struct num expr_value(enum kind kind, struct odp_slice text)
{
    struct odp_datetime d = {0};
    switch (kind) {
    case KIND_NUMBER:
        return num_parse(text);
    case KIND_DATE: /* by digits: 20240315 orders as the calendar does */
        if (text.len == 10 && text.ptr[4] == '-' && text.ptr[7] == '-')
            return num_of(odp_date_digits(text.ptr));
        break;
    case KIND_YEARMONTH:
        if (text.len == 7 && text.ptr[4] == '-')
            return num_of(two(text.ptr) * 10000 + two(text.ptr + 2) * 100 + two(text.ptr + 5));
        break;
    case KIND_TIME:
        if (odp_date_parse(text, ODP_TIME, NULL, NULL, &d) == ODP_DATE_OK)
            return num_of(nanos_of(&d));
        break;
    case KIND_DATETIME: /* an instant: nanoseconds since 1970-01-01T00:00:00Z */
        if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK)
            return num_of(((__int128)odp_date_days(&d) * 86400 - (__int128)d.offset * 60) * 1000000000 +
                          nanos_of(&d));
        break;
    default:
        break;
    }
    return (struct num){.state = NUM_NULL};
}

int odp_expr_compare(enum odp_type type, struct odp_slice a, struct odp_slice b)
{
    enum kind kind = expr_kind_of(type);
    if (kind == KIND_NUMBER || kind == KIND_DATE || kind == KIND_TIME || kind == KIND_DATETIME ||
        kind == KIND_YEARMONTH) {
        const struct num x = expr_value(kind, a), y = expr_value(kind, b);
        if (x.state != NUM_NULL && y.state != NUM_NULL)
            return num_cmp(&x, &y);
    }
    return odp_slice_cmp(a, b);
}

static enum odp_status number(struct odp_arena *a, struct odp_slice text, struct instr *out)
{
    static const struct odp_decimal_form form = {.decimal = '.', .bare = true};
    char canonical[ODP_DECIMAL_SIZE];
    size_t len;
    bool unchanged, zero;
    if (odp_decimal_parse(text, &form, canonical, &len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return ODP_BAD;
    struct odp_slice copy = odp_arena_copy(a, unchanged ? text : (struct odp_slice){canonical, len});
    *out = (struct instr){.op = OP_CONST_NUM, .kind = KIND_NUMBER, .num = num_parse(copy)};
    return out->num.state == NUM_NULL ? ODP_BAD : ODP_OK;
}

static enum odp_status truth(struct odp_slice text, struct instr *out)
{
    bool yes = odp_slice_is_nocase(text, "true");
    if (!yes && !odp_slice_is_nocase(text, "false"))
        return ODP_BAD;
    *out = (struct instr){.op = OP_CONST_BOOL, .kind = KIND_BOOL, .truth = yes};
    return ODP_OK;
}

static enum odp_status moment(struct odp_arena *a, struct odp_slice text, enum kind kind, struct instr *out)
{
    static const enum odp_date_kind parsers[] = {[KIND_DATE] = ODP_DATE,
                                                 [KIND_TIME] = ODP_TIME,
                                                 [KIND_DATETIME] = ODP_DATETIME,
                                                 [KIND_YEARMONTH] = ODP_YEARMONTH};
    struct odp_datetime d;
    char canonical[ODP_DATETIME_SIZE], instant[ODP_DATETIME_SIZE];
    if (odp_date_parse(text, parsers[kind], NULL, NULL, &d) != ODP_DATE_OK)
        return ODP_BAD;
    struct odp_slice s = {canonical, odp_date_format(&d, parsers[kind], canonical)};
    struct num value = expr_value(kind, s);
    if (kind == KIND_DATETIME) /* SQL and normal forms have the instant, whatever its offset was */
        s = (struct odp_slice){instant, odp_search_instant(s, instant)};
    if (value.state == NUM_NULL || s.len == 0)
        return ODP_BAD;
    *out =
        (struct instr){.op = OP_CONST_NUM, .kind = (uint8_t)kind, .num = value, .text = odp_arena_copy(a, s)};
    return ODP_OK;
}

/* The two years that offsets make and no calendar has: "0000-12-31T…" and ":000-01-01T…" (index/search.c). */
struct num expr_instant(struct odp_slice text)
{
    char zoned[ODP_DATETIME_SIZE];
    __int128 shift = 0, day = (__int128)86400 * 1000000000;
    size_t len = odp_search_instant_text(text, zoned);
    if (len == 0)
        return (struct num){.state = NUM_NULL};
    if (memcmp(zoned, "0000-12-31", 10) == 0) {
        memcpy(zoned, "0001-01-01", 10);
        shift = -day;
    } else if (memcmp(zoned, ":000-01-01", 10) == 0) {
        memcpy(zoned, "9999-12-31", 10);
        shift = day;
    }
    struct num n = expr_value(KIND_DATETIME, (struct odp_slice){zoned, len});
    if (n.state == NUM_OK)
        n.m += shift;
    return n;
}

/* How a value of a kind is written. */
static const struct odp_text forms[] = {
    [KIND_BOOL] = {{W_expr_true_false}},
    [KIND_NUMBER] = {{W_expr_number_such_12_5}},
    [KIND_TEXT] = {{W_expr_a_text}},
    [KIND_DATE] = {{W_expr_date_such_2024_03_15}},
    [KIND_TIME] = {{W_expr_time_such_07_05_00}},
    [KIND_DATETIME] = {{W_expr_date_time_such_2024_03}},
    [KIND_YEARMONTH] = {{W_expr_year_month_such_2024_03}},
    [KIND_DURATION] = {{W_expr_a_text}},
    [KIND_COMPLEX] = {{W_expr_another_column_lists_objects}},
};

enum odp_status expr_constant(struct odp_arena *a, struct odp_slice text, enum odp_type type,
                              struct instr *out, struct odp_text *expected)
{
    enum kind kind = expr_kind_of(type);
    enum odp_status status = ODP_BAD;
    *out = (struct instr){.op = OP_CONST_TEXT, .kind = (uint8_t)kind};
    if (text.ptr == NULL)
        text = ODP_LIT("");
    if (kind == KIND_NUMBER)
        status = number(a, text, out);
    else if (kind == KIND_BOOL)
        status = truth(text, out);
    else if (kind == KIND_DATE || kind == KIND_TIME || kind == KIND_DATETIME || kind == KIND_YEARMONTH)
        status = moment(a, text, kind, out);
    else if (kind != KIND_COMPLEX) {
        out->text = odp_arena_copy(a, text);
        return ODP_OK;
    }
    if (status == ODP_BAD && expected != NULL)
        *expected = forms[kind];
    return status;
}

static bool number_value(const struct instr *in, enum odp_type type, struct odp_sql_value *out)
{
    char room[NUM_TEXT];
    int scale;
    if (type != ODP_TYPE_NUMBER && num_integer(&in->num, &out->i)) {
        out->kind = ODP_SQL_INT;
        return true;
    }
    out->kind = ODP_SQL_REAL;
    return odp_search_real(num_text(&in->num, room), &out->r, &scale);
}

bool expr_sql_value(const struct instr *in, enum odp_type type, struct odp_sql_value *out)
{
    *out = (struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = in->text};
    if (in->op == OP_CONST_BOOL)
        *out = (struct odp_sql_value){.kind = ODP_SQL_INT, .i = in->truth};
    return in->kind != KIND_NUMBER || number_value(in, type, out);
}

enum odp_status odp_sql_literal(struct odp_slice text, enum odp_type type, struct odp_arena *a,
                                struct odp_sql_value *out, struct odp_text *expected)
{
    struct instr in;
    char room[NUM_TEXT];
    enum odp_status status = expr_constant(a, text, type, &in, expected);
    if (status != ODP_OK)
        return status;
    bool whole = type == ODP_TYPE_NUMBER || (expr_sql_value(&in, type, out) && out->kind != ODP_SQL_REAL);
    if (whole && expr_sql_value(&in, type, out))
        return ODP_OK;
    *out = (struct odp_sql_value){.kind = ODP_SQL_BLOB, .text = odp_arena_copy(a, num_text(&in.num, room))};
    return ODP_OK;
}

/* ---- types ---- */

static const struct kind_words {
    struct odp_text name;
    struct odp_text wrong; /* of a wrong text literal; empty: text is no way to write this kind */
} kinds[] = {
    [KIND_BOOL] = {.name = {{W_expr_kind_truth}}},
    [KIND_NUMBER] = {.name = {{W_expr_kind_number}}},
    [KIND_TEXT] = {.name = {{W_expr_kind_text}}},
    [KIND_DATE] = {{{W_expr_kind_date}}, {{W_expr_not_valid_date_write_2024}}},
    [KIND_TIME] = {{{W_expr_kind_time}}, {{W_expr_not_valid_time_write_07}}},
    [KIND_DATETIME] = {{{W_expr_kind_datetime}}, {{W_expr_not_valid_date_time_write}}},
    [KIND_YEARMONTH] = {{{W_expr_kind_month}}, {{W_expr_not_valid_year_month_write}}},
    [KIND_DURATION] = {.name = {{W_expr_kind_duration}}},
    [KIND_COMPLEX] = {.name = {{W_expr_kind_complex}}},
};

/* {0} and {1} of both texts are the names of A and B. */
static void fault_kinds(struct compiler *c, size_t at, size_t end, struct odp_text text, enum kind a,
                        enum kind b)
{
    for (int lang = 0; lang < ODP_LANGS; lang++)
        text.in[lang] = expr_fill(c->arena, text.in[lang], odp_slice_of(kinds[a].name.in[lang]),
                                  odp_slice_of(kinds[b].name.in[lang]));
    expr_fault(c, at, end, text.in[ODP_LANG_ID], text.in[ODP_LANG_EN]);
}

/* A text literal O next to a kind that is written as text becomes a constant of that kind. */
static bool convert(struct compiler *c, struct operand *o, enum kind other)
{
    const struct odp_text *wrong = &kinds[other].wrong;
    if (!o->literal || o->kind != KIND_TEXT || (wrong->in[0] == NULL && other != KIND_DURATION))
        return false;
    o->kind = other;
    if (other == KIND_DURATION)
        return true;
    struct instr *in = &c->expr->code[o->first];
    enum odp_status status = moment(c->arena, in->text, other, in);
    if (status == ODP_BAD)
        expr_fault(c, o->at, o->end, wrong->in[ODP_LANG_ID], wrong->in[ODP_LANG_EN]);
    return true;
}

static void mismatch(struct compiler *c, const struct operand *a, const struct operand *b)
{
    const struct operand *wrong = a->literal && !b->literal ? a : b, *other = wrong == a ? b : a;
    size_t at = a->at < b->at ? a->at : b->at, end = a->end > b->end ? a->end : b->end;
    if (wrong->literal && wrong->kind == KIND_TEXT && other->kind == KIND_NUMBER)
        expr_fault(c, wrong->at, wrong->end, W_expr_number_written_without_quotes);
    else if (wrong->literal && wrong->kind == KIND_NUMBER && other->kind == KIND_TEXT)
        expr_fault(c, wrong->at, wrong->end, W_expr_field_text_write_value_between);
    else
        fault_kinds(c, wrong->literal ? wrong->at : at, wrong->literal ? wrong->end : end,
                    (struct odp_text){{W_expr_cannot_compared_with}}, other->kind, wrong->kind);
}

void expr_unify(struct compiler *c, struct operand *a, struct operand *b, bool ordered)
{
    if (!convert(c, b, a->kind))
        (void)convert(c, a, b->kind);
    const struct operand *complex = a->kind == KIND_COMPLEX ? a : b;
    if (complex->kind == KIND_COMPLEX)
        expr_fault(c, complex->at, complex->end, W_expr_list_object_geometry_cannot);
    else if (a->kind != b->kind)
        mismatch(c, a, b);
    else if (ordered && a->kind == KIND_DURATION)
        fault_kinds(c, a->at, b->end, (struct odp_text){{W_expr_has_no_order_only}}, a->kind, a->kind);
}

void expr_require(struct compiler *c, const struct operand *o, enum kind kind)
{
    if (o->kind != kind)
        fault_kinds(c, o->at, o->end, (struct odp_text){{W_expr_needed_here_not}}, kind, o->kind);
}
