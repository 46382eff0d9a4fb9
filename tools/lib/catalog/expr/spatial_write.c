/* A literal as text: what the parser reads again as the same literal. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "catalog/expr/spatial_internal.h"

const char *const spatial_words[SPATIAL_COUNT] = {
    [ODP_GEOM_POINT] = "POINT",
    [ODP_GEOM_MULTIPOINT] = "MULTIPOINT",
    [ODP_GEOM_LINESTRING] = "LINESTRING",
    [ODP_GEOM_MULTILINESTRING] = "MULTILINESTRING",
    [ODP_GEOM_POLYGON] = "POLYGON",
    [ODP_GEOM_MULTIPOLYGON] = "MULTIPOLYGON",
    [SPATIAL_BBOX] = "BBOX",
    [SPATIAL_COLLECTION] = "GEOMETRYCOLLECTION",
};

size_t spatial_number(double v, char out[SPATIAL_NUMBER])
{
    int n = 0;
    for (int places = 15; places <= 17; places++) {
        n = snprintf(out, SPATIAL_NUMBER, "%.*g", places, v);
        if (strtod(out, NULL) == v)
            break;
    }
    return n > 0 ? (size_t)n : 0;
}

static void add_number(struct odp_buffer *out, double v)
{
    char text[SPATIAL_NUMBER];
    odp_buffer_add(out, text, spatial_number(v, text));
}

static void add_points(struct odp_buffer *out, const struct odp_geom *g, uint32_t from, uint32_t to,
                       bool each)
{
    odp_buffer_add_char(out, '(');
    for (uint32_t i = from; i < to; i++) {
        odp_buffer_add_str(out, i > from ? "," : "");
        odp_buffer_add_str(out, each ? "(" : "");
        add_number(out, g->xy[2 * (size_t)i]);
        odp_buffer_add_char(out, ' ');
        add_number(out, g->xy[2 * (size_t)i + 1]);
        odp_buffer_add_str(out, each ? ")" : "");
    }
    odp_buffer_add_char(out, ')');
}

static void add_parts(struct odp_buffer *out, const struct odp_geom *g, uint32_t from, uint32_t to)
{
    odp_buffer_add_char(out, '(');
    for (uint32_t k = from; k < to; k++) {
        odp_buffer_add_str(out, k > from ? "," : "");
        add_points(out, g, g->part[k], g->part[k + 1], false);
    }
    odp_buffer_add_char(out, ')');
}

static void add_member(struct odp_buffer *out, const struct odp_geom *g)
{
    odp_buffer_add_str(out, spatial_words[g->type]);
    switch (g->type) {
    case ODP_GEOM_MULTIPOINT:
    case ODP_GEOM_POINT:
    case ODP_GEOM_LINESTRING:
        add_points(out, g, 0, g->npoints, g->type == ODP_GEOM_MULTIPOINT);
        break;
    case ODP_GEOM_MULTILINESTRING:
    case ODP_GEOM_POLYGON:
        add_parts(out, g, 0, g->nparts);
        break;
    case ODP_GEOM_MULTIPOLYGON:
        odp_buffer_add_char(out, '(');
        for (uint32_t k = 0; k < g->npolys; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            add_parts(out, g, g->poly[k], g->poly[k + 1]);
        }
        odp_buffer_add_char(out, ')');
        break;
    }
}

void odp_spatial_add_text(const struct odp_spatial *s, struct odp_buffer *out)
{
    if (s->is_box) {
        odp_buffer_add_str(out, "BBOX(");
        for (int k = 0; k < 4; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            add_number(out, s->corners[k]);
        }
        odp_buffer_add_char(out, ')');
        return;
    }
    if (s->is_collection)
        odp_buffer_add_str(out, "GEOMETRYCOLLECTION(");
    for (uint32_t i = 0; i < s->nmembers; i++) {
        odp_buffer_add_str(out, i > 0 ? "," : "");
        add_member(out, &s->members[i]);
    }
    if (s->is_collection)
        odp_buffer_add_char(out, ')');
}
