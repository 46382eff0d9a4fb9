/* How SQLite answers: an indexed condition is searched for, a page goes on where the last one ended, order
 * comes from an index where there is one; and which way is taken where sets are large. By EXPLAIN QUERY PLAN
 * of the statements that the engine makes. */

#include "answer_lines.h"
#include "query_fixture.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/functions.h"

enum { ROWS = 25000 };

/* no (key), kode (few values, none null: an index ending in the key), luas (index; some null), nilai (no
 * index), tanggal (datetime), teks. */
static void make(struct qf *x, uint32_t rows, bool bare)
{
    static struct odp_category categories[5];
    static const char *const codes[] = {"a", "b", "c", "d", "e"};
    qf_begin(x);
    (void)qf_field(x, "no", ODP_TYPE_INTEGER);
    struct odp_field *kode = qf_field(x, "kode", ODP_TYPE_STRING);
    (void)qf_field(x, "luas", ODP_TYPE_NUMBER);
    (void)qf_field(x, "nilai", ODP_TYPE_INTEGER);
    (void)qf_field(x, "tanggal", ODP_TYPE_DATE);
    (void)qf_field(x, "teks", ODP_TYPE_STRING);
    for (int i = 0; i < 5; i++)
        categories[i].value = odp_slice_of(codes[i]);
    kode->categories = categories;
    kode->ncategories = 5;
    qf_key(x, 0);
    qf_index(x, 2);
    x->resource.datetime[0] = x->resource.datetime[1] = 4;
    for (uint32_t i = 0; i < rows; i++) {
        char no[20], luas[20], nilai[20], tanggal[40], teks[40];
        snprintf(no, sizeof no, "%u", (i * 7919u) % rows);
        snprintf(luas, sizeof luas, "%u.5", i % 5000);
        snprintf(nilai, sizeof nilai, "%u", i % 10000);
        snprintf(tanggal, sizeof tanggal, "20%02u-%02u-%02u", i % 20, i % 12 + 1, i % 28 + 1);
        snprintf(teks, sizeof teks, "%s %s", i % 2 == 0 ? "sering" : "kata",
                 i % 5000 == 7 ? "jarang" : "biasa");
        qf_row(x, (const char *const[]){no, codes[i % 5], i % 10 == 0 ? NULL : luas, nilai, tanggal, teks});
        if (!bare || i % 1000 != 3)
            qf_point(x, 100 + (i % 250) * 0.1, -5 - (double)(i / 250) * 0.05);
    }
    qf_open(x);
}

/* The plan of SQL, its lines joined by " | ". */
static void explain(struct qf *x, const char *sql, char out[1000])
{
    sqlite3 *db;
    sqlite3_stmt *stmt;
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql);
    assert_non_null(text);
    assert_int_equal(sqlite3_open_v2(x->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    must(odp_query_functions(db));
    if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    out[0] = '\0';
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(stmt, 3), *end = strstr(line, " INDEX 0:");
        end = end != NULL ? end : strstr(line, " INDEX 2:"); /* of virtual tables: each version's own words */
        snprintf(out + strlen(out), 1000 - strlen(out), "%s%.*s", out[0] != '\0' ? " | " : "",
                 (int)(end != NULL ? end - line : (long)strlen(line)), line);
    }
    (void)sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    sqlite3_free(text);
    /* The remaining sort is the "RIGHT PART" or, in newer versions of SQLite, the "LAST 2 TERMS". */
    char *last = strstr(out, "LAST "), *of = last != NULL ? strstr(last, " OF ORDER BY") : NULL;
    if (of != NULL) {
        memmove(last + strlen("RIGHT PART"), of, strlen(of) + 1);
        memcpy(last, "RIGHT PART", strlen("RIGHT PART"));
    }
}

/* Of QUERY's page: its part PART. */
static void plan_of(struct qf *x, const char *query, unsigned part, struct query_way way, char out[1000])
{
    struct odp_sql sql;
    bool last;
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : "",
                 odp_failure_text());
    odp_sql_init(&sql, &x->asked);
    query_sql_page(x->q, part, 11, way, &sql, &last);
    must(odp_buffer_status(&sql.text));
    explain(x, odp_buffer_cstr(&sql.text), out);
    odp_sql_release(&sql);
}

/* queries/answers/plans.txt: "records N" and "bare N" make an index of so many (bare: some without
 * geometry); "plan QUERY" is answered with how a page of it comes, words, boxes and table in the way that
 * they name; "next PART QUERY" with how a part of the page after its first comes. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct qf *x = ctx;
    const char *text = question.ptr, *rest = strchr(text, ' ');
    const struct query_way way = {.each_word = *text == 'w', .each_box = *text == 'b', .table = *text == 't'};
    char plan[1000], next[1000];
    rest = rest != NULL ? rest + 1 : "";
    bool bare = strncmp(text, "bare ", 5) == 0;
    if (bare || *text == 'r') {
        if (x->path[0] != '\0')
            qf_end(x);
        make(x, (uint32_t)strtoul(rest, NULL, 10), bare);
        return;
    }
    if (*text == 'n') {
        if (qf_ask(x, rest + 2) != ODP_OK || x->r.next == NULL)
            fail_msg("%s: no next page", rest);
        snprintf(next, sizeof next, "%s", strchr(x->r.next, '?') + 1);
        plan_of(x, next, (unsigned)(*rest - '0'), way, plan);
    } else {
        plan_of(x, rest, 0, way, plan);
    }
    odp_buffer_add_str(out, plan);
}

TEST(plans)
{
    static struct qf x;
    answer_lines("queries/answers/plans.txt", answer, &x);
    qf_end(&x);
}

/* ---- which way is taken ---- */

/* Numbers of the records that QUERY gives, in order. */
static void read_numbers(struct qf *x, const char *query, char out[2000])
{
    x->call.form = ODP_QUERY_CSV;
    enum odp_status status = qf_ask(x, query);
    x->call.form = ODP_QUERY_ENVELOPE;
    if (status != ODP_OK)
        fail_msg("%s: %s %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : "",
                 odp_failure_text());
    out[0] = '\0';
    char *save = NULL, *body = (char *)(uintptr_t)odp_buffer_cstr(&x->r.body);
    (void)strtok_r(body, "\r\n", &save);
    for (char *line; (line = strtok_r(NULL, "\r\n", &save)) != NULL;)
        snprintf(out + strlen(out), 2000 - strlen(out), "%.*s ", (int)strcspn(line, ","), line);
}

/* In a large index sets are measured, and walks are given up; what comes out is the same as by SQL that knows
 * nothing of it. */
static void check_way(struct qf *x, const char *query, const char *sql, uint64_t most)
{
    char got[2000], wanted[2000] = "";
    sqlite3 *db;
    sqlite3_stmt *stmt;
    read_numbers(x, query, got);
    uint64_t looked = x->r.looked_at;
    assert_int_equal(sqlite3_open_v2(x->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(stmt) == SQLITE_ROW)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%lld ",
                 (long long)sqlite3_column_int64(stmt, 0));
    (void)sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    if (strcmp(got, wanted) != 0)
        fail_msg("%s:\n%s\n%s", query, got, wanted);
    if (looked > most)
        fail_msg("%s: looked at %llu records", query, (unsigned long long)looked);
}

TEST(ways)
{
    struct qf x;
    for (int bare = 0; bare < 2; bare++) {
        make(&x, ROWS, bare == 1);
        /* many match: a walk in order soon has its page */
        check_way(&x, "q=sering", "SELECT no FROM uji WHERE teks LIKE 'sering%' ORDER BY fid LIMIT 10", 5000);
        check_way(&x, "q=sering&sortby=-luas",
                  "SELECT no FROM uji WHERE teks LIKE 'sering%' ORDER BY luas DESC, fid LIMIT 10", 5000);
        check_way(&x, "bbox=99,-11,130,0", "SELECT no FROM uji ORDER BY fid LIMIT 10", 5000);
        check_way(&x, "filter=nilai%3E100", "SELECT no FROM uji WHERE nilai > 100 ORDER BY fid LIMIT 10",
                  500);
        /* few match: the set, or one reading of the table, and not a walk to the end on top of it */
        check_way(&x, "q=jarang", "SELECT no FROM uji WHERE teks LIKE '%jarang' ORDER BY fid LIMIT 10", 500);
        check_way(&x, "filter=nilai=77", "SELECT no FROM uji WHERE nilai = 77 ORDER BY fid LIMIT 10",
                  ROWS + ROWS / 2 + 100);
        /* many of each, few of both */
        check_way(&x, "q=sering&filter=nilai=78",
                  "SELECT no FROM uji WHERE teks LIKE 'sering%' AND nilai = 78 ORDER BY fid LIMIT 10",
                  3 * ROWS);
        check_way(&x, "q=sering&nilai=77", "SELECT 1 WHERE 0", 3 * ROWS);
        check_way(&x, "q=sering&sortby=nilai,no",
                  "SELECT no FROM uji WHERE teks LIKE 'sering%' ORDER BY nilai, no LIMIT 10", 3 * ROWS);
        check_way(&x, "bbox=99,-11,130,0&sortby=-nilai",
                  "SELECT no FROM uji ORDER BY nilai DESC, fid LIMIT 10", 3 * ROWS);
        check_way(&x, "bbox=99,-11,130,0&nilai=77&q=biasa",
                  "SELECT no FROM uji WHERE nilai = 77 ORDER BY fid LIMIT 10", 4 * ROWS);
        check_way(
            &x, "q=sering&kode=c&sortby=-nilai",
            "SELECT no FROM uji WHERE teks LIKE 'sering%' AND kode = 'c' ORDER BY nilai DESC, fid LIMIT 10",
            3 * ROWS);
        qf_end(&x);
    }
}
