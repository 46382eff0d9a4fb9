/* Delta files: every vector of tests/cases/delta, and deltas of our own applied by ourselves.
 * tests/e2e/delta.py has the other side. */
#include "one_folder.h"

#include <unistd.h>

#include <jansson.h>

#include "site/differences/delta.h"

static const char *vector_file(struct odp_arena *a, const json_t *vector, const char *key)
{
    return odp_arena_printf(a, "%s/cases/delta/%s", ODP_TESTS_DIR,
                            json_string_value(json_object_get(vector, key)));
}

static void assert_same_files(const char *a, const char *b)
{
    struct odp_buffer x = {0}, y = {0};
    must(odp_file_read(a, 1 << 20, &x, NULL));
    must(odp_file_read(b, 1 << 20, &y, NULL));
    assert_true(odp_slice_eq(odp_buffer_slice(&x), odp_buffer_slice(&y)));
    odp_buffer_release(&x);
    odp_buffer_release(&y);
}

static size_t files_in_root(struct odp_arena *a)
{
    const char **names;
    size_t n = 0;
    must(odp_dir_list(folder, a, &names, &n));
    return n;
}

TEST(vectors)
{
    ARENA(a);
    size_t i, good = 0;
    json_t *vector;
    json_t *doc = json_load_file(ODP_TESTS_DIR "/cases/delta/vectors.json", 0, NULL);
    json_t *list = json_object_get(doc, "vectors");
    assert_true(json_array_size(list) > 50);
    size_t before = files_in_root(&a);
    json_array_foreach(list, i, vector)
    {
        struct odp_delta_header h;
        struct odp_text why;
        const char *fresh = at("fresh"), *name = json_string_value(json_object_get(vector, "name"));
        bool ok = strcmp(json_string_value(json_object_get(vector, "result")), "ok") == 0;
        enum odp_status status = odp_delta_apply(vector_file(&a, vector, "delta"),
                                                 vector_file(&a, vector, "old"), fresh, &h, &a, &why);
        if (status != (ok ? ODP_OK : ODP_BAD))
            print_error("%s: %d %s\n", name, (int)status, why.in[ODP_LANG_EN]);
        assert_int_equal(status, ok ? ODP_OK : ODP_BAD);
        if (ok) {
            assert_same_files(fresh, vector_file(&a, vector, "new"));
            assert_int_equal(unlink(fresh), 0);
            good++;
        } else {
            assert_true(strlen(why.in[ODP_LANG_EN]) > 20);
        }
        assert_int_equal(files_in_root(&a), before); /* nothing is left of a refused one */
    }
    assert_true(good > 9);
    json_decref(doc);
}

TEST(header)
{
    ARENA(a);
    struct odp_delta_header h;
    struct odp_text why;
    must(odp_delta_header(ODP_TESTS_DIR "/cases/delta/normal/files/delta", &h, &a, &why));
    assert_string_equal(h.from_version, "2023-09-15");
    assert_string_equal(h.to_version, "2024-03-15");
    assert_int_equal(h.from.size, odp_file_size_of(ODP_TESTS_DIR "/cases/delta/normal/files/old"));
    assert_int_equal(h.to.size, odp_file_size_of(ODP_TESTS_DIR "/cases/delta/normal/files/new"));
    struct odp_file_info info;
    must(odp_file_seal(ODP_TESTS_DIR "/cases/delta/normal/files/old", &info));
    assert_memory_equal(info.sha256, h.from.sha256, sizeof info.sha256);
    must(odp_delta_header(ODP_TESTS_DIR "/cases/delta/no-versions/files/delta", &h, &a, &why));
    assert_null(h.from_version);
    assert_null(h.to_version);
    /* The header is right although an operation is not. */
    must(odp_delta_header(ODP_TESTS_DIR "/cases/delta/operation-plus/files/delta", &h, &a, &why));
    must_refuse(odp_delta_header(ODP_TESTS_DIR "/cases/delta/not-gzip/files/delta", &h, &a, &why));
    EXPECT(why.in[ODP_LANG_EN], "not gzip");
    must_refuse(odp_delta_header(at("none"), &h, &a, &why));
}

TEST(refusals_name_both_digests)
{
    ARENA(a);
    struct odp_delta_header h;
    struct odp_text why;
    must_refuse(odp_delta_apply(ODP_TESTS_DIR "/cases/delta/normal/files/delta",
                                ODP_TESTS_DIR "/cases/delta/normal/files/new", at("x"), &h, &a, &why));
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        assert_int_equal(h.from.size, 2207);
        EXPECT(why.in[lang], "2023-09-15 2207 byte",
               "sha256:bf082efd8e2e5ed0b2d305a8ce4b58be3696c7d7db9753384510043af0c94382");
    }
    EXPECT(why.in[ODP_LANG_ID], "tidak dibuat untuk berkas lama itu");
}

static struct odp_delta_side side(const char *path)
{
    struct odp_delta_side s = {.path = path};
    must(odp_file_seal(path, &s.info));
    return s;
}

/* Makes OLD into FRESH by a delta of at most LIMIT bytes; returns its size, 0 when there was none. */
static uint64_t there_and_back(struct odp_slice old, struct odp_slice fresh, uint64_t limit)
{
    struct odp_arena a = {0};
    struct odp_file *file;
    struct odp_file_info info = {0};
    struct odp_delta_header h;
    struct odp_text why;
    const char *old_path = at("old"), *path = at("new"), *delta = at("delta"), *again = at("again");
    must(odp_file_put(old_path, old, 0600, NULL));
    must(odp_file_put(path, fresh, 0600, NULL));
    const struct odp_delta_side from = side(old_path), to = side(path);
    must(odp_file_create(&file, delta, 0600));
    enum odp_status status = odp_delta_make(file, &from, &to, limit);
    if (status == ODP_DONE) {
        odp_file_discard(file);
    } else {
        must(status);
        must(odp_file_close(file, &info));
        assert_true(info.size <= limit);
        must(odp_delta_apply(delta, old_path, again, &h, &a, &why));
        assert_same_files(again, path);
        unlink(again);
        unlink(delta);
    }
    unlink(old_path);
    unlink(path);
    odp_arena_release(&a);
    return info.size;
}

TEST(make)
{
    struct odp_buffer old = {0}, fresh = {0};
    uint32_t pick = 1;
    for (unsigned i = 0; i < 20000; i++) {
        pick = pick * 1664525u + 1013904223u;
        odp_buffer_printf(&old, "31.%02u-%06u,Kelurahan %u,%u\n", i % 90, i, pick >> 20, pick >> 8);
        if (i % 100 == 50)
            odp_buffer_printf(&fresh, "31.%02u-%06u,Kelurahan %u,diubah\n", i % 90, i, pick >> 20);
        else if (i % 1000 != 3)
            odp_buffer_printf(&fresh, "31.%02u-%06u,Kelurahan %u,%u\n", i % 90, i, pick >> 20, pick >> 8);
    }
    uint64_t size = there_and_back(odp_buffer_slice(&old), odp_buffer_slice(&fresh), UINT64_MAX);
    assert_true(size > 200 && size < 4000);
    assert_int_equal(there_and_back(odp_buffer_slice(&old), odp_buffer_slice(&fresh), size), size);
    assert_int_equal(there_and_back(odp_buffer_slice(&old), odp_buffer_slice(&fresh), size - 1), 0);
    assert_true(there_and_back(odp_buffer_slice(&fresh), odp_buffer_slice(&fresh), UINT64_MAX) < 200);
    /* One byte over and over: every block is the same. */
    odp_buffer_clear(&old);
    for (unsigned i = 0; i < 300000; i++)
        odp_buffer_add_char(&old, 'a');
    struct odp_slice all = odp_buffer_slice(&old);
    assert_true(there_and_back((struct odp_slice){all.ptr, 1000}, all, UINT64_MAX) < 3000);
    assert_true(there_and_back(all, (struct odp_slice){all.ptr, 1000}, UINT64_MAX) < 200);
    for (size_t n = 0; n < 70; n += 8) /* around the sizes of seeds and blocks */
        for (size_t k = 0; k < 70; k += 15) {
            struct odp_slice text = {
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", n};
            struct odp_slice part = {text.ptr + (n > k ? n - k : 0), n > k ? k : n};
            assert_true(there_and_back(text, part, UINT64_MAX) > 0);
            assert_true(there_and_back(part, text, UINT64_MAX) > 0);
        }
    odp_buffer_release(&old);
    odp_buffer_release(&fresh);
}

TEST(make_refuses_another_file)
{
    struct odp_file *file;
    must(odp_file_put(at("a"), ODP_LIT("abc"), 0600, NULL));
    struct odp_delta_side from = side(at("a")), to = from;
    from.path = to.path = "/nonexistent/a";
    must(odp_file_create(&file, at("d"), 0600));
    must_fail(odp_delta_make(file, &from, &to, UINT64_MAX), "");
    char *a = strdup(at("a"));
    from.path = to.path = a;
    from.info.size = 4; /* it was shortened since it was hashed */
    must_fail(odp_delta_make(file, &from, &to, UINT64_MAX), "");
    odp_file_discard(file);
    free(a);
}

AROUND(make_folder, remove_folder)
