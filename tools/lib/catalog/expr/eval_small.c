/* Numbers of 64 bits with a scale, and dates and times as such: what the columns of nearly every batch hold. */
#include "base/datetime.h"
#include "base/decimal_small.h"
#include "catalog/expr/eval_internal.h"

static const int64_t power10[ODP_DECIMAL_SMALL + 1] = {1,
                                                       10,
                                                       100,
                                                       1000,
                                                       10000,
                                                       100000,
                                                       1000000,
                                                       10000000,
                                                       100000000,
                                                       1000000000,
                                                       10000000000,
                                                       100000000000,
                                                       1000000000000,
                                                       10000000000000,
                                                       100000000000000,
                                                       1000000000000000,
                                                       10000000000000000,
                                                       100000000000000000,
                                                       1000000000000000000};

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* "2024-03-15" as 20240315. */
static inline bool date_of(const char *p, int64_t *out)
{
    uint64_t w = odp_bytes_load8(p), day = odp_bytes_load(p + 8, 2);
    uint64_t digits = (w & 0xffffffffu) | (w >> 40 & 0xffff) << 32 | day << 48;
    if ((w >> 32 & 0xff) != '-' || w >> 56 != '-' || odp_bytes_digits(digits) != ODP_BYTES_HIGHS)
        return false;
    *out = odp_bytes_number8(digits);
    return true;
}

/* "HH:MM:SS" as seconds. */
static inline bool clock_of(const char *p, int64_t *out)
{
    uint64_t w = odp_bytes_load8(p), digits = (w & 0xffff) | (w >> 24 & 0xffff) << 16 | w >> 48 << 32 | (uint64_t)0x3030 << 48;
    if ((w >> 16 & 0xff) != ':' || (w >> 40 & 0xff) != ':' || odp_bytes_digits(digits) != ODP_BYTES_HIGHS)
        return false;
    uint32_t clock = odp_bytes_number8(digits) / 100;
    *out = clock / 10000 * 3600 + clock / 100 % 100 * 60 + clock % 100;
    return true;
}

/* "2024-03-15T07:05:00+07:00", or with Z, as nanoseconds since 1970: of years that 64 bits hold. */
static bool moment_of(struct odp_slice s, int64_t *out)
{
    int64_t day, clock, east = 0;
    if ((s.len != 20 || s.ptr[19] != 'Z') && (s.len != 25 || (s.ptr[19] != '+' && s.ptr[19] != '-')))
        return false;
    if (!date_of(s.ptr, &day) || s.ptr[10] != 'T' || !clock_of(s.ptr + 11, &clock) || day < 17000101 || day > 22001231)
        return false;
    if (s.len == 25) {
        const char zone[8] = {s.ptr[20], s.ptr[21], s.ptr[22], s.ptr[23], s.ptr[24], ':', '0', '0'};
        if (!clock_of(zone, &east))
            return false;
        east = s.ptr[19] == '-' ? -east : east;
    }
    const struct odp_datetime d = {.year = (int16_t)(day / 10000), .month = (uint8_t)(day / 100 % 100), .day = (uint8_t)(day % 100)};
    *out = (odp_date_days(&d) * 86400 + clock - east) * 1000000000;
    return true;
}

/* As expr_value has it, which takes over where the form is not the common one. */
static bool value_of(enum kind kind, struct odp_slice s, int64_t *m, uint8_t *scale)
{
    *scale = 0;
    struct num v = expr_value(kind, s);
    *m = (int64_t)v.m;
    if (v.state == NUM_NULL)
        *scale = SMALL_NULL;
    return v.state == NUM_NULL || (v.state == NUM_OK && v.scale == 0 && v.m == *m);
}

/* N values, of which those that are null are found here; the others are OF's. */
#define LOAD(of)                                                                   \
    for (uint32_t i = 0; i < n; i++) {                                             \
        scale[i] = SMALL_NULL;                                                     \
        if (state[i] == ODP_VALUE_OK && (text[i].len == 0 || !(of)))               \
            return false;                                                          \
    }

/* What num_parse makes of a plain literal of so few digits. */
static bool load_numbers(const struct odp_slice *text, const uint8_t *state, uint32_t n, int64_t *m, uint8_t *scale)
{
    unsigned places;
    LOAD(odp_decimal_small(text[i], &m[i], &places) && (scale[i] = (uint8_t)places, true))
    return true;
}

/* The same from what check has left. */
static bool take_numbers(const struct odp_batch_numbers *known, const uint8_t *state, uint32_t first, uint32_t n, int64_t *m, uint8_t *scale)
{
    uint8_t most = 0;
    memcpy(m, known->number + first, n * sizeof *m);
    for (uint32_t i = 0; i < n; i++) {
        scale[i] = state[i] == ODP_VALUE_OK ? known->scale[first + i] : 0;
        most = scale[i] > most ? scale[i] : most;
        scale[i] = state[i] == ODP_VALUE_OK ? scale[i] : SMALL_NULL;
    }
    return most != ODP_NUMBER_LONG;
}

static bool load_dates(const struct odp_slice *text, const uint8_t *state, uint32_t n, int64_t *m, uint8_t *scale)
{
    LOAD(text[i].len == 10 && date_of(text[i].ptr, &m[i]) && (scale[i] = 0, true))
    return true;
}

static bool load_moments(const struct odp_slice *text, const uint8_t *state, uint32_t n, int64_t *m, uint8_t *scale)
{
    LOAD((moment_of(text[i], &m[i]) && (scale[i] = 0, true)) || value_of(KIND_DATETIME, text[i], &m[i], &scale[i]))
    return true;
}

static bool load_others(enum kind kind, const struct odp_slice *text, const uint8_t *state, uint32_t n, int64_t *m, uint8_t *scale)
{
    LOAD(value_of(kind, text[i], &m[i], &scale[i]))
    return true;
}

bool expr_small_load(struct reg *r, enum kind kind, const struct odp_batch *b, uint32_t field, uint32_t first, uint32_t n)
{
    const struct odp_column *col = &b->columns[field];
    const struct odp_batch_numbers *known = b->numbers != NULL && kind == KIND_NUMBER ? &b->numbers[field] : NULL;
    const struct odp_slice *text = col->text + first;
    const uint8_t *state = col->state + first;
    int64_t *m = expr_small_m(r);
    uint8_t *scale = expr_small_scale(r);
    if (known != NULL && known->number != NULL)
        r->small = take_numbers(known, state, first, n, m, scale);
    else
        r->small = kind == KIND_NUMBER     ? load_numbers(text, state, n, m, scale)
                   : kind == KIND_DATE     ? load_dates(text, state, n, m, scale)
                   : kind == KIND_DATETIME ? load_moments(text, state, n, m, scale)
                                           : load_others(kind, text, state, n, m, scale);
    return r->small;
}

bool expr_small_constant(struct reg *r, const struct num *value)
{
    int64_t m = (int64_t)value->m;
    if (value->state != NUM_OK || value->m != m || value->scale > ODP_DECIMAL_SMALL)
        return false;
    *expr_small_m(r) = m;
    *expr_small_scale(r) = (uint8_t)value->scale;
    r->small = true;
    return true;
}

void expr_small_widen(struct reg *r, uint32_t n)
{
    int64_t m[STRIP];
    uint8_t scale[STRIP];
    if (!r->small)
        return;
    n = r->step == 0 ? 1 : n;
    memcpy(m, expr_small_m(r), n * sizeof *m);
    memcpy(scale, expr_small_scale(r), n);
    for (uint32_t i = 0; i < n; i++)
        r->num[i] = scale[i] == SMALL_NULL ? (struct num){.state = NUM_NULL} : (struct num){.m = m[i], .scale = scale[i], .state = NUM_OK};
    r->small = false;
}

/* ---- operations ------------------------------------------------------------------------------------------------------ */

static inline int order_of(int64_t a, unsigned scale_a, int64_t b, unsigned scale_b)
{
    if (scale_a == scale_b)
        return (a > b) - (a < b);
    __int128 x = (__int128)a * power10[ODP_DECIMAL_SMALL - scale_a], y = (__int128)b * power10[ODP_DECIMAL_SMALL - scale_b];
    return (x > y) - (x < y);
}

void expr_small_compare(unsigned accepts, const struct reg *a, const struct reg *b, uint32_t n, uint8_t *out)
{
    const int64_t *x = expr_small_m(a), *y = expr_small_m(b);
    const uint8_t *sx = expr_small_scale(a), *sy = expr_small_scale(b);
    for (uint32_t i = 0; i < n; i++) {
        size_t j = i * a->step, k = i * b->step;
        if (sx[j] == SMALL_NULL || sy[k] == SMALL_NULL)
            out[i] = ODP_UNKNOWN;
        else
            out[i] = accepts >> (order_of(x[j], sx[j], y[k], sy[k]) + 1) & 1;
    }
}

/* *M at SCALE becomes one at TO, which is not less. */
static bool rescale(int64_t *m, unsigned scale, unsigned to)
{
    return !__builtin_mul_overflow(*m, power10[to - scale], m);
}

/* As num_add, num_sub and num_mul, whose results have the greater scale, or the sum of both. False: too large. */
static bool combine(enum op op, int64_t *x, uint8_t *scale_x, int64_t y, unsigned scale_y)
{
    unsigned scale = op == OP_MUL ? *scale_x + scale_y : *scale_x > scale_y ? *scale_x : scale_y;
    if (scale > ODP_DECIMAL_SMALL)
        return false;
    if (op != OP_MUL && (!rescale(x, *scale_x, scale) || !rescale(&y, scale_y, scale)))
        return false;
    *scale_x = (uint8_t)scale;
    return !(op == OP_ADD ? __builtin_add_overflow(*x, y, x) : op == OP_SUB ? __builtin_sub_overflow(*x, y, x) : __builtin_mul_overflow(*x, y, x));
}

bool expr_small_arithmetic(enum op op, struct reg *a, const struct reg *b, uint32_t n)
{
    int64_t m[STRIP];
    uint8_t scale[STRIP];
    if (!a->small || !b->small || op == OP_DIV)
        return false;
    const int64_t *x = expr_small_m(a), *y = expr_small_m(b);
    const uint8_t *sx = expr_small_scale(a), *sy = expr_small_scale(b);
    for (uint32_t i = 0; i < n; i++) {
        size_t j = i * a->step, k = i * b->step;
        m[i] = x[j];
        scale[i] = sx[j];
        if (sx[j] == SMALL_NULL || sy[k] == SMALL_NULL)
            scale[i] = SMALL_NULL;
        else if (!combine(op, &m[i], &scale[i], y[k], sy[k]))
            return false;
    }
    memcpy(expr_small_m(a), m, n * sizeof *m);
    memcpy(expr_small_scale(a), scale, n);
    a->step |= b->step;
    return true;
}
