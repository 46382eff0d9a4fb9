/* Other people's shapefiles: mbostock-shapefile with its expected GeoJSON, and files of shapelib, sf, spData
 * and Natural Earth whose counts and sums were taken once with GDAL 3.6. */
#include "answer_lines.h"
#include "shape_fixture.h"

#include <jansson.h>

#define DATA ODP_SHARED_DATA "/shp/"

static bool data_missing(void)
{
    if (access(DATA "mbostock-shapefile/points.shp", R_OK) == 0)
        return false;
    print_message("no third-party shapefiles under " DATA ": skipped\n");
    return true;
}

static bool same_number(const json_t *a, double b)
{
    return json_is_number(a) && fabs(json_number_value(a) - b) <= 5.1e-8;
}

static bool same_position(const json_t *expected, const double *xy)
{
    return json_array_size(expected) >= 2 && same_number(json_array_get(expected, 0), xy[0]) &&
           same_number(json_array_get(expected, 1), xy[1]);
}

/* A line or ring, forwards or (rings: our writer's orientation is RFC 7946's) backwards. */
static bool same_part(const json_t *expected, const struct odp_geom *g, uint32_t k)
{
    size_t n = g->part[k + 1] - g->part[k];
    bool forward = json_array_size(expected) == n, backward = forward;
    for (size_t i = 0; i < n && (forward || backward); i++) {
        const double *xy = g->xy + 2 * (g->part[k] + i);
        forward = forward && same_position(json_array_get(expected, i), xy);
        backward = backward && same_position(json_array_get(expected, n - 1 - i), xy);
    }
    return forward || backward;
}

static bool same_polygon(const json_t *expected, const struct odp_geom *g, uint32_t p)
{
    bool same = json_array_size(expected) == g->poly[p + 1] - g->poly[p];
    for (uint32_t k = g->poly[p]; same && k < g->poly[p + 1]; k++)
        same = same_part(json_array_get(expected, k - g->poly[p]), g, k);
    return same;
}

static bool same_geometry(const json_t *expected, const struct odp_geom *g)
{
    if (g == NULL || json_is_null(expected))
        return g == NULL && json_is_null(expected);
    const json_t *c = json_object_get(expected, "coordinates");
    const char *type = json_string_value(json_object_get(expected, "type"));
    bool same = strcmp(type, odp_geom_type_name(g->type)) == 0;
    switch (g->type) {
    case ODP_GEOM_POINT:
        return same && same_position(c, g->xy);
    case ODP_GEOM_MULTIPOINT:
    case ODP_GEOM_LINESTRING:
        return same && same_part(c, g, 0);
    case ODP_GEOM_MULTILINESTRING:
        for (uint32_t k = 0; same && k < g->nparts; k++)
            same = json_array_size(c) == g->nparts && same_part(json_array_get(c, k), g, k);
        return same;
    case ODP_GEOM_POLYGON:
        return same && same_polygon(c, g, 0);
    default:
        for (uint32_t p = 0; same && p < g->npolys; p++)
            same = json_array_size(c) == g->npolys && same_polygon(json_array_get(c, p), g, p);
        return same;
    }
}

/* The suite's rule: no FID, no nulls, dates as YYYYMMDD. */
static void same_properties(const json_t *expected, const struct fixture *f, size_t i, const char *name)
{
    const struct odp_source_info *info = odp_source_info(f->source);
    size_t found = 0;
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_cell *c = fixture_cell(f, i, k);
        char label[32], text[300];
        snprintf(label, sizeof label, "%.*s", (int)info->labels[k].len, info->labels[k].ptr);
        if (strcmp(label, "FID") == 0 || (c->flags & ODP_CELL_NULL) != 0)
            continue;
        const json_t *v = json_object_get(expected, label);
        snprintf(text, sizeof text, "%.*s", (int)c->len, c->ptr);
        if (strlen(text) == 10 && text[4] == '-' && text[7] == '-')
            snprintf(text, sizeof text, "%.4s%.2s%.2s", c->ptr, c->ptr + 5, c->ptr + 8);
        bool same = json_is_string(v)    ? strcmp(json_string_value(v), text) == 0
                    : json_is_boolean(v) ? strcmp(json_is_true(v) ? "true" : "false", text) == 0
                                         : json_is_number(v) && json_number_value(v) == atof(text);
        if (!same)
            fail_msg("%s record %zu: %s is \"%s\"", name, i, label, text);
        found++;
    }
    assert_int_equal(found, json_object_size(expected));
}

/* All 20 files. Differences from the suite are deliberate and few:
 *   .prj missing  needs crs in the descriptor (ODP-G09 else)     .shx missing  read all the same, with a
 * warning (ODP-G11) */
static const struct {
    const char *name;
    bool no_shx, no_prj;
} mbostock[] = {
    {"boolean-property", false, false},
    {"date-property", false, false},
    {"empty", false, false},
    {"ignore-properties", true, true},
    {"latin1-property", false, false},
    {"mixed-properties", false, false},
    {"multipointm", true, true},
    {"multipoints", false, false},
    {"null", false, false},
    {"number-null-property", true, true},
    {"number-property", false, false},
    {"pointm", true, true},
    {"points", false, false},
    {"polygonm", true, true},
    {"polygons", false, false},
    {"polylinem", true, true},
    {"polylines", false, false},
    {"singleton", true, true},
    {"string-property", false, false},
    {"utf8-property", false, false},
};

TEST(mbostock_suite)
{
    if (data_missing())
        skip();
    for (size_t i = 0; i < ODP_COUNT(mbostock); i++) {
        const char *name = mbostock[i].name;
        char path[512];
        struct fixture f;
        if (mbostock[i].no_prj) {
            fixture_init(&f, NULL);
            snprintf(path, sizeof path, DATA "mbostock-shapefile/%s.shp", name);
            must_refuse(fixture_open(&f, path));
            assert_int_equal(fixture_count(&f, ODP_G09), 1);
            fixture_release(&f);
        }
        snprintf(path, sizeof path, DATA "mbostock-shapefile/%s.json", name);
        json_t *expected = json_load_file(path, 0, NULL), *features = json_object_get(expected, "features");
        assert_non_null(features);
        fixture_init(&f, NULL);
        f.resource.geometry.crs = mbostock[i].no_prj ? "EPSG:4326" : NULL;
        snprintf(path, sizeof path, DATA "mbostock-shapefile/%s.shp", name);
        must(fixture_open(&f, path));
        must(fixture_read(&f));
        assert_int_equal(fixture_count(&f, ODP_G11), mbostock[i].no_shx);
        assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 0);
        assert_int_equal(f.nrecords, json_array_size(features));
        for (size_t k = 0; k < f.nrecords; k++) {
            const json_t *feature = json_array_get(features, k);
            if (!same_geometry(json_object_get(feature, "geometry"), fixture_geom(&f, k)))
                fail_msg("%s: geometry of record %zu differs", name, k);
            same_properties(json_object_get(feature, "properties"), &f, k, name);
        }
        fixture_release(&f);
        json_decref(expected);
    }
}

/* A question of shape_files.txt. */
static void other_file(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char path[512];
    size_t nulls = 0, points = 0, polygons = 0;
    double x = 0, y = 0;
    const char *crs = strchr(question.ptr, ' ');
    FIXTURE(f, NULL);
    f.resource.geometry.crs = crs != NULL ? crs + 1 : NULL;
    snprintf(path, sizeof path, DATA "%.*s.shp", (int)strcspn(question.ptr, " "), question.ptr);
    if (fixture_open(&f, path) != ODP_OK) {
        size_t n;
        const struct odp_diag_group *const *groups = odp_diags_groups(f.diags, &n);
        for (size_t i = 0; i < n; i++)
            odp_buffer_printf(out, "refused: %s\n", odp_code_info(groups[i]->code)->code);
        return;
    }
    must(fixture_read(&f));
    assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 0);
    for (size_t k = 0; k < f.nrecords; k++) {
        const struct odp_geom *g = fixture_geom(&f, k);
        nulls += g == NULL;
        points += g != NULL ? g->npoints : 0;
        polygons += g != NULL ? g->npolys : 0;
        for (uint32_t p = 0; g != NULL && p < g->npoints; p++)
            x += g->xy[2 * (size_t)p], y += g->xy[2 * (size_t)p + 1];
    }
    odp_buffer_printf(out,
                      "%zu records, %zu of them without shape, %zu points, %zu polygons, sums %.10g %.10g",
                      f.nrecords, nulls, points, polygons, x, y);
}

TEST(other_files)
{
    if (data_missing())
        skip();
    answer_lines("read/shape_files.txt", other_file, NULL);
}

/* One record of 264 islands, against the GeoJSON that GDAL made of the same file. */
TEST(indonesia)
{
    if (data_missing())
        skip();
    FIXTURE(f, "id,name");
    must(fixture_open(&f, DATA "ne_indonesia_10m/ne_indonesia_10m.shp"));
    must(fixture_read(&f));
    json_t *expected =
        json_load_file(DATA "ne_indonesia_10m/ne_indonesia_10m.expected.gdal.geojson", 0, NULL);
    const json_t *geometry =
        json_object_get(json_array_get(json_object_get(expected, "features"), 0), "geometry");
    const json_t *c = json_object_get(geometry, "coordinates");
    const struct odp_geom *g = fixture_geom(&f, 0);
    assert_int_equal(g->npolys, 264);
    assert_int_equal(json_array_size(c), 264);
    /* GDAL's rings may begin elsewhere and its polygons may have another order: each of ours must equal one
     * of its, by points and sums. */
    for (uint32_t p = 0; p < g->npolys; p++) {
        bool found = false;
        double x = 0, y = 0;
        for (uint32_t i = g->part[g->poly[p]]; i + 1 < g->part[g->poly[p] + 1]; i++)
            x += g->xy[2 * (size_t)i], y += g->xy[2 * (size_t)i + 1];
        for (size_t q = 0; q < 264 && !found; q++) {
            const json_t *poly = json_array_get(c, q), *ring = json_array_get(poly, 0);
            size_t n = json_array_size(ring);
            double ex = 0, ey = 0;
            if (json_array_size(poly) != g->poly[p + 1] - g->poly[p] ||
                n != g->part[g->poly[p] + 1] - g->part[g->poly[p]])
                continue;
            for (size_t i = 0; i + 1 < n; i++) {
                ex += json_number_value(json_array_get(json_array_get(ring, i), 0));
                ey += json_number_value(json_array_get(json_array_get(ring, i), 1));
            }
            found = fabs(x - ex) < 1e-6 * (double)n && fabs(y - ey) < 1e-6 * (double)n;
        }
        if (!found)
            fail_msg("polygon %u is not in GDAL's GeoJSON", p);
    }
    fixture_expect_cell(&f, 0, 1, "Indonesia");
    json_decref(expected);
}

TEST(zipped_islands)
{
    if (data_missing())
        skip();
    FIXTURE(f, NULL);
    must(fixture_open(&f, DATA "pulau_points/pulau_utf8.zip"));
    assert_int_equal(odp_source_info(f.source)->records, 16995);
    must(fixture_read(&f));
    assert_int_equal(f.nrecords, 16995);
    assert_int_equal(
        odp_diags_count(f.diags, ODP_SEVERITY_WARNING) + odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 0);
    double x = 0, y = 0;
    for (size_t k = 0; k < f.nrecords; k++) {
        x += fixture_geom(&f, k)->xy[0];
        y += fixture_geom(&f, k)->xy[1];
    }
    assert_true(fabs(x - 2058681.3009769458) < 1e-6);
    assert_true(fabs(y + 38787.425713700206) < 1e-6);
}
