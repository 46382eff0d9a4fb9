/* Exact sums. A short number (nearly every one) is added to one 128-bit number for each count of decimals:
 * 10^18 * 10^19 rows fit. A long one, or one with an exponent, goes digit by digit into limbs of base 10^9,
 * which are carried before they could overflow. */
#include "base/decimal_sum.h"

enum {
    LIMBS = 256,
    LOWEST = -1152,
    BASE = 1000000000,
    DIGITS = 9
}; /* 10^-1152 .. 10^1151: literals reach from 10^-1059 to 10^1059 */

/* ---- limbs ---- */

/* Every limb between -10^9 and 10^9, not all of one sign or zero: settle does that when the text is made. */
static void carry(struct odp_decimal_sum *s)
{
    int64_t over = 0;
    for (int i = 0; i < LIMBS; i++) {
        int64_t v = s->limb[i] + over;
        over = v / BASE;
        s->limb[i] = v % BASE;
    }
    s->added = 0;
}

/* DIGIT * 10^AT is added. */
static void add_digit(struct odp_decimal_sum *s, int digit, long at)
{
    static const int64_t powers[DIGITS] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    long k = at - LOWEST;
    if (k >= 0 && k < (long)LIMBS * DIGITS)
        s->limb[k / DIGITS] += digit * powers[k % DIGITS];
}

static void add_wide(struct odp_decimal_sum *s, struct odp_slice text)
{
    const char *p = text.ptr, *end = text.ptr + text.len, *stop, *point = NULL;
    bool negative = p < end && *p == '-', below = false;
    long exponent = 0;
    p += negative;
    for (stop = p; stop < end && *stop != 'e' && *stop != 'E'; stop++)
        if (*stop == '.')
            point = stop;
    if (stop < end) {
        const char *e = stop + 1;
        below = e < end && *e == '-';
        for (e += e < end && (*e == '-' || *e == '+'); e < end && exponent < 100000; e++)
            exponent = exponent * 10 + (*e - '0');
        exponent = below ? -exponent : exponent;
    }
    long at = exponent + ((point != NULL ? point : stop) - p) - 1;
    for (; p < stop; p++)
        if (*p != '.')
            add_digit(s, negative ? -(*p - '0') : *p - '0', at--);
    s->wide = true;
    if (++s->added == 1000000000) /* a limb grows by less than 10^9 each time, and holds 9 * 10^18 */
        carry(s);
}

void odp_decimal_sum_add(struct odp_decimal_sum *s, struct odp_slice literal)
{
    int64_t m;
    unsigned scale;
    if (odp_decimal_small(literal, &m, &scale))
        s->small[scale] += m;
    else
        add_wide(s, literal);
}

void odp_decimal_sum_merge(struct odp_decimal_sum *s, const struct odp_decimal_sum *other)
{
    for (int i = 0; i <= ODP_DECIMAL_SMALL; i++)
        s->small[i] += other->small[i];
    if (!other->wide)
        return;
    struct odp_decimal_sum copy = *other;
    carry(&copy);
    carry(s);
    for (int i = 0; i < LIMBS; i++)
        s->limb[i] += copy.limb[i];
    s->wide = true;
}

/* All in limbs, every one of them from 0 to 10^9 - 1; returns whether the sum is negative. */
static bool settle(struct odp_decimal_sum *s)
{
    for (int i = 0; i <= ODP_DECIMAL_SMALL; i++) {
        __int128 v = s->small[i];
        bool negative = v < 0;
        unsigned __int128 rest = negative ? -(unsigned __int128)v : (unsigned __int128)v;
        for (long at = -(long)i; rest > 0; at++, rest /= 10)
            add_digit(s, negative ? -(int)(rest % 10) : (int)(rest % 10), at);
    }
    carry(s);
    int top = LIMBS - 1;
    while (top > 0 && s->limb[top] == 0)
        top--;
    bool negative = s->limb[top] < 0;
    for (int i = 0; i < LIMBS; i++)
        s->limb[i] = negative ? -s->limb[i] : s->limb[i];
    for (int i = 0; i < top; i++)
        if (s->limb[i] < 0) {
            s->limb[i] += BASE;
            s->limb[i + 1]--;
        }
    return negative;
}

/* ---- text ---- */

/* The digits of a settled sum, most significant first, at DIGITS_OF; the last WHOLE-th of them is the unit.
 * Returns their number. */
static size_t digits_of(const struct odp_decimal_sum *s, char digits[LIMBS * DIGITS], size_t *whole)
{
    size_t n = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        int64_t v = s->limb[i];
        for (int k = DIGITS - 1; k >= 0; k--, v /= 10)
            digits[n + (size_t)k] = (char)('0' + v % 10);
        n += DIGITS;
    }
    *whole = n - (size_t)-LOWEST;
    return n;
}

/* DIGITS, N of them, WHOLE before the point, without zeros at either end. */
static size_t write_digits(const char *digits, size_t n, size_t whole, bool negative, char *out)
{
    size_t first = 0, len = 0;
    while (n > whole && digits[n - 1] == '0')
        n--;
    while (first + 1 < whole && digits[first] == '0')
        first++;
    if (negative && !(n == whole && first + 1 == whole && digits[first] == '0'))
        out[len++] = '-';
    memcpy(out + len, digits + first, whole - first);
    len += whole - first;
    if (n > whole) {
        out[len++] = '.';
        memcpy(out + len, digits + whole, n - whole);
        len += n - whole;
    }
    out[len] = '\0';
    return len;
}

size_t odp_decimal_sum_text(const struct odp_decimal_sum *sum, char out[ODP_DECIMAL_SUM_SIZE])
{
    struct odp_decimal_sum copy = *sum;
    char digits[LIMBS * DIGITS];
    bool negative = settle(&copy);
    size_t whole, n = digits_of(&copy, digits, &whole);
    return write_digits(digits, n, whole, negative, out);
}

size_t odp_decimal_sum_mean(const struct odp_decimal_sum *sum, uint64_t n, unsigned places,
                            char out[ODP_DECIMAL_SUM_SIZE])
{
    struct odp_decimal_sum copy = *sum;
    char digits[LIMBS * DIGITS];
    bool negative = settle(&copy);
    size_t whole, end, len = digits_of(&copy, digits, &whole);
    unsigned __int128 rest = 0;
    end = whole + places < len ? whole + places : len;
    for (size_t i = 0; i < end; i++) {
        rest = rest * 10 + (unsigned)(digits[i] - '0');
        digits[i] = (char)('0' + (unsigned)(rest / n));
        rest %= n;
    }
    /* Half away from zero: the rest, with the digits after it, against half of N. */
    bool up = rest * 2 >= n || (rest * 2 + 1 == n && end < len && digits[end] >= '5');
    for (size_t i = end; up && i-- > 0;) {
        up = digits[i] == '9';
        digits[i] = up ? '0' : (char)(digits[i] + 1);
    }
    return write_digits(digits, end, whole, negative, out);
}
