/* Emitters turn typed batches into the bytes of one distribution. One const vtable a file, one registry
 * (registry.c): adding a format is one file here and one line in contract/formats.def.
 *
 *   begin   (one thread)          creates the output; its struct is zeroed, with kind, job and arena
 *   format  (any thread)          a batch to bytes, no shared state; records end at chunk->ends[]
 *   append  (in order, one at a time) bytes to the file
 *   end     (once)                closes; the output knows the file with its size and digest
 *   release (one thread)          after end, or instead of it: the resource was rejected, or begin failed
 *
 * Emitters append and end in parallel, on any thread; what they share (the output) is safe for that. An
 * emitter that keeps something in job->arena does so in begin, or (search, alone) in end.
 *
 * Records with batch->record_bad are left out (run/pass.c rejects such a resource anyway), and so are all
 * fields that are not public. */
#pragma once

#include "base/file.h"
#include "base/format.h"
#include "base/pool.h"
#include "catalog/index/search.h"
#include "catalog/records/batch.h"
#include "catalog/records/code_lists.h"
#include "catalog/records/row_places.h"
#include "published/logical.h"
#include "published/output.h"
#include "published/site.h"
#include "write/labels.h"

/* Shared input of all emitters of a resource. */
struct odp_emit_job {
    const struct odp_catalog *catalog;
    const struct odp_resource *resource;
    bool has_geometry;
    const char
        *version; /* "2024-03-15.1": its name; for sources whose date is a field's: known before emitting */
    const char *date;    /* odp:lastUpdate; NULL: that of the version's name */
    const char *release; /* newest of changes.json, "2.5.0" */
    struct odp_output *output;
    const char *slice; /* NULL, or the folder of a slice: "slices/kode_provinsi/31/" (odp_emit_slice_path) */
    const char *slice_field; /* with SLICE: "kode_provinsi", and its value in all records of the slice */
    struct odp_slice slice_value;
    const struct odp_emitter *const
        *chosen; /* of an export: these and no others; NULL: all of a version (nchosen 0) */
    size_t nchosen;
    const struct odp_code_lists *codes;     /* what codes mean; NULL: not known */
    const struct odp_row_places *rows;      /* places of records that keys lead to; NULL: not known */
    const struct odp_label_columns *labels; /* columns with their names, which every batch has; NULL: none */
    const struct odp_site *previous;        /* the site before, for what has changed since; NULL: none */
    struct odp_diags *diags;                /* with PREVIOUS: what cannot be read of it */
    const char *source_dir;                 /* folder of the dataset's sources, for odp:document */
    const uint8_t *logical; /* digest of the resource's logical content (ODP_SHA256_SIZE bytes); known in end,
                               not before */
    struct odp_search_file *searches; /* by odp_resource.index: query indexes of this run; the emitter of
                                         indexes enters its own in end. NULL: this run makes no index */
    struct odp_arena *arena;          /* of the run, for what `searches` points to */
};

struct odp_chunk {
    struct odp_buffer bytes;
    uint32_t
        *ends; /* ends[i]: bytes after record i of this chunk; emitters that do not need them leave n = 0 */
    uint32_t n, cap;
    double bbox[4]; /* of the geometries in it: west, south, east, north; only by emitters that need it */
    bool has_bbox;
};
void odp_chunk_init(struct odp_chunk *c);
void odp_chunk_release(struct odp_chunk *c);
void odp_chunk_clear(struct odp_chunk *c);
enum odp_status odp_chunk_end_slow(struct odp_chunk *c) ODP_MUST_USE;
/* The record ends here. */
static inline ODP_MUST_USE enum odp_status odp_chunk_end_record(struct odp_chunk *c)
{
    if (c->n == c->cap || c->bytes.failed || c->bytes.len > UINT32_MAX)
        return odp_chunk_end_slow(c);
    c->ends[c->n++] = (uint32_t)c->bytes.len;
    return ODP_OK;
}

/* Each emitter has its own, beginning with this. */
struct odp_emit {
    const struct odp_emitter *kind;
    const struct odp_emit_job *job;
    const struct odp_emitter *download; /* the first of the set that makes a format; set after all have begun.
                                           NULL: no emitter makes it */
    struct odp_arena arena;
};

struct odp_emitter {
    const struct odp_format_file
        *file; /* what it writes: a row of contract/formats.def; without a format (the API's pages): always */
    bool tells_digest; /* its file holds the digest of the content (job->logical) */
    bool no_labels;    /* it does not read the label points of geometries */
    bool (*wanted)(const struct odp_emit_job *job); /* NULL: always; otherwise called before begin */
    /* Name of this emitter's chunk form. Emitters of a job with the same form share chunks: the batch is
     * formatted once and each of them appends it. NULL: not shared. */
    const char *(*form)(const struct odp_emit_job *job);
    size_t size; /* of its own struct */
    enum odp_status (*begin)(struct odp_emit *e);
    enum odp_status (*format_batch)(const struct odp_emit *e, const struct odp_batch *b,
                                    struct odp_chunk *out);
    enum odp_status (*append)(struct odp_emit *e, const struct odp_chunk *c);
    enum odp_status (*end)(struct odp_emit *e);
    /* The emitter whose file `end` reads: it ends first. NULL, or no such emitter: no file. */
    const struct odp_emitter *(*reads)(const struct odp_emit_job *job);
    void (*release)(struct odp_emit *e); /* what E holds besides its arena; NULL: nothing */
};
/* One emitter begun; NULL: FAIL. Ended or aborted once, which frees it. */
struct odp_emit *odp_emit_begin(const struct odp_emitter *kind, const struct odp_emit_job *job) ODP_MUST_USE;
enum odp_status odp_emit_end(struct odp_emit *e) ODP_MUST_USE;
void odp_emit_abort(struct odp_emit *e); /* NULL is allowed */

const struct odp_emitter *const *odp_emitters(size_t *n);

/* All emitters of one resource together: those without a format (not for a slice), and those its dataset
 * offers (and that its geometry allows). Emitters with equal forms share one chunk. Initialize with {0}; end
 * or abort it once after begin, whatever begin returned. */
enum {
    ODP_EMIT_LAST_FORMAT = ODP_FORMAT_FILES - 1,
#define ODP_EMITTER(name) ODP_EMIT_INDEX_##name,
#include "write/emitters.def"
#undef ODP_EMITTER
    ODP_EMIT_MAX /* as many as there are */
};
struct odp_emit_set {
    struct odp_emit *emits[ODP_EMIT_MAX];
    const struct odp_emitter *kinds[ODP_EMIT_MAX];
    size_t chunk_of[ODP_EMIT_MAX]; /* which chunk emitter k appends; chunk_of[k] == k: it formats it, too */
    const struct odp_emitter *reads[ODP_EMIT_MAX];
    size_t n;
};
/* Does JOB's dataset offer what KIND makes, and has JOB the records for it? */
bool odp_emit_offers(const struct odp_emit_job *job, const struct odp_emitter *kind);
enum odp_status odp_emit_set_begin(struct odp_emit_set *s, const struct odp_emit_job *job) ODP_MUST_USE;
/* Does one of them read the label points of geometries? */
bool odp_emit_set_reads_labels(const struct odp_emit_set *s);
/* Does one of them need job->logical in its end? */
bool odp_emit_set_tells_digest(const struct odp_emit_set *s);
/* CHUNKS: ODP_EMIT_MAX of them, cleared here. Any thread. */
enum odp_status odp_emit_set_format(const struct odp_emit_set *s, const struct odp_batch *b,
                                    struct odp_chunk *chunks) ODP_MUST_USE;
enum odp_status odp_emit_set_append(struct odp_emit_set *s, const struct odp_chunk *chunks) ODP_MUST_USE;
/* Of the K-th alone: each emitter has an order of its own, and no two share what they append to. */
enum odp_status odp_emit_set_append_one(struct odp_emit_set *s, size_t k,
                                        const struct odp_chunk *chunks) ODP_MUST_USE;
enum odp_status odp_emit_set_end(struct odp_emit_set *s) ODP_MUST_USE;
/* The same, each emitter's end on whichever thread of POOL is free. */
enum odp_status odp_emit_set_end_on(struct odp_emit_set *s, struct odp_pool *pool) ODP_MUST_USE;
void odp_emit_set_abort(struct odp_emit_set *s);

/* "data/<slug>/<version>/[<slice>]<slug>[-<resource>]<extension>" in A. */
char *odp_emit_data_path(const struct odp_emit_job *job, const char *extension,
                         struct odp_arena *a) ODP_MUST_USE;
/* "slices/<field>/<value>/" in A: bytes other than letters, digits, '-', '_' and '.' (and a '.' at either
 * end) as ~XX. So each part is one segment of a path, and the path needs no escape in a URL, which '%' would.
 */
char *odp_emit_slice_path(const char *field, struct odp_slice value, struct odp_arena *a) ODP_MUST_USE;
/* "data/<slug>/<version>/charts/<name>-<digest of its definition><extension>" in A: ".json", or one of the
 * pictures': for a page and for a telephone, by language. */
extern const char *const odp_chart_extensions[2][ODP_LANGS];
char *odp_emit_chart_path(const struct odp_emit_job *job, const struct odp_chart *c, const char *extension,
                          struct odp_arena *a) ODP_MUST_USE;

/* Page 1 of a resource's API: "v1/<slug>.json", "v1/<slug>/<resource>.json"; in A. */
char *odp_emit_api_path(const struct odp_resource *r, struct odp_arena *a) ODP_MUST_USE;
/* Page N > 1: "v1/<slug>[/<resource>]/v/<version>/p/<n>.json"; in A. */
char *odp_emit_page_path(const struct odp_resource *r, const char *version, uint64_t n,
                         struct odp_arena *a) ODP_MUST_USE;
/* A whole file. */
enum odp_status odp_emit_put(const struct odp_emit_job *job, const char *path, const char *media_type,
                             enum odp_class cls, const struct odp_buffer *bytes) ODP_MUST_USE;
/* The licence's address, of JOB's dataset or of the portal; NULL: neither names one. */
const char *odp_emit_license(const struct odp_emit_job *job);
/* The date of a version: "2024-03-15" of "2024-03-15.1" and of a timestamp. */
struct odp_slice odp_emit_version_date(const char *version);

/* One value as JSON. */
void odp_emit_json_value(struct odp_buffer *out, const struct odp_field *f, uint8_t state,
                         struct odp_slice text);
