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

/* S: the shortest literal of a value, without zeros at its ends. */
static bool take(struct odp_slice s, fixed *out, unsigned *places)
{
    const bool negative = *s.ptr == '-';
    const char *p = s.ptr + negative, *end = s.ptr + s.len, *point = memchr(p, '.', (size_t)(end - p)),
               *exponent = memchr(p, 'e', (size_t)(end - p));
    const size_t whole = (size_t)((point != NULL ? point : end) - p),
                 decimals = point != NULL ? (size_t)(end - point) - 1 : 0;
    fixed v = 0;
    *out = 0;
    *places = decimals < FIXED_PLACES ? (unsigned)decimals : FIXED_PLACES;
    if (exponent != NULL) { /* only of what is too long to be written out: next to nothing, or too large */
        *places = FIXED_PLACES;
        return exponent[1] == '-';
    }
    if (whole > FIXED_DIGITS)
        return false;
    for (size_t k = 0; k < whole; k++)
        v = v * 10 + (p[k] - '0');
    for (size_t k = 1; k <= FIXED_PLACES; k++)
        v = v * 10 + (k <= decimals ? point[k] - '0' : 0);
    if (decimals > FIXED_PLACES) { /* one more digit after the five is more than half */
        const char next = point[FIXED_PLACES + 1];
        v += next > '5' || (next == '5' && (decimals > FIXED_PLACES + 1 || (v & 1) != 0));
    }
    *out = negative ? -v : v;
    return v < fixed_power(FIXED_DIGITS + FIXED_PLACES);
}

bool fixed_parse(struct odp_slice literal, fixed *out, unsigned *places)
{
    static const struct odp_decimal_form json = {.decimal = '.', .bare = true};
    char canonical[ODP_DECIMAL_SIZE], normal[ODP_DECIMAL_SIZE];
    bool unchanged, zero;
    size_t len;
    if (parse_small(literal, out, places))
        return true;
    if (odp_decimal_parse(literal, &json, canonical, &len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return false;
    if (!unchanged)
        literal = (struct odp_slice){canonical, len};
    return take((struct odp_slice){normal, odp_decimal_normal(literal, normal)}, out, places);
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
