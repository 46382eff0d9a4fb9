/* The data of charts: exact sums whatever the order, folding, bounds, order and labels, symbols and classes
 * of maps. */
#include "chart_fixture.h"

/* ---- numbers ---- */

TEST(parse)
{
    static const struct {
        const char *text, *json;
        unsigned places;
    } good[] = {
        {"0", "0", 0},
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
        {"100000000000000000000e-3", "100000000000000000", 0},
    };
    static const char *const bad[] = {
        "1e18",   "1000000000000000000",
        "-1e300", "999999999999999999.9999999999",
        "",       "-",
        ".",      "1e",
        "1.2.3",  "12a",
        "NaN",
    };
    for (size_t i = 0; i < ODP_COUNT(good); i++) {
        fixed v;
        unsigned places;
        struct odp_buffer b = {0};
        assert_true(fixed_parse(odp_slice_of(good[i].text), &v, &places));
        fixed_json(&b, v);
        assert_string_equal(odp_buffer_cstr(&b), good[i].json);
        assert_int_equal(places, good[i].places);
        odp_buffer_release(&b);
    }
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        fixed v;
        unsigned places;
        assert_false(fixed_parse(odp_slice_of(bad[i]), &v, &places));
    }
}

TEST(show)
{
    static const struct {
        const char *value;
        unsigned power, decimals;
        const char *id, *en;
    } cases[] = {
        {"1234567.891", 0, 2, "1.234.567,89", "1,234,567.89"},
        {"-1234.5", 0, 0, "\u22121.234", "\u22121,234"},
        {"1235500000", 9, 2, "1,24", "1.24"},
        {"1245000000", 9, 2, "1,24", "1.24"},
        {"0", 9, 1, "0,0", "0.0"},
        {"1", 9, 1, "< 0,1", "< 0.1"},
        {"-1", 9, 1, "> \u22120,1", "> \u22120.1"},
        {"999", 0, 0, "999", "999"},
        {"1000", 0, 0, "1.000", "1,000"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            fixed v;
            unsigned places;
            struct odp_buffer b = {0};
            assert_true(fixed_parse(odp_slice_of(cases[i].value), &v, &places));
            fixed_show(&b, v, cases[i].power, cases[i].decimals, (enum odp_lang)lang);
            assert_string_equal(odp_buffer_cstr(&b), lang == ODP_LANG_ID ? cases[i].id : cases[i].en);
            odp_buffer_release(&b);
        }
}

static void check_percent(fixed part, fixed whole, const char *id)
{
    struct odp_buffer b = {0};
    fixed_percent(&b, part, whole, ODP_LANG_ID);
    assert_string_equal(odp_buffer_cstr(&b), id);
    odp_buffer_release(&b);
}

TEST(percent)
{
    fixed huge = fixed_power(37);
    check_percent(1, 3, "33,3%");
    check_percent(2, 3, "66,7%");
    check_percent(-1, 4, "\u221225,0%");
    check_percent(1, 100000, "< 0,1%");
    check_percent(0, 7, "0,0%");
    check_percent(huge, huge * 2, "50,0%");
    check_percent(huge, 1, "1.000.000.000.000.000.000.000.000.000.000.000.000,0%");
}

/* ---- sums ---- */

/* Units of 10^-9 as literal, by other means than the code's. */
static void literal(int64_t units, char out[40])
{
    uint64_t v = units < 0 ? (uint64_t)-units : (uint64_t)units;
    (void)snprintf(out, 40, "%s%llu.%09llu", units < 0 ? "-" : "", (unsigned long long)(v / 1000000000u),
                   (unsigned long long)(v % 1000000000u));
}

enum { MANY = 6000, KINDS = 9 };

TEST(order)
{
    static char text[MANY][40];
    static uint32_t order[MANY];
    static const char *const kinds[KINDS] = {"a", "b", "c", "d", "e", "f", "g", "", NULL};
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_SUM);
    int64_t units[MANY], sums[KINDS] = {0};
    uint32_t kind[MANY];
    struct odp_buffer first = {0}, next = {0};
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
        must(odp_chart_data_finish(d, NULL));
        odp_buffer_clear(&next);
        odp_chart_data_json(d, &about, turn == 0 ? &first : &next);
        if (turn > 0)
            assert_string_equal(odp_buffer_cstr(&next), odp_buffer_cstr(&first));
        fixed rest = 0;
        assert_int_equal(d->ncategories, 6);
        for (uint32_t i = 0; i < d->ncategories; i++)
            for (uint32_t k = 0; k < KINDS; k++)
                if (d->categories[i].kind != GROUP_OTHERS &&
                    (d->categories[i].key.ptr == NULL) == (kinds[k] == NULL) &&
                    (kinds[k] == NULL || odp_slice_is(d->categories[i].key, kinds[k]))) {
                    assert_true(d->categories[i].value == sums[k]);
                    rest -= sums[k];
                }
        for (uint32_t k = 0; k < KINDS; k++)
            rest += sums[k];
        assert_true(d->categories[5].kind == GROUP_OTHERS && d->categories[5].value == rest &&
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

/* A mean in the middle is rounded to the even side; with nine decimals there is no room for two more. */
TEST(mean)
{
    static const struct row rows[] = {
        {.field = {[KIND] = "a", [VALUE] = "0.000000001"}},
        {.field = {[KIND] = "a", [VALUE] = "0.000000002"}},
        {.field = {[KIND] = "b", [VALUE] = "0.000000003"}},
        {.field = {[KIND] = "b", [VALUE] = "0.000000002"}},
        {.field = {[KIND] = "c", [VALUE] = "-0.000000003"}},
        {.field = {[KIND] = "c", [VALUE] = "-0.000000002"}},
    };
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_MEAN);
    struct odp_chart_data *d = GATHER(&c, rows);
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
    must(odp_chart_data_finish(d, NULL));
}

TEST(bounds)
{
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_SUM);
    for (int turn = 0; turn < 4; turn++) {
        struct odp_chart_data *d = start(&c);
        fill(d, CHART_CELLS_MAX + (turn < 2 ? 1 : 0), turn % 2 != 0);
        assert_int_equal(odp_chart_data_is_empty(d), turn < 2);
        if (turn < 2)
            check_words(d, ODP_LANG_EN,
                        "Bar chart \u201cTitle\u201d: Value, sum, by Kind. There is no picture: the data has "
                        "more than 10,000 "
                        "categories.");
        else
            assert_true(d->ncategories == 13 && d->categories[0].value == 2 * FIXED_ONE &&
                        d->categories[12].folded == 9988);
        odp_chart_data_free(d);
    }
    static const struct row large[] = {{.field = {[KIND] = "a", [VALUE] = "1"}},
                                       {.field = {[KIND] = "b", [VALUE] = "-1e18"}}};
    struct odp_chart_data *d = GATHER(&c, large);
    assert_true(odp_chart_data_is_empty(d));
    check_json(d, ",\"rows\":[]}\n");
    odp_chart_data_free(d);
    d = gather(&c, NULL, 0);
    check_words(d, ODP_LANG_ID,
                "Diagram batang \u201cJudul\u201d: Nilai, jumlah dalam rupiah, menurut Jenis. Tidak ada "
                "gambar: tidak ada "
                "rekaman yang memiliki nilainya.");
    odp_chart_data_free(d);
}

/* A text of a megabyte each: the bound is of bytes, too. */
TEST(long_keys)
{
    struct odp_chart c = chart(ODP_CHART_BAR, KIND, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *d = start(&c);
    char *text = test_malloc((1 << 20) + 1);
    memset(text, 'x', 1 << 20);
    text[1 << 20] = '\0';
    for (int i = 0; i < 6; i++) {
        text[0] = (char)('a' + i);
        add(d, &(struct row){.field = {[KIND] = text}});
    }
    must(odp_chart_data_finish(d, NULL));
    assert_true(odp_chart_data_is_empty(d));
    odp_chart_data_free(d);
    test_free(text);
}

/* ---- order and labels ---- */

static void check_labels(const struct odp_chart_data *d, enum odp_lang lang, const char *expected)
{
    struct odp_buffer b = {0};
    for (uint32_t i = 0; i < d->ncategories; i++) {
        odp_buffer_add_str(&b, i > 0 ? "|" : "");
        odp_buffer_add_slice(&b, d->categories[i].label[lang]);
    }
    assert_string_equal(odp_buffer_cstr(&b), expected);
    odp_buffer_release(&b);
}

TEST(sorted)
{
    static const struct row rows[] = {
        {.field = {"b", NULL, "3", "2024-03-15", "2024", "2024-03", "berat", "2024-01-01T00:30:00+07:00",
                   "10"}},
        {.field = {"a", NULL, "9", "2023-12-31", "2023", "2023-12", "ringan", "2023-12-31T23:00:00+07:00",
                   "9"}},
        {.field = {"c\x01\n  d", NULL, "3", "2024-01-01", "2020", "2024-01", "sedang",
                   "2024-01-01T01:00:00+09:00", "-2.5"}},
        {.field = {" ", NULL, "1", NULL, NULL, NULL, NULL, NULL, NULL}},
    };
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
        {ODP_CHART_LINE, MONTH, false, "Desember 2023|Januari 2024|Maret 2024",
         "December 2023|January 2024|March 2024"},
        {ODP_CHART_LINE, TIME, false, "31 Desember 2023 23:00|1 Januari 2024 00:30|1 Januari 2024 01:00",
         "31 December 2023 23:00|1 January 2024 00:30|1 January 2024 01:00"},
        {ODP_CHART_LINE, NUMBER, false, "-2,5|9|10", "-2.5|9|10"},
        {ODP_CHART_BAR, NUMBER, false, "-2,5|9|10|(kosong)", "-2.5|9|10|(none)"},
        {ODP_CHART_BAR, NUMBER, true, "9|-2,5|10|(kosong)", "9|-2.5|10|(none)"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
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
TEST(years)
{
    static const struct row rows[] = {
        {.field = {[YEAR] = "2021"}}, {.field = {[YEAR] = "2018"}}, {.field = {[YEAR] = "2021"}}};
    struct odp_chart c = chart(ODP_CHART_LINE, YEAR, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *d = GATHER(&c, rows);
    check_labels(d, ODP_LANG_ID, "2018|2019|2020|2021");
    check_words(d, ODP_LANG_EN,
                "Line chart \u201cTitle\u201d: Number of records, by Year. 2018 1, 2021 2, up 100.0%; "
                "highest 2 (2021), lowest "
                "0 (2019). "
                "Values: 2018 1; 2019 0; 2020 0; 2021 2.");
    odp_chart_data_free(d);
}

TEST(series)
{
    static const struct row rows[] = {
        {.field = {"a", "p", "1500000000"}},
        {.field = {"a", "q", "500000000"}},
        {.field = {"b", "p", "1000000000"}},
        {.field = {"b", NULL, "250000000"}},
    };
    struct odp_chart c = chart(ODP_CHART_STACKED, KIND, PART, VALUE, ODP_CHART_SUM);
    struct odp_chart_data *d = GATHER(&c, rows);
    check_words(d, ODP_LANG_ID,
                "Diagram batang bertumpuk \u201cJudul\u201d: Nilai, jumlah dalam miliar rupiah, menurut "
                "Jenis dan Bagian. "
                "Terbesar: a (2,00); "
                "terkecil: b (1,25). Jumlah seluruhnya 3,25 miliar rupiah. Seluruhnya menurut kelompok: p "
                "2,50; q 0,50; "
                "(kosong) 0,25. Nilai: "
                "a (p 1,50, q 0,50); b (p 1,00, (kosong) 0,25).");
    check_json(d, ",\"rows\":[\n"
                  "{\"category\":\"a\",\"label\":{\"id\":\"a\",\"en\":\"a\"},\"series\":\"p\","
                  "\"seriesLabel\":{\"id\":\"p\","
                  "\"en\":\"p\"},\"value\":1500000000},\n"
                  "{\"category\":\"a\",\"label\":{\"id\":\"a\",\"en\":\"a\"},\"series\":\"q\","
                  "\"seriesLabel\":{\"id\":\"q\","
                  "\"en\":\"q\"},\"value\":500000000},\n"
                  "{\"category\":\"b\",\"label\":{\"id\":\"b\",\"en\":\"b\"},\"series\":\"p\","
                  "\"seriesLabel\":{\"id\":\"p\","
                  "\"en\":\"p\"},\"value\":1000000000},\n"
                  "{\"category\":\"b\",\"label\":{\"id\":\"b\",\"en\":\"b\"},\"series\":null,\"seriesLabel\":"
                  "{\"id\":\"(kosong)"
                  "\",\"en\":\"(none)\"},"
                  "\"value\":250000000}]}\n");
    odp_chart_data_free(d);
}

/* ---- maps ---- */

static struct odp_chart_data *scatter(const struct odp_chart *c, uint32_t n, uint64_t seed, bool backwards,
                                      double span)
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
    must(odp_chart_data_finish(d, NULL));
    test_free(rows);
    return d;
}

TEST(map_order)
{
    struct odp_chart c = chart(ODP_CHART_MAP, KIND, -1, -1, ODP_CHART_COUNT);
    struct odp_chart_data *a = scatter(&c, 40000, 3, false, 10), *b = scatter(&c, 40000, 3, true, 10);
    uint64_t n = 0;
    assert_true(a->nsymbols == b->nsymbols && a->nsymbols <= CHART_SYMBOLS_MAX &&
                a->nsymbols > CHART_SYMBOLS_MAX / 8);
    for (uint32_t i = 0; i < a->nsymbols; i++) {
        const struct chart_symbol *x = &a->symbols[i], *y = &b->symbols[i];
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

TEST(map_classes)
{
    struct odp_chart c = chart(ODP_CHART_MAP, -1, -1, VALUE, ODP_CHART_COUNT);
    char text[24];
    for (int equal = 0; equal < 2; equal++) {
        struct odp_chart_data *d = start(&c);
        for (int i = 0; i < 100; i++) {
            (void)snprintf(text, sizeof text, "%d", equal != 0 ? 7 : (i * 37) % 100 + 1);
            add(d, &(struct row){.field = {[VALUE] = text},
                                 .at = {100 + i * 0.1, (i * 13 % 20) * 0.1},
                                 .placed = true});
        }
        add(d, &(struct row){.at = {100, 0}, .placed = true});
        must(odp_chart_data_finish(d, NULL));
        assert_int_equal(d->no_value, 1);
        if (equal != 0)
            check_words(d, ODP_LANG_ID,
                        "Peta titik \u201cJudul\u201d: Nilai, rupiah. 100 rekaman antara 100° BT dan 109,9° "
                        "BT, 0° dan 1,9° "
                        "LU. 7: 100 (100,0%). "
                        "1 rekaman tanpa nilai tidak dihitung.");
        else
            check_words(d, ODP_LANG_EN,
                        "Dot map \u201cTitle\u201d: Value, rupiah. 100 records between 100° E and 109.9° E, "
                        "0° and 1.9° N. 1 "
                        "to 20: 20 (20.0%); 21 to "
                        "40: 20 (20.0%); 41 to 60: 20 (20.0%); 61 to 80: 20 (20.0%); 81 to 100: 20 (20.0%). "
                        "1 record without a "
                        "value is left out.");
        odp_chart_data_free(d);
    }
}

/* ---- histograms ---- */

/* The classes depend on the values alone, whatever their order, and every value is in one of them. */
TEST(bins)
{
    static char text[MANY][40];
    struct odp_chart c = chart(ODP_CHART_HISTOGRAM, -1, -1, VALUE, ODP_CHART_COUNT);
    struct odp_buffer first = {0}, next = {0};
    for (uint32_t i = 0; i < MANY; i++) /* more cells than are kept: 10^-9 apart */
        literal((int64_t)draw(2000000000) * 47 - 30000000001, text[i]);
    for (int turn = 0; turn < 2; turn++) {
        struct odp_chart_data *d = start(&c);
        for (uint32_t k = 0; k < 3 * MANY; k++) {
            uint32_t i = turn == 0 ? k % MANY : MANY - 1 - k % MANY;
            char more[40];
            (void)snprintf(more, sizeof more, "%.*s%u", (int)strlen(text[i]) - 1, text[i], k / MANY);
            add(d, &(struct row){.field = {[VALUE] = more}});
        }
        add(d, &(struct row){.field = {[VALUE] = NULL}});
        must(odp_chart_data_finish(d, NULL));
        odp_buffer_clear(&next);
        odp_chart_data_json(d, &about, turn == 0 ? &first : &next);
        if (turn > 0)
            assert_string_equal(odp_buffer_cstr(&next), odp_buffer_cstr(&first));
        uint64_t n = 0;
        assert_true(d->ncategories > 3 && d->ncategories <= CHART_BINS && d->no_value == 1);
        for (uint32_t i = 0; i < d->ncategories; i++) {
            const struct chart_group *g = &d->categories[i];
            uint64_t in = 0;
            for (uint32_t k = 0; k < 3 * MANY; k++) {
                char more[40];
                fixed v;
                unsigned places;
                (void)snprintf(more, sizeof more, "%.*s%u", (int)strlen(text[k % MANY]) - 1, text[k % MANY],
                               k / MANY);
                assert_true(fixed_parse(odp_slice_of(more), &v, &places));
                in += v >= g->sum.least &&
                      (v < g->sum.greatest || (i + 1 == d->ncategories && v == g->sum.greatest));
            }
            assert_true(in == g->sum.n);
            n += in;
        }
        assert_true(n == 3 * MANY);
        odp_chart_data_free(d);
    }
    odp_buffer_release(&first);
    odp_buffer_release(&next);
}

/* Whole numbers have whole classes; what is far off does not squeeze the rest into one. */
TEST(whole_bins)
{
    struct odp_chart c = chart(ODP_CHART_HISTOGRAM, -1, -1, VALUE, ODP_CHART_COUNT);
    static const struct row few[] = {
        {.field = {[VALUE] = "1"}}, {.field = {[VALUE] = "3"}}, {.field = {[VALUE] = "3"}}};
    struct odp_chart_data *d = GATHER(&c, few);
    check_json(d,
               ",\"rows\":[\n"
               "{\"category\":null,\"label\":{\"id\":\"1\",\"en\":\"1\"},\"series\":null,\"from\":1,\"to\":1,"
               "\"value\":1},\n"
               "{\"category\":null,\"label\":{\"id\":\"2\",\"en\":\"2\"},\"series\":null,\"from\":2,\"to\":2,"
               "\"value\":0},\n"
               "{\"category\":null,\"label\":{\"id\":\"3\",\"en\":\"3\"},\"series\":null,\"from\":3,\"to\":3,"
               "\"value\":2}]}\n");
    check_headline(d, "Rata-rata 2,3 rupiah; terbanyak 3 (66,7%)", "Mean 2.3 rupiah; most often 3 (66.7%)");
    odp_chart_data_free(d);
    d = start(&c);
    for (uint32_t i = 0; i < 1000; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%u", i == 7 ? 900000000 : i % 100);
        add(d, &(struct row){.field = {[VALUE] = text}});
    }
    must(odp_chart_data_finish(d, NULL));
    assert_int_equal(d->ncategories, 20);
    assert_true(d->categories[19].open == CHART_OPEN_ABOVE && d->categories[0].sum.n == 50 &&
                d->categories[19].sum.n == 51);
    assert_true(odp_slice_is(d->categories[19].label[ODP_LANG_EN], "≥ 95") &&
                odp_slice_is(d->categories[0].label[ODP_LANG_EN], "0 to 4"));
    odp_chart_data_free(d);
}

/* ---- gantts ---- */

TEST(tasks)
{
    struct odp_chart c = chart(ODP_CHART_GANTT, PART, KIND, -1, ODP_CHART_COUNT);
    c.planned = DAY;
    c.actual = DONE;
    static const struct row rows[] = {
        {.field = {[KIND] = "a", [PART] = "q", [DAY] = "2024-01-01", [DONE] = "2024-01-03"}},
        {.field = {[KIND] = "a", [PART] = "p", [DAY] = "2023-06-01", [DONE] = "2023-06-02"}},
        {.field = {[KIND] = "b", [PART] = "p", [DAY] = "2023-01-01", [DONE] = "2024-01-01"}},
        {.field = {[KIND] = "b", [PART] = "q", [DAY] = "2023-01-01", [DONE] = "2022-12-01"}},
        {.field = {[KIND] = "c", [PART] = "p", [DAY] = "2023-01-01"}},
        {.field = {[KIND] = "c", [PART] = "q", [DONE] = "2023-01-01"}}};
    struct odp_chart_data *d = GATHER(&c, rows);
    check_json(
        d,
        ",\"rows\":[\n"
        "{\"category\":\"p\",\"label\":{\"id\":\"p\",\"en\":\"p\"},\"series\":\"b\",\"seriesLabel\":{\"id\":"
        "\"b\",\"en\":\"b\"},\"planned\":\"2023-01-01\",\"actual\":\"2024-01-01\",\"value\":365},\n"
        "{\"category\":\"q\",\"label\":{\"id\":\"q\",\"en\":\"q\"},\"series\":\"b\",\"seriesLabel\":{\"id\":"
        "\"b\",\"en\":\"b\"},\"planned\":\"2023-01-01\",\"actual\":\"2022-12-01\",\"value\":-31},\n"
        "{\"category\":\"p\",\"label\":{\"id\":\"p\",\"en\":\"p\"},\"series\":\"a\",\"seriesLabel\":{\"id\":"
        "\"a\",\"en\":\"a\"},\"planned\":\"2023-06-01\",\"actual\":\"2023-06-02\",\"value\":1},\n"
        "{\"category\":\"q\",\"label\":{\"id\":\"q\",\"en\":\"q\"},\"series\":\"a\",\"seriesLabel\":{\"id\":"
        "\"a\",\"en\":\"a\"},\"planned\":\"2024-01-01\",\"actual\":\"2024-01-03\",\"value\":2}]}\n");
    check_headline(d, "3 dari 4 yang selesai terlambat; paling lama 365 hari (b, p)",
                   "3 of 4 completed were late; the longest by 365 days (b, p)");
    assert_true(d->no_time == 1);
    odp_chart_data_free(d);
    for (int turn = 0; turn < 4; turn++) { /* whatever the order, the same are kept; of too many the latest */
        uint32_t many = turn < 2 ? 200 : CHART_CELLS_MAX + 1;
        static uint64_t before;
        d = start(&c);
        for (uint32_t k = 0; k < many; k++) {
            uint32_t i = turn % 2 == 0 ? k : many - 1 - k;
            char name[16], day[16];
            (void)snprintf(name, sizeof name, "%03u", i % 77);
            (void)snprintf(day, sizeof day, "2024-01-%02u", 2 + i % 20);
            add(d, &(struct row){.field = {[KIND] = name, [PART] = "x", [DAY] = "2024-01-01", [DONE] = day}});
        }
        must(odp_chart_data_finish(d, NULL));
        assert_true(d->ntasks > 25 && d->ntasks <= CHART_TASKS && d->late == many);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < d->ntasks; i++)
            sum += (uint64_t)chart_task_late(&d->tasks[i]) * (i + 1) + (uint64_t)d->tasks[i].series.ptr[2];
        assert_true(turn % 2 == 0 || sum == before);
        assert_true(turn < 2 || chart_task_late(&d->tasks[d->ntasks - 1]) == 20);
        before = sum;
        odp_chart_data_free(d);
    }
}

/* ---- what is seen, in a line ---- */

TEST(headlines)
{
    static const struct row rows[] = {
        {.field = {"a", "p", "6000000", NULL, "2022", NULL, "ringan"}},
        {.field = {"b", "q", "2000000", NULL, "2022", NULL, "berat"}},
        {.field = {"a", "q", "7000000", NULL, "2023", NULL, "berat"}},
    };
    static const struct {
        enum odp_chart_type type;
        int category, series, value;
        enum odp_chart_aggregate aggregate;
        const char *id, *en;
    } cases[] = {
        {ODP_CHART_LINE, YEAR, -1, VALUE, ODP_CHART_SUM,
         "Nilai 7,00 juta rupiah pada 2023, turun 12,5% dari 2022",
         "Value 7.00 million rupiah in 2023, down 12.5% from 2022"},
        {ODP_CHART_LINE, YEAR, -1, VALUE, ODP_CHART_MEAN,
         "Nilai (rata-rata) 7,00 juta rupiah pada 2023, naik 75,0% dari 2022",
         "Value (mean) 7.00 million rupiah in 2023, up 75.0% from 2022"},
        {ODP_CHART_LINE, YEAR, -1, -1, ODP_CHART_COUNT, "Terbanyak pada 2022: 2 rekaman",
         "Most in 2022: 2 records"},
        {ODP_CHART_LINE, YEAR, PART, VALUE, ODP_CHART_SUM, "Tertinggi pada 2023: q (7,00)",
         "Highest in 2023: q (7.00)"},
        {ODP_CHART_STACKED, YEAR, ORDER, -1, ODP_CHART_COUNT, "Tertinggi pada 2023: Berat (100,0%)",
         "Highest in 2023: Severe (100.0%)"},
        {ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_SUM, "Terbanyak: a (86,7%)", "Most: a (86.7%)"},
        {ODP_CHART_BAR, KIND, -1, VALUE, ODP_CHART_MAX, "Tertinggi: a (7,00 juta rupiah)",
         "Highest: a (7.00 million rupiah)"},
        {ODP_CHART_BAR, ORDER, -1, -1, ODP_CHART_COUNT, "Terbanyak: Berat (66,7%)", "Most: Severe (66.7%)"},
        {ODP_CHART_MAP, KIND, -1, -1, ODP_CHART_COUNT, "", ""}};
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_chart c =
            chart(cases[i].type, cases[i].category, cases[i].series, cases[i].value, cases[i].aggregate);
        struct odp_chart_data *d = GATHER(&c, rows);
        check_headline(d, cases[i].id, cases[i].en);
        odp_chart_data_free(d);
    }
}
