/* Shapes of places as pictures have them: rounded, none lost, never more points than are kept. */
#include "run.h"

#include "catalog/records/place_shapes.h"

/* A polygon round LON, LAT with N points on a square of SIDE degrees. */
static struct odp_geom square(double *xy, uint32_t part[2], uint32_t poly[2], uint32_t n, double lon,
                              double lat, double side)
{
    for (uint32_t i = 0; i < n; i++) {
        const double at = 4.0 * i / n, along = (at - (int)at) * side;
        const double x[] = {along, side, side - along, 0}, y[] = {0, along, side, side - along};
        xy[2 * i] = lon + x[(int)at];
        xy[2 * i + 1] = lat + y[(int)at];
    }
    xy[2 * n] = xy[0];
    xy[2 * n + 1] = xy[1];
    part[0] = poly[0] = 0;
    part[1] = n + 1;
    poly[1] = 1;
    return (struct odp_geom){
        .type = ODP_GEOM_POLYGON,
        .npoints = n + 1,
        .nparts = 1,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = poly,
        .bbox = {lon, lat, lon + side, lat + side},
    };
}

enum { POINTS = 40000 };
static double xy[2 * POINTS + 2];

TEST(rounded)
{
    struct odp_place_shapes s;
    ARENA(a);
    uint32_t part[2], poly[2];
    odp_place_shapes_clear(&s);
    struct odp_geom g = square(xy, part, poly, 4000, 100, -5, 0.1);
    odp_place_shapes_add(&s, ODP_LIT("11"), &g, &a);
    g = square(xy, part, poly, 8, 101, -5, 0.0001); /* smaller than the grid */
    odp_place_shapes_add(&s, ODP_LIT("12"), &g, &a);
    g.poly = NULL; /* no polygon */
    odp_place_shapes_add(&s, ODP_LIT("13"), &g, &a);
    odp_place_shapes_add(&s, ODP_LIT("14"), NULL, &a);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.shapes[0].code, "11");
    assert_int_equal(s.shapes[0].part[1], 200);
    assert_int_equal(s.shapes[1].nparts, 1);
    assert_int_equal(s.shapes[1].part[1], 3);
    assert_int_equal(s.points, 203);
    assert_true(s.box[0] == 100 && s.box[2] == 101.0001);
}

TEST(bounded)
{
    struct odp_place_shapes s;
    ARENA(a);
    uint32_t part[2], poly[2];
    odp_place_shapes_clear(&s);
    for (int i = 0; i < 30; i++) {
        struct odp_geom g = square(xy, part, poly, POINTS, 100 + i, -5, 20);
        odp_place_shapes_add(&s, ODP_LIT("11"), &g, &a);
        assert_true(s.points <= ODP_SHAPE_POINTS);
    }
    assert_int_equal(s.n, 30);
    for (size_t i = 0; i < s.n; i++)
        assert_true(s.shapes[i].nparts == 1 && s.shapes[i].part[1] > 1000);
}
