/* The emitter of PDF files that records name: each once, with the bytes that were checked or not at all.
 * (Here any bytes do: it does not look.) */
#include "emit_fixture.h"

#include "read/pdf/document.h"

static const struct odp_emitter *kind(void)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(kinds[i]->file->name, "documents") == 0)
            return kinds[i];
    fail();
    return NULL;
}

static const struct odp_document_spec spec = {"dokumen", -1};

/* A dataset with a key of one field and a document; its sources are in "<dir>/sumber". */
static void start(struct fixture *fx)
{
    char dir[512];
    fx_init(fx);
    (void)fx_field(fx, "id", ODP_TYPE_STRING);
    fx_field(fx, "berkas", ODP_TYPE_STRING)->document = &spec;
    fx_key(fx, 0, -1);
    fx_path(fx, "sumber/dokumen", dir);
    must(odp_dir_make(dir));
    fx_path(fx, "sumber", dir);
    fx->job.source_dir = strdup(dir);
}

static void stop(struct fixture *fx)
{
    free((char *)(uintptr_t)fx->job.source_dir);
    fx_release(fx);
}

static void put_source(const struct fixture *fx, const char *name, const char *bytes)
{
    char path[512], below[256];
    snprintf(below, sizeof below, "sumber/dokumen/%s", name);
    fx_path(fx, below, path);
    (void)unlink(path);
    must(odp_file_put(path, odp_slice_of(bytes), 0644, NULL));
}

/* A batch whose record I names file NAMES[I] (NULL: none) of the content BYTES[I] when it was checked. */
static void name_files(struct fixture *fx, struct odp_batch *b, const char *const *names,
                       const char *const *bytes, uint32_t n)
{
    static const char *const ids[] = {"A-1", "A,2", "A\"3", "A-4"};
    struct odp_slice cells[8];
    for (uint32_t i = 0; i < n; i++) {
        cells[2 * i] = odp_slice_of(ids[i]);
        cells[2 * i + 1] = NUL;
    }
    fx_batch(fx, b, cells, n, 1);
    b->documents = odp_arena_zero(&b->arena, n + 1, sizeof *b->documents);
    assert_non_null(b->documents);
    for (uint32_t i = 0; i < n; i++) {
        if (names[i] == NULL)
            continue;
        struct odp_batch_document *d = &b->documents[b->ndocuments++];
        *d = (struct odp_batch_document){
            .record = i,
            .field = 1,
            .bytes = strlen(bytes[i]),
            .pages = i + 1,
            .source = odp_arena_printf(&b->arena, "dokumen/%s", names[i]),
        };
        must(odp_digest_of(bytes[i], strlen(bytes[i]), d->sha256));
        b->columns[1].text[i] =
            odp_slice_of(odp_document_path("dokumen", odp_slice_of(names[i]), d->sha256, &b->arena));
        b->columns[1].state[i] = ODP_VALUE_OK;
    }
}

/* One batch through the emitter; BAD record, or -1. */
static enum odp_status emit(struct fixture *fx, const char *const *names, const char *const *bytes,
                            uint32_t n, int bad)
{
    struct odp_emit *e;
    struct odp_chunk c;
    struct odp_batch b;
    odp_chunk_init(&c);
    must(odp_batch_init(&b, 10));
    assert_true(kind()->wanted(&fx->job));
    e = odp_emit_begin(kind(), &fx->job);
    assert_non_null(e);
    name_files(fx, &b, names, bytes, n);
    if (bad >= 0)
        b.record_bad[bad] = 1;
    must(kind()->format_batch(e, &b, &c));
    must(kind()->append(e, &c));
    must(kind()->append(e, &c)); /* the same once more: nothing new but the records */
    enum odp_status status = odp_emit_end(e);
    odp_batch_release(&b);
    odp_chunk_release(&c);
    return status;
}

TEST(files_and_list)
{
    static const char *const names[] = {"a b.pdf", NULL, "a b.pdf", "c.pdf"};
    static const char *const bytes[] = {"one", NULL, "one", "two"};
    struct fixture fx;
    start(&fx);
    put_source(&fx, "a b.pdf", "one");
    put_source(&fx, "c.pdf", "two");
    must(emit(&fx, names, bytes, 4, -1));
    fx_expect(&fx, "data/uji/2024-03-15/dokumen/7692c3ad3540bb80/a~20b.pdf", "one");
    fx_expect(&fx, "data/uji/2024-03-15/dokumen/3fc4ccfe745870e2/c.pdf", "two");
    fx_expect(&fx, "data/uji/2024-03-15/documents.json",
              "{\"data\":[\n"
              "{\"path\":\"dokumen/7692c3ad3540bb80/"
              "a~20b.pdf\",\"bytes\":3,\"sha256\":\"sha256:"
              "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\",\"pages\":1,\"source\":\"a "
              "b.pdf\",\"records\":[\"A-1\",\"A\\\"3\",\"A-1\",\"A\\\"3\"]},\n"
              "{\"path\":\"dokumen/3fc4ccfe745870e2/"
              "c.pdf\",\"bytes\":3,\"sha256\":\"sha256:"
              "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3\",\"pages\":4,\"source\":\"c."
              "pdf\",\"records\":[\"A-4\",\"A-4\"]}\n"
              "],\"status\":\"success\"}\n");
    stop(&fx);
}

/* The file was exchanged, or taken away, after it was checked. */
TEST(changed_meanwhile)
{
    static const char *const names[] = {"c.pdf"};
    static const char *const bytes[] = {"two"};
    struct fixture fx;
    for (int gone = 0; gone < 2; gone++) {
        start(&fx);
        if (!gone)
            put_source(&fx, "c.pdf", "six");
        assert_int_equal(emit(&fx, names, bytes, 1, -1), ODP_FAIL);
        EXPECT(odp_failure_text(),
               "the file has changed since it was checked; build again: ", "sumber/dokumen/c.pdf");
        odp_failure_clear();
        assert_false(fx_exists(&fx, "data/uji/2024-03-15/dokumen/3fc4ccfe745870e2/c.pdf"));
        assert_false(fx_exists(&fx, "data/uji/2024-03-15/documents.json"));
        stop(&fx);
    }
}

/* Files of records with faults, of fields that are not public; none at all; nothing where the emitter is
 * aborted. */
TEST(left_out)
{
    static const char *const names[] = {"c.pdf"};
    static const char *const bytes[] = {"two"};
    struct odp_emit *e;
    struct fixture fx;
    start(&fx);
    put_source(&fx, "c.pdf", "two");
    must(emit(&fx, names, bytes, 1, 0));
    e = odp_emit_begin(kind(), &fx.job);
    assert_non_null(e);
    odp_emit_abort(e);
    odp_emit_abort(NULL);
    assert_false(fx_exists(&fx, "data"));
    fx.fields[1].is_public = false;
    assert_false(kind()->wanted(&fx.job));
    fx.fields[1].is_public = true;
    fx.job.slice = "slices/id/A-1/";
    assert_false(kind()->wanted(&fx.job));
    fx.job.slice = NULL;
    fx.fields[1].document = NULL;
    assert_false(kind()->wanted(&fx.job));
    stop(&fx);
}

/* A further resource names the same file: it is there. Other bytes under its path are not taken for it. */
TEST(there_already)
{
    static const char *const names[] = {"c.pdf"};
    static const char *const bytes[] = {"two"};
    static const char path[] = "data/uji/2024-03-15/dokumen/3fc4ccfe745870e2/c.pdf";
    struct fixture fx;
    char full[512];
    start(&fx);
    put_source(&fx, "c.pdf", "two");
    must(emit(&fx, names, bytes, 1, -1));
    fx.resource.primary = false;
    must(emit(&fx, names, bytes, 1, -1));
    assert_true(fx_exists(&fx, "data/uji/2024-03-15/documents-uji.json"));
    fx_path(&fx, path, full);
    assert_int_equal(unlink(full), 0);
    must(odp_file_put(full, ODP_LIT("other"), 0644, NULL));
    must_fail(emit(&fx, names, bytes, 1, -1), "");
    stop(&fx);
}
