/* The query index as a file: the same bytes for batches of any size, a disk that is full, pages that SQLite has not made but
 * finds sound, and the place that the emitter gives it. */
#include "search_index_fixture.h"

#include <signal.h>
#include <sys/resource.h>

/* ---- determinism, failures ---- */

enum { MANY = 3000 };

/* MANY milestones of a few projects, into TEXT. */
static void many_steps(struct odp_slice *cells, char (*text)[64])
{
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "Tahap %u pembangunan saluran", i);
        cells[4 * i] = i / 7 % 3 == 0 ? S("P1") : i / 7 % 3 == 1 ? S("P2") : S("P3");
        cells[4 * i + 1] = odp_slice_of(text[i]);
        cells[4 * i + 2] = i % 5 == 0 ? NUL : S("2024-01-10");
        cells[4 * i + 3] = i % 3 == 0 ? NUL : S("2024-02-28");
    }
}

static const struct odp_slice three_projects[] = {S("P1"),    S("Saluran"), S("31.71"), S("12.50"), S("P2"), S("Jalan"),
                                                  S("31.72"), S("3"),       S("P3"),    S("Taman"), NUL,     NUL};

static void test_same_bytes(void **state)
{
    (void)state;
    static struct projects p;
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    static const uint32_t steps[] = {1, 7, 1000, MANY, 7};
    size_t len[5];
    char *bytes[5];
    projects_init(&p);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&p.main, p.main_path);
    assert_int_equal(write_index(&p.main, &job, three_projects, 3, 1, NULL), ODP_OK);
    job = job_of(&p.steps, p.steps_path);
    job.searches = p.searches;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(write_index(&p.steps, &job, cells, MANY, steps[k], NULL), ODP_OK);
        bytes[k] = fx_read(&p.steps, "steps.sqlite", &len[k]);
        assert_int_equal(unlink(p.steps_path), 0);
        assert_int_equal(len[k], len[0]);
        assert_memory_equal(bytes[k], bytes[0], len[0]);
        if (k > 0)
            free(bytes[k]);
    }
    free(bytes[0]);
    projects_release(&p);
}

/* Files cannot grow beyond LIMIT bytes. */
static void limit_files(rlim_t limit)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    struct fixture fx;
    char path[PATH_SIZE];
    size_t len;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "proyek", ODP_TYPE_STRING);
    fx_field(&fx, "tahap", ODP_TYPE_STRING);
    fx_field(&fx, "rencana", ODP_TYPE_DATE);
    fx_field(&fx, "realisasi", ODP_TYPE_DATE);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(write_index(&fx, &job, cells, MANY, 500, NULL), ODP_OK);
    free(fx_read(&fx, "a.sqlite", &len));
    assert_int_equal(unlink(path), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    unsigned failed = 0;
    for (size_t limit = 0; limit < len; limit += len / 12 + 1) {
        limit_files(limit);
        enum odp_status status = write_index(&fx, &job, cells, MANY, 500, NULL);
        limit_files(RLIM_INFINITY);
        assert_int_equal(status, ODP_FAIL);
        assert_non_null(strstr(odp_failure_text(), path));
        odp_failure_clear();
        (void)unlink(path); /* after end it may be there in part */
        assert_int_equal(files_in(fx.dir), 0);
        failed++;
    }
    assert_true(failed >= 10);
    assert_int_equal(write_index(&fx, &job, cells, MANY, 500, NULL), ODP_OK);
    fx_release(&fx);
}

/* ---- pages that SQLite has not made ---- */

/* What ANALYZE finds is what was entered. */
static void check_statistics(const char *path)
{
    static const char all[] = "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE tbl IS NOT 'meta' ORDER BY 1, 2";
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    char *entered = strdup(ask(db, all));
    assert_non_null(entered);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM sqlite_stat1; ANALYZE", NULL, NULL, NULL), SQLITE_OK);
    expect(db, all, entered);
    free(entered);
    sqlite3_close(db);
}

enum { HOSTILE = 3000, HOSTILE_COLUMNS = 5 };

/* Texts that begin alike, are empty, hold zero bytes, or are longer than a page; numbers of every length, of both signs, and
 * zero without one. */
static void hostile_values(struct odp_slice *cells, char **memory)
{
    static const size_t lengths[] = {0, 1, 7, 8, 9, 15, 16, 40, 4000, 4070, 4090, 8200, 16330, 16349, 16350, 40000};
    static const char *const integers[] = {"0",
                                           "1",
                                           "-1",
                                           "127",
                                           "128",
                                           "-128",
                                           "-129",
                                           "32768",
                                           "-8388609",
                                           "2147483648",
                                           "140737488355327",
                                           "140737488355328",
                                           "-140737488355329",
                                           "9223372036854775807",
                                           "-9223372036854775808"};
    static const char *const reals[] = {
        "0", "-0.0", "0.5", "-0.5", "1", "100000", "1e15", "-1e15", "2.5e-10", "140737488355328", "-140737488355327"};
    uint32_t x = 7;
    size_t used = 0, cap = (size_t)HOSTILE * 2 * 64 + HOSTILE * 2500;
    char *text = malloc(cap);
    assert_non_null(text);
    *memory = text;
    for (size_t i = 0; i < HOSTILE; i++) {
        for (size_t k = 0; k < 2; k++) {
            x = x * 1664525u + 1013904223u;
            size_t len = (x >> 24) % 50 == 0 ? lengths[(x >> 16) % 16] : lengths[(x >> 16) % 8];
            assert_true(used + len + 16 < cap);
            char *at = text + used;
            memset(at, 'a' + (int)((x >> 20) % 2), len);
            for (size_t z = 0; z < len && z < 3; z++)
                at[len - 1 - z] = (char)((x >> (8 + z)) % 4 == 0 ? 0 : 'a' + (x >> (4 * z)) % 3);
            used += len;
            cells[i * HOSTILE_COLUMNS + k] = (x >> 12) % 9 == 0 ? NUL : (struct odp_slice){at, len};
        }
        x = x * 1664525u + 1013904223u;
        cells[i * HOSTILE_COLUMNS + 2] = odp_slice_of(integers[(x >> 24) % 15]);
        cells[i * HOSTILE_COLUMNS + 3] = (x >> 16) % 7 == 0 ? NUL : odp_slice_of(reals[(x >> 20) % 11]);
        int n = snprintf(text + used, 16, "%u", (unsigned)((i * 7919) % HOSTILE));
        cells[i * HOSTILE_COLUMNS + 4] = (struct odp_slice){text + used, (size_t)n};
        used += (size_t)n;
    }
}

/* The same file whether the keys are sorted at once or merged from many pieces; SQLite finds it sound, every value as it was
 * given, and the same statistics. */
static void test_hostile_values(void **state)
{
    (void)state;
    static struct odp_slice cells[HOSTILE * HOSTILE_COLUMNS];
    static const size_t pieces[] = {0, 1, 3000, 100000};
    uint32_t declared[] = {0, 1, 2, 3}, pair[] = {1, 3, 0}, turned[] = {3, 2};
    struct odp_key indexes[] = {{&declared[0], 1, NULL}, {&declared[1], 1, NULL}, {&declared[2], 1, NULL},
                                {&declared[3], 1, NULL}, {pair, 3, NULL},         {turned, 2, NULL}};
    struct fixture fx;
    char path[PATH_SIZE], *memory, *first = NULL;
    size_t len = 0;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "satu", ODP_TYPE_STRING);
    fx_field(&fx, "dua", ODP_TYPE_STRING);
    fx_field(&fx, "bulat", ODP_TYPE_INTEGER);
    fx_field(&fx, "pecahan", ODP_TYPE_NUMBER);
    fx_field(&fx, "kunci", ODP_TYPE_INTEGER);
    fx_key(&fx, 4, -1);
    fx.resource.indexes = indexes;
    fx.resource.nindexes = sizeof indexes / sizeof *indexes;
    hostile_values(cells, &memory);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t again;
        struct odp_search_job job = job_of(&fx, path);
        job.sorted_at_once = pieces[k];
        assert_int_equal(write_index(&fx, &job, cells, HOSTILE, k == 0 ? 1 : 700, NULL), ODP_OK);
        char *bytes = fx_read(&fx, "a.sqlite", &again);
        if (first != NULL) {
            assert_int_equal(again, len);
            assert_memory_equal(bytes, first, len);
        }
        free(first);
        first = bytes;
        len = again;
        if (k + 1 < sizeof pieces / sizeof *pieces)
            assert_int_equal(unlink(path), 0);
    }
    free(first);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'i[0-9]*'", "7\n");
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT c0, c1 FROM data ORDER BY id", -1, &s, NULL), SQLITE_OK);
    for (size_t i = 0; i < HOSTILE; i++) {
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        for (int k = 0; k < 2; k++) {
            struct odp_slice want = cells[i * HOSTILE_COLUMNS + (size_t)k];
            assert_int_equal(sqlite3_column_type(s, k), want.ptr == NULL ? SQLITE_NULL : SQLITE_TEXT);
            assert_int_equal(sqlite3_column_bytes(s, k), want.len);
            if (want.len > 0)
                assert_memory_equal(sqlite3_column_text(s, k), want.ptr, want.len);
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    check_statistics(path);
    free(memory);
    fx_release(&fx);
}

/* Keys so long that a page has five of them: from one page to a tree of five levels. */
static void test_tall_trees(void **state)
{
    (void)state;
    enum { TALL = 2400, LONG = 3000 };
    static struct odp_slice cells[TALL];
    struct fixture fx;
    char path[PATH_SIZE], *text = malloc((size_t)TALL * 16);
    uint32_t declared[] = {0};
    struct odp_key index = {declared, 1, NULL};
    assert_non_null(text);
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx.resource.indexes = &index;
    fx.resource.nindexes = 1;
    static char tail[LONG];
    memset(tail, 'x', sizeof tail);
    struct odp_search_job job = job_of(&fx, path);
    for (uint32_t n = 1; n <= TALL; n = n < 40 ? n + 1 : n * 7 + 1) {
        char *long_text = malloc((size_t)n * LONG);
        assert_non_null(long_text);
        for (uint32_t i = 0; i < n; i++) {
            memcpy(long_text + (size_t)i * LONG, tail, LONG);
            int k = snprintf(text, 16, "%08u", (i * 7919u) % 99991u);
            memcpy(long_text + (size_t)i * LONG, text, (size_t)k);
            cells[i] = (struct odp_slice){long_text + (size_t)i * LONG, LONG};
        }
        assert_int_equal(write_index(&fx, &job, cells, n, 500, NULL), ODP_OK);
        sqlite3 *db = open_index(path);
        check_sound(db);
        sqlite3_close(db);
        check_statistics(path);
        assert_int_equal(unlink(path), 0);
        free(long_text);
    }
    free(text);
    fx_release(&fx);
}

/* ---- the emitter ---- */

static void test_emitter(void **state)
{
    (void)state;
    struct fixture fx;
    struct odp_search_file searches[1] = {{0}};
    struct odp_arena arena;
    struct odp_file_info digest;
    char hex[ODP_SHA256_HEX], want[512];
    const struct odp_slice cells[] = {S("a"), S("b")};
    fx_init(&fx);
    odp_arena_init(&arena);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.formats[0] = S("CSV");
    fx.dataset.formats.n = 1;
    fx_emit(&fx, cells, 2, 2, NULL); /* none are made */
    assert_false(fx_exists(&fx, "search"));
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.formats[0] = S("CSV");
    fx.dataset.formats.n = 1;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    fx_emit(&fx, cells, 2, 1, NULL);
    assert_non_null(searches[0].path);
    assert_int_equal(searches[0].rows, 2);
    assert_int_equal(odp_file_digest(searches[0].disk, &digest), ODP_OK);
    odp_digest_hex(digest.sha256, hex);
    hex[ODP_SEARCH_ID] = '\0';
    snprintf(want, sizeof want, "search/uji/2024-03-15/uji-%s.sqlite", hex);
    assert_string_equal(searches[0].path, want);
    assert_true(fx_exists(&fx, searches[0].path));
    fx_path(&fx, "search/uji/2024-03-15", want);
    assert_int_equal(files_in(want), 1);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));

    /* Given up: nothing is left. */
    struct odp_emit_set set = {0};
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.dataset.formats.n = 0;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    assert_int_equal(fx_begin(&fx, &set), ODP_OK);
    assert_true(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    fx.resource.no_search = true;
    assert_int_equal(fx_begin(&fx, &set), ODP_OK);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    odp_arena_release(&arena);
    fx_release(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_full_disk), cmocka_unit_test(test_hostile_values),
        cmocka_unit_test(test_tall_trees), cmocka_unit_test(test_emitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
