/* Spatial functions: truth against GEOS asked plainly (its own WKT reader, nothing prepared, no boxes looked
 * at). Literals and their faults: expr/literals.txt. */
#include "run.h"
#include "random.h"

#include <geos_c.h>
#include <pthread.h>

#include "catalog/expr/spatial.h"
#include "catalog/index/gpb.h"

TEST(too_many_points)
{
    for (int most = 10000; most <= 10001; most++) {
        ARENA(a);
        struct odp_text why = {{NULL, NULL}};
        struct odp_spatial *s;
        BUFFER(text);
        size_t at = 0;
        odp_buffer_add_str(&text, "MULTIPOINT(");
        for (int i = 0; i < most; i++)
            odp_buffer_printf(&text, "%s%d %d", i > 0 ? "," : "", i % 180, i / 180);
        odp_buffer_add_char(&text, ')');
        enum odp_status st = odp_spatial_parse(&s, ODP_S_INTERSECTS, odp_buffer_slice(&text), &at, &a, &why);
        assert_int_equal(st, most == 10000 ? ODP_OK : ODP_BAD);
        if (st == ODP_BAD)
            assert_string_equal(why.in[ODP_LANG_ID], "lebih dari 10.000 titik: sederhanakan geometrinya");
        odp_spatial_free(s);
    }
}

/* ---- truth ---- */

struct asked {
    struct odp_arena a;
    GEOSContextHandle_t geos;
    GEOSWKTReader *reader;
};

static void asked_init(struct asked *q)
{
    odp_arena_init(&q->a);
    q->geos = GEOS_init_r();
    q->reader = GEOSWKTReader_create_r(q->geos);
}

static void asked_release(struct asked *q)
{
    GEOSWKTReader_destroy_r(q->geos, q->reader);
    GEOS_finish_r(q->geos);
    odp_arena_release(&q->a);
}
#define ASKED(v) OWNED(asked, v, asked, &v)

static struct odp_spatial *parse(struct asked *q, enum odp_spatial_op op, bool flipped, const char *text)
{
    struct odp_text why;
    struct odp_spatial *s = NULL;
    size_t at = 0;
    if (odp_spatial_parse(&s, flipped ? odp_spatial_flipped(op) : op, odp_slice_of(text), &at, &q->a, &why) !=
        ODP_OK)
        fail_msg("%s: %s", text, odp_text_get(&why, ODP_LANG_EN));
    return s;
}

/* A geometry of ours out of WKT, by GEOS's reader. */
static struct odp_geom *geom_of(struct asked *q, const char *wkt)
{
    GEOSGeometry *w = GEOSWKTReader_read_r(q->geos, q->reader, wkt);
    assert_non_null(w);
    struct odp_geom *g = odp_arena_zero(&q->a, 1, sizeof *g);
    assert_non_null(g);
    g->xy = odp_arena_array(&q->a, 400, sizeof *g->xy);
    g->part = odp_arena_zero(&q->a, 100, sizeof *g->part);
    g->poly = odp_arena_zero(&q->a, 100, sizeof *g->poly);
    static const enum odp_geom_type types[] = {
        [GEOS_POINT] = ODP_GEOM_POINT,
        [GEOS_LINESTRING] = ODP_GEOM_LINESTRING,
        [GEOS_POLYGON] = ODP_GEOM_POLYGON,
        [GEOS_MULTIPOINT] = ODP_GEOM_MULTIPOINT,
        [GEOS_MULTILINESTRING] = ODP_GEOM_MULTILINESTRING,
        [GEOS_MULTIPOLYGON] = ODP_GEOM_MULTIPOLYGON,
    };
    g->type = types[GEOSGeomTypeId_r(q->geos, w)];
    bool has = false;
    for (int i = 0; i < GEOSGetNumGeometries_r(q->geos, w); i++) {
        const GEOSGeometry *m = GEOSGetGeometryN_r(q->geos, w, i);
        int rings =
            GEOSGeomTypeId_r(q->geos, m) == GEOS_POLYGON ? GEOSGetNumInteriorRings_r(q->geos, m) + 1 : 1;
        for (int k = 0; k < rings; k++) {
            const GEOSGeometry *ring = GEOSGeomTypeId_r(q->geos, m) != GEOS_POLYGON ? m
                                       : k == 0 ? GEOSGetExteriorRing_r(q->geos, m)
                                                : GEOSGetInteriorRingN_r(q->geos, m, k - 1);
            const GEOSCoordSequence *seq = GEOSGeom_getCoordSeq_r(q->geos, ring);
            unsigned n = 0;
            GEOSCoordSeq_getSize_r(q->geos, seq, &n);
            for (unsigned p = 0; p < n; p++, g->npoints++) {
                double *xy = g->xy + 2 * g->npoints;
                GEOSCoordSeq_getXY_r(q->geos, seq, p, &xy[0], &xy[1]);
                const double box[4] = {xy[0], xy[1], xy[0], xy[1]};
                odp_bbox_extend(g->bbox, &has, box);
            }
            if (g->type != ODP_GEOM_MULTIPOINT)
                g->part[++g->nparts] = g->npoints;
        }
        if (GEOSGeomTypeId_r(q->geos, m) == GEOS_POLYGON)
            g->poly[++g->npolys] = g->nparts;
    }
    if (g->type == ODP_GEOM_MULTIPOINT)
        g->part[g->nparts = 1] = g->npoints;
    GEOSGeom_destroy_r(q->geos, w);
    return g;
}

static char plainly(struct asked *q, enum odp_spatial_op op, const char *first, const char *second)
{
    GEOSGeometry *a = GEOSWKTReader_read_r(q->geos, q->reader, first),
                 *b = GEOSWKTReader_read_r(q->geos, q->reader, second);
    static const char *const pattern[ODP_S_COUNT] = {
        [ODP_S_WITHIN] = "T*F**F***",
        [ODP_S_CONTAINS] = "T*****FF*",
        [ODP_S_DISJOINT] = "FF*FF****",
        [ODP_S_EQUALS] = "T*F**FFF*",
    };
    char r = pattern[op] != NULL      ? GEOSRelatePattern_r(q->geos, a, b, pattern[op])
             : op == ODP_S_INTERSECTS ? GEOSIntersects_r(q->geos, a, b)
             : op == ODP_S_TOUCHES    ? GEOSTouches_r(q->geos, a, b)
             : op == ODP_S_OVERLAPS   ? GEOSOverlaps_r(q->geos, a, b)
                                      : GEOSCrosses_r(q->geos, a, b);
    GEOSGeom_destroy_r(q->geos, a);
    GEOSGeom_destroy_r(q->geos, b);
    assert_true(r == 0 || r == 1);
    return r;
}

/* Valid geometries on a small grid, so that borders meet often. */
static void some_geometry(char *out, size_t size)
{
    int x = (int)dice(7) - 3, y = (int)dice(7) - 3, w = 1 + (int)dice(4), h = 1 + (int)dice(4);
    switch (dice(7)) {
    case 0:
        snprintf(out, size, "POINT (%d %d)", x, y);
        break;
    case 1:
        snprintf(out, size, "MULTIPOINT ((%d %d),(%d %d))", x, y, x + w, y);
        break;
    case 2:
        snprintf(out, size, "LINESTRING (%d %d,%d %d,%d %d)", x, y, x + w, y, x + w, y + h);
        break;
    case 3:
        snprintf(out, size, "MULTILINESTRING ((%d %d,%d %d),(%d %d,%d %d))", x, y, x + w, y + h, x, y + h + 1,
                 x + w, y + h + 1);
        break;
    case 4:
        snprintf(out, size, "POLYGON ((%d %d,%d %d,%d %d,%d %d,%d %d))", x, y, x + w, y, x + w, y + h, x,
                 y + h, x, y);
        break;
    case 5:
        snprintf(
            out, size,
            "POLYGON ((%d %d,%d %d,%d %d,%d %d,%d %d),(%d.25 %d.25,%d.75 %d.25,%d.75 %d.75,%d.25 %d.25))",
            x + 9, y + 9, x + 9 + w, y + 9, x + 9 + w, y + 9 + h, x + 9, y + 9 + h, x + 9, y + 9, x + 9,
            y + 9, x + 9, y + 9, x + 9, y + 9, x + 9, y + 9);
        break;
    default:
        snprintf(out, size, "MULTIPOLYGON (((%d %d,%d %d,%d %d,%d %d)),((%d %d,%d %d,%d %d,%d %d)))", x, y,
                 x + w, y, x, y + h, x, y, x + 5, y, x + 5 + w, y, x + 5, y + h, x + 5, y);
    }
}

TEST(as_geos_says)
{
    char literal[400], as_wkt[400], record[400];
    size_t trues[ODP_S_COUNT] = {0};
    ASKED(q);
    for (int i = 0; i < 1500; i++) {
        int x = (int)dice(7) - 3, y = (int)dice(7) - 3, w = 1 + (int)dice(4), h = 1 + (int)dice(4);
        if (dice(2) == 0) { /* a box: no GEOS where none is needed */
            snprintf(literal, sizeof literal, "BBOX(%d,%d,%d,%d)", x, y, x + w, y + h);
            snprintf(as_wkt, sizeof as_wkt, "POLYGON ((%d %d,%d %d,%d %d,%d %d,%d %d))", x, y, x + w, y,
                     x + w, y + h, x, y + h, x, y);
        } else {
            some_geometry(literal, sizeof literal);
            snprintf(as_wkt, sizeof as_wkt, "%s", literal);
        }
        some_geometry(record, sizeof record);
        if (dice(10) == 0) /* the same */
            memcpy(record, as_wkt, sizeof record);
        odp_arena_reset(&q.a);
        const struct odp_geom *g = geom_of(&q, record);
        BUFFER(shape);
        odp_gpb_add(&shape, g);
        for (int op = 0; op < ODP_S_COUNT; op++)
            for (int flipped = 0; flipped < 2; flipped++) {
                uint8_t truth = 9, of_shape = 9;
                struct odp_spatial *s = parse(&q, (enum odp_spatial_op)op, flipped, literal);
                must(odp_spatial_test(s, g, &truth));
                must(odp_spatial_test_shape(s, odp_buffer_slice(&shape), &q.a, &of_shape));
                char plain = flipped ? plainly(&q, (enum odp_spatial_op)op, as_wkt, record)
                                     : plainly(&q, (enum odp_spatial_op)op, record, as_wkt);
                if (truth != plain || of_shape != plain)
                    fail_msg("%s of %s and %s (flipped %d): %d, of the shape %d, not %d",
                             odp_spatial_op_name((enum odp_spatial_op)op), record, literal, flipped, truth,
                             of_shape, plain);
                trues[op] += truth;
                odp_spatial_free(s);
            }
    }
    for (int op = 0; op < ODP_S_COUNT; op++)
        assert_true(trues[op] > 10); /* it was asked what could be true */
}

static uint8_t test(struct asked *q, enum odp_spatial_op op, const char *literal, const char *record)
{
    uint8_t truth = 9;
    struct odp_spatial *s = parse(q, op, false, literal);
    must(odp_spatial_test(s, geom_of(q, record), &truth));
    odp_spatial_free(s);
    return truth;
}

TEST(across_180)
{
    struct odp_spatial *s;
    double boxes[2][4];
    const double pacific[4] = {170, -10, -170, 10}, edge[4] = {180, -10, -170, 10},
                 wrong[][4] = {{0, 1, 1, 0}, {0, 0, 181, 1}, {0, -91, 1, 1}, {0.0 / 0.0, 0, 1, 1}};
    static const struct {
        int west; /* of a box to -170 */
        enum odp_spatial_op op;
        const char *record;
        int truth;
    } cases[] = {
        {170, ODP_S_INTERSECTS, "POINT (175 0)", 1},
        {170, ODP_S_INTERSECTS, "POINT (-175 0)", 1},
        {170, ODP_S_INTERSECTS, "POINT (0 0)", 0},
        {170, ODP_S_DISJOINT, "POINT (0 0)", 1},
        {170, ODP_S_DISJOINT, "POINT (-175 0)", 0},
        {170, ODP_S_INTERSECTS, "LINESTRING (0 0,-171 9)", 1},
        {170, ODP_S_WITHIN, "MULTIPOINT ((175 0),(-175 0))", 1},
        {170, ODP_S_WITHIN, "MULTIPOINT ((175 0),(0 0))", 0},
        {180, ODP_S_INTERSECTS, "POINT (180 0)", 1},
        {180, ODP_S_INTERSECTS, "POINT (179 0)", 0},
        {180, ODP_S_WITHIN, "POINT (-175 0)", 1},
    };
    ASKED(q);
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        assert_int_equal(test(&q, cases[i].op,
                              cases[i].west <= 170 ? "BBOX(170,-10,-170,10)" : "BBOX(180,-10,-170,10)",
                              cases[i].record),
                         cases[i].truth);
    must(odp_spatial_box(&s, ODP_S_INTERSECTS, pacific));
    assert_int_equal(odp_spatial_boxes(s, boxes), 2);
    assert_true(boxes[0][0] == 170 && boxes[0][2] == 180 && boxes[1][0] == -180 && boxes[1][2] == -170 &&
                boxes[1][1] == -10);
    odp_spatial_free(s);
    must(odp_spatial_box(&s, ODP_S_INTERSECTS, edge));
    assert_int_equal(odp_spatial_boxes(s, boxes), 2);
    odp_spatial_free(s);
    for (size_t i = 0; i < ODP_COUNT(wrong); i++)
        must_refuse(odp_spatial_box(&s, ODP_S_INTERSECTS, wrong[i]));
}

TEST(boxes_and_special_ones)
{
    double boxes[2][4];
    uint8_t truth;
    ASKED(q);
    /* Boxes without width or height are lines and points. */
    assert_int_equal(test(&q, ODP_S_INTERSECTS, "BBOX(1,1,1,1)", "POINT (1 1)"), 1);
    assert_int_equal(test(&q, ODP_S_EQUALS, "BBOX(1,1,1,1)", "POINT (1 1)"), 1);
    assert_int_equal(test(&q, ODP_S_CROSSES, "BBOX(0,1,4,1)", "LINESTRING (1 0,1 2)"), 1);
    assert_int_equal(test(&q, ODP_S_INTERSECTS, "BBOX(1,0,1,4)", "POLYGON ((0 1,2 1,2 2,0 2,0 1))"), 1);
    /* Collections: any member. */
    assert_int_equal(
        test(&q, ODP_S_INTERSECTS, "GEOMETRYCOLLECTION(POINT(9 9),LINESTRING(0 0,2 2))", "POINT (1 1)"), 1);
    assert_int_equal(
        test(&q, ODP_S_DISJOINT, "GEOMETRYCOLLECTION(POINT(9 9),LINESTRING(0 0,2 2))", "POINT (1 1.5)"), 1);
    struct odp_spatial *s;
    assert_int_equal(test(&q, ODP_S_INTERSECTS, "LINESTRING(0 0,2 2,2 0,0 2)", "POINT (1 1)"), 1);
    assert_int_equal(test(&q, ODP_S_WITHIN, "MULTILINESTRING((0 0,2 2),(2 2,4 0))", "LINESTRING (1 1,2 2)"),
                     1);
    /* No geometry is unknown, an empty one is nowhere. */
    s = parse(&q, ODP_S_DISJOINT, false, "POINT(1 1)");
    assert_int_equal(odp_spatial_boxes(s, boxes), 0);
    must(odp_spatial_test(s, NULL, &truth));
    assert_int_equal(truth, 2);
    struct odp_geom empty = {.type = ODP_GEOM_POLYGON};
    must(odp_spatial_test(s, &empty, &truth));
    assert_int_equal(truth, 1);
    struct odp_buffer none = {0};
    odp_gpb_add(&none, &empty);
    must(odp_spatial_test_shape(s, odp_buffer_slice(&none), &q.a, &truth));
    odp_buffer_release(&none);
    assert_int_equal(truth, 1);
    must(odp_spatial_test_shape(s, (struct odp_slice){NULL, 0}, &q.a, &truth));
    assert_int_equal(truth, 2);
    must_refuse(odp_spatial_test_shape(s, (struct odp_slice){"\x12\1\2", 3}, &q.a, &truth));
    odp_spatial_free(s);
    s = parse(&q, ODP_S_WITHIN, false, "POLYGON((1 2,5 2,5 7,1 2))");
    assert_int_equal(odp_spatial_boxes(s, boxes), 1);
    assert_true(boxes[0][0] == 1 && boxes[0][1] == 2 && boxes[0][2] == 5 && boxes[0][3] == 7);
    odp_spatial_free(s);
    assert_int_equal(odp_spatial_op_find(odp_slice_of("s_within")), ODP_S_WITHIN);
    assert_int_equal(odp_spatial_op_find(odp_slice_of("S_WITHI")), -1);
    assert_int_equal(odp_spatial_op_find(odp_slice_of("S_WITHIN2")), -1);
}

/* Whatever a record's geometry is, the answer is one of the three, and a plain one is found in spite of its
 * fault. */
TEST(geometries_that_are_not_valid)
{
    uint8_t truth;
    ASKED(q);
    double bow[] = {0, 0, 2, 2, 2, 0, 0, 2, 0, 0}, open[] = {0, 0, 2, 0, 2, 2, 0, 2},
           flat[] = {1, 1, 1, 1, 1, 1, 1, 1}, one[] = {1, 1};
    uint32_t five[] = {0, 5}, four[] = {0, 4}, single[] = {0, 1}, poly[] = {0, 1};
#define GEOM(kind, n, points, ends, polys, lon, lat, width)                                                  \
    {                                                                                                        \
        .type = kind, .npoints = n, .nparts = 1, .npolys = polys, .xy = points, .part = ends, .poly = poly,  \
        .bbox = {                                                                                            \
            lon,                                                                                             \
            lat,                                                                                             \
            (lon) + (width),                                                                                 \
            (lat) + (width)                                                                                  \
        }                                                                                                    \
    }
    const struct odp_geom geoms[] = {
        GEOM(ODP_GEOM_POLYGON, 5, bow, five, 1, 0, 0, 2),
        GEOM(ODP_GEOM_POLYGON, 4, open, four, 1, 0, 0, 2),
        GEOM(ODP_GEOM_POLYGON, 4, flat, four, 1, 1, 1, 0),
        GEOM(ODP_GEOM_LINESTRING, 1, one, single, 0, 1, 1, 0),
        GEOM(ODP_GEOM_LINESTRING, 4, flat, four, 0, 1, 1, 0),
    };
    static const char *const literals_[] = {
        "POLYGON((1 0,3 0,3 3,1 3,1 0))",       "LINESTRING(0 1,3 1)", "POINT(1 1)", "BBOX(1,1,9,9)",
        "POLYGON((-1 -2,3 -1,3 1,-1 1,-1 -2))",
    };
    for (size_t i = 0; i < ODP_COUNT(geoms); i++)
        for (size_t k = 0; k < 5; k++)
            for (int op = 0; op < ODP_S_COUNT; op++) {
                struct odp_spatial *s = parse(&q, (enum odp_spatial_op)op, false, literals_[k]);
                truth = 9;
                must(odp_spatial_test(s, &geoms[i], &truth));
                assert_in_range(truth, 0, 2);
                if (op == ODP_S_INTERSECTS && i == 0)
                    assert_int_equal(truth, 1);
                if (op == ODP_S_INTERSECTS && i == 1 && k != 3)
                    assert_int_equal(truth, 2); /* its ring is no ring */
                odp_spatial_free(s);
            }
}

/* ---- threads ---- */

struct shared {
    const struct odp_spatial *s;
    const struct odp_geom *const *g;
    uint32_t n;
    uint8_t truth[64];
};

static void *work(void *arg)
{
    struct shared *t = arg;
    for (int i = 0; i < 200; i++)
        if (odp_spatial_test_all(t->s, t->g, t->n, t->truth) != ODP_OK)
            return t;
    return NULL;
}

TEST(many_threads)
{
    pthread_t threads[8];
    struct shared jobs[8];
    const struct odp_geom *g[64];
    char record[400];
    ASKED(q);
    for (int i = 0; i < 64; i++) {
        some_geometry(record, sizeof record);
        g[i] = i % 9 == 8 ? NULL : geom_of(&q, record);
    }
    struct odp_spatial *s = parse(&q, ODP_S_INTERSECTS, false, "POLYGON((-2 -2,3 -1,2 3,-1 2,-2 -2))");
    uint8_t once[64];
    must(odp_spatial_test_all(s, g, 64, once));
    for (int i = 0; i < 8; i++) {
        jobs[i] = (struct shared){.s = s, .g = g, .n = 64};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
        assert_memory_equal(jobs[i].truth, once, 64);
    }
    assert_int_equal(once[8], 2);
    odp_spatial_free(s);
}
