/* The expression language: what it accepts, where its faults point, what it says of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalog/expr/expr.h"

#define FIELD(n, t)                                                                                          \
    {                                                                                                        \
        .name = n, .source_name = n, .type = t                                                               \
    }
static struct odp_field fields[] = {
    FIELD("a", ODP_TYPE_NUMBER),         FIELD("b", ODP_TYPE_INTEGER),
    FIELD("nama", ODP_TYPE_STRING),      FIELD("tanggal", ODP_TYPE_DATE),
    FIELD("saat", ODP_TYPE_DATETIME),    FIELD("jam", ODP_TYPE_TIME),
    FIELD("aktif", ODP_TYPE_BOOLEAN),    FIELD("bulan", ODP_TYPE_YEARMONTH),
    FIELD("tahun", ODP_TYPE_YEAR),       FIELD("lama", ODP_TYPE_DURATION),
    FIELD("isi", ODP_TYPE_OBJECT),       FIELD("luas_ha", ODP_TYPE_NUMBER),
    FIELD("nama lain", ODP_TYPE_STRING), FIELD("in", ODP_TYPE_NUMBER),
    FIELD("kosong", ODP_TYPE_NUMBER),    FIELD("tanggal2", ODP_TYPE_DATE),
};
enum { NFIELDS = sizeof fields / sizeof *fields };
static const struct odp_schema schema = {.fields = fields, .n = NFIELDS};

/* One record; NULL is null. Fields as above. */
static const char *const record[NFIELDS] = {
    "12.50",      "7",    "Kel. Menteng", "2024-03-15", "2024-03-15T07:05:00+07:00",
    "07:05:00",   "true", "2024-03",      "2024",       "P1Y",
    "{}",         "3.25", "Café",         "1",          NULL,
    "2024-03-16",
};

static enum odp_status compile(struct odp_arena *a, const char *text, const struct odp_expr **e,
                               struct odp_expr_fault *f)
{
    return odp_expr_compile(a, odp_slice_of(text), &schema, e, f);
}

/* F, T or U for each of N records, all with the values of VALUES; BAD marks field 0 of the last one. */
static char eval(const char *text, const char *const *values, bool bad)
{
    enum { N = 300 };
    struct odp_arena arena, scratch;
    struct odp_batch b = {.nrecords = N};
    const struct odp_expr *e = NULL;
    struct odp_expr_fault fault;
    uint8_t out[N];
    odp_arena_init(&arena);
    odp_arena_init(&scratch);
    if (compile(&arena, text, &e, &fault) != ODP_OK)
        fail_msg("%s: %s", text, fault.message.in[ODP_LANG_EN]);
    b.columns = calloc(NFIELDS, sizeof *b.columns);
    assert_non_null(b.columns);
    for (int f = 0; f < NFIELDS; f++) {
        b.columns[f].text = calloc(N, sizeof(struct odp_slice));
        b.columns[f].state = calloc(N, 1);
        assert_non_null(b.columns[f].text);
        assert_non_null(b.columns[f].state);
        for (int i = 0; i < N; i++) {
            b.columns[f].text[i] = odp_slice_of(values[f]);
            b.columns[f].state[i] = values[f] == NULL ? ODP_VALUE_NULL
                                    : bad && f == 0   ? ODP_VALUE_BAD
                                                      : ODP_VALUE_OK;
        }
    }
    assert_int_equal(odp_expr_eval(e, &b, &scratch, out), ODP_OK);
    for (int i = 1; i < N; i++)
        assert_int_equal(out[i], out[0]);
    for (int f = 0; f < NFIELDS; f++) {
        free(b.columns[f].text);
        free(b.columns[f].state);
    }
    free(b.columns);
    odp_arena_release(&arena);
    odp_arena_release(&scratch);
    return "FTU"[out[0]];
}

static void test_truth(void **state)
{
    static const struct {
        const char *text;
        char want;
    } cases[] = {
        /* comparison, by value */
        {"a = 12.5", 'T'},
        {"a = 12.500000000000000000001", 'F'},
        {"a <> 12.5", 'F'},
        {"a > b", 'T'},
        {"b >= 7", 'T'},
        {"b < 7.0", 'F'},
        {"b <= 7e0", 'T'},
        {"a = 1.25e1", 'T'},
        {"a > -12.5", 'T'},
        {"-a < - -1", 'T'},
        {"+b = 7", 'T'},
        {"a < .5", 'F'},
        {"5. < b", 'T'},
        {"1 = 1", 'T'},
        {"1 > 2", 'F'},
        /* null */
        {"kosong = 1", 'U'},
        {"kosong <> 1", 'U'},
        {"NOT kosong = 1", 'U'},
        {"kosong = kosong", 'U'},
        {"kosong IS NULL", 'T'},
        {"kosong is not null", 'F'},
        {"kosong = 1 AND a = 0", 'F'},
        {"kosong = 1 AND a > 0", 'U'},
        {"kosong = 1 OR a > 0", 'T'},
        {"kosong = 1 OR a = 0", 'U'},
        {"kosong + 1 IS NULL", 'T'},
        {"a / 0 IS NULL", 'T'},
        {"a / 0 = 1", 'U'},
        {"(kosong = 1) IS NULL", 'T'},
        {"1 / 0 IS NULL", 'T'},
        {"kosong IN (1, 2)", 'U'},
        {"a IN (1, kosong)", 'U'},
        {"a IN (kosong, 12.5)", 'T'},
        {"a NOT IN (1, kosong)", 'U'},
        {"a NOT IN (kosong, 12.5)", 'F'},
        {"kosong BETWEEN 1 AND 2", 'U'},
        {"a BETWEEN kosong AND 5", 'F'},
        {"a BETWEEN kosong AND 50", 'U'},
        {"a NOT BETWEEN kosong AND 5", 'T'},
        /* arithmetic: precedence, exactness */
        {"a + b * 2 = 26.5", 'T'},
        {"(a + b) * 2 = 39", 'T'},
        {"10 - 4 - 3 = 3", 'T'},
        {"100 / 10 / 5 = 2", 'T'},
        {"0.1 + 0.2 = 0.3", 'T'},
        {"a - 12.5 = 0", 'T'},
        {"1 / 3 = 0.33333333333333333333", 'T'},
        {"2 / 3 = 0.66666666666666666667", 'T'},
        {"1 / 3 * 3 = 1", 'F'},
        {"1 / 8 = 0.125", 'T'},
        {"-1 / 3 = -0.33333333333333333333", 'T'},
        {"7 / 2 * 2 = b", 'T'},
        {"-85070591730234615865843651857942052864 * 2 IS NULL", 'T'},
        {"b - -1 = 8", 'T'},
        /* text */
        {"nama = 'Kel. Menteng'", 'T'},
        {"nama < 'Kem'", 'T'},
        {"nama = 'kel. menteng'", 'F'},
        {"CASEI(nama) = casei('KEL. menteng')", 'T'},
        {"'it''s' = 'it\\'s'", 'T'},
        {"\"nama lain\" = 'Café'", 'T'},
        {"CASEI(\"nama lain\") = CASEI('CAFÉ')", 'T'},
        {"CASEI('Οδος') = CASEI('ΟΔΟΣ')", 'T'},
        {"CASEI('Straße') IN (CASEI('x'), CASEI('STRASSE'))", 'T'},
        {"CASEI('Москва') = CASEI('МОСКВА')", 'T'},
        {"CASEI('\xce\x90') = '\xce\xb9\xcc\x88\xcc\x81'", 'T'},
        {"CASEI('København') LIKE CASEI('KØB%')", 'T'},
        {"CASEI('İ') = 'i̇'", 'T'},
        {"CASEI('ﬃ') = 'ffi'", 'T'},
        {"CASEI('ꭰ') = 'Ꭰ'", 'T'},
        {"CASEI('𐐀') = '𐐨'", 'T'},
        {"CASEI('漢字😀') = '漢字😀'", 'T'},
        {"\"in\" = 1", 'T'},
        {"nama = ''", 'F'},
        {"nama LIKE 'Kel.%'", 'T'},
        {"nama LIKE 'kel.%'", 'F'},
        {"nama NOT LIKE 'Kel.%'", 'F'},
        {"nama LIKE '%Ment_ng'", 'T'},
        {"nama LIKE '%'", 'T'},
        {"nama LIKE ''", 'F'},
        {"\"nama lain\" LIKE 'Caf_'", 'T'},
        {"\"nama lain\" LIKE 'Caf__'", 'F'},
        {"'50%' LIKE '50\\%'", 'T'},
        {"'500' LIKE '50\\%'", 'F'},
        {"'a\\\\b' LIKE 'a\\\\\\\\b'", 'T'},
        {"'a\\y' = 'a\\\\y'", 'T'},
        {"'\\a\\b\\t\\n\\v\\f\\r' = '\a\b\t\n\v\f\r'", 'T'},
        {"'x\\\\' LIKE '%\\\\\\\\'", 'T'},
        {"'a\\\\''b' = 'a\\\\\\'b'", 'T'},
        {"'50\\\\%' LIKE '50\\\\\\\\\\\\%'", 'T'},
        {"nama LIKE '%e%e%'", 'T'},
        {"nama LIKE '%e%e%e%'", 'T'},
        {"nama LIKE '%e%e%e%e%'", 'F'},
        {"CASEI(nama) LIKE CASEI('KEL%')", 'T'},
        {"nama IN ('x', 'Kel. Menteng')", 'T'},
        {"nama not in ('x')", 'T'},
        /* dates, times */
        {"tanggal = '2024-03-15'", 'T'},
        {"tanggal < DATE('2024-03-16')", 'T'},
        {"tanggal2 >= tanggal", 'T'},
        {"tanggal BETWEEN '2024-01-01' AND '2024-12-31'", 'T'},
        {"'2024-03-15' = tanggal", 'T'},
        {"tanggal IN ('2023-01-01','2024-03-15')", 'T'},
        {"saat = TIMESTAMP('2024-03-15T00:05:00Z')", 'T'},
        {"saat = '2024-03-15T08:05:00+08:00'", 'T'},
        {"saat < '2024-03-15T00:05:00.5Z'", 'T'},
        {"jam = '07:05:00'", 'T'},
        {"jam = '07:05:00.000'", 'T'},
        {"jam < '10:00:00'", 'T'},
        {"bulan >= '2023-12'", 'T'},
        {"tahun >= 2020", 'T'},
        {"tahun - 1 = 2023", 'T'},
        {"lama = 'P1Y'", 'T'},
        {"lama <> 'P2Y'", 'T'},
        {"date('2024-02-29') > DATE('2023-12-31')", 'T'},
        /* truth values */
        {"aktif", 'T'},
        {"NOT aktif", 'F'},
        {"aktif = TRUE", 'T'},
        {"aktif <> false", 'T'},
        {"not (a = 1 or b <> 7)", 'T'},
        {"TRUE", 'T'},
        {"false OR true", 'T'},
        {"a = 1 OR b = 7 AND a = 12.5", 'T'},
        {"(a = 1 OR b = 7) AND a = 1", 'F'},
        {"isi IS NOT NULL", 'T'},
        {"NOT NOT aktif", 'T'},
        {"(a = 12.5) = aktif", 'T'},
        {"aktif > FALSE", 'T'},
        {"aktif > true", 'F'},
        {"aktif >= TRUE", 'T'},
        {"aktif < TRUE", 'F'},
        {"FALSE <= aktif", 'T'},
        {"aktif BETWEEN FALSE AND TRUE", 'T'},
        {"(kosong = 1) < TRUE", 'U'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (eval(cases[i].text, record, false) != cases[i].want)
            fail_msg("%s: %c instead of %c", cases[i].text, eval(cases[i].text, record, false),
                     cases[i].want);
}

/* Numbers at and beyond 38 digits. */
static void test_wide(void **state)
{
    static const struct {
        const char *a, *b, *text;
        char want;
    } cases[] = {
        {"99999999999999999999999999999999999999", "1", "a + b > a",
         'U'}, /* 10^38 has 39 digits before the point: null */
        {"99999999999999999999999999999999999998", "1", "a + b > a", 'T'},
        {"123456789012345678901234567890123456789012345678901234567890",
         "123456789012345678901234567890123456789012345678901234567891", "a < b", 'T'},
        {"123456789012345678901234567890123456789012345678901234567890",
         "-123456789012345678901234567890123456789012345678901234567890", "a > b", 'T'},
        {"0.00000000000000000000000000000000000000000000000000000001", "0", "a > b", 'T'},
        {"-0.00000000000000000000000000000000000000000000000000000001",
         "0.00000000000000000000000000000000000000000000000000000001", "a < b", 'T'},
        {"1e40", "10000000000000000000000000000000000000000", "a = b", 'T'},
        {"1e40", "1e39", "a * 1 > b", 'U'},
        {"1e-30", "1e-30", "a * b = 0", 'T'},
        {"12345678901234567890.12345678901234567890", "1", "a * b = 12345678901234567890.123456789012345679",
         'T'}, /* half even at 38 digits */
        {"1234567890123456789", "9876543210987654321", "a * b = 12193263113702179522374638011112635269", 'T'},
        {"1234567890123456789.5", "9876543210987654321.5", "a * b > 12193263113702179522374638011112635269",
         'T'},
        {"100000000000000000000", "3", "a / b = 33333333333333333333.333333333333333333", 'T'},
        {"1", "30000000000000000000000000000000000000", "a / b = 0", 'T'},
        {"99999999999999999999999999999999999999", "0.01", "a / b IS NULL", 'T'},
        {"0.5", "10000000000000000000000000000000000000", "a / b * b = 0", 'T'},
        {"1", "1e20", "a / b = 0.00000000000000000001", 'T'},
        {"1", "2e20", "a / b = 0", 'T'},
        {"3", "2e20", "a / b = 0.00000000000000000002", 'T'}, /* half even: 0.5 and 1.5 units */
        {"1e37", "1e-38", "a > b", 'T'},
        {"-1e37", "1e-38", "a < b", 'T'},
        {"1e37", "1e-38", "a + b = a", 'T'},
        {"-0", "0", "a = b", 'T'},
        {"-1e37", "-1e-38", "a > b", 'F'},
        {"1e400", "1e399", "a > b", 'T'},
        {"1e400", "1", "a > 1e399 AND a < 1e401", 'T'},
        {"1e400", "1", "-a < -1e399", 'U'},
        {"-1e400", "1", "a < -1e399", 'T'},
    };
    const char *values[NFIELDS];
    memcpy(values, record, sizeof values);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        values[0] = cases[i].a;
        values[1] = cases[i].b;
        char got = eval(cases[i].text, values, false);
        if (got != cases[i].want)
            fail_msg("%s with %s and %s: %c instead of %c", cases[i].text, cases[i].a, cases[i].b, got,
                     cases[i].want);
    }
}

static void test_bad_is_unknown(void **state)
{
    assert_int_equal(eval("a = 1 OR b = 7", record, true), 'U');
    assert_int_equal(eval("a IS NULL", record, true), 'U');
    assert_int_equal(eval("b = 7", record, true), 'T');
}

static const struct odp_expr_scope plain = {.schema = &schema};

/* TEXT with the guilty bytes between « and »; a part of the English message; a part of the Indonesian one. */
static void expect_fault(const struct odp_expr_scope *scope, const char *marked, const char *en,
                         const char *id)
{
    const char *open = strstr(marked, "«"), *close = strstr(marked, "»");
    char text[200];
    size_t at = (size_t)(open - marked), len = (size_t)(close - open) - 2;
    snprintf(text, sizeof text, "%.*s%.*s%s", (int)at, marked, (int)len, open + 2, close + 2);
    struct odp_arena arena;
    const struct odp_expr *e = NULL;
    struct odp_expr_fault fault = {0};
    odp_arena_init(&arena);
    if (odp_expr_compile_in(&arena, odp_slice_of(text), scope, &e, &fault) != ODP_BAD)
        fail_msg("%s: accepted", text);
    if (fault.at != at || fault.len != len || strstr(fault.message.in[ODP_LANG_EN], en) == NULL ||
        strstr(fault.message.in[ODP_LANG_ID], id) == NULL)
        fail_msg("%s: fault at %zu+%zu instead of %zu+%zu (%s / %s)", text, fault.at, fault.len, at, len,
                 fault.message.in[ODP_LANG_EN], fault.message.in[ODP_LANG_ID]);
    odp_arena_release(&arena);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text, *en, *id;
    } cases[] = {
        {"«»", "empty", "kosong"},
        {"«   »", "empty", "kosong"},
        {"«luas» > 1", "there is no field luas", "tidak ada bidang luas"},
        {"«luas_hs» > 1", "perhaps luas_ha?", "mungkin luas_ha?"},
        {"«Nama» = 'x'", "perhaps nama?", "mungkin nama?"},
        {"«zzzzzzzzzz» = 1", "no field", "tidak ada bidang"},
        {"a = «'5'»", "without quotes", "tanpa tanda kutip"},
        {"nama = «5»", "between quotes", "tanda kutip"},
        {"«nama = a»", "cannot be compared", "tidak dapat dibandingkan"},
        {"tanggal = «'15/03/2024'»", "not a valid date", "bukan tanggal"},
        {"tanggal > «'2023-02-29'»", "not a valid date", "bukan tanggal"},
        {"tanggal = «5»", "cannot be compared", "tidak dapat"},
        {"«saat > tanggal»", "cannot be compared", "tidak dapat"},
        {"saat > «'2024-03-15T00:00:00'»", "date and time", "tanggal dan waktu"},
        {"DATE(«'x'») = tanggal", "not a valid date", "bukan tanggal"},
        {"DATE(«5») = tanggal", "text between quotes", "teks"},
        {"jam > «'25:00:00'»", "valid time", "waktu"},
        {"bulan = «'2024'»", "year and month", "tahun dan bulan"},
        {"«isi» = 'x'", "only IS NULL", "hanya IS NULL"},
        {"'x' = «isi»", "only IS NULL", "hanya IS NULL"},
        {"«lama < 'P2Y'»", "no order", "urutan"},
        {"a = «NULL»", "IS NULL", "IS NULL"},
        {"a «!=» 1", "<>", "<>"},
        {"aktif «&&» aktif", "AND", "AND"},
        {"aktif «||» aktif", "OR", "OR"},
        {"a = 1 «;»", "no meaning", "arti"},
        {"a < b «<» 3", "chained", "dirangkai"},
        {"(a = 1«»", "closing parenthesis", "kurung tutup"},
        {"a = 1«)»", "AND, OR", "AND, OR"},
        {"a =«»", "breaks off", "terputus"},
        {"a = 1 «b» = 2", "AND, OR", "AND, OR"},
        {"«a + b»", "a boolean is needed here, not a number", "diperlukan benar/salah, bukan bilangan"},
        {"NOT «a»", "boolean", "benar/salah"},
        {"a = 1 AND «b»", "boolean", "benar/salah"},
        {"«nama» + 1 = 2", "number is needed", "diperlukan bilangan"},
        {"-«nama» = 1", "number is needed", "diperlukan bilangan"},
        {"nama = «'x»", "never closed", "tidak ditutup"},
        {"«\"nama = 1»", "never closed", "tidak ditutup"},
        {"a > «12h»a", "not a number", "bilangan"},
        {"a > «1.2.»3", "not a number", "bilangan"},
        {"nama LIKE «a»", "must be a text", "harus teks"},
        {"nama LIKE «'x\\'»", "never closed", "tidak ditutup"},
        {"«a» LIKE 'x'", "text is needed", "diperlukan teks"},
        {"a IN «5»", "opening", "kurung buka"},
        {"a IN (1 «2»)", "comma", "koma"},
        {"a IN («'x'»)", "without quotes", "tanpa tanda kutip"},
        {"a NOT «=» 1", "BETWEEN, LIKE", "BETWEEN, LIKE"},
        {"a BETWEEN 1 «OR» 2", "upper bound", "batas atas"},
        {"a IS «5»", "NULL", "NULL"},
        {"«foo»(a) = 1", "no function foo", "tidak ada fungsi foo"},
        {"«S_INTERSECTS»(isi, isi)", "no geometry", "tidak punya geometri"},
        {"a = «\xFF»", "not UTF-8", "bukan UTF-8"},
        {"a = 12«,»5", "", ""},
        {"CASEI(«a») = 'x'", "text is needed", "diperlukan teks"},
        {"«kosong.x» = 1", "no field", "tidak ada bidang"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_fault(&plain, cases[i].text, cases[i].en, cases[i].id);
}

/* HEAD, N times PART, TAIL. */
static char *repeat(const char *head, const char *part, size_t n, const char *tail)
{
    size_t len = strlen(part);
    char *s = malloc(strlen(head) + len * n + strlen(tail) + 1), *p = s;
    assert_non_null(s);
    p += sprintf(p, "%s", head);
    for (size_t i = 0; i < n; i++, p += len)
        memcpy(p, part, len);
    strcpy(p, tail);
    return s;
}

static void test_size(void **state)
{
    static const struct {
        const char *head, *part, *tail, *fault;
        size_t n;
    } cases[] = {
        {"a = 1", " OR a=12.5", "", NULL, 6000}, {"a IN (1", ",12.5", ")", NULL, 10000},
        {"a > 0", " + 1", "", "boolean", 10000}, {"", "(", "", "100", 101},
        {"", "(", "", "expected", 99},           {"", "NOT ", "aktif", "100", 101},
        {"a = ", "-", "1", "100", 20000},        {"", "CASEI(", "", "100", 5000},
        {"nama = '", "x", "'", "65,536", 70000}, {"nama IN (''", ",''", ")", NULL, 20000},
        {"", " ", "", "empty", 60000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeat(cases[i].head, cases[i].part, cases[i].n, cases[i].tail);
        struct odp_arena arena;
        const struct odp_expr *e;
        struct odp_expr_fault fault;
        odp_arena_init(&arena);
        enum odp_status status = compile(&arena, text, &e, &fault);
        assert_int_equal(status, cases[i].fault == NULL || i == 2 ? ODP_OK : ODP_BAD);
        if (status == ODP_BAD && strstr(fault.message.in[ODP_LANG_EN], cases[i].fault) == NULL)
            fail_msg("case %zu: %s", i, fault.message.in[ODP_LANG_EN]);
        odp_arena_release(&arena);
        if (status == ODP_OK && i < 2)
            assert_int_equal(eval(text, record, false), 'T');
        free(text);
    }
}

static void test_fields(void **state)
{
    struct odp_arena arena;
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    size_t n;
    odp_arena_init(&arena);
    assert_int_equal(compile(&arena, "b = 1 OR a = b AND luas_ha < 3", &e, &fault), ODP_OK);
    const uint32_t *f = odp_expr_fields(e, &n);
    assert_int_equal(n, 3);
    assert_int_equal(f[0], 1);
    assert_int_equal(f[1], 0);
    assert_int_equal(f[2], 11);
    odp_arena_release(&arena);
}

/* Records: a point in the box, one outside, none, one whose geometry was reported. */
static void test_geometry(void **state)
{
    static double in[2] = {106.8, -6.2}, out[2] = {110, 0};
    static uint32_t part[2] = {0, 1};
    static const struct odp_geom points[2] = {{.type = ODP_GEOM_POINT,
                                               .npoints = 1,
                                               .nparts = 1,
                                               .xy = in,
                                               .part = part,
                                               .bbox = {106.8, -6.2, 106.8, -6.2}},
                                              {.type = ODP_GEOM_POINT,
                                               .npoints = 1,
                                               .nparts = 1,
                                               .xy = out,
                                               .part = part,
                                               .bbox = {110, 0, 110, 0}}};
    const struct odp_geom *geometry[4] = {&points[0], &points[1], NULL, NULL};
    struct odp_record records[4] = {
        {.row = 1}, {.row = 2}, {.row = 3}, {.row = 4, .flags = ODP_RECORD_GEOMETRY_BAD}};
    struct odp_column columns[NFIELDS] = {0};
    struct odp_batch b = {.nrecords = 4, .columns = columns, .records = records, .geometry = geometry};
    static const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry"};
    static const struct {
        const char *text, *want, *bare; /* BARE: of a batch without geometries */
    } cases[] = {
        {"S_INTERSECTS(geometry, BBOX(106,-7,107,-6))", "TFUU", "UUUU"},
        {"s_intersects(BBOX(106,-7,107,-6),\"geometry\")", "TFUU", "UUUU"},
        {"NOT S_INTERSECTS(geometry, BBOX(106,-7,107,-6))", "FTUU", "UUUU"},
        {"S_DISJOINT(geometry, POLYGON((106 -7, 107 -7, 107 -6, 106 -6, 106 -7)))", "FTUU", "UUUU"},
        {"geometry IS NULL", "FFTU", "TTTU"},
        {"geometry IS NOT NULL", "TTFU", "FFFU"},
        {"S_WITHIN(geometry, BBOX(106,-7,107,-6)) OR TRUE", "TTTU", "TTTU"},
        {"S_INTERSECTS(geometry, BBOX(106,-7,107,-6)) IS NULL", "FFTU", "TTTU"},
        {"S_EQUALS(geometry, POINT(110 0))", "FTUU", "UUUU"},
        {"S_INTERSECTS(geometry, BBOX(106,-7,107,-6)) = S_INTERSECTS(geometry, BBOX(100,-10,120,10))", "TFUU",
         "UUUU"},
        {"TRUE", "TTTT", "TTTT"},
    };
    static const struct {
        const char *text, *en, *id;
    } faults[] = {
        {"S_INTERSECTS(geometry, «geometry»)", "geometry is expected here, or", "atau geometri"},
        {"S_INTERSECTS(«a», POINT(1 2))", "geometry is expected", "geometry"},
        {"S_INTERSECTS(POINT(1 2), «POINT»(1 2))", "one of both must be geometry", "salah satu"},
        {"S_INTERSECTS(geometry«)»", "a comma", "koma"},
        {"S_INTERSECTS(geometry, POINT(1 2)«,» 3)", "closing parenthesis", "kurung tutup"},
        {"S_INTERSECTS(geometry, «5»)", "geometry is expected", "geometry"},
        {"«geometry» = 1", "only IS NULL", "hanya IS NULL"},
        {"S_INTERSECTS(geometry, «'POINT(1 2)'»)", "geometry is expected", "geometry"},
        {"S_INTERSECTS(geometry,«»", "geometry is expected", "geometry"},
        {"«geometri» IS NULL", "perhaps geometry?", "mungkin geometry?"},
        {"S_INTERSECTS(geometry, POINT(1 2)) = «1»", "cannot be compared", "tidak dapat"},
        {"«S_MEETS»(geometry, POINT(1 2))", "no function", "fungsi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_arena arena, scratch;
        const struct odp_expr *e;
        struct odp_expr_fault fault;
        uint8_t truth[4];
        odp_arena_init(&arena);
        odp_arena_init(&scratch);
        if (odp_expr_compile_in(&arena, odp_slice_of(cases[i].text), &scope, &e, &fault) != ODP_OK)
            fail_msg("%s: %s", cases[i].text, fault.message.in[ODP_LANG_EN]);
        for (int bare = 0; bare < 2; bare++) {
            b.geometry = bare ? NULL : geometry;
            assert_int_equal(odp_expr_eval(e, &b, &scratch, truth), ODP_OK);
            for (int r = 0; r < 4; r++)
                if ("FTU"[truth[r]] != (bare ? cases[i].bare : cases[i].want)[r])
                    fail_msg("%s: record %d (bare %d) is %c", cases[i].text, r, bare, "FTU"[truth[r]]);
        }
        odp_expr_release(e);
        odp_arena_release(&arena);
        odp_arena_release(&scratch);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        expect_fault(&scope, faults[i].text, faults[i].en, faults[i].id);
}

/* Deterministic rubbish, from the words of the language: nothing may crash, and a fault lies inside the text.
 */
static void test_rubbish(void **state)
{
    static const char *const words[] = {"a",
                                        "b",
                                        "nama",
                                        "tanggal",
                                        "saat",
                                        "aktif",
                                        "isi",
                                        "lama",
                                        "(",
                                        ")",
                                        ",",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "=",
                                        "<>",
                                        "<",
                                        ">=",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "IN",
                                        "LIKE",
                                        "BETWEEN",
                                        "IS",
                                        "NULL",
                                        "TRUE",
                                        "DATE(",
                                        "CASEI(",
                                        "'x'",
                                        "'%_\\%'",
                                        "'2024-01-01'",
                                        "12",
                                        "1e999",
                                        "0.0001",
                                        "99999999999999999999999999999999999999999",
                                        "\"nama lain\"",
                                        "'",
                                        "\"",
                                        "é"};
    uint64_t seed = 42;
    size_t good = 0;
    for (int round = 0; round < 60000; round++) {
        char text[400];
        size_t len = 0, count = 1 + (seed >> 33) % 12;
        for (size_t k = 0; k < count; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            len += (size_t)snprintf(text + len, sizeof text - len, "%s ",
                                    words[(seed >> 33) % (sizeof words / sizeof *words)]);
        }
        struct odp_arena arena;
        const struct odp_expr *e = NULL;
        struct odp_expr_fault fault;
        odp_arena_init(&arena);
        enum odp_status status = compile(&arena, text, &e, &fault);
        assert_int_not_equal(status, ODP_FAIL);
        if (status == ODP_BAD && (fault.at > len || fault.len > len - fault.at))
            fail_msg("%s: fault outside", text);
        odp_arena_release(&arena);
        if (status == ODP_OK && ++good < 400)
            (void)eval(text, record, false);
    }
    assert_true(good > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),          cmocka_unit_test(test_wide),
        cmocka_unit_test(test_bad_is_unknown), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_size),           cmocka_unit_test(test_fields),
        cmocka_unit_test(test_geometry),       cmocka_unit_test(test_rubbish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
