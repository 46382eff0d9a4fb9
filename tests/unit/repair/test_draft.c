/* What init concludes of columns: tables of values and the decision they must lead to. */
#include "run.h"

#include <unistd.h>

#include "base/decimal.h"
#include "repair/draft/draft_internal.h"

/* The draft of a file with TEXT, surveyed and settled; NULL: refused. */
static struct odp_draft *draft_of(const char *text)
{
    char path[] = "/tmp/odp-test-draft-XXXXXX.csv";
    struct odp_draft *d = NULL;
    struct odp_diags *diags = NULL;
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    must(odp_diags_new(&diags, 10));
    const struct odp_draft_options o = {.path = path, .file = "uji.csv", .slug = "uji"};
    enum odp_status status = odp_draft_open(&d, &o, diags);
    if (status == ODP_OK)
        status = odp_draft_survey(d, diags);
    if (status == ODP_OK)
        status = odp_draft_settle(d, diags);
    assert_int_not_equal(status, ODP_FAIL);
    assert_int_equal(odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0, status == ODP_BAD);
    odp_diags_free(diags);
    unlink(path);
    if (status == ODP_BAD) {
        odp_draft_free(d);
        d = NULL;
    }
    return d;
}

/* VALUES parted by '|', under LABEL, beside a key. REPEAT: so many times. */
static struct odp_draft *column_of(const char *label, const char *values, int repeat)
{
    char text[16384];
    int n = snprintf(text, sizeof text, "kunci|%s\n", label), row = 0;
    for (int k = 0; k < repeat; k++)
        for (const char *p = values; *p != '\0';) {
            size_t len = strcspn(p, "|");
            n += snprintf(text + n, sizeof text - (size_t)n, "K%05d|%.*s\n", row++, (int)len, p);
            p += len + (p[len] == '|');
        }
    struct odp_draft *d = draft_of(text);
    assert_non_null(d);
    assert_int_equal(d->n, 2);
    assert_int_equal(d->rows, row);
    return d;
}

TEST(types)
{
    static const struct {
        const char *label, *values;
        enum odp_type type;
        char decimal, group;
        const char *format;
    } table[] = {
        {"jumlah", "1|20|300", ODP_TYPE_INTEGER, '.', 0, NULL},
        {"jumlah", "-1|0|+3", ODP_TYPE_INTEGER, '.', 0, NULL},
        {"luas", "1,5|20,25|300", ODP_TYPE_NUMBER, ',', 0, NULL},
        {"luas", "1.5|20.25|300", ODP_TYPE_NUMBER, '.', 0, NULL},
        {"nilai", "1.234.567,50|2.000,00|30", ODP_TYPE_NUMBER, ',', '.', NULL},
        {"nilai", "1,234,567.50|2,000.00|30", ODP_TYPE_NUMBER, '.', ',', NULL},
        {"nilai", "1.234.567|2.000|30", ODP_TYPE_INTEGER, '.', '.', NULL},
        {"nilai", "1.234|2.000|30", ODP_TYPE_INTEGER, '.', '.', NULL}, /* open: thousands, with a doubt */
        {"nilai", "1.234|2.000|3000", ODP_TYPE_NUMBER, '.', 0,
         NULL}, /* 3000 has no point, so points do not separate thousands */
        {"nilai", "0.234|2.000|30", ODP_TYPE_NUMBER, '.', 0, NULL},
        {"lintang", "-6.175|-7.250|-8.001", ODP_TYPE_NUMBER, '.', 0, NULL}, /* places have no thousands */
        {"nilai", "1 234|12 345|7", ODP_TYPE_INTEGER, '.', ' ', NULL},
        {"kode", "01|02|11", ODP_TYPE_STRING, 0, 0, NULL},
        {"apa", "007|1|22", ODP_TYPE_STRING, 0, 0, NULL}, /* a zero in front anywhere */
        {"kode_wilayah", "31.71|32.04|11.10", ODP_TYPE_STRING, 0, 0, NULL},
        {"luas", "31.71|32.04|11.10", ODP_TYPE_NUMBER, '.', 0, NULL},
        {"kode", "SNS-0012|SNS-0013|SNS-0100", ODP_TYPE_STRING, 0, 0, NULL},
        {"tanggal", "2024-03-15|2024-12-01", ODP_TYPE_DATE, 0, 0, NULL},
        {"tanggal", "15/03/2024|01/12/2024", ODP_TYPE_DATE, 0, 0, "%d/%m/%Y"},
        {"tanggal", "03/15/2024|12/01/2024", ODP_TYPE_DATE, 0, 0, "%m/%d/%Y"},
        {"tanggal", "03/05/2024|12/01/2024", ODP_TYPE_DATE, 0, 0,
         "%d/%m/%Y"}, /* open: the Indonesian way, with a doubt */
        {"tanggal", "15 Maret 2024|1 Agustus 2023", ODP_TYPE_DATE, 0, 0, "%d %B %Y"},
        {"tanggal", "20240315|20231201", ODP_TYPE_DATE, 0, 0, "%Y%m%d"},
        {"jumlah", "20240315|20231201", ODP_TYPE_INTEGER, '.', 0, NULL},
        {"waktu", "2024-03-15 08:30:00|2024-03-15 09:00:01", ODP_TYPE_DATETIME, 0, 0, "%Y-%m-%d %H:%M:%S"},
        {"waktu", "15/03/2024 08:30:00 WIB|16/03/2024 09:00:01 WITA", ODP_TYPE_DATETIME, 0, 0,
         "%d/%m/%Y %H:%M:%S %Z"},
        {"jam", "08:30|19:45", ODP_TYPE_TIME, 0, 0, "%H:%M"},
        {"periode", "2024-01|2023-12", ODP_TYPE_YEARMONTH, 0, 0, NULL},
        {"tahun", "2019|2020|2021", ODP_TYPE_YEAR, 0, 0, NULL},
        {"jumlah", "2019|2020|2021", ODP_TYPE_INTEGER, '.', 0, NULL},
        {"aktif", "Ya|Tidak|ya", ODP_TYPE_BOOLEAN, 0, 0, NULL},
        {"is_aktif", "1|0|1", ODP_TYPE_BOOLEAN, 0, 0, NULL},
        {"nama", "satu|2|tiga", ODP_TYPE_STRING, 0, 0, NULL},
        {"nomor", "3174012345678901|3174012345678902", ODP_TYPE_STRING, 0, 0, NULL},
        {"kosong", "-|-|n/a", ODP_TYPE_STRING, 0, 0, NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(table); i++) {
        struct odp_draft *d = column_of(table[i].label, table[i].values, 20);
        const struct column *c = &d->columns[1];
        print_message("%s: %s\n", table[i].label, table[i].values);
        assert_string_equal(odp_type_name(c->type), odp_type_name(table[i].type));
        if (table[i].type == ODP_TYPE_NUMBER || table[i].type == ODP_TYPE_INTEGER) {
            assert_int_equal(c->decimal, table[i].decimal);
            assert_int_equal(c->group, table[i].group);
        }
        assert_int_equal(c->format == NULL, table[i].format == NULL);
        if (table[i].format != NULL)
            assert_string_equal(c->format, table[i].format);
        assert_int_equal(c->misfit, 0);
        odp_draft_free(d);
    }
}

/* One in ten may be wrong; more, and it is text. */
TEST(misfits)
{
    struct odp_draft *d = column_of("luas", "1|2|3|4|5|6|7|8|9|x1", 3);
    assert_int_equal(d->columns[1].type, ODP_TYPE_INTEGER);
    assert_int_equal(d->columns[1].fit, 27);
    assert_int_equal(d->columns[1].misfit, 3);
    assert_int_equal(d->columns[1].misfits[0].line, 11);
    odp_draft_free(d);
    d = column_of("luas", "1|2|3|4|5|6|7|x1", 3);
    assert_int_equal(d->columns[1].type, ODP_TYPE_STRING);
    odp_draft_free(d);
    d = column_of("luas", "1|2|3|4|5|6|7|8|9|10|11|tidak diukur", 3); /* one word: no value */
    assert_int_equal(d->columns[1].misfit, 0);
    assert_true(odp_slice_is(d->columns[1].missing_word, "tidak diukur"));
    odp_draft_free(d);
}

TEST(points)
{
    static const struct {
        const char *text;
        const char *geometry; /* NULL: none */
    } table[] = {
        {"kode,bujur,lintang\nA-1,106.8,-6.2\nA-2,107.1,-6.5\n",
         "{\"lon\": \"bujur\", \"lat\": \"lintang\"}"},
        {"kode;Lat;LON\nA-1;-6,2;106,8\nA-2;;\n",
         "{\"lon\": \"lon\", \"lat\": \"lat\", \"required\": false}"},
        {"kode,bujur,lintang\nA-1,-6.2,106.8\nA-2,-6.5,107.1\n", NULL},                 /* exchanged */
        {"kode,lon,lat,lon_b,lat_b\nA-1,1.5,2.5,3.5,4.5\nA-2,1.5,2.5,3.5,4.5\n", NULL}, /* two */
        {"kode,bujur\nA-1,106.8\nA-2,107.1\n", NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(table); i++) {
        struct odp_draft *d = draft_of(table[i].text);
        struct odp_buffer b = {0};
        must(odp_draft_json(d, &b));
        const char *at = strstr(odp_buffer_cstr(&b), "\"odp:geometry\": ");
        assert_int_equal(at == NULL, table[i].geometry == NULL);
        assert_int_equal(strstr(odp_buffer_cstr(&b), "GeoJSON") == NULL, table[i].geometry == NULL);
        if (at != NULL && strncmp(at + 16, table[i].geometry, strlen(table[i].geometry)) != 0)
            fail_msg("%.80s", at);
        odp_buffer_release(&b);
        odp_draft_free(d);
    }
}

TEST(choices)
{
    size_t n;
    bool again;
    struct odp_draft *d = column_of("tanggal", "03/05/2024|12/01/2024", 10);
    struct odp_doubt *q = odp_draft_doubts(d, &n);
    size_t i = 0;
    while (i < n && q[i].kind != DOUBT_DATE)
        i++;
    assert_true(i < n);
    must(odp_draft_choose(d, i, 1, &again));
    assert_false(again);
    assert_string_equal(d->columns[1].format, "%m/%d/%Y");
    odp_draft_free(d);
}

TEST(delimiters)
{
    static const struct {
        const char *text;
        char delimiter;
        uint32_t columns;
    } table[] = {
        {"a,b\n1,2\n3,4\n", ',', 2},
        {"a;b\n1,5;2,5\n3,5;4,5\n", ';', 2}, /* decimal commas */
        {"a\tb\n1\t2;3\n4\t5;6\n", '\t', 2},
        {"a|b|c\n1|2|3\n", '|', 3},
        {"a;b\n\"x;y\";1\n\"z,\nw\";2\n", ';', 2}, /* inside of quotes nothing counts */
        {"luas\n12,5\n145,00\n5.25\n", ',', 1},
        {"waktu,nama\n08:30:00,a\n09:30:00,b\n", ',', 2},
    };
    for (size_t i = 0; i < ODP_COUNT(table); i++) {
        struct odp_draft *d = draft_of(table[i].text);
        print_message("%s", table[i].text);
        assert_non_null(d);
        assert_int_equal(d->n, table[i].columns);
        if (table[i].columns > 1)
            assert_int_equal(d->delimiter, table[i].delimiter);
        odp_draft_free(d);
    }
    assert_null(draft_of(""));
    assert_null(draft_of("a,b\n"));
    assert_null(draft_of("%PDF-1.4 x\n"));
}

TEST(shapes)
{
    static const struct {
        const char *a, *b, *pattern;
    } table[] = {
        {"31.71-0001", "11.01-12345", "[0-9]{2}\\.[0-9]{2}-[0-9]{4,5}"},
        {"AB/1", "CD/9", "[A-Z]{2}/[0-9]"},
        {"x", "x", "[a-z]"},
        {"1", "A", NULL},
        {"1 2", "3 4", NULL},
        {"1.2", "1", NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(table); i++) {
        struct shape s = {0};
        struct odp_buffer b = {0};
        shape_take(&s, odp_slice_of(table[i].a));
        shape_take(&s, odp_slice_of(table[i].b));
        assert_int_equal(s.none, table[i].pattern == NULL);
        shape_pattern(&s, &b);
        if (table[i].pattern != NULL)
            assert_string_equal(odp_buffer_cstr(&b), table[i].pattern);
        odp_buffer_release(&b);
    }
}

TEST(names)
{
    static const char *const table[][2] = {
        {"Data Rumah 2024 (final)", "data-rumah-2024-final"},
        {"index", "data-index"},
        {"--", "dataset"},
        {"Café", "cafe"},
        {"ABC_def", "abc-def"},
    };
    struct odp_arena a = {0};
    for (size_t i = 0; i < ODP_COUNT(table); i++) {
        assert_string_equal(odp_draft_slug_of(table[i][0], &a), table[i][1]);
        assert_true(odp_draft_slug_ok(table[i][1]));
    }
    assert_false(odp_draft_slug_ok("Rumah"));
    assert_false(odp_draft_slug_ok("references"));
    assert_true(odp_name_has("kode_kab", "kab prov"));
    assert_false(odp_name_has("kode_kabupaten", "kab prov"));
    odp_arena_release(&a);
}

TEST(sets)
{
    struct distinct d = {0}, of = {0};
    size_t budget = DISTINCT_BUDGET;
    char text[16];
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(text, sizeof text, "%d", i % 3000);
        bool fresh =
            distinct_add(&d, distinct_hash((struct odp_slice){text, (size_t)n}), DISTINCT_MOST, &budget);
        assert_int_equal(fresh, i < 3000);
        if (i < 1000)
            (void)distinct_add(&of, distinct_hash((struct odp_slice){text, (size_t)n}), 100, &budget);
    }
    assert_int_equal(d.n, 3000);
    assert_true(d.repeated);
    assert_true(of.full); /* beyond its bound it only says "more than" */
    assert_int_equal(of.n, 101);
    assert_int_equal(distinct_common(&d, &d), 3000);
    distinct_drop(&d, &budget);
    distinct_drop(&of, &budget);
    assert_int_equal(budget, DISTINCT_BUDGET);
    size_t small = 64 * 8;
    for (int i = 0; i < 100 && !d.full; i++)
        (void)distinct_add(&of, (uint64_t)i + 1, DISTINCT_MOST, &small);
    assert_true(of.full);
    distinct_drop(&of, &small);
}
