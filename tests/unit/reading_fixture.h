/* For tests of published files that are read back: a schema as tools/odp-build/site/versions/schema.c writes
 * it, all forms of what was emitted, the digests that they must have, and records of all types and shapes. */
#pragma once

#include "emit_fixture.h"

#include <jansson.h>

#include "published/reading.h"

/* ---- the schema ---- */

static inline json_t *names_of(const struct odp_schema *s, const struct odp_key *key)
{
    json_t *names = json_array();
    for (uint32_t k = 0; k < key->n; k++)
        json_array_append_new(names, json_string(s->fields[key->fields[k]].name));
    return names;
}

static inline json_t *make_schema(const struct fixture *fx, uint64_t rows)
{
    static const char *const modes[] = {"full", "simplified", "none"};
    const struct odp_schema *s = &fx->resource.schema;
    json_t *o = json_object(), *fields = json_array(), *unique = json_array();
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_field *f = &s->fields[k];
        if (!f->is_public)
            continue;
        json_t *field = json_pack("{s:s, s:s}", "name", f->name, "type",
                                  f->type == ODP_TYPE_LIST ? "array" : odp_type_name(f->type));
        if (f->type == ODP_TYPE_LIST)
            json_object_set_new(field, "odp:type", json_string("list"));
        if (f->unit.in[0] != NULL && f->unit.in[1] == NULL)
            json_object_set_new(field, "sdi:satuan", json_pack("{s:s}", "id", f->unit.in[0]));
        else if (f->unit.in[0] != NULL)
            json_object_set_new(field, "sdi:satuan", json_string(f->unit.in[0]));
        json_array_append_new(fields, field);
    }
    json_object_set_new(o, "fields", fields);
    if (s->primary.n > 0)
        json_object_set_new(o, "primaryKey", names_of(s, &s->primary));
    for (size_t i = 0; i < s->nunique; i++)
        json_array_append_new(unique, names_of(s, &s->unique[i]));
    json_object_set_new(o, "uniqueKeys", unique);
    if (fx->job.has_geometry)
        json_object_set_new(o, "odp:geometry",
                            json_pack("{s:s, s:b}", "api", modes[fx->resource.geometry.api], "heights", 0));
    json_object_set_new(o, "odp:rows", json_integer((json_int_t)rows));
    return o;
}

/* A schema read, and what is needed to read by it. */
struct reader {
    json_t *schema;
    struct odp_arena arena;
    struct odp_layout *layout;
};

static inline void reader_init(struct reader *q, json_t *schema_take)
{
    const char *why;
    q->schema = schema_take;
    odp_arena_init(&q->arena);
    if (odp_layout_read(&q->layout, q->schema, &q->arena, &why) != ODP_OK)
        fail_msg("%s", why);
}

static inline void reader_release(struct reader *q)
{
    odp_arena_release(&q->arena);
    json_decref(q->schema);
}
#define READER(v, ...) OWNED(reader, v, reader, &v, __VA_ARGS__)

/* ---- reading ---- */

static inline void digest_batches(struct fixture *fx, const struct odp_slice *cells, uint32_t n,
                                  const struct odp_geom **geometry, uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_batch b;
    struct odp_buffer bytes = {0};
    must(odp_batch_init(&b, 1));
    odp_emit_logical_header(&bytes, &fx->resource, fx->job.has_geometry);
    fx_batch(fx, &b, cells, n, 1);
    b.geometry = geometry;
    odp_emit_logical_batch(&bytes, &b, fx->job.has_geometry);
    must(odp_buffer_status(&bytes));
    must(odp_digest_of(bytes.ptr, bytes.len, out));
    odp_buffer_release(&bytes);
    odp_batch_release(&b);
}

#define MAX_PAGES 64

struct files {
    char path[MAX_PAGES][512];
    const char *at[MAX_PAGES];
    size_t n;
};

static inline const char *name_of_form(enum odp_form form)
{
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++)
        if (odp_format_files[i].form == form)
            return odp_format_files[i].name;
    return "";
}

static inline void find_files(const struct fixture *fx, enum odp_form form, struct files *f)
{
    char path[128];
    f->n = 0;
    for (size_t k = 0; k < MAX_PAGES; k++) {
        if (form != ODP_FORM_PAGES)
            snprintf(path, sizeof path, "data/uji/2024-03-15/uji.%s", name_of_form(form));
        else if (k == 0)
            strcpy(path, "v1/uji.json");
        else
            snprintf(path, sizeof path, "v1/uji/v/2024-03-15/p/%zu.json", k + 1);
        if ((form != ODP_FORM_PAGES && k > 0) || !fx_exists(fx, path))
            break;
        fx_path(fx, path, f->path[k]);
        f->at[k] = f->path[k];
        f->n = k + 1;
    }
}

static inline enum odp_status digest_files(const struct odp_layout *l, enum odp_form form,
                                           const char *const *paths, size_t n, struct odp_reading_digest *d,
                                           char fault[512])
{
    struct odp_reading *r;
    must(odp_reading_open(&r, form, l, paths, n));
    enum odp_status status = odp_reading_digest(r, d);
    snprintf(fault, 512, "%s", odp_reading_fault(r));
    assert_true((status == ODP_BAD) == (fault[0] != '\0'));
    odp_reading_close(r);
    return status;
}

/* All forms that are there read back: equal text, equal digests. Returns the forms whose geometry was whole,
 * as bits. */
static inline unsigned check_forms(struct fixture *fx, const struct odp_slice *cells, uint32_t n,
                                   const struct odp_geom **geometry)
{
    struct reader q;
    struct files f;
    uint8_t want[ODP_SHA256_SIZE], plain[ODP_SHA256_SIZE] = {0};
    char fault[512];
    unsigned whole = 0, seen = 0;
    digest_batches(fx, cells, n, geometry, want);
    reader_init(&q, make_schema(fx, n));
    for (int form = ODP_FORM_JSON; form <= (int)ODP_FORM_PAGES; form++) {
        struct odp_reading_digest d;
        find_files(fx, (enum odp_form)form, &f);
        if (f.n == 0)
            continue;
        if (digest_files(q.layout, (enum odp_form)form, f.at, f.n, &d, fault) != ODP_OK)
            fail_msg("form %d: %s", form, fault);
        assert_int_equal(d.rows, n);
        if (d.whole)
            assert_memory_equal(d.logical, want, sizeof want);
        if (seen != 0)
            assert_memory_equal(d.attributes, plain, sizeof plain);
        memcpy(plain, d.attributes, sizeof plain);
        whole |= d.whole ? 1u << form : 0;
        seen |= 1u << form;
    }
    assert_true(seen != 0);
    reader_release(&q);
    return whole;
}

/* ---- records of many types ---- */

static const enum odp_type types[] = {ODP_TYPE_STRING, ODP_TYPE_NUMBER, ODP_TYPE_BOOLEAN, ODP_TYPE_DATE,
                                      ODP_TYPE_YEAR,   ODP_TYPE_LIST,   ODP_TYPE_OBJECT,  ODP_TYPE_GEOPOINT};
#define NTYPES 8

static const struct odp_slice typed[] = {
    S("a"),
    S("12.50"),
    S("true"),
    S("2024-03-15"),
    S("2024"),
    S("[1,\"x, \\\"y\\\"\"]"),
    S("{\"k\":{\"l\":[]},\"m\":\"\\u0001\"}"),
    S("[106.8,-6.2]"),
    S("\"\xE2\x80\xA8\" \\ \t\r\n\x7f \xF0\x9F\x98\x80,"),
    S("-0.000001"),
    S("false"),
    S("0001-01-01"),
    S("1000"),
    S("[]"),
    S("{}"),
    S("[-0,1e5]"),
    S(""),
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    S("12345678901234567890123456789.1e-7"),
    NUL,
    NUL,
    NUL,
    S("[\"\\\\\"]"),
    NUL,
    NUL,
    S("null"),
    S("0"),
    S("true"),
    S("9999-12-31"),
    S("9999"),
    S("[null,true]"),
    S("{\"\":\"}]\"}"),
    S("[0,0]"),
    S(" b "),
    S("-3"),
    S("false"),
    S("2024-03-15"),
    S("2024"),
    S("[{\"a\":[[[]]]}]"),
    NUL,
    NUL,
};
#define NTYPED (ODP_COUNT(typed) / NTYPES)

static inline void make_types(struct fixture *fx)
{
    static const char *const names[] = {"teks \"1\"", "luas",   "aktif", "tanggal",
                                        "tahun",      "daftar", "objek", "titik"};
    fx_init(fx);
    for (size_t k = 0; k < NTYPES; k++)
        fx_field(fx, names[k], types[k]);
    fx->fields[1].unit = (struct odp_text){{"hektare", "hektare"}};
    fx->fields[4].unit = (struct odp_text){{"tahun\t\\", NULL}};
}

/* ---- shapes ---- */

/* Eight decimals that end in 5: half of them round otherwise when they are multiplied first. */
static double ties[] = {106.12345675, -6.00000005, 106.12345665, -6.00000015,
                        106.12345685, -6.00000025, 106.12345695, -6.00000035};
/* A ring that is turned, with a hole, and a second polygon; a sliver whose area is nought once it is rounded.
 */
static double rings[] = {0, 0, 0, 9, 9, 9, 9,  0,  0,  0,  1,  1,  2,  1,
                         2, 2, 1, 2, 1, 1, 20, 20, 21, 20, 21, 21, 20, 20};
static double sliver[] = {106.1, -6, 106.10000001, -6, 106.2, -6.000000001, 106.1, -6};
static double heights[] = {1.5, 0, -2.12345678, 1234567890.1234567};
static double too_high[] = {1.5, 0, -2, 1e15};
static uint32_t part1[] = {0, 1}, part2[] = {0, 2}, part4[] = {0, 4}, lines[] = {0, 2, 4},
                ring_parts[] = {0, 5, 10, 14};
static uint32_t one_poly[] = {0, 1}, two_rings[] = {0, 2}, two_polys[] = {0, 2, 3};
static const struct odp_geom shapes[] = {
    {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = ties, .part = part1},
    {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = ties + 2, .z = heights + 2, .part = part1},
    {.type = ODP_GEOM_MULTIPOINT, .npoints = 4, .nparts = 1, .xy = ties, .part = part4},
    {.type = ODP_GEOM_MULTIPOINT, .npoints = 4, .nparts = 1, .xy = ties, .z = heights, .part = part4},
    {.type = ODP_GEOM_LINESTRING, .npoints = 2, .nparts = 1, .xy = ties, .part = part2},
    {.type = ODP_GEOM_LINESTRING, .npoints = 4, .nparts = 1, .xy = ties, .z = too_high, .part = part4},
    {.type = ODP_GEOM_MULTILINESTRING, .npoints = 4, .nparts = 2, .xy = ties, .z = heights, .part = lines},
    {.type = ODP_GEOM_POLYGON,
     .npoints = 10,
     .nparts = 2,
     .npolys = 1,
     .xy = rings,
     .part = ring_parts,
     .poly = two_rings},
    {.type = ODP_GEOM_POLYGON,
     .npoints = 4,
     .nparts = 1,
     .npolys = 1,
     .xy = sliver,
     .part = part4,
     .poly = one_poly},
    {.type = ODP_GEOM_MULTIPOLYGON,
     .npoints = 14,
     .nparts = 3,
     .npolys = 2,
     .xy = rings,
     .part = ring_parts,
     .poly = two_polys},
};
#define NSHAPES (ODP_COUNT(shapes))

static inline void make_shapes(struct fixture *fx, struct odp_slice *cells, const struct odp_geom **geometry)
{
    static char names[NSHAPES + 1][8];
    fx_init(fx);
    fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "geometry", ODP_TYPE_STRING); /* its name is taken */
    fx_field(fx, "lon", ODP_TYPE_STRING);
    fx->job.has_geometry = fx->resource.geometry.present = true;
    for (size_t i = 0; i <= NSHAPES; i++) {
        snprintf(names[i], sizeof names[i], "%%,%zu", i);
        cells[3 * i] = odp_slice_of(names[i]);
        cells[3 * i + 1] = S("g");
        cells[3 * i + 2] = i % 2 ? NUL : S("x,y");
        geometry[i] = i < NSHAPES ? &shapes[i] : NULL;
    }
}
