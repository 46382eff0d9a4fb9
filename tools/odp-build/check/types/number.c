/* number and integer. The literal is kept: nothing goes through double. */
#include "base/ascii.h"
#include "base/decimal_small.h"
#include "base/nearest.h"
#include "check/types/types_internal.h"

/* A number as most sources write it: -?(0|[1-9][0-9]*) or, with a MARK that is no digit,
 * (0|[1-9][0-9]*)D[0-9]+, of moderate length. But for the mark it is its own canonical form. */
static inline bool is_plain(struct odp_slice s, char mark, int64_t *m, unsigned *scale)
{
    size_t sign = s.len > 0 && *s.ptr == '-';
    const char *p = s.ptr + sign;
    size_t n = s.len - sign;
    if (!odp_decimal_read(p, n, mark, m, scale))
        return false;
    if (*p == '0' && (sign || (n > 1 && (*scale == 0 || *scale != n - 2)))) /* 0 and 0.5 only */
        return false;
    if (sign && *scale != 0)
        return false;
    *m = sign ? -*m : *m;
    return true;
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
    return odp_word_index(s, words, ODP_COUNT(words)) >= 0;
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

/* "Rp 16 juta" is not 16: bareNumber false lets units stand beside a number, but not words that are part of
 * it. The field's own unit may be "juta rupiah". */
static bool has_scale(const struct odp_field *f, struct odp_slice s)
{
    static const char *const words[] = {"ribu",     "rb",      "juta",    "jt",    "miliar",
                                        "milyar",   "triliun", "trilyun", "lusin", "kodi",
                                        "thousand", "million", "billion"};
    for (size_t at = 0, n; at < s.len; at += n + 1) {
        for (n = 0; at + n < s.len && odp_is_letter(s.ptr[at + n]); n++)
            ;
        for (size_t k = 0; n > 1 && k < ODP_COUNT(words); k++) {
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
static void name_form(struct odp_check *c, struct odp_fault *f, const struct odp_decimal_form *form,
                      struct odp_slice text)
{
    char mark = form->decimal != 0 ? form->decimal : '.', group = form->group;
    struct odp_slice example = form->integer ? ODP_LIT("1234567") : ODP_LIT("1234567.89");
    char in_form[ODP_DECIMAL_FORM_SIZE];
    f->args[0] = odp_check_copy(c, (struct odp_slice){in_form, odp_decimal_in_form(example, form, in_form)});
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

/* The general way; tells whether there is a canonical number now. */
static bool parse(struct odp_check *c, uint32_t i, uint32_t field, const struct odp_decimal_form *form)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len = 0;
    bool unchanged = false, zero = false;
    enum odp_decimal_fault fault = odp_decimal_parse(c->text[i], form, out, &len, &unchanged, &zero);
    if (fault == ODP_DECIMAL_OK && !form->bare && has_scale(odp_check_field(c, field), c->text[i]))
        fault = ODP_DECIMAL_SYNTAX;
    if (fault != ODP_DECIMAL_OK) {
        report(c, i, field, form, fault);
        return false;
    }
    if (!unchanged)
        c->text[i] = odp_check_copy(c, (struct odp_slice){out, len});
    if (zero)
        (void)odp_check_fault(c, i, (int)field, ODP_T17);
    return true;
}

/* S with the point instead of the declared mark, which stands SCALE digits before its end. */
static struct odp_slice with_point(struct odp_check *c, struct odp_slice s, unsigned scale)
{
    char *out = odp_check_bytes(c, s.len);
    if (out == NULL)
        return ODP_LIT("0");
    memcpy(out, s.ptr, s.len);
    out[s.len - 1 - scale] = '.';
    return odp_check_keep(c, s.len);
}

bool odp_type_make_numbers(struct odp_check *c, uint32_t field)
{
    struct odp_batch *b = c->b;
    if (c->trial)
        return false;
    if (b->numbers == NULL)
        b->numbers = odp_arena_zero(&b->arena, c->v->schema->n, sizeof *b->numbers);
    c->number = odp_arena_array(&b->arena, c->n + 1u, sizeof *c->number);
    c->scale = odp_arena_alloc(&b->arena, c->n + 1u);
    if (b->numbers == NULL) {
        c->number = NULL;
        c->failed = true;
        return false;
    }
    b->numbers[field] = (struct odp_batch_numbers){c->number, c->scale};
    return true;
}

/* A column's way of writing numbers. */
struct ways {
    struct odp_decimal_form declared, native;
    char mark; /* of plain numbers; a digit: no sign */
};

/* Any cell: what it is, as M * 10^-SCALE. False: it has been reported. */
static bool take_number(struct odp_check *c, uint32_t i, uint32_t field, const struct ways *w, int64_t *m,
                        unsigned *scale)
{
    if (is_plain(c->text[i], w->mark, m, scale)) {
        if (*scale != 0 && w->mark != '.')
            c->text[i] = with_point(c, c->text[i], *scale);
        return true;
    }
    if (!parse(c, i, field, c->native && odp_check_native(c, i, field) ? &w->native : &w->declared))
        return false;
    if (!odp_decimal_small(c->text[i], m, scale)) {
        *m = 0;
        *scale = ODP_CHECK_LONG;
    }
    return true;
}

void odp_type_number(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct ways w = {.declared = f->decimal, .native = {.decimal = '.', .bare = true}};
    w.declared.integer = w.native.integer = f->type == ODP_TYPE_INTEGER;
    const char point = w.declared.decimal != 0 ? w.declared.decimal : '.';
    w.mark = w.declared.integer || w.declared.group == point || (c->native && point != '.') ? '0' : point;
    const bool keep = odp_type_make_numbers(c, field);
    const uint8_t *state = c->state; /* in registers: what is stored might be the check itself */
    int64_t *number = c->number;
    uint8_t *scales = c->scale;
    for (uint32_t i = 0, n = c->n; i < n; i++) {
        int64_t m;
        unsigned scale = 0;
        if (state[i] != ODP_VALUE_OK || !take_number(c, i, field, &w, &m, &scale) || !keep)
            continue;
        number[i] = m;
        scales[i] = (uint8_t)scale;
    }
}
