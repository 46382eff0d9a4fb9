/* Programs store numbers as doubles and write them in 17 digits: 12.3 is 12.300000000000001 in the file. The
 * shortest decimal that gives the same double is what was typed. Nothing is rounded: 0.30000000000000004
 * stays as it is. */
#include <stdio.h>
#include <stdlib.h>

#include "read/xlsx/xlsx_internal.h"

/* Digits from the first that is no zero on, without a point; *PLAIN: there is no exponent, no sign '+', and
 * digits stand on both sides of a point. */
static size_t significant(struct odp_slice s, bool *plain)
{
    size_t i = s.len > 0 && s.ptr[0] == '-' ? 1 : 0, n = 0;
    *plain = i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9' && s.ptr[s.len - 1] != '.';
    *plain = *plain && (s.ptr[i] != '0' || i + 1 == s.len || s.ptr[i + 1] == '.');
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        if (c >= '0' && c <= '9')
            n += n > 0 || c != '0';
        else if (c != '.')
            *plain = false;
    }
    return n;
}

/* DIGITS ("123", N of them, no zero at the end) with the point behind digit POINT (which may be outside). */
static size_t lay_out(char *out, bool negative, const char *digits, int n, int point)
{
    size_t at = 0;
    if (negative)
        out[at++] = '-';
    if (point <= 0) {
        out[at++] = '0';
        out[at++] = '.';
        for (int i = point; i < 0; i++)
            out[at++] = '0';
        memcpy(out + at, digits, (size_t)n);
        return at + (size_t)n;
    }
    for (int i = 0; i < point || i < n; i++) {
        if (i == point)
            out[at++] = '.';
        out[at++] = i < n ? digits[i] : '0';
    }
    return at;
}

size_t xlsx_number(struct odp_slice text, char out[80])
{
    bool plain;
    char in[48], shortest[48], digits[24];
    size_t count = significant(text, &plain);
    if ((plain && count <= 15) || text.len >= sizeof(in))
        return 0;
    memcpy(in, text.ptr, text.len);
    in[text.len] = '\0';
    double v = strtod(in, NULL);
    if (v == 0) {
        out[0] = '0';
        return 1;
    }
    if (!(v > -1e300 && v < 1e300))
        return 0;
    for (int places = 14; places <= 16; places++) {
        snprintf(shortest, sizeof(shortest), "%.*e", places, v);
        if (strtod(shortest, NULL) == v)
            break;
    }
    const char *p = shortest + (v < 0);
    const char *e = strchr(p, 'e');
    int n = 0, exponent = (int)strtol(e + 1, NULL, 10);
    for (; p < e; p++)
        if (*p != '.')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (exponent < -30 || exponent > 40)
        return 0;
    return lay_out(out, v < 0, digits, n, exponent + 1);
}
