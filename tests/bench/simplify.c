/* simplify N [POINTS]: N polygons of 20 points that share their borders, simplified to POINTS positions
 * (60,000): seconds (of the processor) of each step, peak memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "write/map/simplify.h"

enum { SIDE_POINTS = 5, RING = 4 * SIDE_POINTS + 1 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double noise(uint64_t seed)
{
    seed = (seed ^ (seed >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    seed = (seed ^ (seed >> 29)) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return (double)(seed >> 40) / (1 << 24) - 0.5;
}

/* Point K (of SIDE_POINTS) of the border that leaves the knot X, Y to the east or to the north. */
static void border(uint32_t x, uint32_t y, bool north, uint32_t k, double size, double *out)
{
    uint64_t seed = ((uint64_t)x << 32 | y) * 16 + (north ? 8 : 0) + k;
    double along = (double)k / SIDE_POINTS, off = k > 0 ? noise(seed) * 0.2 : 0;
    out[0] = 95 + (x + (north ? off : along)) * size;
    out[1] = -11 + (y + (north ? along : off)) * size;
}

static void ring(uint32_t x, uint32_t y, double size, double *xy)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < SIDE_POINTS; k++)
        border(x, y, false, k, size, xy + 2 * n++);
    for (uint32_t k = 0; k < SIDE_POINTS; k++)
        border(x + 1, y, true, k, size, xy + 2 * n++);
    for (uint32_t k = SIDE_POINTS; k > 0; k--)
        k == SIDE_POINTS ? border(x + 1, y + 1, false, 0, size, xy + 2 * n++)
                         : border(x, y + 1, false, k, size, xy + 2 * n++);
    for (uint32_t k = SIDE_POINTS; k > 0; k--)
        k == SIDE_POINTS ? border(x, y + 1, true, 0, size, xy + 2 * n++)
                         : border(x, y, true, k, size, xy + 2 * n++);
    xy[2 * n] = xy[0];
    xy[2 * n + 1] = xy[1];
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000,
             side = (uint32_t)ceil(sqrt((double)n));
    const struct odp_simplify_options o = {.points = argc > 2 ? strtoul(argv[2], NULL, 10) : 60000,
                                           .finest = 0.00001};
    double xy[2 * RING], size = 17.0 / side, start = now();
    uint32_t part[] = {0, RING}, poly[] = {0, 1};
    const struct odp_geom g = {
        .type = ODP_GEOM_POLYGON,
        .npoints = RING,
        .nparts = 1,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = poly,
    };
    struct odp_simplifier *s = odp_simplifier_new();
    for (uint32_t i = 0; i < n; i++) {
        ring(i % side, i / side, size, xy);
        odp_simplifier_add(s, &g);
    }
    double taken = now();
    if (odp_simplifier_finish(s, &o) != ODP_OK)
        return 1;
    double cut = now();
    size_t positions = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct odp_geom out;
        if (odp_simplifier_get(s, i, &out))
            positions += out.npoints;
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%u polygons, %zu points: taken in %.2f s, simplified in %.2f s, given out in %.2f s; %zu "
           "positions stay, tolerance %.6f degrees; peak %ld MiB, %.1f bytes a point\n",
           n, (size_t)n * (RING - 1), taken - start, cut - taken, now() - cut, positions,
           odp_simplifier_tolerance(s), use.ru_maxrss / 1024, (double)use.ru_maxrss * 1024 / n / (RING - 1));
    odp_simplifier_free(s);
    return 0;
}
