#include "write/map/borders_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

enum { UNITS = 10000000 }; /* of a degree */

enum odp_status odp_simplifier_new(struct odp_simplifier **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? ODP_OK : odp_failure_set("allocate memory", NULL, ENOMEM);
}

void odp_simplifier_free(struct odp_simplifier *s)
{
    if (s == NULL)
        return;
    free(s->xy);
    free(s->flag);
    free(s->canon);
    free(s->weight);
    free(s->parts);
    free(s->polys);
    free(s->features);
    free(s->out.xy);
    free(s->out.part);
    free(s->out.poly);
    free(s);
}

/* ---- taking in ---- */

/* Room for N more of SIZE bytes in LIST; half as many again are kept ready, not as many again: it is most of
 * the memory. */
static void *more(void *list, size_t have, size_t *cap, size_t n, size_t size)
{
    if (n <= *cap - have)
        return list;
    size_t want = have + n + have / 2 + 64;
    void *grown = want > have ? odp_realloc_array(list, want, size) : NULL;
    if (grown != NULL)
        *cap = want;
    return grown;
}

static enum odp_status make_room(struct odp_simplifier *s, const struct odp_geom *g)
{
    size_t cap = s->cap_points, cap_again = s->cap_points;
    if (s->npoints + g->npoints >= UINT32_MAX || s->nparts + g->nparts >= UINT32_MAX)
        return odp_failure_set("simplify: more than 4,294,967,294 points", NULL, 0);
    int32_t *xy = more(s->xy, s->npoints, &cap, g->npoints, 2 * sizeof *xy);
    s->xy = xy != NULL ? xy : s->xy;
    uint8_t *flag = xy != NULL ? more(s->flag, s->npoints, &cap_again, g->npoints, sizeof *flag) : NULL;
    s->flag = flag != NULL ? flag : s->flag;
    struct shape_part *parts =
        flag != NULL ? more(s->parts, s->nparts, &s->cap_parts, g->nparts, sizeof *parts) : NULL;
    s->parts = parts != NULL ? parts : s->parts;
    uint32_t *polys =
        parts != NULL ? more(s->polys, s->npolys, &s->cap_polys, (size_t)g->npolys + 1, sizeof *polys) : NULL;
    s->polys = polys != NULL ? polys : s->polys;
    if (polys == NULL)
        return ODP_FAIL;
    s->cap_points = cap;
    return ODP_OK;
}

static int32_t units_of(double degrees)
{
    double v = round(degrees * UNITS);
    return v > INT32_MAX   ? INT32_MAX
           : v < INT32_MIN ? INT32_MIN
                           : (int32_t)v; /* 180 degrees are 1.8e9; NaN does not come here */
}

/* Points FROM .. TO of G without those that repeat the one before them. */
static void add_part(struct odp_simplifier *s, const struct odp_geom *g, uint32_t from, uint32_t to,
                     enum part_kind kind)
{
    struct shape_part *p = &s->parts[s->nparts++];
    *p = (struct shape_part){.first = (uint32_t)s->npoints, .kind = kind};
    for (uint32_t i = from; i < to; i++) {
        int32_t *at = s->xy + 2 * s->npoints;
        at[0] = units_of(g->xy[2 * (size_t)i]);
        at[1] = units_of(g->xy[2 * (size_t)i + 1]);
        if (kind != PART_POINTS && p->n > 0 && at[0] == at[-2] && at[1] == at[-1])
            continue;
        s->flag[s->npoints++] = 0;
        p->n++;
    }
    const int32_t *first = s->xy + 2 * (size_t)p->first;
    while (kind == PART_RING && p->n > 1 &&
           memcmp(first, s->xy + 2 * (s->npoints - 1), 2 * sizeof *first) == 0) {
        s->npoints--;
        p->n--;
    }
    if (p->n > 0) {
        s->flag[p->first] |= POINT_FIRST;
        s->flag[s->npoints - 1] |= POINT_LAST;
    }
}

enum odp_status odp_simplifier_add(struct odp_simplifier *s, const struct odp_geom *g)
{
    struct shape_feature *features = more(s->features, s->nfeatures, &s->cap_features, 1, sizeof *features);
    if (features == NULL)
        return ODP_FAIL;
    s->features = features;
    struct shape_feature *f = &features[s->nfeatures];
    *f = (struct shape_feature){.first_part = (uint32_t)s->nparts, .first_poly = (uint32_t)s->npolys};
    if (g != NULL && g->npoints > 0) {
        if (make_room(s, g) != ODP_OK)
            return ODP_FAIL;
        bool points = g->type == ODP_GEOM_POINT || g->type == ODP_GEOM_MULTIPOINT;
        f->type = g->type;
        for (uint32_t k = 0; k < g->nparts; k++)
            add_part(s, g, g->part[k], g->part[k + 1],
                     points            ? PART_POINTS
                     : g->poly != NULL ? PART_RING
                                       : PART_LINE);
        f->nparts = g->nparts;
        for (uint32_t k = 0; g->poly != NULL && k < g->npolys; k++)
            s->polys[s->npolys++] = g->poly[k];
        f->npolys = g->poly != NULL ? g->npolys : 0;
    }
    s->nfeatures++;
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

/* How many positions have each weight: by its upper 16 bits; or, of those whose upper bits are UPPER, by the
 * lower ones. Returns all that are heavier. */
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

/* The smallest bin from which on there are no more than ROOM. */
static uint32_t cut_at(const uint64_t *bins, uint64_t room)
{
    uint32_t i = BINS;
    for (uint64_t n = 0; i > 0 && n + bins[i - 1] <= room; i--)
        n += bins[i - 1];
    return i;
}

/* The least weight that stays, so that no more than POINTS positions do. */
static enum odp_status find_threshold(const struct odp_simplifier *s, uint64_t points, float *out)
{
    uint64_t *bins = odp_realloc_array(NULL, BINS, sizeof *bins), rings = 0;
    if (bins == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < s->nparts; k++)
        rings += s->parts[k].kind == PART_RING;
    uint64_t room = points > rings ? points - rings : 0;
    (void)tally(s, bins, false, 0);
    uint32_t upper = cut_at(bins, room), bits;
    if (upper == 0) {
        bits = 0;
    } else {
        uint64_t heavier = tally(s, bins, true, upper - 1);
        uint32_t lower = cut_at(bins, room > heavier ? room - heavier : 0);
        bits = ((upper - 1) << 16) + lower;
    }
    free(bins);
    bits = bits < bits_of(INFINITY) ? bits : bits_of(INFINITY);
    memcpy(out, &bits, sizeof bits);
    return ODP_OK;
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

static enum odp_status cut(struct odp_simplifier *s, const struct odp_simplify_options *o)
{
    float finest = (float)(o->finest * UNITS * o->finest * UNITS), threshold, largest = 0;
    if (find_threshold(s, o->points, &threshold) != ODP_OK)
        return ODP_FAIL;
    if (threshold < finest)
        threshold = finest;
    for (size_t i = 0; i < s->npoints; i++) {
        float w = s->weight[i];
        if (s->canon[i] != i)
            continue;
        if (w >= threshold)
            s->flag[i] |= POINT_KEPT;
        else if (w > largest)
            largest = w;
    }
    for (size_t k = 0; k < s->nparts; k++)
        rescue(s, &s->parts[k]);
    s->tolerance = sqrt((double)largest) / UNITS;
    return ODP_OK;
}

/* For the largest feature there is: so giving out cannot fail. */
static enum odp_status make_room_for_one(struct odp_simplifier *s)
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
    s->out.xy = odp_realloc_array(s->out.xy, points + 1, 2 * sizeof *s->out.xy);
    s->out.part = odp_realloc_array(s->out.part, parts + 1, sizeof *s->out.part);
    s->out.poly = odp_realloc_array(s->out.poly, polys + 1, sizeof *s->out.poly);
    return s->out.xy != NULL && s->out.part != NULL && s->out.poly != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status odp_simplifier_finish(struct odp_simplifier *s, const struct odp_simplify_options *o)
{
    int32_t *xy = odp_realloc_array(s->xy, s->npoints + 1,
                                    2 * sizeof *xy); /* what was kept ready is not needed any more */
    if (xy == NULL)
        return ODP_FAIL;
    s->xy = xy;
    s->cap_points = s->npoints + 1;
    if (shape_find_junctions(s) != ODP_OK || shape_weigh(s) != ODP_OK || cut(s, o) != ODP_OK ||
        make_room_for_one(s) != ODP_OK)
        return ODP_FAIL;
    return shape_untangle(s);
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
    at[0] = (double)shape_round(s->xy[2 * (size_t)point], step) / UNITS;
    at[1] = (double)shape_round(s->xy[2 * (size_t)point + 1], step) / UNITS;
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
    int32_t step = s->places == 5 ? 100 : s->places == 6 ? 10 : 1;
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
