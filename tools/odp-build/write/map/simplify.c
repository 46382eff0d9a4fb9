#include "write/map/borders_internal.h"

#include <math.h>

enum { UNITS = 10000000 }; /* of a degree */

struct odp_simplifier *odp_simplifier_new(void)
{
    struct odp_arena arena = {0};
    struct odp_simplifier *s = odp_arena_zero(&arena, 1, sizeof *s);
    s->arena = arena;
    return s;
}

void odp_simplifier_free(struct odp_simplifier *s)
{
    if (s == NULL)
        return;
    odp_buffer_release(&s->took_xy);
    odp_buffer_release(&s->took_parts);
    odp_buffer_release(&s->took_polys);
    odp_buffer_release(&s->took_features);
    struct odp_arena arena = s->arena; /* S is in it */
    odp_arena_release(&arena);
}

/* ---- taking in ---- */

static int32_t units_of(double degrees)
{
    double v = round(degrees * UNITS);
    return v > INT32_MAX   ? INT32_MAX
           : v < INT32_MIN ? INT32_MIN
                           : (int32_t)v; /* 180 degrees are 1.8e9; NaN does not come here */
}

static void units_at(const struct odp_geom *g, uint32_t i, int32_t out[2])
{
    out[0] = units_of(g->xy[2 * (size_t)i]);
    out[1] = units_of(g->xy[2 * (size_t)i + 1]);
}

static bool equal(const int32_t a[2], const int32_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Points FROM .. TO of G without those that repeat the one before them, a ring's without its first again. */
static void add_part(struct odp_simplifier *s, const struct odp_geom *g, uint32_t from, uint32_t to,
                     enum part_kind kind)
{
    struct shape_part p = {.first = (uint32_t)s->npoints, .kind = kind};
    int32_t at[2], last[2] = {0, 0};
    if (kind == PART_RING && from < to)
        units_at(g, from, last);
    for (; kind == PART_RING && to > from + 1; to--) {
        units_at(g, to - 1, at);
        if (!equal(at, last))
            break;
    }
    for (uint32_t i = from; i < to; i++) {
        units_at(g, i, at);
        if (kind != PART_POINTS && p.n > 0 && equal(at, last))
            continue;
        odp_buffer_add(&s->took_xy, at, sizeof at);
        memcpy(last, at, sizeof last);
        p.n++;
    }
    s->npoints += p.n;
    s->nparts++;
    odp_buffer_add(&s->took_parts, &p, sizeof p);
}

void odp_simplifier_add(struct odp_simplifier *s, const struct odp_geom *g)
{
    struct shape_feature f = {.first_part = (uint32_t)s->nparts, .first_poly = (uint32_t)s->npolys};
    if (g != NULL && g->npoints > 0) {
        bool points = g->type == ODP_GEOM_POINT || g->type == ODP_GEOM_MULTIPOINT;
        f.type = g->type;
        for (uint32_t k = 0; k < g->nparts; k++)
            add_part(s, g, g->part[k], g->part[k + 1],
                     points            ? PART_POINTS
                     : g->poly != NULL ? PART_RING
                                       : PART_LINE);
        f.nparts = g->nparts;
        f.npolys = g->poly != NULL ? g->npolys : 0;
        odp_buffer_add(&s->took_polys, g->poly, f.npolys * sizeof *g->poly);
        s->npolys += f.npolys;
    }
    odp_buffer_add(&s->took_features, &f, sizeof f);
    s->nfeatures++;
}

/* The arrays, when all is there. */
static enum odp_status take_in(struct odp_simplifier *s)
{
    if (s->npoints >= UINT32_MAX || s->nparts >= UINT32_MAX)
        return odp_failure_set("simplify: more than 4,294,967,294 points", NULL, 0);
    if (odp_buffer_status(&s->took_xy) != ODP_OK || odp_buffer_status(&s->took_parts) != ODP_OK ||
        odp_buffer_status(&s->took_polys) != ODP_OK || odp_buffer_status(&s->took_features) != ODP_OK)
        return ODP_FAIL;
    s->xy = (void *)s->took_xy.ptr;
    s->parts = (void *)s->took_parts.ptr;
    s->polys = (void *)s->took_polys.ptr;
    s->features = (void *)s->took_features.ptr;
    s->flag = odp_arena_zero(&s->arena, s->npoints + 1, sizeof *s->flag);
    for (size_t k = 0; k < s->nparts; k++) {
        const struct shape_part *p = &s->parts[k];
        if (p->n > 0) {
            s->flag[p->first] |= POINT_FIRST;
            s->flag[p->first + p->n - 1] |= POINT_LAST;
        }
    }
    return ODP_OK;
}

/* ---- cutting ---- */

enum { BINS = 65536 };

static uint32_t bits_of(float weight)
{
    uint32_t bits; /* of floats that are not negative: in the same order */
    memcpy(&bits, &weight, sizeof bits);
    return bits;
}

/* Counts positions by weight: by its upper 16 bits; or, of those whose upper bits are UPPER, by the lower
 * ones. Returns all heavier ones. */
static uint64_t tally(const struct odp_simplifier *s, uint64_t *bins, bool lower, uint32_t upper)
{
    uint64_t heavier = 0;
    memset(bins, 0, BINS * sizeof *bins);
    for (size_t k = 0; k < s->nparts; k++) {
        const struct shape_part *p = &s->parts[k];
        for (uint32_t i = p->first; i < p->first + p->n; i++) {
            uint32_t bits = p->kind == PART_POINTS ? bits_of(INFINITY) : bits_of(s->weight[s->canon[i]]);
            if (!lower)
                bins[bits >> 16]++;
            else if (bits >> 16 == upper)
                bins[bits & 0xFFFF]++;
            else if (bits >> 16 > upper)
                heavier++;
        }
    }
    return heavier;
}

/* The smallest bin with no more than ROOM positions from it on. */
static uint32_t cut_at(const uint64_t *bins, uint64_t room)
{
    uint32_t i = BINS;
    for (uint64_t n = 0; i > 0 && n + bins[i - 1] <= room; i--)
        n += bins[i - 1];
    return i;
}

/* The least weight to keep, so that no more than POINTS positions remain. */
static float find_threshold(const struct odp_simplifier *s, uint64_t points)
{
    struct odp_arena arena = {0};
    uint64_t *bins = odp_arena_array(&arena, BINS, sizeof *bins), rings = 0;
    for (size_t k = 0; k < s->nparts; k++)
        rings += s->parts[k].kind == PART_RING;
    uint64_t room = points > rings ? points - rings : 0;
    (void)tally(s, bins, false, 0);
    uint32_t upper = cut_at(bins, room), bits = 0;
    if (upper > 0) {
        uint64_t heavier = tally(s, bins, true, upper - 1);
        uint32_t lower = cut_at(bins, room > heavier ? room - heavier : 0);
        bits = ((upper - 1) << 16) + lower;
    }
    odp_arena_release(&arena);
    float threshold;
    bits = bits < bits_of(INFINITY) ? bits : bits_of(INFINITY);
    memcpy(&threshold, &bits, sizeof threshold);
    return threshold;
}

/* A ring that runs over itself (twice around, say) may have lost all it has: each of its points went once. It
 * gets them back. */
static void rescue(struct odp_simplifier *s, const struct shape_part *p)
{
    uint32_t kept = 0;
    for (uint32_t i = p->first; i < p->first + p->n && kept < 2; i++)
        kept += (s->flag[s->canon[i]] & POINT_KEPT) != 0;
    for (uint32_t i = p->first; i < p->first + p->n && kept < 2; i++)
        s->flag[s->canon[i]] |= POINT_KEPT;
}

/* The larger side of what parts FROM .. TO - 1 cover, in units. */
static double extent(const struct odp_simplifier *s, size_t from, size_t to)
{
    double box[4];
    bool has = false;
    for (size_t k = from; k < to; k++)
        for (uint32_t i = s->parts[k].first; i < s->parts[k].first + s->parts[k].n; i++) {
            const double x = s->xy[2 * (size_t)i], y = s->xy[2 * (size_t)i + 1];
            odp_bbox_extend(box, &has, (const double[]){x, y, x, y});
        }
    return has ? fmax(box[2] - box[0], box[3] - box[1]) : 0;
}

/* Keeps the points of F that are worth as much as LEAST, or as what can be seen of F: of a point that shapes
 * share, the smallest of them decides. */
static void keep_points(struct odp_simplifier *s, const struct shape_feature *f, float least, double finest)
{
    if (finest > 0 && least < finest * finest)
        least = (float)(finest * finest);
    for (uint32_t k = 0; k < f->nparts; k++) {
        const struct shape_part *p = &s->parts[f->first_part + k];
        for (uint32_t i = p->first; i < p->first + p->n; i++)
            if (s->weight[s->canon[i]] >= least)
                s->flag[s->canon[i]] |= POINT_KEPT;
    }
}

static void cut(struct odp_simplifier *s, const struct odp_simplify_options *o)
{
    float largest = 0, threshold = find_threshold(s, o->points);
    const double finest = o->finest * UNITS;
    double whole = o->whole > 0 ? extent(s, 0, s->nparts) / o->whole : 0;
    for (size_t i = 0; i < s->nfeatures; i++) {
        const struct shape_feature *f = &s->features[i];
        double own = o->each > 0 ? extent(s, f->first_part, f->first_part + f->nparts) / o->each : 0;
        keep_points(s, f, threshold, fmax(finest, fmin(whole, own)));
    }
    for (size_t i = 0; i < s->npoints; i++)
        if (s->canon[i] == i && !(s->flag[i] & POINT_KEPT) && s->weight[i] > largest)
            largest = s->weight[i];
    for (size_t k = 0; k < s->nparts; k++)
        rescue(s, &s->parts[k]);
    s->tolerance = sqrt((double)largest) / UNITS;
}

/* For the largest feature there is: so giving out takes no memory. */
static void make_room_for_one(struct odp_simplifier *s)
{
    size_t points = 0, parts = 0, polys = 0;
    for (size_t i = 0; i < s->nfeatures; i++) {
        const struct shape_feature *f = &s->features[i];
        size_t n = 0;
        for (uint32_t k = 0; k < f->nparts; k++)
            n += s->parts[f->first_part + k].n + 4;
        points = n > points ? n : points;
        parts = f->nparts > parts ? f->nparts : parts;
        polys = f->npolys > polys ? f->npolys : polys;
    }
    s->out.xy = odp_arena_array(&s->arena, points + 1, 2 * sizeof *s->out.xy);
    s->out.part = odp_arena_array(&s->arena, parts + 1, sizeof *s->out.part);
    s->out.poly = odp_arena_array(&s->arena, polys + 1, sizeof *s->out.poly);
}

enum odp_status odp_simplifier_finish(struct odp_simplifier *s, const struct odp_simplify_options *o)
{
    if (take_in(s) != ODP_OK)
        return ODP_FAIL;
    shape_find_junctions(s);
    shape_weigh(s);
    cut(s, o);
    make_room_for_one(s);
    enum odp_status status = shape_untangle(s);
    return status == ODP_OK ? odp_arena_status(&s->arena) : status;
}

/* ---- giving out ---- */

size_t odp_simplifier_features(const struct odp_simplifier *s)
{
    return s->nfeatures;
}

double odp_simplifier_tolerance(const struct odp_simplifier *s)
{
    return s->tolerance;
}

static void put(struct odp_simplifier *s, uint32_t point, int32_t step)
{
    double *at = s->out.xy + 2 * (size_t)s->out.npoints++;
    at[0] = (double)shape_rounded(s, point, 0, step) / UNITS;
    at[1] = (double)shape_rounded(s, point, 1, step) / UNITS;
}

static void put_part(struct odp_simplifier *s, const struct shape_part *p, int32_t step)
{
    uint32_t from = s->out.npoints, first = UINT32_MAX;
    for (uint32_t i = p->first; i < p->first + p->n; i++)
        if (p->kind == PART_POINTS || (s->flag[s->canon[i]] & POINT_KEPT)) {
            put(s, i, step);
            first = first == UINT32_MAX ? i : first;
        }
    /* Closed; and what was no ring or line in the source either has as many positions as GeoJSON wants. */
    uint32_t least = p->kind == PART_RING ? 4 : p->kind == PART_LINE ? 2 : 0;
    if (p->kind == PART_RING && first != UINT32_MAX)
        put(s, first, step);
    while (first != UINT32_MAX && s->out.npoints - from < least)
        put(s, first, step);
}

bool odp_simplifier_get(struct odp_simplifier *s, size_t i, struct odp_geom *out)
{
    const struct shape_feature *f = &s->features[i];
    *out = (struct odp_geom){0};
    if (f->nparts == 0)
        return false;
    const int32_t step = shape_step(s->places);
    s->out.npoints = 0;
    s->out.part[0] = 0;
    for (uint32_t k = 0; k < f->nparts; k++) {
        put_part(s, &s->parts[f->first_part + k], step);
        s->out.part[k + 1] = s->out.npoints;
    }
    if (f->npolys > 0) {
        memcpy(s->out.poly, s->polys + f->first_poly, f->npolys * sizeof *s->out.poly);
        s->out.poly[f->npolys] = f->nparts;
    }
    *out = s->out;
    out->type = (enum odp_geom_type)f->type;
    out->nparts = f->nparts;
    out->npolys = f->npolys;
    out->poly = f->npolys > 0 ? s->out.poly : NULL;
    return true;
}
