/* Files that records name, asked for by many threads at once; and those that nobody names. */
#include "one_folder.h"

#include <pthread.h>
#include <unistd.h>

#include "check/document_files.h"

enum { THREADS = 8, FILES = 200 };

static void put(const char *name, const char *text)
{
    put_below(folder, name, text, strlen(text));
}

static int setup(void **state)
{
    char name[64], bytes[32];
    make_folder(state);
    for (int i = 0; i < FILES; i += 2) { /* every other one is there */
        snprintf(name, sizeof name, "dokumen/%d.pdf", i);
        snprintf(bytes, sizeof bytes, "no PDF: %d", i);
        put(name, bytes);
    }
    return 0;
}

struct asker {
    pthread_t thread;
    struct odp_document_files *files;
    int first;
    const struct odp_document_file *got[FILES];
};

static void *ask(void *arg)
{
    struct asker *a = arg;
    for (int k = 0; k < FILES; k++) {
        char name[32];
        int i = (a->first + k) % FILES;
        snprintf(name, sizeof name, "%d.pdf", i);
        if (odp_document_files_get(a->files, "dokumen", odp_slice_of(name), &a->got[i]) != ODP_OK)
            return NULL;
    }
    return a;
}

TEST(each_is_looked_at_once)
{
    static struct asker askers[THREADS];
    struct odp_document_files *files;
    must(odp_document_files_new(&files, folder));
    for (int t = 0; t < THREADS; t++) {
        askers[t].files = files;
        askers[t].first = t / 2 * 37; /* two at a time in step */
        assert_int_equal(pthread_create(&askers[t].thread, NULL, ask, &askers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *done;
        assert_int_equal(pthread_join(askers[t].thread, &done), 0);
        assert_non_null(done);
    }
    for (int i = 0; i < FILES; i++) {
        const struct odp_document_file *f = askers[0].got[i];
        char bytes[32], path[32];
        uint8_t digest[ODP_SHA256_SIZE];
        for (int t = 1; t < THREADS; t++)
            assert_ptr_equal(askers[t].got[i], f);
        snprintf(path, sizeof path, "dokumen/%d.pdf", i);
        assert_string_equal(f->path, path);
        assert_int_equal(f->place, i % 2 == 0 ? ODP_DOCUMENT_HERE : ODP_DOCUMENT_MISSING);
        if (i % 2 != 0)
            continue;
        int n = snprintf(bytes, sizeof bytes, "no PDF: %d", i);
        must(odp_digest_of(bytes, (size_t)n, digest));
        assert_memory_equal(f->info.sha256, digest, sizeof digest);
        assert_int_equal(f->info.fault, ODP_DOCUMENT_NO_PDF);
    }
    odp_document_files_free(files);
}

TEST(places)
{
    static const struct {
        const char *name;
        enum odp_document_place place;
    } cases[] = {
        {"di.pdf/dalam.pdf", ODP_DOCUMENT_HERE},
        {"di.pdf", ODP_DOCUMENT_CLOSED},
        {"dekat.pdf", ODP_DOCUMENT_HERE},
        {"jauh.pdf", ODP_DOCUMENT_OUTSIDE},
        {"mirip.pdf", ODP_DOCUMENT_OUTSIDE},
        {"putus.pdf", ODP_DOCUMENT_MISSING},
        {"di.pdf/dalam.pdf/x.pdf", ODP_DOCUMENT_MISSING},
    };
    struct odp_document_files *files;
    char link[200];
    put("arsip/di.pdf/dalam.pdf", "x");
    put("arsip-lain/a.pdf", "x"); /* its name begins like the folder's */
    put("luar.pdf", "x");
    static const char *const links[][2] = {
        {"dekat.pdf", "di.pdf/dalam.pdf"},
        {"jauh.pdf", "../luar.pdf"},
        {"mirip.pdf", "../arsip-lain/a.pdf"},
        {"putus.pdf", "tidak-ada.pdf"},
    };
    for (size_t i = 0; i < ODP_COUNT(links); i++) {
        snprintf(link, sizeof link, "%s/arsip/%s", folder, links[i][0]);
        assert_int_equal(symlink(links[i][1], link), 0);
    }
    must(odp_document_files_new(&files, folder));
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const struct odp_document_file *f;
        must(odp_document_files_get(files, "arsip", odp_slice_of(cases[i].name), &f));
        assert_int_equal(f->place, cases[i].place);
    }
    odp_document_files_free(files);
}

TEST(unnamed)
{
    struct odp_document_files *files;
    const struct odp_document_file *f;
    BUFFER(text);
    uint64_t n;
    static const char *const names[] = {"b.pdf",         "a/1.pdf", "a/2.pdf",  "c.txt",
                                        ".sembunyi.pdf", "d.pdf~",  "Thumbs.db"};
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
        char path[64];
        snprintf(path, sizeof path, "sisa/%s", names[i]);
        put(path, "x");
    }
    must(odp_document_files_new(&files, folder));
    must(odp_document_files_unnamed(files, "sisa", &n, &text));
    assert_int_equal(n, 4);
    assert_string_equal(odp_buffer_cstr(&text), "a/1.pdf, a/2.pdf, b.pdf, …");
    must(odp_document_files_get(files, "sisa", ODP_LIT("a/2.pdf"), &f));
    odp_buffer_clear(&text);
    must(odp_document_files_unnamed(files, "sisa", &n, &text));
    assert_int_equal(n, 3);
    assert_string_equal(odp_buffer_cstr(&text), "a/1.pdf, b.pdf, c.txt");
    odp_buffer_clear(&text);
    must(odp_document_files_unnamed(files, "tidak-ada", &n, &text));
    assert_int_equal(n, 0);
    odp_document_files_free(files);
}

AROUND(setup, remove_folder)
