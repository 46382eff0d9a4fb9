/* GeoJSON (RFC 7946) geometries of CQL2 JSON as WKT. What the coordinates mean (closed rings, ranges, valid
 * polygons) is checked by spatial_text.c, as for text. */
#include "catalog/expr/json_internal.h"
#include "words/expr.h"

struct shape {
    struct json_writer *w;
    struct odp_buffer text;
    int axes; /* 2 or 3 once the first position was seen */
};

static const struct shape_type {
    const char *name, *wkt;
    unsigned levels; /* arrays around a position */
} types[] = {
    {"Point", "POINT", 0},
    {"LineString", "LINESTRING", 1},
    {"Polygon", "POLYGON", 2},
    {"MultiPoint", "MULTIPOINT", 1},
    {"MultiLineString", "MULTILINESTRING", 2},
    {"MultiPolygon", "MULTIPOLYGON", 3},
};

static bool is_good(const struct shape *s)
{
    return s->w->c.status == ODP_OK;
}

static void add_number(struct shape *s, const json_t *j)
{
    odp_buffer_add_slice(&s->text, expr_json_number(s->w, j));
}

static void position(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    if (!json_is_array(j) || n < 2 || n > 3 || (s->axes != 0 && (int)n != s->axes)) {
        expr_json_wrong(s->w, at, W_expr_position_longitude_latitude);
        return;
    }
    s->axes = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(j, i);
        if (!json_is_number(number)) {
            expr_json_wrong(s->w, at, W_expr_position_made_numbers);
            return;
        }
        odp_buffer_add_str(&s->text, i > 0 ? " " : "");
        add_number(s, number);
    }
    if (s->text.len > EXPR_SHAPES_MAX)
        expr_json_wrong(s->w, at, W_expr_geometries_expression_more_than_1);
}

/* Arrays inside each other are parentheses; at most three. */
static void coordinates(struct shape *s, const json_t *j, unsigned levels, const struct place *at)
{
    if (levels == 0) {
        position(s, j, at);
        return;
    }
    if (!json_is_array(j) || json_array_size(j) == 0)
        expr_json_wrong(s->w, at, W_expr_array_coordinates_not_empty);
    odp_buffer_add_char(&s->text, '(');
    for (size_t i = 0; is_good(s) && i < json_array_size(j); i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        coordinates(s, json_array_get(j, i), levels - 1, expr_json_member(s->w, at, NULL, i));
    }
    odp_buffer_add_char(&s->text, ')');
}

static void geometry(struct shape *s, const json_t *j, const struct place *at);

static void collection(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *members = json_object_get(j, "geometries");
    const struct place *list = expr_json_member(s->w, at, "geometries", 0);
    if (!json_is_array(members) || json_array_size(members) == 0)
        expr_json_wrong(s->w, members != NULL ? list : at, W_expr_geometries_must_array_geometries);
    if (++s->w->depth > EXPR_DEPTH)
        expr_json_wrong(s->w, at, W_expr_expression_nested_more_than_100);
    odp_buffer_add_str(&s->text, "GEOMETRYCOLLECTION(");
    for (size_t i = 0; is_good(s) && i < json_array_size(members); i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        geometry(s, json_array_get(members, i), expr_json_member(s->w, list, NULL, i));
    }
    s->w->depth--;
    odp_buffer_add_char(&s->text, ')');
}

/* The word goes before the coordinates are seen; " Z" is put behind it afterwards. */
static void geometry(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *type = json_object_get(j, "type"), *list = json_object_get(j, "coordinates");
    const char *name = json_is_string(type) ? json_string_value(type) : "";
    const struct shape_type *t = NULL;
    if (strcmp(name, "GeometryCollection") == 0) {
        collection(s, j, at);
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            t = &types[i];
    if (t == NULL)
        expr_json_wrong(s->w, type != NULL ? expr_json_member(s->w, at, "type", 0) : at,
                        W_expr_geojson_geometry_expected_here);
    else if (list == NULL)
        expr_json_wrong(s->w, at, W_expr_geometry_has_no_coordinates);
    if (t == NULL || list == NULL)
        return;
    odp_buffer_add_str(&s->text, t->wkt);
    size_t behind = s->text.len;
    s->axes = 0;
    odp_buffer_add_str(&s->text, t->levels == 0 ? "  (" : "  ");
    coordinates(s, list, t->levels, expr_json_member(s->w, at, "coordinates", 0));
    odp_buffer_add_str(&s->text, t->levels == 0 ? ")" : "");
    if (s->axes == 3 && odp_buffer_status(&s->text) == ODP_OK)
        s->text.ptr[behind + 1] = 'Z';
}

static void box(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    bool good = json_is_array(j) && (n == 4 || n == 6);
    for (size_t i = 0; good && i < n; i++)
        good = json_is_number(json_array_get(j, i));
    if (!good)
        expr_json_wrong(s->w, expr_json_member(s->w, at, "bbox", 0), W_expr_bbox_must_array_4_6);
    for (size_t i = 0; good && i < n; i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "BBOX(");
        add_number(s, json_array_get(j, i));
    }
    odp_buffer_add_char(&s->text, ')');
}

void expr_json_geometry(struct json_writer *w, const json_t *j, const struct place *at)
{
    struct shape s = {.w = w};
    odp_buffer_init(&s.text);
    if (json_object_get(j, "type") == NULL) /* a geometry may have a bbox, too */
        box(&s, json_object_get(j, "bbox"), at);
    else
        geometry(&s, j, at);
    if (odp_buffer_status(&s.text) != ODP_OK)
        expr_stop(&w->c, ODP_FAIL);
    w->shapes += s.text.len;
    if (w->shapes > EXPR_SHAPES_MAX)
        expr_json_wrong(w, at, W_expr_geometries_expression_more_than_1);
    expr_json_token(w, at, TOKEN_SHAPE, odp_arena_copy(w->c.arena, odp_buffer_slice(&s.text)), 1);
    odp_buffer_release(&s.text);
}
