/* Values as people write them; see words.h. All of it is work on text: no number is ever converted. */
#include "write/typesetting/words.h"

#include "base/ascii.h"
#include "base/text.h"
#include "words/typesetting.h"

#include <string.h>

#define WRITTEN_DIGITS 40     /* an exponent is written out up to so many digits */
#define EXPONENT_MOST  100000 /* beyond, it is only known to be large */

/* A JSON number in pieces. */
struct number {
    bool negative;
    struct odp_slice whole, fraction, exponent; /* exponent: its digits, with a sign; len 0: no exponent */
    long power;
};

static struct odp_slice take_digits(struct odp_slice *s)
{
    struct odp_slice digits = {s->ptr, 0};
    while (s->len > 0 && odp_is_digit(*s->ptr))
        s->ptr++, s->len--, digits.len++;
    return digits;
}

static bool take(struct odp_slice *s, char c)
{
    if (s->len == 0 || *s->ptr != c)
        return false;
    s->ptr++, s->len--;
    return true;
}

/* False: S is no JSON number. */
static bool take_apart(struct odp_slice s, struct number *n)
{
    *n = (struct number){0};
    n->negative = take(&s, '-');
    n->whole = take_digits(&s);
    if (n->whole.len == 0 || (n->whole.len > 1 && n->whole.ptr[0] == '0'))
        return false;
    if (take(&s, '.')) {
        n->fraction = take_digits(&s);
        if (n->fraction.len == 0)
            return false;
    }
    if (take(&s, 'e') || take(&s, 'E')) {
        bool minus = take(&s, '-');
        if (!minus)
            (void)take(&s, '+');
        n->exponent = take_digits(&s);
        if (n->exponent.len == 0)
            return false;
        for (size_t i = 0; i < n->exponent.len && n->power < EXPONENT_MOST; i++)
            n->power = n->power * 10 + (n->exponent.ptr[i] - '0');
        n->power = minus ? -n->power : n->power;
    }
    return s.len == 0;
}

static void add_grouped(struct odp_buffer *out, struct odp_slice digits, char group)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (group != '\0' && i > 0 && (digits.len - i) % 3 == 0)
            odp_buffer_add_char(out, group);
        odp_buffer_add_char(out, digits.ptr[i]);
    }
}

static void add_plain(struct odp_buffer *out, struct odp_slice whole, struct odp_slice fraction,
                      enum odp_lang lang, bool group)
{
    bool en = lang == ODP_LANG_EN;
    add_grouped(out, whole, !group ? '\0' : en ? ',' : '.');
    if (fraction.len > 0) {
        odp_buffer_add_char(out, en ? '.' : ',');
        odp_buffer_add_slice(out, fraction);
    }
}

/* The digits with the point moved; false: they are too many. DIGITS has room for WRITTEN_DIGITS + 1. */
static bool write_out(const struct number *n, char *digits, struct odp_slice *whole,
                      struct odp_slice *fraction)
{
    size_t most = WRITTEN_DIGITS + 1, have = n->whole.len + n->fraction.len, len = 0;
    if (n->power > (long)most || n->power < -(long)most || have > most)
        return false;
    long point = (long)n->whole.len + n->power,
         places = (long)have - point; /* digits before and after the point */
    size_t front = point < 1 ? (size_t)(1 - point) : 0, back = places < 0 ? (size_t)-places : 0;
    char all[3 * (WRITTEN_DIGITS + 2)];
    memset(all, '0', front);
    memcpy(all + front, n->whole.ptr, n->whole.len);
    if (n->fraction.len > 0)
        memcpy(all + front + n->whole.len, n->fraction.ptr, n->fraction.len);
    memset(all + front + have, '0', back);
    size_t total = front + have + back, before = total - (places > 0 ? (size_t)places : 0), skip = 0;
    while (skip + 1 < before && all[skip] == '0')
        skip++;
    len = total - skip;
    if (len > WRITTEN_DIGITS)
        return false;
    memcpy(digits, all + skip, len);
    *whole = (struct odp_slice){digits, before - skip};
    *fraction = (struct odp_slice){digits + (before - skip), len - (before - skip)};
    return true;
}

void odp_words_number(struct odp_buffer *out, struct odp_slice literal, enum odp_lang lang, bool group)
{
    struct number n;
    char digits[WRITTEN_DIGITS + 1];
    struct odp_slice whole, fraction;
    if (!take_apart(literal, &n)) {
        odp_buffer_add_slice(out, literal);
        return;
    }
    if (n.negative)
        odp_buffer_add_char(out, '-');
    if (n.exponent.len == 0) {
        add_plain(out, n.whole, n.fraction, lang, group);
    } else if (write_out(&n, digits, &whole, &fraction)) {
        add_plain(out, whole, fraction, lang, group);
    } else {
        add_plain(out, n.whole, n.fraction, lang, group);
        odp_buffer_add_str(out, n.power < 0 ? "×10^-" : "×10^");
        odp_buffer_add_slice(out, n.exponent);
    }
}

/* ---- dates ---- */

static const struct odp_text months[12] = {
    {{W_typesetting_month_1}},  {{W_typesetting_month_2}},  {{W_typesetting_month_3}},
    {{W_typesetting_month_4}},  {{W_typesetting_month_5}},  {{W_typesetting_month_6}},
    {{W_typesetting_month_7}},  {{W_typesetting_month_8}},  {{W_typesetting_month_9}},
    {{W_typesetting_month_10}}, {{W_typesetting_month_11}}, {{W_typesetting_month_12}},
};

const char *odp_words_month(unsigned month, enum odp_lang lang)
{
    return month >= 1 && month <= 12 ? months[month - 1].in[lang] : "";
}

static unsigned two_digits(const char *p)
{
    return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
}

static bool is_date(struct odp_slice s)
{
    static const char form[] = "dddd-dd-dd";
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (s.len < 10)
        return false;
    for (size_t i = 0; i < 10; i++)
        if (form[i] == 'd' ? !odp_is_digit(s.ptr[i]) : s.ptr[i] != form[i])
            return false;
    unsigned month = two_digits(s.ptr + 5), day = two_digits(s.ptr + 8);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    return s.len == 10 || strchr("T .", s.ptr[10]) != NULL; /* a timestamp, the name of a corrected version */
}

void odp_words_date(struct odp_buffer *out, struct odp_slice date, enum odp_lang lang)
{
    if (!is_date(date)) {
        odp_buffer_add_slice(out, date);
        return;
    }
    odp_buffer_add_u64(out, two_digits(date.ptr + 8));
    odp_buffer_add_char(out, ' ');
    odp_buffer_add_str(out, odp_words_month(two_digits(date.ptr + 5), lang));
    odp_buffer_add_char(out, ' ');
    odp_buffer_add(out, date.ptr, 4);
}

/* ---- cells ---- */

void odp_words_cell(struct odp_buffer *out, const struct odp_schema *s, uint32_t field, struct odp_slice text,
                    enum odp_lang lang)
{
    switch (odp_type_family(s->fields[field].type)) {
    case ODP_FAMILY_NUMBER:
        odp_words_number(out, text, lang, odp_schema_is_figure(s, field));
        break;
    case ODP_FAMILY_TRUTH:
        if (odp_slice_is(text, "true"))
            odp_buffer_add_str(out, odp_word(lang, W_typesetting_yes));
        else if (odp_slice_is(text, "false"))
            odp_buffer_add_str(out, odp_word(lang, W_typesetting_no));
        else
            odp_buffer_add_slice(out, text);
        break;
    default:
        odp_buffer_add_slice(out, text);
    }
}

void odp_words_title(struct odp_buffer *out, const struct odp_field *f, enum odp_lang lang, bool unit)
{
    const char *title = odp_text_get(&f->title, lang), *measure = odp_text_get(&f->unit, lang);
    odp_buffer_add_str(out, title[0] != '\0' ? title : f->name);
    if (unit && measure[0] != '\0') {
        odp_buffer_add_str(out, " (");
        odp_buffer_add_str(out, measure);
        odp_buffer_add_char(out, ')');
    }
}
