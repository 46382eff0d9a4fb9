/* Remotes: what kind an address is, what of it may be shown, and folders as remotes. Servers and rclone:
 * tests/e2e. */

#include "run.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/remote/remote_internal.h"

static char root[64];

static int setup(void **state)
{
    snprintf(root, sizeof root, "/tmp/odp-remote-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : 1;
}

static int teardown(void **state)
{
    return odp_dir_remove(root) == ODP_OK ? 0 : 1;
}

static const char *at(const char *name)
{
    static char path[4][200];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

TEST(kinds)
{
    static const struct {
        const char *address;
        enum odp_remote_kind kind;
    } cases[] = {
        {"http://x", ODP_REMOTE_URL},
        {"HTTPS://x/y", ODP_REMOTE_URL},
        {"build/site", ODP_REMOTE_FOLDER},
        {"/srv/a:b", ODP_REMOTE_FOLDER},
        {"./a:b", ODP_REMOTE_FOLDER},
        {"a/b:c", ODP_REMOTE_FOLDER},
        {".", ODP_REMOTE_FOLDER},
        {"..", ODP_REMOTE_FOLDER},
        {"", ODP_REMOTE_FOLDER},
        {":", ODP_REMOTE_FOLDER},
        {"s3:bucket", ODP_REMOTE_RCLONE},
        {"s3:", ODP_REMOTE_RCLONE},
        {"my remote:x/y", ODP_REMOTE_RCLONE},
        {"s3,region=x:bucket", ODP_REMOTE_RCLONE},
        {":webdav,url='http://x':", ODP_REMOTE_RCLONE},
        {":local:/srv", ODP_REMOTE_RCLONE},
        {"a,b", ODP_REMOTE_FOLDER},
        {"-rf:x", ODP_REMOTE_FOLDER},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        if (odp_remote_kind_of(cases[i].address) != cases[i].kind)
            fail_msg("%s", cases[i].address);
}

TEST(secrets)
{
    static const char *const cases[][2] = {
        {"https://sari:rahasia@data.go.id/x", "https://***@data.go.id/x"},
        {"https://token@data.go.id/", "https://***@data.go.id"},
        {":webdav,url='http://a:bc@h/',pass=XyZ123,user=sari:path",
         ":webdav,url='http://***@h/',pass=***,user=sari:path"},
        {":s3,access_key_id=AKIA,secret_access_key='a''b,c:d',region=x:data",
         ":s3,access_key_id=***,secret_access_key='***',region=x:data"},
        {":http,url='https://h/?sig=abcdef',headers=\"a,b\":", ":http,url='https://h/?***',headers=\"***\":"},
        {"s3,env_auth=true:data", "s3,env_auth=true:data"},
        {"dav,bearer_token=t:", "dav,bearer_token=***:"},
        {"/srv/a@b:c", "/srv/a@b:c"},
    };
    struct odp_remote *r;
    assert_int_equal(setenv("ODP_RCLONE", "/bin/true", 1), 0);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        must(odp_remote_open(&r, cases[i][0]));
        assert_string_equal(odp_remote_shown(r), cases[i][1]);
        odp_remote_close(r);
    }
    /* What a server repeats is masked too, wherever it stands. */
    must(odp_remote_open(&r, ":webdav,url='http://sari:k3y-of-dav@h/',pass=XyZ123:"));
    assert_int_equal(
        remote_fault(
            r, "Put \"http://sari:k3y-of-dav@h/a?X-Amz-Signature=99\": k3y-of-dav XyZ123\x01 http://o:p@q/"),
        ODP_BAD);
    assert_string_equal(odp_remote_fault(r), "Put \"http://***@h/a?***\": *** ***  http://***@q/");
    odp_remote_close(r);
    assert_int_equal(unsetenv("ODP_RCLONE"), 0);
}

TEST(opened_in_vain)
{
    static const char *const bad[] = {
        "", "ftp://x/y", "https://", "https:///x", "https://h/?a=b", "https://h/#a", "https://h/a b"};
    struct odp_remote *r;
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        must_refuse(odp_remote_open(&r, bad[i]));
        assert_true(strlen(odp_remote_fault(r)) > 10);
        odp_remote_close(r);
    }
    assert_int_equal(setenv("ODP_RCLONE", "/nonexistent/rclone", 1), 0);
    must_refuse(odp_remote_open(&r, "s3:data"));
    EXPECT(odp_remote_fault(r), "not installed");
    odp_remote_close(r);
    assert_int_equal(unsetenv("ODP_RCLONE"), 0);
    assert_int_equal(setenv("ODP_KEY", "a\r\nX-Evil: 1", 1), 0);
    must_refuse(odp_remote_open(&r, "https://h/"));
    EXPECT(odp_remote_fault(r), "!", "Evil");
    odp_remote_close(r);
    assert_int_equal(unsetenv("ODP_KEY"), 0);
}

static void put_text(const char *path, const char *text)
{
    must(odp_file_put(path, odp_slice_of(text), 0644, NULL));
}

TEST(folder)
{
    static const char *const paths[] = {"data/a.csv", "nope"};
    struct odp_remote *r;
    BUFFER(out);
    ARENA(arena);
    uint8_t digest[ODP_SHA256_SIZE];
    const char **list;
    size_t n;
    put_text(at("a.csv"), "satu\n");
    must(odp_remote_open(&r, at("store/")));
    assert_int_equal(odp_remote_read(r, "data/a.csv", 100, &out), ODP_DONE);
    struct odp_remote_put put = {.from = at("a.csv"), .path = "data/a.csv", .size = 5};
    must(odp_remote_put(r, &put, 1, NULL));
    must(odp_remote_write(r, "data/b/c.txt", ODP_LIT("dua"), NULL, NULL));
    must(odp_remote_read(r, "data/a.csv", 5, &out));
    assert_true(odp_slice_is(odp_buffer_slice(&out), "satu\n"));
    must_refuse(odp_remote_read(r, "data/a.csv", 4, &out));
    assert_int_equal(out.len, 5); /* what was there stays */
    must(odp_remote_list(r, "data", &arena, &list, &n));
    assert_int_equal(n, 2);
    assert_string_equal(list[0], "data/a.csv");
    assert_string_equal(list[1], "data/b/c.txt");
    must(odp_remote_list(r, "none", &arena, &list, &n));
    assert_int_equal(n, 0);

    must(odp_digest_of("satu\n", 5, digest));
    struct odp_remote_file files[] = {{.path = "data/a.csv", .size = 5, .sha256 = digest},
                                      {.path = "nope", .size = 5, .sha256 = digest}};
    must(odp_remote_look(r, files, 2));
    assert_false(files[0].missing);
    assert_true(files[1].missing);
    files[1].size = 5;
    must_refuse(odp_remote_fetch(r, files, 2, at("in"), NULL));
    assert_true(files[1].missing && !files[1].wrong && !files[0].missing);
    must(odp_remote_fetch(r, files, 1, at("in"), NULL));
    digest[0] ^= 1;
    must_refuse(odp_remote_fetch(r, files, 1, at("other"), NULL));
    assert_true(files[0].wrong && !files[0].missing);
    assert_int_equal(odp_file_kind_of(at("other/data/a.csv")), ODP_FILE_NONE);
    must(odp_remote_delete(r, paths, 2));
    assert_int_equal(odp_file_kind_of(at("store/data/a.csv")), ODP_FILE_NONE);
    odp_remote_close(r);
}

TEST(paths_stay_inside)
{
    static const char *const bad[] = {"",    "/x",  "../x", "a/../b", "a//b", "a/",
                                      "./a", "a/.", "..",   "a\nb",   "a\\b"};
    struct odp_remote *r;
    BUFFER(out);
    must(odp_remote_open(&r, root));
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        struct odp_remote_put put = {.from = "/dev/null", .path = bad[i]};
        struct odp_remote_file file = {.path = bad[i]};
        must_refuse(odp_remote_read(r, bad[i], 10, &out));
        must_refuse(odp_remote_put(r, &put, 1, NULL));
        must_refuse(odp_remote_write(r, bad[i], ODP_LIT("x"), NULL, NULL));
        must_refuse(odp_remote_delete(r, &bad[i], 1));
        must_refuse(odp_remote_fetch(r, &file, 1, at("in2"), NULL));
    }
    odp_remote_close(r);
}

AROUND(setup, teardown)
