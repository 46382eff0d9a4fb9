/* tools/odp-build/check/geometry_simple.c against GEOS: what is proven valid GEOS calls valid, whatever the
 * polygon; and ordinary polygons are proven, so that it is of use. */

#include "run.h"
#include "random.h"

#include <math.h>

#include "check/geometry_label.h"
#include "check/geometry_simple.h"

enum { POINTS = 4096, RINGS = 16 };

struct made {
    struct odp_geom g;
    double xy[2 * POINTS];
    uint32_t part[RINGS + 1], poly[RINGS + 1];
};

static void begin(struct made *m)
{
    m->g = (struct odp_geom){.type = ODP_GEOM_POLYGON, .xy = m->xy, .part = m->part, .poly = m->poly};
}

static void add(struct made *m, double x, double y)
{
    m->xy[2 * m->g.npoints] = x;
    m->xy[2 * m->g.npoints++ + 1] = y;
}

/* Closes the ring that was added. */
static void close_ring(struct made *m, bool hole)
{
    struct odp_geom *g = &m->g;
    uint32_t from = m->part[g->nparts];
    add(m, m->xy[2 * from], m->xy[2 * from + 1]);
    if (!hole)
        m->poly[g->npolys++] = g->nparts;
    m->part[++g->nparts] = g->npoints;
    m->poly[g->npolys] = g->nparts;
    g->type = g->npolys > 1 ? ODP_GEOM_MULTIPOLYGON : ODP_GEOM_POLYGON;
}

/* Once around (CX, CY); JITTER 0 is a regular polygon. STEP > 0: coordinates are its multiples, so that
 * rings touch and are collinear. */
static void ring(struct made *m, bool hole, int n, double cx, double cy, double radius, double jitter,
                 double step)
{
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (i + 0.5 * jitter * random_unit()) / n,
               q = radius * (1 - jitter * random_unit());
        double x = cx + q * cos(angle), y = cy + q * sin(angle);
        add(m, step > 0 ? step * floor(x / step) : x, step > 0 ? step * floor(y / step) : y);
    }
    close_ring(m, hole);
}

/* What makes polygons wrong, or nearly. */
static void spoil(struct made *m)
{
    uint32_t n = m->g.npoints - 1, i = 1 + dice(n - 1), k = 1 + dice(n - 1);
    double *a = m->xy + 2 * i, *b = m->xy + 2 * k;
    switch (dice(8)) {
    case 0: /* a corner on another */
        a[0] = b[0], a[1] = b[1];
        break;
    case 1: /* … in the middle of an edge, as well as it can be written */
        a[0] = (b[0] + b[-2]) / 2, a[1] = (b[1] + b[-1]) / 2;
        break;
    case 2: /* … a hair beside it */
        a[0] = nextafter((b[0] + b[-2]) / 2, 200), a[1] = (b[1] + b[-1]) / 2;
        break;
    case 3: { /* two corners change places */
        double x = a[0], y = a[1];
        a[0] = b[0], a[1] = b[1], b[0] = x, b[1] = y;
        break;
    }
    case 4: /* a spike: back the way it came */
        a[0] = a[-2], a[1] = a[-1];
        b[0] = (b[-2] + a[0]) / 2, b[1] = (b[-1] + a[1]) / 2;
        break;
    case 5: /* three in line */
        a[0] = (a[-2] + a[2]) / 2, a[1] = (a[-1] + a[3]) / 2;
        break;
    case 6: /* a point twice */
        a[0] = a[-2], a[1] = a[-1];
        break;
    default: /* anywhere */
        a[0] += random_unit() - 0.5, a[1] += random_unit() - 0.5;
    }
    for (uint32_t r = 0; r < m->g.nparts; r++) { /* rings stay closed */
        double *last = m->xy + 2 * (m->part[r + 1] - 1);
        last[0] = m->xy[2 * m->part[r]], last[1] = m->xy[2 * m->part[r] + 1];
    }
}

static bool valid_by_geos(GEOSContextHandle_t h, const struct odp_geom *g)
{
    GEOSGeometry *geos = odp_geometry_to_geos(h, g);
    assert_non_null(geos);
    bool valid = GEOSisValid_r(h, geos) == 1;
    GEOSGeom_destroy_r(h, geos);
    return valid;
}

/* A polygon of some rings; GRID: with what that brings. */
static void draw(struct made *m, bool grid)
{
    double step = grid ? 0.01 : 0, cx = 100 + random_unit(), cy = -5 + random_unit(),
           jitter = dice(3) == 0 ? 0 : 0.4 * random_unit();
    begin(m);
    ring(m, false, 3 + (int)dice(60), cx, cy, 0.5, jitter, step);
    for (uint32_t i = dice(3); i > 0; i--)
        ring(m, true, 3 + (int)dice(12), cx + 0.4 * (random_unit() - 0.5), cy + 0.4 * (random_unit() - 0.5),
             0.12 * random_unit(), jitter, step);
    for (uint32_t i = dice(3); i > 0; i--)
        ring(m, false, 3 + (int)dice(12), cx + 2 * (random_unit() - 0.5), cy + 2 * (random_unit() - 0.5),
             0.3 * random_unit(), jitter, step);
}

TEST(never_against_geos)
{
    static struct made m;
    struct odp_simple_room room = {0};
    GEOSContextHandle_t h = GEOS_init_r();
    unsigned proven = 0, valid = 0, wrong = 0, plain_valid = 0, plain_proven = 0;
    for (int i = 0; i < 30000; i++) {
        bool grid = dice(4) == 0;
        draw(&m, grid);
        uint32_t spoils = dice(3);
        for (uint32_t k = 0; k < spoils; k++)
            spoil(&m);
        enum odp_status st = odp_geometry_simple(&m.g, &room);
        assert_int_not_equal(st, ODP_FAIL);
        bool geos = valid_by_geos(h, &m.g);
        if (st == ODP_OK && !geos)
            fail_msg("polygon %d is proven valid, GEOS says it is not", i);
        proven += st == ODP_OK, valid += geos, wrong += !geos;
        plain_valid += geos && !grid && spoils == 0, plain_proven += st == ODP_OK && !grid && spoils == 0;
    }
    assert_true(wrong > 5000 && valid > 5000); /* both kinds were tried */
    assert_true(proven > valid * 3 / 4);
    assert_true(plain_proven > plain_valid * 9 / 10); /* the rest: islands in holes */
    odp_simple_room_release(&room);
    GEOS_finish_r(h);
}

static enum odp_status simple(const struct made *m)
{
    struct odp_simple_room room = {0};
    enum odp_status st = odp_geometry_simple(&m->g, &room);
    odp_simple_room_release(&room);
    return st;
}

static void square(struct made *m, bool hole, double x, double y, double size)
{
    add(m, x, y);
    add(m, x + size, y);
    add(m, x + size, y + size);
    add(m, x, y + size);
    close_ring(m, hole);
}

TEST(known_cases)
{
    static struct made m;
    begin(&m);
    square(&m, false, 0, 0, 10);
    must(simple(&m));
    square(&m, true, 1, 1, 3);
    square(&m, true, 5, 5, 3);
    must(simple(&m));
    square(&m, true, 6, 6, 1); /* in a hole */
    must_refuse(simple(&m));
    begin(&m);
    square(&m, false, 0, 0, 10);
    square(&m, true, 20, 0, 3); /* outside of its shell */
    must_refuse(simple(&m));
    begin(&m);
    square(&m, false, 0, 0, 10);
    square(&m, false, 2, 2, 3); /* a polygon in a polygon */
    must_refuse(simple(&m));
    begin(&m);
    square(&m, false, 2, 2, 3);
    square(&m, false, 0, 0, 10); /* … the other way round */
    must_refuse(simple(&m));
    begin(&m);
    square(&m, false, 0, 0, 1);
    square(&m, false, 1, 0, 1); /* side by side: they touch */
    must_refuse(simple(&m));
    begin(&m);
    for (int i = 0; i < 4; i++) /* a bow tie */
        add(&m, i == 1 || i == 2, i == 1 || i == 3);
    close_ring(&m, false);
    must_refuse(simple(&m));
    begin(&m);
    for (int i = 0; i < 3; i++) /* no area */
        add(&m, i, i);
    close_ring(&m, false);
    must_refuse(simple(&m));
    begin(&m);
    for (int i = 0; i < 4; i++) /* so small that products vanish */
        add(&m, (i == 1 || i == 2) * 1e-200, (i >= 2) * 1e-200);
    close_ring(&m, false);
    must_refuse(simple(&m));
}

/* Many points; some far from the others, so that one bucket holds nearly all; and a comb, of which every two
 * teeth overlap. */
TEST(long_rings)
{
    static struct made m;
    begin(&m);
    ring(&m, false, 1500, 110, -7, 1, 0.3, 0);
    ring(&m, true, 500, 110, -7, 0.5, 0.3, 0);
    must(simple(&m));
    begin(&m);
    ring(&m, false, 1500, 110, -7, 1e-4, 0.3, 0);
    ring(&m, false, 100, 140, -7, 1e-4, 0.3, 0);
    ring(&m, false, 100, 95, 5, 1e-4, 0.3, 0);
    must(simple(&m));
    begin(&m);
    for (int i = 0; i < 1000; i++)
        add(&m, i % 2 * 10.0, i * 1e-3);
    add(&m, -1, 2);
    add(&m, -1, -1);
    close_ring(&m, false);
    struct odp_simple_room room = {0};
    GEOSContextHandle_t h = GEOS_init_r();
    assert_true(valid_by_geos(h, &m.g) || odp_geometry_simple(&m.g, &room) == ODP_BAD);
    GEOS_finish_r(h);
    odp_simple_room_release(&room);
}
