/* Numbers of `data` (catalog/index/search.h): an order for those SQLite cannot order, and exact sums. */
#include <math.h>

#include "base/decimal.h"
#include "catalog/expr/num.h"
#include "service/queries/engine/engine_internal.h"

static const char misuse[] = "a number was expected";

/* ---- odp_order ----
 *
 * sign: 0 negative, 1 zero, 2 positive; then the magnitude (0.1 <= digits * 10^-magnitude < 1) as four
 * bytes, biased, highest first; then the digits. Of negative numbers these are complemented and a byte 255
 * ends them, so that -0.5 comes behind -0.51.
 *  */

enum { ORDER_HEAD = 5, ORDER_BIAS = 1 << 30 };

/* The canonical literal of V; false: it is no number. A number that SQLite made whole has no point. */
static bool literal_of(sqlite3_value *v, char room[NUM_TEXT], char wide[NUM_TEXT], struct odp_slice *out)
{
    struct num n;
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        n = num_of(sqlite3_value_int64(v));
        break;
    case SQLITE_FLOAT:
        n = num_of_double(sqlite3_value_double(v), wide);
        break;
    default:
        *out = query_value_slice(v);
        return out->ptr != NULL && num_is_literal(*out);
    }
    if (n.state == NUM_NULL)
        return false;
    *out = num_text(&n, room);
    return true;
}

/* The significant digits of canonical S without zeros at either end, in OUT (room for s.len); *MAGNITUDE
 * as above. */
static size_t digits_of(struct odp_slice s, char *out, int64_t *magnitude)
{
    size_t n = 0, zeros = 0;
    int64_t point = 0, exponent = 0;
    bool fraction = false;
    const char *p = s.ptr, *end = s.ptr + s.len;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (*p != '0' || n > 0) {
            out[n++] = *p;
            zeros = *p == '0' ? zeros + 1 : 0;
            point += fraction ? 0 : 1;
        } else if (fraction) {
            point--;
        }
    }
    if (p < end) {
        bool negative = ++p < end && *p == '-';
        for (p += p < end && (*p == '-' || *p == '+') ? 1 : 0; p < end && exponent < 1000000; p++)
            exponent = exponent * 10 + (*p - '0');
        exponent = negative ? -exponent : exponent;
    }
    *magnitude = point + exponent;
    return n - zeros;
}

void query_order(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char room[NUM_TEXT], wide[NUM_TEXT];
    struct odp_slice s;
    int64_t magnitude;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (!literal_of(argv[0], room, wide, &s)) {
        sqlite3_result_error(ctx, misuse, -1);
        return;
    }
    unsigned char small[128],
        *out = s.len + ORDER_HEAD + 1 <= sizeof small ? small : sqlite3_malloc64(s.len + ORDER_HEAD + 1);
    if (out == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    size_t n = digits_of(s, (char *)out + ORDER_HEAD, &magnitude);
    bool negative = *s.ptr == '-';
    uint32_t biased = (uint32_t)(magnitude + ORDER_BIAS);
    for (int i = 0; i < 4; i++)
        out[1 + i] = (unsigned char)(biased >> (24 - 8 * i));
    out[0] = n == 0 ? 1 : negative ? 0 : 2;
    n = n == 0 ? 1 : n + ORDER_HEAD;
    if (out[0] == 0) {
        for (size_t i = 1; i < n; i++)
            out[i] = (unsigned char)~out[i];
        out[n++] = 255;
    }
    sqlite3_result_blob64(ctx, out, n, out == small ? SQLITE_TRANSIENT : sqlite3_free);
}

/* ---- odp_sum ---- */

struct sum {
    __int128 whole;  /* in units of 10^-scale; 2^64 values of 63 bits fit */
    struct num rest; /* what does not fit there */
    int scale;
    bool any, has_rest, lost;
};

static void keep_rest(struct sum *s, struct num n)
{
    s->rest = s->has_rest ? num_add(s->rest, n) : num_add(n, num_of(0));
    s->has_rest = true;
    s->lost = s->lost || s->rest.state != NUM_OK;
}

void query_sum_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    /* Beyond 2^50 units a product with the unit could be rounded to another whole number. */
    static const double units[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    static const double most = 1125899906842624;
    char room[NUM_TEXT];
    struct sum *kept = sqlite3_aggregate_context(ctx, sizeof *kept), sum;
    if (kept == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    int type = sqlite3_value_type(argv[0]), scale = sqlite3_value_int(argv[1]);
    if (type == SQLITE_NULL)
        return;
    memcpy(&sum, kept, sizeof sum); /* SQLite's memory is not aligned for 128 bits */
    sum.scale = scale >= 0 && scale <= 15 ? scale : 0;
    sum.any = true;
    if (type == SQLITE_FLOAT) {
        double v = sqlite3_value_double(argv[0]), x = nearbyint(v * units[sum.scale]);
        if (fabs(x) < most && x / units[sum.scale] == v)
            sum.whole += (int64_t)x;
        else
            keep_rest(&sum, num_of_double(v, room));
    } else if (type == SQLITE_INTEGER && sum.scale == 0) {
        sum.whole += sqlite3_value_int64(argv[0]);
    } else if (type == SQLITE_INTEGER) {
        keep_rest(&sum, num_of(sqlite3_value_int64(argv[0])));
    } else {
        struct odp_slice literal = query_value_slice(argv[0]);
        if (literal.ptr != NULL && num_is_literal(literal))
            keep_rest(&sum, num_parse(literal));
        else
            sqlite3_result_error(ctx, misuse, -1);
    }
    memcpy(kept, &sum, sizeof sum);
}

void query_sum_final(sqlite3_context *ctx)
{
    char room[NUM_TEXT];
    struct sum *kept = sqlite3_aggregate_context(ctx, 0), s;
    if (kept == NULL)
        return;
    memcpy(&s, kept, sizeof s);
    if (!s.any || s.lost)
        return;
    struct num sum = {.m = s.whole, .scale = s.scale, .state = NUM_OK};
    if (s.has_rest)
        sum = num_add(sum, s.rest);
    if (sum.state != NUM_OK)
        return;
    struct odp_slice text = num_text(&sum, room);
    sqlite3_result_text64(ctx, text.ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}
