/* Fewer points, the same neighbours: made-up tessellations, islands near coasts, holes, small rings, lines;
 * judged by their edges and by GEOS. */
#include "map_fixture.h"

/* ---- a tessellation ---- */

enum { SIDE = 12, LEVELS = 5, EDGE = 1 << LEVELS };

static uint32_t noise_state;
static double noise(void)
{
    noise_state = noise_state * 1664525u + 1013904223u;
    return (double)(noise_state >> 8) / (1 << 24) - 0.5;
}

/* The points of the border between A and B, both ends included: the same in both directions. */
static void border(const double *a, const double *b, uint32_t seed, double rough, double out[EDGE + 1][2])
{
    memcpy(out[0], a, 2 * sizeof *a);
    memcpy(out[EDGE], b, 2 * sizeof *b);
    noise_state = seed * 2654435761u + 17;
    for (int step = EDGE; step > 1; step /= 2)
        for (int i = 0; i < EDGE; i += step) {
            const double *p = out[i], *q = out[i + step];
            double d = noise() * rough, dx = q[0] - p[0], dy = q[1] - p[1];
            out[i + step / 2][0] = (p[0] + q[0]) / 2 - dy * d;
            out[i + step / 2][1] = (p[1] + q[1]) / 2 + dx * d;
        }
}

struct tessellation {
    double knot[SIDE + 1][SIDE + 1][2];
    struct shape cell[SIDE][SIDE];
};

static void add_border(struct shape *s, const struct tessellation *t, int y0, int x0, int y1, int x1,
                       bool backwards, double rough)
{
    double line[EDGE + 1][2];
    uint32_t seed = (uint32_t)(((y0 * 64 + x0) * 64 + y1) * 64 + x1);
    border(t->knot[y0][x0], t->knot[y1][x1], seed, rough, line);
    for (int i = 0; i < EDGE; i++) {
        const double *p = line[backwards ? EDGE - i : i];
        shape_add(s, p[0], p[1]);
    }
}

static void tessellate(struct tessellation *t, double size, double rough)
{
    memset(t, 0, sizeof *t);
    noise_state = 4711;
    for (int y = 0; y <= SIDE; y++)
        for (int x = 0; x <= SIDE; x++) {
            t->knot[y][x][0] = 106.5 + (x + noise() * 0.5) * size;
            t->knot[y][x][1] = -6.5 + (y + noise() * 0.5) * size;
        }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            struct shape *s = &t->cell[y][x];
            shape_begin_ring(s, true);
            add_border(s, t, y, x, y, x + 1, false, rough);
            add_border(s, t, y, x + 1, y + 1, x + 1, false, rough);
            add_border(s, t, y + 1, x, y + 1, x + 1, true, rough);
            add_border(s, t, y, x, y + 1, x, true, rough);
            shape_add(s, s->xy[0], s->xy[1]);
        }
}

static void release_tessellation(struct tessellation *t)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            shape_free(&t->cell[y][x]);
}

/* Edges with a direction, as text that can be sorted. */
struct edge {
    double v[4];
};
static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct edge)); /* any total order does */
}

/* Every edge of a cell that is not the outer border is an edge of one neighbour, backwards: no gap, no
 * overlap. Returns how many edges are the outer border. */
static size_t assert_edges_pair(struct odp_simplifier *s)
{
    size_t n = 0, cap = 1 << 20, single = 0;
    struct edge *all = malloc(cap * sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < odp_simplifier_features(s); i++) {
        struct odp_geom g;
        assert_true(odp_simplifier_get(s, i, &g));
        for (uint32_t k = 0; k < g.nparts; k++)
            for (uint32_t j = g.part[k]; j + 1 < g.part[k + 1]; j++) {
                assert_true(n < cap);
                memcpy(all[n++].v, g.xy + 2 * (size_t)j, sizeof all->v);
            }
    }
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++) {
        struct edge back = {{all[i].v[2], all[i].v[3], all[i].v[0], all[i].v[1]}};
        if (i > 0)
            assert_int_not_equal(memcmp(&all[i - 1], &all[i], sizeof *all), 0);
        single += bsearch(&back, all, n, sizeof *all, by_value) == NULL;
    }
    free(all);
    return single;
}

static void assert_sound(struct odp_simplifier *s, const struct odp_geom *const *source)
{
    size_t n = odp_simplifier_features(s);
    assert_int_equal(assert_as_sound_as(s, source), n + n * (n - 1) / 2);
}

TEST(neighbours_stay_neighbours)
{
    static struct tessellation t;
    static const double roughness[] = {0.2, 0.3, 0.37};
    static const size_t budgets[] = {1000000, 9000, 3000, 1500, 0};
    for (size_t r = 0; r < 3; r++) {
        tessellate(&t, 0.05, roughness[r]);
        const struct odp_geom *g[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++)
            g[i] = shape_geom(&t.cell[i / SIDE][i % SIDE]);
        for (size_t b = 0; b < 5; b++) {
            struct odp_simplifier *s = simplified(g, SIDE * SIDE, budgets[b], 0.000001);
            size_t single = assert_edges_pair(s), n = count_positions(s);
            assert_true(single >= 4 * SIDE - 4 &&
                        single <= 4 * SIDE * EDGE); /* the four corners are no junctions */
            if (r == 0)
                assert_sound(s, g);
            else
                assert_true(assert_as_sound_as(s, g) > SIDE * SIDE * SIDE * SIDE / 4);
            if (b == 0)
                assert_true(n > SIDE * SIDE * 4 * EDGE * 8 / 10); /* there was room for all */
            if (b > 0 && budgets[b] > 0 && r < 2)
                assert_true(n <= budgets[b] * 11 / 10); /* a little is put back where borders would cross */
            if (budgets[b] == 0)
                assert_true(n <= SIDE * SIDE * 5 *
                                     (r == 0 ? 2 : 6)); /* junctions alone, but for what would cross */
            odp_simplifier_free(s);
        }
        release_tessellation(&t);
    }
}

TEST(batches_do_not_matter)
{
    static struct tessellation t;
    tessellate(&t, 0.02, 0.4);
    const struct odp_geom *g[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        g[i] = shape_geom(&t.cell[i / SIDE][i % SIDE]);
    struct odp_simplifier *a = simplified(g, SIDE * SIDE, 2500, 0.00001),
                          *b = simplified(g, SIDE * SIDE, 2500, 0.00001);
    assert_true(odp_simplifier_tolerance(a) > 0);
    assert_true(odp_simplifier_tolerance(a) == odp_simplifier_tolerance(b));
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        struct odp_geom x, y;
        assert_true(odp_simplifier_get(a, i, &x) && odp_simplifier_get(b, i, &y));
        assert_int_equal(x.npoints, y.npoints);
        assert_memory_equal(x.xy, y.xy, 2 * x.npoints * sizeof *x.xy);
    }
    odp_simplifier_free(a);
    odp_simplifier_free(b);
    release_tessellation(&t);
}

/* ---- what is hard ---- */

static void add_ring(struct shape *s, bool shell, const double (*points)[2], size_t n)
{
    shape_begin_ring(s, shell);
    for (size_t i = 0; i <= n; i++)
        shape_add(s, points[i % n][0], points[i % n][1]);
}

static void circle(struct shape *s, bool shell, double x, double y, double r, int n)
{
    shape_begin_ring(s, shell);
    for (int i = 0; i <= n; i++) {
        double a = 2 * 3.14159265358979323846 * (i % n) / n;
        shape_add(s, x + r * cos(a), y + r * sin(a));
    }
}

/* A bay with an island in it, wider inside than its mouth: straightening the coast would swallow the island.
 */
TEST(an_island_is_not_swallowed)
{
    static const double land[][2] = {
        {0, 0},   {10, 0},    {10, 10},   {5.2, 10},  {5.1, 9.99}, {5.5, 9.6}, {5.6, 9.5}, {5.5, 9.4},
        {5, 9.3}, {4.5, 9.4}, {4.4, 9.5}, {4.5, 9.6}, {4.9, 9.99}, {4.8, 10},  {0, 10},
    };
    struct shape coast = {0}, island = {0}, far = {0};
    add_ring(&coast, true, land, ODP_COUNT(land));
    circle(&island, true, 5, 9.5, 0.05, 40);
    circle(&far, true, 20, 5, 2, 400); /* has the weightier points, so the coast is cut first */
    const struct odp_geom *g[] = {shape_geom(&coast), shape_geom(&island), shape_geom(&far)};
    for (size_t points = 0; points < 60; points += 4) {
        struct odp_simplifier *s = simplified(g, 3, points, 0);
        assert_sound(s, g);
        odp_simplifier_free(s);
    }
    shape_free(&coast);
    shape_free(&island);
    shape_free(&far);
}

TEST(holes_and_what_fills_them)
{
    struct shape land = {0}, lake = {0}, isle = {0};
    circle(&land, true, 107, -6, 1, 500);
    circle(&land, false, 107, -6, 0.3, 90);
    circle(&land, false, 107.6, -6, 0.001, 30);
    circle(&land, true, 109, -6, 0.0005, 24); /* a part so small that it might vanish */
    shape_begin_ring(&lake, true); /* fills the hole exactly, from another first point, the other way round */
    for (int i = 0; i <= 90; i++) {
        double a = 2 * 3.14159265358979323846 * ((90 - i + 33) % 90) / 90;
        shape_add(&lake, 107 + 0.3 * cos(a), -6 + 0.3 * sin(a));
    }
    circle(&isle, true, 107.6, -6, 0.0004, 20);
    const struct odp_geom *g[] = {shape_geom(&land), shape_geom(&lake), shape_geom(&isle), NULL};
    for (size_t points = 0; points < 400; points += 13) {
        struct odp_simplifier *s = simplified(g, 4, points, 0.00001);
        struct odp_geom a, b, c, none;
        assert_true(odp_simplifier_get(s, 0, &a));
        assert_int_equal(a.type, ODP_GEOM_MULTIPOLYGON);
        assert_int_equal(a.npolys, 2);
        assert_int_equal(a.nparts, 4);
        assert_int_equal(a.poly[1], 3);
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(a.part[k + 1] - a.part[k] >= 4);
            assert_true(odp_ring_area2(a.xy + 2 * a.part[k], a.part[k + 1] - a.part[k]) != 0);
        }
        uint32_t hole = a.part[2] - a.part[1];
        double area = odp_ring_area2(a.xy + 2 * a.part[1], hole);
        assert_true(odp_simplifier_get(s, 1, &b));
        assert_int_equal(b.npoints, hole);
        assert_true(fabs(fabs(area) - fabs(odp_ring_area2(b.xy, b.npoints))) < 1e-12);
        assert_true(odp_simplifier_get(s, 2, &c) && c.npoints >= 4);
        assert_false(odp_simplifier_get(s, 3, &none));
        GEOSContextHandle_t h = GEOS_init_r();
        for (size_t i = 0; i < 3; i++) {
            GEOSGeometry *x = geos_feature(h, s, i);
            assert_int_equal(GEOSisValid_r(h, x), 1);
            GEOSGeom_destroy_r(h, x);
        }
        GEOS_finish_r(h);
        odp_simplifier_free(s);
    }
    shape_free(&land);
    shape_free(&lake);
    shape_free(&isle);
}

/* Two rings with two junctions each: both sides of the lens would become the same line. */
TEST(a_lens_keeps_its_inside)
{
    struct shape left = {0}, lens = {0};
    shape_begin_ring(&left, true);
    shape_add(&left, 0, 0);
    for (int i = 0; i <= 20; i++)
        shape_add(&left, 1 + 0.0001 * sin(3.14159265 * i / 20), i / 20.0);
    shape_add(&left, 0, 1);
    shape_add(&left, 0, 0);
    shape_begin_ring(&lens, true);
    for (int i = 0; i <= 20; i++)
        shape_add(&lens, 1 + 0.0001 * sin(3.14159265 * i / 20), i / 20.0);
    for (int i = 19; i > 0; i--)
        shape_add(&lens, 1 + 0.0003 * sin(3.14159265 * i / 20), i / 20.0);
    shape_add(&lens, 1, 0);
    const struct odp_geom *g[] = {shape_geom(&left), shape_geom(&lens)};
    struct odp_simplifier *s = simplified(g, 2, 0, 0.00001);
    assert_sound(s, g);
    assert_true(count_positions(s) < 16);
    odp_simplifier_free(s);
    shape_free(&left);
    shape_free(&lens);
}

/* Degenerate input is given back in the forms of GeoJSON, without an end in sight of the program. */
TEST(degenerate_shapes)
{
    static const double spike[][2] = {{1, 1}, {2, 2}, {3, 1}, {2, 2}}, dot[][2] = {{1, 1}, {1, 1}, {1, 1}},
                        line[][2] = {{0, 0}, {1, 1}, {2, 2}}, eight[][2] = {{0, 0}, {2, 2}, {2, 0}, {0, 2}},
                        back[][2] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {2, 1}, {1, 0}};
    const struct {
        const double (*points)[2];
        size_t n;
    } all[] = {{spike, 4}, {dot, 3}, {line, 3}, {eight, 4}, {back, 6}};
    for (size_t i = 0; i < ODP_COUNT(all); i++) {
        struct shape s = {0};
        struct odp_geom g;
        add_ring(&s, true, all[i].points, all[i].n);
        const struct odp_geom *list[] = {shape_geom(&s), shape_geom(&s)};
        struct odp_simplifier *m = simplified(list, 2, 0, 0.00001);
        for (size_t k = 0; k < 2; k++) {
            assert_true(odp_simplifier_get(m, k, &g));
            assert_true(g.npoints >= 4);
            assert_memory_equal(g.xy, g.xy + 2 * (g.npoints - 1), 2 * sizeof *g.xy);
        }
        odp_simplifier_free(m);
        shape_free(&s);
    }
    struct odp_simplifier *none = simplified(NULL, 0, 100, 0.00001);
    odp_simplifier_free(none);
}

TEST(lines_and_points)
{
    enum { N = 1000 };
    static double xy[2 * N];
    for (int i = 0; i < N; i++) {
        xy[2 * i] = 100 + i * 0.001;
        xy[2 * i + 1] = sin(i * 0.05) * 0.05;
    }
    uint32_t part[] = {0, 600, N}, whole[] = {0, 3};
    struct odp_geom line = {
        .type = ODP_GEOM_MULTILINESTRING, .npoints = N, .nparts = 2, .xy = xy, .part = part};
    struct odp_geom points = {
        .type = ODP_GEOM_MULTIPOINT, .npoints = 3, .nparts = 1, .xy = xy, .part = whole};
    const struct odp_geom *g[] = {&line, &points};
    struct odp_simplifier *s = simplified(g, 2, 60, 0.00001);
    struct odp_geom out;
    assert_true(odp_simplifier_get(s, 0, &out));
    assert_int_equal(out.type, ODP_GEOM_MULTILINESTRING);
    assert_int_equal(out.nparts, 2);
    assert_true(out.npoints <= 57 && out.npoints > 40);
    assert_true(fabs(out.xy[0] - 100) < 1e-9);
    assert_true(fabs(out.xy[2 * (out.npoints - 1)] - (100 + (N - 1) * 0.001)) < 1e-9);
    assert_true(odp_simplifier_get(s, 1, &out));
    assert_int_equal(out.npoints, 3);
    odp_simplifier_free(s);
}
