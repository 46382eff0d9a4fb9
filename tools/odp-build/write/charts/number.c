#include "write/charts/number.h"

#include "base/ascii.h"
#include "base/decimal_small.h"

#include <stdint.h>

fixed fixed_power(unsigned n)
{
    fixed p = 1;
    while (n-- > 0)
        p *= 10;
    return p;
}

/* The literal taken apart: the value is 0.DIGITS * 10^point, without leading or trailing zeros. */
struct parsed {
    char digits[96];
    int n;
    long point;
    bool negative;
};

/* The significant digits, and the place of the point among them. */
static bool parse_digits(struct odp_slice s, size_t *i, struct parsed *out)
{
    bool any = false, fraction = false;
    for (; *i < s.len; (*i)++) {
        char c = s.ptr[*i];
        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        any = true;
        if (out->n == 0 && c == '0') {
            out->point -= fraction;
            continue;
        }
        if (out->n == (int)sizeof out->digits)
            return false;
        out->digits[out->n++] = c;
        out->point += !fraction;
    }
    while (out->n > 0 && out->digits[out->n - 1] == '0')
        out->n--;
    return any;
}

static bool parse_exponent(struct odp_slice s, size_t *i, long *out)
{
    bool negative = false, any = false;
    long e = 0;
    if (*i < s.len && (s.ptr[*i] == '-' || s.ptr[*i] == '+'))
        negative = s.ptr[(*i)++] == '-';
    for (; *i < s.len && odp_is_digit(s.ptr[*i]); (*i)++) {
        any = true;
        if (e < 1000000)
            e = e * 10 + (s.ptr[*i] - '0');
    }
    *out = negative ? -e : e;
    return any;
}

/* Nearly every number: M * 10^-SCALE in a register. */
static bool parse_small(struct odp_slice literal, fixed *out, unsigned *places)
{
    int64_t m;
    if (!odp_decimal_small(literal, &m, places) || *places > FIXED_PLACES)
        return false;
    for (; *places > 0 && m % 10 == 0; --*places)
        m /= 10;
    *out = (fixed)m * odp_decimal_power(FIXED_PLACES - *places);
    return true;
}

bool fixed_parse(struct odp_slice literal, fixed *out, unsigned *places)
{
    struct parsed p = {.n = 0};
    size_t i = 0;
    long exponent = 0;
    if (parse_small(literal, out, places))
        return true;
    *out = 0;
    *places = 0;
    if (literal.len > 0 && literal.ptr[0] == '-') {
        p.negative = true;
        i++;
    }
    if (!parse_digits(literal, &i, &p))
        return false;
    if (i < literal.len && (literal.ptr[i] == 'e' || literal.ptr[i] == 'E')) {
        i++;
        if (!parse_exponent(literal, &i, &exponent))
            return false;
    }
    if (i != literal.len)
        return false;
    if (p.n == 0)
        return true;
    long point = p.point + exponent, whole = point + FIXED_PLACES; /* so many digits are units */
    if (point > FIXED_DIGITS)
        return false;
    long decimals = p.n - point;
    *places = decimals <= 0 ? 0 : decimals > FIXED_PLACES ? FIXED_PLACES : (unsigned)decimals;
    if (whole < 0)
        return true;
    fixed v = 0;
    for (long k = 0; k < whole; k++)
        v = v * 10 + (k < p.n ? p.digits[k] - '0' : 0);
    if (whole < p.n) { /* no trailing zeros: one more digit after the five is more than half */
        char next = p.digits[whole];
        bool more = whole + 1 < p.n;
        if (next > '5' || (next == '5' && (more || (v & 1) != 0)))
            v++;
    }
    *out = p.negative ? -v : v;
    return v < fixed_power(FIXED_DIGITS + FIXED_PLACES);
}

fixed fixed_divide(fixed v, fixed by)
{
    fixed q = v / by, r = v % by;
    if (r < 0)
        r = -r;
    fixed left = by - r;
    if (r > left || (r == left && (q & 1) != 0))
        q += v < 0 ? -1 : 1;
    return q;
}

/* Digits of V >= 0 into the end of BUF (64); the first of them. */
static char *digits_of(fixed v, char buf[64], size_t least)
{
    char *p = buf + 63;
    *p = '\0';
    do {
        *--p = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v > 0 || (size_t)(buf + 63 - p) < least);
    return p;
}

void fixed_json(struct odp_buffer *out, fixed v)
{
    char buf[64];
    if (v < 0)
        odp_buffer_add_char(out, '-');
    char *p = digits_of(v < 0 ? -v : v, buf, FIXED_PLACES + 1);
    size_t len = strlen(p), decimals = FIXED_PLACES;
    while (decimals > 0 && p[len - 1] == '0')
        len--, decimals--;
    odp_buffer_add(out, p, len - decimals);
    if (decimals > 0) {
        odp_buffer_add_char(out, '.');
        odp_buffer_add(out, p + len - decimals, decimals);
    }
}

/* UNITS >= 0 of 10^-DECIMALS with separators. */
static void show_units(struct odp_buffer *out, fixed units, unsigned decimals, enum odp_lang lang)
{
    char buf[64], *p = digits_of(units, buf, decimals + 1);
    size_t whole = strlen(p) - decimals;
    odp_text_digits(out, (struct odp_slice){p, whole}, lang);
    if (decimals > 0) {
        odp_buffer_add_char(out, lang == ODP_LANG_ID ? ',' : '.');
        odp_buffer_add(out, p + whole, decimals);
    }
}

/* Of a number of that SIGN; what is rounded to zero is "< 0,1". */
static void show(struct odp_buffer *out, fixed units, unsigned decimals, int sign, enum odp_lang lang)
{
    if (units == 0 && sign != 0) {
        odp_buffer_add_str(out, sign < 0 ? "> " : "< ");
        units = 1;
    }
    if (sign < 0)
        odp_buffer_add_str(out, "\u2212");
    show_units(out, units, decimals, lang);
}

void fixed_show(struct odp_buffer *out, fixed v, unsigned power, unsigned decimals, enum odp_lang lang)
{
    unsigned down = power + FIXED_PLACES;
    bool negative = v < 0;
    fixed units = negative ? -v : v;
    decimals = decimals > down ? down : decimals;
    units = fixed_divide(units, fixed_power(down - decimals));
    show(out, units, decimals, v == 0 ? 0 : negative ? -1 : 1, lang);
}

void fixed_percent(struct odp_buffer *out, fixed part, fixed whole, enum odp_lang lang)
{
    const fixed room = fixed_power(34);
    bool negative = (part < 0) != (whole < 0) && part != 0;
    part = part < 0 ? -part : part;
    whole = whole < 0 ? -whole : whole;
    while (part > room || whole > room) { /* sums beyond 10^25: no lost digit is shown */
        part /= 10;
        whole /= 10;
    }
    if (whole == 0)
        whole = 1;
    fixed units = fixed_divide(part * 1000, whole);
    show(out, units, 1, part == 0 ? 0 : negative ? -1 : 1, lang);
    odp_buffer_add_char(out, '%');
}
