/* The folder of builds: lock, log, link, history. */
#include "run.h"

#include <unistd.h>

#include "base/file.h"
#include "published/builds.h"
#include "published/builds_history.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

struct fixture {
    char dir[FRESH_FOLDER], out[128];
    struct odp_arena arena;
    struct odp_diags *diags;
    struct odp_builds b;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    fresh_folder(f->dir, "builds");
    snprintf(f->out, sizeof f->out, "%s/site", f->dir);
    must(odp_diags_new(&f->diags, 10));
    odp_builds_open(&f->b, odp_arena_printf(&f->arena, "%s//", f->out), &f->arena);
    assert_string_equal(f->b.out, f->out);
    must(odp_builds_lock(&f->b, f->diags));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    odp_builds_close(&f->b);
    must(odp_dir_remove(f->dir));
    odp_diags_free(f->diags);
    odp_arena_release(&f->arena);
    free(f);
    return 0;
}

static void put(struct fixture *f, const char *name, const char *text)
{
    const char *path = odp_path_join(&f->arena, f->b.dir, name);
    (void)unlink(path);
    must(odp_file_put(path, odp_slice_of(text), 0644, NULL));
}

TEST(one_at_a_time)
{
    struct fixture *f = *state;
    struct odp_builds second;
    odp_builds_open(&second, f->out, &f->arena);
    must_refuse(odp_builds_lock(&second, f->diags));
    assert_int_equal(odp_diags_code_count(f->diags, ODP_V08), 1);
    odp_builds_close(&second);
    odp_builds_close(&f->b);
    must(odp_builds_lock(&second, f->diags));
    odp_builds_close(&second);
}

static void expect_log(struct fixture *f, const char *const *want, size_t n)
{
    const char **got;
    size_t count;
    must(odp_builds_log(&f->b, &got, &count));
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(got[i], want[i]);
}

TEST(log)
{
    static const char *const abc[] = {A, B, C}, *const bca[] = {B, C, A};
    struct fixture *f = *state;
    expect_log(f, NULL, 0);
    must(odp_builds_log_put(&f->b, abc, 3));
    expect_log(f, abc, 3);
    put(f, ".new-log", "left by a run that was killed");
    must(odp_builds_log_move(&f->b, A));
    expect_log(f, bca, 3);
    put(f, "log", A "\nnonsense\n\n" B "\n" A A "\n" C);
    expect_log(f, abc, 3);
}

/* A site that is built every second for days. */
TEST(long_log)
{
    struct fixture *f = *state;
    struct odp_buffer text = {0};
    const char **got;
    size_t n;
    for (int i = 0; i < 40000; i++)
        odp_buffer_printf(&text, "%064x\n", (unsigned)i);
    put(f, "log", odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    must(odp_builds_log_move(&f->b, A));
    must(odp_builds_log(&f->b, &got, &n));
    assert_int_equal(n, 1001);
    assert_string_equal(got[n - 1], A);
    assert_int_equal(strtol(got[n - 2], NULL, 16), 39999);
}

TEST(link)
{
    struct fixture *f = *state;
    const char *current = A;
    must(odp_builds_current(&f->b, &current));
    assert_null(current);
    must(odp_builds_point(&f->b, A));
    must(odp_builds_point(&f->b, B));
    must(odp_builds_current(&f->b, &current));
    assert_string_equal(current, B);
    char target[128] = "";
    assert_true(readlink(f->out, target, sizeof target - 1) > 0);
    assert_string_equal(target, "site.builds/" B);
    assert_int_equal(unlink(f->out), 0);
    assert_int_equal(symlink("elsewhere/" B, f->out), 0);
    must(odp_builds_current(&f->b, &current));
    assert_null(current);
    assert_int_equal(unlink(f->out), 0);
    must(odp_dir_make(f->out)); /* an empty folder is replaced */
    must(odp_builds_point(&f->b, C));
    must(odp_builds_current(&f->b, &current));
    assert_string_equal(current, C);
}

TEST(present)
{
    struct fixture *f = *state;
    const char **got;
    size_t n;
    must(odp_dir_make(odp_path_join(&f->arena, f->b.dir, B)));
    must(odp_dir_make(odp_path_join(&f->arena, f->b.dir, A)));
    must(odp_dir_make(odp_path_join(&f->arena, f->b.dir, ".stage-x")));
    put(f, C, "a file of that name is no build");
    put(f, A ".remote", "x");
    must(odp_builds_present(&f->b, &got, &n));
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

TEST(history)
{
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    must(odp_builds_events(f->b.dir, &list, &n, &f->arena));
    assert_int_equal(n, 0);
    must(odp_builds_note(f->b.dir, "build", NULL, A, NULL));
    must(odp_builds_note(f->b.dir, "rollback", A, B, "Sari \"S\" \\ Dewi"));
    must(odp_builds_events(f->b.dir, &list, &n, &f->arena));
    assert_int_equal(n, 2);
    expect_event(&list[0], "build", NULL, A, NULL);
    expect_event(&list[1], "rollback", A, B, "Sari \"S\" \\ Dewi");
}

/* A run was killed while it wrote: at every byte of its line. What was there before and what comes after is
 * read. */
TEST(torn_line)
{
    static const char line[] =
        "{\"time\":\"2024-03-15T03:00:00Z\",\"action\":\"build\",\"from\":null,\"to\":\"" A
        "\",\"by\":null}\n";
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    for (size_t cut = 1; cut < sizeof line - 1; cut++) {
        put(f, "history", odp_arena_printf(&f->arena, "%s%.*s", line, (int)cut, line));
        must(odp_builds_events(f->b.dir, &list, &n, &f->arena));
        assert_int_equal(n, 1);
        must(odp_builds_note(f->b.dir, "rollback", A, B, NULL));
        must(odp_builds_events(f->b.dir, &list, &n, &f->arena));
        /* Only its line feed was missing: then it is whole. */
        assert_int_equal(n, cut == sizeof line - 2 ? 3 : 2);
        expect_event(&list[n - 1], "rollback", A, B, NULL);
    }
}

TEST(hostile_history)
{
    struct fixture *f = *state;
    struct odp_builds_event *list;
    size_t n;
    put(f, "history",
        "[]\n{\"time\":1}\n\n{\"time\":\"x\",\"action\":\"build\"}\n{\"time\":\"t\",\"action\":\"a\",\"to\":"
        "\"b\"}\nnull\n");
    must(odp_builds_events(f->b.dir, &list, &n, &f->arena));
    assert_int_equal(n, 1);
    assert_string_equal(list[0].to, "b");
}

EACH(setup, teardown)
