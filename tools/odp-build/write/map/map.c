/* <slug>[-<resource>].map.geojson: the shapes of all records with fewer points and a few fields, for the map
 * on the portal's page of the dataset and its picture. Where that would be too large for a telephone, it is a
 * grid of counts instead (odp.form): nothing is left out silently.
 *
 * The bytes of the smallest possible document of features decide; after that records are only counted, so a
 * million of them cost neither memory nor time. docs/formats.md has the form. */
#include <stdatomic.h>

#include "write/emitters.h"
#include "write/map/map_internal.h"

#include "base/json.h"

enum {
    FEATURE_BYTES =
        72, /* {"type":"Feature","id":,"geometry":{"type":"","coordinates":},"properties":{}} and the comma */
    VALUE_MAX = 400, /* a longer value is not for a popup: its field is left out of all features */
    RECORD_WHOLE = 1,
    RECORD_COUNTED = 0
};
#define LENGTH_NULL UINT32_MAX
#define LENGTH_LONG (UINT32_MAX - 1) /* a value that is too long */

/* ---- a record in a chunk ---- */

static void add_u32(struct odp_buffer *out, uint32_t v)
{
    odp_buffer_add(out, (const char *)&v, sizeof v);
}

static void add_value(struct odp_buffer *out, const struct odp_batch *b, uint32_t i, uint32_t field,
                      bool must)
{
    const struct odp_column *c = &b->columns[field];
    bool there = c->state[i] == ODP_VALUE_OK && (must || c->text[i].len <= VALUE_MAX);
    if (there) {
        add_u32(out, (uint32_t)c->text[i].len);
        odp_buffer_add_slice(out, c->text[i]);
    } else {
        add_u32(out, c->state[i] == ODP_VALUE_OK ? LENGTH_LONG : LENGTH_NULL);
    }
}

static void add_geometry(struct odp_buffer *out, const struct odp_resource *r, const struct odp_geom *g,
                         bool whole)
{
    bool there = g != NULL && g->npoints > 0;
    odp_buffer_add_char(out, there ? (char)(1 + g->type) : '\0');
    if (!there)
        return;
    const double *at = r->geometry.types == ODP_GEOM_BIT_POINT ? g->xy : g->label;
    odp_buffer_add(out, (const char *)at, 2 * sizeof *at);
    if (!whole)
        return;
    uint32_t npolys = g->poly != NULL ? g->npolys : 0;
    add_u32(out, g->npoints);
    add_u32(out, g->nparts);
    add_u32(out, npolys);
    odp_buffer_add(out, (const char *)g->part, ((size_t)g->nparts + 1) * sizeof *g->part);
    if (npolys > 0)
        odp_buffer_add(out, (const char *)g->poly, ((size_t)npolys + 1) * sizeof *g->poly);
    odp_buffer_add(out, (const char *)g->xy, 2 * (size_t)g->npoints * sizeof *g->xy);
}

/* One byte (whole or only counted), then of each record: its fields (counted: category and place), of a whole
 * one the id, then the geometry. */
static enum odp_status map_format(const struct odp_emit *emit, const struct odp_batch *b,
                                  struct odp_chunk *out)
{
    const struct map_emit *e = (const struct map_emit *)emit;
    const struct map_plan *p = &e->plan;
    bool whole = !atomic_load_explicit(&e->crowded, memory_order_relaxed);
    struct odp_buffer *bytes = &out->bytes, id;
    odp_buffer_init(&id);
    odp_buffer_add_char(bytes, whole ? RECORD_WHOLE : RECORD_COUNTED);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        for (uint32_t k = 0; k < p->n; k++)
            if (whole || k == p->category || k == p->place)
                add_value(bytes, b, i, p->field[k], k < p->must);
        if (whole) {
            odp_buffer_clear(&id);
            odp_feature_add_id(p->key, &id, b, i);
            add_u32(bytes, (uint32_t)id.len);
            odp_buffer_add_slice(bytes, odp_buffer_slice(&id));
        }
        add_geometry(bytes, b->resource, b->geometry != NULL ? b->geometry[i] : NULL, whole);
        if (odp_chunk_end_record(out) != ODP_OK || odp_buffer_status(&id) != ODP_OK) {
            odp_buffer_release(&id);
            return ODP_FAIL;
        }
    }
    odp_buffer_release(&id);
    return odp_buffer_status(bytes);
}

/* ---- reading it back ---- */

struct reader {
    const char *at;
    bool whole;
    struct odp_slice value[sizeof((struct map_plan *)0)->field / sizeof(uint32_t)];
    bool too_long[sizeof((struct map_plan *)0)->field / sizeof(uint32_t)];
    struct odp_slice id;
    bool has_geometry;
    double label[2];
    struct odp_geom geom;
};

static void take(struct reader *r, void *out, size_t n)
{
    memcpy(out, r->at, n);
    r->at += n;
}

static struct odp_slice take_slice(struct reader *r, uint32_t len)
{
    struct odp_slice s = {r->at, len};
    r->at += len;
    return s;
}

static void read_fields(struct reader *r, const struct map_plan *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t len = LENGTH_NULL;
        if (r->whole || k == p->category || k == p->place)
            take(r, &len, sizeof len);
        r->too_long[k] = len == LENGTH_LONG;
        r->value[k] = len < LENGTH_LONG ? take_slice(r, len) : (struct odp_slice){NULL, 0};
    }
    if (r->whole) {
        uint32_t len;
        take(r, &len, sizeof len);
        r->id = take_slice(r, len);
    }
}

/* Its arrays go to A: a chunk's bytes are not aligned. */
static void read_geometry(struct reader *r, struct odp_arena *a)
{
    uint32_t n[3];
    char type;
    take(r, &type, 1);
    r->has_geometry = type != 0;
    if (!r->has_geometry)
        return;
    take(r, r->label, sizeof r->label);
    if (!r->whole)
        return;
    take(r, n, sizeof n);
    struct odp_geom *g = &r->geom;
    *g = (struct odp_geom){
        .type = (enum odp_geom_type)(type - 1), .npoints = n[0], .nparts = n[1], .npolys = n[2]};
    g->part = odp_arena_array(a, (size_t)n[1] + 1, sizeof *g->part);
    g->poly = n[2] > 0 ? odp_arena_array(a, (size_t)n[2] + 1, sizeof *g->poly) : NULL;
    g->xy = odp_arena_array(a, 2 * (size_t)n[0], sizeof *g->xy);
    take(r, g->part, ((size_t)n[1] + 1) * sizeof *g->part);
    if (n[2] > 0)
        take(r, g->poly, ((size_t)n[2] + 1) * sizeof *g->poly);
    take(r, g->xy, 2 * (size_t)n[0] * sizeof *g->xy);
}

/* ---- collecting ---- */

/* The fewest positions that G can be drawn with. */
static uint64_t least_positions(const struct odp_geom *g)
{
    switch (g->type) {
    case ODP_GEOM_POINT:
    case ODP_GEOM_MULTIPOINT:
        return g->npoints;
    case ODP_GEOM_LINESTRING:
    case ODP_GEOM_MULTILINESTRING:
        return 2 * (uint64_t)g->nparts;
    default:
        return 4 * (uint64_t)g->nparts;
    }
}

static void drop_features(struct map_emit *e)
{
    atomic_store_explicit(&e->crowded, true, memory_order_relaxed);
    odp_simplifier_free(e->shapes);
    e->shapes = NULL;
    odp_buffer_release(&e->text);
    odp_buffer_release(&e->records);
}

static void keep_text(struct map_emit *e, const struct reader *r)
{
    for (uint32_t k = 0; k < e->plan.n; k++) {
        const struct odp_field *f = &e->file.base.job->resource->schema.fields[e->plan.field[k]];
        struct odp_slice v = r->value[k];
        uint64_t wide = strlen(f->name) + 4 + (v.ptr != NULL ? v.len + 2 : 4);
        e->wide[k] += r->too_long[k] ? MAP_BYTES : wide;
        e->least += k < e->plan.must ? wide : 0;
        add_u32(&e->text, v.ptr != NULL ? (uint32_t)v.len : LENGTH_NULL);
        odp_buffer_add_slice(&e->text, v.ptr != NULL ? v : (struct odp_slice){"", 0});
    }
}

static enum odp_status keep(struct map_emit *e, const struct reader *r)
{
    struct map_record m = {.id = (uint32_t)e->text.len, .geometry = UINT64_MAX};
    odp_buffer_add_slice(&e->text, r->id);
    m.values = (uint32_t)e->text.len;
    keep_text(e, r);
    e->least += FEATURE_BYTES + r->id.len;
    if (r->has_geometry) {
        uint64_t positions = least_positions(&r->geom);
        e->positions += positions;
        e->least += MAP_POSITION_BYTES * positions + 4 * (uint64_t)r->geom.nparts;
        m.geometry = odp_simplifier_features(e->shapes);
        odp_simplifier_add(e->shapes, &r->geom);
    }
    odp_buffer_add(&e->records, &m, sizeof m);
    enum odp_status status = odp_buffer_status(&e->text);
    if (status == ODP_OK)
        status = odp_buffer_status(&e->records);
    if (e->least > MAP_BYTES_MAX)
        drop_features(e);
    return status;
}

static void count(struct map_emit *e, const struct reader *r)
{
    const struct map_plan *p = &e->plan;
    const struct odp_slice none = {NULL, 0};
    e->total++;
    e->located += r->has_geometry;
    uint32_t category = map_tally_add(&e->categories, p->category != MAP_NONE ? r->value[p->category] : none);
    (void)map_tally_add(&e->places, p->place != MAP_NONE ? r->value[p->place] : none);
    if (r->has_geometry)
        map_grid_add(&e->grid, r->label, category);
}

static enum odp_status map_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct map_emit *e = (struct map_emit *)emit;
    struct odp_arena arena = {0};
    struct reader r = {.at = c->bytes.ptr + 1};
    enum odp_status status = ODP_OK;
    if (c->bytes.len > 0)
        r.whole = *c->bytes.ptr == RECORD_WHOLE;
    for (uint32_t i = 0; i < c->n && status == ODP_OK; i++) {
        odp_arena_reset(&arena);
        read_fields(&r, &e->plan);
        read_geometry(&r, &arena);
        count(e, &r);
        if (!atomic_load_explicit(&e->crowded, memory_order_relaxed))
            status = keep(e, &r);
    }
    odp_arena_release(&arena);
    return status;
}

/* ---- the emitter ---- */

static void map_release(struct odp_emit *emit)
{
    struct map_emit *e = (struct map_emit *)emit;
    drop_features(e);
    map_tally_release(&e->categories);
    map_tally_release(&e->places);
    odp_emit_file_release(emit);
}

static enum odp_status map_begin(struct odp_emit *emit)
{
    struct map_emit *e = (struct map_emit *)emit;
    struct odp_buffer nothing = {0};
    atomic_init(&e->crowded, false);
    map_plan_make(&e->plan, emit->job);
    map_tally_init(&e->categories, MAP_CATEGORIES, &emit->arena);
    map_tally_init(&e->places, MAP_TALLY, &emit->arena);
    e->grid.arena = &emit->arena;
    e->shapes = odp_simplifier_new();
    return odp_emit_file_begin_take(&e->file, &nothing);
}

static enum odp_status map_end(struct odp_emit *emit)
{
    struct map_emit *e = (struct map_emit *)emit;
    struct odp_buffer out = {0};
    enum odp_status status = map_write(e, &out);
    if (status == ODP_OK)
        return odp_emit_file_end_take(&e->file, &out);
    odp_buffer_release(&out);
    return status;
}

const struct odp_emitter odp_emitter_map = {
    .file = &(const struct odp_format_file){.name = "map",
                                            .extension = ".map.geojson",
                                            .media_type = "application/geo+json",
                                            .needs_geometry = true},
    .size = sizeof(struct map_emit),
    .begin = map_begin,
    .format_batch = map_format,
    .append = map_append,
    .end = map_end,
    .release = map_release,
};
