
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "catalog/expr/num.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/functions.h"
#include "catalog/expr/text.h"
#include "catalog/expr/row.h"
#include "catalog/expr/spatial.h"

/* ---- numbers ---- */

/* Numbers of `data` (catalog/index/search.h): an order for those SQLite cannot order, and exact sums. */

static const char no_number[] = "a number was expected";

/* ---- odp_order ----
 *
 * A byte for the sign (0 negative, 1 zero, 2 positive), the magnitude (0.1 <= digits * 10^-magnitude < 1) as
 * four biased bytes, highest first, and the digits. For negative numbers both are complemented and a byte 255
 * ends them, so that -0.5 comes after -0.51. */

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

static void order(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char room[NUM_TEXT], wide[NUM_TEXT];
    struct odp_slice s;
    int64_t magnitude;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (!literal_of(argv[0], room, wide, &s)) {
        sqlite3_result_error(ctx, no_number, -1);
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

static void add_rest(struct sum *s, struct num n)
{
    s->rest = s->has_rest ? num_add(s->rest, n) : num_add(n, num_of(0));
    s->has_rest = true;
    s->lost = s->lost || s->rest.state != NUM_OK;
}

static void sum_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
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
            add_rest(&sum, num_of_double(v, room));
    } else if (type == SQLITE_INTEGER && sum.scale == 0) {
        sum.whole += sqlite3_value_int64(argv[0]);
    } else if (type == SQLITE_INTEGER) {
        add_rest(&sum, num_of(sqlite3_value_int64(argv[0])));
    } else {
        struct odp_slice literal = query_value_slice(argv[0]);
        if (literal.ptr != NULL && num_is_literal(literal))
            add_rest(&sum, num_parse(literal));
        else
            sqlite3_result_error(ctx, no_number, -1);
    }
    memcpy(kept, &sum, sizeof sum);
}

static void sum_final(sqlite3_context *ctx)
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

enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_DIRECTONLY };

static const char misuse[] = "a value of this kind was not expected";

static void answer(sqlite3_context *ctx, uint8_t truth)
{
    if (truth != ODP_UNKNOWN)
        sqlite3_result_int(ctx, truth == ODP_TRUE);
}

static void like(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    struct odp_slice text = query_value_slice(argv[0]), pattern = query_value_slice(argv[1]);
    if (text.ptr == NULL || pattern.ptr == NULL)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_int(ctx, expr_like(text, pattern));
}

static void casei(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    struct odp_slice text = query_value_slice(argv[0]);
    char small[600], *out = text.len <= sizeof small / EXPR_GROWTH
                                ? small
                                : sqlite3_malloc64((sqlite3_uint64)text.len * EXPR_GROWTH);
    if (text.ptr == NULL || out == NULL) {
        if (out != small)
            sqlite3_free(out);
        sqlite3_result_error_nomem(ctx);
        return;
    }
    sqlite3_result_text64(ctx, out, expr_map(EXPR_CASEI, text, out),
                          out == small ? SQLITE_TRANSIENT : sqlite3_free, SQLITE_UTF8);
}

/* ---- odp_spatial ---- */

static void free_arena(void *p)
{
    odp_arena_release(p);
    free(p);
}

/* The statement's scratch memory for points, kept with its first argument. */
static struct odp_arena *scratch_of(sqlite3_context *ctx)
{
    struct odp_arena *a = sqlite3_get_auxdata(ctx, 0);
    if (a == NULL) {
        a = calloc(1, sizeof *a);
        if (a == NULL)
            return NULL;
        odp_arena_init(a);
        sqlite3_set_auxdata(ctx, 0, a, free_arena);
        a = sqlite3_get_auxdata(ctx, 0); /* it may have been freed at once */
    }
    if (a != NULL)
        odp_arena_reset(a);
    return a;
}

static void failed(sqlite3_context *ctx, enum odp_status status)
{
    if (status == ODP_FAIL)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_error(ctx, "a geometry of the index is damaged", -1);
}

static void spatial(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct odp_spatial *s = sqlite3_value_pointer(argv[0], "odp_spatial");
    int type = sqlite3_value_type(argv[1]);
    uint8_t truth = ODP_UNKNOWN;
    if (s == NULL || (type != SQLITE_NULL && type != SQLITE_BLOB)) {
        sqlite3_result_error(ctx, misuse, -1);
        return;
    }
    if (type == SQLITE_NULL)
        return;
    struct odp_slice shape = query_value_slice(argv[1]);
    struct odp_arena *scratch = scratch_of(ctx);
    if (scratch == NULL || shape.ptr == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    enum odp_status status = odp_spatial_test_shape(s, shape, scratch, &truth);
    if (status == ODP_OK)
        answer(ctx, truth);
    else
        failed(ctx, status);
}

/* ---- odp_eval ---- */

static void free_row(void *p)
{
    odp_row_free(p);
}

static struct odp_row *row_of(sqlite3_context *ctx, const struct odp_row_program *p)
{
    struct odp_row *r = sqlite3_get_auxdata(ctx, 0);
    if (r != NULL || odp_row_new(&r, p) != ODP_OK)
        return r;
    sqlite3_set_auxdata(ctx, 0, r, free_row);
    return sqlite3_get_auxdata(ctx, 0);
}

static bool set_value(struct odp_row *r, uint32_t field, sqlite3_value *v)
{
    struct odp_slice s = {"", 0};
    int type = sqlite3_value_type(v);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB)
        s = query_value_slice(v);
    if (type == SQLITE_INTEGER)
        odp_row_set_int(r, field, sqlite3_value_int64(v));
    else if (type == SQLITE_FLOAT)
        odp_row_set_real(r, field, sqlite3_value_double(v));
    else if (type == SQLITE_TEXT)
        odp_row_set_text(r, field, s);
    else if (type == SQLITE_BLOB)
        odp_row_set_blob(r, field, s);
    return s.ptr != NULL;
}

/* ---- odp_extreme ---- */

struct extreme {
    sqlite3_value *value; /* NULL: none yet */
    int64_t fid;
    bool any;
};

/* Two values of a column that is no text of words: numbers by value, all else by bytes. */
static int compare(sqlite3_value *a, sqlite3_value *b)
{
    int x = sqlite3_value_type(a), y = sqlite3_value_type(b);
    if (x == SQLITE_INTEGER && y == SQLITE_INTEGER)
        return (sqlite3_value_int64(a) > sqlite3_value_int64(b)) -
               (sqlite3_value_int64(a) < sqlite3_value_int64(b));
    if (x <= SQLITE_FLOAT && y <= SQLITE_FLOAT)
        return (sqlite3_value_double(a) > sqlite3_value_double(b)) -
               (sqlite3_value_double(a) < sqlite3_value_double(b));
    return odp_slice_cmp(query_value_slice(a), query_value_slice(b));
}

static void extreme_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct extreme *e = sqlite3_aggregate_context(ctx, sizeof *e);
    if (e == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    int64_t fid = sqlite3_value_int64(argv[1]);
    bool null = sqlite3_value_type(argv[0]) == SQLITE_NULL;
    int order = null || e->value == NULL ? 0 : compare(argv[0], e->value) * sqlite3_value_int(argv[2]);
    bool first = !null && (e->value == NULL || order > 0);
    if (first) {
        sqlite3_value_free(e->value);
        e->value = sqlite3_value_dup(argv[0]);
        if (e->value == NULL)
            sqlite3_result_error_nomem(ctx);
    }
    if (first || !e->any || (null == (e->value == NULL) && order == 0 && fid < e->fid))
        e->fid = fid;
    e->any = true;
}

static void extreme_final(sqlite3_context *ctx)
{
    struct extreme *e = sqlite3_aggregate_context(ctx, 0);
    if (e == NULL || !e->any)
        return;
    sqlite3_value_free(e->value);
    sqlite3_result_int64(ctx, e->fid);
}

/* What odp_pack gives to odp_eval, as a pointer "odp_pack". */
struct packed {
    int n;
    sqlite3_value *values[];
};

/* The values of BOX from field *AT on. False: there are not so many fields. */
static bool set_packed(struct odp_row *r, uint32_t *at, uint32_t fields, const struct packed *box,
                       bool *memory)
{
    for (int i = 0; i < box->n; i++, ++*at) {
        if (*at >= fields)
            return false;
        *memory = set_value(r, *at, box->values[i]) && *memory;
    }
    return true;
}

/* The arguments after the pointer. False: they are not P's. */
static bool set_row(struct odp_row *r, const struct odp_row_program *p, int argc, sqlite3_value **argv,
                    bool *memory)
{
    uint32_t fields = odp_row_program_fields(p);
    bool geometry = odp_row_program_geometry(p);
    int columns = argc - 1 - (geometry ? 1 : 0);
    if (columns < 0 || (geometry && sqlite3_value_type(argv[argc - 1]) != SQLITE_NULL &&
                        sqlite3_value_type(argv[argc - 1]) != SQLITE_BLOB))
        return false;
    if ((uint32_t)columns == fields) {
        for (uint32_t i = 0; i < fields; i++)
            *memory = set_value(r, i, argv[1 + i]) && *memory;
    } else {
        uint32_t at = 0;
        for (int i = 0; i < columns; i++) {
            const struct packed *box = sqlite3_value_pointer(argv[1 + i], "odp_pack");
            if (box == NULL || !set_packed(r, &at, fields, box, memory))
                return false;
        }
        if (at != fields)
            return false;
    }
    if (geometry && sqlite3_value_type(argv[argc - 1]) == SQLITE_BLOB)
        odp_row_set_shape(r, query_value_slice(argv[argc - 1]));
    return true;
}

static void eval(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct odp_row_program *p = argc > 0 ? sqlite3_value_pointer(argv[0], "odp_eval") : NULL;
    uint8_t truth;
    bool memory = true;
    if (p == NULL) {
        sqlite3_result_error(ctx, misuse, -1);
        return;
    }
    struct odp_row *r = row_of(ctx, p);
    if (r == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    odp_row_begin(r);
    if (!set_row(r, p, argc, argv, &memory)) {
        sqlite3_result_error(ctx, misuse, -1);
        return;
    }
    enum odp_status status = memory ? odp_row_eval(r, &truth) : ODP_FAIL;
    if (status == ODP_OK)
        answer(ctx, truth);
    else
        failed(ctx, status);
}

static void free_packed(void *p)
{
    struct packed *box = p;
    for (int i = 0; i < box->n; i++)
        sqlite3_value_free(box->values[i]);
    free(box);
}

static void pack(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct packed *box = calloc(1, sizeof *box + (size_t)argc * sizeof(sqlite3_value *));
    while (box != NULL && box->n < argc && (box->values[box->n] = sqlite3_value_dup(argv[box->n])) != NULL)
        box->n++;
    if (box != NULL && box->n == argc) {
        sqlite3_result_pointer(ctx, box, "odp_pack", free_packed);
        return;
    }
    if (box != NULL)
        free_packed(box);
    sqlite3_result_error_nomem(ctx);
}

enum odp_status odp_query_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        int args;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"odp_like", 2, like, NULL, NULL},         {"odp_casei", 1, casei, NULL, NULL},
        {"odp_spatial", 2, spatial, NULL, NULL},   {"odp_eval", -1, eval, NULL, NULL},
        {"odp_pack", -1, pack, NULL, NULL},        {"odp_order", 1, order, NULL, NULL},
        {"odp_sum", 2, NULL, sum_step, sum_final}, {"odp_extreme", 3, NULL, extreme_step, extreme_final},
    };
    for (size_t i = 0; i < ODP_COUNT(functions); i++)
        if (sqlite3_create_function_v2(db, functions[i].name, functions[i].args, FLAGS, NULL,
                                       functions[i].call, functions[i].step, functions[i].final,
                                       NULL) != SQLITE_OK)
            return odp_failure_set("register functions", NULL, 0);
    return ODP_OK;
}
