/* Charts: exact sums whatever the order, folding, labels, colours that stay apart, pictures that stay in their box. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "print/chart_parts.h"

/* ---- a resource ---- */

enum { KIND, PART, VALUE, DAY, YEAR, MONTH, ORDER, TIME, NUMBER, AMOUNT, FIELDS };
static struct odp_category ordered[] = {{ODP_LIT("ringan"), {{"Ringan", "Light"}}},
                                        {ODP_LIT("sedang"), {{"Sedang", "Moderate"}}},
                                        {ODP_LIT("berat"), {{"Berat", "Severe"}}}};
static struct odp_field fields[FIELDS] = {
    [KIND] = {.name = "jenis", .type = ODP_TYPE_STRING, .title = {{"Jenis", "Kind"}}},
    [PART] = {.name = "bagian", .type = ODP_TYPE_STRING, .title = {{"Bagian", "Part"}}},
    [VALUE] = {.name = "nilai", .type = ODP_TYPE_NUMBER, .title = {{"Nilai", "Value"}}, .unit = {{"rupiah", "rupiah"}}},
    [DAY] = {.name = "hari", .type = ODP_TYPE_DATE, .title = {{"Hari", "Day"}}},
    [YEAR] = {.name = "tahun", .type = ODP_TYPE_YEAR, .title = {{"Tahun", "Year"}}},
    [MONTH] = {.name = "bulan", .type = ODP_TYPE_YEARMONTH, .title = {{"Bulan", "Month"}}},
    [ORDER] = {.name = "tingkat",
               .type = ODP_TYPE_STRING,
               .title = {{"Tingkat", "Degree"}},
               .categories = ordered,
               .ncategories = 3,
               .categories_ordered = true},
    [TIME] = {.name = "waktu", .type = ODP_TYPE_DATETIME, .title = {{"Waktu", "Time"}}},
    [NUMBER] = {.name = "jarak", .type = ODP_TYPE_NUMBER, .title = {{"Jarak", "Distance"}}},
    [AMOUNT] = {.name = "dana",
                .type = ODP_TYPE_NUMBER,
                .title = {{"Dana", "Funds"}},
                .unit = {{"juta rupiah", "million rupiah"}}},
};
static const struct odp_resource resource = {.name = "uji", .schema = {.fields = fields, .n = FIELDS}};

struct row {
    const char *field[FIELDS];
    double at[2];
    bool placed;
};

static void add(struct odp_chart_data *d, const struct row *row)
{
    struct odp_slice cells[FIELDS];
    for (size_t i = 0; i < FIELDS; i++)
        cells[i] = row->field[i] != NULL ? odp_slice_of(row->field[i]) : (struct odp_slice){NULL, 0};
    assert_int_equal(odp_chart_data_add(d, cells, row->placed ? row->at : NULL), ODP_OK);
}

static struct odp_chart_data *start(const struct odp_chart *c)
{
    struct odp_chart_data *d;
    assert_int_equal(odp_chart_data_new(&d, c, &resource), ODP_OK);
    return d;
}

static struct odp_chart_data *gather(const struct odp_chart *c, const struct row *rows, size_t n)
{
    struct odp_chart_data *d = start(c);
    for (size_t i = 0; i < n; i++)
        add(d, &rows[i]);
    assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
    return d;
}

#define GATHER(c, rows) gather((c), (rows), sizeof(rows) / sizeof *(rows))

static struct odp_chart chart(enum odp_chart_type type, int category, int series, int value, enum odp_chart_aggregate aggregate)
{
    return (struct odp_chart){.name = "uji",
                              .type = type,
                              .title = {{"Judul", "Title"}},
                              .category = category,
                              .series = series,
                              .value = value,
                              .aggregate = aggregate,
                              .top = 12,
                              .by_value = type != ODP_CHART_LINE};
}

static void check_json(const struct odp_chart_data *d, const char *rows)
{
    struct odp_buffer b;
    char first;
    odp_buffer_init(&b);
    assert_int_equal(odp_chart_data_json(d, &b), ODP_OK);
    assert_true(odp_json_valid((struct odp_slice){b.ptr, b.len - 1}, &first));
    const char *at = strstr(odp_buffer_cstr(&b), ",\"rows\":");
    assert_non_null(at);
    assert_string_equal(at, rows);
    odp_buffer_release(&b);
}

static void check_words(const struct odp_chart_data *d, enum odp_lang lang, const char *expected)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    assert_int_equal(odp_chart_data_alternative(d, lang, &b), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&b), expected);
    odp_buffer_release(&b);
}

/* ---- numbers ---- */

static void test_parse(void **state)
{
    static const struct {
        const char *text, *json;
        unsigned places;
    } good[] = {{"0", "0", 0},
                {"-0", "0", 0},
                {"12.50", "12.5", 1},
                {"-0.000000001", "-0.000000001", 9},
                {"1e3", "1000", 0},
                {"1.5E-3", "0.0015", 4},
                {"120e-1", "12", 0},
                {"0.0000000005", "0", 9}, /* half to even: down */
                {"0.0000000015", "0.000000002", 9},
                {"0.0000000025", "0.000000002", 9},
                {"0.00000000250000000000000000000000000001", "0.000000003", 9},
                {"0.00000000049999999", "0", 9},
                {"0.0000000001", "0", 9},
                {"1e-400", "0", 9},
                {"0e999999999", "0", 0},
                {"999999999999999999", "999999999999999999", 0},
                {"-999999999999999999.999999999", "-999999999999999999.999999999", 9},
                {"0.1234567894999", "0.123456789", 9},
                {"100000000000000000000e-3", "100000000000000000", 0}};
    static const char *const bad[] = {
        "1e18", "1000000000000000000", "-1e300", "999999999999999999.9999999999", "", "-", ".", "1e", "1.2.3", "12a", "NaN"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        odp_fixed v;
        unsigned places;
        struct odp_buffer b;
        odp_buffer_init(&b);
        assert_true(odp_chart_number_parse(odp_slice_of(good[i].text), &v, &places));
        odp_chart_number_json(&b, v);
        assert_string_equal(odp_buffer_cstr(&b), good[i].json);
        assert_int_equal(places, good[i].places);
        odp_buffer_release(&b);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        odp_fixed v;
        unsigned places;
        assert_false(odp_chart_number_parse(odp_slice_of(bad[i]), &v, &places));
    }
}

static void test_show(void **state)
{
    static const struct {
        const char *value;
        unsigned power, decimals;
        const char *id, *en;
    } cases[] = {{"1234567.891", 0, 2, "1.234.567,89", "1,234,567.89"},
                 {"-1234.5", 0, 0, "\u22121.234", "\u22121,234"},
                 {"1235500000", 9, 2, "1,24", "1.24"},
                 {"1245000000", 9, 2, "1,24", "1.24"},
                 {"0", 9, 1, "0,0", "0.0"},
                 {"1", 9, 1, "< 0,1", "< 0.1"},
                 {"-1", 9, 1, "> \u22120,1", "> \u22120.1"},
                 {"999", 0, 0, "999", "999"},
                 {"1000", 0, 0, "1.000", "1,000"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            odp_fixed v;
            unsigned places;
            struct odp_buffer b;
            odp_buffer_init(&b);
            assert_true(odp_chart_number_parse(odp_slice_of(cases[i].value), &v, &places));
            odp_chart_number_show(&b, v, cases[i].power, cases[i].decimals, (enum odp_lang)lang);
            assert_string_equal(odp_buffer_cstr(&b), lang == ODP_LANG_ID ? cases[i].id : cases[i].en);
            odp_buffer_release(&b);
        }
}

static void check_percent(odp_fixed part, odp_fixed whole, const char *id)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_chart_number_percent(&b, part, whole, ODP_LANG_ID);
    assert_string_equal(odp_buffer_cstr(&b), id);
    odp_buffer_release(&b);
}

static void test_percent(void **state)
{
    odp_fixed huge = odp_chart_number_power(37);
    (void)state;
    check_percent(1, 3, "33,3%");
    check_percent(2, 3, "66,7%");
    check_percent(-1, 4, "\u221225,0%");
    check_percent(1, 100000, "< 0,1%");
    check_percent(0, 7, "0,0%");
    check_percent(huge, huge * 2, "50,0%");
    check_percent(huge, 1, "1.000.000.000.000.000.000.000.000.000.000.000.000,0%");
}

/* ---- sums ---- */

static uint64_t random_state = 7;

static uint32_t draw(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

/* Units of 10^-9 as literal, by other means than the code's. */
static void literal(int64_t units, char out[40])
{
    uint64_t v = units < 0 ? (uint64_t)-units : (uint64_t)units;
    (void)snprintf(out, 40, "%s%llu.%09llu", units < 0 ? "-" : "", (unsigned long long)(v / 1000000000u),
                   (unsigned long long)(v % 1000000000u));
}

enum { MANY = 6000, KINDS = 9 };

static void test_order(void **state)
{
    static char text[MANY][40];
    static uint32_t order[MANY];
    static const char *const kinds[KINDS] = {"a", "b", "c", "d", "e", "f", "g", "", NULL};
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_SUM);
    int64_t units[MANY], sums[KINDS] = {0};
    uint32_t kind[MANY];
    struct odp_buffer first, next;
    (void)state;
    odp_buffer_init(&first);
    odp_buffer_init(&next);
    c.top = 5;
    for (uint32_t i = 0; i < MANY; i++) {
        units[i] = ((int64_t)draw(2000000000) - 900000000) * 1000003 + draw(1000);
        kind[i] = draw(KINDS);
        sums[kind[i]] += units[i];
        literal(units[i], text[i]);
        order[i] = i;
    }
    for (int turn = 0; turn < 3; turn++) {
        struct odp_chart_data *d = start(&c);
        for (uint32_t i = 0; i < MANY; i++)
            add(d, &(struct row){.field = {[KIND] = kinds[kind[order[i]]], [VALUE] = text[order[i]]}});
        assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
        odp_buffer_clear(&next);
        assert_int_equal(odp_chart_data_json(d, turn == 0 ? &first : &next), ODP_OK);
        if (turn > 0)
            assert_string_equal(odp_buffer_cstr(&next), odp_buffer_cstr(&first));
        odp_fixed rest = 0;
        assert_int_equal(d->ncategories, 6);
        for (uint32_t i = 0; i < d->ncategories; i++)
            for (uint32_t k = 0; k < KINDS; k++)
                if (d->categories[i].kind != ODP_GROUP_OTHERS && (d->categories[i].key.ptr == NULL) == (kinds[k] == NULL) &&
                    (kinds[k] == NULL || odp_slice_is(d->categories[i].key, kinds[k]))) {
                    assert_true(d->categories[i].value == sums[k]);
                    rest -= sums[k];
                }
        for (uint32_t k = 0; k < KINDS; k++)
            rest += sums[k];
        assert_true(d->categories[5].kind == ODP_GROUP_OTHERS && d->categories[5].value == rest &&
                    d->categories[5].folded == 4);
        odp_chart_data_free(d);
        for (uint32_t i = MANY - 1; i > 0; i--) {
            uint32_t k = draw(i + 1), t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
    }
    odp_buffer_release(&first);
    odp_buffer_release(&next);
}

static void test_aggregates(void **state)
{
    static const struct row rows[] = {{.field = {[KIND] = "x", [VALUE] = "1"}},  {.field = {[KIND] = "x", [VALUE] = "2"}},
                                      {.field = {[KIND] = "x", [VALUE] = "2"}},  {.field = {[KIND] = "y", [VALUE] = "-3.5"}},
                                      {.field = {[KIND] = "y", [VALUE] = NULL}}, {.field = {[KIND] = NULL, [VALUE] = "0.005"}},
                                      {.field = {[KIND] = NULL, [VALUE] = "0"}}, {.field = {[KIND] = "z", [VALUE] = NULL}}};
    static const struct {
        enum odp_chart_aggregate aggregate;
        const char *x, *y, *none;
    } cases[] = {{ODP_CHART_SUM, "5", "-3.5", "0.005"},
                 {ODP_CHART_MEAN, "1.66667", "-3.5", "0.0025"}, /* three decimals in the data: five in the mean */
                 {ODP_CHART_MIN, "1", "-3.5", "0"},
                 {ODP_CHART_MAX, "2", "-3.5", "0.005"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, cases[i].aggregate);
        struct odp_buffer b;
        odp_buffer_init(&b);
        struct odp_chart_data *d = GATHER(&c, rows);
        odp_buffer_printf(
            &b,
            ",\"rows\":[\n{\"category\":\"x\",\"label\":{\"id\":\"x\",\"en\":\"x\"},\"series\":null,\"value\":%s},\n"
            "{\"category\":null,\"label\":{\"id\":\"(kosong)\",\"en\":\"(none)\"},\"series\":null,\"value\":%s},\n"
            "{\"category\":\"y\",\"label\":{\"id\":\"y\",\"en\":\"y\"},\"series\":null,\"value\":%s}]}\n",
            cases[i].x, cases[i].none, cases[i].y);
        check_json(d, odp_buffer_cstr(&b));
        assert_int_equal(d->no_value, 2);
        odp_buffer_release(&b);
        odp_chart_data_free(d);
    }
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *d = GATHER(&c, rows);
    check_words(d, ODP_LANG_ID,
                "Diagram batang \u201cJudul\u201d: Jumlah rekaman, menurut Jenis. Terbesar: x (3); terkecil: z (1). Jumlah "
                "seluruhnya 8. "
                "Nilai: x 3; y 2; (kosong) 2; z 1.");
    odp_chart_data_free(d);
}

/* A mean that lies in the middle goes to the even side; with nine decimals there is no room for two more. */
static void test_mean(void **state)
{
    static const struct row rows[] = {
        {.field = {[KIND] = "a", [VALUE] = "0.000000001"}},  {.field = {[KIND] = "a", [VALUE] = "0.000000002"}},
        {.field = {[KIND] = "b", [VALUE] = "0.000000003"}},  {.field = {[KIND] = "b", [VALUE] = "0.000000002"}},
        {.field = {[KIND] = "c", [VALUE] = "-0.000000003"}}, {.field = {[KIND] = "c", [VALUE] = "-0.000000002"}}};
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_MEAN);
    struct odp_chart_data *d = GATHER(&c, rows);
    (void)state;
    assert_true(d->categories[0].value == 2 && odp_slice_is(d->categories[0].key, "a"));
    assert_true(d->categories[1].value == 2 && odp_slice_is(d->categories[1].key, "b"));
    assert_true(d->categories[2].value == -2);
    odp_chart_data_free(d);
}

static void fill(struct odp_chart_data *d, uint32_t n, bool backwards)
{
    char text[24];
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "k%u", backwards ? n - 1 - i : i);
        add(d, &(struct row){.field = {[KIND] = text, [VALUE] = "1"}});
    }
    add(d, &(struct row){.field = {[KIND] = "k0", [VALUE] = "1"}});
    assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
}

static void test_bounds(void **state)
{
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_SUM);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct odp_chart_data *d = start(&c);
        fill(d, ODP_CHART_CELLS_MAX + (turn < 2 ? 1 : 0), turn % 2 != 0);
        assert_int_equal(odp_chart_data_is_empty(d), turn < 2);
        if (turn < 2)
            check_words(d, ODP_LANG_EN,
                        "Bar chart \u201cTitle\u201d: Value, sum, by Kind. There is no picture: the data has more than 10,000 "
                        "categories.");
        else
            assert_true(d->ncategories == 13 && d->categories[0].value == 2 * ODP_FIXED_ONE &&
                        d->categories[12].folded == 9988);
        odp_chart_data_free(d);
    }
    static const struct row large[] = {{.field = {[KIND] = "a", [VALUE] = "1"}}, {.field = {[KIND] = "b", [VALUE] = "-1e18"}}};
    struct odp_chart_data *d = GATHER(&c, large);
    assert_true(odp_chart_data_is_empty(d));
    check_json(d, ",\"rows\":[]}\n");
    odp_chart_data_free(d);
    d = gather(&c, NULL, 0);
    check_words(d, ODP_LANG_ID,
                "Diagram batang \u201cJudul\u201d: Nilai, jumlah dalam rupiah, menurut Jenis. Tidak ada gambar: tidak ada "
                "rekaman yang memiliki nilainya.");
    odp_chart_data_free(d);
}

/* A text of a megabyte each: the bound is of bytes, too. */
static void test_long_keys(void **state)
{
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *d = start(&c);
    char *text = test_malloc((1 << 20) + 1);
    (void)state;
    memset(text, 'x', 1 << 20);
    text[1 << 20] = '\0';
    for (int i = 0; i < 6; i++) {
        text[0] = (char)('a' + i);
        add(d, &(struct row){.field = {[KIND] = text}});
    }
    assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
    assert_true(odp_chart_data_is_empty(d));
    odp_chart_data_free(d);
    test_free(text);
}

/* ---- order and labels ---- */

static void check_labels(const struct odp_chart_data *d, enum odp_lang lang, const char *expected)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (uint32_t i = 0; i < d->ncategories; i++) {
        odp_buffer_add_str(&b, i > 0 ? "|" : "");
        odp_buffer_add_slice(&b, d->categories[i].label[lang]);
    }
    assert_string_equal(odp_buffer_cstr(&b), expected);
    odp_buffer_release(&b);
}

static void test_sorted(void **state)
{
    static const struct row rows[] = {
        {.field = {"b", NULL, "3", "2024-03-15", "2024", "2024-03", "berat", "2024-01-01T00:30:00+07:00", "10"}},
        {.field = {"a", NULL, "9", "2023-12-31", "2023", "2023-12", "ringan", "2023-12-31T23:00:00+07:00", "9"}},
        {.field = {"c\x01\n  d", NULL, "3", "2024-01-01", "2020", "2024-01", "sedang", "2024-01-01T01:00:00+09:00", "-2.5"}},
        {.field = {" ", NULL, "1", NULL, NULL, NULL, NULL, NULL, NULL}}};
    static const struct {
        enum odp_chart_type type;
        int category;
        bool by_value;
        const char *id, *en;
    } cases[] = {
        {ODP_CHART_BAR, KIND, true, "a|b|c d|(teks kosong)", "a|b|c d|(empty text)"},
        {ODP_CHART_BAR, KIND, false, "(teks kosong)|a|b|c d", "(empty text)|a|b|c d"},
        {ODP_CHART_BAR, ORDER, true, "Ringan|Sedang|Berat|(kosong)", "Light|Moderate|Severe|(none)"},
        {ODP_CHART_BAR, YEAR, true, "2020|2023|2024|(kosong)", "2020|2023|2024|(none)"},
        {ODP_CHART_LINE, YEAR, false, "2020|2023|2024", "2020|2023|2024"},
        {ODP_CHART_LINE, DAY, false, "31 Desember 2023|1 Januari 2024|15 Maret 2024",
         "31 December 2023|1 January 2024|15 March 2024"},
        {ODP_CHART_LINE, MONTH, false, "Desember 2023|Januari 2024|Maret 2024", "December 2023|January 2024|March 2024"},
        {ODP_CHART_LINE, TIME, false, "31 Desember 2023 23:00|1 Januari 2024 00:30|1 Januari 2024 01:00",
         "31 December 2023 23:00|1 January 2024 00:30|1 January 2024 01:00"},
        {ODP_CHART_LINE, NUMBER, false, "-2,5|9|10", "-2.5|9|10"},
        {ODP_CHART_BAR, NUMBER, false, "-2,5|9|10|(kosong)", "-2.5|9|10|(none)"},
        {ODP_CHART_BAR, NUMBER, true, "9|-2,5|10|(kosong)", "9|-2.5|10|(none)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_chart c = chart(cases[i].type, cases[i].category, -1, VALUE, ODP_CHART_SUM);
        c.by_value = cases[i].by_value;
        struct odp_chart_data *d = GATHER(&c, rows);
        check_labels(d, ODP_LANG_ID, cases[i].id);
        check_labels(d, ODP_LANG_EN, cases[i].en);
        assert_int_equal(d->no_time, cases[i].type == ODP_CHART_LINE ? 1 : 0);
        odp_chart_data_free(d);
    }
}

/* Counted by year, the years between are zero; others are not invented. */
static void test_years(void **state)
{
    static const struct row rows[] = {{.field = {[YEAR] = "2021"}}, {.field = {[YEAR] = "2018"}}, {.field = {[YEAR] = "2021"}}};
    struct odp_chart c = chart(ODP_CHART_LINE, YEAR, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *d = GATHER(&c, rows);
    (void)state;
    check_labels(d, ODP_LANG_ID, "2018|2019|2020|2021");
    check_words(d, ODP_LANG_EN,
                "Line chart \u201cTitle\u201d: Number of records, by Year. 2018 1, 2021 2, up 100.0%; highest 2 (2021), lowest "
                "0 (2019). "
                "Values: 2018 1; 2019 0; 2020 0; 2021 2.");
    odp_chart_data_free(d);
}

static void test_series(void **state)
{
    static const struct row rows[] = {{.field = {"a", "p", "1500000000"}},
                                      {.field = {"a", "q", "500000000"}},
                                      {.field = {"b", "p", "1000000000"}},
                                      {.field = {"b", NULL, "250000000"}}};
    struct odp_chart c = chart(ODP_CHART_STACKED, KIND, PART, VALUE, ODP_CHART_SUM);
    struct odp_chart_data *d = GATHER(&c, rows);
    (void)state;
    check_words(d, ODP_LANG_ID,
                "Diagram batang bertumpuk \u201cJudul\u201d: Nilai, jumlah dalam miliar rupiah, menurut Jenis dan Bagian. "
                "Terbesar: a (2,00); "
                "terkecil: b (1,25). Jumlah seluruhnya 3,25 miliar rupiah. Seluruhnya menurut kelompok: p 2,50; q 0,50; "
                "(kosong) 0,25. Nilai: "
                "a (p 1,50, q 0,50); b (p 1,00, (kosong) 0,25).");
    check_json(d, ",\"rows\":[\n"
                  "{\"category\":\"a\",\"label\":{\"id\":\"a\",\"en\":\"a\"},\"series\":\"p\",\"seriesLabel\":{\"id\":\"p\","
                  "\"en\":\"p\"},\"value\":1500000000},\n"
                  "{\"category\":\"a\",\"label\":{\"id\":\"a\",\"en\":\"a\"},\"series\":\"q\",\"seriesLabel\":{\"id\":\"q\","
                  "\"en\":\"q\"},\"value\":500000000},\n"
                  "{\"category\":\"b\",\"label\":{\"id\":\"b\",\"en\":\"b\"},\"series\":\"p\",\"seriesLabel\":{\"id\":\"p\","
                  "\"en\":\"p\"},\"value\":1000000000},\n"
                  "{\"category\":\"b\",\"label\":{\"id\":\"b\",\"en\":\"b\"},\"series\":null,\"seriesLabel\":{\"id\":\"(kosong)"
                  "\",\"en\":\"(none)\"},"
                  "\"value\":250000000}]}\n");
    odp_chart_data_free(d);
}

static void check_unit(int field, const char *value, const char *id, const char *en, const char *shown)
{
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, field, ODP_CHART_SUM);
    struct row row = {.field = {[KIND] = "a"}};
    struct odp_buffer b;
    odp_buffer_init(&b);
    row.field[field] = value;
    struct odp_chart_data *d = gather(&c, &row, 1);
    assert_string_equal(d->scale.unit[ODP_LANG_ID].ptr, id);
    assert_string_equal(d->scale.unit[ODP_LANG_EN].ptr, en);
    odp_chart_label_value(d, d->categories[0].value, ODP_LANG_ID, &b);
    assert_string_equal(odp_buffer_cstr(&b), shown);
    odp_buffer_release(&b);
    odp_chart_data_free(d);
}

static void test_units(void **state)
{
    (void)state;
    check_unit(VALUE, "999999", "rupiah", "rupiah", "999.999");
    check_unit(VALUE, "1000000", "juta rupiah", "million rupiah", "1,00");
    check_unit(VALUE, "-123456789012", "miliar rupiah", "billion rupiah", "\u2212123,5");
    check_unit(VALUE, "123456789012345678", "triliun rupiah", "trillion rupiah", "123.457");
    check_unit(VALUE, "0.000123", "rupiah", "rupiah", "0,00012");
    check_unit(VALUE, "12.345", "rupiah", "rupiah", "12,3");
    check_unit(AMOUNT, "999.5", "juta rupiah", "million rupiah", "999,5");
    check_unit(AMOUNT, "1000", "miliar rupiah", "billion rupiah", "1,00");
    check_unit(AMOUNT, "72560.87", "miliar rupiah", "billion rupiah", "72,6");
    check_unit(AMOUNT, "2000000", "triliun rupiah", "trillion rupiah", "2,00");
}

/* ---- ticks ---- */

static void test_ticks(void **state)
{
    const struct odp_chart_scale plain = {.power = 0};
    (void)state;
    for (int i = 0; i < 5000; i++) {
        odp_fixed lo = (odp_fixed)draw(2000000000) - 1000000000, span = draw(2000000000), most = 2 + draw(8);
        for (uint32_t k = draw(27); k > 9; k--) {
            lo *= 10;
            span = span * 10 + draw(10);
        }
        struct odp_chart_ticks t = odp_chart_ticks_of(lo, lo + span, (unsigned)most, &plain, 9);
        odp_fixed step = t.step;
        assert_true(t.first <= lo && t.last >= lo + span && t.n >= 2 && t.n <= (unsigned)most + 1);
        assert_true((t.last - t.first) / step + 1 == t.n && (t.last - t.first) % step == 0 && t.first % step == 0);
        assert_true(lo - t.first < step && t.last - lo - span <= step);
        while (step % 10 == 0)
            step /= 10;
        assert_true(step == 1 || step == 2 || step == 5);
    }
    struct odp_chart_ticks t = odp_chart_ticks_of(0, 3 * ODP_FIXED_ONE, 6, &plain, 0); /* of counts there are no halves */
    assert_true(t.step == ODP_FIXED_ONE && t.n == 4 && t.decimals == 0);
    t = odp_chart_ticks_of(0, 3 * ODP_FIXED_ONE, 6, &plain, 1);
    assert_true(t.step == ODP_FIXED_ONE / 2 && t.decimals == 1);
}

/* ---- maps ---- */

static struct odp_chart_data *scatter(const struct odp_chart *c, uint32_t n, uint64_t seed, bool backwards, double span)
{
    static const char *const kinds[] = {"a", "b", "c"};
    struct odp_chart_data *d = start(c);
    struct row *rows = test_calloc(n, sizeof *rows);
    random_state = seed;
    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct row){.field = {[KIND] = kinds[draw(3)], [VALUE] = kinds[0]},
                               .at = {107 + span * draw(1000000) / 1e6, -6 + span * draw(1000000) / 1e6},
                               .placed = draw(50) != 0};
    for (uint32_t i = 0; i < n; i++)
        add(d, &rows[backwards ? n - 1 - i : i]);
    assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
    test_free(rows);
    return d;
}

static void test_map_order(void **state)
{
    struct odp_chart c = chart(ODP_CHART_MAP, KIND, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *a = scatter(&c, 40000, 3, false, 10), *b = scatter(&c, 40000, 3, true, 10);
    uint64_t n = 0;
    (void)state;
    assert_true(a->nsymbols == b->nsymbols && a->nsymbols <= ODP_CHART_SYMBOLS_MAX && a->nsymbols > ODP_CHART_SYMBOLS_MAX / 8);
    for (uint32_t i = 0; i < a->nsymbols; i++) {
        const struct odp_chart_symbol *x = &a->symbols[i], *y = &b->symbols[i];
        assert_true(x->lon == y->lon && x->lat == y->lat && x->n == y->n && x->group == y->group);
        assert_true(x->lon > 106.9 && x->lon < 117.1 && x->lat > -6.1 && x->lat < 4.1);
        n += x->n;
    }
    assert_true(n == a->records - a->no_place && a->no_place == b->no_place && a->no_place > 0);
    odp_chart_data_free(a);
    odp_chart_data_free(b);
    a = scatter(&c, 1000, 5, false, 0.01); /* few enough: nothing is merged that is a metre apart */
    assert_true(a->nsymbols > 990 - a->no_place && a->nsymbols <= 1000 - a->no_place);
    odp_chart_data_free(a);
}

static void test_map_classes(void **state)
{
    struct odp_chart c = chart(ODP_CHART_MAP, -1, -1, VALUE, ODP_CHART_COUNT);
    char text[24];
    (void)state;
    for (int equal = 0; equal < 2; equal++) {
        struct odp_chart_data *d = start(&c);
        for (int i = 0; i < 100; i++) {
            (void)snprintf(text, sizeof text, "%d", equal != 0 ? 7 : (i * 37) % 100 + 1);
            add(d, &(struct row){.field = {[VALUE] = text}, .at = {100 + i * 0.1, (i * 13 % 20) * 0.1}, .placed = true});
        }
        add(d, &(struct row){.at = {100, 0}, .placed = true});
        assert_int_equal(odp_chart_data_finish(d, NULL), ODP_OK);
        assert_int_equal(d->no_value, 1);
        if (equal != 0)
            check_words(d, ODP_LANG_ID,
                        "Peta titik \u201cJudul\u201d: Nilai, rupiah. 100 rekaman antara 100° BT dan 109,9° BT, 0° dan 1,9° "
                        "LU. 7: 100 (100,0%). "
                        "1 rekaman tanpa nilai tidak dihitung.");
        else
            check_words(d, ODP_LANG_EN,
                        "Dot map \u201cTitle\u201d: Value, rupiah. 100 records between 100° E and 109.9° E, 0° and 1.9° N. 1 "
                        "to 20: 20 (20.0%); 21 to "
                        "40: 20 (20.0%); 41 to 60: 20 (20.0%); 61 to 80: 20 (20.0%); 81 to 100: 20 (20.0%). 1 record without a "
                        "value is left out.");
        odp_chart_data_free(d);
    }
}

/* ---- colours ---- */

static double linear(uint8_t v)
{
    double c = v / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(struct odp_rgb c)
{
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double contrast(struct odp_rgb a, struct odp_rgb b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* Machado, Oliveira, Fernandes 2009, severity 1: none, protanopia, deuteranopia, tritanopia; then grey. */
static const double vision[5][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
    {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}};

static double lab_part(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab(struct odp_rgb c, const double m[3][3], double out[3])
{
    double rgb[3] = {linear(c.r), linear(c.g), linear(c.b)}, seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2];
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    }
    double x = lab_part((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
    double y = lab_part(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    double z = lab_part((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

static double distance(struct odp_rgb a, struct odp_rgb b, const double m[3][3])
{
    double x[3], y[3];
    lab(a, m, x);
    lab(b, m, y);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

static void test_palette(void **state)
{
    const uint32_t n = ODP_CHART_SERIES_MAX + 1;
    (void)state;
    for (uint32_t i = 0; i < n; i++) {
        struct odp_rgb a = odp_chart_ink(i, n, false, i == n - 1);
        assert_true(contrast(a, odp_chart_white) >= 3);
        assert_true(contrast(a, odp_chart_ink_on(a)) >= 4.2);
        for (uint32_t k = i + 1; k < n; k++) {
            struct odp_rgb b = odp_chart_ink(k, n, false, k == n - 1);
            for (int v = 0; v < 4; v++)
                assert_true(distance(a, b, vision[v]) >= 20);
            if (k == i + 1)
                assert_true(distance(a, b, vision[4]) >= 30);
        }
    }
    for (uint32_t steps = 2; steps <= ODP_CHART_CLASSES; steps++)
        for (uint32_t i = 0; i < steps; i++) {
            struct odp_rgb a = odp_chart_ink(i, steps, true, false);
            assert_true(contrast(a, odp_chart_white) >= 3);
            assert_true(contrast(a, odp_chart_ink_on(a)) >= 4);
            if (i + 1 < steps) {
                struct odp_rgb b = odp_chart_ink(i + 1, steps, true, false);
                assert_true(luminance(b) < luminance(a));
                for (int v = 0; v < 5; v++)
                    assert_true(distance(a, b, vision[v]) >= 9);
            }
        }
    assert_true(contrast(odp_chart_soft, odp_chart_white) >= 7 && contrast(odp_chart_text, odp_chart_white) >= 7);
}

/* ---- pictures ---- */

/* Nothing is drawn outside of the box that the picture says it needs. Pixels are points. */
static void check_box(const struct odp_chart_data *d, struct odp_fonts *f, double width, int from, int to)
{
    enum { EDGE = 40 };
    double h = odp_chart_height(d, f, width);
    int across = (int)width + 2 * EDGE, down = (int)ceil(h) + 2 * EDGE;
    assert_true(h > 0 && h <= 640);
    for (int lang = from; lang <= to; lang++) {
        cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_A8, across, down);
        cairo_t *cr = cairo_create(s);
        assert_int_equal(odp_chart_draw(d, f, cr, EDGE, EDGE, width, (enum odp_lang)lang, false), ODP_OK);
        cairo_surface_flush(s);
        const unsigned char *pixel = cairo_image_surface_get_data(s);
        int stride = cairo_image_surface_get_stride(s), inside = 0;
        for (int y = 0; y < down; y++)
            for (int x = 0; x < across; x++) {
                if (pixel[y * stride + x] < 24)
                    continue;
                inside++;
                if (x < EDGE - 1 || y < EDGE - 1 || x > EDGE + (int)width || y > EDGE + (int)ceil(h))
                    fail_msg("%s: ink at %d, %d of a box of %g x %g", d->chart->title.in[0], x - EDGE, y - EDGE, width, h);
            }
        assert_true(inside > 50);
        cairo_destroy(cr);
        cairo_surface_destroy(s);
    }
}

/* Tags are balanced, ids unique, every reference has its target, and the values' own markup is text. */
static void check_svg_text(const char *svg)
{
    int depth = 0;
    for (const char *p = strchr(svg, '<'); p != NULL; p = strchr(p + 1, '<')) {
        const char *end = strchr(p, '>');
        assert_non_null(end);
        depth += p[1] == '/' ? -1 : p[1] == '?' || end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        if (strncmp(p, "<script", 7) == 0 || strncmp(p, "<b>", 3) == 0)
            fail_msg("markup of a value");
    }
    assert_int_equal(depth, 0);
    for (const char *p = strstr(svg, " id=\""); p != NULL; p = strstr(p + 1, " id=\"")) {
        size_t n = (size_t)(strchr(p + 5, '"') - p) + 1;
        for (const char *q = strstr(p + n, " id=\""); q != NULL; q = strstr(q + 1, " id=\""))
            if (strncmp(p, q, n) == 0)
                fail_msg("an id twice: %.*s", (int)n, p);
    }
    char id[80];
    for (const char *p = strstr(svg, "\"#"); p != NULL; p = strstr(p + 1, "\"#")) {
        if (strncmp(p - 5, "href=", 5) != 0)
            continue;
        (void)snprintf(id, sizeof id, " id=\"%.*s\"", (int)(strchr(p + 2, '"') - p - 2), p + 2);
        if (strstr(svg, id) == NULL)
            fail_msg("nothing has the id%s", id);
    }
}

static void check_svg(const struct odp_chart_data *d, struct odp_fonts *f)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer a, b;
        odp_buffer_init(&a);
        odp_buffer_init(&b);
        assert_int_equal(odp_chart_svg(d, f, (enum odp_lang)lang, "https://example.org/?a&b", &a), ODP_OK);
        assert_int_equal(odp_chart_svg(d, f, (enum odp_lang)lang, "https://example.org/?a&b", &b), ODP_OK);
        assert_true(odp_slice_eq(odp_buffer_slice(&a), odp_buffer_slice(&b)));
        assert_true(odp_utf8_valid(odp_buffer_slice(&a)) == a.len);
        const char *svg = odp_buffer_cstr(&a);
        assert_non_null(strstr(svg, "<cc:license rdf:resource=\"https://example.org/?a&amp;b\"/>"));
        assert_non_null(strstr(svg, "role=\"img\""));
        assert_non_null(strstr(svg, lang == ODP_LANG_ID ? " lang=\"id\"" : " lang=\"en\""));
        check_svg_text(svg);
        odp_buffer_release(&a);
        odp_buffer_release(&b);
    }
}

#define LONG_NAME                                                                                                              \
    "Pembangunan dan rehabilitasi jaringan irigasi permukaan kewenangan pemerintah pusat di daerah yang sangat jauh sekali "   \
    "dari kota, tahap kedua "                                                                                                  \
    "& <b>lanjutan</b> \"tahun jamak\" ]]> \xE2\x80\xAE terbalik "                                                             \
    "Pneumonoultramicroscopicsilicovolcanoconiosisyangpanjangsekali"

/* Every kind of picture with data that is hard to draw. N: which; false: there are no more. */
static bool hard_case(unsigned n, struct odp_chart *c, struct odp_chart_data **out)
{
    static const char *const value_sets[][3] = {{"1", "2", "3"},
                                                {"-5.25", "0", "7"},
                                                {"-1", "-2", "-3"},
                                                {"0", "0", "0"},
                                                {"999999999999999999", "1", "0.000000001"},
                                                {"0.000001", "0.000002", "0.0000005"},
                                                {"5", "5", "5"}};
    static const enum odp_chart_type types[] = {ODP_CHART_BAR, ODP_CHART_LINE, ODP_CHART_STACKED, ODP_CHART_MAP};
    static const struct {
        int category, series;
        uint32_t categories, parts;
    } shapes[] = {{KIND, -1, 1, 1},    {KIND, -1, 3, 1},    {KIND, -1, 60, 1},   {KIND, PART, 60, 9},
                  {KIND, PART, 4, 3},  {YEAR, -1, 8, 1},    {YEAR, PART, 30, 5}, {MONTH, -1, 36, 1},
                  {DAY, PART, 400, 3}, {ORDER, PART, 3, 3}, {NUMBER, -1, 25, 1}, {TIME, -1, 2, 1}};
    static char title[80];
    unsigned shape = n % 12, set = n / 12 % 7, type = n / 84;
    if (type > 3)
        return false;
    *c = chart(types[type], shapes[shape].category, shapes[shape].series, VALUE, set == 6 ? ODP_CHART_MEAN : ODP_CHART_SUM);
    (void)snprintf(title, sizeof title, "kasus %u: jenis %u, bentuk %u, nilai %u", n, type, shape, set);
    c->title = (struct odp_text){{title, "A <b>title</b> & more"}};
    c->top = 0;
    if (types[type] == ODP_CHART_MAP && set % 2 == 0)
        c->category = -1;
    *out = start(c);
    for (uint32_t i = 0; i < shapes[shape].categories; i++)
        for (uint32_t k = 0; k < shapes[shape].parts; k++) {
            char kind[320], part[320], year[8], month[16], day[16], time[40], number[24];
            const char *degree[] = {"ringan", "sedang", "berat"};
            (void)snprintf(kind, sizeof kind, "%u %s", i, set % 2 == 0 ? LONG_NAME : "Jalan");
            (void)snprintf(part, sizeof part, "%u %s", k, set % 3 == 0 ? LONG_NAME : "B");
            (void)snprintf(year, sizeof year, "%u", 1990 + i);
            (void)snprintf(month, sizeof month, "%u-%02u", 2020 + i / 12, i % 12 + 1);
            (void)snprintf(day, sizeof day, "%u-%02u-%02u", 2020 + i / 336, i / 28 % 12 + 1, i % 28 + 1);
            (void)snprintf(time, sizeof time, "2024-01-%02uT07:00:00+07:00", i % 28 + 1);
            (void)snprintf(number, sizeof number, "%u.5", i * i);
            struct row row = {
                .field = {kind, part, value_sets[set][(i + k) % 3], day, year, month, degree[i % 3], time, number},
                .at = {95 + (i * 7 % 45) + k * 0.3, -10 + (double)(i * 11 % 15)},
                .placed = true};
            if (set == 3)
                row.at[0] = 110, row.at[1] = -7;
            add(*out, &row);
        }
    assert_int_equal(odp_chart_data_finish(*out, NULL), ODP_OK);
    return true;
}

static void test_pictures(void **state)
{
    struct odp_fonts *f;
    struct odp_chart_data *d;
    struct odp_chart c;
    (void)state;
    assert_int_equal(odp_fonts_open(&f), ODP_OK);
    for (unsigned n = 0; hard_case(n, &c, &d); n += 5) { /* every shape, every set of values, with every type; not all of all */
        check_box(d, f, 480, (int)(n % 2), (int)(n % 2));
        if (n % 3 == 0)
            check_svg(d, f);
        odp_chart_data_free(d);
    }
    odp_fonts_close(f);
}

/* In an image of 360 points, too; and what is empty says so. */
static void test_small(void **state)
{
    static const struct row rows[] = {{.field = {"a", "p", "1500000000"}}, {.field = {"b", "q", "500000000"}}};
    struct odp_chart c = chart(ODP_CHART_STACKED, KIND, PART, VALUE, ODP_CHART_SUM);
    struct odp_chart_data *d = GATHER(&c, rows);
    struct odp_fonts *f;
    struct odp_buffer b;
    (void)state;
    odp_buffer_init(&b);
    assert_int_equal(odp_fonts_open(&f), ODP_OK);
    check_box(d, f, 360, 0, 1);
    assert_int_equal(odp_chart_svg(d, f, ODP_LANG_ID, NULL, &b), ODP_OK);
    assert_true(b.len < 60000);
    odp_chart_data_free(d);
    d = gather(&c, NULL, 0);
    check_box(d, f, 480, 0, 1);
    check_svg(d, f);
    odp_chart_data_free(d);
    odp_buffer_release(&b);
    odp_fonts_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),   cmocka_unit_test(test_show),       cmocka_unit_test(test_percent),
        cmocka_unit_test(test_order),   cmocka_unit_test(test_aggregates), cmocka_unit_test(test_mean),
        cmocka_unit_test(test_bounds),  cmocka_unit_test(test_long_keys),  cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_years),   cmocka_unit_test(test_series),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_ticks),   cmocka_unit_test(test_map_order),  cmocka_unit_test(test_map_classes),
        cmocka_unit_test(test_palette), cmocka_unit_test(test_pictures),   cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
