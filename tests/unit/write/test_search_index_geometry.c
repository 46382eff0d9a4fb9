/* The query index: shapes, and the boxes by which they are found. */
#include "search_index_fixture.h"

#include "catalog/index/shape.h"

static struct odp_geom geom_of(enum odp_geom_type type, double *xy, uint32_t n, uint32_t *part, uint32_t *poly)
{
    struct odp_geom g = {.type = type, .npoints = n, .nparts = 1, .npolys = poly != NULL, .xy = xy, .part = part, .poly = poly};
    g.bbox[0] = g.bbox[2] = xy[0];
    g.bbox[1] = g.bbox[3] = xy[1];
    for (uint32_t i = 0; i < n; i++) {
        const double by[4] = {xy[2 * i], xy[2 * i + 1], xy[2 * i], xy[2 * i + 1]};
        bool has = true;
        odp_bbox_extend(g.bbox, &has, by);
    }
    g.label[0] = xy[0];
    g.label[1] = xy[1];
    return g;
}

static void test_geometry(void **state)
{
    (void)state;
    struct fixture fx;
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    double point[] = {106.8451234567, -6.2}, ring[] = {95, 5.5, 96, 5.5, 96, 6.25, 95, 6.25, 95, 5.5};
    uint32_t ends1[] = {0, 1}, ends5[] = {0, 5}, poly[] = {0, 1};
    struct odp_geom a = geom_of(ODP_GEOM_POINT, point, 1, ends1, NULL), b = geom_of(ODP_GEOM_POLYGON, ring, 5, ends5, poly);
    const struct odp_geom *geometry[] = {&a, NULL, &b};
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.resource.geometry = (struct odp_geometry_spec){.present = true, .api = ODP_GEOMETRY_SIMPLIFIED, .csv_wkt = true};
    const struct odp_slice cells[] = {S("satu"), S("dua"), S("tiga")};
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry_geometry";
    assert_int_equal(write_index(&fx, &job, cells, 3, 2, geometry), ODP_OK);
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT id, west, east, south, north FROM box ORDER BY id",
           "1|1068451235|1068451235|-62000000|-62000000\n3|950000000|960000000|55000000|62500000\n");
    expect(db, "SELECT id, simple FROM shape", "1|{\"simple\":true}\n3|{\"simple\":true}\n");
    expect(db, "SELECT rtreecheck('box')", "ok\n");
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT shape FROM shape WHERE id = 3", -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    struct odp_buffer json;
    odp_buffer_init(&json);
    assert_int_equal(
        odp_shape_add_geojson(&json, (struct odp_slice){sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0)}),
        ODP_OK);
    assert_string_equal(odp_buffer_cstr(&json),
                        "{\"type\":\"Polygon\",\"coordinates\":[[[95,5.5],[96,5.5],[96,6.25],[95,6.25],[95,5.5]]]}");
    odp_buffer_release(&json);
    sqlite3_finalize(s);
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_true(info.has_geometry);
    assert_string_equal(info.geometry_name, "geometry_geometry");
    assert_int_equal(info.mode, ODP_GEOMETRY_SIMPLIFIED);
    assert_int_equal(info.geometry_types, ODP_GEOM_BIT_POINT | ODP_GEOM_BIT_POLYGON);
    assert_true(info.csv_wkt);
    assert_false(info.csv_points);
    assert_true(info.has_bbox);
    const double box[] = {95, -6.2, 106.8451235, 6.25};
    assert_memory_equal(info.bbox, box, sizeof box);
    odp_arena_release(&arena);

    /* Full: nothing simplified; no geometry in any record: no box. */
    fx.resource.geometry.api = ODP_GEOMETRY_FULL;
    path_of(&fx, "b.sqlite", path);
    job.path = path;
    const struct odp_geom *none[] = {NULL, NULL, &a};
    assert_int_equal(write_index(&fx, &job, cells, 2, 2, none), ODP_OK);
    db = open_index(path);
    expect(db, "SELECT count(*) FROM shape", "0\n");
    expect(db, "SELECT count(*) FROM box", "0\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_false(info.has_bbox);
    assert_int_equal(info.geometry_types, 0);
    odp_arena_release(&arena);
    path_of(&fx, "c.sqlite", path);
    assert_int_equal(write_index(&fx, &job, cells, 3, 3, none), ODP_OK);
    db = open_index(path);
    expect(db, "SELECT id, simple FROM shape", "3|NULL\n");
    sqlite3_close(db);
    fx_release(&fx);
}

/* Boxes of many records: every one of them is found again, and no other. */
static void test_many_boxes(void **state)
{
    (void)state;
    enum { N = 5000 };
    static double xy[N][2];
    static struct odp_geom geoms[N];
    static const struct odp_geom *geometry[N];
    static struct odp_slice cells[N];
    static uint32_t ends[] = {0, 1};
    struct fixture fx;
    char path[PATH_SIZE], sql[256];
    uint32_t seed = 7, inside = 0, present = 0;
    fx_init(&fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.resource.geometry.present = true;
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        xy[i][0] = 95 + (seed >> 8) % 4600 / 100.0;
        seed = seed * 1664525 + 1013904223;
        xy[i][1] = -11 + (seed >> 8) % 1700 / 100.0;
        geoms[i] = geom_of(ODP_GEOM_POINT, xy[i], 1, ends, NULL);
        geometry[i] = i % 7 == 3 ? NULL : &geoms[i];
        present += geometry[i] != NULL;
        inside += geometry[i] != NULL && xy[i][0] >= 106 && xy[i][0] <= 110 && xy[i][1] >= -8 && xy[i][1] <= -6;
        cells[i] = S("a");
    }
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry";
    assert_int_equal(write_index(&fx, &job, cells, N, 1000, geometry), ODP_OK);
    sqlite3 *db = open_index(path);
    expect(db, "SELECT rtreecheck('box')", "ok\n");
    snprintf(sql, sizeof sql, "%u\n", present);
    expect(db, "SELECT count(*) FROM box", sql);
    snprintf(sql, sizeof sql, "%u\n", inside);
    expect(db,
           "SELECT count(*) FROM box WHERE west <= 1100000000 AND east >= 1060000000 AND south <= -60000000 AND north >= "
           "-80000000",
           sql);
    for (uint32_t i = 0; i < N; i += 97) {
        char want[64];
        long x = (long)(xy[i][0] * 1e7 + 0.5), y = (long)(xy[i][1] * 1e7 + (xy[i][1] < 0 ? -0.5 : 0.5));
        snprintf(sql, sizeof sql, "SELECT west, east, south, north FROM box WHERE id = %u", i + 1);
        snprintf(want, sizeof want, "%ld|%ld|%ld|%ld\n", x, x, y, y);
        expect(db, sql, geometry[i] != NULL ? want : "");
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM box WHERE id = %u AND west <= %ld AND east >= %ld AND south <= %ld AND north >= %ld",
                 i + 1, x, x, y, y);
        expect(db, sql, geometry[i] != NULL ? "1\n" : "0\n");
    }
    sqlite3_close(db);
    fx_release(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_many_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
