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

/* A number with words around it. */
static bool has_words(struct odp_slice s)
{
    bool digit = false, word = false;
    for (size_t k = 0; k < s.len; k++) {
        digit = digit || (s.ptr[k] >= '0' && s.ptr[k] <= '9');
        word = word || s.ptr[k] == '%' || ((s.ptr[k] | 0x20) >= 'a' && (s.ptr[k] | 0x20) <= 'z');
    }
    return digit && word;
}

static bool is_letter(char ch)
{
    return (ch | 0x20) >= 'a' && (ch | 0x20) <= 'z';
}

/* "Rp 16 juta" is not 16: bareNumber false lets units stand beside a number, but not words that are part of it. The field's own unit may be "juta rupiah". */
static bool has_scale(const struct odp_field *f, struct odp_slice s)
{
    static const char *const words[] = {"ribu", "rb", "juta", "jt", "miliar", "milyar", "triliun", "trilyun", "lusin", "kodi", "thousand", "million", "billion"};
    for (size_t at = 0, n; at < s.len; at += n + 1) {
        for (n = 0; at + n < s.len && is_letter(s.ptr[at + n]); n++)
            ;
        for (size_t k = 0; n > 1 && k < sizeof words / sizeof *words; k++) {
            size_t same = 0;
            while (same < n && (s.ptr[at + same] | 0x20) == words[k][same])
                same++;
            if (same != n || words[k][n] != '\0')
                continue;
            bool own = false;
            for (size_t lang = 0; lang < ODP_LANGS; lang++)
                own = own || (f->unit.in[lang] != NULL && strstr(f->unit.in[lang], words[k]) != NULL);
            return !own;
        }
    }
    return false;
}

/* How numbers are written here. No argument holds text of a cell that is nobody's to see. */
static void name_form(struct odp_check *c, struct odp_fault *f, const struct odp_decimal_form *form, struct odp_slice text)
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
    else if (text.len > 0 && *text.ptr == '(' && text.ptr[text.len - 1] == ')')
        f->args[2] = odp_check_printf(c, "-%.*s", (int)f->args[0].len, f->args[0].ptr);
    else if (form->bare && has_words(text) && !has_scale(odp_check_field(c, (uint32_t)f->field), text))
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
    struct odp_fault *f = odp_check_untyped(c, i, (int)field, code);
    if (!c->trial)
        name_form(c, f, form, text);
}

static void parse(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_decimal_form *form)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len = 0;
    bool unchanged = false, zero = false;
    enum odp_decimal_fault fault = odp_decimal_parse(c->text[i], form, out, &len, &unchanged, &zero);
    if (fault == ODP_DECIMAL_OK && !form->bare && has_scale(odp_check_field(c, field), c->text[i]))
        fault = ODP_DECIMAL_SYNTAX;
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
