/* odp:geometry of a resource, and how its geometry is published. */
#include <strings.h>

#include "catalog/catalog_internal.h"

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcasecmp(s + n - m, end) == 0;
}

static void read_types(struct node n, struct odp_geometry_spec *g)
{
    static const char *const names[] = {"Point",   "MultiPoint",   "LineString", "MultiLineString",
                                        "Polygon", "MultiPolygon", NULL};
    if (!node_is_array(n))
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        int type = node_choice(it.item, names);
        if (type >= 0)
            g->types |= 1U << type; /* the bits stand in this order */
    }
}

void geometry_read(struct node resource, const struct odp_portal *portal, const char *path, struct odp_geometry_spec *g)
{
    static const char *const known[] = {"types", "required", "bbox", "crs", "check", NULL};
    static const char *const csv[] = {"point", "wkt", NULL};
    static const char *const api[] = {"full", "simplified", "none", NULL};
    struct node n = node_get(resource, "odp:geometry");
    *g = (struct odp_geometry_spec){.required = true, .check_valid = true, .has_bbox = portal->has_bbox};
    memcpy(g->bbox, portal->bbox, sizeof g->bbox);
    g->present = n.json != NULL || (path != NULL && (ends_in(path, ".shp") || ends_in(path, ".zip")));
    g->where = node_where(n.json != NULL ? n : resource);
    if (node_is_object(n)) {
        node_known(n, known, true);
        read_types(node_get(n, "types"), g);
        g->required = node_bool(node_get(n, "required"), true);
        g->check_valid = node_bool(node_get(n, "check"), true);
        g->crs = node_string(node_get(n, "crs"));
        struct node bbox = node_get(n, "bbox");
        if (bbox.json != NULL)
            g->has_bbox = node_bbox(bbox, g->bbox);
    }
    g->crs_operation = node_string(node_get(resource, "odp:crsOperation"));
    g->csv_wkt = node_choice(node_get(resource, "odp:csvGeometry"), csv) == 1;
    int mode = node_choice(node_get(resource, "odp:apiGeometry"), api);
    g->api = mode > 0 ? (enum odp_geometry_mode)mode : ODP_GEOMETRY_FULL;
}
