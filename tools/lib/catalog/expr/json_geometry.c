/* GeoJSON (RFC 7946) geometries of CQL2 JSON as WKT. What the coordinates mean (closed rings, ranges, valid polygons) is
 * checked by spatial_text.c, as for text. */
#include "catalog/expr/json_internal.h"
#include "words/expr.h"

struct shape {
    struct json_writer *w;
    struct odp_buffer text;
    int axes; /* 2 or 3 once the first position was seen */
};

struct shape_type {
    const char *name, *wkt;
    unsigned levels; /* arrays around a position */
};

static const struct shape_type types[] = {
    {"Point", "POINT", 0},           {"LineString", "LINESTRING", 1},           {"Polygon", "POLYGON", 2},
    {"MultiPoint", "MULTIPOINT", 1}, {"MultiLineString", "MULTILINESTRING", 2}, {"MultiPolygon", "MULTIPOLYGON", 3},
};

static enum odp_status expected(struct shape *s, const struct place *at, const char *id, const char *en)
{
    return expr_json_wrong(s->w, at, id, en, (struct odp_slice){0});
}

static void add_number(struct shape *s, const json_t *j)
{
    char room[EXPR_JSON_NUMBER];
    odp_buffer_add(&s->text, room, (size_t)expr_json_number(j, room));
}

static enum odp_status position(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    if (!json_is_array(j) || n < 2 || n > 3 || (s->axes != 0 && (int)n != s->axes))
        return expected(s, at, W_expr_position_longitude_latitude);
    s->axes = (int)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(j, i);
        if (!json_is_number(number))
            return expected(s, at, W_expr_position_made_numbers);
        odp_buffer_add_str(&s->text, i > 0 ? " " : "");
        add_number(s, number);
    }
    return s->text.len <= EXPR_SHAPES_MAX ? ODP_OK
                                          : expected(s, at, W_expr_geometries_expression_more_than_1);
}

/* Arrays inside each other are parentheses; at most three. */
static enum odp_status coordinates(struct shape *s, const json_t *j, unsigned levels, const struct place *at)
{
    if (levels == 0)
        return position(s, j, at);
    if (!json_is_array(j) || json_array_size(j) == 0)
        return expected(s, at, W_expr_array_coordinates_not_empty);
    odp_buffer_add_char(&s->text, '(');
    for (size_t i = 0; i < json_array_size(j); i++) {
        const struct place *item = expr_json_member(s->w, at, NULL, i);
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        enum odp_status status = coordinates(s, json_array_get(j, i), levels - 1, item);
        if (status != ODP_OK)
            return status;
    }
    odp_buffer_add_char(&s->text, ')');
    return ODP_OK;
}

static enum odp_status geometry(struct shape *s, const json_t *j, const struct place *at);

static enum odp_status collection(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *members = json_object_get(j, "geometries");
    const struct place *list = expr_json_member(s->w, at, "geometries", 0);
    if (!json_is_array(members) || json_array_size(members) == 0)
        return expected(s, members != NULL ? list : at, W_expr_geometries_must_array_geometries);
    if (++s->w->depth > EXPR_DEPTH)
        return expected(s, at, W_expr_expression_nested_more_than_100);
    odp_buffer_add_str(&s->text, "GEOMETRYCOLLECTION(");
    for (size_t i = 0; i < json_array_size(members); i++) {
        const struct place *item = expr_json_member(s->w, list, NULL, i);
        odp_buffer_add_str(&s->text, i > 0 ? "," : "");
        enum odp_status status = geometry(s, json_array_get(members, i), item);
        if (status != ODP_OK)
            return status;
    }
    s->w->depth--;
    odp_buffer_add_char(&s->text, ')');
    return ODP_OK;
}

/* The word goes before the coordinates are seen; " Z" is put behind it afterwards. */
static enum odp_status geometry(struct shape *s, const json_t *j, const struct place *at)
{
    const json_t *name = json_object_get(j, "type"), *list = json_object_get(j, "coordinates");
    const struct shape_type *type = NULL;
    if (json_is_string(name) && strcmp(json_string_value(name), "GeometryCollection") == 0)
        return collection(s, j, at);
    for (size_t i = 0; json_is_string(name) && i < sizeof types / sizeof *types; i++)
        if (strcmp(json_string_value(name), types[i].name) == 0)
            type = &types[i];
    const struct place *name_at = expr_json_member(s->w, at, "type", 0),
                       *list_at = expr_json_member(s->w, at, "coordinates", 0);
    if (type == NULL)
        return expected(s, name != NULL ? name_at : at, W_expr_geojson_geometry_expected_here);
    if (list == NULL)
        return expected(s, at, W_expr_geometry_has_no_coordinates);
    odp_buffer_add_str(&s->text, type->wkt);
    size_t behind = s->text.len;
    s->axes = 0;
    odp_buffer_add_str(&s->text, type->levels == 0 ? "  (" : "  ");
    enum odp_status status = coordinates(s, list, type->levels, list_at);
    if (status == ODP_OK && type->levels == 0)
        odp_buffer_add_char(&s->text, ')');
    if (status == ODP_OK && s->axes == 3 && odp_buffer_status(&s->text) == ODP_OK)
        s->text.ptr[behind + 1] = 'Z';
    return status;
}

static enum odp_status box(struct shape *s, const json_t *j, const struct place *at)
{
    size_t n = json_array_size(j);
    const struct place *list = expr_json_member(s->w, at, "bbox", 0);
    bool good = json_is_array(j) && (n == 4 || n == 6);
    for (size_t i = 0; good && i < n; i++)
        good = json_is_number(json_array_get(j, i));
    if (!good)
        return expected(s, list, W_expr_bbox_must_array_4_6);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&s->text, i > 0 ? "," : "BBOX(");
        add_number(s, json_array_get(j, i));
    }
    odp_buffer_add_char(&s->text, ')');
    return ODP_OK;
}

enum odp_status expr_json_geometry(struct json_writer *w, const json_t *j, const struct place *at)
{
    struct shape s = {.w = w};
    odp_buffer_init(&s.text);
    const json_t *bbox =
        json_object_get(j, "type") == NULL ? json_object_get(j, "bbox") : NULL; /* a geometry may have a bbox, too */
    enum odp_status status = bbox != NULL ? box(&s, bbox, at) : geometry(&s, j, at);
    if (status == ODP_OK)
        status = odp_buffer_status(&s.text);
    w->shapes += s.text.len;
    if (status == ODP_OK && w->shapes > EXPR_SHAPES_MAX)
        status = expected(&s, at, W_expr_geometries_expression_more_than_1);
    if (status == ODP_OK) {
        struct odp_slice text = odp_arena_copy(w->c.arena, odp_buffer_slice(&s.text));
        status = text.ptr != NULL ? expr_json_token(w, at, TOKEN_SHAPE, text, 1) : ODP_FAIL;
    }
    odp_buffer_release(&s.text);
    return status;
}
