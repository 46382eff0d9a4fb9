/* For the tests of tools/odp-build/write and tools/odp-build/site/versions: a small catalogue made by hand,
 * batches of text, and a folder to write to. */
#pragma once
#include "run.h"

#include <unistd.h>

#include "write/emit.h"

#define MAX_FIELDS 20

/* One dataset of one resource. Its strings are literals, its memory is the struct's. */
struct fixture {
    struct odp_catalog catalog;
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[MAX_FIELDS];
    uint32_t key[2];
    struct odp_slice formats[ODP_FORMATS];
    struct odp_release release;
    struct odp_emit_job job;
    struct odp_output output;
    uint8_t logical[ODP_SHA256_SIZE]; /* the digest that a pipeline would compute: zeros here */
    char dir[FRESH_FOLDER];
    unsigned scratches;
};

static inline void fx_path(const struct fixture *fx, const char *path, char out[512])
{
    assert_true(snprintf(out, 512, "%s/%s", fx->dir, path) < 512);
}

static inline enum odp_status fx_create(void *ctx, const char *path, struct odp_file **out)
{
    char full[512];
    fx_path(ctx, path, full);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    if (odp_dir_make(full) != ODP_OK)
        return ODP_FAIL;
    *slash = '/';
    return odp_file_create(out, full, 0644);
}

static inline enum odp_status fx_close(void *ctx, struct odp_file *f, const char *path, const char *type,
                                       enum odp_class cls)
{
    (void)ctx, (void)path, (void)type, (void)cls;
    return odp_file_close(f, NULL);
}

static inline char *fx_scratch(void *ctx, struct odp_arena *a)
{
    struct fixture *fx = ctx;
    return odp_arena_printf(a, "%s/scratch-%u", fx->dir, ++fx->scratches);
}

static inline char *fx_place(void *ctx, const char *path, struct odp_arena *a)
{
    char full[512];
    fx_path(ctx, path, full);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    if (odp_dir_make(full) != ODP_OK)
        return NULL;
    *slash = '/';
    return odp_arena_str(a, full);
}

static inline enum odp_status fx_seal(void *ctx, const char *path, const char *type, enum odp_class cls)
{
    char full[512];
    struct odp_file_info info;
    (void)type, (void)cls;
    fx_path(ctx, path, full);
    return odp_file_seal(full, &info);
}

static inline void fx_drop(void *ctx, const char *path)
{
    char full[512];
    fx_path(ctx, path, full);
    (void)unlink(full);
}

static inline struct odp_field *fx_field(struct fixture *fx, const char *name, enum odp_type type)
{
    struct odp_field *f = &fx->fields[fx->resource.schema.n++];
    assert_true(fx->resource.schema.n <= MAX_FIELDS);
    *f = (struct odp_field){
        .name = name,
        .source_name = name,
        .type = type,
        .is_public = true,
        .constraints = {.min_length = -1, .max_length = -1},
    };
    return f;
}

/* The dataset "uji", all formats, no field yet. */
static inline void fx_init(struct fixture *fx)
{
    memset(fx, 0, sizeof *fx);
    fresh_folder(fx->dir, "emit");
    for (size_t i = 0; i < ODP_FORMATS; i++)
        fx->formats[i] = odp_slice_of(odp_format_names[i]);
    fx->dataset = (struct odp_dataset){
        .slug = "uji",
        .title = {{"Data uji", "Test data"}},
        .description = {{"Untuk uji", "For tests"}},
        .formats = {fx->formats, ODP_FORMATS},
        .last_update = "2024-03-15",
        .frequency = "ANNUAL",
        .state = ODP_STATE_ACTIVE,
        .resources = &fx->resource,
        .nresources = 1,
    };
    fx->resource =
        (struct odp_resource){.dataset = &fx->dataset, .name = "uji", .primary = true, .datetime = {-1, -1}};
    fx->resource.schema.fields = fx->fields;
    fx->release = (struct odp_release){.version = "2.5.0", .date = "2024-03-15"};
    fx->catalog.portal = (struct odp_portal){
        .title = {{"Portal", "Portal"}},
        .publisher = {{"Kementerian", "Ministry"}},
        .base_url = "https://data.example.go.id/",
        .license_name = "CC-BY-4.0",
        .license_path = "https://creativecommons.org/licenses/by/4.0/",
        .page_records = 1000,
        .page_bytes = 1 << 20,
    };
    fx->catalog.datasets = &fx->dataset;
    fx->catalog.ndatasets = 1;
    fx->catalog.releases = &fx->release;
    fx->catalog.nreleases = 1;
    fx->output = (struct odp_output){
        .ctx = fx,
        .create = fx_create,
        .close = fx_close,
        .scratch = fx_scratch,
        .place = fx_place,
        .seal = fx_seal,
        .drop = fx_drop,
    };
    fx->job = (struct odp_emit_job){
        .catalog = &fx->catalog,
        .resource = &fx->resource,
        .version = "2024-03-15",
        .release = "2.5.0",
        .output = &fx->output,
        .logical = fx->logical,
    };
}

static inline void fx_key(struct fixture *fx, uint32_t a, int b)
{
    fx->key[0] = a;
    fx->key[1] = (uint32_t)b;
    fx->resource.schema.primary = (struct odp_key){fx->key, b < 0 ? 1 : 2, NULL};
}

static inline void fx_release(struct fixture *fx)
{
    must(odp_dir_remove(fx->dir));
}
#define FX(v) OWNED(fixture, v, fx, &v)

/* A batch of N records; CELLS row by row, NULL is null. Texts are borrowed. ROW: number of the first record.
 */
static inline void fx_batch(struct fixture *fx, struct odp_batch *b, const struct odp_slice *cells,
                            uint32_t n, uint64_t row)
{
    uint32_t fields = fx->resource.schema.n;
    odp_batch_reset(b, &fx->resource);
    b->columns = odp_arena_zero(&b->arena, fields + 1, sizeof *b->columns);
    b->record_bad = odp_arena_zero(&b->arena, n + 1, 1);
    assert_non_null(b->columns);
    for (uint32_t k = 0; k < fields; k++) {
        b->columns[k].text = odp_arena_zero(&b->arena, n + 1, sizeof *b->columns[k].text);
        b->columns[k].state = odp_arena_zero(&b->arena, n + 1, 1);
        for (uint32_t i = 0; i < n; i++) {
            b->columns[k].text[i] = cells[(size_t)i * fields + k];
            b->columns[k].state[i] = b->columns[k].text[i].ptr == NULL ? ODP_VALUE_NULL : ODP_VALUE_OK;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct odp_record *r = odp_batch_add_record(b);
        assert_non_null(r);
        memset(r, 0, sizeof *r);
        r->row = r->line = row + i;
    }
}

/* Begins every emitter that applies. Where "uji" has no geometry, another resource of the dataset has, of
 * which its GeoJSON is made. */
static inline enum odp_status fx_begin(struct fixture *fx, struct odp_emit_set *set)
{
    static struct odp_resource shapes = {.name = "bentuk", .geometry = {.present = true}};
    fx->dataset.resources = &shapes;
    enum odp_status status = odp_emit_set_begin(set, &fx->job);
    fx->dataset.resources = &fx->resource;
    return status;
}

/* Emits CELLS in batches of STEP records through every emitter that applies. GEOMETRY: one a record, or NULL.
 */
static inline void fx_emit(struct fixture *fx, const struct odp_slice *cells, uint32_t n, uint32_t step,
                           const struct odp_geom **geometry)
{
    struct odp_emit_set set = {0};
    struct odp_chunk chunks[ODP_EMIT_MAX];
    struct odp_batch b;
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_init(&chunks[k]);
    must(odp_batch_init(&b, 10));
    must(fx_begin(fx, &set));
    for (uint32_t i = 0; i < n; i += step) {
        uint32_t count = n - i < step ? n - i : step;
        fx_batch(fx, &b, cells + (size_t)i * fx->resource.schema.n, count, i + 1);
        b.geometry = geometry != NULL ? geometry + i : NULL;
        must(odp_emit_set_format(&set, &b, chunks));
        must(odp_emit_set_append(&set, chunks));
    }
    must(odp_emit_set_end(&set));
    odp_batch_release(&b);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_release(&chunks[k]);
}

/* The bytes of a file of the folder, with a terminator; free them. */
static inline char *fx_read(const struct fixture *fx, const char *path, size_t *len)
{
    char full[512];
    struct odp_buffer out = {0};
    fx_path(fx, path, full);
    if (odp_file_read(full, 1 << 30, &out, NULL) != ODP_OK)
        fail_msg("cannot read %s", path);
    (void)odp_buffer_cstr(&out);
    if (len != NULL)
        *len = out.len;
    return out.ptr;
}

static inline bool fx_exists(const struct fixture *fx, const char *path)
{
    char full[512];
    fx_path(fx, path, full);
    return access(full, F_OK) == 0;
}

static inline void fx_expect(const struct fixture *fx, const char *path, const char *want)
{
    char *got = fx_read(fx, path, NULL);
    assert_string_equal(got, want);
    free(got);
}

#define S(text) ODP_LIT(text)
#define NUL     ((struct odp_slice){NULL, 0})
