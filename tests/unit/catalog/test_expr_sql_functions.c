/* The functions that service/queries/engine/functions.h gives SQLite: odp_order, odp_sum, odp_like, with
 * values that no statement of ours gives. */
#include "answer_lines.h"
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
        for (size_t n = dice(9); n > 0; n--)
            strcat(text, dice(8) == 0   ? "%"
                         : dice(8) == 0 ? "_"
                         : dice(8) == 0 ? "\\"
                                        : parts[dice(ODP_COUNT(parts))]);
        strcat(pattern, dice(2) ? "%" : "");
        for (size_t n = dice(5); n > 0; n--)
            strcat(pattern, dice(2) ? wild[dice(ODP_COUNT(wild))] : parts[dice(ODP_COUNT(parts))]);
        strcat(pattern, dice(2) ? "%" : "");
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

/* Questions of expr/sqlite.txt: SQL. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char *text = one_text(question.ptr);
    odp_buffer_add_str(out, text != NULL ? text : "null");
    free(text);
}

TEST(functions)
{
    answer_lines("catalog/expr/sqlite.txt", answer, NULL);
}

AROUND(make_table, drop_table)
