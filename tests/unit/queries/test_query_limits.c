/* Limits: time, records looked at, bytes; counts that take too long; many threads on one index; damaged
 * files. No test says how long anything takes. */

#include "run.h"

#include <fcntl.h>
#include <pthread.h>

#include "query_fixture.h"
#include "service/queries/engine/engine_internal.h"

enum { ROWS = 30000 };

/* no (key), kode (indexed, 100 values), nilai (not indexed), teks: every 3rd record has "sering", every
 * 5,000th "jarang". */
static void make(struct qf *x, uint32_t rows)
{
    qf_begin(x);
    (void)qf_field(x, "no", ODP_TYPE_INTEGER);
    (void)qf_field(x, "kode", ODP_TYPE_STRING);
    (void)qf_field(x, "nilai", ODP_TYPE_INTEGER);
    (void)qf_field(x, "teks", ODP_TYPE_STRING);
    qf_key(x, 0);
    qf_index(x, 1);
    for (uint32_t i = 0; i < rows; i++) {
        char no[20], kode[20], nilai[20], teks[40];
        snprintf(no, sizeof no, "%u", (i * 7919u) % rows);
        snprintf(kode, sizeof kode, "k%02u", i % 100);
        snprintf(nilai, sizeof nilai, "%u", i % 1000);
        snprintf(teks, sizeof teks, "%s %s nomor %u", i % 3 == 0 ? "sering" : "kata",
                 i % 5000 == 7 ? "jarang" : "biasa", i);
        qf_row(x, (const char *const[]){no, kode, nilai, teks});
        qf_point(x, 100 + (i % 200) * 0.1, -5 - (i / 200) % 50 * 0.1);
    }
    qf_open(x);
}

static void too_expensive(struct qf *x, const char *query)
{
    if (qf_ask(x, query) != ODP_BAD)
        fail_msg("%s: answered", query);
    assert_int_equal(x->fault.problem, ODP_QUERY_TOO_EXPENSIVE);
    assert_null(x->fault.parameter);
    assert_non_null(strstr(x->fault.detail.in[ODP_LANG_ID], "(no, kode, bbox, q)"));
    assert_non_null(strstr(x->fault.detail.in[ODP_LANG_EN], "(no, kode, bbox, q)"));
}

static void must_ask(struct qf *x, const char *query, uint64_t returned)
{
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : "",
                 odp_failure_text());
    if (x->r.returned != returned)
        fail_msg("%s: %llu records", query, (unsigned long long)x->r.returned);
}

TEST(rows)
{
    struct qf x;
    make(&x, ROWS);
    x.limits.rows = 3000;
    too_expensive(&x, "sortby=nilai"); /* refused before it runs: its plan */
    assert_int_equal(x.r.looked_at, 0);
    assert_int_equal(x.r.body.len, 0);
    too_expensive(&x, "filter=nilai=1001"); /* found out while it runs */
    too_expensive(&x, "filter=nilai=-1&sortby=-kode");
    too_expensive(&x, "filter=nilai=1001&sortby=nilai");
    must_ask(&x, "", 10);
    assert_true(x.r.looked_at <= 20);
    must_ask(&x, "sortby=-kode", 10);
    must_ask(&x, "kode=k07&sortby=nilai", 10);
    assert_int_equal(x.r.total, ROWS / 100);
    must_ask(&x, "filter=nilai%3C500", 10); /* no index, but a page of it comes soon */
    must_ask(&x, "q=jarang&sortby=nilai", 6);
    must_ask(&x, "bbox=100,-5.05,100.25,-5&sortby=nilai", 9);
    must_ask(&x, "offset=100", 10);
    x.limits.rows = 0; /* none */
    must_ask(&x, "sortby=nilai", 10);
    must_ask(&x, "filter=nilai=1001", 0);
    assert_int_equal(x.r.total, 0);
    assert_true(x.r.looked_at >= ROWS);
    qf_end(&x);
}

/* An expression that every record has to be asked by, of a size that a millisecond is too short for. */
static const char *slow_filter(void)
{
    static char text[8000] = "";
    if (text[0] == '\0') {
        strcpy(text, "filter=");
        for (int i = 0; i < 60; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%steks LIKE '%%25%d%%25x%%25%d%%25'",
                     i > 0 ? " OR " : "", i, i);
    }
    return text;
}

TEST(time)
{
    struct qf x;
    make(&x, ROWS);
    x.limits.time_ms = 1;
    x.limits.count_ms = 1;
    too_expensive(&x, slow_filter());
    assert_non_null(strstr(x.fault.detail.in[ODP_LANG_EN], "more time"));
    x.limits.time_ms = 60000;
    must_ask(&x, slow_filter(), 0); /* the connection is as good as before */
    qf_end(&x);
}

/* What cannot be counted in its time is unknown, and the page is there all the same. */
TEST(count)
{
    struct qf x;
    char query[9000];
    make(&x, ROWS);
    x.limits.count_ms = 1;
    snprintf(query, sizeof query, "%s OR nilai %%3E= 0", slow_filter());
    must_ask(&x, query, 10);
    assert_int_equal(x.r.total, -1);
    assert_non_null(x.r.next);
    x.limits.count_ms = 60000;
    must_ask(&x, query, 10); /* remembered for a while */
    assert_int_equal(x.r.total, -1);
    must_ask(&x, "filter=nilai%3C500", 10);
    assert_int_equal(x.r.total, ROWS / 2);
    x.limits.count_ms = 1; /* remembered: asked in any form, by any page */
    must_ask(&x, "filter=nilai %3C 500.0&sortby=-nilai&limit=100&properties=no", 100);
    assert_int_equal(x.r.total, ROWS / 2);
    for (int i = 0; i < 3 * QUERY_COUNTS; i++) { /* and others in their turn */
        snprintf(query, sizeof query, "nilai=%d", i);
        x.limits.count_ms = 60000;
        must_ask(&x, query, 10);
        assert_int_equal(x.r.total, ROWS / 1000);
    }
    x.limits.count_ms = 60000;
    must_ask(&x, "q=sering", 10);
    assert_int_equal(x.r.total, ROWS / 3);
    must_ask(&x, "q=sering&kode=k03", 10);
    assert_int_equal(x.r.total, 100);
    must_ask(&x, "q=jarang", 6);
    assert_int_equal(x.r.total, 6);
    qf_end(&x);
}

/* More statements than are kept, and the same ones again. */
TEST(statements)
{
    struct qf x;
    char query[9000];
    make(&x, 500);
    for (int round = 0; round < 3; round++)
        for (int i = 1; i <= 2 * QUERY_STATEMENTS; i++) {
            strcpy(query, "filter=nilai IN (");
            for (int k = 0; k < i; k++)
                snprintf(query + strlen(query), sizeof query - strlen(query), "%s%d", k > 0 ? "," : "",
                         k + round);
            strcat(query, ")&limit=200");
            must_ask(&x, query, (uint64_t)i);
            assert_int_equal(x.r.total, i);
        }
    qf_end(&x);
}

/* Long chains and deep nests: answered or refused, never a failure. */
TEST(large_filters)
{
    struct qf x;
    make(&x, 200);
    size_t cap = 200000;
    char *query = malloc(cap);
    assert_non_null(query);
    for (int kind = 0; kind < 4; kind++) {
        size_t n = (size_t)snprintf(query, cap, "filter=");
        for (int i = 0; i < (kind == 3 ? 90 : 2500); i++)
            n += (size_t)snprintf(query + n, cap - n,
                                  kind == 0   ? "%snilai=%d"
                                  : kind == 1 ? "%snilai<>%d"
                                  : kind == 2 ? "%skode='k%d'"
                                              : "NOT (%snilai=%d AND ",
                                  i > 0 && kind < 3 ? kind == 1 ? " AND " : " OR " : "", i);
        for (int i = 0; kind == 3 && i < 90; i++)
            n += (size_t)snprintf(query + n, cap - n, "%s)", i == 0 ? "nilai=1" : "");
        enum odp_status status = qf_ask(&x, query);
        if (status == ODP_FAIL)
            fail_msg("kind %d: %s", kind, odp_failure_text());
    }
    free(query);
    qf_end(&x);
}

/* ---- threads ---- */

struct worker {
    struct qf *x;
    unsigned seed;
    int wrong;
};

static void *work(void *ctx)
{
    struct worker *w = ctx;
    struct qf mine = *w->x; /* the index is shared, the rest is not */
    odp_arena_init(&mine.asked);
    odp_buffer_init(&mine.r.body);
    mine.q = NULL;
    mine.call.params = mine.params;
    mine.call.limits = &mine.limits;
    for (int i = 0; i < 60; i++) {
        char query[200];
        unsigned k = (w->seed = w->seed * 1103515245 + 12345) >> 16;
        snprintf(query, sizeof query,
                 k % 3 == 0   ? "kode=k%02u"
                 : k % 3 == 1 ? "q=sering&kode=k%02u"
                              : "bbox=100,-6,101,-5&kode=k%02u",
                 k % 100);
        if (qf_ask(&mine, query) != ODP_OK || (k % 3 == 0 && mine.r.total != 20))
            w->wrong++;
    }
    qf_forget(&mine);
    odp_buffer_release(&mine.r.body);
    odp_arena_release(&mine.asked);
    return NULL;
}

TEST(threads)
{
    struct qf x;
    struct worker workers[6];
    pthread_t threads[6];
    make(&x, 2000);
    for (unsigned i = 0; i < 6; i++) { /* more than connections */
        workers[i] = (struct worker){&x, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
    assert_true(x.index->made <= 2);
    qf_end(&x);
}

/* The file is gone (an older build was removed): what is open goes on. */
TEST(unlinked)
{
    struct qf x;
    struct worker workers[3];
    pthread_t threads[3];
    make(&x, 2000);
    assert_int_equal(unlink(x.path), 0);
    for (unsigned i = 0; i < 3; i++) {
        workers[i] = (struct worker){&x, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
    qf_end(&x);
}

/* ---- files ---- */

static enum odp_status try_open(const char *path, const char **why)
{
    struct odp_index *ix = NULL;
    *why = NULL;
    enum odp_status status = odp_index_open(&ix, path, 1, why);
    assert_true((status == ODP_OK) == (ix != NULL));
    if (status == ODP_BAD)
        assert_non_null(*why);
    odp_index_close(ix);
    return status;
}

TEST(open)
{
    struct qf x;
    char path[400], odd[400];
    const char *why;
    make(&x, 50);
    must(try_open(x.path, &why));
    snprintf(path, sizeof path, "%s/none-0123456789abcdef.sqlite", x.dir);
    must_refuse(try_open(path, &why));
    must_refuse(try_open(x.dir, &why));
    put_bytes(path, "", 0);
    must_refuse(try_open(path, &why));
    put_bytes(path,
              "this is no database, and long enough to be looked at as one: "
              "................................................",
              105);
    must_refuse(try_open(path, &why));
    /* names that mean something in an address */
    snprintf(odd, sizeof odd, "%s/a?b#c%%41 &=-0123456789abcdef.sqlite", x.dir);
    assert_int_equal(rename(x.path, odd), 0);
    must(try_open(odd, &why));
    snprintf(path, sizeof path, "%s/uji.sqlite", x.dir);
    assert_int_equal(rename(odd, path), 0);
    must_refuse(try_open(path, &why));
    assert_string_equal(why, "its name does not end in its digest");
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/none-0123456789abcdef.sqlite", x.dir);
    (void)unlink(path);
    qf_end(&x);
}

/* Bytes of the file are turned over, or missing: a failure, a fault, or an answer; never a crash. */
TEST(damage)
{
    static const char *const queries[] = {
        "",
        "sortby=nilai",
        "q=sering",
        "q=ser*",
        "bbox=100,-6,103,-5",
        "kode=k03",
        "sortby=-kode,nilai&limit=1000",
        "facets=kode",
        "filter=S_INTERSECTS(geometry,POLYGON((100 -6,102 -6,102 -5,100 -6)))",
        "filter=teks LIKE 'ser%25'"};
    struct qf x;
    struct odp_buffer whole = {0};
    char path[400];
    const char *why;
    unsigned seed = 11;
    size_t opened = 0, answered = 0;
    make(&x, 400);
    must(odp_file_read(x.path, 64 << 20, &whole, NULL));
    snprintf(path, sizeof path, "%s/rusak-0123456789abcdef.sqlite", x.dir);
    for (int i = 0; i < 300; i++) {
        struct odp_index *ix = NULL;
        size_t len = whole.len;
        char *bytes = malloc(len);
        assert_non_null(bytes);
        memcpy(bytes, whole.ptr, len);
        for (int k = 0; k < 1 + i % 40; k++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (size_t)(seed >> 4) % len;
            if (i % 3 == 0) /* the beginnings of pages, where their structure stands */
                at = at / 4096 * 4096 + at % 120;
            bytes[at] = (char)(seed >> 24);
        }
        if (i % 10 == 9)
            len = (size_t)(seed >> 3) % len;
        put_bytes(path, bytes, len);
        free(bytes);
        if (odp_index_open(&ix, path, 1, &why) == ODP_OK) {
            struct odp_index *sound = x.call.index;
            opened++;
            x.call.index = ix;
            for (size_t k = 0; k < ODP_COUNT(queries); k++)
                answered += qf_ask(&x, queries[k]) == ODP_OK;
            qf_forget(&x);
            x.call.index = sound;
        }
        odp_index_close(ix);
        (void)unlink(path);
    }
    assert_true(opened > 20 && answered > 100 &&
                answered < 3000); /* else the damage was none, or too much to be a test */
    odp_failure_clear();
    odp_buffer_release(&whole);
    qf_end(&x);
}
