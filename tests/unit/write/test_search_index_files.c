/* The query index as a file: the same bytes for batches of any size, a disk that is full, and the place that
 * the emitter gives it. */
#include "search_index_fixture.h"

#include <errno.h>
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

static const struct odp_slice three_projects[] = {
    S("P1"),    S("Saluran"), S("31.71"), S("12.50"), S("P2"), S("Jalan"),
    S("31.72"), S("3"),       S("P3"),    S("Taman"), NUL,     NUL,
};

TEST(same_bytes)
{
    static struct projects p;
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    static const uint32_t steps[] = {1, 7, 1000, MANY, 7};
    size_t len[5];
    char *bytes[5];
    projects_init(&p);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&p.main, p.main_path);
    must(write_index(&p.main, &job, three_projects, 3, 1, NULL));
    job = job_of(&p.steps, p.steps_path);
    job.searches = p.searches;
    for (int k = 0; k < 5; k++) {
        must(write_index(&p.steps, &job, cells, MANY, steps[k], NULL));
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

TEST(full_disk)
{
    static struct odp_slice cells[4 * MANY];
    static char text[MANY][64];
    char path[PATH_SIZE];
    size_t len;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "proyek", ODP_TYPE_STRING);
    fx_field(&fx, "tahap", ODP_TYPE_STRING);
    fx_field(&fx, "rencana", ODP_TYPE_DATE);
    fx_field(&fx, "realisasi", ODP_TYPE_DATE);
    many_steps(cells, text);
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, MANY, 500, NULL));
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
    must(write_index(&fx, &job, cells, MANY, 500, NULL));
}

TEST(a_folder_that_is_read_only)
{
    const uid_t user = geteuid();
    const struct odp_slice cells[] = {S("a")};
    char path[PATH_SIZE];
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    struct odp_search_job job = job_of(&fx, path);
    assert_int_equal(chmod(fx.dir, 0555), 0);
    if (user == 0) /* root may write everywhere */
        assert_int_equal(seteuid(65534), 0);
    enum odp_status status = write_index(&fx, &job, cells, 1, 1, NULL);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(status, ODP_FAIL);
    assert_int_equal(odp_failure_errno(), EACCES);
    assert_int_equal(chmod(fx.dir, 0755), 0);
}

/* ---- the emitter ---- */

TEST(emitter)
{
    struct fixture fx;
    struct odp_search_file searches[1] = {{0}};
    ARENA(arena);
    struct odp_file_info digest;
    char hex[ODP_SHA256_HEX], want[512];
    const struct odp_slice cells[] = {S("a"), S("b")};
    fx_init(&fx);
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
    must(odp_file_digest(searches[0].disk, &digest));
    odp_digest_hex(digest.sha256, hex);
    hex[ODP_SEARCH_ID] = '\0';
    snprintf(want, sizeof want, "search/uji/2024-03-15/uji-%s.sqlite", hex);
    assert_string_equal(searches[0].path, want);
    assert_true(fx_exists(&fx, searches[0].path));
    fx_path(&fx, "search/uji/2024-03-15", want);
    assert_int_equal(files_in(want), 2);
    snprintf(want, sizeof want, "search/uji/2024-03-15/uji-%s.words.json", hex);
    assert_true(fx_exists(&fx, want)); /* a list has none */
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.dataset.formats.n = 0;
    fx.dataset.reference = true;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    fx_emit(&fx, cells, 2, 1, NULL);
    fx_path(&fx, "search/uji/2024-03-15", want);
    assert_int_equal(files_in(want), 1);

    /* Given up: nothing is left. */
    struct odp_emit_set set = {0};
    fx_release(&fx);
    fx_init(&fx);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.dataset.formats.n = 0;
    fx.job.searches = searches;
    fx.job.arena = &arena;
    must(fx_begin(&fx, &set));
    assert_true(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    fx.resource.no_search = true;
    must(fx_begin(&fx, &set));
    assert_false(fx_exists(&fx, "search/uji/2024-03-15/.uji.making"));
    odp_emit_set_abort(&set);
    fx_release(&fx);
}
