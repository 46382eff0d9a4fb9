/* odp:geometry of a resource: what may be its geometry, where it comes from, and how it is published. */
#include "base/path.h"
#include "catalog/catalog_internal.h"

static bool is_shape(const char *path)
{
    return path != NULL && (odp_path_ends(path, ".shp") || odp_path_ends(path, ".zip"));
}

static bool is_number(const struct odp_field *f)
{
    return odp_type_is_number(f->type);
}

static bool is_place(const struct odp_field *f)
{
    return f->is_public && (f->type == ODP_TYPE_GEOPOINT || (f->type == ODP_TYPE_GEOJSON && !f->topojson));
}

/* The field that N names, counted from 1; 0: absent, or reported. */
static uint32_t read_field(struct node n, const struct odp_schema *s, bool (*fits)(const struct odp_field *f),
                           const char *types)
{
    int field = n.json != NULL ? public_field_read(n, s) : -1;
    if (field >= 0 && !fits(&s->fields[field])) {
        field_misfit(n, &s->fields[field], types);
        field = -1;
    }
    return (uint32_t)(field + 1);
}

/* {"lon": "bujur", "lat": "lintang"} with the names of S's own number fields, where they have usual ones. */
static const char *example(struct doc *d, const struct odp_schema *s)
{
    static const char *const usual[2][5] = {{"lon", "bujur", "long", "longitude", "x"},
                                            {"lat", "lintang", "latitude", "lattitude", "y"}};
    const char *name[2] = {"bujur", "lintang"};
    for (int axis = 0; axis < 2; axis++)
        for (size_t k = 5; k-- > 0;)
            for (uint32_t f = 0; f < s->n; f++)
                if (is_number(&s->fields[f]) && strcasecmp(s->fields[f].name, usual[axis][k]) == 0)
                    name[axis] = s->fields[f].name;
    return doc_printf(
        d, "{\"lon\": \"%s\", \"lat\": \"%s\"} (number) · {\"field\": …} (geopoint, geojson) · .shp, .zip",
        name[0], name[1]);
}

/* The only field that can hold a geometry, counted from 1; 0: none, or several. */
static uint32_t only_place(const struct odp_schema *s)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < s->n; f++)
        if (is_place(&s->fields[f]))
            found = found == 0 ? f + 1 : UINT32_MAX;
    return found != UINT32_MAX ? found : 0;
}

static bool lists_geometry(const struct entry *e)
{
    const json_t *formats = json_object_get(e->dataset.json, "odp:formats");
    bool listed = false;
    for (size_t k = 0; k < json_array_size(formats); k++)
        listed =
            listed || odp_format_needs_geometry(odp_slice_of(json_string_value(json_array_get(formats, k))));
    return listed;
}

void geometry_fields_read(struct node resource, const struct entry *e, struct odp_resource *r)
{
    static const char *const names[] = {"lon", "lat", "field"};
    struct odp_geometry_spec *g = &r->geometry;
    struct node n = node_get(resource, "odp:geometry"), at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = json_is_object(n.json) ? node_get(n, names[k]) : (struct node){.doc = n.doc};
        if (g->present) /* a shapefile has its own */
            (void)node_misplaced(at[k], ".csv, .tsv, .xlsx");
    }
    if (g->present || r->schema.n == 0)
        return;
    if (at[2].json != NULL && (at[0].json != NULL || at[1].json != NULL))
        node_fault(at[2], ODP_C16, "field", "lon, lat");
    g->field = read_field(at[2], &r->schema, is_place, "geopoint, geojson");
    if (at[0].json != NULL || at[1].json != NULL) {
        g->lon = read_field(node_need(n, "lon", "fields.name"), &r->schema, is_number, "number, integer");
        g->lat = read_field(node_need(n, "lat", "fields.name"), &r->schema, is_number, "number, integer");
        g->lon = g->lat != 0 ? g->lon : 0;
    } else if (at[2].json == NULL && (n.json != NULL || lists_geometry(e))) {
        g->field = only_place(&r->schema);
        if (g->field == 0 && n.json != NULL)
            node_fault(n, ODP_C03, "lon, lat", example(n.doc, &r->schema));
    }
    g->present = odp_geometry_is_of_fields(g);
    if (g->types == 0 && g->present &&
        (g->lon != 0 || r->schema.fields[g->field - 1].type == ODP_TYPE_GEOPOINT))
        g->types = ODP_GEOM_BIT_POINT;
}

void geometry_needed(struct node format, const struct odp_dataset *d)
{
    bool present = d->nresources == 0 || d->resources[0].schema.n == 0; /* reported already */
    for (size_t i = 0; i < d->nresources; i++)
        present = present || d->resources[i].geometry.present;
    if (!present)
        node_fault(format, ODP_C03, "odp:geometry", example(format.doc, &d->resources[0].schema));
}

static bool types_read(struct node n, void *into)
{
    static const char *const names[] = {"Point",   "MultiPoint",   "LineString", "MultiLineString",
                                        "Polygon", "MultiPolygon", NULL};
    struct odp_geometry_spec *g = into;
    for (struct node_iter it = node_iterate(n); node_is_array(n) && node_next(&it);) {
        int type = node_choice(it.item, names);
        if (type >= 0)
            g->types |= 1U << type; /* the bits have this order */
    }
    return true;
}

static bool bbox_read(struct node n, void *into)
{
    struct odp_geometry_spec *g = into;
    return g->has_bbox = node_bbox(n, g->bbox);
}

void geometry_read(struct node resource, const char *path, struct odp_geometry_spec *g)
{
    static const char *const csv[] = {"point", "wkt", NULL};
    static const char *const api[] = {"full", "simplified", "none", NULL};
    static const struct key keys[] = {
        {"types", KEY_READ, .read = types_read},
        {"required", KEY_BOOL, .at = AT(odp_geometry_spec, required)},
        {"bbox", KEY_READ, .read = bbox_read},
        {"crs", KEY_STRING, .at = AT(odp_geometry_spec, crs)},
        {"check", KEY_BOOL, .at = AT(odp_geometry_spec, check_valid)},
        KNOWN("lon"),
        KNOWN("lat"),
        KNOWN("field"),
    };
    struct node n = node_get(resource, "odp:geometry");
    const struct odp_portal *portal = n.doc->portal;
    *g = (struct odp_geometry_spec){.required = true, .check_valid = true, .has_bbox = portal->has_bbox};
    memcpy(g->bbox, portal->bbox, sizeof g->bbox);
    g->present = is_shape(path);
    g->where = node_where(n.json != NULL ? n : resource);
    (void)object_read(n, &TABLE(keys), g);
    g->crs_operation = node_string(node_get(resource, "odp:crsOperation"));
    g->csv_wkt = node_choice(node_get(resource, "odp:csvGeometry"), csv) == 1;
    int mode = node_choice(node_get(resource, "odp:apiGeometry"), api);
    g->api = mode > 0 ? (enum odp_geometry_mode)mode : ODP_GEOMETRY_FULL;
}
