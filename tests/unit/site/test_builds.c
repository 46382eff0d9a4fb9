/* The folder of builds: lock, log, link, history. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "published/builds.h"
#include "published/builds_history.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

struct fixture {
    char dir[64], out[128];
    struct odp_arena arena;
    struct odp_diags *diags;
    struct odp_builds b;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/odp-builds-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->out, sizeof f->out, "%s/site", f->dir);
    assert_int_equal(odp_diags_new(&f->diags, 10), ODP_OK);
    odp_builds_open(&f->b, odp_arena_printf(&f->arena, "%s//", f->out), &f->arena);
    assert_string_equal(f->b.out, f->out);
    assert_int_equal(odp_builds_lock(&f->b, f->diags), ODP_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    odp_builds_close(&f->b);
    assert_int_equal(odp_dir_remove(f->dir), ODP_OK);
    odp_diags_free(f->diags);
    odp_arena_release(&f->arena);
    free(f);
    return 0;
}

static void put(struct fixture *f, const char *name, const char *text)
{
    const char *path = odp_path_join(&f->arena, f->b.dir, name);
    (void)unlink(path);
    assert_int_equal(odp_file_put(path, odp_slice_of(text), 0644, NULL), ODP_OK);
}

static void test_one_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct odp_builds second;
    odp_builds_open(&second, f->out, &f->arena);
    assert_int_equal(odp_builds_lock(&second, f->diags), ODP_BAD);
    assert_int_equal(odp_diags_code_count(f->diags, ODP_V08), 1);
    odp_builds_close(&second);
    odp_builds_close(&f->b);
    assert_int_equal(odp_builds_lock(&second, f->diags), ODP_OK);
    odp_builds_close(&second);
}

static void expect_log(struct fixture *f, const char *const *want, size_t n)
{
    const char **got;
    size_t count;
    assert_int_equal(odp_builds_log(&f->b, &got, &count), ODP_OK);
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(got[i], want[i]);
}

static void test_log(void **state)
{
    static const char *const abc[] = {A, B, C}, *const bca[] = {B, C, A};
    struct fixture *f = *state;
    expect_log(f, NULL, 0);
    assert_int_equal(odp_builds_log_put(&f->b, abc, 3), ODP_OK);
    expect_log(f, abc, 3);
    put(f, ".new-log", "left by a run that was killed");
    assert_int_equal(odp_builds_log_move(&f->b, A), ODP_OK);
    expect_log(f, bca, 3);
    put(f, "log", A "\nnonsense\n\n" B "\n" A A "\n" C);
    expect_log(f, abc, 3);
}

/* A site that is built every second for days. */
static void test_long_log(void **state)
{
    struct fixture *f = *state;
    struct odp_buffer text = {0};
    const char **got;
    size_t n;
    for (int i = 0; i < 40000; i++)
        odp_buffer_printf(&text, "%064x\n", (unsigned)i);
    put(f, "log", odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    assert_int_equal(odp_builds_log_move(&f->b, A), ODP_OK);
    assert_int_equal(odp_builds_log(&f->b, &got, &n), ODP_OK);
    assert_int_equal(n, 1001);
    assert_string_equal(got[n - 1], A);
    assert_int_equal(strtol(got[n - 2], NULL, 16), 39999);
}

static void test_link(void **state)
{
    struct fixture *f = *state;
    const char *current = A;
    assert_int_equal(odp_builds_current(&f->b, &current), ODP_OK);
    assert_null(current);
    assert_int_equal(odp_builds_point(&f->b, A), ODP_OK);
    assert_int_equal(odp_builds_point(&f->b, B), ODP_OK);
    assert_int_equal(odp_builds_current(&f->b, &current), ODP_OK);
    assert_string_equal(current, B);
    char target[128] = "";
    assert_true(readlink(f->out, target, sizeof target - 1) > 0);
    assert_string_equal(target, "site.builds/" B);
    assert_int_equal(unlink(f->out), 0);
    assert_int_equal(symlink("elsewhere/" B, f->out), 0);
    assert_int_equal(odp_builds_current(&f->b, &current), ODP_OK);
    assert_null(current);
    assert_int_equal(unlink(f->out), 0);
    assert_int_equal(odp_dir_make(f->out), ODP_OK); /* an empty folder is replaced */
    assert_int_equal(odp_builds_point(&f->b, C), ODP_OK);
    assert_int_equal(odp_builds_current(&f->b, &current), ODP_OK);
    assert_string_equal(current, C);
}

static void test_present(void **state)
{
    struct fixture *f = *state;
    const char **got;
    size_t n;
    assert_int_equal(odp_dir_make(odp_path_join(&f->arena, f->b.dir, B)), ODP_OK);
    assert_int_equal(odp_dir_make(odp_path_join(&f->arena, f->b.dir, A)), ODP_OK);
    assert_int_equal(odp_dir_make(odp_path_join(&f->arena, f->b.dir, ".stage-x")), ODP_OK);
    put(f, C, "a file of that name is no build");
    put(f, A ".remote", "x");
    assert_int_equal(odp_builds_present(&f->b, &got, &n), ODP_OK);
    assert_int_equal(n, 2);
    assert_string_equal(got[0], A);
    assert_string_equal(got[1], B);
}

static void expect_event(const struct odp_builds_event *e, const char *action, const char *from,
                         const char *to, const char *by)
{
    assert_int_equal(strlen(e->time), strlen("2024-03-15T03:00:00Z"));
    assert_string_equal(e->action, action);
    assert_true((e->from == NULL) == (from == NULL));
    assert_true((e->by == NULL) == (by == NULL));
    if (from != NULL)
        assert_string_equal(e->from, from);
    if (by != NULL)
        assert_string_equal(e->by, by);
    assert_string_equal(e->to, to);
}

static void test_history(void **state)
{
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    assert_int_equal(odp_builds_events(f->b.dir, &list, &n, &f->arena), ODP_OK);
    assert_int_equal(n, 0);
    assert_int_equal(odp_builds_note(f->b.dir, "build", NULL, A, NULL), ODP_OK);
    assert_int_equal(odp_builds_note(f->b.dir, "rollback", A, B, "Sari \"S\" \\ Dewi"), ODP_OK);
    assert_int_equal(odp_builds_events(f->b.dir, &list, &n, &f->arena), ODP_OK);
    assert_int_equal(n, 2);
    expect_event(&list[0], "build", NULL, A, NULL);
    expect_event(&list[1], "rollback", A, B, "Sari \"S\" \\ Dewi");
}

/* A run was killed while it wrote: at every byte of its line. What was there before and what comes after is
 * read. */
static void test_torn_line(void **state)
{
    static const char line[] =
        "{\"time\":\"2024-03-15T03:00:00Z\",\"action\":\"build\",\"from\":null,\"to\":\"" A
        "\",\"by\":null}\n";
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    for (size_t cut = 1; cut < sizeof line - 1; cut++) {
        put(f, "history", odp_arena_printf(&f->arena, "%s%.*s", line, (int)cut, line));
        assert_int_equal(odp_builds_events(f->b.dir, &list, &n, &f->arena), ODP_OK);
        assert_int_equal(n, 1);
        assert_int_equal(odp_builds_note(f->b.dir, "rollback", A, B, NULL), ODP_OK);
        assert_int_equal(odp_builds_events(f->b.dir, &list, &n, &f->arena), ODP_OK);
        /* Only its line feed was missing: then it is whole. */
        assert_int_equal(n, cut == sizeof line - 2 ? 3 : 2);
        expect_event(&list[n - 1], "rollback", A, B, NULL);
    }
}

static void test_hostile_history(void **state)
{
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    put(f, "history",
        "[]\n{\"time\":1}\n\n{\"time\":\"x\",\"action\":\"build\"}\n{\"time\":\"t\",\"action\":\"a\",\"to\":"
        "\"b\"}\nnull\n");
    assert_int_equal(odp_builds_events(f->b.dir, &list, &n, &f->arena), ODP_OK);
    assert_int_equal(n, 1);
    assert_string_equal(list[0].to, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_log, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_log, setup, teardown),
        cmocka_unit_test_setup_teardown(test_link, setup, teardown),
        cmocka_unit_test_setup_teardown(test_present, setup, teardown),
        cmocka_unit_test_setup_teardown(test_history, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hostile_history, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
