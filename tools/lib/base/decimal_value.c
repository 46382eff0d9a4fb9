/* The values of canonical literals: exact comparison, the shortest form, and doubles as fixed decimals. */
#include "base/decimal_small.h"

/* A literal's value as +-0.DDDD times ten to the power of `magnitude`: the significant digits lie between
 * `first` and `last` (which may have the point between them). */
struct parts {
    bool negative;
    const char *first, *last; /* first == last: zero */
    long long magnitude;      /* 1 for 1..9, 0 for 0.1..0.9 */
};

static long long exponent_of(const char *p, const char *end)
{
    long long value = 0;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end; p++)
        if (value < 1000000000)
            value = value * 10 + (*p - '0');
    return negative ? -value : value;
}

static struct parts take_apart(struct odp_slice s)
{
    struct parts r = {0};
    const char *p = s.ptr, *end = s.ptr + s.len, *stop, *point = NULL;
    if (p < end && *p == '-') {
        r.negative = true;
        p++;
    }
    for (stop = p; stop < end && *stop != 'e' && *stop != 'E'; stop++)
        if (*stop == '.')
            point = stop;
    if (stop < end)
        r.magnitude = exponent_of(stop + 1, end);
    if (point == NULL)
        point = stop;
    while (p < stop && (*p == '0' || *p == '.'))
        p++;
    r.first = r.last = p;
    if (p == stop) { /* zero has no sign and no magnitude */
        r.negative = false;
        r.magnitude = 0;
        return r;
    }
    r.magnitude += p < point ? point - p : point - p + 1;
    while (stop > p && (stop[-1] == '0' || stop[-1] == '.'))
        stop--;
    r.last = stop;
    return r;
}

static int compare_absolute(const struct parts *a, const struct parts *b)
{
    const char *p = a->first, *q = b->first;
    if (a->magnitude != b->magnitude)
        return a->magnitude < b->magnitude ? -1 : 1;
    for (;; p++, q++) {
        if (p < a->last && *p == '.')
            p++;
        if (q < b->last && *q == '.')
            q++;
        if (p == a->last || q == b->last)
            return (p != a->last) - (q != b->last);
        if (*p != *q)
            return *p < *q ? -1 : 1;
    }
}

static int sign_of(const struct parts *x)
{
    if (x->first == x->last)
        return 0;
    return x->negative ? -1 : 1;
}

static int compare_texts(struct odp_slice a, struct odp_slice b)
{
    struct parts x = take_apart(a), y = take_apart(b);
    int sign_x = sign_of(&x), sign_y = sign_of(&y);
    if (sign_x != sign_y || sign_x == 0)
        return (sign_x > sign_y) - (sign_x < sign_y);
    return sign_x < 0 ? compare_absolute(&y, &x) : compare_absolute(&x, &y);
}

int odp_decimal_cmp(struct odp_slice a, struct odp_slice b)
{
    int64_t m, n;
    unsigned scale, scale2;
    if (odp_decimal_small(a, &m, &scale) && odp_decimal_small(b, &n, &scale2))
        return odp_decimal_small_cmp(m, scale, n, scale2);
    return compare_texts(a, b);
}

static size_t put_exponent(char *out, long long e)
{
    char digits[20];
    size_t n = 0, at = 0;
    unsigned long long v = e < 0 ? (unsigned long long)-e : (unsigned long long)e;
    out[at++] = 'e';
    if (e < 0)
        out[at++] = '-';
    do
        digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    while (n > 0)
        out[at++] = digits[--n];
    return at;
}

size_t odp_decimal_normal(struct odp_slice s, char out[ODP_DECIMAL_SIZE])
{
    struct parts v = take_apart(s);
    char digits[ODP_DECIMAL_DIGITS] = {'0'};
    long long n = 0, m = v.magnitude;
    size_t at = 0;
    if (v.first == v.last) {
        out[0] = '0';
        return 1;
    }
    for (const char *p = v.first; p < v.last && n < ODP_DECIMAL_DIGITS; p++)
        if (*p != '.')
            digits[n++] = *p;
    if (v.negative)
        out[at++] = '-';
    if (m > 0 && m <= ODP_DECIMAL_DIGITS) { /* 12.5, 1200 */
        for (long long i = 0; i < m || i < n; i++) {
            if (i == m)
                out[at++] = '.';
            out[at++] = i < n ? digits[i] : '0';
        }
    } else if (m <= 0 && n - m <= ODP_DECIMAL_DIGITS) { /* 0.00125 */
        out[at++] = '0';
        out[at++] = '.';
        for (; m < 0; m++)
            out[at++] = '0';
        memcpy(out + at, digits, (size_t)n);
        at += (size_t)n;
    } else { /* too long to write out: 1.25e300, still one form a value */
        out[at++] = digits[0];
        if (n > 1)
            out[at++] = '.';
        memcpy(out + at, digits + 1, (size_t)(n - 1));
        at += (size_t)(n - 1);
        at += put_exponent(out + at, m - 1);
    }
    return at;
}

const uint64_t odp_decimal_powers[ODP_DECIMAL_POWERS] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};
#define PLACES_MAX 15

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static char *put_uint(char *out, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    while (v >= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * v, 2);
    } else {
        *--p = (char)('0' + v);
    }
    size_t n = (size_t)(digits + sizeof digits - p);
    memcpy(out, p, n);
    return out + n;
}

/* FRACTION of PLACES digits after a point, trailing zeros removed. */
static char *put_fraction(char *out, uint64_t fraction, int places)
{
    if (fraction == 0)
        return out;
    *out = '.';
    char *p = out + 1 + places;
    while (p > out + 2) {
        p -= 2;
        memcpy(p, pairs + 2 * (fraction % 100), 2);
        fraction /= 100;
    }
    if (p == out + 2)
        out[1] = (char)('0' + fraction);
    p = out + 1 + places;
    while (p[-1] == '0')
        p--;
    return p;
}

/* A >= 0 times ten to the power of PLACES, rounded half up on A's exact value, for products below 2^52. The
 * product P differs from the true one by less than half a unit in its last place, and P's distance from the
 * tie is a multiple of that unit: so the error decides only when the distance is nought, and then fma gives
 * its sign exactly. */
static uint64_t scale(double a, double power)
{
    double product = a * power;
    int64_t n = (int64_t)product; /* signed: one instruction */
    double distance = product - (double)n - 0.5;
    n += distance > 0; /* no branch: it would be guessed wrong half the time */
    if (__builtin_expect(distance == 0, 0) && __builtin_fma(a, power, -product) >= 0)
        n++;
    return (uint64_t)n;
}

/* For larger products: whole and fraction apart. A >= 4.5 here, so that its fraction is a whole number of
 * 2^-50. */
static void split(double a, int places, uint64_t *whole, uint64_t *fraction)
{
    *whole = (uint64_t)a;
    uint64_t units = (uint64_t)((a - (double)*whole) * 0x1p50);
    unsigned __int128 scaled =
        (unsigned __int128)units * odp_decimal_powers[places] + ((unsigned __int128)1 << 49);
    *fraction = (uint64_t)(scaled >> 50);
    if (*fraction == odp_decimal_powers[places]) {
        *fraction = 0;
        ++*whole;
    }
}

size_t odp_decimal_fixed(double v, int places, char *out)
{
    double a = v < 0 ? -v : v;
    uint64_t whole, fraction;
    if (!(a < 1e15) || places < 0 ||
        places > PLACES_MAX) { /* NaN too: outside the contract, and never a false number */
        out[0] = '\0';
        return 0;
    }
    if (a * (double)odp_decimal_powers[places] < 0x1p52) {
        uint64_t n = scale(a, (double)odp_decimal_powers[places]);
        whole = n / odp_decimal_powers[places];
        fraction = n % odp_decimal_powers[places];
    } else {
        split(a, places, &whole, &fraction);
    }
    char *p = out;
    if (v < 0 && (whole | fraction) != 0)
        *p++ = '-';
    p = put_uint(p, whole);
    p = put_fraction(p, fraction, places);
    return (size_t)(p - out);
}

bool odp_decimal_units(double v, int places, int64_t *out)
{
    double a = v < 0 ? -v : v;
    uint64_t whole, fraction;
    if (places < 0 || places > PLACES_MAX || !(a * (double)odp_decimal_powers[places] < 9.2e18) ||
        !(a < 1e15)) /* NaN too */
        return false;
    if (a * (double)odp_decimal_powers[places] < 0x1p52) {
        whole = scale(a, (double)odp_decimal_powers[places]);
    } else {
        split(a, places, &whole, &fraction);
        whole = whole * odp_decimal_powers[places] + fraction;
    }
    *out = v < 0 ? -(int64_t)whole : (int64_t)whole;
    return true;
}

int odp_decimal_small_cmp(int64_t m, unsigned scale, int64_t n, unsigned scale2)
{
    if (scale == scale2)
        return (m > n) - (m < n);
    __int128 a = m, b = n;
    if (scale < scale2)
        a *= odp_decimal_power(scale2 - scale);
    else
        b *= odp_decimal_power(scale - scale2);
    return (a > b) - (a < b);
}
