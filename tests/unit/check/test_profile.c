/* Statistics of a resource: exact sums, the sketch's bound, and the same profile whatever the threads, the
 * batches and the order. */
#include "run.h"
#include "random.h"

#include "base/decimal_sum.h"
#include "check/drift/histogram.h"
#include "check/drift/profile.h"
#include "check/drift/sketch.h"

/* ---- sums ---- */

static void assert_sum(const char *const *literals, const char *sum, uint64_t n, const char *mean)
{
    struct odp_decimal_sum s = {0};
    char text[ODP_DECIMAL_SUM_SIZE];
    for (; *literals != NULL; literals++)
        odp_decimal_sum_add(&s, odp_slice_of(*literals));
    assert_int_equal(odp_decimal_sum_text(&s, text), strlen(sum));
    assert_string_equal(text, sum);
    if (mean == NULL)
        return;
    (void)odp_decimal_sum_mean(&s, n, 6, text);
    assert_string_equal(text, mean);
}

#define SUM(sum, n, mean, ...) assert_sum((const char *const[]){__VA_ARGS__, NULL}, sum, n, mean)

TEST(sums)
{
    assert_sum((const char *const[]){NULL}, "0", 1, "0");
    SUM("0.3", 2, "0.15", "0.1", "0.2");
    SUM("0.3", 3, "0.1", "0.10", "0.2", "0");
    SUM("0", 2, "0", "-1.50", "1.5");
    SUM("-0.01", 2, "-0.005", "1", "-1.01");
    SUM("99999999999999999999", 2, "49999999999999999999.5", "99999999999999999998", "1");
    SUM("1000000000000000000", 1, "1000000000000000000", "999999999999999999", "1");
    SUM("100000000000000000000000000000000000000000000000000000000000.5", 1, NULL, "1e59", "0.5");
    SUM("0.0000000000000000000000000000001", 1, "0", "1E-31");
    SUM("1000000000000000000000000000000.0000000000000000000000000000001", 1, NULL, "1e30", "1e-31");
    SUM("-1", 3, "-0.333333", "1e30", "-1e30", "-1");
    SUM("2", 3, "0.666667", "1", "1", "0");
    SUM("1", 7, "0.142857", "1");
    SUM("0.0000005", 1, "0.000001", "0.0000005");
    SUM("0.00000049", 1, "0", "0.00000049");
    SUM("0.0000015", 3, "0.000001", "0.0000015"); /* 5e-7: half away from zero */
    SUM("-5", 2, "-2.5", "-5");
    SUM("9.9999999", 1, "10", "9.9999999");
    SUM("-99999999999999999999999999", 1, "-99999999999999999999999999", "-100000000000000000000000000", "1");
}

/* Against 128-bit integers; forwards, and split over three that are merged backwards. */
TEST(sums_of_many)
{
    struct odp_decimal_sum whole = {0}, parts[3] = {0};
    __int128 want = 0;
    char text[ODP_DECIMAL_SUM_SIZE], other[ODP_DECIMAL_SUM_SIZE], literal[64];
    for (int i = 0; i < 200000; i++) {
        int64_t v = (int64_t)(random_bits() % 2000000000001u) - 1000000000000; /* thousandths */
        want += v;
        uint64_t size = v < 0 ? (uint64_t)-v : (uint64_t)v;
        snprintf(literal, sizeof literal, i % 5 == 0 ? "%s%llu%03llue-3" : "%s%llu.%03llu", v < 0 ? "-" : "",
                 (unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
        odp_decimal_sum_add(&whole, odp_slice_of(literal));
        odp_decimal_sum_add(&parts[random_bits() % 3], odp_slice_of(literal));
    }
    for (int i = 1; i >= 0; i--)
        odp_decimal_sum_merge(&parts[2], &parts[i]);
    (void)odp_decimal_sum_text(&whole, text);
    (void)odp_decimal_sum_text(&parts[2], other);
    assert_string_equal(text, other);
    char *end;
    long long got = strtoll(text, &end, 10);
    long long thousandths = 0;
    if (*end == '.')
        for (int k = 1; k <= 3; k++)
            thousandths = thousandths * 10 +
                          (end[0] != '\0' && end[k] != '\0' && (size_t)k < strlen(end) ? end[k] - '0' : 0);
    assert_true((__int128)got * 1000 + (*text == '-' ? -thousandths : thousandths) == want);
}

/* ---- the sketch ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* N different values, each TIMES times, over PARTS sketches in different orders; merged. */
static uint64_t count(uint64_t n, int times, int nparts, bool *estimated)
{
    struct odp_sketch parts[8];
    for (int i = 0; i < nparts; i++)
        odp_sketch_init(&parts[i], NULL, 0);
    for (int t = 0; t < times; t++)
        for (uint64_t i = 0; i < n; i++)
            assert_true(odp_sketch_add(&parts[random_bits() % (unsigned)nparts],
                                       mix((t % 2 ? n - 1 - i : i) + 1), ODP_LIT("")) != ODP_FAIL);
    for (int i = 1; i < nparts; i++)
        must(odp_sketch_merge(&parts[0], &parts[i]));
    uint64_t found = odp_sketch_distinct(&parts[0], estimated);
    for (int i = 0; i < nparts; i++)
        odp_sketch_release(&parts[i]);
    return found;
}

TEST(sketch)
{
    static const uint64_t exact[] = {0, 1, 2, 63, 1000, 1023, 1024},
                          rough[] = {1025, 1500, 2048, 2049, 5000, 100000, 300000};
    bool estimated;
    for (size_t i = 0; i < ODP_COUNT(exact); i++)
        for (int parts = 1; parts <= 8; parts += 7) {
            assert_int_equal(count(exact[i], 3, parts, &estimated), exact[i]);
            assert_false(estimated);
        }
    for (size_t i = 0; i < ODP_COUNT(rough); i++) {
        uint64_t one = count(rough[i], 1, 1, &estimated);
        assert_true(estimated);
        /* Four standard errors of 1 / sqrt(1022). */
        double error = ((double)one - (double)rough[i]) / (double)rough[i];
        assert_true(error < 0.126 && error > -0.126);
        assert_int_equal(count(rough[i], 2, 8, &estimated), one);
        assert_true(estimated);
        assert_int_equal(count(rough[i], 1, 3, &estimated), one);
    }
}

/* ---- histograms ---- */

/* The i-th of N values is put into one of PARTS, forwards or BACKWARDS; all merged into the first. */
static struct odp_histogram_bins spread(const int64_t *m, const uint8_t *scale, size_t n, unsigned parts,
                                        bool backwards, struct odp_arena *a)
{
    struct odp_histogram h[8];
    for (unsigned i = 0; i < parts; i++)
        odp_histogram_init(&h[i], false, a);
    for (size_t i = 0; i < n; i++) {
        size_t at = backwards ? n - 1 - i : i;
        odp_histogram_number(&h[at * 7 % parts], m[at], scale[at]);
    }
    for (unsigned i = 1; i < parts; i++)
        odp_histogram_merge(&h[0], &h[i]);
    return odp_histogram_end(&h[0], ODP_DATE, a);
}

static void assert_same_bins(const struct odp_histogram_bins *a, const struct odp_histogram_bins *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i <= a->n; i++)
        assert_string_equal(a->bounds[i], b->bounds[i]);
    for (size_t i = 0; i < a->n; i++)
        assert_int_equal(a->counts[i], b->counts[i]);
}

/* Numbers of any size and number of decimals: whatever their order and the threads, every bin has as many as
 * a plain count between its bounds finds. */
TEST(histograms)
{
    enum { N = 400 };
    static const int64_t ranges[] = {1, 7, 300, 5000, 1000000, 999999999999999999};
    for (size_t r = 0; r < 8 * ODP_COUNT(ranges); r++) {
        int64_t m[N], range = ranges[r / 8];
        uint8_t scale[N];
        size_t n = 1 + random_bits() % N;
        ARENA(a);
        for (size_t i = 0; i < n; i++) {
            m[i] = (int64_t)(random_bits() % (uint64_t)range) - (r % 3 == 0 ? range / 2 : 0);
            scale[i] = (uint8_t)(r % 4 == 0 ? 0 : r % 4 == 1 ? 2 : random_bits() % (r % 4 == 2 ? 4 : 19));
        }
        const struct odp_histogram_bins one = spread(m, scale, n, 1, false, &a);
        for (unsigned parts = 1; parts <= 8; parts++) {
            const struct odp_histogram_bins other = spread(m, scale, n, parts, parts % 2 == 1, &a);
            assert_same_bins(&one, &other);
        }
        assert_in_range(one.n, 1, ODP_HISTOGRAM_BINS);
        for (size_t b = 0; b < one.n; b++) {
            uint64_t found = 0;
            for (size_t i = 0; i < n; i++) {
                const char *text = odp_arena_printf(&a, "%llde-%d", (long long)m[i], scale[i]);
                found += odp_decimal_cmp(odp_slice_of(one.bounds[b]), odp_slice_of(text)) <= 0 &&
                         odp_decimal_cmp(odp_slice_of(text), odp_slice_of(one.bounds[b + 1])) < 0;
            }
            assert_int_equal(one.counts[b], found);
        }
    }
}

static void assert_dates(enum odp_date_kind kind, const char *const *dates, const char *want)
{
    ARENA(a);
    struct odp_histogram h[2];
    BUFFER(got);
    for (int i = 0; i < 2; i++)
        odp_histogram_init(&h[i], true, &a);
    for (size_t i = 0; dates[i] != NULL; i++)
        odp_histogram_date(&h[i % 2], dates[i], kind);
    odp_histogram_merge(&h[1], &h[0]);
    const struct odp_histogram_bins bins = odp_histogram_end(&h[1], kind, &a);
    for (size_t i = 0; i < bins.n; i++)
        odp_buffer_printf(&got, "%s:%d ", bins.bounds[i], (int)bins.counts[i]);
    odp_buffer_add_str(&got, bins.bounds[bins.n]);
    assert_string_equal(odp_buffer_cstr(&got), want);
}

#define DATES(kind, want, ...) assert_dates(kind, (const char *const[]){__VA_ARGS__, NULL}, want)

TEST(histograms_of_dates)
{
    DATES(ODP_DATE, "2024-02-28:1 2024-02-29:2 2024-03-01:1 2024-03-02", "2024-02-29", "2024-03-01",
          "2024-02-29", "2024-02-28");
    DATES(ODP_DATE, "2023-12-25:1 2024-01-01:0 2024-01-08:0 2024-01-15:1 2024-01-22", "2023-12-31",
          "2024-01-21");
    DATES(ODP_DATETIME,
          "2022-01-01:1 2022-07-01:0 2023-01-01:0 2023-07-01:0 2024-01-01:0 2024-07-01:0 2025-01-01:0 "
          "2025-07-01:0 2026-01-01:0 2026-07-01:0 2027-01-01:0 2027-07-01:0 2028-01-01:1 2028-07-01",
          "2022-06-30T23:59:59+07:00", "2028-03-31T00:00:00+07:00");
    DATES(ODP_DATE,
          "0000-01-01:1 0500-01-01:0 1000-01-01:0 1500-01-01:0 2000-01-01:1 2500-01-01:0 3000-01-01:0 "
          "3500-01-01:0 4000-01-01:0 4500-01-01:0 5000-01-01:0 5500-01-01:0 6000-01-01:0 6500-01-01:0 "
          "7000-01-01:0 7500-01-01:0 8000-01-01:0 8500-01-01:0 9000-01-01:0 9500-01-01:1 10000-01-01",
          "0001-01-01", "2024-03-15", "9999-12-31");
    DATES(ODP_YEAR, "2021:2 2022:0 2023:1 2024", "2021", "2023", "2021");
    DATES(ODP_YEARMONTH, "2023-11:1 2023-12:0 2024-01:0 2024-02:1 2024-03", "2024-02", "2023-11");
}

/* ---- profiles ---- */

enum { FIELDS = 6, ROWS = 5000 };

struct table {
    struct odp_dataset dataset, list;
    struct odp_resource resource, target;
    struct odp_field fields[FIELDS];
    struct odp_category categories[1];
    struct odp_arena arena;
    struct odp_slice *text[FIELDS];
    uint8_t *state[FIELDS], *bad;
    struct odp_geom *geometry;
};

static void make_table(struct table *t)
{
    static const enum odp_type types[FIELDS] = {ODP_TYPE_NUMBER, ODP_TYPE_STRING,  ODP_TYPE_DATETIME,
                                                ODP_TYPE_STRING, ODP_TYPE_BOOLEAN, ODP_TYPE_INTEGER};
    static const char *const names[FIELDS] = {"luas", "tingkat", "waktu", "nama", "ada", "rahasia"};
    static const char *const zones[] = {"+07:00", "+08:00", "+09:00"};
    static const char *const words[] = {"Ringan", "Sedang", "Berat"};
    *t = (struct table){.dataset = {.slug = "uji"}};
    random_seed = 8; /* nought is among the sizes */
    odp_arena_init(&t->arena);
    t->resource = (struct odp_resource){
        .dataset = &t->dataset, .name = "uji", .primary = true, .schema = {.fields = t->fields, .n = FIELDS}};
    for (int f = 0; f < FIELDS; f++) {
        t->fields[f] = (struct odp_field){.name = names[f], .type = types[f], .is_public = f != 5};
        t->text[f] = odp_arena_zero(&t->arena, ROWS, sizeof **t->text);
        t->state[f] = odp_arena_zero(&t->arena, ROWS, 1);
    }
    t->fields[1].categories = t->categories;
    t->fields[1].ncategories = 1;
    t->bad = odp_arena_zero(&t->arena, ROWS, 1);
    t->geometry = odp_arena_zero(&t->arena, ROWS, sizeof *t->geometry);
    for (int i = 0; i < ROWS; i++) {
        int day = (int)(1 + random_bits() % 28), hour = (int)(random_bits() % 24);
        const char *made[FIELDS] = {
            odp_arena_printf(&t->arena,
                             i % 7 == 0    ? "%d.50"
                             : i % 11 == 0 ? "%de1"
                                           : "%d.5",
                             (int)(random_bits() % 900)),
            words[random_bits() % 3],
            odp_arena_printf(&t->arena, "2024-03-%02dT%02d:00:00%s", day, hour, zones[random_bits() % 3]),
            odp_arena_printf(&t->arena, "orang %d", (int)(random_bits() % 3000)),
            random_bits() % 4 == 0 ? "true" : "false",
            "3171012345678901",
        };
        for (int f = 0; f < FIELDS; f++) {
            t->state[f][i] = random_bits() % 10 == 0 ? ODP_VALUE_NULL : ODP_VALUE_OK;
            t->text[f][i] =
                t->state[f][i] == ODP_VALUE_OK ? odp_slice_of(made[f]) : (struct odp_slice){NULL, 0};
        }
        t->bad[i] = i % 100 == 99;
        double x = 95 + (double)(random_bits() % 4000) / 100, y = -10 + (double)(random_bits() % 1500) / 100;
        t->geometry[i] = (struct odp_geom){.npoints = 1 + (uint32_t)(i % 3), .bbox = {x, y, x, y}};
    }
}

/* The rows from FROM on, N of them, STEP apart, as a batch. */
static void take(struct odp_profiler *p, struct table *t, uint32_t from, uint32_t n, uint32_t step,
                 unsigned worker)
{
    struct odp_slice text[FIELDS][64];
    uint8_t states[FIELDS][64], bad[64];
    const struct odp_geom *geometry[64];
    struct odp_column columns[FIELDS];
    assert_true(n <= 64);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = from + i * step;
        for (int f = 0; f < FIELDS; f++) {
            text[f][i] = t->text[f][row];
            states[f][i] = t->state[f][row];
        }
        bad[i] = t->bad[row];
        geometry[i] = row % 9 == 0 ? NULL : &t->geometry[row];
    }
    int64_t number[FIELDS][64];
    uint8_t scale[FIELDS][64];
    struct odp_batch_numbers numbers[FIELDS] = {0};
    for (int f = 0; f < FIELDS; f++) {
        columns[f] = (struct odp_column){text[f], states[f]};
        if (t->resource.schema.fields[f].type != ODP_TYPE_NUMBER)
            continue;
        numbers[f] = (struct odp_batch_numbers){number[f], scale[f]};
        for (uint32_t i = 0; i < n; i++) {
            unsigned places = 0;
            bool known =
                states[f][i] == ODP_VALUE_OK && odp_decimal_small(text[f][i], &number[f][i], &places);
            scale[f][i] = known ? (uint8_t)places : ODP_NUMBER_LONG;
        }
    }
    /* Every other thread gets the numbers as validate leaves them. */
    const struct odp_batch b = {
        .resource = &t->resource,
        .nrecords = n,
        .columns = columns,
        .numbers = worker % 2 == 1 ? numbers : NULL,
        .record_bad = bad,
        .geometry = geometry,
    };
    must(odp_profiler_batch(p, &b, worker));
}

/* The profile as its file, in ARENA. STEP 1: in order, SIZE rows a batch; else rows STEP apart, backwards. */
static const char *profile_of(struct table *t, unsigned workers, uint32_t size, uint32_t step,
                              struct odp_arena *a)
{
    struct odp_profiler *p = NULL;
    struct odp_profile out;
    struct odp_buffer text = {0};
    unsigned worker = 0;
    must(odp_profiler_new(&p, &t->resource, true, workers));
    for (uint32_t lane = step; lane-- > 0;)
        for (uint32_t at = lane; at < ROWS;) {
            uint32_t left = (ROWS - at + step - 1) / step, n = left < size ? left : size;
            take(p, t, at, n, step, worker++ % workers);
            at += n * step;
        }
    must(odp_profiler_end(p, a, &out));
    must(odp_profile_json(&text, &out, &t->resource, "2024-03-15"));
    const char *copy = odp_arena_str(a, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    odp_profiler_free(p);
    assert_non_null(copy);
    return copy;
}

TEST(independent_of_threads_and_splits)
{
    struct table t;
    ARENA(a);
    make_table(&t);
    const char *want = profile_of(&t, 1, 64, 1, &a);
    assert_string_equal(profile_of(&t, 1, 1, 1, &a), want);
    assert_string_equal(profile_of(&t, 2, 64, 1, &a), want);
    assert_string_equal(profile_of(&t, 7, 13, 1, &a), want);
    assert_string_equal(profile_of(&t, 3, 50, 17, &a), want);
    assert_string_equal(profile_of(&t, 16, 3, 999, &a), want);
    /* Nothing of the field that is not public. */
    EXPECT(want, "!", "rahasia", "3171");
    odp_arena_release(&t.arena);
}

/* Counted again the plain way. */
TEST(figures)
{
    struct table t;
    ARENA(a);
    struct odp_profile p;
    const char *version = NULL;
    uint64_t nulls = 0, heavy = 0, rows = 0, located = 0, points = 0;
    long long tenths = 0;
    make_table(&t);
    must(odp_profile_read(odp_slice_of(profile_of(&t, 3, 40, 1, &a)), &a, &p, &version));
    for (int i = 0; i < ROWS; i++) {
        if (t.bad[i])
            continue;
        rows++;
        located += i % 9 != 0;
        points += i % 9 != 0 ? t.geometry[i].npoints : 0;
        nulls += t.state[0][i] == ODP_VALUE_NULL;
        heavy += t.state[1][i] == ODP_VALUE_OK && odp_slice_is(t.text[1][i], "Berat");
        if (t.state[0][i] == ODP_VALUE_OK)
            tenths += (long long)(strtod(t.text[0][i].ptr, NULL) * 10 + 0.5);
    }
    char sum[40];
    snprintf(sum, sizeof sum, tenths % 10 != 0 ? "%lld.%lld" : "%lld", tenths / 10, tenths % 10);
    assert_string_equal(version, "2024-03-15");
    assert_int_equal(p.rows, rows);
    assert_int_equal(p.n, FIELDS - 1);
    const struct odp_profile_field *size = odp_profile_find(&p, "luas"),
                                   *degree = odp_profile_find(&p, "tingkat"),
                                   *time = odp_profile_find(&p, "waktu");
    assert_int_equal(size->nulls, nulls);
    assert_string_equal(size->sum, sum);
    assert_string_equal(size->minimum, "0"); /* 0e1 */
    assert_true(degree->listed);
    assert_int_equal(degree->nvalues, 3);
    assert_true(odp_slice_is(degree->values[0].value, "Berat"));
    assert_int_equal(degree->values[0].count, heavy);
    assert_true(odp_profile_find(&p, "ada")->listed);
    assert_false(odp_profile_find(&p, "nama")->listed);
    assert_true(odp_profile_find(&p, "nama")->estimated);
    /* Every value is in one bin; nothing is told of a column with too many texts. */
    uint64_t counted = 0;
    const char *file = profile_of(&t, 3, 40, 1, &a), *counts = strstr(file, "\"counts\": [");
    for (const char *at = counts + 10; *at != ']'; at = strpbrk(at + 1, ",]"))
        counted += strtoull(at + 1, NULL, 10);
    assert_int_equal(counted, rows - nulls);
    EXPECT(file, "!", "frequent");
    /* By instant: the first hour of the first day in the east, the last of the last in the west. */
    assert_true(strncmp(time->minimum, "2024-03-01T0", 12) == 0 &&
                strncmp(time->maximum, "2024-03-28T23:00:00", 19) == 0);
    assert_string_equal(time->minimum + 19, "+09:00");
    assert_string_equal(time->maximum + 19, "+07:00");
    assert_int_equal(p.located, located);
    assert_int_equal(p.points, points);
    odp_arena_release(&t.arena);
}

TEST(what_is_no_profile)
{
    static const char *const wrong[] = {
        "",
        "{}",
        "[]",
        "{\"rows\": 1}",
        "{\"rows\": -1, \"version\": \"1\", \"fields\": []}",
        "{\"rows\": 1, \"fields\": []}",
        "{\"rows\": 1, \"version\": \"1\", \"fields\": [{}]}",
        "{\"rows\": 1, \"version\": \"1\", \"fields\": [{\"name\": \"a\", \"type\": \"x\", \"nulls\": 0, "
        "\"distinct\": 0}]}",
        "{\"rows\": 1, \"version\": \"1\", \"fields\": [{\"name\": \"a\", \"type\": \"any\", \"nulls\": 0, "
        "\"distinct\": 0, \"values\": {\"x\": \"y\"}}]}"};
    ARENA(a);
    struct odp_profile p;
    const char *version;
    for (size_t i = 0; i < ODP_COUNT(wrong); i++)
        must_refuse(odp_profile_read(odp_slice_of(wrong[i]), &a, &p, &version));
    must(odp_profile_read(ODP_LIT("{\"rows\": 1, \"version\": \"1\", \"fields\": []}"), &a, &p, &version));
}
