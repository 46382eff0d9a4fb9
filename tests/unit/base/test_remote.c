/* Remotes: what kind an address is, what of it may be shown, and folders as remotes. Servers and rclone:
 * tests/e2e. */

#include "answer_lines.h"
#include "one_folder.h"

#include "base/remote/remote_internal.h"

/* Questions of remotes.txt: "kind ADDRESS", "shown ADDRESS". */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const char *const kinds[] = {
        [ODP_REMOTE_URL] = "url", [ODP_REMOTE_FOLDER] = "folder", [ODP_REMOTE_RCLONE] = "rclone"};
    const char *address = strchr(question.ptr, ' ') + 1;
    struct odp_remote *r;
    if (*question.ptr == 'k') {
        odp_buffer_add_str(out, kinds[odp_remote_kind_of(address)]);
        return;
    }
    const enum odp_status status = odp_remote_open(&r, address);
    odp_buffer_add_str(out, status == ODP_OK ? odp_remote_shown(r) : odp_remote_fault(r));
    odp_remote_close(r);
}

TEST(addresses)
{
    struct odp_remote *r;
    assert_int_equal(setenv("ODP_RCLONE", "/bin/true", 1), 0);
    answer_lines("base/remotes.txt", answer, NULL);
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
    struct odp_remote *r;
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
    must(odp_remote_open(&r, folder));
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

AROUND(make_folder, remove_folder)
