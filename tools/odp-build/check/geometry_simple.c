#include "check/geometry_simple.h"

#include <math.h>
#include <stdlib.h>

/* Pairs of boxes looked at, and edges crossed by rays, for each edge: more is given up. */
#define WORK_PER_EDGE 256u
#define SEEN_RINGS    8u /* few: each is compared with each */

/* An edge from p[0], p[1] to p[2], p[3], or a ring; with its box. */
struct item {
    double west, east, south, north;
    const double *p;
    uint32_t ring;         /* rings: of the geometry */
    uint32_t before, next; /* edges: their neighbours in the ring; rings: none */
};

struct key {
    double west;
    uint32_t item;
};

/* What a sweep compares: those that have begun and may not have ended. */
struct active {
    double east, south, north;
    uint32_t item;
};
#define NONE UINT32_MAX

struct sweep {
    const struct odp_geom *geom;
    struct item *edges, *rings;
    struct key *keys, *spare; /* SPARE: of merge sort */
    struct active *active;
    uint32_t *met;     /* of the active ones */
    uint32_t *first;   /* keys before a bucket */
    uint32_t *polygon; /* a ring's */
    uint64_t work;     /* left to do before giving up */
    uint32_t holes_placed;
};

void odp_simple_room_release(struct odp_simple_room *r)
{
    free(r->memory);
    *r = (struct odp_simple_room){0};
}

/* What rounding may have done to the difference of two products; a little more, so that products that
 * underflow prove nothing. */
static double doubt(double left, double right)
{
    return 3.3306690738754716e-16 * (fabs(left) + fabs(right)) + 1e-290;
}

/* ---- at sight ---- */

/* A ring's middle, and its box (west, south, east, north) where there are several rings. */
struct seen {
    double x, y, box[4];
};

/* Of the N points at P: about where they are on average. */
static struct seen look(const double *p, uint32_t n, bool several)
{
    struct seen s = {0};
    const uint32_t step = n / 32 + 1;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < n; i += step, taken++) {
        s.x += p[2 * (size_t)i] - p[0];
        s.y += p[2 * (size_t)i + 1] - p[1];
    }
    s.x = p[0] + s.x / taken;
    s.y = p[1] + s.y / taken;
    if (several)
        odp_bbox_of(p, n, s.box);
    return s;
}

/* Whether one can see all of a ring from its middle: every edge of the N points at P goes the same way
 * round it, strictly, and together they go round once (a horizontal line through the middle is crossed
 * twice). Then a ray from the middle meets the ring once, so edges have nothing in common but the corners
 * of neighbours. */
static bool all_seen(const double *p, uint32_t n, const struct seen *s)
{
    bool left = true, right = true;
    uint32_t crossings = 0;
    double ax = p[0] - s->x, ay = p[1] - s->y;
    for (uint32_t i = 1; i < n; i++) {
        double bx = p[2 * (size_t)i] - s->x, by = p[2 * (size_t)i + 1] - s->y;
        double one = ax * by, other = ay * bx, det = one - other, error = doubt(one, other);
        left &= det > error;
        right &= det < -error;
        crossings += (ay > 0) != (by > 0);
        ax = bx;
        ay = by;
    }
    return (left | right) && crossings == 2;
}

/* The square of the distance to the middle of S: of the corner of the N points at P that is farthest from it,
 * or of what of their edges is nearest. NaN proves nothing. */
static double farthest(const double *p, uint32_t n, const struct seen *s)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        double x = p[2 * (size_t)i] - s->x, y = p[2 * (size_t)i + 1] - s->y, d = x * x + y * y;
        most = !(d <= most) ? d : most;
    }
    return most;
}

static double nearest(const double *p, uint32_t n, const struct seen *s)
{
    double least = INFINITY;
    for (uint32_t i = 1; i < n; i++, p += 2) {
        double ax = p[0] - s->x, ay = p[1] - s->y, ex = p[2] - p[0], ey = p[3] - p[1];
        double edge = ex * ex + ey * ey, along = -(ax * ex + ay * ey);
        double bx = p[2] - s->x, by = p[3] - s->y, height = fabs(ax * by - ay * bx) - doubt(ax * by, ay * bx);
        double d = along <= 0      ? ax * ax + ay * ay
                   : along >= edge ? bx * bx + by * by
                                   : height * height / edge;
        least = !(d >= least) ? d : least;
    }
    return least;
}

static bool boxes_apart(const struct seen *a, const struct seen *b)
{
    return a->box[0] > b->box[2] || b->box[0] > a->box[2] || a->box[1] > b->box[3] || b->box[1] > a->box[3];
}

static const double *ring_of(const struct odp_geom *g, uint32_t r, uint32_t *n)
{
    *n = g->part[r + 1] - g->part[r];
    return g->xy + 2 * (size_t)g->part[r];
}

/* Polygon P's rings: each hole within a circle round the shell's middle that does not reach the shell, and
 * none near another. */
static bool holes_placed(const struct odp_geom *g, uint32_t p, const struct seen *seen)
{
    const uint32_t shell = g->poly[p], end = g->poly[p + 1];
    uint32_t n;
    if (end == shell + 1)
        return true;
    const double *xy = ring_of(g, shell, &n), room = nearest(xy, n, &seen[shell]) * (1 - 1e-9);
    bool placed = true;
    for (uint32_t r = shell + 1; r < end && placed; r++) {
        xy = ring_of(g, r, &n);
        placed = farthest(xy, n, &seen[shell]) < room;
        for (uint32_t k = shell + 1; k < r; k++)
            placed &= boxes_apart(&seen[k], &seen[r]);
    }
    return placed;
}

static bool proven_at_sight(const struct odp_geom *g)
{
    struct seen seen[SEEN_RINGS];
    uint32_t n;
    if (g->nparts > SEEN_RINGS)
        return false;
    for (uint32_t r = 0; r < g->nparts; r++) {
        const double *xy = ring_of(g, r, &n);
        seen[r] = look(xy, n, g->nparts > 1);
        if (!all_seen(xy, n, &seen[r]))
            return false;
    }
    bool apart = true;
    for (uint32_t p = 0; p < g->npolys && apart; p++) {
        apart = holes_placed(g, p, seen);
        for (uint32_t q = 0; q < p; q++)
            apart &= boxes_apart(&seen[g->poly[q]], &seen[g->poly[p]]);
    }
    return apart;
}

/* ---- by a sweep ---- */

/* The side of A -> B on which C lies: 1 left, -1 right, 0: not certain. */
static int side(const double *a, const double *b, const double *c)
{
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]), det = left - right;
    double error = doubt(left, right);
    return (det > error) - (det < -error);
}

/* Edges that follow each other have nothing in common but their corner: both go on in one direction, or they
 * are not in line. Without branches: which of the three it is cannot be guessed. */
static bool bends(const double *from, const double *corner, const double *to)
{
    double ax = corner[0] - from[0], ay = corner[1] - from[1], bx = to[0] - corner[0], by = to[1] - corner[1];
    double left = ax * by, right = ay * bx;
    return (ax * bx > 0) | (ay * by > 0) | (fabs(left - right) > doubt(left, right));
}

static bool edges_apart(struct sweep *s, const struct item *a, const struct item *b)
{
    int first = side(a->p, a->p + 2, b->p);
    if (first != 0 && first == side(a->p, a->p + 2, b->p + 2))
        return true;
    first = side(b->p, b->p + 2, a->p);
    return first != 0 && first == side(b->p, b->p + 2, a->p + 2);
}

/* 1: P is in ring R, -1: it is not, 0: not certain. P is on no edge of it. */
static int in_ring(struct sweep *s, const double *p, uint32_t r)
{
    const struct odp_geom *g = s->geom;
    uint32_t n = g->part[r + 1] - g->part[r];
    bool in = false;
    if (s->work < n)
        return 0;
    s->work -= n;
    for (const double *q = g->xy + 2 * (size_t)g->part[r], *end = q + 2 * (size_t)(n - 1); q < end; q += 2) {
        if ((q[1] > p[1]) == (q[3] > p[1]))
            continue;
        int at = side(q, q + 2, p);
        if (at == 0)
            return 0;
        in ^= (at > 0) == (q[3] > q[1]);
    }
    return in ? 1 : -1;
}

/* Rings whose boxes overlap and which do not touch: what one may be to the other. */
static bool rings_apart(struct sweep *s, const struct item *a, const struct item *b)
{
    const struct odp_geom *g = s->geom;
    bool same = s->polygon[a->ring] == s->polygon[b->ring];
    bool shell_a = a->ring == g->poly[s->polygon[a->ring]], shell_b = b->ring == g->poly[s->polygon[b->ring]];
    if (!same && (!shell_a || !shell_b)) /* holes are in their shells, and those are compared */
        return true;
    bool a_in_b = a->west >= b->west && a->east <= b->east && a->south >= b->south && a->north <= b->north;
    bool b_in_a = b->west >= a->west && b->east <= a->east && b->south >= a->south && b->north <= a->north;
    if (same && (shell_a || shell_b)) {
        const struct item *hole = shell_a ? b : a, *shell = shell_a ? a : b;
        s->holes_placed++;
        return in_ring(s, hole->p, shell->ring) > 0;
    }
    return (!a_in_b || in_ring(s, a->p, b->ring) < 0) && (!b_in_a || in_ring(s, b->p, a->ring) < 0);
}

/* By west: runs of eight by insertion, then merged. */
static void merge_sort(struct key *k, struct key *spare, size_t n)
{
    enum { RUN = 8 };
    for (size_t from = 0; from < n; from += RUN)
        for (size_t i = from + 1, end = n - from < RUN ? n : from + RUN; i < end; i++) {
            struct key moving = k[i];
            size_t at = i;
            for (; at > from && k[at - 1].west > moving.west; at--)
                k[at] = k[at - 1];
            k[at] = moving;
        }
    for (size_t run = RUN; run < n; run *= 2)
        for (size_t from = 0; from + run < n; from += 2 * run) {
            size_t end = n - from < 2 * run ? n : from + 2 * run, left = 0, right = from + run, to = from;
            memcpy(spare, k + from, run * sizeof *k);
            while (left < run && right < end)
                k[to++] = k[right].west < spare[left].west ? k[right++] : spare[left++];
            memcpy(k + to, spare + left, (run - left) * sizeof *k);
        }
}

/* s->keys: the items' numbers by west. They are spread over as many buckets as there are items, which leaves
 * little to sort where the items are anything like evenly spread. */
static void sort(struct sweep *s, const struct item *items, uint32_t n)
{
    double west = INFINITY, east = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        west = items[i].west < west ? items[i].west : west;
        east = items[i].west > east ? items[i].west : east;
    }
    double scale = east > west ? (n - 1) / (east - west)
                               : 0; /* infinite where it is too large: then all fall into one bucket */
    if (!(scale < 1e300))
        scale = 0;
    memset(s->first, 0, (n + 2) * sizeof *s->first);
    for (uint32_t i = 0; i < n; i++)
        s->first[(uint32_t)((items[i].west - west) * scale) + 2]++;
    for (uint32_t b = 2; b < n; b++)
        s->first[b + 1] += s->first[b];
    for (uint32_t i = 0; i < n; i++)
        s->keys[s->first[(uint32_t)((items[i].west - west) * scale) + 1]++] = (struct key){items[i].west, i};
    for (uint32_t b = 0; b < n; b++)
        if (s->first[b + 1] - s->first[b] > 1)
            merge_sort(s->keys + s->first[b], s->spare, s->first[b + 1] - s->first[b]);
}

/* Every two of N items whose boxes have a point in common are given to APART, but neighbours. */
static bool sweep(struct sweep *s, const struct item *items, uint32_t n,
                  bool (*apart)(struct sweep *s, const struct item *a, const struct item *b))
{
    uint32_t nactive = 0;
    sort(s, items, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct item *now = &items[s->keys[i].item];
        uint32_t kept = 0, nmet = 0;
        if (s->work < nactive)
            return false;
        s->work -= nactive;
        for (uint32_t k = 0; k < nactive; k++) { /* without branches, which would be guessed wrong */
            struct active a = s->active[k];
            bool lasts = a.east >= now->west;
            s->active[kept] = a;
            kept += lasts;
            s->met[nmet] = a.item;
            nmet += lasts & (a.south <= now->north) & (a.north >= now->south) & (a.item != now->before) &
                    (a.item != now->next);
        }
        for (uint32_t k = 0; k < nmet; k++)
            if (!apart(s, &items[s->met[k]], now))
                return false;
        s->active[kept] = (struct active){now->east, now->south, now->north, s->keys[i].item};
        nactive = kept + 1;
    }
    return true;
}

static struct item edge(const double *p)
{
    const int west = p[0] < p[2] ? 0 : 2, south = p[1] < p[3] ? 1 : 3;
    return (struct item){
        .west = p[west], .east = p[2 - west], .south = p[south], .north = p[4 - south], .p = p};
}

/* Ring R and those of its edges that have a length, from edge N on. Returns how many, or 0: it is not even a
 * triangle, or two that follow each other may overlap. */
static uint32_t collect_ring(struct sweep *s, uint32_t r, uint32_t n)
{
    const struct odp_geom *g = s->geom;
    struct item box = {INFINITY, -INFINITY, INFINITY, -INFINITY, g->xy + 2 * (size_t)g->part[r],
                       r,        NONE,      NONE};
    uint32_t first = n;
    bool good = true;
    for (uint32_t i = g->part[r]; i + 1 < g->part[r + 1]; i++) {
        const double *at = g->xy + 2 * (size_t)i;
        if (at[0] == at[2] && at[1] == at[3])
            continue;
        struct item e = edge(at);
        e.before = n - 1;
        e.next = n + 1;
        box.west = e.west < box.west ? e.west : box.west;
        box.east = e.east > box.east ? e.east : box.east;
        box.south = e.south < box.south ? e.south : box.south;
        box.north = e.north > box.north ? e.north : box.north;
        if (n > first)
            good &= bends(s->edges[n - 1].p, at, at + 2);
        s->edges[n++] = e;
    }
    s->rings[r] = box;
    if (n < first + 3 || !good || !bends(s->edges[n - 1].p, s->edges[first].p, s->edges[first].p + 2))
        return 0;
    s->edges[first].before = n - 1;
    s->edges[n - 1].next = first;
    return n - first;
}

static bool collect(struct sweep *s, uint32_t *nedges)
{
    const struct odp_geom *g = s->geom;
    uint32_t n = 0;
    for (uint32_t p = 0; p < g->npolys; p++)
        for (uint32_t r = g->poly[p]; r < g->poly[p + 1]; r++) {
            uint32_t more = collect_ring(s, r, n);
            if (more == 0)
                return false;
            n += more;
            s->polygon[r] = p;
        }
    *nedges = n;
    return true;
}

/* Cuts N elements of SIZE out of ROOM's memory at *AT; without room, only counts. */
static void *cut(const struct odp_simple_room *room, size_t *at, size_t n, size_t size)
{
    void *p = room->memory != NULL ? (char *)room->memory + *at : NULL;
    *at += (n * size + 15) / 16 * 16;
    return p;
}

static size_t lay_out(struct sweep *s, const struct odp_simple_room *room)
{
    size_t at = 0, n = s->geom->npoints, rings = s->geom->nparts;
    s->edges = cut(room, &at, n, sizeof *s->edges);
    s->rings = cut(room, &at, rings, sizeof *s->rings);
    s->keys = cut(room, &at, n, sizeof *s->keys);
    s->spare = cut(room, &at, n, sizeof *s->spare);
    s->active = cut(room, &at, n, sizeof *s->active);
    s->met = cut(room, &at, n, sizeof *s->met);
    s->first = cut(room, &at, n + 2, sizeof *s->first);
    s->polygon = cut(room, &at, rings, sizeof *s->polygon);
    return at;
}

static enum odp_status room_for(struct odp_simple_room *room, size_t size)
{
    if (size <= room->size)
        return ODP_OK;
    odp_simple_room_release(room);
    room->memory = malloc(size);
    if (room->memory == NULL)
        return odp_failure_memory();
    room->size = size;
    return ODP_OK;
}

enum odp_status odp_geometry_simple(const struct odp_geom *g, struct odp_simple_room *room)
{
    struct sweep s = {.geom = g, .work = (uint64_t)g->npoints * WORK_PER_EDGE};
    uint32_t nedges = 0;
    if (proven_at_sight(g))
        return ODP_OK;
    if (room_for(room, lay_out(&s, &(struct odp_simple_room){0})) != ODP_OK)
        return ODP_FAIL;
    lay_out(&s, room);
    if (!collect(&s, &nedges) || !sweep(&s, s.edges, nedges, edges_apart))
        return ODP_BAD;
    if (g->nparts == 1)
        return ODP_OK;
    return sweep(&s, s.rings, g->nparts, rings_apart) && s.holes_placed == g->nparts - g->npolys ? ODP_OK
                                                                                                 : ODP_BAD;
}
