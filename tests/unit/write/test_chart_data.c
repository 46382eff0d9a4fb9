/* The data of charts: exact sums whatever the order, folding, bounds, order and labels, symbols and classes
 * of maps. */
#include "answer_lines.h"
#include "chart_fixture.h"

/* ---- numbers ---- */

/* ---- charts.txt ----
 *
 *   number TEXT                        as it is kept, and its decimals
 *   show NUMBER POWER DECIMALS         as it is read, in both languages
 *   record FIELD=VALUE|…               one more record; none: there are none
 *   chart TYPE CATEGORY SERIES VALUE AGGREGATE [by-category]
 *                                      its data, of these fields, "-" for none */

struct asked {
    struct odp_arena arena;
    struct row rows[8];
    size_t n;
};

static void ask_number(const char *text, struct odp_buffer *out)
{
    fixed v;
    unsigned places;
    if (!fixed_parse(odp_slice_of(text), &v, &places)) {
        odp_buffer_add_str(out, "none");
        return;
    }
    fixed_json(out, v);
    odp_buffer_printf(out, " %u", places);
}

static void ask_show(const char *text, struct odp_buffer *out)
{
    char number[64];
    unsigned power, decimals, places;
    fixed v;
    assert_int_equal(sscanf(text, "%63s %u %u", number, &power, &decimals), 3);
    assert_true(fixed_parse(odp_slice_of(number), &v, &places));
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        fixed_show(out, v, power, decimals, (enum odp_lang)lang);
        odp_buffer_add_char(out, '\n');
    }
}

static int field_named(const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0)
            return i;
    return -1;
}

static void ask_record(struct asked *q, char *text)
{
    assert_true(q->n < ODP_COUNT(q->rows));
    struct row *row = &q->rows[q->n++];
    *row = (struct row){0};
    for (char *cell; (cell = strsep(&text, "|")) != NULL;) {
        int field = field_named(strsep(&cell, "="));
        assert_true(field >= 0);
        row->field[field] = odp_arena_str(&q->arena, cell);
    }
}

static void ask_chart(struct asked *q, char *text, struct odp_buffer *out)
{
    static const char *const aggregates[] = {"count", "sum", "mean", "min", "max"};
    const char *word[6] = {NULL};
    int type = 0, aggregate = 0;
    for (size_t i = 0; i < 6; i++)
        word[i] = strsep(&text, " ");
    while (strcmp(odp_chart_type_names[type], word[0]) != 0)
        type++;
    while (strcmp(aggregates[aggregate], word[4]) != 0)
        aggregate++;
    struct odp_chart c = chart((enum odp_chart_type)type, field_named(word[1]), field_named(word[2]),
                               field_named(word[3]), (enum odp_chart_aggregate)aggregate);
    c.by_value = c.by_value && word[5] == NULL;
    c.planned = DAY;
    c.actual = DONE;
    struct odp_chart_data *d = gather(&c, q->rows, q->n);
    odp_chart_data_json(d, &about, out);
    char first;
    assert_true(odp_json_valid((struct odp_slice){out->ptr, out->len - 1}, &first));
    odp_chart_data_free(d);
}

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct asked *q = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    if (strcmp(verb, "number") == 0)
        ask_number(rest != NULL ? rest : "", out);
    else if (strcmp(verb, "show") == 0)
        ask_show(rest, out);
    else if (strcmp(verb, "record") == 0)
        ask_record(q, rest);
    else if (strcmp(verb, "none") == 0)
        q->n = 0;
    else
        ask_chart(q, rest, out);
    free(text);
}

TEST(charts)
{
    struct asked q = {0};
    answer_lines("write/charts.txt", ask, &q);
    odp_arena_release(&q.arena);
}

static void check_percent(fixed part, fixed whole, const char *id)
{
    BUFFER(b);
    fixed_percent(&b, part, whole, ODP_LANG_ID);
    assert_string_equal(odp_buffer_cstr(&b), id);
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
    snprintf(out, 40, "%s%llu.%09llu", units < 0 ? "-" : "", (unsigned long long)(v / 1000000000u),
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
        units[i] = ((int64_t)dice(2000000000) - 900000000) * 1000003 + dice(1000);
        kind[i] = dice(KINDS);
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
            uint32_t k = dice(i + 1), t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
    }
    odp_buffer_release(&first);
    odp_buffer_release(&next);
}

static void fill(struct odp_chart_data *d, uint32_t n, bool backwards)
{
    char text[24];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "k%u", backwards ? n - 1 - i : i);
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
                        "Bar chart \u201cTitle\u201d: Value, sum, by kind. There is no picture: the data has "
                        "more than 10,000 categories.");
        else
            assert_true(d->ncategories == 13 && d->categories[0].value == 2 * FIXED_ONE &&
                        d->categories[12].folded == 9988);
        odp_chart_data_free(d);
    }
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

/* ---- maps ---- */

static struct odp_chart_data *scatter(const struct odp_chart *c, uint32_t n, uint64_t seed, bool backwards,
                                      double span)
{
    static const char *const kinds[] = {"a", "b", "c"};
    struct odp_chart_data *d = start(c);
    struct row *rows = test_calloc(n, sizeof *rows);
    random_seed = seed;
    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct row){
            .field = {[KIND] = kinds[dice(3)], [VALUE] = kinds[0]},
            .at = {107 + span * dice(1000000) / 1e6, -6 + span * dice(1000000) / 1e6},
            .placed = dice(50) != 0,
        };
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
            snprintf(text, sizeof text, "%d", equal != 0 ? 7 : (i * 37) % 100 + 1);
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
                        "BT, 0° dan 1,9° LU. 7: 100 (100,0%). 1 rekaman tanpa nilai tidak dihitung.");
        else
            check_words(d, ODP_LANG_EN,
                        "Dot map \u201cTitle\u201d: Value, rupiah. 100 records between 100° E and 109.9° E, "
                        "0° and 1.9° N. 1 to 20: 20 (20.0%); 21 to 40: 20 (20.0%); 41 to 60: 20 (20.0%); 61 "
                        "to 80: 20 (20.0%); 81 to 100: 20 (20.0%). 1 record without a value is left out.");
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
        literal((int64_t)dice(2000000000) * 47 - 30000000001, text[i]);
    for (int turn = 0; turn < 2; turn++) {
        struct odp_chart_data *d = start(&c);
        for (uint32_t k = 0; k < 3 * MANY; k++) {
            uint32_t i = turn == 0 ? k % MANY : MANY - 1 - k % MANY;
            char more[40];
            snprintf(more, sizeof more, "%.*s%u", (int)strlen(text[i]) - 1, text[i], k / MANY);
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
                snprintf(more, sizeof more, "%.*s%u", (int)strlen(text[k % MANY]) - 1, text[k % MANY],
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
    struct odp_chart_data *d = start(&c);
    for (uint32_t i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i == 7 ? 900000000 : i % 100);
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
    for (int turn = 0; turn < 4; turn++) { /* whatever the order, the same are kept; of too many the latest */
        uint32_t many = turn < 2 ? 200 : CHART_CELLS_MAX + 1;
        static uint64_t before;
        struct odp_chart_data *d = start(&c);
        for (uint32_t k = 0; k < many; k++) {
            uint32_t i = turn % 2 == 0 ? k : many - 1 - k;
            char name[16], day[16];
            snprintf(name, sizeof name, "%03u", i % 77);
            snprintf(day, sizeof day, "2024-01-%02u", 2 + i % 20);
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
