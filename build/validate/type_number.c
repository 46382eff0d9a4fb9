/* number and integer. The literal is kept: nothing goes through double. */
#include "base/decimal.h"
#include "validate/type.h"

#define PLAIN_DIGITS 18 /* so many digits are taken without a closer look */

/* -?(0|[1-9][0-9]*)(.[0-9]+)? of moderate length: it is its own canonical form. MARK: '.' may stand for the decimal sign. */
static bool is_plain(struct odp_slice s, bool mark)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    if (s.len == 0 || s.len > PLAIN_DIGITS)
        return false;
    if (*p == '-' && ++p == end)
        return false;
    if (*p == '0' && p + 1 < end && p[1] != '.')
        return false;
    const char *first = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (p == end)
        return p > first && !(s.ptr[0] == '-' && *first == '0');
    if (!mark || p == first || *p != '.')
        return false;
    const char *fraction = ++p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p == end && p > fraction && s.ptr[0] != '-';
}

static bool core_byte(char ch)
{
    return (ch >= '0' && ch <= '9') || ch == '.' || ch == ',';
}

/* The part of S between its first and last digit, with the sign before it: "12,5 ha" -> "12,5". */
static struct odp_slice core_of(struct odp_slice s)
{
    size_t from = 0, to = s.len;
    while (from < to && (s.ptr[from] < '0' || s.ptr[from] > '9'))
        from++;
    while (to > from && (s.ptr[to - 1] < '0' || s.ptr[to - 1] > '9'))
        to--;
    for (size_t k = from; k < to; k++)
        if (!core_byte(s.ptr[k]))
            return (struct odp_slice){NULL, 0};
    if (from > 0 && from < to && s.ptr[from - 1] == '-')
        from--;
    return (struct odp_slice){s.ptr + from, to - from};
}

/* What the steward probably means, in the form that the field declares; ptr NULL when that cannot be said. */
static struct odp_slice propose(struct odp_check *c, const struct odp_decimal_form *form, struct odp_slice s)
{
    char out[ODP_DECIMAL_SIZE], swapped[ODP_DECIMAL_SIZE];
    size_t len;
    bool unchanged, zero;
    struct odp_slice core = core_of(s);
    if (core.len == 0 || core.len > 40)
        return (struct odp_slice){NULL, 0};
    if (core.len < s.len && odp_decimal_parse(core, form, out, &len, &unchanged, &zero) == ODP_DECIMAL_OK)
        return core;
    /* One mark, the wrong one: 12,5 where the sign is a point. Followed by three digits it may as well part thousands. */
    char mark = form->decimal != 0 ? form->decimal : '.', other = mark == ',' ? '.' : ',';
    const char *at = memchr(core.ptr, other, core.len);
    if (form->integer || at == NULL || core.ptr + core.len - at == 4 || memchr(core.ptr, mark, core.len) != NULL)
        return (struct odp_slice){NULL, 0};
    memcpy(swapped, core.ptr, core.len);
    swapped[at - core.ptr] = mark;
    struct odp_slice t = {swapped, core.len};
    if (odp_decimal_parse(t, form, out, &len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return (struct odp_slice){NULL, 0};
    return odp_check_copy(c, t);
}

static void name_form(struct odp_check *c, struct odp_fault *f, const struct odp_decimal_form *form, enum odp_code code)
{
    char mark = form->decimal != 0 ? form->decimal : '.', group = form->group;
    struct odp_slice sign = odp_check_printf(c, "'%c'", mark);
    struct odp_slice parted = group != 0 ? odp_check_printf(c, "'%c'", group) : ODP_LIT("-");
    if (code == ODP_T04) {
        f->args[0] = sign;
        f->args[1] = parted;
    } else if (code == ODP_T03) {
        f->args[0] = sign;
        f->args[1] = group != 0 ? odp_check_printf(c, " (1%c234%c5)", group, mark) : ODP_LIT("");
    } else if (code == ODP_T02) {
        f->args[0] = group != 0 ? odp_check_printf(c, " (1%c234)", group) : ODP_LIT("");
    }
}

static void report(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_decimal_form *form,
                   enum odp_decimal_fault fault)
{
    enum odp_code code = form->integer ? ODP_T02 : ODP_T03;
    if (fault == ODP_DECIMAL_GROUP)
        code = ODP_T04;
    else if (fault == ODP_DECIMAL_NOT_FINITE)
        code = ODP_T05;
    struct odp_slice proposal = code == ODP_T05 ? (struct odp_slice){NULL, 0} : propose(c, form, c->text[i]);
    struct odp_fault *f = odp_check_untyped(c, i, (int)field, code);
    f->proposal = proposal;
    name_form(c, f, form, code);
}

static void parse(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_decimal_form *form)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len = 0;
    bool unchanged = false, zero = false;
    enum odp_decimal_fault fault = odp_decimal_parse(c->text[i], form, out, &len, &unchanged, &zero);
    if (fault != ODP_DECIMAL_OK) {
        report(c, i, field, form, fault);
        return;
    }
    if (!unchanged)
        c->text[i] = odp_check_copy(c, (struct odp_slice){out, len});
    if (zero)
        (void)odp_check_fault(c, i, (int)field, ODP_T17);
}

void odp_type_number(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_decimal_form declared = f->decimal;
    declared.integer = f->type == ODP_TYPE_INTEGER;
    struct odp_decimal_form native = {.decimal = '.', .bare = true, .integer = declared.integer};
    bool mark = !declared.integer && (declared.decimal == '.' || declared.decimal == 0);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK && !is_plain(c->text[i], mark))
            parse(c, i, field, odp_check_native(c, i, field) ? &native : &declared);
}
