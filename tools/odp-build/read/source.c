/* The registry of source kinds, and what is checked of a file before its kind looks inside. */
#include "read/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"

extern const struct odp_source_kind odp_source_csv, odp_source_shapefile, odp_source_xlsx;

static const struct odp_source_kind *const kinds[ODP_SOURCE_FORM_NONE] = {
    [ODP_SOURCE_FORM_CSV] = &odp_source_csv,
    [ODP_SOURCE_FORM_SHAPEFILE] = &odp_source_shapefile,
    [ODP_SOURCE_FORM_XLSX] = &odp_source_xlsx,
};

const struct odp_source_kind *const *odp_source_kinds(size_t *n)
{
    *n = ODP_COUNT(kinds);
    return kinds;
}

static const struct odp_source_kind *kind_of(enum odp_source_form form)
{
    return form != ODP_SOURCE_FORM_NONE ? kinds[form] : NULL;
}

const struct odp_source_kind *odp_source_kind_of(const struct odp_resource *r)
{
    return kind_of(odp_source_form_of(r));
}

const struct odp_source_kind *odp_source_kind_at(const struct odp_resource *r, const char *path)
{
    const char *dot = strrchr(path, '.'), *own = r->path != NULL ? strrchr(r->path, '.') : NULL;
    const struct odp_source_kind *kind = dot != NULL ? kind_of(odp_source_form_named(dot + 1)) : NULL;
    if (kind == NULL || own == NULL || strcasecmp(dot, own) == 0)
        return odp_source_kind_of(r);
    return kind;
}

static struct odp_diag about(const struct odp_resource *r, enum odp_code code, const char *file)
{
    struct odp_diag d = {.code = code, .resource = r->name, .file = file, .where = r->where};
    if (r->dataset != NULL)
        d.dataset = r->dataset->slug;
    return d;
}

static enum odp_status refuse(struct odp_diags *diags, const struct odp_diag *d)
{
    odp_diags_add(diags, d);
    return ODP_BAD;
}

/* What the symbolic link PATH leads to; empty: it is none. */
static struct odp_slice link_target(const char *path, char target[PATH_MAX])
{
    ssize_t n = readlink(path, target, PATH_MAX);
    return (struct odp_slice){target, n > 0 ? (size_t)n : 0};
}

static enum odp_status check_there(const struct odp_resource *r, const char *path, const char *file,
                                   struct odp_diags *diags)
{
    struct odp_diag d = about(r, ODP_F02, file);
    struct odp_limit_text text;
    char target[PATH_MAX];
    const struct odp_limits *limits = odp_limits_of(r);
    if (!odp_source_may_be(r, path)) {
        d.code = ODP_F16;
        return refuse(diags, &d);
    }
    int errnum = 0;
    enum odp_status status = odp_file_look(path, &errnum);
    if (status == ODP_FAIL || (status == ODP_OK && odp_file_size_of(path) <= (uint64_t)limits->source_bytes))
        return status;
    if (status == ODP_OK) {
        odp_limit_diag(&d, limits, offsetof(struct odp_limits, source_bytes), odp_file_size_of(path), &text);
    } else if (errnum == ENOENT) {
        d.code = ODP_F01;
        d.args[0] = link_target(path, target);
    } else {
        d.args[0] = odp_slice_of(strerrorname_np(errnum));
    }
    return refuse(diags, &d);
}

static enum odp_status hash_file(struct odp_reader *reader, char hex[ODP_SHA256_HEX])
{
    enum { BLOCK = 256 * 1024 };
    struct odp_digest *digest = NULL;
    struct odp_arena arena;
    uint8_t out[ODP_SHA256_SIZE];
    size_t got;
    odp_arena_init(&arena);
    char *block = odp_arena_alloc(&arena, BLOCK);
    enum odp_status status = odp_digest_new(&digest);
    while (status == ODP_OK) {
        status = odp_reader_read(reader, block, BLOCK, &got);
        if (status == ODP_OK)
            status = odp_digest_add(digest, block, got);
    }
    if (status == ODP_DONE)
        status = odp_digest_end(digest, out);
    if (status == ODP_OK)
        odp_digest_hex(out, hex);
    odp_digest_free(digest);
    odp_arena_release(&arena);
    return status;
}

/* Size and digest against the descriptor. A difference is reported and the file is read anyway: usually the
 * descriptor was not updated. A wrong size explains a wrong digest. */
static enum odp_status check_stated(const struct odp_resource *r, const char *path, const char *file,
                                    struct odp_diags *diags)
{
    static const char prefix[] = "sha256:";
    bool hashed = r->hash != NULL && strncasecmp(r->hash, prefix, sizeof(prefix) - 1) == 0;
    struct odp_reader *reader = NULL;
    struct odp_diag d;
    int errnum = 0;
    if (r->bytes < 0 && !hashed)
        return ODP_OK;
    enum odp_status status = odp_reader_open(&reader, path, &errnum);
    if (status == ODP_BAD) {
        d = about(r, ODP_F02, file);
        return refuse(diags, &d);
    }
    if (status != ODP_OK)
        return status;
    char hex[ODP_SHA256_HEX], want[24], have[24];
    uint64_t size = odp_reader_size(reader);
    if (r->bytes >= 0 && size != (uint64_t)r->bytes) {
        d = about(r, ODP_F05, file);
        d.args[0] =
            (struct odp_slice){want, (size_t)snprintf(want, sizeof(want), "%lld", (long long)r->bytes)};
        d.value =
            (struct odp_slice){have, (size_t)snprintf(have, sizeof(have), "%llu", (unsigned long long)size)};
        status = refuse(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    } else if (hashed && (status = hash_file(reader, hex)) == ODP_OK &&
               strcasecmp(r->hash + sizeof(prefix) - 1, hex) != 0) {
        d = about(r, ODP_F06, file);
        d.args[0] = odp_slice_of(r->hash);
        d.value = odp_slice_of(hex);
        status = refuse(diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    }
    odp_reader_close(reader);
    return status;
}

enum odp_status odp_source_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                                const char *file, unsigned workers, struct odp_diags *diags)
{
    const struct odp_source_kind *kind = odp_source_kind_at(r, path);
    *out = NULL;
    if (kind == NULL) {
        struct odp_diag d = about(r, ODP_F03, file);
        d.args[0] = ODP_LIT("csv, tsv, txt, xlsx, shp, zip");
        d.value = odp_slice_of(r->format != NULL ? r->format : r->path);
        return refuse(diags, &d);
    }
    enum odp_status status = check_there(r, path, file, diags);
    if (status == ODP_OK)
        status = check_stated(r, path, file, diags);
    return status == ODP_OK ? kind->open(out, r, path, file, workers, diags) : status;
}

enum odp_status odp_source_read(struct odp_source *s, struct odp_batch *b)
{
    return ((struct odp_source_base *)(void *)s)->kind->read(s, b);
}

/* Cells that are too long; the record is not looked at any further. */
static void check_cells(const struct odp_source_base *base, const struct odp_limits *limits,
                        struct odp_batch *b)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        struct odp_record *rec = &b->records[i];
        uint32_t c = 0;
        while (c < rec->count && b->cells[rec->first + c].len <= (uint64_t)limits->cell_bytes)
            c++;
        if (c == rec->count || (rec->flags & ODP_RECORD_SKIP) != 0)
            continue;
        struct odp_diag d;
        struct odp_limit_text text;
        odp_batch_diag(b, (struct odp_batch_place){i, base->info.field_of_column[c], (int)c}, base->info.file,
                       false, &d);
        odp_limit_diag(&d, limits, offsetof(struct odp_limits, cell_bytes), b->cells[rec->first + c].len,
                       &text);
        rec->flags |= ODP_RECORD_SKIP;
        odp_diags_add(b->diags, &d);
    }
}

enum odp_status odp_source_slice(const struct odp_source *s, struct odp_batch *b, unsigned worker)
{
    const struct odp_source_base *base = (const struct odp_source_base *)(const void *)s;
    const struct odp_limits *limits = odp_limits_of(base->resource);
    enum odp_status status = base->kind->slice(s, b, worker);
    /* A cell is no longer than its record: usually there is nothing to look for. */
    if (status == ODP_OK && limits->cell_bytes < limits->record_bytes)
        check_cells(base, limits, b);
    return status;
}

void odp_source_close(struct odp_source *s)
{
    if (s != NULL)
        ((struct odp_source_base *)(void *)s)->kind->close(s);
}
