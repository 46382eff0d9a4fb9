/* Rings to polygons. In a shapefile shells are clockwise and holes counter-clockwise, in any order. Which
 * shell a hole belongs to is not written: it is the smallest shell that contains it. Shells are kept in an
 * interval tree on x (a sorted array in which the middle of a range is its root), so that a record with ten
 * thousand islands and lakes takes n log n, not n². */
#include <math.h>
#include <stdlib.h>

#include "read/shapefile/reader.h"

struct ring {
    const double *xy;
    uint32_t n, index;
    double area2;  /* twice the signed area, > 0 counter-clockwise */
    double box[4]; /* west, south, east, north */
};

struct tree {
    struct ring **by_west; /* sorted by box[0] */
    double *east;          /* of the range whose middle is here: the largest box[2] */
    uint32_t n;
};

struct search {
    const struct tree *tree;
    const struct ring *hole;
    const struct ring *best;
};

static int cmp_west(const void *a, const void *b)
{
    const struct ring *x = *(struct ring *const *)a, *y = *(struct ring *const *)b;
    int c = (x->box[0] > y->box[0]) - (x->box[0] < y->box[0]);
    return c != 0 ? c : (x->index > y->index) - (x->index < y->index);
}

static int cmp_area_falling(const void *a, const void *b)
{
    const struct ring *x = *(struct ring *const *)a, *y = *(struct ring *const *)b;
    double p = fabs(x->area2), q = fabs(y->area2);
    int c = (p < q) - (p > q);
    return c != 0 ? c : (x->index > y->index) - (x->index < y->index);
}

static double tree_fill(struct tree *t, uint32_t lo, uint32_t hi)
{
    if (lo >= hi)
        return -INFINITY;
    uint32_t mid = lo + (hi - lo) / 2;
    double left = tree_fill(t, lo, mid), right = tree_fill(t, mid + 1, hi), own = t->by_west[mid]->box[2];
    double most = left > right ? left : right;
    return t->east[mid] = own > most ? own : most;
}

static void tree_init(struct tree *t)
{
    qsort(t->by_west, t->n, sizeof *t->by_west, cmp_west);
    tree_fill(t, 0, t->n);
}

/* 1 inside, 0 on the boundary, -1 outside. The last point may or may not repeat the first. */
static int point_in_ring(const struct ring *r, double x, double y)
{
    bool in = false;
    const double *q = r->xy + 2 * (size_t)(r->n - 1);
    for (uint32_t i = 0; i < r->n; i++) {
        const double *p = r->xy + 2 * (size_t)i;
        if ((p[1] > y) != (q[1] > y)) {
            double side = (q[0] - p[0]) * (y - p[1]) - (x - p[0]) * (q[1] - p[1]);
            if (side == 0)
                return 0;
            if ((side > 0) == (q[1] > p[1]))
                in = !in;
        } else if (p[1] == y && q[1] == y) {
            if ((p[0] <= x) != (q[0] <= x) || p[0] == x || q[0] == x)
                return 0;
        } else if (p[0] == x && p[1] == y) {
            return 0;
        }
        q = p;
    }
    return in ? 1 : -1;
}

/* A hole may touch its shell: points on the boundary decide nothing, then middles of edges, then the boxes
 * and areas, which fit. Only a few are asked, so that a hostile ring cannot make this n². */
static bool ring_contains(const struct ring *shell, const struct ring *hole)
{
    uint32_t step = hole->n / 32 + 1;
    for (uint32_t i = 0; i < hole->n; i += step) {
        int at = point_in_ring(shell, hole->xy[2 * (size_t)i], hole->xy[2 * (size_t)i + 1]);
        if (at != 0)
            return at > 0;
    }
    for (uint32_t i = 0; i + 1 < hole->n; i += step) {
        const double *p = hole->xy + 2 * (size_t)i;
        int at = point_in_ring(shell, (p[0] + p[2]) / 2, (p[1] + p[3]) / 2);
        if (at != 0)
            return at > 0;
    }
    return true;
}

static void consider(struct search *s, const struct ring *shell)
{
    const struct ring *h = s->hole;
    double area = fabs(shell->area2);
    if (shell == h || shell->box[0] > h->box[0] || shell->box[1] > h->box[1] || shell->box[2] < h->box[2] ||
        shell->box[3] < h->box[3] || area < fabs(h->area2) ||
        (s->best != NULL && area >= fabs(s->best->area2)))
        return;
    if (area == fabs(h->area2) && shell->index > h->index) /* equal rings: only one can be inside the other */
        return;
    if (ring_contains(shell, h))
        s->best = shell;
}

static void tree_search(struct search *s, uint32_t lo, uint32_t hi)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->tree->east[mid] < s->hole->box[2])
            return;
        tree_search(s, lo, mid);
        if (s->tree->by_west[mid]->box[0] > s->hole->box[0])
            return;
        consider(s, s->tree->by_west[mid]);
        lo = mid + 1;
    }
}

static const struct ring *smallest_around(const struct tree *t, const struct ring *hole)
{
    struct search s = {t, hole, NULL};
    tree_search(&s, 0, t->n);
    return s.best;
}

void shape_rings_collect(struct odp_arena *a, const int64_t *owner, uint32_t nparts,
                         struct shape_polygons *out)
{
    uint32_t npolys = 0;
    uint32_t *poly_of = odp_arena_zero(a, (size_t)nparts + 1, sizeof *poly_of);
    out->ring = odp_arena_array(a, (size_t)nparts + 1, sizeof *out->ring);
    out->poly = odp_arena_zero(a, (size_t)nparts + 2, sizeof *out->poly);
    for (uint32_t k = 0; k < nparts; k++)
        if (owner[k] < 0)
            poly_of[k] = npolys++;
    for (uint32_t k = 0; k < nparts; k++)
        if (owner[k] >= 0)
            poly_of[k] = poly_of[owner[k]];
    /* Counting sort by polygon. poly[p+2] counts, becomes the place to fill, and ends as the limit of p. */
    for (uint32_t k = 0; k < nparts; k++)
        if (poly_of[k] + 2 <= npolys)
            out->poly[poly_of[k] + 2]++;
    for (uint32_t p = 2; p <= npolys; p++)
        out->poly[p] += out->poly[p - 1];
    for (uint32_t k = 0; k < nparts; k++) /* shells first, whatever the order in the file */
        if (owner[k] < 0)
            out->ring[out->poly[poly_of[k] + 1]++] = k;
    for (uint32_t k = 0; k < nparts; k++)
        if (owner[k] >= 0)
            out->ring[out->poly[poly_of[k] + 1]++] = k;
    out->npolys = npolys;
}

/* All rings turned the other way (a common mistake of writers): depth by containment must agree with every
 * orientation. */
static bool reversed(struct odp_arena *a, struct ring *rings, uint32_t n, int64_t *owner)
{
    struct tree t = {odp_arena_array(a, n, sizeof *t.by_west), odp_arena_array(a, n, sizeof *t.east), n};
    struct ring **by_area = odp_arena_array(a, n, sizeof *by_area);
    uint32_t *depth = odp_arena_array(a, n, sizeof *depth);
    for (uint32_t i = 0; i < n; i++)
        t.by_west[i] = by_area[i] = &rings[i];
    tree_init(&t);
    qsort(by_area, n, sizeof *by_area, cmp_area_falling);
    for (uint32_t i = 0; i < n; i++) {
        const struct ring *r = by_area[i], *up = smallest_around(&t, r);
        depth[r->index] = up != NULL ? depth[up->index] + 1 : 0;
        owner[r->index] = depth[r->index] % 2 == 1 ? (int64_t)up->index : -1;
        if (r->area2 != 0 && (r->area2 > 0) != (depth[r->index] % 2 == 0))
            return false;
    }
    return true;
}

static void ring_measure(struct ring *r, const double *xy, uint32_t n, uint32_t index)
{
    *r = (struct ring){xy, n, index, odp_ring_area2(xy, n), {0}};
    odp_bbox_of(xy, n, r->box);
}

enum odp_status shape_rings(struct odp_arena *a, const double *xy, const uint32_t *part, uint32_t nparts,
                            struct shape_polygons *out, uint32_t *orphan)
{
    int64_t *owner = odp_arena_array(a, nparts, sizeof *owner);
    if (nparts < 2) { /* most: a shell, whichever way it goes */
        memset(owner, -1, nparts * sizeof *owner);
        shape_rings_collect(a, owner, nparts, out);
        return ODP_OK;
    }
    struct ring *rings = odp_arena_array(a, nparts, sizeof *rings);
    struct tree t = {odp_arena_array(a, nparts, sizeof *t.by_west),
                     odp_arena_array(a, nparts, sizeof *t.east), 0};
    for (uint32_t k = 0; k < nparts; k++) {
        ring_measure(&rings[k], xy + 2 * (size_t)part[k], part[k + 1] - part[k], k);
        owner[k] = -1;
        if (rings[k].area2 < 0)
            t.by_west[t.n++] = &rings[k];
    }
    /* All clockwise, or none: all are shells. */
    if (t.n == 0 || t.n == nparts) {
        shape_rings_collect(a, owner, nparts, out);
        return ODP_OK;
    }
    tree_init(&t);
    bool orphaned = false;
    for (uint32_t k = 0; k < nparts; k++) {
        if (rings[k].area2 < 0)
            continue;
        const struct ring *shell = smallest_around(&t, &rings[k]);
        if (shell != NULL) {
            owner[k] = shell->index;
        } else if (rings[k].area2 > 0 && !orphaned) {
            orphaned = true;
            *orphan = k;
        }
    }
    if (orphaned && !reversed(a, rings, nparts, owner))
        return ODP_BAD;
    shape_rings_collect(a, owner, nparts, out);
    return ODP_OK;
}
