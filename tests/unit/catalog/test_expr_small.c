/* Batches against single records: strips with numbers in the small form give what struct num gives, row by row, whatever lies beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "catalog/expr/expr_internal.h"

static uint64_t seed = 0x9E3779B97F4A7C15u;

static unsigned below(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % n;
}

enum { A, B, C, YEAR, DAY, DAY2, MOMENT, MOMENT2, HOUR, MONTH, FLAG, NAME, NAME2, NFIELDS, ROWS = 700 };
#define FIELD(n, t) {.name = n, .source_name = n, .type = t}
static struct odp_field fields[NFIELDS] = {
    FIELD("a", ODP_TYPE_NUMBER),        FIELD("b", ODP_TYPE_INTEGER),         FIELD("c", ODP_TYPE_NUMBER),          FIELD("tahun", ODP_TYPE_YEAR),
    FIELD("tanggal", ODP_TYPE_DATE),    FIELD("tanggal2", ODP_TYPE_DATE),     FIELD("saat", ODP_TYPE_DATETIME),     FIELD("saat2", ODP_TYPE_DATETIME),
    FIELD("jam", ODP_TYPE_TIME),        FIELD("bulan", ODP_TYPE_YEARMONTH),   FIELD("aktif", ODP_TYPE_BOOLEAN),     FIELD("nama", ODP_TYPE_STRING),
    FIELD("nama2", ODP_TYPE_STRING),
};
static const struct odp_schema schema = {.fields = fields, .n = NFIELDS};

static const char *const expressions[] = {
    "a = b", "a < b", "a >= c", "a <> c", "a + b = c", "a - b < c", "a * b >= c", "a * c * b <= a", "a / b > c", "-a < b", "a + 1 = 13.5", "2 * b = a", "a IS NULL", "a + b IS NOT NULL",
    "a BETWEEN 1 AND 20", "a NOT BETWEEN b AND c", "12 BETWEEN a AND c", "a IN (1, 2.50, 12.5, b)", "b NOT IN (1, 2, c)", "a = 12345678901234567890123456789", "a < 1e30", "a > 0.0000000000000000001",
    "a + 99999999999999999999 > c", "a * 1000000000000 > b", "0.000000000001 * a * c < b", "tahun >= 2020", "tahun - 1 = b", "tanggal < tanggal2", "tanggal = DATE('2024-03-15')",
    "tanggal BETWEEN '2020-01-01' AND '2024-12-31'", "tanggal IN ('2024-03-15', tanggal2)", "saat >= saat2", "saat = '2024-03-15T08:05:00+08:00'", "saat < TIMESTAMP('2024-03-15T00:05:00.5Z')",
    "jam < '10:00:00'", "bulan >= '2023-12'", "tanggal IS NULL OR bulan IS NULL", "aktif AND a > b", "aktif = TRUE OR nama = 'Selesai'", "NOT aktif", "nama <> 'Selesai' OR a = 100", "nama = nama2",
    "nama < nama2", "nama IN ('Selesai', 'Berjalan', nama2)", "nama LIKE 'S%'", "CASEI(nama) = CASEI(nama2)", "(nama = 'Selesai' AND a < 38) OR (nama = 'Berjalan' AND a BETWEEN 38 AND 59) OR (nama = '' AND a >= 60)",
    "(a > b) = aktif", "(a > b) IS NULL", "(a = 1 OR b = 2) AND (c = 3 OR aktif)", "1 = 1 AND a = 1", "1 + 1 = b", "1 = 2 OR b = 1", "1 / 3 < a", "a + (b - (c * 2)) > 0", "a = 12.5 AND NOT (b IN (7) OR c IS NULL)"};

static const char *const numbers[] = {"0", "1", "2", "7", "12.5", "12.50", "-12.5", "100", "38", "59.999", "0.1", "-0", "-0.0", "123456789012345678", "0.123456789012345678", "999999999999999999", "-999999999999999999"};
static const char *const wide[] = {"1234567890123456789", "12345678901234567890123456789012345678", "1e20", "1.5E-3", "123456789012345678901234567890123456789012345", "0.0000000000000000000000000000000000000000001", "1e400", "-1e-400"};
static const char *const dates[] = {"2024-03-15", "2024-03-16", "0001-01-01", "9999-12-31", "1969-12-31", "2000-02-29"};
static const char *const moments[] = {"2024-03-15T07:05:00+07:00", "2024-03-15T00:05:00Z", "2024-03-15T00:05:00.5Z", "2024-03-15T08:05:00+08:00", "2024-03-14T19:05:00-05:00", "1500-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "1700-01-01T00:00:00+14:00", "2200-12-31T23:59:59-11:30", "2201-01-01T00:00:00Z"};
static const char *const hours[] = {"07:05:00", "10:00:00", "09:59:59.999999999", "00:00:00"};
static const char *const months[] = {"2023-12", "2024-01", "0001-01"};
static const char *const names[] = {"Selesai", "Berjalan", "selesai", "", "Sélesai", "Selesai ", "Se"};
#define ANY(list) list[below(sizeof list / sizeof *list)]

/* WILD: in so many per cent a number is none of 64 bits. */
static const char *value_of(enum odp_type type, unsigned wild)
{
    static char room[64];
    switch (type) {
    case ODP_TYPE_NUMBER:
    case ODP_TYPE_INTEGER:
        if (below(100) < wild)
            return ANY(wide);
        if (below(3) > 0)
            return ANY(numbers);
        snprintf(room, sizeof room, "%s%u.%0*u", below(2) ? "-" : "", below(300), 1 + (int)below(6), below(10));
        return room;
    case ODP_TYPE_YEAR:
        return below(2) ? "2020" : "2019";
    case ODP_TYPE_DATE:
        return ANY(dates);
    case ODP_TYPE_DATETIME:
        return wild > 0 ? ANY(moments) : moments[below(2)];
    case ODP_TYPE_TIME:
        return ANY(hours);
    case ODP_TYPE_YEARMONTH:
        return ANY(months);
    case ODP_TYPE_BOOLEAN:
        return below(2) ? "true" : "false";
    default:
        return ANY(names);
    }
}

struct table {
    struct odp_arena arena;
    struct odp_batch batch;
    struct odp_column columns[NFIELDS];
};

static void table_make(struct table *t, unsigned wild, unsigned nulls)
{
    odp_arena_reset(&t->arena);
    t->batch = (struct odp_batch){.nrecords = ROWS, .columns = t->columns};
    for (int f = 0; f < NFIELDS; f++) {
        t->columns[f].text = odp_arena_zero(&t->arena, ROWS, sizeof(struct odp_slice));
        t->columns[f].state = odp_arena_zero(&t->arena, ROWS, 1);
        assert_true(t->columns[f].text != NULL && t->columns[f].state != NULL);
        for (int i = 0; i < ROWS; i++) {
            bool null = below(100) < nulls;
            t->columns[f].state[i] = null ? ODP_VALUE_NULL : ODP_VALUE_OK;
            if (!null)
                t->columns[f].text[i] = odp_arena_copy(&t->arena, odp_slice_of(value_of(fields[f].type, wild)));
        }
    }
}

/* What one record gives, by struct num alone. */
static uint8_t alone(const struct odp_expr *e, const struct table *t, int row, struct odp_arena *scratch)
{
    struct expr_cell cells[NFIELDS];
    uint8_t truth = ODP_UNKNOWN;
    for (int f = 0; f < NFIELDS; f++) {
        enum kind kind = expr_kind_of(fields[f].type);
        struct odp_slice text = t->columns[f].text[row];
        bool null = t->columns[f].state[row] != ODP_VALUE_OK;
        cells[f] = (struct expr_cell){.num = {.state = NUM_NULL}, .truth = ODP_UNKNOWN};
        if (!null && kind == KIND_BOOL)
            cells[f].truth = odp_slice_is(text, "true") ? ODP_TRUE : ODP_FALSE;
        else if (!null && kind == KIND_TEXT)
            cells[f].text = text;
        else if (!null)
            cells[f].num = expr_value(kind, text);
    }
    struct reg *reg = expr_registers(scratch, e->depth, 1);
    assert_non_null(reg);
    assert_int_equal(expr_eval_row(e, reg, cells, (struct odp_slice){0}, scratch, &truth), ODP_OK);
    return truth;
}

static void test_like_rows(void **state)
{
    (void)state;
    struct odp_arena arena, scratch;
    struct table t = {0};
    unsigned seen[3] = {0};
    uint8_t out[ROWS];
    odp_arena_init(&arena);
    odp_arena_init(&scratch);
    odp_arena_init(&t.arena);
    for (unsigned round = 0; round < 12; round++) {
        table_make(&t, round % 3 == 0 ? 0 : round % 3 == 1 ? 1 : 30, round % 2 == 0 ? 0 : 10);
        for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
            const struct odp_expr *e;
            struct odp_expr_fault fault;
            odp_arena_reset(&scratch);
            if (odp_expr_compile(&arena, odp_slice_of(expressions[k]), &schema, &e, &fault) != ODP_OK)
                fail_msg("%s: %s", expressions[k], fault.message.in[ODP_LANG_EN]);
            assert_int_equal(odp_expr_eval(e, &t.batch, &scratch, out), ODP_OK);
            for (int i = 0; i < ROWS; i++) {
                uint8_t want = alone(e, &t, i, &scratch);
                if (out[i] != want)
                    fail_msg("%s, row %d: %d instead of %d (a = %.*s, b = %.*s, c = %.*s)", expressions[k], i, out[i], want, (int)t.columns[A].text[i].len,
                             t.columns[A].text[i].ptr, (int)t.columns[B].text[i].len, t.columns[B].text[i].ptr, (int)t.columns[C].text[i].len, t.columns[C].text[i].ptr);
                seen[want]++;
            }
        }
    }
    assert_true(seen[ODP_FALSE] > 1000 && seen[ODP_TRUE] > 1000 && seen[ODP_UNKNOWN] > 1000);
    odp_arena_release(&t.arena);
    odp_arena_release(&arena);
    odp_arena_release(&scratch);
}

/* Values that were reported make their records unknown, and no others. */
static void test_reported(void **state)
{
    (void)state;
    struct odp_arena arena;
    struct table t = {0};
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    uint8_t before[ROWS], out[ROWS];
    odp_arena_init(&arena);
    odp_arena_init(&t.arena);
    table_make(&t, 5, 5);
    assert_int_equal(odp_expr_compile(&arena, ODP_LIT("a + c > b OR nama = 'Selesai'"), &schema, &e, &fault), ODP_OK);
    assert_int_equal(odp_expr_eval(e, &t.batch, &arena, before), ODP_OK);
    for (int i = 0; i < ROWS; i += 1 + (int)below(9))
        t.columns[below(2) ? A : below(2) ? NAME : NAME2].state[i] = ODP_VALUE_BAD;
    t.columns[A].state[0] = t.columns[NAME].state[ROWS - 1] = ODP_VALUE_BAD;
    assert_int_equal(odp_expr_eval(e, &t.batch, &arena, out), ODP_OK);
    for (int i = 0; i < ROWS; i++) {
        bool bad = t.columns[A].state[i] == ODP_VALUE_BAD || t.columns[NAME].state[i] == ODP_VALUE_BAD;
        assert_int_equal(out[i], bad ? ODP_UNKNOWN : before[i]);
    }
    odp_arena_release(&t.arena);
    odp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_like_rows), cmocka_unit_test(test_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
