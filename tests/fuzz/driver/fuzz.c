#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check/validator.h"
#include "read/source.h"
#include "report/report.h"
#include "write/emit.h"

static char folder[64];

/* Whatever must not happen ends the process, which is how libFuzzer learns of it. */
static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

static void remove_folder(void)
{
    (void)!odp_dir_remove(folder);
}

const char *fuzz_path(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    if (folder[0] == '\0') {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/odp-fuzz-XXXXXX" : "/tmp/odp-fuzz-XXXXXX");
        must(mkdtemp(folder) != NULL, "mkdtemp");
        atexit(remove_folder);
    }
    char *path = paths[turn++ % 4];
    must(snprintf(path, sizeof paths[0], "%s/%s", folder, name) < (int)sizeof paths[0], "a path is too long");
    return path;
}

void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    must(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0, path);
}

/* ---- what is emitted ---- */

static enum odp_status create(void *ctx, const char *path, struct odp_file **out)
{
    char *full = strdup(fuzz_path(path));
    char *slash = full != NULL ? strrchr(full, '/') : NULL;
    must(slash != NULL, path);
    *slash = '\0';
    enum odp_status status = odp_dir_make(full);
    *slash = '/';
    if (status == ODP_OK)
        status = odp_file_create(out, full, 0644);
    free(full);
    return status;
}

static void parse_json(const struct odp_buffer *b, const char *what)
{
    json_error_t error;
    json_t *root = json_loadb(b->ptr, b->len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (root == NULL) /* a number beyond a double is the reader's limit, not a fault of the text */
        must(json_error_code(&error) == json_error_numeric_overflow, error.text);
    json_decref(root);
}

/* What was written must be JSON where it says so. Downloads, which others may read in their end, stay until
 * all have ended; the rest goes. */
static enum odp_status close_file(void *ctx, struct odp_file *f, const char *path, const char *media_type,
                                  enum odp_class cls)
{
    (void)ctx, (void)cls;
    struct odp_buffer bytes;
    const char *full = fuzz_path(path);
    enum odp_status status = odp_file_close(f, NULL);
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&bytes);
    must(odp_file_read(full, SIZE_MAX / 2, &bytes, NULL) == ODP_OK, full);
    if (strstr(media_type, "json") != NULL)
        parse_json(&bytes, path);
    odp_buffer_release(&bytes);
    if (strncmp(path, "data/", 5) != 0)
        must(unlink(full) == 0, full);
    return ODP_OK;
}

static char *scratch(void *ctx, struct odp_arena *a)
{
    return odp_arena_str(a, fuzz_path("scratch"));
}

static char *place(void *ctx, const char *path, struct odp_arena *a)
{
    return odp_arena_str(a, fuzz_path(path));
}

static enum odp_status seal(void *ctx, const char *path, const char *media_type, enum odp_class cls)
{
    struct odp_file_info info;
    (void)ctx, (void)media_type, (void)cls;
    const char *full = fuzz_path(path);
    enum odp_status status = odp_file_seal(full, &info);
    must(status != ODP_OK || unlink(full) == 0, full);
    return status;
}

static void drop(void *ctx, const char *path)
{
    (void)unlink(fuzz_path(path));
}

static struct odp_output output = {
    .create = create, .close = close_file, .scratch = scratch, .place = place, .seal = seal, .drop = drop};

void fuzz_reports(const struct odp_diags *diags)
{
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    struct odp_summary summary = {.version = "0"};
    for (size_t i = 0; i < 2 * n; i++) {
        if (reports[i / 2]->render == NULL) /* a workbook */
            continue;
        struct odp_report_style style = {.lang = (enum odp_lang)(i % 2), .color = i % 2 != 0};
        struct odp_buffer bytes;
        odp_buffer_init(&bytes);
        must(odp_report_render(reports[i / 2], diags, &summary, &style, &bytes) != ODP_FAIL,
             reports[i / 2]->name);
        if (strcmp(reports[i / 2]->name, "json") == 0)
            parse_json(&bytes, "report");
        odp_buffer_release(&bytes);
    }
}

/* ---- one resource ---- */

/* Lives as long as the process: the catalogue, and one batch as a worker of the pipeline would have it. */
static struct {
    struct odp_catalog *catalog;
    struct odp_keyring *keys;
    struct odp_batch batch;
    struct odp_chunk chunks[ODP_EMIT_MAX];
    struct odp_buffer logical;
} all;

/* Every key set of the code list gets "a" and "b". */
static void add_keys(const struct odp_dataset *list)
{
    const struct odp_resource *r = &list->resources[0];
    struct odp_slice *text = calloc(r->schema.n, sizeof *text);
    must(text != NULL, "memory");
    odp_keyring_set(all.keys, r, ODP_KEYS_ABSENT);
    for (int k = 0; k < 2; k++) {
        text[0] = odp_slice_of(k == 0 ? "a" : "b");
        must(odp_keyring_add(all.keys, r, text) == ODP_OK, "keys");
    }
    odp_keyring_set(all.keys, r, ODP_KEYS_READY);
    free(text);
}

static void forget(void)
{
    odp_keyring_free(all.keys);
    odp_batch_release(&all.batch);
    odp_catalog_close(all.catalog);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_release(&all.chunks[k]);
    odp_buffer_release(&all.logical);
}

static void open_once(void)
{
    struct odp_diags *diags = NULL;
    struct odp_report_style style = {.lang = ODP_LANG_EN};
    struct odp_summary summary = {.version = "0"};
    struct odp_buffer bytes;
    if (all.catalog != NULL)
        return;
    must(odp_diags_new(&diags, 100) == ODP_OK, "diags");
    if (odp_catalog_open(&all.catalog, ODP_FUZZ_CATALOG, diags) != ODP_OK ||
        odp_validate_rules(all.catalog, diags) != ODP_OK) {
        odp_buffer_init(&bytes);
        must(odp_report_render(odp_report_find("human"), diags, &summary, &style, &bytes) != ODP_FAIL,
             "report");
        must(false, odp_buffer_cstr(&bytes));
    }
    odp_diags_free(diags);
    must(odp_keyring_new(&all.keys, all.catalog) == ODP_OK && odp_batch_init(&all.batch, 5) == ODP_OK,
         "memory");
    for (size_t i = 0; i < all.catalog->nreferences; i++)
        add_keys(&all.catalog->references[i]);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_init(&all.chunks[k]);
    odp_buffer_init(&all.logical);
    atexit(forget);
}

/* All batches of SOURCE; JOB (NULL: nothing is emitted): what has no fault of its own is emitted, whatever
 * became of the rest. */
static void read_all(struct odp_source *source, struct odp_validator *v, const struct odp_resource *r,
                     const struct odp_emit_job *job, struct odp_diags *diags)
{
    struct odp_emit_set emits = {0};
    struct odp_batch *b = &all.batch;
    uint64_t index = 0;
    must(job == NULL || odp_emit_set_begin(&emits, job) == ODP_OK, "begin");
    odp_buffer_clear(&all.logical);
    if (job != NULL)
        odp_emit_logical_header(&all.logical, job->resource, job->has_geometry);
    for (;;) {
        odp_batch_reset(b, r);
        b->index = index++;
        enum odp_status status = odp_source_read(source, b);
        must(status == ODP_OK || status == ODP_DONE, "read");
        if (status == ODP_DONE)
            break;
        must(odp_source_slice(source, b, 0) != ODP_FAIL, "slice");
        must(odp_validator_batch(v, b, 0) == ODP_OK, "validate");
        must(job == NULL || odp_emit_set_format(&emits, b, all.chunks) == ODP_OK, "format");
        if (job != NULL)
            odp_emit_logical_batch(&all.logical, b, job->has_geometry);
        must(odp_validator_merge(v, b) == ODP_OK && odp_diags_merge(diags, b->diags) == ODP_OK, "merge");
        must(job == NULL || odp_emit_set_append(&emits, all.chunks) == ODP_OK, "append");
    }
    must(odp_validator_finish(v, diags) != ODP_FAIL, "finish");
    must(job == NULL || odp_emit_set_end(&emits) == ODP_OK, "end");
    must(job == NULL || odp_dir_remove(fuzz_path("data")) == ODP_OK, "downloads");
}

const struct odp_resource *fuzz_resource_of(const char *slug)
{
    open_once();
    const struct odp_dataset *d = odp_catalog_find(all.catalog, slug);
    must(d != NULL, slug);
    return &d->resources[0];
}

const struct odp_catalog *fuzz_catalog(void)
{
    open_once();
    return all.catalog;
}

/* FILE as R: read and checked; EMIT: and published. */
static enum odp_status run_resource(const struct odp_resource *r, const char *file, bool emit,
                                    struct odp_diags *diags)
{
    struct odp_source *source = NULL;
    struct odp_validator *v = NULL;
    odp_diags_set_overrides(diags, r->severity);
    odp_keyring_set(all.keys, r, ODP_KEYS_ABSENT);
    enum odp_status status = odp_source_open(&source, r, file, "in", 1, diags);
    must(status != ODP_FAIL, "open");
    if (status == ODP_OK) {
        const struct odp_source_info *info = odp_source_info(source);
        static const uint8_t digest[ODP_SHA256_SIZE];
        struct odp_emit_job job = {.catalog = all.catalog,
                                   .resource = r,
                                   .has_geometry = info->has_geometry,
                                   .version = "2024-01-01",
                                   .release = "1.0.0",
                                   .output = &output,
                                   .logical = digest};
        must(odp_validator_new(&v, r, info, all.keys, 1, diags) == ODP_OK, "validator");
        read_all(source, v, r, emit ? &job : NULL, diags);
    }
    odp_validator_free(v);
    odp_source_close(source);
    return status;
}

void fuzz_check(const char *slug, const char *file, struct odp_diags *diags)
{
    (void)run_resource(fuzz_resource_of(slug), file, false, diags);
}

void fuzz_resource(const char *slug, const char *file)
{
    struct odp_diags *diags = NULL;
    const struct odp_resource *r = fuzz_resource_of(slug);
    must(odp_diags_new(&diags, 5) == ODP_OK, "diags");
    (void)run_resource(r, file, true, diags);
    fuzz_reports(diags);
    odp_diags_free(diags);
    odp_failure_clear();
}
