/* What was cut too far is put back, where rings would come to cross themselves or each other, or to change sides.
 *
 * The border of a ring is a chain of SPANS: from one point that was kept to the next. A span's box holds all of its points, also those that were cut, so it
 * holds whatever becomes of it, and one tree of boxes does for the whole work. A span is in PIECES, at first one; a piece is what is drawn as one line.
 *
 * A piece is wrong where it meets another one elsewhere than at a point that both end in, or where a point of another piece lies between it and the points that it
 * stands for (then that point has changed sides: an island swallowed by a straightened coast). It is split at its weightiest point, and the halves are
 * looked at again; what the new point lies inside of, too. In the end a piece is an edge of the source, so this ends. What crosses in the source already is
 * left alone. */
#include "write/map/borders_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"

struct span {
    uint32_t part, from, to;
};
struct piece {
    uint32_t span, from, to;
    bool begun;                  /* of those that next_piece has given */
};

struct work {
    struct odp_simplifier *s;
    struct span *spans;
    size_t nspans, cap_spans;
    struct shape_tree tree;
    struct piece *queue;
    size_t nqueue, cap_queue;
    uint64_t left;               /* comparisons that may still be made */
    int32_t step;                /* coordinates are compared rounded to it */
    /* of a question to the tree */
    struct piece piece;
    struct shape_box box;
    bool bare, split, failed;    /* bare: the piece is an edge of the source */
    uint32_t point;
};

/* So many pairs of pieces are compared at most: more only where thousands of rings lie upon each other, which nothing here can make right. */
#define COMPARISONS UINT64_C(400000000)

/* ---- two lines ---- */

struct at {
    int64_t x, y;
};

static struct at at_of(const struct work *w, uint32_t point)
{
    const int32_t *p = w->s->xy + 2 * (size_t)point;
    return w->step > 1 ? (struct at){shape_round(p[0], w->step), shape_round(p[1], w->step)} : (struct at){p[0], p[1]};
}

__extension__ typedef __int128 wide;

/* > 0: C lies to the left of A B. Exact. */
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
    return (a.x < b.x ? a.x <= p.x && p.x <= b.x : b.x <= p.x && p.x <= a.x) && (a.y < b.y ? a.y <= p.y && p.y <= b.y : b.y <= p.y && p.y <= a.y);
}

/* Both begin at P: do they run over each other? */
static bool overlap_from(struct at p, struct at a, struct at b)
{
    return side(p, a, b) == 0 && ((a.x - p.x) * (wide)(b.x - p.x) + (a.y - p.y) * (wide)(b.y - p.y)) > 0;
}

/* Do A B and C D meet elsewhere than at an end that they share? */
static bool clash(struct at a, struct at b, struct at c, struct at d)
{
    if ((a.x > b.x ? a.x : b.x) < (c.x < d.x ? c.x : d.x) || (c.x > d.x ? c.x : d.x) < (a.x < b.x ? a.x : b.x) ||
        (a.y > b.y ? a.y : b.y) < (c.y < d.y ? c.y : d.y) || (c.y > d.y ? c.y : d.y) < (a.y < b.y ? a.y : b.y))
        return false;
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
    return (s1 == 0 && within(a, b, c)) || (s2 == 0 && within(a, b, d)) || (s3 == 0 && within(c, d, a)) || (s4 == 0 && within(c, d, b));
}

/* ---- chains ---- */

static const struct shape_part *part_of(const struct work *w, const struct piece *p)
{
    return &w->s->parts[w->spans[p->span].part];
}

static bool is_kept(const struct odp_simplifier *s, uint32_t i)
{
    return (s->flag[s->canon[i]] & POINT_KEPT) != 0;
}

static bool is_bare(const struct work *w, const struct piece *p)
{
    return shape_next(part_of(w, p), p->from) == p->to;
}

static void grow(struct shape_box *b, const int32_t *xy)
{
    b->west = xy[0] < b->west ? xy[0] : b->west;
    b->east = xy[0] > b->east ? xy[0] : b->east;
    b->south = xy[1] < b->south ? xy[1] : b->south;
    b->north = xy[1] > b->north ? xy[1] : b->north;
}

static struct shape_box box_of(const struct work *w, const struct piece *p)
{
    const struct shape_part *part = part_of(w, p);
    const int32_t *xy = w->s->xy + 2 * (size_t)p->from;
    struct shape_box b = {xy[0], xy[1], xy[0], xy[1]};
    uint32_t i = p->from;
    do {
        i = shape_next(part, i);
        grow(&b, w->s->xy + 2 * (size_t)i);
    } while (i != p->to);
    return b;
}

static bool box_has(const struct shape_box *b, const int32_t *xy)
{
    return b->west <= xy[0] && xy[0] <= b->east && b->south <= xy[1] && xy[1] <= b->north;
}

/* Does POINT lie between the piece and the points it stands for? (Even-odd rule, exact.) */
static bool encloses(const struct work *w, const struct piece *p, uint32_t point)
{
    const struct shape_part *part = part_of(w, p);
    const struct odp_simplifier *s = w->s;
    const struct at v = {s->xy[2 * (size_t)point], s->xy[2 * (size_t)point + 1]};
    bool inside = false;
    for (uint32_t i = p->from, end = p->to;; i = shape_next(part, i)) {
        uint32_t j = i == end ? p->from : shape_next(part, i);
        const struct at a = {s->xy[2 * (size_t)i], s->xy[2 * (size_t)i + 1]}, b = {s->xy[2 * (size_t)j], s->xy[2 * (size_t)j + 1]};
        if (same(a, v))
            return false;
        if ((a.y > v.y) != (b.y > v.y) && (side(a, b, v) > 0) == (b.y > a.y))
            inside = !inside;
        if (i == end)
            return inside;
    }
}

/* Do the source's edges that P and Q stand for meet where they may not? Then so may these. Only looked at while it is cheap. */
static bool clashed_before(const struct work *w, const struct piece *p, const struct piece *q)
{
    const struct shape_part *pp = part_of(w, p), *qq = part_of(w, q);
    uint64_t steps = 0;
    for (uint32_t i = p->from; i != p->to; i = shape_next(pp, i))
        for (uint32_t k = q->from; k != q->to; k = shape_next(qq, k)) {
            if (++steps > 4096)
                return false;
            if (clash(at_of(w, i), at_of(w, shape_next(pp, i)), at_of(w, k), at_of(w, shape_next(qq, k))))
                return true;
        }
    return false;
}

/* ---- putting back ---- */

static bool push(struct work *w, uint32_t span, uint32_t from, uint32_t to)
{
    if (w->nqueue == w->cap_queue) {
        size_t cap = w->cap_queue != 0 ? w->cap_queue * 2 : 1024;
        struct piece *grown = odp_realloc_array(w->queue, cap, sizeof *grown);
        if (grown == NULL)
            return !(w->failed = true);
        w->queue = grown;
        w->cap_queue = cap;
    }
    w->queue[w->nqueue++] = (struct piece){span, from, to, true};
    return true;
}

/* Pieces of SPAN one after the other, from {span, from, from} on; false: that was the last. */
static bool next_piece(const struct work *w, struct piece *p)
{
    const struct span *span = &w->spans[p->span];
    const struct shape_part *part = &w->s->parts[span->part];
    if (p->begun && p->to == span->to)
        return false;
    p->begun = true;
    p->from = p->to;
    do
        p->to = shape_next(part, p->to);
    while (p->to != span->to && !is_kept(w->s, p->to));
    return true;
}

static struct piece first_of(const struct work *w, uint32_t span)
{
    return (struct piece){span, w->spans[span].from, w->spans[span].from, false};
}

/* Another piece around the new point is looked at again. */
static bool visit_point(void *ctx, uint32_t span)
{
    struct work *w = ctx;
    const int32_t *xy = w->s->xy + 2 * (size_t)w->point;
    for (struct piece q = first_of(w, span); next_piece(w, &q);) {
        if (is_bare(w, &q))
            continue;
        struct shape_box box = box_of(w, &q);
        if (box_has(&box, xy) && encloses(w, &q, w->point) && !push(w, q.span, q.from, q.to))
            return false;
    }
    return true;
}

/* P's weightiest point is kept from now on. */
static void split(struct work *w, const struct piece *p)
{
    const struct shape_part *part = part_of(w, p);
    struct odp_simplifier *s = w->s;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = shape_next(part, p->from); i != p->to; i = shape_next(part, i))
        if (best == UINT32_MAX || s->weight[s->canon[i]] > s->weight[s->canon[best]])
            best = i;
    s->flag[s->canon[best]] |= POINT_KEPT;
    w->point = best;
    const int32_t *xy = s->xy + 2 * (size_t)best;
    const struct shape_box box = {xy[0], xy[1], xy[0], xy[1]};
    if (push(w, p->span, p->from, best) && push(w, p->span, best, p->to))
        shape_tree_ask(&w->tree, &box, visit_point, w);
}

static bool ends_inside(const struct work *w, const struct piece *q)
{
    const uint32_t ends[] = {q->from, q->to};
    for (int k = 0; k < 2; k++)
        if (box_has(&w->box, w->s->xy + 2 * (size_t)ends[k]) && w->s->canon[ends[k]] != w->s->canon[w->piece.from] &&
            w->s->canon[ends[k]] != w->s->canon[w->piece.to] && encloses(w, &w->piece, ends[k]))
            return true;
    return false;
}

/* The piece that is looked at against those of SPAN. */
static bool visit_span(void *ctx, uint32_t span)
{
    struct work *w = ctx;
    for (struct piece q = first_of(w, span); next_piece(w, &q);) {
        const struct piece *p = &w->piece;
        if (q.span == p->span && q.from == p->from)
            continue;
        if (w->left == 0)
            return false;
        w->left--;
        bool bare = is_bare(w, &q);
        if (w->bare && bare)
            continue;
        if (clash(at_of(w, p->from), at_of(w, p->to), at_of(w, q.from), at_of(w, q.to)) && !clashed_before(w, p, &q)) {
            w->split = !w->bare;
            if (!bare)
                split(w, &q);
            if (w->split || w->failed)
                return false;
            q = first_of(w, span); /* its pieces are others now */
            continue;
        }
        if (!w->bare && ends_inside(w, &q)) {
            w->split = true;
            return false;
        }
    }
    return true;
}

static void look_at(struct work *w, struct piece p)
{
    const struct shape_part *part = part_of(w, &p);
    for (uint32_t i = shape_next(part, p.from); i != p.to; i = shape_next(part, i))
        if (is_kept(w->s, i))
            return; /* it was split meanwhile, and its halves are in the queue */
    w->piece = p;
    w->bare = is_bare(w, &p);
    w->split = !w->bare && w->s->canon[p.from] == w->s->canon[p.to];
    w->box = box_of(w, &p);
    if (!w->split)
        shape_tree_ask(&w->tree, &w->box, visit_span, w);
    if (w->split && !w->failed)
        split(w, &p);
}

/* ---- all of them ---- */

static enum odp_status add_span(struct work *w, uint32_t part, uint32_t from, uint32_t to)
{
    if (w->nspans == w->cap_spans) {
        size_t cap = w->cap_spans != 0 ? w->cap_spans * 2 : 4096;
        struct span *grown = odp_realloc_array(w->spans, cap, sizeof *grown);
        if (grown == NULL)
            return ODP_FAIL;
        w->spans = grown;
        w->cap_spans = cap;
    }
    w->spans[w->nspans++] = (struct span){part, from, to};
    return ODP_OK;
}

/* Whether the way from FROM to TO is there for the first time. One between two junctions is a single edge that several rings may have: each enters it, which
 * costs a little and harms nothing, because edges of the source are not compared with each other. */
static bool is_first(const struct odp_simplifier *s, const struct shape_part *p, uint32_t from, uint32_t to)
{
    uint32_t i = shape_next(p, from);
    if (i != to)
        return s->canon[i] == i;
    if (!(s->flag[s->canon[from]] & POINT_JUNCTION))
        return s->canon[from] == from;
    return (s->flag[s->canon[to]] & POINT_JUNCTION) || s->canon[to] == to;
}

static enum odp_status find_spans(struct work *w)
{
    const struct odp_simplifier *s = w->s;
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
            if (is_first(s, p, from, i) && add_span(w, (uint32_t)k, from, i) != ODP_OK)
                return ODP_FAIL;
            from = i;
        }
    }
    return ODP_OK;
}

static enum odp_status plant(struct work *w)
{
    struct shape_box *boxes = odp_realloc_array(NULL, w->nspans + 1, sizeof *boxes);
    if (boxes == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < w->nspans; i++) {
        const struct piece whole = {(uint32_t)i, w->spans[i].from, w->spans[i].to, true};
        boxes[i] = box_of(w, &whole);
    }
    enum odp_status status = w->nspans > 0 ? shape_tree_make(&w->tree, boxes, w->nspans) : ODP_OK;
    free(boxes);
    return status;
}

static enum odp_status put_back(struct work *w)
{
    for (size_t i = w->nspans; i-- > 0 && !w->failed;) {
        const struct piece whole = {(uint32_t)i, w->spans[i].from, w->spans[i].to, true};
        if (!is_bare(w, &whole))
            (void)push(w, whole.span, whole.from, whole.to);
    }
    while (w->nqueue > 0 && !w->failed && w->left > 0)
        look_at(w, w->queue[--w->nqueue]);
    return w->failed ? ODP_FAIL : ODP_OK;
}

/* ---- how many decimals ---- */

/* A clash of rounded pieces that is none of exact ones. */
static bool visit_rounded(void *ctx, uint32_t span)
{
    struct work *w = ctx;
    int32_t step = w->step;
    for (struct piece q = first_of(w, span); next_piece(w, &q);) {
        const struct piece *p = &w->piece;
        if (q.span < p->span || (q.span == p->span && q.from == p->from))
            continue;
        if (w->left == 0)
            return false;
        w->left--;
        if (!clash(at_of(w, p->from), at_of(w, p->to), at_of(w, q.from), at_of(w, q.to)))
            continue;
        w->step = 1;
        w->split = !clash(at_of(w, p->from), at_of(w, p->to), at_of(w, q.from), at_of(w, q.to));
        w->step = step;
        if (w->split)
            return false;
    }
    return true;
}

static int32_t shifted(int32_t v, int32_t by)
{
    int64_t w = (int64_t)v + by;
    return w > INT32_MAX ? INT32_MAX : w < INT32_MIN ? INT32_MIN : (int32_t)w;
}

/* Whether nothing new clashes, and no piece vanishes, when coordinates are rounded to STEP. */
static bool bears(struct work *w, int32_t step)
{
    w->split = false;
    w->step = step;
    for (uint32_t i = 0; i < w->nspans && !w->split && w->left > 0; i++)
        for (struct piece p = first_of(w, i); !w->split && next_piece(w, &p);) {
            const int32_t *a = w->s->xy + 2 * (size_t)p.from;
            struct shape_box box = {a[0], a[1], a[0], a[1]};
            grow(&box, w->s->xy + 2 * (size_t)p.to);
            box = (struct shape_box){shifted(box.west, -step), shifted(box.south, -step), shifted(box.east, step), shifted(box.north, step)};
            w->piece = p;
            w->split = same(at_of(w, p.from), at_of(w, p.to));
            if (!w->split)
                shape_tree_ask(&w->tree, &box, visit_rounded, w);
        }
    w->step = 1;
    return !w->split && w->left > 0;
}

enum odp_status shape_untangle(struct odp_simplifier *s)
{
    struct work w = {.s = s, .left = COMPARISONS, .step = 1};
    enum odp_status status = find_spans(&w);
    if (status == ODP_OK)
        status = plant(&w);
    if (status == ODP_OK)
        status = put_back(&w);
    w.left = COMPARISONS;
    s->places = status != ODP_OK ? 7 : bears(&w, 100) ? 5 : bears(&w, 10) ? 6 : 7;
    shape_tree_release(&w.tree);
    free(w.queue);
    free(w.spans);
    return status;
}
