/* Constants that stand outside of an expression's text: values of parameters, and how a constant lies in the
 * query index. */
#include <stdlib.h>
#include <strings.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "catalog/expr/sql_internal.h"
#include "catalog/index/search.h"
#include "words/expr.h"

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
    bool yes = text.len == 4 && strncasecmp(text.ptr, "true", 4) == 0;
    if (!yes && !(text.len == 5 && strncasecmp(text.ptr, "false", 5) == 0))
        return ODP_BAD;
    *out = (struct instr){.op = OP_CONST_BOOL, .kind = KIND_BOOL, .truth = yes};
    return ODP_OK;
}

enum odp_status expr_moment(struct odp_arena *a, struct odp_slice text, enum kind kind, struct instr *out)
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

/* What says a value of a kind. */
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
        status = expr_moment(a, text, kind, out);
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
