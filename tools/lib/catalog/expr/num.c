/* Decimal arithmetic: the fast ways in 128 bits; in 256 bits where a result does not fit. */
#include "catalog/expr/num.h"

#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/decimal_small.h"

typedef unsigned __int128 wide;

/* ---- 256 bits ---- */

/* Without sign, least significant limb first: the way between two 128-bit numbers and a rounded result. */
struct u256 {
    uint64_t limb[4];
};

static struct u256 u256_mul(wide a, wide b)
{
    uint64_t x[2] = {(uint64_t)a, (uint64_t)(a >> 64)}, y[2] = {(uint64_t)b, (uint64_t)(b >> 64)};
    struct u256 r = {{0}};
    for (int i = 0; i < 2; i++) {
        wide carry = 0;
        for (int j = 0; j < 2; j++) {
            carry += (wide)x[i] * y[j] + r.limb[i + j];
            r.limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        r.limb[i + 2] = (uint64_t)carry;
    }
    return r;
}

static struct u256 u256_add(struct u256 a, struct u256 b)
{
    wide carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (wide)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static struct u256 u256_sub(struct u256 a, struct u256 b) /* a >= b */
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        wide take = (wide)b.limb[i] + borrow;
        borrow = a.limb[i] < take;
        a.limb[i] = (uint64_t)(a.limb[i] - (uint64_t)take);
    }
    return a;
}

static int u256_cmp(const struct u256 *a, const struct u256 *b)
{
    for (int i = 3; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static bool u256_zero(const struct u256 *a)
{
    return (a->limb[0] | a->limb[1] | a->limb[2] | a->limb[3]) == 0;
}

static wide u256_low(const struct u256 *a)
{
    return (wide)a->limb[1] << 64 | a->limb[0];
}

static struct u256 u256_times10(struct u256 a)
{
    wide carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (wide)a.limb[i] * 10;
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static struct u256 u256_over10(struct u256 a, unsigned *digit)
{
    wide rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 64 | a.limb[i];
        a.limb[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
    *digit = (unsigned)rest;
    return a;
}

static struct u256 u256_divide(struct u256 a, struct u256 b, struct u256 *rest) /* b > 0 */
{
    struct u256 q = {{0}}, r = {{0}};
    for (int bit = 255; bit >= 0; bit--) {
        r = u256_add(r, r); /* never overflows: r < b <= 10^76 */
        r.limb[0] |= a.limb[bit / 64] >> (bit % 64) & 1;
        if (u256_cmp(&r, &b) >= 0) {
            r = u256_sub(r, b);
            q.limb[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
    }
    *rest = r;
    return q;
}

/* ---- rounding ---- */

static wide num_power10(int32_t n) /* n: 0 .. 38 */
{
    enum { LAST = ODP_DECIMAL_POWERS - 1 };
    return n <= LAST ? odp_decimal_powers[n] : (wide)odp_decimal_powers[LAST] * odp_decimal_powers[n - LAST];
}

/* Half even: DIGIT was taken off last, STICKY: others before it were not zero. */
static bool rounds_up(const struct u256 *v, unsigned digit, bool sticky)
{
    return digit > 5 || (digit == 5 && (sticky || (v->limb[0] & 1) != 0));
}

/* V * 10^-scale as a number with at most 38 digits, rounded half even once; at most 20 decimals where it must
 * be rounded. */
static struct num u256_round(struct u256 v, int32_t scale, bool negative, bool sticky)
{
    static const struct u256 one = {{1}};
    wide top = num_power10(NUM_DIGITS);
    struct u256 limit = {{(uint64_t)top, (uint64_t)(top >> 64), 0, 0}};
    bool fits = u256_cmp(&v, &limit) < 0 && scale <= NUM_DIGITS;
    unsigned digit = 0;
    while (!fits && scale > 0 && (scale > NUM_PLACES || u256_cmp(&v, &limit) >= 0)) {
        sticky = sticky || digit != 0;
        v = u256_over10(v, &digit);
        scale--;
    }
    if (!fits && rounds_up(&v, digit, sticky)) {
        v = u256_add(v, one);
        if (u256_cmp(&v, &limit) == 0 && scale > 0) { /* 99…9 became 10^38: one zero less says the same */
            v = u256_over10(v, &digit);
            scale--;
        }
    }
    if (u256_cmp(&v, &limit) >= 0)
        return (struct num){.state = NUM_NULL};
    __int128 m = (__int128)u256_low(&v);
    return (struct num){.m = negative ? -m : m, .scale = scale, .state = NUM_OK};
}

static wide absolute(__int128 m)
{
    return m < 0 ? 0 - (wide)m : (wide)m; /* also for -2^127, which a product can be */
}

/* Digits of S with the point left out, without leading zeros. False: more than 38, or not a plain literal. */
static bool digits_of(struct odp_slice s, size_t *used, wide *m, int32_t *scale)
{
    uint64_t head = 0;
    wide value = 0;
    int count = 0;
    bool point = false;
    size_t i = 0;
    *scale = 0;
    for (; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        unsigned digit = c - (unsigned)'0';
        if (digit > 9)
            break;
        if (count > 0 || digit != 0)
            count++;
        if (count > NUM_DIGITS || (point && ++*scale > NUM_DIGITS))
            return false;
        if (count < 19)
            value = head = head * 10 + digit;
        else
            value = value * 10 + digit;
    }
    *used = i;
    *m = value;
    return i > 0;
}

/* The exponent that follows the digits; false when it is not one we can hold. */
static bool exponent_of(struct odp_slice s, int32_t *out)
{
    int32_t e = 0;
    size_t i = 1;
    bool negative = false;
    if (i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+'))
        negative = s.ptr[i++] == '-';
    for (; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9' || e > 999)
            return false;
        e = e * 10 + (s.ptr[i] - '0');
    }
    *out = negative ? -e : e;
    return true;
}

/* Brings the scale into 0 .. 38 without losing a digit. */
static bool settle(wide *m, int32_t *scale)
{
    if (*m == 0) {
        *scale = 0;
        return true;
    }
    while (*scale > NUM_DIGITS && *m % 10 == 0) {
        *m /= 10;
        (*scale)--;
    }
    while (*scale < 0 && *m < num_power10(NUM_DIGITS - 1)) {
        *m *= 10;
        (*scale)++;
    }
    return *scale >= 0 && *scale <= NUM_DIGITS;
}

static size_t digits_end(struct odp_slice s, size_t i)
{
    while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
        i++;
    return i;
}

bool num_is_literal(struct odp_slice s)
{
    size_t i = s.len > 0 && *s.ptr == '-' ? 1 : 0, from = i;
    if ((i = digits_end(s, i)) == from)
        return false;
    if (i < s.len && s.ptr[i] == '.') {
        from = i + 1;
        if ((i = digits_end(s, from)) == from)
            return false;
    }
    if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
        from = i + 1;
        from += from < s.len && (s.ptr[from] == '-' || s.ptr[from] == '+') ? 1 : 0;
        if ((i = digits_end(s, from)) == from)
            return false;
    }
    return i == s.len;
}

struct num num_parse(struct odp_slice literal)
{
    struct odp_slice s = literal;
    wide m;
    size_t used;
    int32_t scale, exponent = 0;
    bool negative = s.len > 0 && *s.ptr == '-';
    if (s.len > 0 && (*s.ptr == '-' || *s.ptr == '+'))
        s.ptr++, s.len--;
    if (!digits_of(s, &used, &m, &scale))
        return (struct num){.wide = literal, .state = s.len > 0 ? NUM_WIDE : NUM_NULL};
    if (used < s.len) {
        struct odp_slice tail = {s.ptr + used, s.len - used};
        if ((*tail.ptr != 'e' && *tail.ptr != 'E') || !exponent_of(tail, &exponent))
            return (struct num){.state = NUM_NULL};
        scale -= exponent;
        if (!settle(&m, &scale))
            return (struct num){.wide = literal, .state = NUM_WIDE};
    }
    return (struct num){.m = negative ? -(__int128)m : (__int128)m, .scale = scale, .state = NUM_OK};
}

/* A wide literal for arithmetic: rounded to what fits, null when its integer part does not. */
static struct num narrow(struct num a)
{
    if (a.state != NUM_WIDE)
        return a;
    struct u256 v = {{0}};
    int32_t scale = 0, exponent = 0, digits = 0;
    bool negative = *a.wide.ptr == '-', point = false, sticky = false;
    size_t i = *a.wide.ptr == '-' || *a.wide.ptr == '+' ? 1 : 0;
    for (; i < a.wide.len && a.wide.ptr[i] != 'e' && a.wide.ptr[i] != 'E'; i++) {
        if (a.wide.ptr[i] == '.') {
            point = true;
            continue;
        }
        uint64_t digit = (uint64_t)(a.wide.ptr[i] - '0');
        if (digits > 0 || digit != 0)
            digits++;
        if (digits > 70) { /* further digits only decide how to round */
            sticky = sticky || digit != 0;
            scale -= point ? 0 : 1;
            continue;
        }
        v = u256_add(u256_times10(v), (struct u256){{digit}});
        scale += point ? 1 : 0;
    }
    if (i < a.wide.len && !exponent_of((struct odp_slice){a.wide.ptr + i, a.wide.len - i}, &exponent))
        return (struct num){.state = NUM_NULL};
    scale -= exponent;
    if (u256_zero(&v))
        return num_of(0);
    for (; scale < 0 && v.limb[3] >> 56 == 0; scale++)
        v = u256_times10(v);
    return scale < 0 ? (struct num){.state = NUM_NULL} : u256_round(v, scale, negative, sticky);
}

struct odp_slice num_text(const struct num *n, char room[NUM_TEXT])
{
    if (n->state == NUM_WIDE)
        return n->wide;
    char *end = room + NUM_TEXT, *p = end;
    wide m = absolute(n->m);
    int32_t scale = n->scale;
    for (; scale > 0 && m % 10 == 0; scale--)
        m /= 10;
    for (int32_t place = 0; m != 0 || place <= scale; place++, m /= 10) {
        if (place == scale && place > 0)
            *--p = '.';
        *--p = (char)('0' + (int)(m % 10));
    }
    if (n->m < 0)
        *--p = '-';
    return (struct odp_slice){p, (size_t)(end - p)};
}

bool num_integer(const struct num *n, int64_t *out)
{
    if (n->state != NUM_OK)
        return false;
    __int128 unit = (__int128)num_power10(n->scale), m = n->m / unit;
    *out = (int64_t)m;
    return m * unit == n->m && m >= INT64_MIN && m <= INT64_MAX;
}

/* m / 10^s is rounded once, as reading the decimal was: where that gives V again, with 15 digits at most, it
 * is the decimal. */
struct num num_of_double(double v, char room[NUM_TEXT])
{
    double unit = 1;
    for (int32_t scale = 0; scale <= 9; scale++, unit *= 10) {
        double m = nearbyint(v * unit);
        if (fabs(m) >= 1e15)
            break;
        if (m / unit == v)
            return (struct num){.m = (int64_t)m, .scale = scale, .state = NUM_OK};
    }
    int n = snprintf(room, NUM_TEXT, "%.15g", v);
    return n > 0 ? num_parse((struct odp_slice){room, (size_t)n}) : (struct num){.state = NUM_NULL};
}

/* A and B by text: one of them is wide. */
static int compare_texts(const struct num *a, const struct num *b)
{
    char room[2][NUM_TEXT];
    return odp_decimal_cmp(num_text(a, room[0]), num_text(b, room[1]));
}

static int compare_256(const struct num *a, const struct num *b)
{
    int32_t scale = a->scale > b->scale ? a->scale : b->scale;
    struct u256 x = u256_mul(absolute(a->m), num_power10(scale - a->scale));
    struct u256 y = u256_mul(absolute(b->m), num_power10(scale - b->scale));
    return a->m < 0 ? u256_cmp(&y, &x) : u256_cmp(&x, &y);
}

int num_cmp_any(const struct num *a, const struct num *b)
{
    if (a->state == NUM_WIDE || b->state == NUM_WIDE)
        return compare_texts(a, b);
    __int128 x = a->m, y = b->m;
    if (a->scale != b->scale) {
        if ((x < 0) != (y < 0))
            return x < 0 ? -1 : 1;
        bool over = a->scale < b->scale
                        ? __builtin_mul_overflow(x, (__int128)num_power10(b->scale - a->scale), &x)
                        : __builtin_mul_overflow(y, (__int128)num_power10(a->scale - b->scale), &y);
        if (over)
            return compare_256(a, b);
    }
    return (x > y) - (x < y);
}

static bool small(__int128 m)
{
    return absolute(m) < num_power10(NUM_DIGITS);
}

static struct num add_256(struct num a, struct num b, int32_t scale)
{
    struct u256 x = u256_mul(absolute(a.m), num_power10(scale - a.scale));
    struct u256 y = u256_mul(absolute(b.m), num_power10(scale - b.scale));
    if ((a.m < 0) == (b.m < 0))
        return u256_round(u256_add(x, y), scale, a.m < 0, false);
    return u256_cmp(&x, &y) >= 0 ? u256_round(u256_sub(x, y), scale, a.m < 0, false)
                                 : u256_round(u256_sub(y, x), scale, b.m < 0, false);
}

struct num num_add_any(struct num a, struct num b)
{
    a = narrow(a);
    b = narrow(b);
    if (a.state == NUM_NULL || b.state == NUM_NULL)
        return (struct num){.state = NUM_NULL};
    int32_t scale = a.scale > b.scale ? a.scale : b.scale;
    __int128 x, y, sum;
    if (__builtin_mul_overflow(a.m, (__int128)num_power10(scale - a.scale), &x) ||
        __builtin_mul_overflow(b.m, (__int128)num_power10(scale - b.scale), &y) ||
        __builtin_add_overflow(x, y, &sum) || !small(sum))
        return add_256(a, b, scale);
    return (struct num){.m = sum, .scale = scale, .state = NUM_OK};
}

struct num num_neg(struct num a)
{
    a = narrow(a);
    if (a.state == NUM_OK)
        a.m = -a.m;
    return a;
}

struct num num_sub(struct num a, struct num b)
{
    return num_add(a, num_neg(b));
}

struct num num_mul(struct num a, struct num b)
{
    a = narrow(a);
    b = narrow(b);
    if (a.state == NUM_NULL || b.state == NUM_NULL)
        return (struct num){.state = NUM_NULL};
    int32_t scale = a.scale + b.scale;
    __int128 product;
    if (scale <= NUM_DIGITS && !__builtin_mul_overflow(a.m, b.m, &product) && small(product))
        return (struct num){.m = product, .scale = scale, .state = NUM_OK};
    return u256_round(u256_mul(absolute(a.m), absolute(b.m)), scale, (a.m < 0) != (b.m < 0), false);
}

/* Digit by digit, for quotients whose numerator outgrows 128 bits. */
static struct num divide_256(struct num a, struct num b)
{
    struct u256 d = u256_mul(absolute(b.m), num_power10(a.scale)), rest;
    struct u256 q = u256_divide(u256_mul(absolute(a.m), num_power10(b.scale)), d, &rest);
    wide top = num_power10(NUM_DIGITS);
    struct u256 limit = u256_mul(top / 10, 1);
    int32_t scale = 0;
    for (; scale < NUM_PLACES && u256_cmp(&q, &limit) < 0; scale++) {
        uint64_t digit = 0;
        rest = u256_times10(rest); /* rest < d < 10^76, so it fits */
        for (; u256_cmp(&rest, &d) >= 0; digit++)
            rest = u256_sub(rest, d);
        q = u256_add(u256_times10(q), (struct u256){{digit}});
    }
    rest = u256_add(rest, rest);
    int half = u256_cmp(&rest, &d);
    if (half > 0 || (half == 0 && (q.limb[0] & 1) != 0))
        q = u256_add(q, (struct u256){{1}});
    return u256_round(q, scale, (a.m < 0) != (b.m < 0), false);
}

struct num num_div(struct num a, struct num b)
{
    a = narrow(a);
    b = narrow(b);
    if (a.state == NUM_NULL || b.state == NUM_NULL || b.m == 0)
        return (struct num){.state = NUM_NULL};
    int32_t shift = NUM_PLACES - a.scale + b.scale;
    wide n = absolute(a.m), d = absolute(b.m);
    if (shift < 0 || shift > NUM_DIGITS || __builtin_mul_overflow(n, num_power10(shift), &n))
        return divide_256(a, b);
    wide q = n / d, rest = n % d;
    if (q >= num_power10(NUM_DIGITS) - 1)
        return divide_256(a, b);
    if (rest > d - rest || (rest == d - rest && (q & 1) != 0))
        q++;
    return (struct num){
        .m = (a.m < 0) != (b.m < 0) ? -(__int128)q : (__int128)q, .scale = NUM_PLACES, .state = NUM_OK};
}

struct num num_round(struct num a, int64_t places)
{
    a = narrow(a);
    if (a.state == NUM_NULL || places < -NUM_DIGITS || places > NUM_DIGITS)
        return (struct num){.state = NUM_NULL};
    int32_t drop = a.scale - (int32_t)places;
    if (drop <= 0)
        return a;
    if (drop > NUM_DIGITS) /* less than a tenth of a unit */
        return num_of(0);
    wide unit = num_power10(drop), n = absolute(a.m), q = n / unit;
    q += n % unit >= unit - n % unit;
    a.m = a.m < 0 ? -(__int128)q : (__int128)q;
    a.scale = places > 0 ? (int32_t)places : 0;
    return places < 0 ? num_mul(a, num_of((__int128)num_power10(-(int32_t)places))) : a;
}
