/* For tests and the fuzzer of the query engine: an index of a few records, written by the compiler's own
 * writer, and questions to it. Uses no test library: what must not happen aborts. */
#pragma once

#include <unistd.h>

#include "base/file.h"
#include "service/queries/engine/query.h"
#include "write/index/writer.h"

enum { QF_FIELDS = 16, QF_PARAMS = 40 };

struct qf {
    struct odp_arena arena; /* of the fixture */
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[QF_FIELDS];
    uint32_t key[4];
    struct odp_slice *cells; /* by record, then by field; ptr NULL: null */
    const struct odp_geom **geometry;
    uint32_t n, cap;
    char dir[64], path[160];
    struct odp_index *index;
    unsigned threads;

    struct odp_query_limits limits;
    struct odp_query_call call;
    struct odp_query_param params[QF_PARAMS];
    /* of the last question */
    struct odp_arena asked;
    struct odp_query *q;
    struct odp_query_result r;
    struct odp_query_fault fault;
};

static inline void qf_must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "query fixture: %s: %s\n", what, odp_failure_text());
    abort();
}

static const uint8_t qf_secret[32] = "a secret of the tests' own, 32 b";

static inline void qf_begin(struct qf *x)
{
    memset(x, 0, sizeof *x);
    odp_arena_init(&x->arena);
    odp_arena_init(&x->asked);
    odp_buffer_init(&x->r.body);
    x->dataset.slug = "uji";
    x->resource.dataset = &x->dataset;
    x->resource.name = "uji";
    x->resource.primary = true;
    x->resource.datetime[0] = x->resource.datetime[1] = -1;
    x->resource.schema.fields = x->fields;
    x->resource.schema.primary.fields = x->key;
    x->resource.geometry.api = ODP_GEOMETRY_FULL;
    x->threads = 2;
    x->limits = (struct odp_query_limits){
        .time_ms = 60000,
        .count_ms = 60000,
        .rows = 10000000,
        .page = 10,
        .page_file = 10,
        .page_max = 1000,
        .bytes = 1 << 20,
    };
    x->call = (struct odp_query_call){
        .self = "uji",
        .root = "https://data.example.go.id/v1/",
        .release = "2.5.0",
        .dataset_title = "Uji",
        .secret = qf_secret,
        .limits = &x->limits,
        .params = x->params,
    };
}

static inline struct odp_field *qf_field(struct qf *x, const char *name, enum odp_type type)
{
    struct odp_field *f = &x->fields[x->resource.schema.n++];
    qf_must(x->resource.schema.n <= QF_FIELDS && x->n == 0, "too many fields");
    *f = (struct odp_field){
        .name = name, .source_name = name, .type = type, .is_public = true, .where = "dataset.json:1"};
    f->decimal.decimal = '.';
    return f;
}

static inline void qf_key(struct qf *x, uint32_t field)
{
    x->key[x->resource.schema.primary.n++] = field;
}

/* odp:index of one field. */
static inline void qf_index(struct qf *x, uint32_t field)
{
    struct odp_key *all = odp_realloc_array(x->resource.indexes, x->resource.nindexes + 1, sizeof *all);
    qf_must(all != NULL, "memory");
    x->resource.indexes = all;
    all[x->resource.nindexes] =
        (struct odp_key){.fields = odp_arena_array(&x->arena, 1, sizeof(uint32_t)), .n = 1};
    qf_must(all[x->resource.nindexes].fields != NULL, "memory");
    all[x->resource.nindexes++].fields[0] = field;
}

/* A record: as many texts (NULL: null) as there are fields. */
static inline void qf_row(struct qf *x, const char *const *cells)
{
    if (x->n == x->cap) {
        x->cap = x->cap > 0 ? x->cap * 2 : 64;
        x->cells = odp_realloc_array(x->cells, (size_t)x->cap * QF_FIELDS, sizeof *x->cells);
        x->geometry = odp_realloc_array(x->geometry, x->cap, sizeof *x->geometry);
        qf_must(x->cells != NULL && x->geometry != NULL, "memory");
    }
    for (uint32_t k = 0; k < x->resource.schema.n; k++) {
        struct odp_slice *s = &x->cells[(size_t)x->n * QF_FIELDS + k];
        *s = (struct odp_slice){NULL, 0};
        if (cells[k] != NULL)
            *s = odp_arena_copy(&x->arena, odp_slice_of(cells[k]));
        qf_must(cells[k] == NULL || s->ptr != NULL, "memory");
    }
    x->geometry[x->n++] = NULL;
}

/* Puts the last record at this point. */
static inline void qf_point(struct qf *x, double lon, double lat)
{
    struct odp_geom *g = odp_arena_zero(&x->arena, 1, sizeof *g);
    double *xy = odp_arena_array(&x->arena, 2, sizeof *xy);
    uint32_t *part = odp_arena_array(&x->arena, 2, sizeof *part);
    qf_must(g != NULL && xy != NULL && part != NULL, "memory");
    xy[0] = lon, xy[1] = lat;
    part[0] = 0, part[1] = 1;
    *g = (struct odp_geom){
        .type = ODP_GEOM_POINT,
        .npoints = 1,
        .nparts = 1,
        .xy = xy,
        .part = part,
        .bbox = {lon, lat, lon, lat},
        .label = {lon, lat},
    };
    x->geometry[x->n - 1] = g;
    x->resource.geometry.present = true;
}

static inline void qf_batch(struct qf *x, struct odp_batch *b, uint32_t from, uint32_t count)
{
    odp_batch_reset(b, &x->resource);
    b->columns = odp_arena_zero(&b->arena, x->resource.schema.n + 1, sizeof *b->columns);
    b->record_bad = odp_arena_zero(&b->arena, (size_t)count + 1, 1);
    qf_must(b->columns != NULL && b->record_bad != NULL, "memory");
    for (uint32_t k = 0; k < x->resource.schema.n; k++) {
        b->columns[k].text = odp_arena_array(&b->arena, count, sizeof(struct odp_slice));
        b->columns[k].state = odp_arena_array(&b->arena, count, 1);
        qf_must(b->columns[k].text != NULL && b->columns[k].state != NULL, "memory");
        for (uint32_t i = 0; i < count; i++) {
            b->columns[k].text[i] = x->cells[(size_t)(from + i) * QF_FIELDS + k];
            b->columns[k].state[i] = b->columns[k].text[i].ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct odp_record *r = odp_batch_add_record(b);
        qf_must(r != NULL, "memory");
        *r = (struct odp_record){.row = from + i + 1, .line = from + i + 2};
    }
    b->geometry = x->resource.geometry.present ? &x->geometry[from] : NULL;
}

/* Writes what there is and opens it. */
static inline void qf_open(struct qf *x)
{
    struct odp_search_writer *w;
    struct odp_batch b;
    struct odp_buffer packed = {0};
    struct odp_file_info info;
    char made[128], hex[ODP_SHA256_HEX];
    const char *why = "";
    uint64_t rows;
    snprintf(x->dir, sizeof x->dir, "%s/odp-query-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    qf_must(mkdtemp(x->dir) != NULL, "folder");
    snprintf(made, sizeof made, "%s/made.sqlite", x->dir);
    struct odp_search_job job = {
        .resource = &x->resource,
        .has_geometry = x->resource.geometry.present,
        .version = "2024-03-15",
        .last_update = "2024-03-15",
        .geometry_name = x->resource.geometry.present ? "geometry" : NULL,
        .path = made,
        .simplify = odp_geom_add_geojson,
    };
    qf_must(odp_search_writer_new(&w, &job) == ODP_OK, "writer");
    qf_must(odp_batch_init(&b, 1) == ODP_OK, "batch");
    for (uint32_t i = 0; i < x->n; i += 1000) {
        qf_batch(x, &b, i, x->n - i < 1000 ? x->n - i : 1000);
        odp_buffer_clear(&packed);
        qf_must(odp_search_writer_pack(w, &b, &packed) == ODP_OK, "pack");
        qf_must(odp_search_writer_append(w, odp_buffer_slice(&packed)) == ODP_OK, "append");
    }
    b.geometry = NULL;
    odp_batch_release(&b);
    odp_buffer_release(&packed);
    qf_must(odp_search_writer_end(w, &rows) == ODP_OK, "end");
    qf_must(odp_file_digest(made, &info) == ODP_OK, "digest");
    odp_digest_hex(info.sha256, hex);
    snprintf(x->path, sizeof x->path, "%s/uji-%.16s.sqlite", x->dir, hex);
    qf_must(rename(made, x->path) == 0, "rename");
    enum odp_status status = odp_index_open(&x->index, x->path, x->threads, &why);
    qf_must(status == ODP_OK, why != NULL ? why : "open");
    x->call.index = x->index;
}

static inline void qf_forget(struct qf *x)
{
    odp_query_free(x->q);
    x->q = NULL;
    odp_arena_reset(&x->asked);
    odp_buffer_clear(&x->r.body);
}

static inline void qf_end(struct qf *x)
{
    qf_forget(x);
    odp_index_close(x->index);
    odp_buffer_release(&x->r.body);
    odp_arena_release(&x->asked);
    odp_arena_release(&x->arena);
    free(x->cells);
    free(x->geometry);
    free(x->resource.indexes);
    (void)unlink(x->path);
    (void)rmdir(x->dir);
}

/* ---- questions ---- */

static inline int qf_nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static inline struct odp_slice qf_decode(struct qf *x, const char *s, size_t n)
{
    char *out = odp_arena_alloc(&x->asked, n + 1);
    size_t len = 0;
    qf_must(out != NULL, "memory");
    for (size_t i = 0; i < n; i++) {
        bool hex = s[i] == '%' && n - i > 2 && qf_nibble(s[i + 1]) >= 0 && qf_nibble(s[i + 2]) >= 0;
        out[len++] = hex ? (char)(qf_nibble(s[i + 1]) * 16 + qf_nibble(s[i + 2])) : s[i] == '+' ? ' ' : s[i];
        i += hex ? 2 : 0;
    }
    out[len] = '\0';
    return (struct odp_slice){out, len};
}

/* QUERY as in an address; the parameters stay in x->params. */
static inline void qf_params(struct qf *x, const char *query, size_t len)
{
    x->call.nparams = 0;
    for (size_t i = 0; i < len && x->call.nparams < QF_PARAMS;) {
        const char *end = memchr(query + i, '&', len - i);
        size_t n = end != NULL ? (size_t)(end - (query + i)) : len - i;
        const char *equal = n > 0 ? memchr(query + i, '=', n) : NULL;
        size_t name = equal != NULL ? (size_t)(equal - (query + i)) : n;
        if (n > 0)
            x->params[x->call.nparams++] = (struct odp_query_param){
                qf_decode(x, query + i, name),
                qf_decode(x, query + i + name + (equal != NULL), n - name - (equal != NULL))};
        i += n + 1;
    }
}

/* With x->call.kind, form, key, body as they are. */
static inline enum odp_status qf_ask(struct qf *x, const char *query)
{
    qf_forget(x);
    qf_params(x, query, strlen(query));
    enum odp_status status = odp_query_new(&x->q, &x->call, &x->asked, &x->fault);
    if (status == ODP_OK)
        status = odp_query_run(x->q, &x->r, &x->fault);
    return status;
}
