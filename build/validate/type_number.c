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

/* A minus in front of the digits at FROM, next to them or before a currency: 1, none: 0, a dash that may be anything: -1.
 * Losing it would turn the number's meaning round. */
static int sign_of(struct odp_slice s, size_t from)
{
    static const char *const minus[] = {"-", "\xE2\x88\x92", "\xE2\x80\x93"}; /* U+2212, U+2013 */
    for (size_t k = 0; k < sizeof minus / sizeof *minus; k++) {
        size_t n = strlen(minus[k]);
        if (from >= n && (memcmp(s.ptr, minus[k], n) == 0 ||
                          (memcmp(s.ptr + from - n, minus[k], n) == 0 && (from == n || s.ptr[from - n - 1] == ' '))))
            return 1;
    }
    return memchr(s.ptr, '-', from) != NULL ? -1 : 0;
}

/* Where the digits of S begin and end, and whether the number is negative: "12,5 ha", "-Rp 500", "(500)". */
struct core {
    struct odp_slice digits; /* ptr NULL: cannot be said */
    bool negative, bracketed;
};

static struct core core_of(struct odp_slice s)
{
    size_t from = 0, to = s.len;
    while (from < to && (s.ptr[from] < '0' || s.ptr[from] > '9'))
        from++;
    while (to > from && (s.ptr[to - 1] < '0' || s.ptr[to - 1] > '9'))
        to--;
    struct core core = {.digits = {NULL, 0}};
    if (from == to || to - from > 40)
        return core;
    int sign = sign_of(s, from);
    const char *open = memchr(s.ptr, '(', from), *close = memchr(s.ptr + to, ')', s.len - to);
    core.bracketed = open != NULL && close != NULL && sign == 0;
    core.negative = sign == 1 || core.bracketed;
    struct odp_slice behind = odp_slice_trim((struct odp_slice){s.ptr + to, s.len - to});
    bool doubtful = sign < 0 || (open != NULL && close == NULL) || (behind.len > 0 && *behind.ptr == '-');
    if (!doubtful)
        core.digits = (struct odp_slice){s.ptr + from, to - from};
    return core;
}

/* A canonical number in the declared form, groups included. */
static struct odp_slice in_form(struct odp_check *c, struct odp_slice number, const struct odp_decimal_form *form)
{
    char out[2 * ODP_DECIMAL_SIZE];
    size_t n = 0, sign = number.len > 0 && *number.ptr == '-';
    const char *point = memchr(number.ptr, '.', number.len);
    size_t whole = point != NULL ? (size_t)(point - number.ptr) : number.len;
    for (size_t k = 0; k < number.len; k++) {
        if (form->group != 0 && k > sign && k < whole && (whole - k) % 3 == 0)
            out[n++] = form->group;
        out[n++] = k == whole && form->decimal != 0 ? form->decimal : number.ptr[k];
    }
    return odp_check_copy(c, (struct odp_slice){out, n});
}

/* Reads S as FORM has it; false when it is not so. Only plain literals: nobody proposes an exponent. */
static bool reads(struct odp_slice s, struct odp_decimal_form form, char out[ODP_DECIMAL_SIZE], size_t *len)
{
    bool unchanged, zero;
    form.bare = true;
    return odp_decimal_parse(s, &form, out, len, &unchanged, &zero) == ODP_DECIMAL_OK && !zero &&
           memchr(out, 'e', *len) == NULL && memchr(out, 'E', *len) == NULL;
}

/* The digits in another notation: 1,857.88 where 1.857,88 is declared, 12.5 for 12,5, 1 234 for 1.234, 12.0 for 12. One mark
 * with three digits behind it may part thousands or begin a fraction: that is nobody's to say, except in an integer. */
static bool other_notation(struct odp_slice s, const struct odp_decimal_form *form, char out[ODP_DECIMAL_SIZE], size_t *len)
{
    char mark = form->integer ? (char)(form->group == ',' ? '.' : ',') : (char)(form->decimal != 0 ? form->decimal : '.');
    char other = mark == ',' ? '.' : ',';
    bool has_mark = memchr(s.ptr, mark, s.len) != NULL, has_other = memchr(s.ptr, other, s.len) != NULL;
    bool three = s.len > 4 && (s.ptr[s.len - 4] == ',' || s.ptr[s.len - 4] == '.');
    struct odp_decimal_form as = {.decimal = other, .group = mark, .integer = form->integer};
    struct odp_decimal_form grouped = {.decimal = mark, .group = other, .integer = form->integer};
    if (has_mark && has_other)
        return reads(s, as, out, len) || reads(s, grouped, out, len);
    if (has_other && !three && !form->integer)
        return reads(s, as, out, len);
    if (form->integer && three && has_mark != has_other) {
        char sign = has_mark ? mark : other;
        return reads(s, (struct odp_decimal_form){.decimal = sign == ',' ? '.' : ',', .group = sign, .integer = true}, out,
                     len);
    }
    if (form->integer && !three && has_mark != has_other) {
        as = (struct odp_decimal_form){.decimal = has_mark ? mark : other};
        if (!reads(s, as, out, len))
            return false;
        char *point = memchr(out, '.', *len);
        if (point == NULL)
            return false;
        for (size_t k = (size_t)(point - out) + 1; k < *len; k++)
            if (out[k] != '0')
                return false;
        *len = (size_t)(point - out);
        return true;
    }
    bool spaces =
        memchr(s.ptr, ' ', s.len) != NULL || memchr(s.ptr, '\xC2', s.len) != NULL || memchr(s.ptr, '\xE2', s.len) != NULL;
    as = (struct odp_decimal_form){.decimal = has_other ? other : mark, .group = ' ', .integer = form->integer};
    return spaces && reads(s, as, out, len);
}

/* What the steward probably means, in the form that the field declares; ptr NULL when that cannot be said. */
static struct odp_slice propose(struct odp_check *c, const struct odp_decimal_form *form, const struct core *core)
{
    char out[ODP_DECIMAL_SIZE + 1];
    size_t len;
    if (core->digits.ptr == NULL ||
        (!reads(core->digits, *form, out + 1, &len) && !other_notation(core->digits, form, out + 1, &len)))
        return (struct odp_slice){NULL, 0};
    out[0] = '-';
    return in_form(c, core->negative ? (struct odp_slice){out, len + 1} : (struct odp_slice){out + 1, len}, form);
}

/* Words for "no value" that tables are full of. */
static bool is_nothing(struct odp_slice s)
{
    static const char *const words[] = {"-",
                                        "--",
                                        "\xE2\x80\x93",
                                        "\xE2\x80\x94",
                                        "\xE2\x80\xA6",
                                        "...",
                                        "n/a",
                                        "N/A",
                                        "na",
                                        "NA",
                                        "n.a.",
                                        "null",
                                        "NULL",
                                        "tad",
                                        "TAD",
                                        "nihil",
                                        "Nihil",
                                        "NIHIL",
                                        "tidak ada",
                                        "Tidak ada",
                                        "x",
                                        "X",
                                        "*",
                                        "?"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (odp_slice_is(s, words[k]))
            return true;
    return false;
}

/* How numbers are written here. No argument holds text of a cell that is nobody's to see. */
static void name_form(struct odp_check *c, struct odp_fault *f, const struct odp_decimal_form *form, struct odp_slice text,
                      const struct core *core)
{
    char mark = form->decimal != 0 ? form->decimal : '.', group = form->group;
    struct odp_slice example = form->integer ? ODP_LIT("1234567") : ODP_LIT("1234567.89");
    f->args[0] = in_form(c, example, form);
    if (f->code == ODP_T04) {
        if (group != 0)
            f->args[1] = odp_check_printf(c, "'%c'", group);
        else
            f->args[2] = odp_check_printf(c, "\"groupChar\": \"%c\"", mark == ',' ? '.' : ',');
    }
    if (f->code != ODP_T02 && f->code != ODP_T03)
        return;
    if (is_nothing(text) && odp_check_field(c, (uint32_t)f->field)->is_public)
        f->args[1] = odp_check_printf(c, "\"%.*s\"", (int)text.len, text.ptr);
    else if (core->bracketed)
        f->args[2] = odp_check_printf(c, "-%.*s", (int)f->args[0].len, f->args[0].ptr);
    else if (f->proposal.ptr != NULL && form->bare && core->digits.len < text.len - (text.len > 0 && *text.ptr == '-'))
        f->args[3] = ODP_LIT("\"bareNumber\": false");
}

static void report(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_decimal_form *form,
                   enum odp_decimal_fault fault)
{
    enum odp_code code = form->integer ? ODP_T02 : ODP_T03;
    if (fault == ODP_DECIMAL_GROUP)
        code = ODP_T04;
    else if (fault == ODP_DECIMAL_NOT_FINITE)
        code = ODP_T05;
    struct odp_slice text = c->text[i];
    struct core core = core_of(text);
    struct odp_slice proposal = code == ODP_T05 ? (struct odp_slice){NULL, 0} : propose(c, form, &core);
    struct odp_fault *f = odp_check_untyped(c, i, (int)field, code);
    f->proposal = proposal;
    name_form(c, f, form, text, &core);
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
