/* The stage and the switch: what is published is whole, what is not is gone. */
#include "emit_fixture.h"

#include <brotli/decode.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/media.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx; /* its folder, its catalogue */
    char out[512];
    struct odp_diags *diags;
    struct odp_arena arena;
    struct odp_pool *pool;
};

static void site_init(struct site *s)
{
    memset(s, 0, sizeof *s);
    fx_init(&s->fx);
    fx_path(&s->fx, "site", s->out);
    odp_arena_init(&s->arena);
    assert_int_equal(odp_diags_new(&s->diags, 10), ODP_OK);
    assert_int_equal(odp_pool_new(&s->pool, 2), ODP_OK);
}

static void site_release(struct site *s)
{
    odp_pool_free(s->pool);
    odp_diags_free(s->diags);
    odp_arena_release(&s->arena);
    fx_release(&s->fx);
}

static struct odp_stage *open_stage(struct site *s)
{
    struct odp_stage *stage = NULL;
    assert_int_equal(odp_stage_open(&stage, s->out, s->diags), ODP_OK);
    return stage;
}

static void put(struct odp_stage *stage, const char *path, const char *bytes)
{
    assert_int_equal(odp_stage_put(stage, path, "application/json", ODP_CLASS_PUBLIC, odp_slice_of(bytes)),
                     ODP_OK);
}

static void finish(struct site *s, struct odp_stage *stage, unsigned keep, const char **build)
{
    assert_int_equal(odp_stage_manifest(stage, &s->fx.catalog), ODP_OK);
    assert_int_equal(odp_stage_switch(stage, keep, &s->arena, build), ODP_OK);
    odp_stage_close(stage);
}

/* A site of one dataset whose CSV is TEXT. */
static const char *publish(struct site *s, const char *text, unsigned keep)
{
    const char *build = NULL;
    struct odp_stage *stage = open_stage(s);
    put(stage, "data/uji/2024-03-15/uji.csv", text);
    put(stage, "v1/uji.json", "{\"data\":[]}");
    put(stage, "v1/index.json",
        "{\"data\":[{\"slug\":\"uji\",\"version\":\"2024-03-15\"}],\"status\":\"success\"}");
    finish(s, stage, keep, &build);
    return build;
}

/* Entries of the folder PATH that begin with PREFIX, and are LEN bytes long where LEN is not 0. */
static size_t count_named(const struct site *s, const char *path, const char *prefix, size_t len)
{
    struct odp_arena a;
    const char **names;
    char full[512];
    size_t n, found = 0;
    fx_path(&s->fx, path, full);
    odp_arena_init(&a);
    assert_int_equal(odp_dir_list(full, &a, &names, &n), ODP_OK);
    for (size_t i = 0; i < n; i++)
        found += strncmp(names[i], prefix, strlen(prefix)) == 0 && (len == 0 || strlen(names[i]) == len);
    odp_arena_release(&a);
    return found;
}

static size_t count_entries(const struct site *s, const char *path, const char *prefix)
{
    return count_named(s, path, prefix, 0);
}

/* Builds have digests for names; what is beside one (<digest>.seals) is no build. */
static size_t count_builds(const struct site *s)
{
    return count_named(s, "site.builds", "", 64);
}

/* Files beside the build that the path BUILD ends in: <digest>.seals. */
static size_t count_beside(const struct site *s, const char *build)
{
    char name[66];
    snprintf(name, sizeof name, "%.64s.", strrchr(build, '/') + 1);
    return count_entries(s, "site.builds", name);
}

static void test_switch(void **state)
{
    struct site s;
    struct stat st;
    char full[512], target[512];
    site_init(&s);
    const char *build = publish(&s, "t\r\na\r\n", 3);
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "t\r\na\r\n");
    ssize_t len = readlink(s.out, target, sizeof target - 1);
    assert_true(len > 0);
    target[len] = '\0';
    assert_memory_equal(target, "site.builds/", 12); /* relative: the whole may be moved */
    assert_int_equal(len, 12 + 64);
    assert_string_equal(strrchr(build, '/'), strrchr(target, '/'));
    fx_path(&s.fx, "site/v1/uji.json", full);
    assert_int_equal(stat(full, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
    assert_int_equal(stat(s.out, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    assert_int_equal(count_entries(&s, "site.builds", ".stage-"), 0);
    site_release(&s);
}

static void test_same_site_is_the_same_build(void **state)
{
    struct site s;
    site_init(&s);
    const char *a = publish(&s, "x", 3), *b = publish(&s, "y", 3), *c = publish(&s, "x", 3);
    assert_string_equal(a, c);
    assert_string_not_equal(a, b);
    assert_int_equal(count_builds(&s), 2);
    char *log = fx_read(&s.fx, "site.builds/log", NULL);
    assert_int_equal(strlen(log), 2 * 65);
    assert_memory_equal(log, strrchr(b, '/') + 1, 64); /* switching to a build again makes it the newest */
    assert_memory_equal(log + 65, strrchr(a, '/') + 1, 64);
    free(log);
    site_release(&s);
}

static void test_old_builds_go(void **state)
{
    struct site s;
    site_init(&s);
    const char *first = publish(&s, "1", 2), *second = publish(&s, "2", 2), *third = publish(&s, "3", 2);
    assert_int_equal(access(first, F_OK), -1);
    assert_int_equal(access(second, F_OK), 0);
    assert_int_equal(access(third, F_OK), 0);
    assert_int_equal(count_beside(&s, first), 0); /* what lies beside a build goes with it */
    assert_int_equal(count_beside(&s, second), 1);
    assert_int_equal(count_beside(&s, third), 1);
    publish(&s, "4", 0); /* never fewer than the one that is published */
    assert_int_equal(count_builds(&s), 1);
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "4");
    site_release(&s);
}

static void test_damaged_build_is_mended(void **state)
{
    struct site s;
    char full[512];
    site_init(&s);
    publish(&s, "abc", 3);
    fx_path(&s.fx, "site/data/uji/2024-03-15/uji.csv", full);
    assert_int_equal(chmod(full, 0644), 0);
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_true(fputs("abX", f) >= 0);
    assert_int_equal(fclose(f), 0);
    publish(&s, "abc", 3);
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "abc");
    site_release(&s);
}

static void test_nothing_is_published_without_switch(void **state)
{
    struct site s;
    site_init(&s);
    publish(&s, "old", 3);
    struct odp_stage *stage = open_stage(&s);
    put(stage, "data/uji/2024-03-15/uji.csv", "new");
    assert_int_equal(odp_stage_manifest(stage, &s.fx.catalog), ODP_OK);
    odp_stage_close(stage);
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "old");
    assert_int_equal(count_entries(&s, "site.builds", ".stage-"), 0);
    assert_int_equal(count_builds(&s), 1);
    site_release(&s);
}

/* A run killed in the middle leaves its stage; the next one clears it away. */
static void test_killed_run(void **state)
{
    struct site s;
    int status;
    site_init(&s);
    publish(&s, "old", 3);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct odp_stage *stage = NULL;
        struct odp_file *f;
        if (odp_stage_open(&stage, s.out, s.diags) != ODP_OK)
            _exit(2);
        struct odp_output *o = odp_stage_output(stage);
        char *scratch = o->scratch(o->ctx, &s.arena);
        _exit(o->create(o->ctx, "v1/x.json", &f) == ODP_OK && odp_file_create(&f, scratch, 0600) == ODP_OK
                  ? 0
                  : 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_entries(&s, "site.builds", ".stage-"), 1);
    assert_int_equal(count_entries(&s, "site.builds", ".scratch-"), 1);
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "old");
    struct odp_stage *stage = open_stage(&s);
    assert_int_equal(count_entries(&s, "site.builds", ".stage-"), 1); /* its own */
    assert_int_equal(count_entries(&s, "site.builds", ".scratch-"), 0);
    odp_stage_close(stage);
    site_release(&s);
}

static void test_two_builds_at_once(void **state)
{
    struct site s;
    struct odp_stage *second = NULL;
    site_init(&s);
    struct odp_stage *first = open_stage(&s);
    assert_int_equal(odp_stage_open(&second, s.out, s.diags), ODP_BAD);
    assert_null(second);
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V08), 1);
    odp_stage_close(first);
    odp_stage_close(open_stage(&s));
    site_release(&s);
}

static void test_out_is_something_else(void **state)
{
    struct site s;
    struct odp_stage *stage = NULL;
    char inside[512];
    site_init(&s);
    assert_int_equal(mkdir(s.out, 0755), 0);
    publish(&s, "x", 3); /* an empty folder may go */
    fx_expect(&s.fx, "site/data/uji/2024-03-15/uji.csv", "x");
    assert_int_equal(unlink(s.out), 0);
    assert_int_equal(mkdir(s.out, 0755), 0);
    fx_path(&s.fx, "site/mine.txt", inside);
    assert_int_equal(odp_file_put(inside, ODP_LIT("mine"), 0644, NULL), ODP_OK);
    assert_int_equal(odp_stage_open(&stage, s.out, s.diags), ODP_BAD);
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V06), 1);
    fx_expect(&s.fx, "site/mine.txt", "mine");
    assert_int_equal(odp_dir_remove(s.out), ODP_OK);
    assert_int_equal(symlink("elsewhere", s.out), 0); /* a link, but not ours */
    assert_int_equal(odp_stage_open(&stage, s.out, s.diags), ODP_BAD);
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V06), 2);
    site_release(&s);
}

static void test_drop(void **state)
{
    static const char *const mine[] = {"data/uji/v/uji.csv", "data/uji/latest.json", "v1/uji.json",
                                       "v1/uji/v/1/p/2.json"};
    static const char *const others[] = {"data/uji-2/v/uji-2.csv", "v1/uji-2.json", "v1/ujian.json",
                                         "v1/index.json", "data/u/uji.csv"};
    struct site s;
    size_t n;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    for (size_t i = 0; i < 4; i++)
        put(stage, mine[i], "x");
    for (size_t i = 0; i < 5; i++)
        put(stage, others[i], "x");
    assert_int_equal(odp_stage_drop(stage, "uji"), ODP_OK);
    (void)odp_stage_files(stage, &n);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < 4; i++)
        assert_null(odp_stage_find(stage, mine[i]));
    for (size_t i = 0; i < 5; i++)
        assert_non_null(odp_stage_find(stage, others[i]));
    put(stage, mine[0], "again"); /* the place is free */
    odp_stage_close(stage);
    site_release(&s);
}

static void test_unsafe_paths(void **state)
{
    static const char *const paths[] = {"../x", "/etc/x", "a//b", "a/./b", "a/../b",
                                        "",     "a/",     "a\\b", "a\nb"};
    struct site s;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(odp_stage_put(stage, paths[i], "text/plain", ODP_CLASS_PUBLIC, ODP_LIT("x")),
                         ODP_FAIL);
    odp_failure_clear();
    put(stage, ".well-known/x", "x");
    put(stage, "a/..b", "x");
    odp_stage_close(stage);
    site_release(&s);
}

static void test_carry(void **state)
{
    struct site s;
    struct odp_site *old = NULL;
    struct stat before, after;
    char full[512];
    const char *build;
    site_init(&s);
    publish(&s, "carried", 3);
    fx_path(&s.fx, "site/data/uji/2024-03-15/uji.csv", full);
    assert_int_equal(stat(full, &before), 0);
    assert_int_equal(odp_site_open(&old, s.out, s.diags), ODP_OK);
    assert_non_null(odp_site_entry(old, "uji"));
    assert_null(odp_site_entry(old, "uj"));
    struct odp_stage *stage = open_stage(&s);
    assert_int_equal(odp_stage_carry(stage, old, "tidak-ada", s.diags), ODP_DONE);
    assert_int_equal(odp_stage_carry(stage, old, "uji", s.diags), ODP_OK);
    put(stage, "v1/index.json", "{\"data\":[]}");
    finish(&s, stage, 3, &build);
    assert_int_equal(stat(full, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); /* a link, not a copy */
    odp_site_close(old);
    site_release(&s);
}

static void test_carry_finds_a_flipped_bit(void **state)
{
    struct site s;
    struct odp_site *old = NULL;
    char full[512];
    size_t n;
    site_init(&s);
    publish(&s, "carried", 3);
    assert_int_equal(odp_site_open(&old, s.out, s.diags), ODP_OK);
    fx_path(&s.fx, "site/data/uji/2024-03-15/uji.csv", full);
    assert_int_equal(chmod(full, 0644), 0);
    int fd = open(full, O_WRONLY);
    assert_int_equal(pwrite(fd, "b", 1, 0), 1); /* 'c' with its lowest bit flipped */
    close(fd);
    struct odp_stage *stage = open_stage(&s);
    assert_int_equal(odp_stage_carry(stage, old, "uji", s.diags), ODP_BAD);
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), 1);
    (void)odp_stage_files(stage, &n);
    assert_int_equal(n, 0);
    assert_int_equal(unlink(full), 0); /* gone altogether */
    assert_int_equal(odp_stage_carry(stage, old, "uji", s.diags), ODP_BAD);
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), 2);
    odp_stage_close(stage);
    odp_site_close(old);
    site_release(&s);
}

static void test_damaged_sites(void **state)
{
    static const struct {
        const char *manifest;
        enum odp_status want;
    } cases[] = {
        {NULL, ODP_DONE},
        {"", ODP_BAD},
        {"{", ODP_BAD},
        {"[]", ODP_BAD},
        {"{\"files\":[]}", ODP_BAD}, /* no index */
        {"{\"files\":[{\"path\":\"../x\",\"size\":1,\"sha256\":\"00\",\"class\":\"public\",\"type\":\"a/"
         "b\"}]}",
         ODP_BAD},
        {"{\"files\":[{\"path\":\"v1/index.json\",\"size\":-1,\"sha256\":"
         "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"class\":\"public\",\"type\":"
         "\"a/b\"}]}",
         ODP_BAD},
        {"{\"files\":[{\"path\":\"v1/index.json\",\"size\":0,\"sha256\":"
         "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"class\":\"public\",\"type\":"
         "\"a/b\"}]}",
         ODP_BAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct site s;
        struct odp_site *old = NULL;
        char full[512];
        site_init(&s);
        assert_int_equal(odp_site_open(&old, s.out, s.diags), ODP_DONE);
        assert_int_equal(mkdir(s.out, 0755), 0);
        fx_path(&s.fx, "site/manifest.json", full);
        if (cases[i].manifest != NULL)
            assert_int_equal(odp_file_put(full, odp_slice_of(cases[i].manifest), 0644, NULL), ODP_OK);
        assert_int_equal(odp_site_open(&old, s.out, s.diags), cases[i].want);
        assert_null(old);
        assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), cases[i].want == ODP_BAD);
        site_release(&s);
    }
}

static void test_manifest_is_the_builds_name(void **state)
{
    struct site s;
    struct odp_site *old = NULL;
    char full[512];
    site_init(&s);
    publish(&s, "x", 3);
    char *text = fx_read(&s.fx, "site/manifest.json", NULL), *size = strstr(text, "\"size\":1,");
    assert_non_null(size);
    size[7] = '2';
    fx_path(&s.fx, "site/manifest.json", full);
    assert_int_equal(unlink(full), 0);
    assert_int_equal(odp_file_put(full, odp_slice_of(text), 0444, NULL), ODP_OK);
    assert_int_equal(odp_site_open(&old, s.out, s.diags), ODP_BAD);
    free(text);
    site_release(&s);
}

#define LINK_TO_UJI "<https://data.example.go.id/v1/uji>; rel=\"successor-version\"\n"
#define CONTROL_HEAD                                                                                         \
    "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"

static void test_manifest_and_control(void **state)
{
    struct site s;
    const char *build;
    site_init(&s);
    s.fx.dataset.state = ODP_STATE_DEPRECATED;
    s.fx.dataset.deprecated = "2024-03-15";
    s.fx.dataset.sunset = "2024-12-31";
    s.fx.dataset.replaced_by = "baru";
    struct odp_dataset datasets[2] = {s.fx.dataset, {.slug = "baru", .state = ODP_STATE_ACTIVE}};
    s.fx.catalog.datasets = datasets;
    s.fx.catalog.ndatasets = 2;
    struct odp_stage *stage = open_stage(&s);
    assert_int_equal(odp_stage_put(stage, "v1/uji.json", "application/json", ODP_CLASS_KEYED, ODP_LIT("abc")),
                     ODP_OK);
    assert_int_equal(odp_stage_put(stage, "data/uji/2024-03-15/uji.csv", "text/csv; charset=utf-8",
                                   ODP_CLASS_PUBLIC, ODP_LIT("")),
                     ODP_OK);
    assert_int_equal(odp_stage_put(stage, "data/uji/latest/uji.csv", "text/csv; charset=utf-8",
                                   ODP_CLASS_PUBLIC, ODP_LIT("")),
                     ODP_OK);
    put(stage, "data/uji/latest/uji.json", "abc");
    assert_int_equal(odp_stage_put(stage, "assets/a.js", "text/javascript", ODP_CLASS_PUBLIC, ODP_LIT("")),
                     ODP_OK);
    assert_int_equal(odp_stage_put(stage, "search/uji-1.sqlite", "application/vnd.sqlite3",
                                   ODP_CLASS_INTERNAL, ODP_LIT("")),
                     ODP_OK);
    finish(&s, stage, 1, &build);
    char *control = fx_read(&s.fx, "site/control", NULL), *gateway = strstr(control, "gateway.json\t\""),
         *rest;
    assert_non_null(gateway);
    rest = strchr(gateway, '\n');
    assert_non_null(rest);
    *rest = '\0';
    assert_non_null(strstr(gateway, "\"\tapplication/json\t-\tinternal\tactive\t-\t-\tno-store\t"));
    *rest = '\n';
    memmove(gateway, rest + 1, strlen(rest + 1) + 1); /* its own test looks at it */
#define DATES "@1710460800\tTue, 31 Dec 2024 00:00:00 GMT\t"
#define LINK  "<https://data.example.go.id/v1/baru>; rel=\"successor-version\"\n"
    assert_string_equal(control, CONTROL_HEAD
                        "assets/a.js\t\"e3b0c44298fc1c149afbf4c8996fb924\"\ttext/"
                        "javascript\t-\tpublic\tactive\t-\t-\tpublic, "
                        "max-age=31536000, immutable\t0\t-\n"
                        "data/uji/2024-03-15/uji.csv\t\"e3b0c44298fc1c149afbf4c8996fb924\"\ttext/csv; "
                        "charset=utf-8\t-\tpublic\tdeprecated\t" DATES
                        "public, max-age=86400, immutable\t0\t" LINK
                        "data/uji/latest/uji.csv\t\"e3b0c44298fc1c149afbf4c8996fb924\"\ttext/csv; "
                        "charset=utf-8\t-\tpublic\tdeprecated\t" DATES "public, max-age=300\t0\t" LINK
                        "data/uji/latest/uji.json\t\"ba7816bf8f01cfea414140de5dae2223\"\tapplication/"
                        "json\t-\tpublic\tdeprecated\t" DATES "public, max-age=300\t3\t" LINK
                        "search/uji-1.sqlite\t\"e3b0c44298fc1c149afbf4c8996fb924\"\tapplication/"
                        "vnd.sqlite3\t-\tinternal\tactive\t-\t-\tno-store\t0\t-\n"
                        "v1/uji.json\t\"ba7816bf8f01cfea414140de5dae2223\"\tapplication/json; "
                        "charset=utf-8\t-\tkeyed\tdeprecated\t" DATES "private, max-age=60\t3\t" LINK);
    free(control);
    char *text = fx_read(&s.fx, "site/manifest.json", NULL);
    json_t *doc = json_loads(text, 0, NULL), *files = json_object_get(doc, "files");
    assert_int_equal(json_array_size(files), 8); /* the six, gateway.json and control, not itself */
    const json_t *last = json_array_get(files, 7);
    assert_string_equal(json_string_value(json_object_get(last, "path")), "v1/uji.json");
    assert_string_equal(json_string_value(json_object_get(last, "sha256")),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(json_string_value(json_object_get(last, "type")), "application/json; charset=utf-8");
    json_decref(doc);
    free(text);
    site_release(&s);
}

/* The lines of withdrawn datasets stand among the others in the order of bytes; '.' and '/' are neighbours
 * there. */
static void test_withdrawn(void **state)
{
    struct site s;
    const char *build;
    site_init(&s);
    struct odp_dataset datasets[] = {s.fx.dataset,
                                     {.slug = "uji-lama", .state = ODP_STATE_WITHDRAWN, .replaced_by = "uji"},
                                     {.slug = "uj", .state = ODP_STATE_WITHDRAWN, .replaced_by = "rancangan"},
                                     {.slug = "rancangan", .state = ODP_STATE_DRAFT}};
    s.fx.catalog.datasets = datasets;
    s.fx.catalog.ndatasets = 4;
    struct odp_stage *stage = open_stage(&s);
    put(stage, "v1/uji.json", "abc");
    put(stage, "v1/uji/v/1/p/2.json", "abc");
    put(stage, "data/uji/latest.json", "abc");
    finish(&s, stage, 1, &build);
    char *control = fx_read(&s.fx, "site/control", NULL), *save = NULL;
    struct odp_buffer found;
    odp_buffer_init(&found);
    for (char *line = strtok_r(control, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
        odp_buffer_printf(&found, "%.*s\n",
                          strstr(line, "\twithdrawn\t") != NULL ? 512 : (int)strcspn(line, "\t"), line);
    assert_string_equal(
        odp_buffer_cstr(&found),
        "#odp-control-1\n"
        "data/uj/\t-\t-\t-\tpublic\twithdrawn\t-\t-\tpublic, max-age=300\t0\t-\n"
        "data/uji-lama/\t-\t-\t-\tpublic\twithdrawn\t-\t-\tpublic, max-age=300\t0\t" LINK_TO_UJI
        "data/uji/latest.json\ngateway.json\n"
        "v1/uj.json\t-\t-\t-\tkeyed\twithdrawn\t-\t-\tprivate, max-age=60\t0\t-\n"
        "v1/uj/\t-\t-\t-\tkeyed\twithdrawn\t-\t-\tprivate, max-age=60\t0\t-\n"
        "v1/uji-lama.json\t-\t-\t-\tkeyed\twithdrawn\t-\t-\tprivate, max-age=60\t0\t" LINK_TO_UJI
        "v1/uji-lama/\t-\t-\t-\tkeyed\twithdrawn\t-\t-\tprivate, max-age=60\t0\t" LINK_TO_UJI
        "v1/uji.json\nv1/uji/v/1/p/2.json\n");
    odp_buffer_release(&found);
    free(control);
    site_release(&s);
}

static void test_gateway_json(void **state)
{
    struct site s;
    const char *build;
    struct odp_tier tiers[] = {{.name = "public",
                                .title = {{"Publik", "Public"}},
                                .support = {{"Surel", "Email"}},
                                .daily = 1000,
                                .burst = 5,
                                .concurrent = 2,
                                .webhooks = 5},
                               {.name = "besar",
                                .webhooks = ODP_WEBHOOKS_ANY,
                                .daily = -1,
                                .burst = 100,
                                .concurrent = 20,
                                .price = INT64_C(5000000000)},
                               {.name = "diam", .daily = 1, .webhooks = ODP_WEBHOOKS_UNSAID}};
    site_init(&s);
    s.fx.catalog.portal.tiers = tiers;
    s.fx.catalog.portal.ntiers = 3;
    s.fx.catalog.portal.time_zone = "Asia/Makassar";
    struct odp_dataset datasets[] = {{.slug = "belum", .state = ODP_STATE_DRAFT, .notify_every = 60},
                                     s.fx.dataset};
    datasets[1].notify_every = 5400;
    s.fx.catalog.datasets = datasets;
    s.fx.catalog.ndatasets = 2;
    struct odp_stage *stage = open_stage(&s);
    put(stage, "v1/uji.json", "abc");
    finish(&s, stage, 1, &build);
    char *text = fx_read(&s.fx, "site/gateway.json", NULL);
    json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    char *line = json_dumps(doc, JSON_COMPACT);
    assert_string_equal(
        line, "{\"odp\":\"1\",\"title\":{\"id\":\"Portal\",\"en\":\"Portal\"},\"base_url\":\"https://"
              "data.example.go.id/\","
              "\"time_zone\":\"Asia/"
              "Makassar\",\"zone_minutes\":480,\"languages\":[\"id\",\"en\"],\"contact\":{},\"tiers\":["
              "{\"name\":\"public\",\"title\":{\"id\":\"Publik\",\"en\":\"Public\"},\"support\":{\"id\":"
              "\"Surel\",\"en\":\"Email\"},"
              "\"daily\":1000,\"burst\":5,\"concurrent\":2,\"price\":0,\"webhooks\":5},"
              "{\"name\":\"besar\",\"title\":{\"id\":\"\",\"en\":\"\"},\"support\":{\"id\":\"\",\"en\":\"\"},"
              "\"daily\":null,\"burst\":100,\"concurrent\":20,\"price\":5000000000,\"webhooks\":null},"
              "{\"name\":\"diam\",\"title\":{\"id\":\"\",\"en\":\"\"},\"support\":{\"id\":\"\",\"en\":\"\"},"
              "\"daily\":1,\"burst\":0,\"concurrent\":0,\"price\":0}],\"datasets\":[\"uji\"],\"notify_"
              "every\":{\"uji\":5400}}");
    free(line);
    free(text);
    json_decref(doc);
    site_release(&s);
}

/* ---- twins ---- */

static void expect_gunzip(const struct site *s, const char *path, const char *bytes, size_t len)
{
    char full[512], header[10];
    fx_path(&s->fx, path, full);
    FILE *f = fopen(full, "rb");
    assert_non_null(f);
    assert_int_equal(fread(header, 1, 10, f), 10);
    assert_memory_equal(header + 4, "\0\0\0\0", 4); /* no time */
    fclose(f);
    gzFile z = gzopen(full, "rb");
    char *back = malloc(len + 1);
    assert_non_null(back);
    assert_int_equal(gzread(z, back, (unsigned)len + 1), len);
    assert_memory_equal(back, bytes, len);
    assert_int_equal(gzclose(z), Z_OK);
    free(back);
}

static void expect_unbrotli(const struct site *s, const char *path, const char *bytes, size_t len)
{
    size_t packed, got = len + 1;
    char *in = fx_read(&s->fx, path, &packed), *back = malloc(len + 1);
    assert_non_null(back);
    assert_int_equal(BrotliDecoderDecompress(packed, (const uint8_t *)in, &got, (uint8_t *)back),
                     BROTLI_DECODER_RESULT_SUCCESS);
    assert_int_equal(got, len);
    assert_memory_equal(back, bytes, len);
    free(back);
    free(in);
}

/* Text that compresses, without being trivial. */
static char *make_text(size_t len)
{
    char *text = malloc(len + 1);
    assert_non_null(text);
    uint32_t x = 12345;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        text[i] = "abcdefgh,\n"[(x >> 24) % 10];
    }
    text[len] = '\0';
    return text;
}

static void test_twins(void **state)
{
    static const size_t sizes[] = {300, 4096, (128 << 10) + 1, (4 << 20) + 17};
    struct site s;
    const char *build;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    char *text = make_text(5 << 20), path[64];
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "v1/f%zu.json", i);
        assert_int_equal(odp_stage_put(stage, path, "application/json", ODP_CLASS_KEYED,
                                       (struct odp_slice){text, sizes[i]}),
                         ODP_OK);
    }
    put(stage, "v1/tiny.json", "{}");
    assert_int_equal(odp_stage_put(stage, "same.geojson", "application/geo+json", ODP_CLASS_PUBLIC,
                                   (struct odp_slice){text, 4096}),
                     ODP_OK);
    assert_int_equal(
        odp_stage_put(stage, "picture.png", "image/png", ODP_CLASS_PUBLIC, (struct odp_slice){text, 4096}),
        ODP_OK);
    assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK);
    const struct odp_site_file *twin = odp_stage_find(stage, "v1/f1.json.gz");
    assert_non_null(twin);
    assert_string_equal(twin->encoding, "gzip");
    assert_string_equal(twin->media_type, "application/json");
    assert_int_equal(twin->cls, ODP_CLASS_KEYED);
    assert_int_equal(odp_stage_find(stage, "same.geojson.br")->cls, ODP_CLASS_PUBLIC);
    assert_memory_equal(odp_stage_find(stage, "same.geojson.gz")->sha256, twin->sha256, 32);
    assert_null(odp_stage_find(stage, "v1/tiny.json.gz"));
    assert_null(odp_stage_find(stage, "picture.png.gz"));
    size_t before, after;
    (void)odp_stage_files(stage, &before);
    assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK); /* they are there: nothing to do */
    (void)odp_stage_files(stage, &after);
    assert_int_equal(before, after);
    finish(&s, stage, 1, &build);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "site/v1/f%zu.json.gz", i);
        expect_gunzip(&s, path, text, sizes[i]);
        snprintf(path, sizeof path, "site/v1/f%zu.json.br", i);
        expect_unbrotli(&s, path, text, sizes[i]);
    }
    free(text);
    site_release(&s);
}

/* Every media type that a site may have: text gets twins, other files do not. */
static void test_media_types(void **state)
{
    static const struct {
        const char *type;
        enum odp_media media;
    } all[] = {
#define ODP_FORMAT(symbol, emitter, format, name, type, media, ...) {type, ODP_MEDIA_##media},
#define ODP_FORMAT_ALSO(...)
#define ODP_MEDIA(type, media) {type "; charset=utf-8", ODP_MEDIA_##media},
#include "contract/formats.def"
#include "contract/media_types.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
#undef ODP_MEDIA
    };
    struct site s;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    char *text = make_text(4096), path[64];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(path, sizeof path, "f%zu", i);
        struct odp_slice bytes = {text, 4096 - i}; /* no two are alike */
        assert_int_equal(odp_stage_put(stage, path, all[i].type, ODP_CLASS_PUBLIC, bytes), ODP_OK);
    }
    assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(path, sizeof path, "f%zu.gz", i);
        assert_int_equal(odp_stage_find(stage, path) != NULL, all[i].media == ODP_MEDIA_TEXT);
        snprintf(path, sizeof path, "f%zu.br", i);
        assert_int_equal(odp_stage_find(stage, path) != NULL, all[i].media == ODP_MEDIA_TEXT);
    }
    free(text);
    odp_stage_close(stage);
    site_release(&s);
}

/* Nobody adds a format and forgets to say whether it gets twins. */
static void test_no_other_media_type(void **state)
{
    static const char *const others[] = {"application/x-new", "text/x-new", "application/x-new+json",
                                         "text/csvx",         "text",       ""};
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    for (size_t i = 0; i < n; i++)
        if (odp_media_of(kinds[i]->file->media_type) == ODP_MEDIA_UNKNOWN)
            fail_msg("contract/media_types.def lacks %s of the emitter %s", kinds[i]->file->media_type,
                     kinds[i]->file->name);
    struct site s;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(odp_stage_put(stage, "new", others[i], ODP_CLASS_PUBLIC, ODP_LIT("x")), ODP_FAIL);
        assert_null(odp_stage_find(stage, "new"));
    }
    odp_stage_close(stage);
    site_release(&s);
}

static void test_twin_that_is_no_smaller(void **state)
{
    struct site s;
    char noise[512];
    uint32_t x = 99;
    site_init(&s);
    for (size_t i = 0; i < sizeof noise; i++) {
        x = x * 1664525u + 1013904223u;
        noise[i] = (char)(x >> 24);
    }
    struct odp_stage *stage = open_stage(&s);
    assert_int_equal(odp_stage_put(stage, "n.txt", "text/plain", ODP_CLASS_PUBLIC,
                                   (struct odp_slice){noise, sizeof noise}),
                     ODP_OK);
    assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK);
    assert_null(odp_stage_find(stage, "n.txt.gz"));
    assert_null(odp_stage_find(stage, "n.txt.br"));
    odp_stage_close(stage);
    site_release(&s);
}

static void test_same_site_on_one_and_on_three_threads(void **state)
{
    const char *builds[2];
    for (unsigned k = 0; k < 2; k++) {
        struct site s;
        static char name[2][65];
        site_init(&s);
        odp_pool_free(s.pool);
        assert_int_equal(odp_pool_new(&s.pool, k == 0 ? 1 : 3), ODP_OK);
        struct odp_stage *stage = open_stage(&s);
        char *text = make_text(300 << 10), path[32];
        for (unsigned i = 0; i < 20; i++) { /* in another order each time */
            unsigned at = k == 0 ? i : 19 - i;
            snprintf(path, sizeof path, "v1/f%u.json", at);
            assert_int_equal(odp_stage_put(stage, path, "application/json", ODP_CLASS_KEYED,
                                           (struct odp_slice){text, 1000 + 14000 * at}),
                             ODP_OK);
        }
        assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK);
        finish(&s, stage, 1, &builds[k]);
        snprintf(name[k], sizeof name[k], "%s", strrchr(builds[k], '/') + 1);
        builds[k] = name[k];
        free(text);
        site_release(&s);
    }
    assert_string_equal(builds[0], builds[1]);
}

static bool is_second(const void *ctx, const struct odp_site_file *f)
{
    return strncmp(f->path, "v1/f2.json", 10) == 0;
}

/* Twins are made anew for a file that is dropped and put again with other bytes. */
static void test_twins_again(void **state)
{
    struct site s;
    const char *build;
    site_init(&s);
    struct odp_stage *stage = open_stage(&s);
    char *text = make_text(1 << 20);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(odp_stage_put(stage, "v1/f2.json", "application/json", ODP_CLASS_KEYED,
                                       (struct odp_slice){text + 100 * turn, 500000}),
                         ODP_OK);
        assert_int_equal(odp_stage_twins(stage, s.pool, NULL), ODP_OK);
        if (turn == 0)
            assert_int_equal(odp_stage_drop_if(stage, is_second, NULL), ODP_OK);
        assert_int_equal(odp_stage_find(stage, "v1/f2.json.gz") == NULL, turn == 0);
    }
    finish(&s, stage, 1, &build);
    expect_gunzip(&s, "site/v1/f2.json.gz", text + 100, 500000);
    free(text);
    site_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_same_site_is_the_same_build),
        cmocka_unit_test(test_old_builds_go),
        cmocka_unit_test(test_damaged_build_is_mended),
        cmocka_unit_test(test_nothing_is_published_without_switch),
        cmocka_unit_test(test_killed_run),
        cmocka_unit_test(test_two_builds_at_once),
        cmocka_unit_test(test_out_is_something_else),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_unsafe_paths),
        cmocka_unit_test(test_carry),
        cmocka_unit_test(test_carry_finds_a_flipped_bit),
        cmocka_unit_test(test_damaged_sites),
        cmocka_unit_test(test_manifest_is_the_builds_name),
        cmocka_unit_test(test_manifest_and_control),
        cmocka_unit_test(test_withdrawn),
        cmocka_unit_test(test_gateway_json),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_media_types),
        cmocka_unit_test(test_no_other_media_type),
        cmocka_unit_test(test_twin_that_is_no_smaller),
        cmocka_unit_test(test_same_site_on_one_and_on_three_threads),
        cmocka_unit_test(test_twins_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
