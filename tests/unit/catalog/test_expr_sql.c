/* The SQL back end: what is exact, large or hostile, equality parameters, statements that are used again.
 * SQL and values for each expression: expr/sql.txt. Made-up expressions are tested in
 * test_expr_sql_random.c, the functions that SQLite gets in test_expr_sql_functions.c. */
#include "answer_lines.h"
#include "expr_sql_fixture.h"

/* Each form of expr/sql.txt finds the rows that eval.c finds true. */
TEST(forms)
{
    struct odp_buffer text;
    char *rest, *line;
    size_t n = 0;
    answers_read("catalog/expr/sql.txt", &text);
    (void)odp_buffer_cstr(&text);
    for (rest = text.ptr; (line = strsep(&rest, "\n")) != NULL; n += strncmp(line, "> ", 2) == 0)
        if (strncmp(line, "> ", 2) == 0)
            assert_true(check(line + 2) >= 0);
    assert_true(n > 30);
    odp_buffer_release(&text);
}

/* Questions of expr/exact.txt. */
static void count(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    odp_buffer_printf(out, "%d", check(question.ptr));
}

TEST(exact)
{
    answer_lines("catalog/expr/exact.txt", count, NULL);
}

TEST(size)
{
    static const struct {
        const char *head, *part, *tail;
        size_t n;
    } cases[] = {
        {"a = 1", " OR a=2", "", 2000},
        {"a > -1e9", " AND a<2e9", "", 1200},
        {"i IN (1", ",7", ")", 32000},
        {"i IN (1", ",7", ")", 12000},
        {"t IN ('a'", ",'b'", ")", 3000},
        {"a > 0", " AND b<>1 OR a=2", "", 600},
        {"", "NOT ", "y", 99},
        {"", "(y OR NOT ", "y))))))))))))))))))))))))))))))))))))))))", 40},
        {"a = 1", " + 1", "", 2000},
        {"S_INTERSECTS(geometry, BBOX(0,0,5,5))", " OR i=2", "", 1000},
        {"S_INTERSECTS(geometry, BBOX(0,0,5,5)) AND geometry IS NOT NULL AND (", "y AND (",
         "y))))))))))))))))))))))))))))))", 29},
        {"y = (", "y = (", "y))))))))))))))))))))))))))))))", 29},
        {"a = 1", " OR a=2", "", 395},
        {"a = 1", " OR t LIKE 'a%'", "", 395},
        {"y IN (y", ",y", ")", 1000},
        {"i BETWEEN ", "(", "1)))))))))))))))))))))))))))) AND 9", 28},
        {"a = 1", " OR (a = 2 AND b = 3)", "", 190},
        {"S_INTERSECTS(geometry, POINT(1 1))", " OR S_INTERSECTS(geometry, POINT(1 1))", "", 100},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        char *text = repeat(cases[i].head, cases[i].part, cases[i].n, cases[i].tail);
        if (check(text) < 0)
            fail_msg("case %zu is not compiled", i);
        free(text);
    }
}

/* No value becomes part of the text. */
TEST(injection)
{
    static const char *const evil[] = {
        "'; DROP TABLE data; --", "x' OR '1'='1", "\"; DELETE FROM data",        "a/*b*/c", "?1", ":x",
        "%' UNION SELECT 1 --",   "a\\",          "Robert'); DROP TABLE data;--"};
    for (size_t i = 0; i < ODP_COUNT(evil); i++) {
        static const char *const forms[] = {"t = ", "t LIKE ", "CASEI(t) = ", "t IN ('a', "};
        for (size_t k = 0; k < 4; k++) {
            struct words w = {.len = 0};
            say(&w, "%s", forms[k]);
            say_text(&w, evil[i]);
            say(&w, k == 3 ? ")" : "");
            char *sql = sql_of(w.text);
            for (const char *p = sql; *p != '\0'; p++)
                if (strchr("';\"-/:1", *p) != NULL && strncmp(p, "1 AND", 5) != 0)
                    fail_msg("%s: %s", w.text, sql);
            free(sql);
        }
        ARENA(arena);
        const struct odp_expr *e;
        struct odp_text expected;
        const struct odp_slice value = odp_slice_of(evil[i]);
        must(odp_expr_equal(&arena, &scope, T, (struct odp_expr_values){&value, 1}, &e, &expected));
        assert_int_equal(compare(e, &arena, evil[i]),
                         check(i == 0 ? "t = '''; DROP TABLE data; --'" : "t = 'nothing like it'"));
    }
    assert_true(check("t = '''; DROP TABLE data; --'") > 0);
}

/* Equality parameters, boxes and their conjunction. */
TEST(makers)
{
    static const struct {
        int field;
        const char *value, *text;
    } cases[] = {
        {A, "12.50", "a = 12.5"},
        {W, "0.1", "w = 0.1"},
        {I, "7", "i = 7"},
        {I, "7.0", "i = 7"},
        {V, "9223372036854775808", "v = 9223372036854775808"},
        {T, "it's", "t = 'it''s'"},
        {T, "", "t = ''"},
        {D, "2024-03-15", "d = '2024-03-15'"},
        {S, "2024-03-15T08:05:00+08:00", "s = '2024-03-15T00:05:00Z'"},
        {J, "07:05:00.500", "j = '07:05:00.5'"},
        {Y, "true", "y"},
        {Y, "FALSE", "NOT y"},
        {M, "2024-03", "m = '2024-03'"},
        {TH, "2024", "th = 2024"},
        {L, "P1Y", "l = 'P1Y'"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        ARENA(arena);
        const struct odp_expr *e, *two, *both, *box;
        struct odp_text expected;
        const struct odp_slice value[2] = {odp_slice_of(cases[i].value), odp_slice_of(cases[i].value)};
        const double corner[4] = {-5, -5, 5, 5};
        must(odp_expr_equal(&arena, &scope, (uint32_t)cases[i].field, (struct odp_expr_values){value, 1}, &e,
                            &expected));
        must(odp_expr_equal(&arena, &scope, (uint32_t)cases[i].field, (struct odp_expr_values){value, 2},
                            &two, &expected));
        int count = compare(e, &arena, cases[i].value);
        assert_true(count > 0);
        assert_int_equal(count, check(cases[i].text));
        assert_int_equal(count, compare(two, &arena, cases[i].value));
        must(odp_expr_box(&arena, &scope, corner, &box));
        must(odp_expr_and(&arena, e, box, &both));
        char text[200];
        snprintf(text, sizeof text, "%s AND S_INTERSECTS(geometry, BBOX(-5,-5,5,5))", cases[i].text);
        assert_int_equal(compare(both, &arena, text), check(text));
        odp_expr_release(both);
        odp_expr_release(box);
        must(odp_expr_and(&arena, NULL, e, &both));
        assert_int_equal(compare(both, &arena, cases[i].text), count);
        must(odp_expr_and(&arena, NULL, NULL, &both));
        assert_null(both);
    }
}

/* More columns than a function may have arguments. */
TEST(pack)
{
    enum { N = 200 };
    struct odp_field many[N];
    static char names[N][16], in_sql[N][16];
    const char *columns_of_table[N];
    struct odp_schema big = {.fields = many, .n = N};
    const struct odp_expr_scope big_scope = {.schema = &big};
    struct odp_buffer text = {0}, create = {0}, insert = {0};
    sqlite3 *other;
    odp_buffer_add_str(&create, "CREATE TABLE data (fid INTEGER PRIMARY KEY");
    odp_buffer_add_str(&insert, "INSERT INTO data VALUES (1");
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        many[i] = (struct odp_field){
            .name = names[i],
            .source_name = names[i],
            .type = i % 3 == 0 ? ODP_TYPE_STRING : ODP_TYPE_NUMBER,
        };
        snprintf(in_sql[i], sizeof in_sql[i], "c%d", i);
        columns_of_table[i] = in_sql[i];
        odp_buffer_printf(&create, ", c%d", i);
        odp_buffer_printf(&insert, i % 3 == 0 ? ", 't%d'" : i % 3 == 1 ? ", %d.5" : ", %d", i);
        odp_buffer_printf(&text,
                          i % 3 == 0   ? "%sCASEI(f%d) = 't%d'"
                          : i % 3 == 1 ? "%sf%d + 0 = %d.5"
                                       : "%sf%d + 0 = %d",
                          i > 0 ? " AND " : "", i, i);
    }
    odp_buffer_add_str(&create, ");");
    odp_buffer_add_str(&insert, ")");
    for (int i = 0; i < 300; i++)
        odp_buffer_printf(&text, " AND f%d IS NOT NULL", i % N);
    ARENA(arena);
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    struct odp_sql sql;
    sqlite3_stmt *s;
    must(odp_expr_compile_in(&arena, odp_buffer_slice(&text), &big_scope, &e, &fault));
    odp_sql_init(&sql, &arena);
    odp_buffer_add_str(&sql.text, "SELECT count(*) FROM data d WHERE ");
    must(odp_expr_sql(e, &(struct odp_sql_table){.alias = "d", .columns = columns_of_table}, &sql));
    EXPECT(odp_buffer_cstr(&sql.text), "odp_eval(?, odp_pack(d.c0, ");
    assert_int_equal(sqlite3_open(":memory:", &other), SQLITE_OK);
    assert_int_equal(sqlite3_limit(other, SQLITE_LIMIT_FUNCTION_ARG, 100), 127);
    must(odp_query_functions(other));
    assert_int_equal(sqlite3_exec(other, odp_buffer_cstr(&create), NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, odp_buffer_cstr(&insert), NULL, NULL, NULL), SQLITE_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(sqlite3_prepare_v2(other, odp_buffer_cstr(&sql.text), -1, &s, NULL), SQLITE_OK);
        bind(s, &sql);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(s, 0), round == 0);
        sqlite3_finalize(s);
        assert_int_equal(sqlite3_exec(other, "UPDATE data SET c199 = 198.5", NULL, NULL, NULL), SQLITE_OK);
    }
    sqlite3_close(other);
    odp_sql_release(&sql);
    odp_buffer_release(&text);
    odp_buffer_release(&create);
    odp_buffer_release(&insert);
}

/* A statement is kept and used again for another expression of the same text: what odp_eval and odp_spatial
 * keep beside it must not be the first one's. */
TEST(again)
{
    static const char *const texts_of[][2] = {
        {"a + 1 > 5", "a + 1 > 100"},
        {"NOT S_INTERSECTS(geometry, BBOX(-9,-9,0,0))", "NOT S_INTERSECTS(geometry, BBOX(0,0,9,9))"},
        {"w > 1 OR y", "w > 12.4 OR y"}};
    for (size_t i = 0; i < ODP_COUNT(texts_of); i++) {
        sqlite3_stmt *s = NULL;
        char *first = NULL;
        for (int round = 0; round < 6; round++) {
            ARENA(arena);
            const struct odp_expr *e;
            struct odp_expr_fault fault;
            struct odp_sql sql;
            uint8_t truth[ROWS];
            int want = 0, got = 0;
            must(odp_expr_compile_in(&arena, odp_slice_of(texts_of[i][round % 2]), &scope, &e, &fault));
            odp_sql_init(&sql, &arena);
            odp_buffer_add_str(&sql.text, "SELECT fid FROM data d WHERE ");
            must(odp_expr_sql(e, &sql_table, &sql));
            if (s == NULL) {
                first = strdup(odp_buffer_cstr(&sql.text));
                assert_int_equal(sqlite3_prepare_v2(db, first, -1, &s, NULL), SQLITE_OK);
            }
            assert_string_equal(odp_buffer_cstr(&sql.text), first);
            bind(s, &sql);
            must(odp_expr_eval(e, &batch, &arena, truth));
            for (int r = 0; r < ROWS; r++)
                want += truth[r] == ODP_TRUE;
            while ((round < 2 || got < 3) &&
                   sqlite3_step(s) == SQLITE_ROW) /* later rounds are given up after three */
                got++;
            assert_int_equal(got, round < 2 ? want : 3);
            sqlite3_reset(s);
            odp_sql_release(&sql);
            odp_expr_release(e);
        }
        sqlite3_finalize(s);
        free(first);
    }
}

AROUND(make_table, drop_table)
