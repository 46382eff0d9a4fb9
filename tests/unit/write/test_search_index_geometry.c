/* The query index: geometries and their boxes. */
#include "search_index_fixture.h"

#include "catalog/index/gpb.h"

static struct odp_geom geom_of(enum odp_geom_type type, double *xy, uint32_t n, uint32_t *part,
                               uint32_t *poly)
{
    struct odp_geom g = {
        .type = type,
        .npoints = n,
        .nparts = 1,
        .npolys = poly != NULL,
        .xy = xy,
        .part = part,
        .poly = poly,
    };
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

TEST(geometry)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    double point[] = {106.8451234567, -6.2}, ring[] = {95, 5.5, 96, 5.5, 96, 6.25, 95, 6.25, 95, 5.5};
    uint32_t ends1[] = {0, 1}, ends5[] = {0, 5}, poly[] = {0, 1};
    struct odp_geom a = geom_of(ODP_GEOM_POINT, point, 1, ends1, NULL),
                    b = geom_of(ODP_GEOM_POLYGON, ring, 5, ends5, poly);
    const struct odp_geom *geometry[] = {&a, NULL, &b};
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    fx.resource.geometry =
        (struct odp_geometry_spec){.present = true, .api = ODP_GEOMETRY_SIMPLIFIED, .csv_wkt = true};
    const struct odp_slice cells[] = {S("satu"), S("dua"), S("tiga")};
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry_geometry";
    must(write_index(&fx, &job, cells, 3, 2, geometry));
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db,
           "SELECT id, round(minx, 4), round(maxx, 4), round(miny, 4), round(maxy, 4) FROM "
           "rtree_uji_geometry_geometry ORDER BY id",
           "1|106.8451|106.8451|-6.2|-6.2\n3|95.0|96.0|5.5|6.25\n");
    expect(db, "SELECT * FROM odp_geometry",
           "1|106.8451234567|-6.2|{\"simple\":true}\n3|95.0|5.5|{\"simple\":true}\n");
    expect(db, "SELECT rtreecheck('rtree_uji_geometry_geometry')", "ok\n");
    expect(db, "SELECT fid, hex(geometry_geometry) FROM uji WHERE fid < 3",
           "1|47500001E610000001010000003065E08016B65A40CDCCCCCCCCCC18C0\n2|\n");
    expect(db, "SELECT fid FROM uji WHERE geometry_geometry IS NULL", "2\n");
    expect(db, "PRAGMA application_id", "1196444487\n");
    expect(db, "PRAGMA user_version", "10400\n");
    expect(db,
           "SELECT table_name, data_type, last_change, min_x, min_y, max_x, max_y, srs_id FROM gpkg_contents",
           "uji|features|2024-03-15T00:00:00.000Z|95.0|-6.2|106.8451235|6.25|4326\n"
           "odp_label|attributes|2024-03-15T00:00:00.000Z|NULL|NULL|NULL|NULL|NULL\n");
    expect(db, "SELECT * FROM gpkg_geometry_columns", "uji|geometry_geometry|GEOMETRY|4326|0|0\n");
    expect(db, "SELECT table_name, column_name, extension_name, scope FROM gpkg_extensions",
           "uji|geometry_geometry|gpkg_rtree_index|write-only\n");
    expect(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'uji'", "7\n");
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
    assert_int_equal(info.bare, 1);
    odp_arena_release(&arena);

    /* Points alone need nothing beside the table; no geometry in any record: no box. */
    fx.resource.geometry =
        (struct odp_geometry_spec){.present = true, .api = ODP_GEOMETRY_FULL, .types = ODP_GEOM_BIT_POINT};
    path_of(&fx, "b.sqlite", path);
    job.path = path;
    const struct odp_geom *none[] = {NULL, NULL, &a};
    must(write_index(&fx, &job, cells, 2, 2, none));
    db = open_index(path);
    expect(db, "SELECT count(*), count(geometry_geometry) FROM uji", "2|0\n");
    expect(db, "SELECT name FROM sqlite_schema WHERE name = 'odp_geometry'", "");
    expect(db, "SELECT geometry_type_name FROM gpkg_geometry_columns", "POINT\n");
    expect(db, "SELECT min_x FROM gpkg_contents WHERE table_name = 'uji'", "NULL\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_false(info.has_bbox);
    assert_int_equal(info.geometry_types, 0);
    assert_int_equal(info.bare, 2);
    odp_arena_release(&arena);
    path_of(&fx, "c.sqlite", path);
    fx.resource.geometry.types = 0;
    must(write_index(&fx, &job, cells, 3, 3, none));
    db = open_index(path);
    expect(db, "SELECT fid, simple FROM odp_geometry", "3|NULL\n");
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'odp_bare'",
           "CREATE INDEX odp_bare ON \"uji\"(fid) WHERE \"geometry_geometry\" IS NULL\n");
    sqlite3_close(db);
}

/* Boxes of many records: every one of them is found again, and no other. */
TEST(many_boxes)
{
    enum { N = 5000 };
    static double xy[N][2];
    static struct odp_geom geoms[N];
    static const struct odp_geom *geometry[N];
    static struct odp_slice cells[N];
    static uint32_t ends[] = {0, 1};
    char path[PATH_SIZE], sql[256];
    uint32_t seed = 7, inside = 0, present = 0;
    FX(fx);
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
        inside +=
            geometry[i] != NULL && xy[i][0] >= 106 && xy[i][0] <= 110 && xy[i][1] >= -8 && xy[i][1] <= -6;
        cells[i] = S("a");
    }
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry";
    must(write_index(&fx, &job, cells, N, 1000, geometry));
    sqlite3 *db = open_index(path);
    expect(db, "SELECT rtreecheck('rtree_uji_geometry')", "ok\n");
    snprintf(sql, sizeof sql, "%u\n", present);
    expect(db, "SELECT count(*) FROM rtree_uji_geometry", sql);
    snprintf(sql, sizeof sql, "%u\n", inside);
    expect(db,
           "SELECT count(*) FROM rtree_uji_geometry WHERE minx <= 110 AND maxx >= 106 AND miny <= -6 AND "
           "maxy >= -8",
           sql);
    for (uint32_t i = 0; i < N; i += 97) {
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM rtree_uji_geometry WHERE id = %u AND minx BETWEEN %.9f AND %.9f AND "
                 "maxx BETWEEN %.9f AND %.9f AND miny <= %.9f AND maxy >= %.9f",
                 i + 1, xy[i][0] - 4e-5, xy[i][0], xy[i][0], xy[i][0] + 4e-5, xy[i][1], xy[i][1]);
        expect(db, sql, geometry[i] != NULL ? "1\n" : "0\n");
    }
    sqlite3_close(db);
}
