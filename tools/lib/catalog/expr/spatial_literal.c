/* The literal of a spatial function: made, checked, given back; of boxes and geometries (of text:
 * spatial_text.c). */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "catalog/expr/spatial_internal.h"

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
    struct odp_spatial *s = odp_realloc_array(NULL, 1, sizeof *s);
    struct spatial_pool *pool = odp_realloc_array(NULL, 1, sizeof *pool);
    *out = NULL;
    if (s == NULL || pool == NULL) {
        free(s);
        free(pool);
        return ODP_FAIL;
    }
    *pool = (struct spatial_pool){.lock = PTHREAD_MUTEX_INITIALIZER};
    *s = (struct odp_spatial){.op = flipped ? odp_spatial_flipped(op) : op, .pool = pool};
    odp_arena_init(&s->arena);
    *out = s;
    return ODP_OK;
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

/* The first worker takes the members. */
static enum odp_status begin_pool(struct odp_spatial *s, struct spatial_worker *w)
{
    enum odp_status st = spatial_worker_prepare(w, s);
    if (st == ODP_OK)
        st = odp_arena_status(&s->arena);
    if (st == ODP_OK)
        s->pool->idle = w;
    return st;
}

enum odp_status spatial_finish(struct odp_spatial *s, struct odp_arena *a, uint32_t *which,
                               const char **reason, const char **place)
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
    if (st == ODP_OK && (st = begin_pool(s, w)) == ODP_BAD)
        *reason = odp_arena_str(a, w->message);
    if (st != ODP_OK)
        spatial_worker_free(w);
    return st;
}

/* ---- boxes ---- */

/* West to east; a box without width or height is a line or a point. */
static void add_box(struct odp_spatial *s, double w, double south, double e, double n)
{
    const double corners[5][2] = {{w, south}, {e, south}, {e, n}, {w, n}, {w, south}};
    const bool wide = w < e, high = south < n;
    struct odp_geom *g = &s->members[s->nmembers++];
    *g = (struct odp_geom){.type = ODP_GEOM_POINT, .bbox = {w, south, e, n}, .npoints = 1, .nparts = 1};
    if (wide && high) {
        g->type = ODP_GEOM_POLYGON;
        g->npoints = 5;
        g->npolys = 1;
    } else if (wide || high) {
        g->type = ODP_GEOM_LINESTRING;
        g->npoints = 2;
    }
    g->xy = odp_arena_array(&s->arena, 5, 2 * sizeof *g->xy);
    g->part = odp_arena_zero(&s->arena, 4, sizeof *g->part);
    memcpy(g->xy, corners, sizeof corners);
    if (g->npoints == 2)
        memcpy(g->xy + 2, corners[2], sizeof *corners);
    g->part[1] = g->npoints;
    g->part[3] = 1;
    g->poly = g->npolys > 0 ? g->part + 2 : NULL;
}

/* Two polygons of four corners as one geometry. */
static void join_boxes(struct odp_spatial *s)
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
}

void spatial_set_box(struct odp_spatial *s, const double c[4])
{
    const bool one = spatial_op_relates(s->op);
    s->is_box = true;
    memcpy(s->corners, c, sizeof s->corners);
    s->members = odp_arena_zero(&s->arena, 2, sizeof *s->members);
    if (c[0] <= c[2]) {
        add_box(s, c[0], c[1], c[2], c[3]);
        return;
    }
    /* Across 180 degrees: up to there, and from there on. Where both must be one geometry, a half without
     * width is left out. */
    if (!one || c[0] < 180 || c[2] == -180)
        add_box(s, c[0], c[1], 180, c[3]);
    if (!one || c[2] > -180)
        add_box(s, -180, c[1], c[2], c[3]);
    if (one && s->nmembers == 2 && s->members[0].type == ODP_GEOM_POLYGON)
        join_boxes(s);
    if (one)
        s->nmembers = 1; /* of two lines of one latitude the first: it will do for what nobody means */
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
    struct odp_spatial *s;
    enum odp_status st = spatial_new(&s, op, false);
    if (st != ODP_OK)
        return st;
    spatial_set_box(s, box);
    st = spatial_finish(s, &s->arena, &which, &reason, &place);
    if (st == ODP_OK)
        *out = s;
    else
        odp_spatial_free(s);
    return st;
}

/* ---- geometries of the data ---- */

static void *copy_of(struct odp_spatial *s, const void *from, size_t n, size_t size)
{
    void *to = odp_arena_array(&s->arena, n, size);
    memcpy(to, from, n * size);
    return to;
}

enum odp_status odp_spatial_of(struct odp_spatial **out, enum odp_spatial_op op, const struct odp_geom *g)
{
    struct odp_spatial *s;
    struct spatial_worker *w = NULL;
    *out = NULL;
    if (g->npoints == 0)
        return ODP_BAD;
    enum odp_status st = spatial_new(&s, op, false);
    if (st != ODP_OK)
        return st;
    struct odp_geom *m = s->members = copy_of(s, g, 1, sizeof *g);
    s->nmembers = 1;
    memcpy(s->box, g->bbox, sizeof s->box);
    m->z = NULL;
    m->xy = copy_of(s, g->xy, g->npoints, 2 * sizeof *m->xy);
    m->part = copy_of(s, g->part, (size_t)g->nparts + 1, sizeof *m->part);
    if (g->poly != NULL)
        m->poly = copy_of(s, g->poly, (size_t)g->npolys + 1, sizeof *m->poly);
    st = spatial_worker_new(&w);
    if (st == ODP_OK)
        st = begin_pool(s, w);
    if (st == ODP_OK) {
        *out = s;
        return ODP_OK;
    }
    spatial_worker_free(w);
    odp_spatial_free(s);
    return st;
}

/* ---- what boxes tell ---- */

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
