/* Real boundaries, simplified to a fraction of their points: what was valid and disjoint is, parts and holes
 * are all there, borders are the same lines. */
#include <shapefil.h>

#include "map_fixture.h"

struct file {
    const char *path;
    size_t judged; /* at least so many features and pairs must have been sound to begin with: else the test
                      says nothing */
    bool apart;    /* each ring is a feature: the whole is not valid */
};

/* Shape I of H as polygons: clockwise rings are shells, others holes of the shell before them. */
static void read_shape(SHPHandle h, int i, struct shape *out, int part)
{
    SHPObject *o = SHPReadObject(h, i);
    assert_non_null(o);
    for (int k = part < 0 ? 0 : part; k < (part < 0 ? o->nParts : part + 1); k++) {
        int from = o->panPartStart[k], to = k + 1 < o->nParts ? o->panPartStart[k + 1] : o->nVertices;
        double area = 0;
        for (int j = from; j + 1 < to; j++)
            area += (o->padfX[j] - o->padfX[from]) * (o->padfY[j + 1] - o->padfY[from]) -
                    (o->padfX[j + 1] - o->padfX[from]) * (o->padfY[j] - o->padfY[from]);
        shape_begin_ring(out, area <= 0 || out->g.npolys == 0);
        for (int j = from; j < to;
             j++) /* as the simplifier will know them: GEOS judges the same numbers before and after */
            shape_add(out, round(o->padfX[j] * 1e7) / 1e7, round(o->padfY[j] * 1e7) / 1e7);
    }
    SHPDestroyObject(o);
}

static void assert_parts(struct odp_simplifier *s, const struct odp_geom *const *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct odp_geom out;
        assert_true(odp_simplifier_get(s, i, &out));
        assert_int_equal(out.nparts, g[i]->nparts);
        assert_int_equal(out.npolys, g[i]->npolys);
        assert_memory_equal(out.poly, g[i]->poly, (g[i]->npolys + 1) * sizeof *out.poly);
        for (uint32_t k = 0; k < out.nparts; k++) {
            assert_true(out.part[k + 1] - out.part[k] >= 4);
            assert_memory_equal(out.xy + 2 * (size_t)out.part[k], out.xy + 2 * ((size_t)out.part[k + 1] - 1),
                                2 * sizeof *out.xy);
        }
    }
}

/* As a page's map has them: fewer than half of the points where boundaries are detailed, five decimals but
 * for the few that would clash. */
static void try_page(const struct file *f, const struct odp_geom *const *g, size_t n, size_t points)
{
    const struct odp_simplify_options o = {.points = points, .finest = 0.00001, .whole = 1024, .each = 96};
    struct odp_simplifier *s = simplified_as(g, n, &o);
    size_t positions = count_positions(s), long_ones = 0;
    assert_true(assert_as_sound_as(s, g) >= f->judged);
    assert_parts(s, g, n);
    for (size_t i = 0; i < n; i++) {
        struct odp_geom out;
        assert_true(odp_simplifier_get(s, i, &out));
        for (size_t k = 0; k < 2 * (size_t)out.npoints; k++)
            long_ones += fabs(out.xy[k] * 1e5 - round(out.xy[k] * 1e5)) > 1e-4;
    }
    print_message("%s: %zu of %zu positions, %zu long numbers\n", f->path, positions, points, long_ones);
    assert_true(long_ones <= positions / 16);
    odp_simplifier_free(s);
}

static void try_file(const struct file *f)
{
    char path[512];
    assert_true(snprintf(path, sizeof path, "%s/shp/%s", ODP_SHARED_DATA, f->path) < (int)sizeof path);
    SHPHandle h = SHPOpen(path, "rb");
    if (h == NULL) {
        print_message("%s is not on this machine\n", f->path);
        return;
    }
    int n, type;
    SHPGetInfo(h, &n, &type, NULL, NULL);
    if (f->apart) {
        SHPObject *o = SHPReadObject(h, 0);
        n = o->nParts;
        SHPDestroyObject(o);
    }
    struct shape *shapes = calloc((size_t)n, sizeof *shapes);
    const struct odp_geom **g = calloc((size_t)n, sizeof *g);
    assert_true(shapes != NULL && g != NULL);
    size_t points = 0;
    for (int i = 0; i < n; i++) {
        read_shape(h, f->apart ? 0 : i, &shapes[i], f->apart ? i : -1);
        g[i] = shape_geom(&shapes[i]);
        points += g[i]->npoints;
    }
    SHPClose(h);
    const size_t budgets[] = {points, points / 2, points / 5, points / 20, 0};
    size_t before = points + 1;
    for (size_t b = 0; b < ODP_COUNT(budgets); b++) {
        struct odp_simplifier *s = simplified(g, (size_t)n, budgets[b], 0.0000001);
        size_t positions = count_positions(s), judged = assert_as_sound_as(s, g);
        assert_parts(s, g, (size_t)n);
        assert_true(judged >= f->judged);
        assert_true(positions <= before);
        before = positions + positions / 20; /* what is put back may be a little more than before */
        odp_simplifier_free(s);
    }
    try_page(f, g, (size_t)n, points);
    for (int i = 0; i < n; i++)
        shape_free(&shapes[i]);
    free(shapes);
    free(g);
}

TEST(real_boundaries)
{
    static const struct file files[] = {
        {"r-sf/nc.shp", 100 * 101 / 2, false},
        {"r-sf/olinda1.shp", 90000, false},
        {"spData-CC0/columbus.shp", 49, false},
        {"spData-CC0/world.shp", 10000, false},
        {"naturalearth_lowres/naturalearth_lowres.shp", 10000, false},
        {"ne_indonesia_10m/ne_indonesia_10m.shp", 20000, true},
    };
    for (size_t i = 0; i < ODP_COUNT(files); i++)
        try_file(&files[i]);
}
