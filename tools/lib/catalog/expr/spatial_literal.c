/* The literal of a spatial function: made, checked, given back; of boxes and geometries (of text: spatial_text.c). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "catalog/expr/spatial_internal.h"

/* of a polygon whose sides are asked one by one */

static const char *const names[ODP_S_COUNT] = {"S_INTERSECTS", "S_WITHIN",  "S_CONTAINS", "S_DISJOINT",
                                               "S_EQUALS",     "S_TOUCHES", "S_OVERLAPS", "S_CROSSES"};

int odp_spatial_op_find(struct odp_slice name)
{
    for (int i = 0; i < ODP_S_COUNT; i++)
        if (strlen(names[i]) == name.len && strncasecmp(names[i], name.ptr, name.len) == 0)
            return i;
    return -1;
}

const char *odp_spatial_op_name(enum odp_spatial_op op)
{
    return (unsigned)op < ODP_S_COUNT ? names[op] : "";
}

/* All others are the same either way round (crosses, too: DE-9IM turns its matrix with the dimensions). */
enum odp_spatial_op odp_spatial_flipped(enum odp_spatial_op op)
{
    return op == ODP_S_WITHIN ? ODP_S_CONTAINS : op == ODP_S_CONTAINS ? ODP_S_WITHIN : op;
}

enum odp_status spatial_new(struct odp_spatial **out, enum odp_spatial_op op, bool flipped)
{
    struct odp_spatial *s = calloc(1, sizeof *s);
    *out = s;
    if (s == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    s->op = flipped ? odp_spatial_flipped(op) : op;
    odp_arena_init(&s->arena);
    s->pool = odp_realloc_array(NULL, 1, sizeof *s->pool);
    if (s->pool != NULL && pthread_mutex_init(&s->pool->lock, NULL) == 0) {
        s->pool->idle = NULL;
        return ODP_OK;
    }
    free(s->pool);
    free(s);
    *out = NULL;
    return odp_failure_set("mutex", NULL, 0);
}

void odp_spatial_free(struct odp_spatial *s)
{
    if (s == NULL)
        return;
    while (s->pool->idle != NULL) {
        struct spatial_worker *w = s->pool->idle;
        s->pool->idle = w->next;
        spatial_worker_free(w);
    }
    pthread_mutex_destroy(&s->pool->lock);
    free(s->pool);
    odp_arena_release(&s->arena);
    free(s);
}

bool spatial_op_relates(enum odp_spatial_op op)
{
    return op != ODP_S_INTERSECTS && op != ODP_S_DISJOINT;
}

static enum odp_status check(const struct odp_spatial *s, struct spatial_worker *w, const struct odp_geom *g,
                             struct odp_arena *a, const char **reason, const char **place)
{
    enum odp_status st = spatial_check(w, g, a, reason, place);
    bool line = g->type == ODP_GEOM_LINESTRING || g->type == ODP_GEOM_MULTILINESTRING;
    if (st == ODP_OK && line && spatial_op_relates(s->op))
        st = spatial_check_simple(w, g);
    return st;
}

enum odp_status spatial_finish(struct odp_spatial *s, struct odp_arena *a, uint32_t *which, const char **reason,
                               const char **place)
{
    struct spatial_worker *w = NULL;
    bool has = false;
    enum odp_status st = spatial_worker_new(&w);
    *reason = *place = NULL;
    *which = 0;
    for (uint32_t i = 0; i < s->nmembers && st == ODP_OK; i++) {
        odp_bbox_extend(s->box, &has, s->members[i].bbox);
        *which = i;
        if (!s->is_box)
            st = check(s, w, &s->members[i], a, reason, place);
    }
    if (st == ODP_OK) {
        st = spatial_worker_prepare(w, s);
        if (st == ODP_BAD && (*reason = odp_arena_str(a, w->message)) == NULL)
            st = ODP_FAIL;
    }
    if (st == ODP_OK)
        s->pool->idle = w;
    else
        spatial_worker_free(w);
    return st;
}

/* West to east; a box without width or height is a line or a point. */
static enum odp_status add_box(struct odp_spatial *s, double w, double south, double e, double n)
{
    const double corners[5][2] = {{w, south}, {e, south}, {e, n}, {w, n}, {w, south}};
    bool wide = w < e, high = south < n;
    struct odp_geom *g = &s->members[s->nmembers];
    *g = (struct odp_geom){.type = wide && high   ? ODP_GEOM_POLYGON
                                   : wide || high ? ODP_GEOM_LINESTRING
                                                  : ODP_GEOM_POINT,
                           .bbox = {w, south, e, n},
                           .npoints = wide && high   ? 5
                                      : wide || high ? 2
                                                     : 1,
                           .nparts = 1,
                           .npolys = wide && high ? 1 : 0};
    g->xy = odp_arena_array(&s->arena, g->npoints, 2 * sizeof *g->xy);
    g->part = odp_arena_array(&s->arena, 4, sizeof *g->part);
    memcpy(g->xy, corners, g->npoints * sizeof *corners);
    if (g->npoints == 2)
        memcpy(g->xy + 2, corners[2], sizeof *corners);
    g->part[0] = 0;
    g->part[1] = g->npoints;
    g->part[2] = 0;
    g->part[3] = 1;
    g->poly = g->npolys > 0 ? g->part + 2 : NULL;
    s->nmembers++;
    return ODP_OK;
}

/* Two polygons of four corners as one geometry. */
static enum odp_status join_boxes(struct odp_spatial *s)
{
    struct odp_geom *a = &s->members[0], *b = &s->members[1];
    double *xy = odp_arena_array(&s->arena, 20, sizeof *xy);
    uint32_t *part = odp_arena_array(&s->arena, 6, sizeof *part);
    bool has = true;
    memcpy(xy, a->xy, 10 * sizeof *xy);
    memcpy(xy + 10, b->xy, 10 * sizeof *xy);
    for (uint32_t i = 0; i < 3; i++) {
        part[i] = 5 * i;
        part[3 + i] = i;
    }
    odp_bbox_extend(a->bbox, &has, b->bbox);
    a->type = ODP_GEOM_MULTIPOLYGON;
    a->npoints = 10;
    a->nparts = a->npolys = 2;
    a->xy = xy;
    a->part = part;
    a->poly = part + 3;
    s->nmembers = 1;
    return ODP_OK;
}

enum odp_status spatial_set_box(struct odp_spatial *s, const double c[4])
{
    s->is_box = true;
    memcpy(s->corners, c, sizeof s->corners);
    s->members = odp_arena_zero(&s->arena, 2, sizeof *s->members);
    if (c[0] <= c[2])
        return add_box(s, c[0], c[1], c[2], c[3]);
    /* Across 180 degrees: up to there, and from there on. Where both must be one geometry, a half without width is left out. */
    bool one = spatial_op_relates(s->op);
    enum odp_status st = ODP_OK;
    if (!one || c[0] < 180 || c[2] == -180)
        st = add_box(s, c[0], c[1], 180, c[3]);
    if (st == ODP_OK && (!one || c[2] > -180))
        st = add_box(s, -180, c[1], c[2], c[3]);
    if (st != ODP_OK || !one || s->nmembers == 1)
        return st;
    if (s->members[0].type == ODP_GEOM_POLYGON)
        return join_boxes(s);
    s->nmembers = 1; /* two lines of one latitude: the first will do for what nobody means */
    return ODP_OK;
}

enum odp_status odp_spatial_box(struct odp_spatial **out, enum odp_spatial_op op, const double box[4])
{
    uint32_t which;
    const char *reason, *place;
    *out = NULL;
    for (int k = 0; k < 4; k++)
        if (!(fabs(box[k]) <= (k % 2 == 0 ? 180 : 90)))
            return ODP_BAD;
    if (box[1] > box[3])
        return ODP_BAD;
    struct odp_spatial *s = NULL;
    enum odp_status st = spatial_new(&s, op, false);
    if (st == ODP_OK)
        st = spatial_set_box(s, box);
    if (st == ODP_OK)
        st = spatial_finish(s, &s->arena, &which, &reason, &place);
    if (st == ODP_OK)
        *out = s;
    else
        odp_spatial_free(s);
    return st;
}

/* The arrays of G in the arena of S. */
static enum odp_status copy_geometry(struct odp_spatial *s, const struct odp_geom *g)
{
    struct odp_geom *m = odp_arena_zero(&s->arena, 1, sizeof *m);
    *m = *g;
    m->z = NULL;
    m->xy = odp_arena_array(&s->arena, 2 * (size_t)g->npoints + 1, sizeof *m->xy);
    m->part = odp_arena_array(&s->arena, (size_t)g->nparts + 1, sizeof *m->part);
    m->poly = g->poly != NULL ? odp_arena_array(&s->arena, (size_t)g->npolys + 1, sizeof *m->poly) : NULL;
    if ((g->poly != NULL && m->poly == NULL))
        return ODP_FAIL;
    memcpy(m->xy, g->xy, 2 * (size_t)g->npoints * sizeof *m->xy);
    memcpy(m->part, g->part, ((size_t)g->nparts + 1) * sizeof *m->part);
    if (g->poly != NULL)
        memcpy(m->poly, g->poly, ((size_t)g->npolys + 1) * sizeof *m->poly);
    s->members = m;
    s->nmembers = 1;
    memcpy(s->box, g->bbox, sizeof s->box);
    return ODP_OK;
}

enum odp_status odp_spatial_of(struct odp_spatial **out, enum odp_spatial_op op, const struct odp_geom *g)
{
    struct odp_spatial *s = NULL;
    struct spatial_worker *w = NULL;
    *out = NULL;
    if (g->npoints == 0)
        return ODP_BAD;
    enum odp_status st = spatial_new(&s, op, false);
    if (st == ODP_OK)
        st = copy_geometry(s, g);
    if (st == ODP_OK)
        st = spatial_worker_new(&w);
    if (st == ODP_OK)
        st = spatial_worker_prepare(w, s);
    if (st != ODP_OK) {
        spatial_worker_free(w);
        odp_spatial_free(s);
        return st;
    }
    s->pool->idle = w;
    *out = s;
    return ODP_OK;
}

bool odp_spatial_is_box(const struct odp_spatial *s, double box[4])
{
    memcpy(box, s->corners, sizeof s->corners);
    return s->op == ODP_S_INTERSECTS && s->is_box && s->corners[0] <= s->corners[2];
}

unsigned odp_spatial_boxes(const struct odp_spatial *s, double boxes[2][4])
{
    if (s->op == ODP_S_DISJOINT)
        return 0;
    if (!s->is_box || s->corners[0] <= s->corners[2]) {
        memcpy(boxes[0], s->box, sizeof boxes[0]);
        return 1;
    }
    for (int i = 0; i < 2; i++)
        memcpy(boxes[i], s->corners, sizeof boxes[i]);
    boxes[0][2] = 180;
    boxes[1][0] = -180;
    return 2;
}
