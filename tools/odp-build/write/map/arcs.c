#include "write/map/borders_internal.h"

#include <math.h>

/* ---- equal points ---- */

static uint64_t hash_of(const int32_t *xy)
{
    uint64_t h = (uint64_t)(uint32_t)xy[0] << 32 | (uint32_t)xy[1];
    h = (h ^ (h >> 29)) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ (h >> 32)) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return h ^ (h >> 29);
}

/* PART_POINTS take no part in it: each is its own canon. */
static void find_canons_of(struct odp_simplifier *s, const struct shape_part *p, uint32_t *slots,
                           uint64_t mask)
{
    uint32_t end = p->first + p->n;
    for (uint32_t i = p->first; i < end; i++) {
        if (p->kind == PART_POINTS) {
            s->canon[i] = i;
            continue;
        }
        const int32_t *at = s->xy + 2 * (size_t)i;
        uint64_t slot = hash_of(at) & mask;
        while (slots[slot] != 0 && memcmp(s->xy + 2 * ((size_t)slots[slot] - 1), at, 2 * sizeof *at) != 0)
            slot = (slot + 1) & mask;
        if (slots[slot] == 0)
            slots[slot] = i + 1;
        s->canon[i] = slots[slot] - 1;
    }
}

static void find_canons(struct odp_simplifier *s)
{
    struct odp_arena arena = {0};
    uint64_t size = 16;
    while (size < s->npoints + s->npoints / 3)
        size *= 2;
    uint32_t *slots = odp_arena_zero(&arena, size, sizeof *slots);
    s->canon = odp_arena_array(&s->arena, s->npoints + 1, sizeof *s->canon);
    for (size_t k = 0; k < s->nparts; k++)
        find_canons_of(s, &s->parts[k], slots, size - 1);
    odp_arena_release(&arena);
}

/* ---- where borders meet ---- */

static const struct shape_part *part_of(const struct odp_simplifier *s, uint32_t point)
{
    size_t lo = 0, hi = s->nparts;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (s->parts[mid].first <= point)
            lo = mid;
        else
            hi = mid;
    }
    while (s->parts[lo].n == 0) /* an empty one begins where the next does */
        lo++;
    return &s->parts[lo];
}

/* The points before and after I; false: a line ends here. */
static bool neighbours(const struct odp_simplifier *s, uint32_t i, uint32_t out[2])
{
    uint32_t before = i - 1, after = i + 1;
    if (s->flag[i] & (POINT_FIRST | POINT_LAST)) {
        const struct shape_part *p = part_of(s, i);
        if (p->kind != PART_RING)
            return false;
        before = (s->flag[i] & POINT_FIRST) ? p->first + p->n - 1 : before;
        after = shape_next(p, i);
    }
    out[0] = s->canon[before];
    out[1] = s->canon[after];
    return true;
}

void shape_find_junctions(struct odp_simplifier *s)
{
    find_canons(s);
    for (size_t k = 0; k < s->nparts; k++) {
        const struct shape_part *p = &s->parts[k];
        for (uint32_t i = p->first; p->kind != PART_POINTS && i < p->first + p->n; i++) {
            uint32_t c = s->canon[i], here[2], there[2];
            bool inner = neighbours(s, i, here);
            if (c == i && inner)
                continue;
            if (!inner || !neighbours(s, c, there) ||
                !((here[0] == there[0] && here[1] == there[1]) ||
                  (here[0] == there[1] && here[1] == there[0])))
                s->flag[c] |= POINT_JUNCTION;
        }
    }
}

/* ---- what points are worth ---- */

/* An arc being measured: its points by number along it, from 0. */
struct arc {
    uint32_t *point;          /* of the simplifier */
    uint32_t *before, *after; /* the neighbours that are left */
    double *area;
    uint32_t *heap, *place; /* smallest area on top; place[i]: position of i, UINT32_MAX: absent */
    uint32_t n, nheap;
};

/* Room for the longest part, and its first point again. */
static void arc_init(struct arc *a, const struct odp_simplifier *s, struct odp_arena *arena)
{
    size_t n = 0;
    for (size_t k = 0; k < s->nparts; k++)
        n = s->parts[k].kind != PART_POINTS && s->parts[k].n > n ? s->parts[k].n : n;
    uint32_t **const lists[] = {&a->point, &a->before, &a->after, &a->heap, &a->place};
    for (size_t k = 0; k < ODP_COUNT(lists); k++)
        *lists[k] = odp_arena_array(arena, n + 1, sizeof **lists[k]);
    a->area = odp_arena_array(arena, n + 1, sizeof *a->area);
}

/* Equal areas go by place, so that the order is total. */
static bool smaller(const struct arc *a, uint32_t i, uint32_t j)
{
    return a->area[i] < a->area[j] || (!(a->area[j] < a->area[i]) && i < j);
}

static void sift_up(struct arc *a, uint32_t at)
{
    uint32_t i = a->heap[at];
    while (at > 0 && smaller(a, i, a->heap[(at - 1) / 2])) {
        a->heap[at] = a->heap[(at - 1) / 2];
        a->place[a->heap[at]] = at;
        at = (at - 1) / 2;
    }
    a->heap[at] = i;
    a->place[i] = at;
}

static void sift_down(struct arc *a, uint32_t at)
{
    uint32_t i = a->heap[at];
    for (uint32_t child = 2 * at + 1; child < a->nheap; child = 2 * at + 1) {
        if (child + 1 < a->nheap && smaller(a, a->heap[child + 1], a->heap[child]))
            child++;
        if (!smaller(a, a->heap[child], i))
            break;
        a->heap[at] = a->heap[child];
        a->place[a->heap[at]] = at;
        at = child;
    }
    a->heap[at] = i;
    a->place[i] = at;
}

static double area_of(const struct odp_simplifier *s, const struct arc *a, uint32_t i)
{
    const int32_t *p = s->xy + 2 * (size_t)a->point[a->before[i]], *q = s->xy + 2 * (size_t)a->point[i],
                  *r = s->xy + 2 * (size_t)a->point[a->after[i]];
    double ux = (double)q[0] - p[0], uy = (double)q[1] - p[1], vx = (double)r[0] - p[0],
           vy = (double)r[1] - p[1];
    return fabs(ux * vy - vx * uy);
}

static void area_changed(const struct odp_simplifier *s, struct arc *a, uint32_t i, double least)
{
    if (a->place[i] == UINT32_MAX)
        return;
    double area = area_of(s, a, i);
    a->area[i] = area > least ? area : least; /* what goes later is worth no less */
    uint32_t at = a->place[i];
    sift_up(a, at);
    sift_down(a, a->place[i]);
}

/* The arc's points from FROM to before TO of the heap; all but the last SPARE of them get their worth. */
static void weigh_arc(struct odp_simplifier *s, struct arc *a, uint32_t from, uint32_t to, uint32_t spare)
{
    a->nheap = 0;
    for (uint32_t i = 0; i < a->n; i++)
        a->place[i] = UINT32_MAX;
    for (uint32_t i = from; i < to; i++) {
        a->area[i] = area_of(s, a, i);
        a->heap[a->nheap] = i;
        a->place[i] = a->nheap++;
    }
    for (uint32_t at = a->nheap / 2; at-- > 0;)
        sift_down(a, at);
    while (a->nheap > spare) {
        uint32_t i = a->heap[0];
        double area = a->area[i];
        s->weight[s->canon[a->point[i]]] = (float)area;
        a->heap[0] = a->heap[--a->nheap];
        a->place[i] = UINT32_MAX;
        if (a->nheap > 0)
            sift_down(a, 0);
        a->after[a->before[i]] = a->after[i];
        a->before[a->after[i]] = a->before[i];
        area_changed(s, a, a->before[i], area);
        area_changed(s, a, a->after[i], area);
    }
}

/* The arc of part P that begins at point START and has N points, both ends among them; CLOSED: a ring without
 * a junction. */
static void weigh(struct odp_simplifier *s, struct arc *a, const struct shape_part *p, uint32_t start,
                  uint32_t n, bool closed)
{
    uint32_t i = start, inner = closed ? start : shape_next(p, start);
    if (n < 3 ||
        s->canon[inner] != inner) /* nothing to decide, or it was when the arc came for the first time */
        return;
    a->n = n;
    for (uint32_t k = 0; k < n; k++, i = shape_next(p, i)) {
        a->point[k] = i;
        a->before[k] = k > 0 ? k - 1 : n - 1;
        a->after[k] = k + 1 < n ? k + 1 : 0;
    }
    if (closed)
        weigh_arc(s, a, 0, n, 3);
    else
        weigh_arc(s, a, 1, n - 1, s->canon[a->point[0]] == s->canon[a->point[n - 1]] ? 2 : 0);
}

static bool is_junction(const struct odp_simplifier *s, uint32_t i)
{
    return (s->flag[s->canon[i]] & POINT_JUNCTION) != 0;
}

static void weigh_part(struct odp_simplifier *s, struct arc *a, const struct shape_part *p)
{
    uint32_t start = p->first, end = p->first + p->n;
    while (start < end && !is_junction(s, start))
        start++;
    if (start == end) { /* a ring, then: lines have ends */
        weigh(s, a, p, p->first, p->n, true);
        return;
    }
    uint32_t steps = p->kind == PART_RING ? p->n : p->n - 1; /* a line begins with a junction */
    for (uint32_t at = start, n = 1, k = 0; k < steps; k++) {
        at = shape_next(p, at);
        n++;
        if (!is_junction(s, at))
            continue;
        weigh(s, a, p, start, n, false);
        start = at;
        n = 1;
    }
}

void shape_weigh(struct odp_simplifier *s)
{
    struct odp_arena arena = {0};
    struct arc a;
    arc_init(&a, s, &arena);
    s->weight = odp_arena_array(&s->arena, s->npoints + 1, sizeof *s->weight);
    for (size_t i = 0; i < s->npoints; i++)
        s->weight[i] = INFINITY;
    for (size_t k = 0; k < s->nparts; k++)
        if (s->parts[k].kind != PART_POINTS && s->parts[k].n >= 3)
            weigh_part(s, &a, &s->parts[k]);
    odp_arena_release(&arena);
}
