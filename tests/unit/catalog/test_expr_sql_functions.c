/* The functions that service/queries/engine/functions.h gives SQLite: odp_order, odp_sum, odp_like, with
 * values that no statement of ours gives. */
#include "expr_sql_fixture.h"

static char *one_text(const char *sql)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int rc = sqlite3_step(s);
    char *out = rc != SQLITE_ROW                    ? strdup("error")
                : sqlite3_column_text(s, 0) != NULL ? strdup((const char *)sqlite3_column_text(s, 0))
                                                    : NULL;
    sqlite3_finalize(s);
    return out;
}

TEST(order)
{
    static const char *const rising[] = {
        "-1e300",
        "-123456789012345678901234567890.5",
        "-100",
        "-12.51",
        "-12.5",
        "-12.49",
        "-1",
        "-0.51",
        "-0.5",
        "-0.05",
        "-1e-300",
        "0",
        "1e-300",
        "0.0000000000000000000001",
        "0.05",
        "0.1",
        "0.1000000000000000055511151231257827",
        "0.5",
        "0.51",
        "1",
        "9.9",
        "10",
        "12.5",
        "12.500000000000000000001",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "1e300",
    };
    enum { N = ODP_COUNT(rising) };
    unsigned char key[N][200];
    int len[N];
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT odp_order(?)", -1, &s, NULL), SQLITE_OK);
    for (int i = 0; i < N; i++) {
        for (int as = 0; as < 3; as++) { /* as BLOB, and as INTEGER or REAL where that is the same number */
            double real;
            int scale;
            char *end, whole[32];
            sqlite3_int64 v = strtoll(rising[i], &end, 10);
            snprintf(whole, sizeof whole, "%lld", v);
            if (as == 0)
                sqlite3_bind_blob(s, 1, rising[i], (int)strlen(rising[i]), SQLITE_STATIC);
            else if (as == 1 && strcmp(whole, rising[i]) == 0)
                sqlite3_bind_int64(s, 1, v);
            else if (as == 2 && odp_search_real(odp_slice_of(rising[i]), &real, &scale))
                sqlite3_bind_double(s, 1, real);
            else
                continue;
            assert_int_equal(sqlite3_step(s), SQLITE_ROW);
            int n = sqlite3_column_bytes(s, 0);
            assert_in_range(n, 1, 199);
            if (as == 0) {
                memcpy(key[i], sqlite3_column_blob(s, 0), (size_t)n);
                len[i] = n;
            } else {
                assert_int_equal(n, len[i]);
                assert_memory_equal(key[i], sqlite3_column_blob(s, 0), (size_t)n);
            }
            sqlite3_reset(s);
        }
        if (i > 0) {
            int cmp = memcmp(key[i - 1], key[i], (size_t)(len[i - 1] < len[i] ? len[i - 1] : len[i]));
            if (cmp > 0 || (cmp == 0 && len[i - 1] >= len[i]))
                fail_msg("%s is not before %s", rising[i - 1], rising[i]);
        }
    }
    sqlite3_finalize(s);
    static const char *const same[][2] = {
        {"1.50", "1.5"},   {"1e2", "100"},   {"-0", "0"},         {"0.00", "0"},
        {"1E+2", "100.0"}, {"12e-1", "1.2"}, {"0.0012e3", "1.2"},
    };
    for (size_t i = 0; i < ODP_COUNT(same); i++) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT odp_order(CAST('%s' AS BLOB)) = odp_order(CAST('%s' AS BLOB))",
                 same[i][0], same[i][1]);
        char *got = one_text(sql);
        assert_string_equal(got, "1");
        free(got);
    }
    assert_null(one_text("SELECT odp_order(NULL)"));
    char *bad = one_text("SELECT odp_order('x')");
    assert_string_equal(bad, "error");
    free(bad);
}

TEST(sum)
{
    static const struct {
        const char *values;
        int scale;
        const char *sum; /* NULL: null */
    } cases[] = {
        {"(0.1),(0.2),(0.3)", 1, "0.6"},
        {"(0.1),(0.2),(0.3)", -1, "0.6"},
        {"(1),(2),(3)", 0, "6"},
        {"(9223372036854775807),(9223372036854775807)", 0, "18446744073709551614"},
        {"(1),(2.5)", 1, "3.5"},
        {"(NULL)", 1, NULL},
        {"(NULL),(5)", 0, "5"},
        {"(0.01),(-0.01)", 2, "0"},
        {"(999999999999.999),(0.001)", 3, "1000000000000"},
        {"(123456789012.345),(1e14)", 3, "100123456789012.345"},
        {"(CAST('12345678901234567890.5' AS BLOB)),(0.25)", -1, "12345678901234567890.75"},
        {"(CAST('99999999999999999999999999999999999999' AS BLOB)),(1)", -1, NULL},
        {"(1e300),(1)", 0, NULL},
        {"('x')", 0, "error"},
        {"(-0.0)", 2, "0"},
        {"(900000000000000.0),(0.00001)", 5, "900000000000000.00001"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        char sql[400];
        snprintf(sql, sizeof sql, "SELECT odp_sum(column1, %d) FROM (VALUES %s)", cases[i].scale,
                 cases[i].values);
        char *got = one_text(sql);
        if ((got == NULL) != (cases[i].sum == NULL) || (got != NULL && strcmp(got, cases[i].sum) != 0))
            fail_msg("%s: %s", sql, got == NULL ? "NULL" : got);
        free(got);
    }
    /* a million tenths and hundredths of an integer's range */
    char *got = one_text(
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT odp_sum(x "
        "/ 10.0, 1) FROM n");
    assert_string_equal(got, "500005000");
    free(got);
}

/* LIKE is SQLite's own where that is made to be case-sensitive and to know the escape. */
TEST(like)
{
    static const char *const parts[] = {"a", "b", "aa", "ab", "\xc3\xa9", "\xc3\xa8", "\xe2\x82\xac",
                                        "A", " "},
                             *const wild[] = {"%", "_", "\\%", "\\_", "\\\\", "%%", "\\a", "\\\xc3\xa9"};
    sqlite3_stmt *s;
    int yes = 0;
    assert_int_equal(sqlite3_exec(db, "PRAGMA case_sensitive_like = ON", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ?1 LIKE ?2 ESCAPE '\\', odp_like(?1, ?2)", -1, &s, NULL),
                     SQLITE_OK);
    for (int round = 0; round < 40000; round++) {
        char text[100] = "", pattern[100] = "";
        for (size_t n = pick(9); n > 0; n--)
            strcat(text, pick(8) == 0   ? "%"
                         : pick(8) == 0 ? "_"
                         : pick(8) == 0 ? "\\"
                                        : parts[pick(ODP_COUNT(parts))]);
        strcat(pattern, pick(2) ? "%" : "");
        for (size_t n = pick(5); n > 0; n--)
            strcat(pattern, pick(2) ? wild[pick(ODP_COUNT(wild))] : parts[pick(ODP_COUNT(parts))]);
        strcat(pattern, pick(2) ? "%" : "");
        sqlite3_bind_text(s, 1, text, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, pattern, -1, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        if (sqlite3_column_int(s, 0) != sqlite3_column_int(s, 1))
            fail_msg("'%s' LIKE '%s' is %d", text, pattern, sqlite3_column_int(s, 0));
        yes += sqlite3_column_int(s, 0);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    assert_true(yes > 4000);
}

/* Values that no statement of ours gives. */
TEST(misuse)
{
    static const char *const wrong[] = {
        "SELECT odp_eval(1)",
        "SELECT odp_eval()",
        "SELECT odp_spatial(x'00', x'00')",
        "SELECT odp_spatial(NULL, NULL)",
        "SELECT odp_sum(x'', 0)",
        "SELECT odp_order(x'')",
    };
    for (size_t i = 0; i < ODP_COUNT(wrong); i++) {
        char *got = one_text(wrong[i]);
        if (got == NULL || strcmp(got, "error") != 0)
            fail_msg("%s: %s", wrong[i], got == NULL ? "NULL" : got);
        free(got);
    }
    assert_null(one_text("SELECT odp_like(NULL, 'a')"));
    assert_null(one_text("SELECT odp_like('a', NULL)"));
    assert_null(one_text("SELECT odp_casei(NULL)"));
    char *folded = one_text("SELECT odp_casei('\xc3\x89T\xc3\x89 ABC')");
    assert_string_equal(folded, "\xc3\xa9t\xc3\xa9 abc");
    free(folded);
    char *text = repeat("SELECT length(odp_casei('", "ABC", 1000, "'))");
    char *got = one_text(text);
    assert_string_equal(got, "3000");
    free(got);
    free(text);
}

AROUND(make_table, drop_table)
