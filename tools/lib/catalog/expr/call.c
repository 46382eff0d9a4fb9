/* The functions of expressions: one row each in the list, which the parser, eval.c and the API's list of
 * functions read. */
#include <string.h>

#include "base/utf8.h"
#include "catalog/expr/expr_internal.h"
#include "catalog/expr/text.h"

/* The arguments ARG of IN, none of them null unless the function takes nulls, to OUT, which is null. */
typedef void call_function(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                           struct expr_cell *out);

static struct odp_slice mapped(struct odp_arena *a, struct odp_slice s, enum expr_mapping mapping)
{
    if (s.len == 0 || s.len > SIZE_MAX / EXPR_GROWTH)
        return s;
    char *out = odp_arena_alloc(a, s.len * EXPR_GROWTH);
    return (struct odp_slice){out, expr_map(mapping, s, out)};
}

static void casei(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                  struct expr_cell *out)
{
    out->text = mapped(a, arg[0].text, EXPR_CASEI);
}

static void accenti(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                    struct expr_cell *out)
{
    out->text = mapped(a, arg[0].text, EXPR_ACCENTI);
}

static void upper(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                  struct expr_cell *out)
{
    out->text = mapped(a, arg[0].text, EXPR_UPPER);
}

static void lower(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                  struct expr_cell *out)
{
    out->text = mapped(a, arg[0].text, EXPR_LOWER);
}

static void trim(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                 struct expr_cell *out)
{
    out->text = expr_trim(arg[0].text);
}

static void length(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                   struct expr_cell *out)
{
    out->num = num_of((__int128)odp_utf8_count(arg[0].text));
}

static void substr(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                   struct expr_cell *out)
{
    int64_t from, n = INT64_MAX;
    if (num_integer(&arg[1].num, &from) && from != 0 &&
        (in->field < 3 || (num_integer(&arg[2].num, &n) && n >= 0)))
        out->text = expr_substr(arg[0].text, from, n);
}

static void concat(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                   struct expr_cell *out)
{
    size_t len = 0, n = 0;
    for (uint32_t k = 0; k < in->field; k++)
        len += arg[k].text.len;
    char *text = odp_arena_alloc(a, len + 1);
    for (uint32_t k = 0; k < in->field; n += arg[k++].text.len)
        memcpy(text + n, arg[k].text.ptr, arg[k].text.len);
    out->text = (struct odp_slice){text, len};
}

static void starts_with(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                        struct expr_cell *out)
{
    struct odp_slice s = arg[0].text, part = arg[1].text;
    out->truth = s.len >= part.len && memcmp(s.ptr, part.ptr, part.len) == 0 ? ODP_TRUE : ODP_FALSE;
}

static void ends_with(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                      struct expr_cell *out)
{
    struct odp_slice s = arg[0].text, part = arg[1].text;
    bool yes = s.len >= part.len && memcmp(s.ptr + s.len - part.len, part.ptr, part.len) == 0;
    out->truth = yes ? ODP_TRUE : ODP_FALSE;
}

static void contains(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                     struct expr_cell *out)
{
    struct odp_slice s = arg[0].text, part = arg[1].text;
    out->truth = memmem(s.ptr, s.len, part.ptr, part.len) != NULL ? ODP_TRUE : ODP_FALSE;
}

static void absolute(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                     struct expr_cell *out)
{
    const struct num zero = num_of(0);
    out->num = num_cmp(&arg[0].num, &zero) < 0 ? num_neg(arg[0].num) : arg[0].num;
}

static void round_to(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                     struct expr_cell *out)
{
    int64_t places = 0;
    if (in->field < 2 || num_integer(&arg[1].num, &places))
        out->num = num_round(arg[0].num, places);
}

/* Of a date 20240315, of a month 202403 (expr_value). */
static void year(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                 struct expr_cell *out)
{
    out->num = num_of(arg[0].num.m / (in->kind == KIND_DATE ? 10000 : 100));
}

static void month(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                  struct expr_cell *out)
{
    out->num = num_of(arg[0].num.m / (in->kind == KIND_DATE ? 100 : 1) % 100);
}

static void coalesce(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a,
                     struct expr_cell *out)
{
    for (uint32_t k = in->field; k-- > 0;)
        if (!expr_cell_is_null((enum kind)in->kind, &arg[k]))
            *out = arg[k];
}

static const struct function {
    struct odp_expr_function about;
    call_function *call;
} functions[] = {
    {{"CASEI", "CASEI(x)", "s", 's', 1, 1, NULL}, casei},
    {{"ACCENTI", "ACCENTI(x)", "s", 's', 1, 1, NULL}, accenti},
    {{"UPPER", "UPPER(x)", "s", 's', 1, 1, NULL}, upper},
    {{"LOWER", "LOWER(x)", "s", 's', 1, 1, NULL}, lower},
    {{"TRIM", "TRIM(x)", "s", 's', 1, 1, NULL}, trim},
    {{"LENGTH", "LENGTH(x)", "s", 'i', 1, 1, NULL}, length},
    {{"SUBSTR", "SUBSTR(x, i[, n])", "sii", 's', 2, 3, NULL}, substr},
    {{"CONCAT", "CONCAT(x, y[, …])", "ss", 's', 2, EXPR_ARGS, NULL}, concat},
    {{"STARTS_WITH", "STARTS_WITH(x, y)", "ss", 'b', 2, 2, "=%"}, starts_with},
    {{"ENDS_WITH", "ENDS_WITH(x, y)", "ss", 'b', 2, 2, "%="}, ends_with},
    {{"CONTAINS", "CONTAINS(x, y)", "ss", 'b', 2, 2, "%=%"}, contains},
    {{"ABS", "ABS(x)", "n", 'n', 1, 1, NULL}, absolute},
    {{"ROUND", "ROUND(x[, n])", "ni", 'n', 1, 2, NULL}, round_to},
    {{"YEAR", "YEAR(x)", "d", 'i', 1, 1, NULL}, year},
    {{"MONTH", "MONTH(x)", "d", 'i', 1, 1, NULL}, month},
    {{"COALESCE", "COALESCE(x, y[, …])", "**", '*', 2, EXPR_ARGS, NULL}, coalesce},
};

const struct odp_expr_function *odp_expr_function(size_t i)
{
    return i < ODP_COUNT(functions) ? &functions[i].about : NULL;
}

int expr_function_find(struct odp_slice name)
{
    const struct odp_expr_function *f;
    for (size_t i = 0; (f = odp_expr_function(i)) != NULL; i++)
        if (odp_slice_is_nocase(name, f->name))
            return (int)i;
    return -1;
}

/* What LETTER of the list says; KIND is that of the call's own arguments. */
static enum kind kind_of(char letter, enum kind kind)
{
    switch (letter) {
    case 's':
        return KIND_TEXT;
    case 'b':
        return KIND_BOOL;
    case 'n':
    case 'i':
        return KIND_NUMBER;
    default:
        return kind;
    }
}

static char letter_of(const struct odp_expr_function *f, uint32_t k)
{
    size_t n = strlen(f->arguments);
    return f->arguments[k < n ? k : n - 1];
}

enum kind expr_call_takes(const struct instr *in, uint32_t k)
{
    return kind_of(letter_of(&functions[in->relation].about, k), (enum kind)in->kind);
}

enum kind expr_call_gives(const struct instr *in)
{
    return kind_of(functions[in->relation].about.returns, (enum kind)in->kind);
}

bool expr_is_casei(const struct instr *in)
{
    return in->op == OP_CALL && functions[in->relation].call == casei;
}

bool expr_cell_is_null(enum kind kind, const struct expr_cell *cell)
{
    if (kind == KIND_BOOL)
        return cell->truth == ODP_UNKNOWN;
    return kind == KIND_TEXT || kind == KIND_DURATION ? cell->text.ptr == NULL : cell->num.state == NUM_NULL;
}

struct expr_cell expr_call(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a)
{
    struct expr_cell out = {.num = {.state = NUM_NULL}, .truth = ODP_UNKNOWN};
    bool null = false;
    for (uint32_t k = 0; k < in->field && functions[in->relation].call != coalesce; k++)
        null = null || expr_cell_is_null(expr_call_takes(in, k), &arg[k]);
    if (!null)
        functions[in->relation].call(in, arg, a, &out);
    return out;
}
