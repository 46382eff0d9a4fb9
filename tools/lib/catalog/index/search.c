#include "catalog/index/search.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"

enum {
    DIGITS = 15,    /* decimals of so many digits have distinct doubles (DBL_DIG) */
    SCALE_MAX = 400 /* beyond the exponents of doubles */
};

int odp_search_find(const struct odp_search_info *i, struct odp_slice name)
{
    for (uint32_t k = 0; k < i->ncolumns; k++)
        if (odp_slice_is(name, i->columns[k].name))
            return (int)k;
    return -1;
}

/* A literal as DIGITS * 10^EXPONENT, without zeros at the end of DIGITS. */
struct literal {
    bool negative;
    uint64_t digits;
    int ndigits; /* significant ones; > DIGITS: too many, and digits is not set */
    long exponent;
};

/* The exponent at P, clipped: beyond SCALE_MAX there is no double. False: none. */
static bool read_exponent(const char *p, const char *end, long *out)
{
    long value = 0;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return false;
        value = value < 100000 ? value * 10 + (*p - '0') : value;
    }
    *out = negative ? -value : value;
    return true;
}

static bool take_apart(struct odp_slice s, struct literal *out)
{
    const char *p = s.ptr, *end = s.len > 0 ? s.ptr + s.len : s.ptr;
    int zeros = 0; /* zeros since the last other digit: they count only if one follows */
    bool point = false, any = false;
    long exponent = 0;
    *out = (struct literal){0};
    if (p < end && *p == '-') {
        out->negative = true;
        p++;
    }
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.' && !point && any) {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9')
            return false;
        any = true;
        out->exponent -= point;
        if (*p == '0') {
            zeros += out->ndigits > 0;
            continue;
        }
        for (; zeros >= 0; zeros--) {
            if (out->ndigits++ < DIGITS)
                out->digits = out->digits * 10 + (zeros == 0 ? (uint64_t)(*p - '0') : 0);
        }
        zeros = 0;
    }
    if (p < end && !read_exponent(p + 1, end, &exponent))
        return false;
    out->exponent += exponent + zeros;
    return any;
}

bool odp_search_real(struct odp_slice canonical, double *value, int *scale)
{
    /* Powers of ten that are exact as doubles: with at most 15 digits, one multiplication or division
     * rounds once, as strtod would. */
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct literal l;
    if (!take_apart(canonical, &l) || l.ndigits > DIGITS)
        return false;
    if (l.ndigits == 0) { /* zero has no sign and no decimals */
        *value = 0;
        *scale = 0;
        return true;
    }
    if (l.exponent < -SCALE_MAX || l.exponent > SCALE_MAX || l.exponent + l.ndigits > 308 ||
        l.exponent + l.ndigits < -306)
        return false; /* no double, or one with fewer digits */
    *scale = l.exponent < 0 ? (int)-l.exponent : 0;
    if (l.exponent >= -22 && l.exponent <= 22) {
        double d = (double)l.digits;
        *value = l.exponent < 0 ? d / tens[-l.exponent] : d * tens[l.exponent];
    } else {
        char text[64];
        (void)snprintf(text, sizeof text, "%llue%ld", (unsigned long long)l.digits, l.exponent);
        *value = strtod(text, NULL);
    }
    if (l.negative)
        *value = -*value;
    return true;
}

/* N digits of V, with zeros in front. */
static char *put_digits(char *out, int64_t v, int n)
{
    for (int k = n - 1; k >= 0; k--, v /= 10)
        out[k] = (char)('0' + v % 10);
    return out + n;
}

/* Four digits of a year. Offsets make two that no canonical text has: 0000, and 10000 as ":000", which sorts
 * after 9999. */
static char *put_year(char *out, int64_t year)
{
    if (year > 9999)
        return (char *)memcpy(out, ":000", 4) + 4;
    return put_digits(out, year, 4);
}

size_t odp_search_instant(struct odp_slice canonical, char *out)
{
    static const int64_t first = -719162, last = 2932896; /* 0001-01-01 and 9999-12-31 as days since 1970 */
    struct odp_datetime d;
    char *w = out;
    if (odp_date_parse(canonical, ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
        return 0;
    int64_t minutes = odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset;
    int64_t days = minutes / 1440 - (minutes % 1440 < 0), rest = minutes - days * 1440;
    if (days < first) {
        w = put_year(w, 0);
        d.month = 12, d.day = 31;
    } else if (days > last) {
        w = put_year(w, 10000);
        d.month = 1, d.day = 1;
    } else {
        odp_date_from_days(&d, days);
        w = put_year(w, d.year);
    }
    const struct {
        char before;
        int64_t value;
    } parts[] = {{'-', d.month}, {'-', d.day}, {'T', rest / 60}, {':', rest % 60}, {':', d.second}};
    for (size_t k = 0; k < ODP_COUNT(parts); k++) {
        *w++ = parts[k].before;
        w = put_digits(w, parts[k].value, 2);
    }
    *w++ = '.';
    w = put_digits(w, d.nanos / 1000000, 3);
    *w++ = 'Z';
    if (d.nanos % 1000000 == 0)
        return (size_t)(w - out);
    w = put_digits(w, d.nanos % 1000000, 6);
    while (w[-1] == '0')
        w--;
    return (size_t)(w - out);
}

size_t odp_search_instant_text(struct odp_slice instant, char *out)
{
    enum { POINT = 19, ZONE = 23 };
    if (instant.len <= ZONE || instant.len >= ODP_DATETIME_SIZE || instant.ptr[ZONE] != 'Z')
        return 0;
    memcpy(out, instant.ptr, ZONE);
    memcpy(out + ZONE, instant.ptr + ZONE + 1, instant.len - ZONE - 1);
    size_t n = instant.len - 1;
    while (out[n - 1] == '0' && n - 1 > POINT)
        n--;
    n -= n - 1 == POINT;
    out[n++] = 'Z';
    return n;
}
