/* The stage and the switch: what is published is whole, what is not is gone. */
#include "site_fixture.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "published/seals.h"

#define CSV "data/uji/2024-03-15/uji.csv"

/* A site of one dataset whose CSV is TEXT. */
static const char *publish(struct site *s, const char *text, unsigned keep)
{
    site_open(s);
    site_put(s, CSV, text);
    site_put(s, "v1/uji.json", "{'data':[]}");
    site_put(s, "v1/index.json", "{'data':[{'slug':'uji','version':'2024-03-15'}],'status':'success'}");
    return site_switch(s, keep);
}

static void expect_csv(struct site *s, const char *text)
{
    fx_expect(&s->fx, "site/" CSV, text);
}

/* Entries of the folder of builds that begin with PREFIX, and are LEN bytes long if LEN is not 0. */
static size_t count_named(const struct site *s, const char *prefix, size_t len)
{
    struct odp_arena a = {0};
    const char **names;
    char full[512];
    size_t n, found = 0;
    fx_path(&s->fx, "site.builds", full);
    must(odp_dir_list(full, &a, &names, &n));
    for (size_t i = 0; i < n; i++)
        found += strncmp(names[i], prefix, strlen(prefix)) == 0 && (len == 0 || strlen(names[i]) == len);
    odp_arena_release(&a);
    return found;
}

/* Builds have digests for names; a file beside one (<digest>.seals) is no build. */
static size_t count_builds(const struct site *s)
{
    return count_named(s, "", 64);
}

/* Files beside the build that the path BUILD ends in. */
static size_t count_beside(const struct site *s, const char *build)
{
    char name[66];
    snprintf(name, sizeof name, "%.64s.", strrchr(build, '/') + 1);
    return count_named(s, name, 0);
}

static mode_t mode_of(const struct site *s, const char *path)
{
    struct stat st;
    char full[512];
    fx_path(&s->fx, path, full);
    assert_int_equal(stat(full, &st), 0);
    return st.st_mode & 07777;
}

TEST(switch)
{
    char target[512];
    SITE(s);
    const char *build = publish(&s, "t\r\na\r\n", 3);
    expect_csv(&s, "t\r\na\r\n");
    ssize_t len = readlink(s.out, target, sizeof target - 1);
    assert_int_equal(len, 12 + 64);
    target[len] = '\0';
    assert_memory_equal(target, "site.builds/", 12); /* relative: the whole may be moved */
    assert_string_equal(strrchr(build, '/'), strrchr(target, '/'));
    assert_int_equal(mode_of(&s, "site/v1/uji.json"), 0444);
    assert_int_equal(mode_of(&s, "site"), 0755);
    assert_int_equal(count_named(&s, ".stage-", 0), 0);
}

TEST(same_site_is_the_same_build)
{
    SITE(s);
    const char *a = publish(&s, "x", 3), *b = publish(&s, "y", 3), *c = publish(&s, "x", 3);
    assert_string_equal(a, c);
    assert_string_not_equal(a, b);
    assert_int_equal(count_builds(&s), 2);
    char *log = fx_read(&s.fx, "site.builds/log", NULL);
    assert_int_equal(strlen(log), 2 * 65);
    assert_memory_equal(log, strrchr(b, '/') + 1, 64); /* switching to a build again makes it the newest */
    assert_memory_equal(log + 65, strrchr(a, '/') + 1, 64);
    free(log);
}

TEST(old_builds_go)
{
    SITE(s);
    for (int turn = 0; turn < 2; turn++) {
        const char *first = publish(&s, turn == 0 ? "1" : "4", 2);
        const char *second = publish(&s, "2", 2), *third = publish(&s, "3", 2);
        assert_int_equal(access(first, F_OK), -1);
        assert_int_equal(access(second, F_OK), 0);
        assert_int_equal(access(third, F_OK), 0);
        assert_int_equal(count_beside(&s, first), 0); /* files beside a build go with it */
        assert_int_equal(count_beside(&s, second), 1);
        assert_int_equal(count_beside(&s, third), 1);
    }
    publish(&s, "5", 0); /* never fewer than the one that is published */
    assert_int_equal(count_builds(&s), 1);
    expect_csv(&s, "5");
}

/* Puts BYTES at the place of a published file. */
static void damage(const struct site *s, const char *path, const char *bytes)
{
    char full[512];
    fx_path(&s->fx, path, full);
    assert_int_equal(chmod(full, 0644), 0);
    int fd = open(full, O_WRONLY);
    assert_int_equal(pwrite(fd, bytes, strlen(bytes), 0), strlen(bytes));
    assert_int_equal(close(fd), 0);
}

TEST(damaged_build_is_mended)
{
    SITE(s);
    publish(&s, "abc", 3);
    damage(&s, "site/" CSV, "abX");
    publish(&s, "abc", 3);
    expect_csv(&s, "abc");
}

/* The site's files as one text; the caller frees it. */
static char *listed(const struct site *s)
{
    struct odp_site *site = NULL;
    struct odp_buffer out = {0};
    size_t n = 0;
    must(odp_site_open(&site, s->out, s->diags));
    const struct odp_site_file *files = odp_site_files(site, &n);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(&out, "%s %s %s %d %llu %02x%02x\n", files[i].path, files[i].media_type,
                          files[i].encoding != NULL ? files[i].encoding : "-", files[i].cls,
                          (unsigned long long)files[i].size, files[i].sha256[0], files[i].sha256[31]);
    odp_buffer_add(&out, "", 1);
    must(odp_buffer_status(&out));
    odp_site_close(site);
    return out.ptr;
}

/* The seals list what the manifest lists; damaged seals count as none. */
TEST(seals)
{
    char path[600];
    size_t len;
    SITE(s);
    const char *build = publish(&s, "abc", 3);
    char *by_seals = listed(&s);
    snprintf(path, sizeof path, "site.builds/%.64s.seals", strrchr(build, '/') + 1);
    char *seals = fx_read(&s.fx, path, &len), full[512];
    fx_path(&s.fx, path, full);
    assert_int_equal(remove(full), 0);
    char *by_manifest = listed(&s);
    assert_string_equal(by_seals, by_manifest);
    for (size_t cut = 0; cut < len; cut += 1 + cut / 8) {
        must(odp_file_put(full, (struct odp_slice){seals, cut}, 0644, NULL));
        char *after = listed(&s);
        assert_string_equal(after, by_manifest);
        free(after);
        (void)remove(full);
    }
    for (size_t i = 0; i < len; i += 3) {
        seals[i] = (char)~seals[i];
        must(odp_file_put(full, (struct odp_slice){seals, len}, 0644, NULL));
        char *after = listed(&s);
        assert_string_equal(after, by_manifest);
        free(after);
        seals[i] = (char)~seals[i];
        (void)remove(full);
    }
    free(seals);
    free(by_seals);
    free(by_manifest);
}

TEST(nothing_is_published_without_switch)
{
    SITE(s);
    publish(&s, "old", 3);
    site_open(&s);
    site_put(&s, CSV, "new");
    must(odp_stage_manifest(s.stage, &s.fx.catalog));
    odp_stage_close(s.stage);
    s.stage = NULL;
    expect_csv(&s, "old");
    assert_int_equal(count_named(&s, ".stage-", 0), 0);
    assert_int_equal(count_builds(&s), 1);
}

/* A run killed in the middle leaves its stage; the next one clears it away. */
TEST(killed_run)
{
    int status;
    SITE(s);
    publish(&s, "old", 3);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct odp_file *f;
        if (odp_stage_open(&s.stage, s.out, s.diags) != ODP_OK)
            _exit(2);
        struct odp_output *o = odp_stage_output(s.stage);
        char *scratch = o->scratch(o->ctx, &s.arena);
        bool made =
            o->create(o->ctx, "v1/x.json", &f) == ODP_OK && odp_file_create(&f, scratch, 0600) == ODP_OK;
        _exit(made ? 0 : 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_named(&s, ".stage-", 0), 1);
    assert_int_equal(count_named(&s, ".scratch-", 0), 1);
    expect_csv(&s, "old");
    site_open(&s);
    assert_int_equal(count_named(&s, ".stage-", 0), 1); /* its own */
    assert_int_equal(count_named(&s, ".scratch-", 0), 0);
}

static void expect_refused(struct site *s, enum odp_code code)
{
    struct odp_stage *stage = NULL;
    size_t before = odp_diags_code_count(s->diags, code);
    must_refuse(odp_stage_open(&stage, s->out, s->diags));
    assert_null(stage);
    assert_int_equal(odp_diags_code_count(s->diags, code), before + 1);
}

TEST(two_builds_at_once)
{
    SITE(s);
    site_open(&s);
    expect_refused(&s, ODP_V08);
    odp_stage_close(s.stage);
    site_open(&s);
}

TEST(out_is_something_else)
{
    char inside[512];
    SITE(s);
    assert_int_equal(mkdir(s.out, 0755), 0);
    publish(&s, "x", 3); /* an empty folder may go */
    expect_csv(&s, "x");
    assert_int_equal(unlink(s.out), 0);
    assert_int_equal(mkdir(s.out, 0755), 0);
    fx_path(&s.fx, "site/mine.txt", inside);
    must(odp_file_put(inside, ODP_LIT("mine"), 0644, NULL));
    expect_refused(&s, ODP_V06);
    fx_expect(&s.fx, "site/mine.txt", "mine");
    must(odp_dir_remove(s.out));
    assert_int_equal(symlink("elsewhere", s.out), 0); /* a link, but not ours */
    expect_refused(&s, ODP_V06);
}

TEST(drop)
{
    static const struct {
        const char *path;
        bool dropped;
    } files[] = {
        {"data/uji/v/uji.csv", true},  {"data/uji/latest.json", true},    {"v1/uji.json", true},
        {"v1/uji/v/1/p/2.json", true}, {"data/uji-2/v/uji-2.csv", false}, {"v1/uji-2.json", false},
        {"v1/ujian.json", false},      {"v1/index.json", false},          {"data/u/uji.csv", false},
    };
    size_t n = ODP_COUNT(files), left;
    SITE(s);
    site_open(&s);
    for (size_t i = 0; i < n; i++)
        site_put(&s, files[i].path, "x");
    must(odp_stage_drop(s.stage, "uji"));
    (void)odp_stage_files(s.stage, &left);
    assert_int_equal(left, 5);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(odp_stage_find(s.stage, files[i].path) == NULL, files[i].dropped);
    site_put(&s, files[0].path, "again"); /* the place is free */
}

static void expect_paths(const struct site *s, const char *expected)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(s->stage, &n);
    char text[256] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", files[i].path);
    assert_string_equal(text, expected);
}

/* Whatever came, went and came again since it was listed last. */
TEST(list_by_path)
{
    SITE(s);
    site_open(&s);
    site_put(&s, "d", "x");
    site_put(&s, "data/uji/b", "x");
    site_put(&s, "a", "x");
    expect_paths(&s, "a d data/uji/b ");
    site_put(&s, "e", "x");
    site_put(&s, "data/uji/a", "x");
    site_put(&s, "0", "x");
    expect_paths(&s, "0 a d data/uji/a data/uji/b e ");
    must(odp_stage_drop(s.stage, "uji"));
    expect_paths(&s, "0 a d e ");
    site_put(&s, "data/uji/b", "x");
    site_put(&s, "b", "x");
    expect_paths(&s, "0 a b d data/uji/b e ");
    odp_stage_set_class(s.stage, "b", ODP_CLASS_KEYED);
    size_t n;
    assert_int_equal(odp_stage_files(s.stage, &n)[2].cls, ODP_CLASS_KEYED);
}

TEST(unsafe_paths)
{
    static const char *const paths[] = {"../x", "/etc/x", "a//b", "a/./b", "a/../b",
                                        "",     "a/",     "a\\b", "a\nb"};
    SITE(s);
    site_open(&s);
    for (size_t i = 0; i < ODP_COUNT(paths); i++)
        must_fail(odp_stage_put(s.stage, paths[i], "text/plain", ODP_CLASS_PUBLIC, ODP_LIT("x")), "");
    site_put(&s, ".well-known/x", "x");
    site_put(&s, "a/..b", "x");
}

TEST(carry)
{
    struct odp_site *old = NULL;
    struct stat before, after;
    char full[512];
    size_t n;
    SITE(s);
    publish(&s, "carried", 3);
    fx_path(&s.fx, "site/" CSV, full);
    assert_int_equal(stat(full, &before), 0);
    must(odp_site_open(&old, s.out, s.diags));
    assert_non_null(odp_site_entry(old, "uji"));
    assert_null(odp_site_entry(old, "uj"));
    site_open(&s);
    must(site_carry(s.stage, old, "tidak-ada", s.diags));
    (void)odp_stage_files(s.stage, &n);
    assert_int_equal(n, 0);
    must(site_carry(s.stage, old, "uji", s.diags));
    site_put(&s, "v1/index.json", "{'data':[]}");
    (void)site_switch(&s, 3);
    assert_int_equal(stat(full, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino); /* a link, not a copy */
    odp_site_close(old);
    must(odp_site_open(&old, s.out, s.diags));
    damage(&s, "site/" CSV, "b"); /* 'c' with its lowest bit flipped */
    site_open(&s);
    must_refuse(site_carry(s.stage, old, "uji", s.diags));
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), 1);
    assert_null(odp_stage_find(s.stage, CSV));
    assert_int_equal(unlink(full), 0); /* gone altogether */
    must_refuse(site_carry(s.stage, old, "uji", s.diags));
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), 2);
    odp_site_close(old);
}

/* What is carried over keeps its seal, what is made anew gets one: every one holds. */
TEST(seals_after_carrying)
{
    struct odp_site *old = NULL, *now = NULL;
    struct odp_seals seals;
    char full[512];
    SITE(s);
    publish(&s, "carried", 3);
    must(odp_site_open(&old, s.out, s.diags));
    site_open(&s);
    must(odp_stage_same_as(s.stage, old));
    must(site_carry(s.stage, old, "uji", s.diags));
    site_put(&s, "v1/index.json", "{'data':[],'meta':{}}");
    const char *build = site_switch(&s, 3);
    odp_site_close(old);
    must(odp_site_open(&now, s.out, s.diags));
    must(odp_seals_read(&seals, odp_arena_printf(&s.arena, "%s.seals", build), &s.arena));
    assert_memory_equal(seals.digest, odp_site_digest(now), sizeof seals.digest);
    fx_path(&s.fx, "site", full);
    int fd = open(full, O_RDONLY | O_DIRECTORY);
    assert_true(seals.n > 2);
    for (size_t i = 0; i < seals.n; i++)
        assert_true(odp_seal_holds(&seals.seals[i], fd, seals.files[i].path));
    assert_int_equal(close(fd), 0);
    odp_mapped_close(&seals.file);
    odp_site_close(now);
}

/* The site before, carried over, with OTHER at another path; two builds stay. */
static const char *publish_after(struct site *s, const char *other)
{
    struct odp_site *old = NULL;
    must(odp_site_open(&old, s->out, s->diags));
    site_open(s);
    must(odp_stage_same_as(s->stage, old));
    must(site_carry(s->stage, old, "uji", s->diags));
    site_put(s, "v1/index.json", "{'data':[],'meta':{}}");
    site_put(s, other, other);
    site_put(s, "turn.txt", other);
    const char *build = site_switch(s, 2);
    odp_site_close(old);
    return build;
}

static ino_t inode_of(const struct site *s, const char *path)
{
    struct stat st;
    char full[512];
    fx_path(&s->fx, path, full);
    assert_int_equal(stat(full, &st), 0);
    return st.st_ino;
}

/* Puts a file of somebody's at PATH, in place of the name there. */
static void foreign(const struct site *s, const char *path)
{
    char full[512];
    fx_path(&s->fx, path, full);
    (void)remove(full);
    must(odp_file_put(full, odp_slice_of("foreign"), 0644, NULL));
}

/* The build that goes is what the next one begins with: what is carried over stays where it is, all else
 * goes, and nothing is written into a file that another build has. */
TEST(spare)
{
    char full[512];
    struct stat kept, now;
    const char *before = NULL;
    SITE(s);
    publish(&s, "carried", 2);
    publish_after(&s, "a/one.txt");
    assert_int_equal(count_named(&s, ".spare", 6), 0);
    publish_after(&s, "a/two.txt");
    assert_int_equal(count_named(&s, ".spare", 6), 1);
    fx_path(&s.fx, "site/" CSV, full);
    assert_int_equal(stat(full, &kept), 0);
    /* Somebody else's files in it: one in place of the file carried over, one more. The clock of a file
     * system may tick a hundred times a second. */
    (void)usleep(20000);
    foreign(&s, "site.builds/.spare/" CSV);
    foreign(&s, "site.builds/.spare/data/uji/more.txt");
    for (int turn = 0; turn < 3; turn++) {
        static const char *const names[] = {"b/two.txt", "b/three.txt", "b/four.txt", "b/five.txt"};
        const ino_t folder = inode_of(&s, "site.builds/.spare/data/uji");
        const char *build = publish_after(&s, names[turn + 1]);
        expect_csv(&s, "carried");
        assert_int_equal(inode_of(&s, "site/data/uji") == folder,
                         turn > 0); /* a foreign one is not begun with */
        fx_path(&s.fx, "site/" CSV, full);
        assert_int_equal(stat(full, &now), 0);
        assert_int_equal(now.st_ino, kept.st_ino);
        fx_path(&s.fx, "site/data/uji/more.txt", full);
        assert_int_equal(access(full, F_OK), -1);
        fx_path(&s.fx, "site/a", full);
        assert_int_equal(access(full, F_OK), -1);
        assert_int_equal(access(odp_arena_printf(&s.arena, "%s/%s", build, names[turn]), F_OK), -1);
        fx_expect(&s.fx, "site/turn.txt", names[turn + 1]);
        if (turn > 0) { /* the build before is as it was */
            BUFFER(text);
            must(odp_file_read(odp_arena_printf(&s.arena, "%s/turn.txt", before), 100, &text, NULL));
            assert_int_equal(text.len, strlen(names[turn]));
            assert_memory_equal(text.ptr, names[turn], text.len);
        }
        before = build;
        assert_int_equal(count_named(&s, ".spare", 6), 1);
        assert_int_equal(count_builds(&s), 2);
    }
    struct odp_site *old = NULL; /* what nobody carries over goes, and so do its folders */
    must(odp_site_open(&old, s.out, s.diags));
    site_open(&s);
    must(odp_stage_same_as(s.stage, old));
    site_put(&s, "v1/index.json", "{'data':[],'meta':{}}");
    (void)site_switch(&s, 2);
    odp_site_close(old);
    fx_path(&s.fx, "site/data", full);
    assert_int_equal(access(full, F_OK), -1);
}

TEST(folders_of_files)
{
    static const char *const paths[] = {"a.txt",     "b/c.txt",    "b/d/e/f.txt",
                                        "b/d/g.txt", "b/dd/h.txt", "c/i.txt"},
                             *const want[] = {"b", "b/d", "b/d/e", "b/dd", "c"};
    struct odp_site_file files[ODP_COUNT(paths)] = {0};
    struct odp_site_folders at = {0};
    struct odp_slice folder;
    for (size_t i = 0; i < ODP_COUNT(paths); i++)
        files[i].path = paths[i];
    for (size_t i = 0; i < ODP_COUNT(want); i++) {
        assert_true(odp_site_folder_next(&at, files, ODP_COUNT(paths), &folder));
        assert_true(odp_slice_eq(folder, odp_slice_of(want[i])));
    }
    assert_false(odp_site_folder_next(&at, files, ODP_COUNT(paths), &folder));
}

TEST(damaged_sites)
{
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ONE(path, size, digest)                                                                              \
    "{'files':[{'path':'" path "','size':" size ",'sha256':'" digest "','class':'public','type':'a/b'}]}"
    static const struct {
        const char *manifest;
        enum odp_status want;
    } cases[] = {
        {NULL, ODP_DONE},
        {"", ODP_BAD},
        {"{", ODP_BAD},
        {"[]", ODP_BAD},
        {"{'files':[]}", ODP_BAD}, /* no index */
        {ONE("../x", "1", "00"), ODP_BAD},
        {ONE("v1/index.json", "-1", NOTHING), ODP_BAD},
        {ONE("v1/index.json", "0", NOTHING), ODP_BAD},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_site *old = NULL;
        char full[512];
        SITE(s);
        assert_int_equal(odp_site_open(&old, s.out, s.diags), ODP_DONE);
        assert_int_equal(mkdir(s.out, 0755), 0);
        fx_path(&s.fx, "site/manifest.json", full);
        if (cases[i].manifest != NULL)
            must(odp_file_put(full, odp_slice_of(site_quoted(&s, cases[i].manifest)), 0644, NULL));
        assert_int_equal(odp_site_open(&old, s.out, s.diags), cases[i].want);
        assert_null(old);
        assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), cases[i].want == ODP_BAD);
    }
}

TEST(manifest_is_the_builds_name)
{
    struct odp_site *old = NULL;
    SITE(s);
    publish(&s, "x", 3);
    const char *text = site_read(&s, "manifest.json"), *size = strstr(text, "\"size\":1,");
    assert_non_null(size);
    damage(&s, "site/manifest.json", odp_arena_printf(&s.arena, "%.*s2", (int)(size - text) + 7, text));
    must_refuse(odp_site_open(&old, s.out, s.diags));
}

static void set_datasets(struct site *s, struct odp_dataset *datasets, size_t n)
{
    s->fx.catalog.datasets = datasets;
    s->fx.catalog.ndatasets = n;
}

#define HEIR(slug) "<https://data.example.go.id/v1/" slug ">; rel=\"successor-version\""

TEST(manifest_and_control)
{
#define DATES                        "@1710460800\tTue, 31 Dec 2024 00:00:00 GMT"
#define EMPTY                        "e3b0c44298fc1c149afbf4c8996fb924"
#define ABC                          "ba7816bf8f01cfea414140de5dae2223"
#define UTF8CSV                      "text/csv; charset=utf-8"
#define LINE(path, etag, type, rest) path "\t\"" etag "\"\t" type "\t-\t" rest "\n"
    static const struct {
        const char *path, *type;
        enum odp_class cls;
        const char *bytes;
    } files[] = {
        {"v1/uji.json", "application/json", ODP_CLASS_KEYED, "abc"},
        {CSV, UTF8CSV, ODP_CLASS_PUBLIC, ""},
        {"data/uji/latest/uji.csv", UTF8CSV, ODP_CLASS_PUBLIC, ""},
        {"data/uji/latest/uji.json", "application/json", ODP_CLASS_PUBLIC, "abc"},
        {"assets/a.js", "text/javascript", ODP_CLASS_PUBLIC, ""},
        {"search/uji-1.sqlite", "application/vnd.sqlite3", ODP_CLASS_INTERNAL, ""},
    };
    SITE(s);
    s.fx.dataset.state = ODP_STATE_DEPRECATED;
    s.fx.dataset.deprecated = "2024-03-15";
    s.fx.dataset.sunset = "2024-12-31";
    s.fx.dataset.replaced_by = "baru";
    struct odp_dataset datasets[2] = {s.fx.dataset, {.slug = "baru", .state = ODP_STATE_ACTIVE}};
    set_datasets(&s, datasets, 2);
    site_open(&s);
    for (size_t i = 0; i < ODP_COUNT(files); i++)
        site_put_as(&s, files[i].path, files[i].type, files[i].cls, files[i].bytes);
    (void)site_switch(&s, 1);
    const char *control = site_read(&s, "control"), *gateway = strstr(control, "gateway.json\t\""),
               *rest = strchr(gateway, '\n') + 1;
    EXPECT(odp_arena_printf(&s.arena, "%.*s", (int)(rest - gateway), gateway),
           "\"\tapplication/json\t-\tinternal\tactive\t-\t-\tno-store\t");
    assert_string_equal(
        odp_arena_printf(&s.arena, "%.*s%s", (int)(gateway - control), control, rest),
        "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-"
        "control\tsize\tlink\n" LINE("assets/a.js", EMPTY, "text/javascript",
                                     "public\tactive\t-\t-\tpublic, max-age=31536000, immutable\t0\t-")
            LINE(CSV, EMPTY, UTF8CSV,
                 "public\tdeprecated\t" DATES "\tpublic, max-age=86400, immutable\t0\t" HEIR("baru"))
                LINE("data/uji/latest/uji.csv", EMPTY, UTF8CSV,
                     "public\tdeprecated\t" DATES "\tpublic, max-age=300\t0\t" HEIR("baru"))
                    LINE("data/uji/latest/uji.json", ABC, "application/json",
                         "public\tdeprecated\t" DATES "\tpublic, max-age=300\t3\t" HEIR("baru"))
                        LINE("search/uji-1.sqlite", EMPTY, "application/vnd.sqlite3",
                             "internal\tactive\t-\t-\tno-store\t0\t-")
                            LINE("v1/uji.json", ABC, "application/json; charset=utf-8",
                                 "keyed\tdeprecated\t" DATES "\tprivate, max-age=60\t3\t" HEIR("baru")));
    const json_t *manifest = site_document(&s, "manifest.json");
    assert_int_equal(json_array_size(json_object_get(manifest, "files")),
                     8); /* gateway.json and control, too */
    expect_json(
        &s, manifest, "files|7",
        "{'path':'v1/"
        "uji.json','size':3,'sha256':'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad','"
        "class':'keyed','type':'application/json; charset=utf-8'}");
}

/* The lines of withdrawn datasets are among the others in the order of bytes; '.' and '/' are neighbours
 * there. */
TEST(withdrawn)
{
#define PUBLIC_GONE(path, link) path "\t-\t-\t-\tpublic\twithdrawn\t-\t-\tpublic, max-age=300\t0\t" link "\n"
#define KEYED_GONE(path, link)  path "\t-\t-\t-\tkeyed\twithdrawn\t-\t-\tprivate, max-age=60\t0\t" link "\n"
    SITE(s);
    struct odp_dataset datasets[] = {
        s.fx.dataset,
        {.slug = "uji-lama", .state = ODP_STATE_WITHDRAWN, .replaced_by = "uji"},
        {.slug = "uj", .state = ODP_STATE_WITHDRAWN, .replaced_by = "rancangan"},
        {.slug = "rancangan", .state = ODP_STATE_DRAFT},
    };
    set_datasets(&s, datasets, 4);
    site_open(&s);
    site_put(&s, "v1/uji.json", "abc");
    site_put(&s, "v1/uji/v/1/p/2.json", "abc");
    site_put(&s, "data/uji/latest.json", "abc");
    (void)site_switch(&s, 1);
    char *control = odp_arena_str(&s.arena, site_read(&s, "control")), *save = NULL;
    BUFFER(found);
    for (char *line = strtok_r(control, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
        odp_buffer_printf(&found, "%.*s\n",
                          strstr(line, "\twithdrawn\t") != NULL ? 512 : (int)strcspn(line, "\t"), line);
    assert_string_equal(
        odp_buffer_cstr(&found),
        "#odp-control-1\n" PUBLIC_GONE("data/uj/", "-")
            PUBLIC_GONE("data/uji-lama/", HEIR("uji")) "data/uji/latest.json\ngateway.json\n" KEYED_GONE(
                "v1/uj.json", "-") KEYED_GONE("v1/uj/", "-") KEYED_GONE("v1/uji-lama.json", HEIR("uji"))
                KEYED_GONE("v1/uji-lama/", HEIR("uji")) "v1/uji.json\nv1/uji/v/1/p/2.json\n");
}

TEST(gateway_json)
{
#define EMPTY_WORDS "'title':{'id':'','en':''},'support':{'id':'','en':''}"
    struct odp_tier tiers[] = {
        {.name = "public",
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
        {.name = "diam", .daily = 1, .webhooks = ODP_WEBHOOKS_UNSAID},
    };
    SITE(s);
    s.fx.catalog.portal.tiers = tiers;
    s.fx.catalog.portal.ntiers = 3;
    s.fx.catalog.portal.time_zone = "Asia/Makassar";
    struct odp_dataset datasets[] = {{.slug = "belum", .state = ODP_STATE_DRAFT, .notify_every = 60},
                                     s.fx.dataset};
    datasets[1].notify_every = 5400;
    set_datasets(&s, datasets, 2);
    site_open(&s);
    site_put(&s, "v1/uji.json", "abc");
    (void)site_switch(&s, 1);
    expect_json(
        &s, site_document(&s, "gateway.json"), "",
        "{'odp':'1','title':{'id':'Portal','en':'Portal'},'base_url':'https://data.example.go.id/"
        "','time_zone':'Asia/"
        "Makassar','zone_minutes':480,'languages':['id','en'],'contact':{},'tiers':[{'name':'public','title':"
        "{'id':'Publik','en':'Public'},'support':{'id':'Surel','en':'Email'},'daily':1000,'burst':5,'"
        "concurrent':2,'price':0,'webhooks':5},{'name':'besar'," EMPTY_WORDS
        ",'daily':null,'burst':100,'concurrent':20,'price':5000000000,'webhooks':null},{'name':'diam'"
        "," EMPTY_WORDS
        ",'daily':1,'burst':0,'concurrent':0,'price':0}],'datasets':['uji'],'notify_every':{'uji':5400}}");
}
