#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

#include "base/digest.h"
#include "check/validator.h"
#include "read/source.h"
#include "report/report.h"
#include "write/emit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one((struct odp_slice){(const char *)data, size});
    odp_failure_clear();
    return 0;
}

/* ---- pieces of an input ---- */

struct odp_slice fuzz_cut(struct odp_slice *in, struct odp_slice end)
{
    const char *at = in->len > 0 ? memmem(in->ptr, in->len, end.ptr, end.len) : NULL;
    struct odp_slice piece = {in->ptr, at != NULL ? (size_t)(at - in->ptr) : in->len};
    size_t taken = piece.len + (at != NULL ? end.len : 0);
    *in = (struct odp_slice){in->ptr + taken, in->len - taken};
    return piece;
}

struct odp_slice fuzz_line(struct odp_slice *in)
{
    return fuzz_cut(in, ODP_LIT("\n"));
}

struct odp_slice fuzz_word(struct odp_slice *in)
{
    return fuzz_cut(in, ODP_LIT(" "));
}

unsigned fuzz_choice(struct odp_slice *in, unsigned most)
{
    unsigned first = in->len > 0 ? (unsigned char)*in->ptr : 0;
    if (first == 0 || first > most)
        return 0;
    *in = (struct odp_slice){in->ptr + 1, in->len - 1};
    return first;
}

void fuzz_fill_in(struct odp_slice in, const char *const *values, struct odp_buffer *out)
{
    size_t n = 0;
    while (values[n] != NULL)
        n++;
    for (size_t i = 0; i < in.len; i++) {
        size_t which = (unsigned char)in.ptr[i];
        if (which >= 1 && which <= n)
            odp_buffer_add_str(out, values[which - 1]);
        else
            odp_buffer_add_char(out, in.ptr[i]);
    }
}

json_t *fuzz_json(const struct odp_buffer *b)
{
    json_t *value = json_loadb(b->ptr, b->len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    NEED(value != NULL);
    return value;
}

/* ---- files ---- */

static char folder[64];

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
        NEED(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    char *path = paths[turn++ % 4];
    NEED(snprintf(path, sizeof paths[0], "%s/%s", folder, name) < (int)sizeof paths[0]);
    return path;
}

const char *fuzz_folder(const char *name)
{
    const char *path = fuzz_path(name);
    NEED(odp_dir_make(path) == ODP_OK);
    return path;
}

void fuzz_write(const char *path, struct odp_slice bytes)
{
    FILE *f = fopen(path, "wb");
    NEED(f != NULL && fwrite(bytes.ptr, 1, bytes.len, f) == bytes.len && fclose(f) == 0);
}

struct odp_buffer fuzz_read(const char *path)
{
    struct odp_buffer b = {0};
    NEED(odp_file_read(path, 1 << 24, &b, NULL) == ODP_OK);
    return b;
}

size_t fuzz_files_in(const char *dir)
{
    struct odp_arena a;
    const char **names;
    size_t n;
    odp_arena_init(&a);
    NEED(odp_dir_list(dir, &a, &names, &n) == ODP_OK);
    odp_arena_release(&a);
    return n;
}

/* The path of a file below our folder, whose own folder is made. */
static const char *place_of(const char *name)
{
    const char *path = fuzz_path(name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    NEED(odp_dir_make(path) == ODP_OK);
    *slash = '/';
    return path;
}

/* ---- a site ---- */

void fuzz_site_parts(struct odp_slice text, struct fuzz_site_file *files, size_t n)
{
    struct odp_slice *part = NULL;
    while (text.len > 0) {
        struct odp_slice line = fuzz_line(&text);
        if (line.len <= 3 || memcmp(line.ptr, "@@ ", 3) != 0) {
            if (part != NULL)
                part->len = (size_t)(text.ptr - part->ptr);
            continue;
        }
        part = NULL;
        for (size_t i = 0; i < n; i++)
            if (odp_slice_is((struct odp_slice){line.ptr + 3, line.len - 3}, files[i].path))
                part = &files[i].bytes;
        if (part != NULL)
            *part = (struct odp_slice){text.ptr, 0};
    }
}

void fuzz_site_write(const struct fuzz_site_file *files, size_t n)
{
    struct odp_buffer manifest = {0};
    const char *comma = "";
    odp_buffer_add_str(&manifest, "{\"files\":[");
    for (size_t i = 0; i < n; i++) {
        uint8_t sha256[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX], path[128];
        if (files[i].bytes.ptr == NULL)
            continue;
        snprintf(path, sizeof path, "site/%s", files[i].path);
        fuzz_write(place_of(path), files[i].bytes);
        if (files[i].cls == NULL)
            continue;
        NEED(odp_digest_of(files[i].bytes.ptr, files[i].bytes.len, sha256) == ODP_OK);
        odp_digest_hex(sha256, hex);
        const char *end = strrchr(path, '.');
        odp_buffer_printf(
            &manifest,
            "%s{\"path\":\"%s\",\"size\":%zu,\"sha256\":\"%s\",\"class\":\"%s\",\"type\":\"text/plain\"%s}",
            comma, files[i].path, files[i].bytes.len, hex, files[i].cls,
            end != NULL && strcmp(end, ".gz") == 0 ? ",\"encoding\":\"gzip\"" : "");
        comma = ",";
    }
    odp_buffer_add_str(&manifest, "]}");
    NEED(odp_buffer_status(&manifest) == ODP_OK);
    fuzz_write(place_of("site/manifest.json"), odp_buffer_slice(&manifest));
    odp_buffer_release(&manifest);
}

/* ---- what is emitted ---- */

static enum odp_status create(void *ctx, const char *path, struct odp_file **out)
{
    return odp_file_create(out, place_of(path), 0644);
}

/* A number beyond a double is the reader's limit, not a fault of the text. */
static void parse_json(const struct odp_buffer *b)
{
    json_error_t error;
    json_t *root = json_loadb(b->ptr, b->len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    NEED(root != NULL || json_error_code(&error) == json_error_numeric_overflow);
    json_decref(root);
}

/* A file that claims to be JSON must be JSON. Downloads stay until all emitters have ended, because the end
 * of another may read them; other files go. */
static enum odp_status close_file(void *ctx, struct odp_file *f, const char *path, const char *media_type,
                                  enum odp_class cls)
{
    const char *full = fuzz_path(path);
    enum odp_status status = odp_file_close(f, NULL);
    if (status != ODP_OK)
        return status;
    struct odp_buffer bytes = fuzz_read(full);
    if (strstr(media_type, "json") != NULL)
        parse_json(&bytes);
    odp_buffer_release(&bytes);
    if (strncmp(path, "data/", 5) != 0)
        NEED(unlink(full) == 0);
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
    const char *full = fuzz_path(path);
    enum odp_status status = odp_file_seal(full, &info);
    NEED(status != ODP_OK || unlink(full) == 0);
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
        struct odp_buffer bytes = {0};
        NEED(odp_report_render(reports[i / 2], diags, &summary, &style, &bytes) != ODP_FAIL);
        if (strcmp(reports[i / 2]->name, "json") == 0)
            parse_json(&bytes);
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
    NEED(text != NULL);
    odp_keyring_set(all.keys, r, ODP_KEYS_ABSENT);
    for (int k = 0; k < 2; k++) {
        text[0] = odp_slice_of(k == 0 ? "a" : "b");
        NEED(odp_keyring_add(all.keys, r, text) == ODP_OK);
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
    NEED(odp_diags_new(&diags, 100) == ODP_OK);
    if (odp_catalog_open(&all.catalog, ODP_FUZZ_CATALOG, diags) != ODP_OK ||
        odp_validate_rules(all.catalog, diags) != ODP_OK) {
        odp_buffer_init(&bytes);
        NEED(odp_report_render(odp_report_find("human"), diags, &summary, &style, &bytes) != ODP_FAIL);
        NEED(false);
    }
    odp_diags_free(diags);
    NEED(odp_keyring_new(&all.keys, all.catalog) == ODP_OK && odp_batch_init(&all.batch, 5) == ODP_OK);
    for (size_t i = 0; i < all.catalog->ndatasets; i++)
        if (all.catalog->datasets[i].reference)
            add_keys(&all.catalog->datasets[i]);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_init(&all.chunks[k]);
    odp_buffer_init(&all.logical);
    atexit(forget);
}

/* All batches of SOURCE; JOB (NULL: nothing is emitted): records without faults are emitted, whatever
 * happens to the rest. */
static void read_all(struct odp_source *source, struct odp_validator *v, const struct odp_resource *r,
                     const struct odp_emit_job *job, struct odp_diags *diags)
{
    struct odp_emit_set emits = {0};
    struct odp_batch *b = &all.batch;
    uint64_t index = 0;
    NEED(job == NULL || odp_emit_set_begin(&emits, job) == ODP_OK);
    odp_buffer_clear(&all.logical);
    if (job != NULL)
        odp_emit_logical_header(&all.logical, job->resource, job->has_geometry);
    for (;;) {
        odp_batch_reset(b, r);
        b->index = index++;
        enum odp_status status = odp_source_read(source, b);
        NEED(status == ODP_OK || status == ODP_DONE);
        if (status == ODP_DONE)
            break;
        NEED(odp_source_slice(source, b, 0) != ODP_FAIL);
        NEED(odp_validator_batch(v, b, 0) == ODP_OK);
        NEED(job == NULL || odp_emit_set_format(&emits, b, all.chunks) == ODP_OK);
        if (job != NULL)
            odp_emit_logical_batch(&all.logical, b, job->has_geometry);
        NEED(odp_validator_merge(v, b) == ODP_OK && odp_diags_merge(diags, b->diags) == ODP_OK);
        NEED(job == NULL || odp_emit_set_append(&emits, all.chunks) == ODP_OK);
    }
    NEED(odp_validator_finish(v, diags) != ODP_FAIL);
    NEED(job == NULL || odp_emit_set_end(&emits) == ODP_OK);
    NEED(job == NULL || odp_dir_remove(fuzz_path("data")) == ODP_OK);
}

struct odp_diags *fuzz_diags(void)
{
    struct odp_diags *diags;
    NEED(odp_diags_new(&diags, 20) == ODP_OK);
    return diags;
}

const struct odp_resource *fuzz_resource_of(const char *slug)
{
    open_once();
    const struct odp_dataset *d = odp_catalog_find(all.catalog, slug);
    NEED(d != NULL);
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
    NEED(status != ODP_FAIL);
    if (status == ODP_OK) {
        const struct odp_source_info *info = odp_source_info(source);
        static const uint8_t digest[ODP_SHA256_SIZE];
        struct odp_emit_job job = {
            .catalog = all.catalog,
            .resource = r,
            .has_geometry = info->has_geometry,
            .version = "2024-01-01",
            .release = "1.0.0",
            .output = &output,
            .logical = digest,
        };
        NEED(odp_validator_new(&v, r, info, all.keys, 1, diags) == ODP_OK);
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
    struct odp_diags *diags = fuzz_diags();
    const struct odp_resource *r = fuzz_resource_of(slug);
    (void)run_resource(r, file, true, diags);
    fuzz_reports(diags);
    odp_diags_free(diags);
}
