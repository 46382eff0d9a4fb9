/* geojson: a GeoJSON object (RFC 7946) or, where the field says so, a TopoJSON topology; its structure is
 * checked (ODP-T15). */
#include <math.h>

#include "base/json.h"
#include "base/json_load.h"
#include "check/types/types_internal.h"

#define DEPTH 32 /* of geometry collections and features in each other */

static bool is_position(const json_t *p)
{
    size_t n = json_array_size(p);
    if (!json_is_array(p) || n < 2 || n > 4)
        return false;
    for (size_t k = 0; k < n; k++)
        if (!json_is_number(json_array_get(p, k)))
            return false;
    return fabs(json_number_value(json_array_get(p, 0))) <= 180 &&
           fabs(json_number_value(json_array_get(p, 1))) <= 90;
}

/* COORDINATES nested LEVELS deep above positions; the innermost arrays have at least LEAST positions, rings
 * are closed. */
static bool are_coordinates(const json_t *c, int levels, size_t least, bool ring)
{
    if (levels == 0)
        return is_position(c);
    size_t n = json_array_size(c);
    if (!json_is_array(c) || (levels == 1 && n < least))
        return false;
    for (size_t k = 0; k < n; k++)
        if (!are_coordinates(json_array_get(c, k), levels - 1, least, ring))
            return false;
    return !ring || levels != 1 || json_equal(json_array_get(c, 0), json_array_get(c, n - 1));
}

static bool is_geometry(const json_t *g, int depth)
{
    static const struct {
        const char *type;
        int levels;
        size_t least;
        bool ring;
    } kinds[] = {{"Point", 0, 0, false},           {"MultiPoint", 1, 0, false}, {"LineString", 1, 2, false},
                 {"MultiLineString", 2, 2, false}, {"Polygon", 2, 4, true},     {"MultiPolygon", 3, 4, true}};
    const char *type = odp_json_text(g, "type");
    if (type == NULL || depth > DEPTH)
        return false;
    if (strcmp(type, "GeometryCollection") == 0) {
        const json_t *members = json_object_get(g, "geometries");
        for (size_t k = 0; k < json_array_size(members); k++)
            if (!is_geometry(json_array_get(members, k), depth + 1))
                return false;
        return json_is_array(members);
    }
    for (size_t k = 0; k < ODP_COUNT(kinds); k++)
        if (strcmp(type, kinds[k].type) == 0)
            return are_coordinates(json_object_get(g, "coordinates"), kinds[k].levels, kinds[k].least,
                                   kinds[k].ring);
    return false;
}

static bool is_feature(const json_t *f)
{
    const json_t *geometry = json_object_get(f, "geometry"), *properties = json_object_get(f, "properties");
    return geometry != NULL && (json_is_null(geometry) || is_geometry(geometry, 0)) && properties != NULL &&
           (json_is_null(properties) || json_is_object(properties));
}

static bool is_geojson(const json_t *j)
{
    const char *type = odp_json_text(j, "type");
    if (type == NULL)
        return false;
    if (strcmp(type, "Feature") == 0)
        return is_feature(j);
    if (strcmp(type, "FeatureCollection") != 0)
        return is_geometry(j, 0);
    const json_t *features = json_object_get(j, "features");
    for (size_t k = 0; k < json_array_size(features); k++) {
        const json_t *f = json_array_get(features, k);
        const char *t = odp_json_text(f, "type");
        if (t == NULL || strcmp(t, "Feature") != 0 || !is_feature(f))
            return false;
    }
    return json_is_array(features);
}

static bool is_topojson(const json_t *j)
{
    const char *type = odp_json_text(j, "type");
    const json_t *arcs = json_object_get(j, "arcs");
    if (type == NULL || strcmp(type, "Topology") != 0 || !json_is_object(json_object_get(j, "objects")) ||
        !json_is_array(arcs))
        return false;
    for (size_t k = 0; k < json_array_size(arcs); k++)
        if (!json_is_array(json_array_get(arcs, k)))
            return false;
    return true;
}

void odp_type_geojson(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    for (uint32_t i = 0; i < c->n; i++) {
        char first = 0;
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        bool good = false;
        if (odp_json_valid(c->text[i], &first) && first == '{') {
            json_error_t error;
            json_t *j = odp_json_load(c->text[i].ptr, c->text[i].len, JSON_DECODE_INT_AS_REAL, &error);
            if (j == NULL && json_error_code(&error) == json_error_out_of_memory) {
                (void)odp_failure_memory();
                c->failed = true;
            }
            good = j != NULL && (f->topojson ? is_topojson(j) : is_geojson(j));
            json_decref(j);
        }
        if (good)
            c->text[i] = odp_json_compact(c, c->text[i]);
        else
            odp_check_untyped(c, i, (int)field, ODP_T15)->args[0] =
                f->topojson ? ODP_LIT("TopoJSON") : ODP_LIT("GeoJSON");
    }
}
