/* Files, folders, digests. */
#include "one_folder.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

TEST(digests)
{
    struct odp_digest *d;
    uint8_t a[ODP_SHA256_SIZE], b[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX];
    must(odp_digest_of("abc", 3, a));
    odp_digest_hex(a, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    must(odp_digest_new(&d));
    for (int round = 0; round < 2; round++) {
        must(odp_digest_add(d, "a", 1));
        must(odp_digest_add(d, NULL, 0));
        must(odp_digest_add(d, "bc", 2));
        must(odp_digest_end(d, b));
        assert_memory_equal(a, b, sizeof a);
    }
    odp_digest_free(d);
    must(odp_digest_of(NULL, 0, a));
}

TEST(write_and_read)
{
    struct odp_file *f;
    struct odp_file_info info, sealed;
    struct odp_buffer all = {0}, back = {0};
    must(odp_file_create(&f, at("w"), 0644));
    for (size_t i = 0; i < 3000; i++) {
        static char piece[300000];
        size_t n = i % 100 == 0 ? 200000 + i : i % 977;
        memset(piece, (int)(i & 127), n);
        odp_buffer_add(&all, piece, n);
        must(odp_file_write(f, piece, n));
    }
    assert_int_equal(odp_file_size(f), all.len);
    must(odp_file_close(f, &info));
    assert_int_equal(info.size, all.len);
    must(odp_file_seal(at("w"), &sealed));
    assert_int_equal(sealed.size, info.size);
    assert_memory_equal(sealed.sha256, info.sha256, sizeof info.sha256);
    int e = -1;
    odp_buffer_add_str(&back, "kept");
    must(odp_file_read(at("w"), all.len, &back, &e));
    assert_int_equal(e, 0);
    assert_int_equal(back.len, all.len + 4);
    assert_memory_equal(back.ptr + 4, all.ptr, all.len);
    must_refuse(odp_file_read(at("w"), all.len - 1, &back, &e));
    assert_int_equal(e, EFBIG);
    assert_int_equal(back.len, all.len + 4);

    struct odp_reader *r;
    size_t got, total = 0;
    static char piece[70000];
    must(odp_reader_open(&r, at("w"), &e));
    assert_int_equal(odp_reader_size(r), all.len);
    enum odp_status status;
    while ((status = odp_reader_read(r, piece, sizeof piece, &got)) == ODP_OK) {
        assert_memory_equal(piece, all.ptr + total, got);
        total += got;
    }
    assert_int_equal(status, ODP_DONE);
    assert_int_equal(got, 0);
    assert_int_equal(total, all.len);
    odp_reader_close(r);
    odp_buffer_release(&all);
    odp_buffer_release(&back);
}

/* Files of the run alone: the same bytes, no digest. A piece larger than the file's buffer bypasses it. */
TEST(scratch_files)
{
    struct odp_file *f;
    struct odp_buffer all = {0}, back = {0};
    must(odp_file_create_scratch(&f, at("s")));
    for (size_t i = 0; i < 60; i++) {
        static char piece[700000];
        size_t n = i % 3 == 0 ? sizeof piece - i : i * 1000;
        memset(piece, (int)i, n);
        odp_buffer_add(&all, piece, n);
        must(odp_file_write(f, piece, n));
    }
    assert_int_equal(odp_file_size(f), all.len);
    must(odp_file_close(f, NULL));
    must(odp_file_read(at("s"), all.len, &back, NULL));
    assert_int_equal(back.len, all.len);
    assert_memory_equal(back.ptr, all.ptr, all.len);
    assert_int_equal(odp_file_create_scratch(&f, at("s")), ODP_FAIL); /* it is there */
    odp_failure_clear();
    odp_buffer_release(&all);
    odp_buffer_release(&back);
}

TEST(create_refuses)
{
    struct odp_file *f;
    must(odp_file_put(at("once"), ODP_LIT("x"), 0444, NULL));
    must_fail(odp_file_create(&f, at("once"), 0644), "File exists");
    assert_null(f);
    must_fail(odp_file_create(&f, at("no/such/folder"), 0644), "");
    must(odp_file_create(&f, at("gone"), 0644));
    must(odp_file_write(f, "x", 1));
    odp_file_discard(f);
    odp_file_discard(NULL);
    assert_int_equal(odp_file_kind_of(at("gone")), ODP_FILE_NONE);
}

TEST(reading_refuses)
{
    BUFFER(b);
    struct odp_reader *r;
    int e = 0;
    must_refuse(odp_file_read(at("none"), 10, &b, &e));
    assert_int_equal(e, ENOENT);
    must_refuse(odp_file_read(folder, 10, &b, &e));
    assert_int_equal(e, EISDIR);
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    must_refuse(odp_file_read(at("fifo"), 10, &b, &e));
    assert_int_equal(odp_file_kind_of(at("fifo")), ODP_FILE_OTHER);
    must_refuse(odp_reader_open(&r, at("none"), NULL));
    must_refuse(odp_reader_open(&r, folder, &e));
    assert_int_equal(e, EISDIR);
    must(odp_file_put(at("empty"), ODP_LIT(""), 0644, NULL));
    must(odp_file_read(at("empty"), 0, &b, NULL));
    assert_int_equal(odp_file_seal(at("none"), NULL), ODP_FAIL);
    assert_string_equal(odp_failure_text() + strlen(odp_failure_text()) - 25, "No such file or directory");
    odp_failure_clear();
}

/* The disk full, played by the limit on file size: the first write is short, the second fails. */
TEST(write_fails)
{
    struct odp_file *f;
    struct rlimit before, small;
    static char piece[200000];
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){100000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int late = 0; late < 2; late++) { /* in write, and only in close */
        size_t n = late ? 120000 : sizeof piece;
        must(odp_file_create(&f, at("bad"), 0644));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        enum odp_status status = odp_file_write(f, piece, n), again = odp_file_write(f, "x", 1);
        enum odp_status end = odp_file_close(f, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, late ? ODP_OK : ODP_FAIL);
        assert_int_equal(again, status);
        assert_int_equal(end, ODP_FAIL);
        EXPECT(odp_failure_text(), "write ", "File too large");
        assert_int_equal(odp_file_kind_of(at("bad")), ODP_FILE_NONE);
        odp_failure_clear();
    }
    signal(SIGXFSZ, SIG_DFL);
}

TEST(folders)
{
    ARENA(a);
    const char **names;
    size_t n;
    must(odp_dir_make(at("d/e//f/")));
    must(odp_dir_make(at("d/e/f")));
    must(odp_file_put(at("d/b"), ODP_LIT("1"), 0644, NULL));
    must(odp_file_put(at("d/B"), ODP_LIT("2"), 0444, NULL));
    must(odp_file_put(at("d/.h"), ODP_LIT("3"), 0644, NULL));
    must_fail(odp_dir_make(at("d/b/c")), "");
    must(odp_dir_list(at("d"), &a, &names, &n));
    assert_int_equal(n, 4);
    assert_string_equal(names[0], ".h");
    assert_string_equal(names[1], "B");
    assert_string_equal(names[2], "b");
    assert_string_equal(names[3], "e");
    must(odp_dir_list(at("d/e/f"), &a, &names, &n));
    assert_int_equal(n, 0);
    must_refuse(odp_dir_list(at("d/b"), &a, &names, &n));
    must_refuse(odp_dir_list(at("nowhere"), &a, &names, &n));
    must(odp_dir_sync(at("d")));
    must(odp_dir_make(at("outside")));
    must(odp_file_put(at("outside/kept"), ODP_LIT("x"), 0644, NULL));
    assert_int_equal(symlink("../outside", at("d/link")), 0);
    assert_int_equal(symlink("outside", at("toplink")), 0);
    for (int i = 0; i < 500; i++) {
        char name[40];
        snprintf(name, sizeof name, "d/e/f/%d", i);
        must(odp_file_put(at(name), ODP_LIT(""), 0444, NULL));
    }
    must_fail(odp_dir_remove(at("toplink")), "");
    must(odp_dir_remove(at("d")));
    must(odp_dir_remove(at("d")));
    assert_int_equal(odp_file_kind_of(at("d")), ODP_FILE_NONE);
    assert_int_equal(odp_file_kind_of(at("outside/kept")), ODP_FILE_REGULAR);
}

TEST(rename_and_link)
{
    struct stat a, b;
    must(odp_file_put(at("from"), ODP_LIT("text"), 0444, NULL));
    must(odp_file_rename(at("from"), at("to")));
    assert_int_equal(odp_file_kind_of(at("from")), ODP_FILE_NONE);
    must(odp_file_link(at("to"), at("second")));
    assert_int_equal(stat(at("to"), &a), 0);
    assert_int_equal(stat(at("second"), &b), 0);
    assert_true(a.st_ino == b.st_ino);
    must_fail(odp_file_link(at("to"), at("second")), "");
    must_fail(odp_file_rename(at("none"), at("to")), "");
    /* another file system, where there is one: a copy with the same mode */
    char other[FRESH_FOLDER], name[160];
    if (fresh_folder_elsewhere(other, folder)) {
        snprintf(name, sizeof name, "%s/copy", other);
        mode_t before = umask(077);
        must(odp_file_link(at("to"), name));
        umask(before);
        assert_int_equal(stat(name, &b), 0);
        assert_int_equal(b.st_mode & 0777, 0444);
        assert_int_equal(b.st_size, 4);
        must(odp_dir_remove(other));
    }
}

TEST(paths)
{
    static const char *const safe[] = {"a", "a/b.csv", "data/x-1_y.csv", "a b", "\xC3\xA9"};
    static const char *const unsafe[] = {"",   "/a",      "../a", "a/../b", "./a",  "a//b",
                                         "a/", ".hidden", "a/.b", "a\\b",   "a\nb", "a\x7F"};
    ARENA(a);
    for (size_t i = 0; i < ODP_COUNT(safe); i++)
        assert_true(odp_path_is_safe(safe[i]));
    for (size_t i = 0; i < ODP_COUNT(unsafe); i++)
        assert_false(odp_path_is_safe(unsafe[i]));
    assert_string_equal(odp_path_join(&a, "a", "b"), "a/b");
    assert_string_equal(odp_path_join(&a, "a/", "b"), "a/b");
    assert_string_equal(odp_path_join(&a, NULL, "b"), "b");
    assert_string_equal(odp_path_join(&a, "", "b"), "b");
    assert_string_equal(odp_path_join(&a, "/", "b"), "/b");
}

TEST(parts_of_paths)
{
    static const struct {
        const char *path, *last, *folder;
        bool table;
    } rows[] = {{"a/b/c.csv", "c.csv", "a/b", true}, {"c.CSV", "c.CSV", ".", true},
                {"/c.txt", "c.txt", "/", false},     {"a/", "", "a", false},
                {".csv", ".csv", ".", false},        {"csv", "csv", ".", false}};
    ARENA(a);
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        assert_string_equal(odp_path_last(rows[i].path), rows[i].last);
        assert_string_equal(odp_path_folder(&a, rows[i].path), rows[i].folder);
        assert_int_equal(odp_path_ends(rows[i].path, ".csv"), rows[i].table);
    }
}

TEST(siblings)
{
    static const char *const files[] = {"data.shp",     "DATA.dbf", "data.SHX",
                                        "database.shp", "dat.shp",  "data"};
    const char *shapes = at("shapes"), **found;
    ARENA(a);
    size_t n;
    must(odp_dir_make(shapes));
    for (size_t i = 0; i < ODP_COUNT(files); i++)
        must(odp_file_put(odp_path_join(&a, shapes, files[i]), ODP_LIT("x"), 0644, NULL));
    must(odp_dir_siblings(odp_path_join(&a, shapes, "data.shp"), &a, &found, &n));
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) /* by bytes: capitals first */
        assert_string_equal(found[i], odp_path_join(&a, shapes,
                                                    i == 0   ? files[1]
                                                    : i == 1 ? files[2]
                                                             : files[0]));
    must_refuse(odp_dir_siblings(odp_path_join(&a, shapes, "none/data.shp"), &a, &found, &n));
}

AROUND(make_folder, remove_folder)
