/* See geometry_fields.h. The values were checked (types/json.c, types/geojson.c), so what is read here has
 * the form that it should have. */
#include "check/geometry_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"
#include "words/check.h"

/* The value of record I in the field numbered AT from 1; NULL: it has none. */
static struct odp_slice value_of(const struct odp_batch *b, uint32_t at, uint32_t i)
{
    const struct odp_column *c = &b->columns[at - 1];
    return c->state[i] == ODP_VALUE_OK ? c->text[i] : (struct odp_slice){NULL, 0};
}

/* A number in degrees; slices are not ended by NUL. */
static double degrees(struct odp_slice s)
{
    char text[64];
    size_t n = s.len < sizeof text ? s.len : sizeof text - 1;
    memcpy(text, s.ptr, n);
    text[n] = '\0';
    return strtod(text, NULL);
}

static struct odp_geom *geom_new(struct odp_arena *a, enum odp_geom_type type, uint32_t npoints,
                                 uint32_t nparts, uint32_t npolys)
{
    struct odp_geom *g = odp_arena_zero(a, 1, sizeof *g);
    *g = (struct odp_geom){.type = type, .npoints = npoints, .nparts = nparts, .npolys = npolys};
    g->xy = odp_arena_array(a, 2 * (size_t)npoints + 2, sizeof *g->xy);
    g->part = odp_arena_zero(a, (size_t)nparts + 1, sizeof *g->part);
    g->poly = npolys > 0 ? odp_arena_zero(a, (size_t)npolys + 1, sizeof *g->poly) : NULL;
    return (npolys == 0 || g->poly != NULL) ? g : NULL;
}

static enum odp_status make_point(struct odp_arena *a, double x, double y, const struct odp_geom **out)
{
    struct odp_geom *g = geom_new(a, ODP_GEOM_POINT, 1, 1, 0);
    if (g == NULL)
        return ODP_FAIL;
    g->xy[0] = g->bbox[0] = g->bbox[2] = x;
    g->xy[1] = g->bbox[1] = g->bbox[3] = y;
    g->part[1] = 1;
    *out = g;
    return ODP_OK;
}

/* ---- GeoJSON ---- */

struct counts {
    size_t points, parts, polys;
};

/* COORDINATES nested LEVELS deep above positions. */
static void count(const json_t *coordinates, int levels, struct counts *n)
{
    n->points += levels == 0;
    n->parts += levels == 1;
    n->polys += levels == 2;
    for (size_t k = 0; levels > 0 && k < json_array_size(coordinates); k++)
        count(json_array_get(coordinates, k), levels - 1, n);
}

static void fill(const json_t *coordinates, int levels, struct odp_geom *g, struct counts *n)
{
    if (levels == 0) {
        for (size_t k = 0; k < 2; k++)
            g->xy[2 * n->points + k] = json_number_value(json_array_get(coordinates, k));
        n->points++;
        return;
    }
    for (size_t k = 0; k < json_array_size(coordinates); k++)
        fill(json_array_get(coordinates, k), levels - 1, g, n);
    if (levels == 1)
        g->part[++n->parts] = (uint32_t)n->points;
    if (levels == 2 && g->poly != NULL)
        g->poly[++n->polys] = (uint32_t)n->parts;
}

/* BAD: a collection, which a record's geometry cannot be. *OUT stays NULL where a feature has no geometry. */
static enum odp_status make_geometry(struct odp_arena *a, const json_t *j, const struct odp_geom **out)
{
    static const struct {
        const char *name;
        enum odp_geom_type type;
        int levels;
    } kinds[] = {{"Point", ODP_GEOM_POINT, 0},
                 {"MultiPoint", ODP_GEOM_MULTIPOINT, 1},
                 {"LineString", ODP_GEOM_LINESTRING, 1},
                 {"Polygon", ODP_GEOM_POLYGON, 2},
                 {"MultiLineString", ODP_GEOM_MULTILINESTRING, 2},
                 {"MultiPolygon", ODP_GEOM_MULTIPOLYGON, 3}};
    const char *name = odp_json_text(j, "type");
    if (name != NULL && strcmp(name, "Feature") == 0) {
        j = json_object_get(j, "geometry");
        name = odp_json_text(j, "type");
        if (name == NULL)
            return ODP_OK;
    }
    for (size_t k = 0; name != NULL && k < ODP_COUNT(kinds); k++) {
        const json_t *coordinates = json_object_get(j, "coordinates");
        struct counts n = {0}, at = {0};
        if (strcmp(name, kinds[k].name) != 0)
            continue;
        bool areal = kinds[k].type == ODP_GEOM_POLYGON || kinds[k].type == ODP_GEOM_MULTIPOLYGON;
        count(coordinates, kinds[k].levels, &n);
        struct odp_geom *g = geom_new(a, kinds[k].type, (uint32_t)n.points,
                                      n.parts > 0 ? (uint32_t)n.parts : 1, areal ? (uint32_t)n.polys : 0);
        if (g == NULL)
            return ODP_FAIL;
        fill(coordinates, kinds[k].levels, g, &at);
        if (kinds[k].levels == 0)
            g->part[1] = 1;
        if (g->npoints > 0)
            odp_bbox_of(g->xy, g->npoints, g->bbox);
        *out = g;
        return ODP_OK;
    }
    return ODP_BAD;
}

static enum odp_status read_geojson(struct odp_arena *a, struct odp_slice text, const struct odp_geom **out)
{
    json_error_t error;
    json_t *j = odp_json_load(text.ptr, text.len, JSON_DECODE_INT_AS_REAL, &error);
    if (j == NULL)
        return odp_failure_memory();
    enum odp_status status = make_geometry(a, j, out);
    json_decref(j);
    return status;
}

/* ---- records ---- */

/* OK; BAD: half a point, or a collection; FAIL. */
static enum odp_status make_one(struct odp_batch *b, const struct odp_geometry_spec *spec, uint32_t i,
                                const struct odp_geom **out)
{
    if (spec->lon != 0) {
        struct odp_slice x = value_of(b, spec->lon, i), y = value_of(b, spec->lat, i);
        if (x.ptr == NULL || y.ptr == NULL)
            return x.ptr == y.ptr ? ODP_OK : ODP_BAD;
        return make_point(&b->arena, degrees(x), degrees(y), out);
    }
    struct odp_slice text = value_of(b, spec->field, i);
    if (text.ptr == NULL)
        return ODP_OK;
    if (b->resource->schema.fields[spec->field - 1].type == ODP_TYPE_GEOJSON)
        return read_geojson(&b->arena, text, out);
    const char *comma = memchr(text.ptr, ',', text.len); /* [lon,lat] */
    size_t n = comma != NULL ? (size_t)(comma - text.ptr) : text.len - 1;
    return make_point(&b->arena, degrees((struct odp_slice){text.ptr + 1, n - 1}),
                      degrees((struct odp_slice){text.ptr + n + 1, text.len - n - 1}), out);
}

/* Reports what cannot be a geometry: half a point, a collection. */
static enum odp_status refuse(struct odp_batch *b, uint32_t i, const char *file, bool secret)
{
    static const struct odp_text several = {{W_check_collection_geometries_cannot}};
    const struct odp_geometry_spec *spec = &b->resource->geometry;
    const struct odp_field *fields = b->resource->schema.fields;
    struct odp_diag d = {0};
    struct odp_text half;
    odp_batch_diag(b, (struct odp_batch_place){i, -1, -1}, file, secret, &d);
    d.code = ODP_G02;
    d.message = &several;
    if (spec->lon != 0) {
        const char *lon = fields[spec->lon - 1].name, *lat = fields[spec->lat - 1].name;
        for (int lang = 0; lang < ODP_LANGS; lang++)
            half.in[lang] = odp_arena_printf(
                &b->arena, odp_word((enum odp_lang)lang, W_check_point_not_complete), lon, lat);
        d.message = &half;
    }
    enum odp_status st = odp_diags_add(b->diags, &d);
    b->records[i].flags |= ODP_RECORD_GEOMETRY_BAD | (st == ODP_BAD ? ODP_RECORD_REFUSED : 0u);
    return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* A refused value is reported at its cell; the record's geometry is unknown. */
static bool is_refused(const struct odp_batch *b, uint32_t i)
{
    const struct odp_geometry_spec *spec = &b->resource->geometry;
    const uint32_t at[3] = {spec->lon, spec->lat, spec->field};
    for (int k = 0; k < 3; k++)
        if (at[k] != 0 && b->columns[at[k] - 1].state[i] == ODP_VALUE_BAD)
            return true;
    return false;
}

enum odp_status odp_geometry_of_fields(struct odp_batch *b, const char *file, const uint8_t *secret)
{
    b->geometry = odp_arena_zero(&b->arena, (size_t)b->nrecords + 1, sizeof(const struct odp_geom *));
    for (uint32_t i = 0; i < b->nrecords; i++) {
        enum odp_status st = ODP_OK;
        if (is_refused(b, i))
            b->records[i].flags |= ODP_RECORD_GEOMETRY_BAD | ODP_RECORD_REFUSED;
        else if ((st = make_one(b, &b->resource->geometry, i, &b->geometry[i])) == ODP_BAD)
            st = refuse(b, i, file, secret[i] != 0);
        if (st != ODP_OK)
            return st;
    }
    return ODP_OK;
}
