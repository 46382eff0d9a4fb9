/* Geometry writers, and where a batch's diagnostics point. */
#include "run.h"

#include <math.h>

#include "base/json.h"
#include "catalog/records/batch.h"

static void check_geom(const struct odp_geom *g, const char *json, const char *wkt)
{
    BUFFER(b);
    char first;
    odp_geom_add_geojson(&b, g);
    must(odp_buffer_status(&b));
    assert_true(odp_json_valid(odp_buffer_slice(&b), &first));
    assert_string_equal(odp_buffer_cstr(&b), json);
    odp_buffer_clear(&b);
    odp_geom_add_wkt(&b, g);
    assert_string_equal(odp_buffer_cstr(&b), wkt);
}

TEST(points_and_lines)
{
    double xy[] = {106.84512345678, -6.2, 107, -0.00000001, 108.5, 1};
    double z[] = {1.5, 2, -3};
    uint32_t one[] = {0, 1}, all[] = {0, 3}, two[] = {0, 2, 3};
    struct odp_geom g = {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = xy, .part = one};
    check_geom(&g, "{\"type\":\"Point\",\"coordinates\":[106.8451235,-6.2]}", "POINT (106.8451235 -6.2)");
    g.z = z;
    check_geom(&g, "{\"type\":\"Point\",\"coordinates\":[106.8451235,-6.2,1.5]}",
               "POINT Z (106.8451235 -6.2 1.5)");
    z[0] = NAN; /* heights that are no numbers are left out, all of them */
    check_geom(&g, "{\"type\":\"Point\",\"coordinates\":[106.8451235,-6.2]}", "POINT (106.8451235 -6.2)");
    g = (struct odp_geom){.type = ODP_GEOM_MULTIPOINT, .npoints = 3, .nparts = 1, .xy = xy, .part = all};
    check_geom(&g, "{\"type\":\"MultiPoint\",\"coordinates\":[[106.8451235,-6.2],[107,0],[108.5,1]]}",
               "MULTIPOINT ((106.8451235 -6.2),(107 0),(108.5 1))");
    g.type = ODP_GEOM_LINESTRING;
    check_geom(&g, "{\"type\":\"LineString\",\"coordinates\":[[106.8451235,-6.2],[107,0],[108.5,1]]}",
               "LINESTRING (106.8451235 -6.2,107 0,108.5 1)");
    g = (struct odp_geom){.type = ODP_GEOM_MULTILINESTRING, .npoints = 3, .nparts = 2, .xy = xy, .part = two};
    check_geom(&g,
               "{\"type\":\"MultiLineString\",\"coordinates\":[[[106.8451235,-6.2],[107,0]],[[108.5,1]]]}",
               "MULTILINESTRING ((106.8451235 -6.2,107 0),(108.5 1))");
    g = (struct odp_geom){.type = ODP_GEOM_MULTIPOLYGON};
    check_geom(&g, "{\"type\":\"MultiPolygon\",\"coordinates\":[]}", "MULTIPOLYGON EMPTY");
}

TEST(rings)
{
    /* a clockwise shell with a counter-clockwise hole, as in a shapefile, and a shell the right way round */
    double xy[] = {0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1, 10, 10, 11, 10, 11, 11, 10, 10};
    uint32_t part[] = {0, 5, 9, 13}, poly[] = {0, 2, 3}, first[] = {0, 2};
    struct odp_geom g = {
        .type = ODP_GEOM_POLYGON,
        .npoints = 9,
        .nparts = 2,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = first,
    };
    assert_true(odp_ring_area2(xy, 5) == -32);
    assert_true(odp_ring_area2(xy + 10, 4) == 1);
    assert_true(odp_ring_area2(xy, 2) == 0);
    check_geom(
        &g,
        "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,2],[2,1],[1,1]]]}",
        "POLYGON ((0 0,4 0,4 4,0 4,0 0),(1 1,2 2,2 1,1 1))");
    g = (struct odp_geom){
        .type = ODP_GEOM_MULTIPOLYGON,
        .npoints = 13,
        .nparts = 3,
        .npolys = 2,
        .xy = xy,
        .part = part,
        .poly = poly,
    };
    check_geom(&g,
               "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,2],[2,"
               "1],[1,1]]],[[[10,10],[11,10],[11,11],[10,10]]]]}",
               "MULTIPOLYGON (((0 0,4 0,4 4,0 4,0 0),(1 1,2 2,2 1,1 1)),((10 10,11 10,11 11,10 10)))");
    /* a small ring far from the origin: the area must not drown */
    double far[] = {140.0000001, -10.0000001, 140.0000002, -10.0000001,
                    140.0000002, -10,         140.0000001, -10.0000001};
    assert_true(odp_ring_area2(far, 4) > 0);
    assert_string_equal(odp_geom_type_name(ODP_GEOM_MULTIPOINT), "MultiPoint");
    assert_string_equal(odp_geom_type_name((enum odp_geom_type)99), "");
}

/* One record with four cells over two lines. */
static void fill(struct odp_batch *b, const struct odp_resource *r)
{
    static const char text[] = "11.01,\"caf\xC3\xA9\r\nb\",\"12,5 ha\",x";
    static const uint32_t pos[] = {0, 6, 17, 27}, start[] = {0, 7, 18, 27}, len[] = {5, 8, 7, 1};
    odp_batch_reset(b, r);
    odp_buffer_add(&b->text, text, sizeof(text) - 1);
    struct odp_record *rec = odp_batch_add_record(b);
    struct odp_cell *cell = odp_batch_add_cells(b, 4);
    assert_non_null(rec);
    assert_non_null(cell);
    rec->row = 7;
    rec->line = 12;
    rec->offset = 1000;
    rec->count = 4;
    rec->source = odp_buffer_slice(&b->text);
    for (int i = 0; i < 4; i++)
        cell[i] = (struct odp_cell){
            .ptr = b->text.ptr + start[i], .len = len[i], .flags = i == 1 || i == 2, .pos = pos[i] & 0xFFFF};
}

TEST(diag_place)
{
    struct odp_field fields[2] = {{.name = "kode", .is_public = true, .where = "dataset.json:9"},
                                  {.name = "nik"}};
    struct odp_dataset dataset = {.slug = "kumuh"};
    struct odp_resource r = {.name = "utama", .dataset = &dataset, .schema = {.fields = fields, .n = 2}};
    struct odp_batch b;
    struct odp_diag d;
    must(odp_batch_init(&b, 10));
    fill(&b, &r);
    odp_batch_diag(&b, (struct odp_batch_place){0, 0, 2}, "kumuh.csv", false, &d);
    assert_string_equal(d.dataset, "kumuh");
    assert_string_equal(d.resource, "utama");
    assert_string_equal(d.file, "kumuh.csv");
    assert_string_equal(d.field, "kode");
    assert_string_equal(d.where, "dataset.json:9");
    assert_int_equal(d.row, 7);
    assert_int_equal(d.line, 13); /* its own line of the record, and its own column there */
    assert_int_equal(d.column, 4);
    assert_int_equal(d.offset, 1017);
    assert_true(odp_slice_is(d.value, "12,5 ha"));
    assert_true(odp_slice_is(d.source, "b\",\"12,5 ha\",x"));
    assert_int_equal(d.mark_start, 3);
    assert_int_equal(d.mark_len, 9); /* with its quotes */
    assert_false(d.secret);

    odp_batch_diag(&b, (struct odp_batch_place){0, -1, 1}, "kumuh.csv", false, &d);
    assert_int_equal(d.line, 12);
    assert_int_equal(d.column, 7);
    assert_null(d.field);
    assert_true(odp_slice_is(d.source, "11.01,\"caf\xC3\xA9"));
    assert_int_equal(d.mark_start, 6);
    assert_int_equal(d.mark_len, 6);

    odp_batch_diag(&b, (struct odp_batch_place){0, -1, -1}, "kumuh.csv", false, &d);
    assert_int_equal(d.line, 12);
    assert_int_equal(d.column, 1);
    assert_null(d.value.ptr);

    odp_batch_diag_at(&b, 0, 13, 1, "kumuh.csv",
                      &d); /* the line feed of the pair still belongs to the first line */
    assert_int_equal(d.line, 12);
    odp_batch_diag_at(&b, 0, 14, 1, "kumuh.csv", &d);
    assert_int_equal(d.line, 13);
    assert_int_equal(d.column, 1);
    odp_batch_diag_at(&b, 0, 9999, 1, "kumuh.csv", &d);
    assert_int_equal(d.line, 13);
    assert_int_equal(d.column, 15);
    odp_batch_release(&b);
}

TEST(diag_secrets)
{
    struct odp_field fields[2] = {{.name = "kode", .is_public = true}, {.name = "nik"}};
    struct odp_resource r = {.name = "utama", .schema = {.fields = fields, .n = 2}, .has_private = true};
    struct odp_batch b;
    struct odp_diag d;
    must(odp_batch_init(&b, 10));
    fill(&b, &r);
    odp_batch_diag(&b, (struct odp_batch_place){0, 0, 2}, "kumuh.csv", false, &d);
    assert_true(odp_slice_is(d.source, "…\"12,5 ha\"…"));
    assert_int_equal(d.mark_start, 3);
    assert_int_equal(d.mark_len, 9);
    assert_false(d.secret);
    odp_batch_diag(&b, (struct odp_batch_place){0, 0, 0}, "kumuh.csv", false, &d);
    assert_true(odp_slice_is(d.source, "11.01…"));
    odp_batch_diag(&b, (struct odp_batch_place){0, 1, 3}, "kumuh.csv", false, &d);
    assert_true(d.secret);
    assert_true(odp_slice_is(d.source, "…x"));
    odp_batch_diag(&b, (struct odp_batch_place){0, -1, -1}, "kumuh.csv", false, &d); /* nothing of the line */
    assert_null(d.source.ptr);
    odp_batch_diag_at(&b, 0, 3, 1, "kumuh.csv", &d);
    assert_null(d.source.ptr);
    assert_int_equal(d.column, 4);

    r.has_private = false;
    odp_batch_diag(&b, (struct odp_batch_place){0, 0, 2}, "kumuh.csv", true,
                   &d); /* a row with a privacy fault */
    assert_true(odp_slice_is(d.source, "…\"12,5 ha\"…"));
    odp_batch_release(&b);
}

TEST(diag_long_line)
{
    enum { LONG = 100000 };
    struct odp_resource r = {.name = "utama"};
    struct odp_batch b;
    struct odp_diag d;
    must(odp_batch_init(&b, 10));
    odp_batch_reset(&b, &r);
    for (int i = 0; i < LONG; i++)
        odp_buffer_add_str(&b.text, "\xC3\xA9");
    struct odp_record *rec = odp_batch_add_record(&b);
    assert_non_null(rec);
    rec->line = 1;
    rec->source = odp_buffer_slice(&b.text);
    odp_batch_diag_at(&b, 0, LONG, 2, "x", &d);
    assert_int_equal(d.column, LONG / 2 + 1);
    assert_true(d.source.len <= 4096);
    assert_int_equal(d.mark_len, 2);
    assert_memory_equal(d.source.ptr + d.mark_start, "\xC3\xA9", 2);
    assert_int_equal((unsigned char)d.source.ptr[0], 0xC3);
    odp_batch_release(&b);
}

TEST(reset)
{
    struct odp_resource r = {.name = "utama"};
    struct odp_batch b;
    must(odp_batch_init(&b, 10));
    for (int round = 0; round < 3; round++) {
        odp_batch_reset(&b, &r);
        assert_int_equal(b.nrecords, 0);
        assert_int_equal(b.ncells, 0);
        assert_int_equal(b.text.len, 0);
        for (uint32_t i = 0; i < 5000; i++) {
            struct odp_record *rec = odp_batch_add_record(&b);
            assert_non_null(rec);
            assert_int_equal(rec->row, 0);
            rec->row = 1;
            assert_non_null(odp_batch_add_cells(&b, 7));
        }
        assert_int_equal(b.nrecords, 5000);
        assert_int_equal(b.ncells, 35000);
    }
    assert_null(odp_batch_add_cells(&b, UINT32_MAX)); /* refused, not wrapped around */
    assert_int_equal(b.ncells, 35000);
    odp_failure_clear();
    odp_batch_release(&b);
}
