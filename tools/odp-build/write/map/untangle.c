/* Puts points back where simplified rings would cross themselves or each other, or change sides.
 *
 * The border of a ring is a chain of PIECES: from one kept point to the next, drawn as one line. A piece is
 * wrong where it meets another one elsewhere than at a common end, or where an end of another piece lies
 * between it and the points that it replaces (then that point has changed sides: an island swallowed by a
 * straightened coast). It is split at its weightiest point, in rounds, until all is well: at last a piece is
 * an edge of the source, so this ends. Crossings of the source remain. */
#include "write/map/borders_internal.h"

#include <stdlib.h>

struct piece {
    const struct shape_part *part;
    uint32_t from, to;
    int32_t west, south, east, north;
    bool bare; /* an edge of the source: nothing can be put back */
    bool wrong;
};

enum { LEAST_PLACES = 3, MOST_PLACES = 5 /* decimals that are worth writing */, ALL_PLACES = 7 };

struct work {
    struct odp_simplifier *s;
    struct odp_buffer list; /* of a round; PIECES is where it has them */
    struct piece *pieces;
    size_t n;
    uint64_t left; /* comparisons that may still be made */
    int32_t step;  /* coordinates are compared rounded to it */
};

/* Maximum number of pairs to compare: more only where thousands of rings lie upon each other, which
 * simplification cannot mend. */
#define COMPARISONS UINT64_C(2000000000)

/* ---- two lines ---- */

struct at {
    int64_t x, y;
};

static struct at at_of(const struct work *w, uint32_t point)
{
    return (struct at){shape_rounded(w->s, point, 0, w->step), shape_rounded(w->s, point, 1, w->step)};
}

__extension__ typedef __int128 wide;

/* > 0: C is to the left of A B. Exact. */
static int side(struct at a, struct at b, struct at c)
{
    wide d = (wide)(b.x - a.x) * (c.y - a.y) - (wide)(b.y - a.y) * (c.x - a.x);
    return (d > 0) - (d < 0);
}

static bool same(struct at a, struct at b)
{
    return a.x == b.x && a.y == b.y;
}

static bool within(struct at a, struct at b, struct at p)
{
    return (a.x < b.x ? a.x <= p.x && p.x <= b.x : b.x <= p.x && p.x <= a.x) &&
           (a.y < b.y ? a.y <= p.y && p.y <= b.y : b.y <= p.y && p.y <= a.y);
}

/* Both begin at P: do they run over each other? */
static bool overlap_from(struct at p, struct at a, struct at b)
{
    return side(p, a, b) == 0 && ((a.x - p.x) * (wide)(b.x - p.x) + (a.y - p.y) * (wide)(b.y - p.y)) > 0;
}

/* Do A B and C D meet elsewhere than at an end that they share? */
static bool clash(struct at a, struct at b, struct at c, struct at d)
{
    if (same(a, b) || same(c, d))
        return true;
    bool ac = same(a, c), ad = same(a, d), bc = same(b, c), bd = same(b, d);
    if ((ac && bd) || (ad && bc))
        return true;
    if (ac)
        return overlap_from(a, b, d);
    if (ad)
        return overlap_from(a, b, c);
    if (bc)
        return overlap_from(b, a, d);
    if (bd)
        return overlap_from(b, a, c);
    int s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
    if (s1 * s2 < 0 && s3 * s4 < 0)
        return true;
    return (s1 == 0 && within(a, b, c)) || (s2 == 0 && within(a, b, d)) || (s3 == 0 && within(c, d, a)) ||
           (s4 == 0 && within(c, d, b));
}

/* ---- pieces ---- */

static bool is_kept(const struct odp_simplifier *s, uint32_t i)
{
    return (s->flag[s->canon[i]] & POINT_KEPT) != 0;
}

/* Is POINT between the piece and the points it replaces? (Even-odd rule, exact.) */
static bool encloses(const struct work *w, const struct piece *p, uint32_t point)
{
    const struct at v = at_of(w, point);
    bool inside = false;
    if (v.x < p->west || v.x > p->east || v.y < p->south || v.y > p->north)
        return false;
    for (uint32_t i = p->from, end = p->to;; i = shape_next(p->part, i)) {
        const struct at a = at_of(w, i), b = at_of(w, i == end ? p->from : shape_next(p->part, i));
        if (same(a, v))
            return false;
        if ((a.y > v.y) != (b.y > v.y) && (side(a, b, v) > 0) == (b.y > a.y))
            inside = !inside;
        if (i == end)
            return inside;
    }
}

/* Do the source's edges under P and Q meet where they may not? Then so may these. Only checked while it is
 * cheap. */
static bool clashed_before(const struct work *w, const struct piece *p, const struct piece *q)
{
    unsigned steps = 0;
    for (uint32_t i = p->from; i != p->to; i = shape_next(p->part, i))
        for (uint32_t k = q->from; k != q->to; k = shape_next(q->part, k)) {
            if (++steps > 4096)
                return false;
            if (clash(at_of(w, i), at_of(w, shape_next(p->part, i)), at_of(w, k),
                      at_of(w, shape_next(q->part, k))))
                return true;
        }
    return false;
}

/* An end of Q is between P and the points that P replaces. */
static bool swallows(const struct work *w, const struct piece *p, const struct piece *q)
{
    const uint32_t *canon = w->s->canon, ends[] = {q->from, q->to};
    for (int k = 0; k < 2 && !p->bare; k++)
        if (canon[ends[k]] != canon[p->from] && canon[ends[k]] != canon[p->to] && encloses(w, p, ends[k]))
            return true;
    return false;
}

static bool clash_of(const struct work *w, const struct piece *p, const struct piece *q)
{
    return clash(at_of(w, p->from), at_of(w, p->to), at_of(w, q->from), at_of(w, q->to));
}

static void compare(struct work *w, struct piece *p, struct piece *q)
{
    if (p->bare && q->bare)
        return;
    bool crossed = clash_of(w, p, q) && !clashed_before(w, p, q);
    p->wrong = p->wrong || crossed || swallows(w, p, q);
    q->wrong = q->wrong || crossed || swallows(w, q, p);
}

/* ---- a round ---- */

static void add_piece(struct work *w, const struct shape_part *part, uint32_t from, uint32_t to)
{
    const int32_t *xy = w->s->xy + 2 * (size_t)from;
    struct piece p = {part, from, to, xy[0], xy[1], xy[0], xy[1], shape_next(part, from) == to, false};
    p.wrong = !p.bare && w->s->canon[from] == w->s->canon[to];
    for (uint32_t i = from; i != to;) {
        i = shape_next(part, i);
        xy = w->s->xy + 2 * (size_t)i;
        p.west = xy[0] < p.west ? xy[0] : p.west;
        p.east = xy[0] > p.east ? xy[0] : p.east;
        p.south = xy[1] < p.south ? xy[1] : p.south;
        p.north = xy[1] > p.north ? xy[1] : p.north;
    }
    odp_buffer_add(&w->list, &p, sizeof p);
}

/* Is the way from FROM to TO new? Between two junctions it is a single edge that several rings may have: each
 * enters it, which costs a little and harms nothing, because edges of the source are not compared with each
 * other. */
static bool is_first(const struct odp_simplifier *s, const struct shape_part *p, uint32_t from, uint32_t to)
{
    uint32_t i = shape_next(p, from);
    if (i != to)
        return s->canon[i] == i;
    if (!(s->flag[s->canon[from]] & POINT_JUNCTION))
        return s->canon[from] == from;
    return (s->flag[s->canon[to]] & POINT_JUNCTION) || s->canon[to] == to;
}

static enum odp_status find_pieces(struct work *w)
{
    const struct odp_simplifier *s = w->s;
    odp_buffer_clear(&w->list);
    for (size_t k = 0; k < s->nparts; k++) {
        const struct shape_part *p = &s->parts[k];
        uint32_t start = p->first, end = p->first + p->n;
        while (p->kind == PART_RING && start < end && !is_kept(s, start))
            start++;
        if (p->kind != PART_RING || p->n < 3 || start == end)
            continue;
        uint32_t from = start;
        for (uint32_t i = shape_next(p, start), n = 0; n < p->n; n++, i = shape_next(p, i)) {
            if (!is_kept(s, i))
                continue;
            if (is_first(s, p, from, i))
                add_piece(w, p, from, i);
            from = i;
        }
    }
    w->pieces = (void *)w->list.ptr;
    w->n = w->list.len / sizeof *w->pieces;
    return odp_buffer_status(&w->list);
}

static int by_west(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    return p->west != q->west ? (p->west > q->west) - (p->west < q->west)
                              : (p->from > q->from) - (p->from < q->from);
}

/* The weightiest point of each wrong piece is kept from now on. Returns how many. */
static size_t split(struct work *w)
{
    struct odp_simplifier *s = w->s;
    size_t n = 0;
    for (size_t k = 0; k < w->n; k++) {
        const struct piece *p = &w->pieces[k];
        if (!p->wrong || p->bare)
            continue;
        uint32_t best = shape_next(p->part, p->from);
        for (uint32_t i = best; i != p->to; i = shape_next(p->part, i))
            best = s->weight[s->canon[i]] > s->weight[s->canon[best]] ? i : best;
        s->flag[s->canon[best]] |= POINT_KEPT;
        n++;
    }
    return n;
}

/* All pairs whose boxes, grown by the step, meet. */
static void sweep(struct work *w, void (*pair)(struct work *, struct piece *, struct piece *))
{
    int64_t more = w->step > 1 ? w->step : 0;
    for (size_t i = 0; i < w->n; i++) {
        struct piece *p = &w->pieces[i];
        for (size_t k = i + 1; k < w->n && w->pieces[k].west <= p->east + more && w->left > 0; k++, w->left--)
            if (w->pieces[k].south <= p->north + more && p->south <= w->pieces[k].north + more)
                pair(w, p, &w->pieces[k]);
    }
}

/* *DONE: nothing was wrong. */
static enum odp_status look(struct work *w, bool *done)
{
    if (find_pieces(w) != ODP_OK)
        return ODP_FAIL;
    if (w->n > 0)
        qsort(w->pieces, w->n, sizeof *w->pieces, by_west);
    sweep(w, compare);
    *done = split(w) == 0 || w->left == 0;
    return ODP_OK;
}

/* ---- how many decimals ---- */

/* A clash of rounded pieces only, not of exact ones. */
static void compare_rounded(struct work *w, struct piece *p, struct piece *q)
{
    struct work exact = *w;
    exact.step = 1;
    if (!(p->wrong && q->wrong) && clash_of(w, p, q) && !clash_of(&exact, p, q))
        p->wrong = q->wrong = true;
}

/* How many pieces do not survive, or clash, when coordinates are rounded to w->step? */
static size_t count_clashes(struct work *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        w->pieces[i].wrong = same(at_of(w, w->pieces[i].from), at_of(w, w->pieces[i].to));
    sweep(w, compare_rounded);
    for (size_t i = 0; i < w->n; i++)
        n += w->pieces[i].wrong;
    return n;
}

/* Coordinates can be rounded to STEP, but for a few points (one in SPARED) that keep all decimals. Each round
 * spares both ends of what clashes, and what is exact does not: so this ends. */
static bool bears(struct work *w, int32_t step)
{
    enum { SPARED = 16 };
    struct odp_simplifier *s = w->s;
    w->step = step;
    for (size_t n, spared = 0; (n = count_clashes(w)) > 0 && w->left > 0;) {
        spared += n;
        if (spared > w->n / SPARED + SPARED)
            break;
        for (size_t i = 0; i < w->n; i++)
            if (w->pieces[i].wrong) {
                s->flag[s->canon[w->pieces[i].from]] |= POINT_FINE;
                s->flag[s->canon[w->pieces[i].to]] |= POINT_FINE;
            }
    }
    for (size_t i = 0; i < w->n; i++)
        if (w->pieces[i].wrong)
            return false;
    return w->left > 0;
}

/* The fewest decimals that the distances between points are worth: a step is a twentieth of their mean or
 * less. Points alone have five: about a metre. */
static int least_places(const struct work *w)
{
    double sum = 0;
    int places = MOST_PLACES;
    for (size_t i = 0; i < w->n; i++) {
        const struct piece *p = &w->pieces[i];
        const double across = (double)p->east - p->west, up = (double)p->north - p->south;
        sum += across > up ? across : up;
    }
    while (places > LEAST_PLACES && w->n > 0 && sum / (double)w->n >= 20.0 * shape_step(places - 1))
        places--;
    return places;
}

enum odp_status shape_untangle(struct odp_simplifier *s)
{
    struct work w = {.s = s, .left = COMPARISONS, .step = 1};
    enum odp_status status = ODP_OK;
    for (bool done = false; !done && status == ODP_OK;)
        status = look(&w, &done);
    for (s->places = status == ODP_OK ? least_places(&w) : ALL_PLACES; s->places < ALL_PLACES; s->places++) {
        w.left = COMPARISONS;
        for (size_t i = 0; i < s->npoints; i++)
            s->flag[i] &= (uint8_t)~POINT_FINE;
        if (bears(&w, shape_step(s->places)))
            break;
    }
    odp_buffer_release(&w.list);
    return status;
}
