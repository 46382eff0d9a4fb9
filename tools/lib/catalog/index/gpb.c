#include "catalog/index/gpb.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"

enum { HEAD = 8, ENVELOPE = 32 };                  /* bytes */
enum { LITTLE = 1, HAS_ENVELOPE = 2, EMPTY = 16 }; /* flags (2.1.3.1.1) */
enum { WKB_Z = 1000 };                             /* added to a type that has heights */
enum { PLACES = 7 };
#define UNITS       1e7
#define DEGREES_MAX 360
#define HEIGHT_MAX  1e15

/* By enum odp_geom_type: the type in WKB. */
static const uint32_t wkb_types[] = {
    [ODP_GEOM_POINT] = 1,           [ODP_GEOM_MULTIPOINT] = 4, [ODP_GEOM_LINESTRING] = 2,
    [ODP_GEOM_MULTILINESTRING] = 5, [ODP_GEOM_POLYGON] = 3,    [ODP_GEOM_MULTIPOLYGON] = 6};

/* ---- writing ---- */

struct writer {
    struct odp_buffer *out;
    const struct odp_geom *g;
    bool heights;
    double box[4];
};

static void add_u32(struct odp_buffer *out, uint32_t v)
{
    char bytes[4];
    for (int k = 0; k < 4; k++)
        bytes[k] = (char)(unsigned char)(v >> 8 * k);
    odp_buffer_add(out, bytes, sizeof bytes);
}

static void put_f64(char *at, double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    for (int k = 0; k < 8; k++)
        at[k] = (char)(unsigned char)(u >> 8 * k);
}

/* The double that the published text of V means. Beyond 2^53 units it is V itself, whose neighbours are
 * further away. */
static double published(double v, bool *ok)
{
    int64_t n;
    if (!odp_decimal_units(v, PLACES, &n)) {
        *ok = *ok && isfinite(v);
        return v;
    }
    return n < (1LL << 53) && n > -(1LL << 53) ? (double)n / UNITS : v;
}

static void add_point(struct writer *w, uint32_t i)
{
    char bytes[24];
    bool ok = true;
    double xy[2];
    for (int k = 0; k < 2; k++) {
        xy[k] = published(w->g->xy[2 * (size_t)i + (size_t)k], &ok);
        ok = ok && fabs(xy[k]) <= DEGREES_MAX;
        put_f64(bytes + 8 * k, xy[k]);
        w->box[k] = fmin(w->box[k], xy[k]);
        w->box[2 + k] = fmax(w->box[2 + k], xy[k]);
    }
    if (w->heights)
        put_f64(bytes + 16, published(w->g->z[i], &ok));
    odp_buffer_add(w->out, bytes, w->heights ? 24 : 16);
    w->out->failed = w->out->failed || !ok;
}

static void add_type(struct writer *w, enum odp_geom_type type)
{
    odp_buffer_add_char(w->out, LITTLE);
    add_u32(w->out, wkb_types[type] + (w->heights ? WKB_Z : 0));
}

/* Points FROM .. TO - 1 with their number, backwards if asked. */
static void add_points(struct writer *w, uint32_t from, uint32_t to, bool backwards)
{
    add_u32(w->out, to - from);
    for (uint32_t i = from; i < to; i++)
        add_point(w, backwards ? to - 1 - (i - from) : i);
}

static void add_polygon(struct writer *w, uint32_t p)
{
    uint32_t first = w->g->poly[p], end = w->g->poly[p + 1];
    add_u32(w->out, end - first);
    for (uint32_t k = first; k < end; k++)
        add_points(w, w->g->part[k], w->g->part[k + 1], odp_geom_ring_turns(w->g, k, k == first));
}

static void add_wkb(struct writer *w)
{
    const struct odp_geom *g = w->g;
    add_type(w, g->type);
    switch (g->type) {
    case ODP_GEOM_POINT:
        add_point(w, 0);
        return;
    case ODP_GEOM_LINESTRING:
        add_points(w, 0, g->npoints, false);
        return;
    case ODP_GEOM_POLYGON:
        add_polygon(w, 0);
        return;
    case ODP_GEOM_MULTIPOINT:
        add_u32(w->out, g->npoints);
        for (uint32_t i = 0; i < g->npoints; i++) {
            add_type(w, ODP_GEOM_POINT);
            add_point(w, i);
        }
        return;
    case ODP_GEOM_MULTILINESTRING:
        add_u32(w->out, g->nparts);
        for (uint32_t k = 0; k < g->nparts; k++) {
            add_type(w, ODP_GEOM_LINESTRING);
            add_points(w, g->part[k], g->part[k + 1], false);
        }
        return;
    case ODP_GEOM_MULTIPOLYGON:
        add_u32(w->out, g->npolys);
        for (uint32_t p = 0; p < g->npolys; p++) {
            add_type(w, ODP_GEOM_POLYGON);
            add_polygon(w, p);
        }
        return;
    }
}

/* Nothing in it: a point has NaN for coordinates, all others no parts. */
static void add_empty(struct writer *w)
{
    char nan_bytes[24];
    add_type(w, w->g->type);
    for (int k = 0; k < 3; k++)
        put_f64(nan_bytes + 8 * k, (double)NAN);
    if (w->g->type == ODP_GEOM_POINT)
        odp_buffer_add(w->out, nan_bytes, w->heights ? 24 : 16);
    else
        add_u32(w->out, 0);
}

static bool is_areal(enum odp_geom_type t)
{
    return t == ODP_GEOM_POLYGON || t == ODP_GEOM_MULTIPOLYGON;
}

void odp_gpb_add(struct odp_buffer *out, const struct odp_geom *g)
{
    bool empty = g->npoints == 0 || (is_areal(g->type) && (g->npolys == 0 || g->poly == NULL));
    bool envelope = !empty && g->type != ODP_GEOM_POINT;
    struct writer w = {out, g, odp_geom_has_heights(g), {INFINITY, INFINITY, -INFINITY, -INFINITY}};
    const char head[] = {'G', 'P', 0, (char)(LITTLE | (envelope ? HAS_ENVELOPE : 0) | (empty ? EMPTY : 0))};
    static const char room[ENVELOPE];
    odp_buffer_add(out, head, sizeof head);
    add_u32(out, ODP_GPB_SRS);
    size_t at = out->len;
    if (envelope)
        odp_buffer_add(out, room, sizeof room);
    if (empty)
        add_empty(&w);
    else
        add_wkb(&w);
    if (!envelope || out->failed)
        return;
    const double values[] = {w.box[0], w.box[2], w.box[1], w.box[3]}; /* minx, maxx, miny, maxy */
    for (int k = 0; k < 4; k++)
        put_f64(out->ptr + at + 8 * k, values[k]);
}

/* ---- reading ---- */

/* What is left to be read; BAD stays. */
struct reader {
    const char *at, *end;
    bool bad, heights, envelope, empty;
    const char *box;
    enum odp_geom_type type;
    struct odp_geom *g; /* its arrays have room; NULL: things are counted */
    uint32_t npoints, nparts, npolys;
};

static const char *take(struct reader *r, size_t n)
{
    const char *at = r->at;
    if ((size_t)(r->end - at) < n) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    return at;
}

static uint32_t load_u32(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static double load_f64(const char *p)
{
    uint64_t u = (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

/* A number of things of at least SIZE bytes each, which must still be there. */
static uint32_t take_count(struct reader *r, size_t size)
{
    const char *p = take(r, 4);
    uint32_t n = p != NULL ? load_u32(p) : 0;
    r->bad = r->bad || n > (size_t)(r->end - r->at) / size;
    return r->bad ? 0 : n;
}

/* The type of a WKB geometry. */
static enum odp_geom_type take_type(struct reader *r, bool *heights)
{
    const char *p = take(r, 5);
    uint32_t type = p != NULL && *p == LITTLE ? load_u32(p + 1) : 0;
    *heights = type > WKB_Z;
    for (size_t k = 0; k < ODP_COUNT(wkb_types); k++)
        if (wkb_types[k] == type % WKB_Z && type < 2 * WKB_Z)
            return (enum odp_geom_type)k;
    r->bad = true;
    return ODP_GEOM_POINT;
}

/* The head of a geometry: up to the number of its parts. */
static bool begin(struct reader *r, struct odp_slice gpb)
{
    *r = (struct reader){.at = gpb.ptr, .end = gpb.ptr != NULL ? gpb.ptr + gpb.len : NULL};
    const char *head = take(r, HEAD);
    if (head == NULL || memcmp(head, "GP\0", 3) != 0 || load_u32(head + 4) != ODP_GPB_SRS)
        return false;
    r->envelope = ((unsigned char)head[3] & ~EMPTY) == (LITTLE | HAS_ENVELOPE);
    r->empty = ((unsigned char)head[3] & EMPTY) != 0;
    if (!r->envelope && ((unsigned char)head[3] & ~EMPTY) != LITTLE)
        return false;
    if (r->envelope)
        r->box = take(r, ENVELOPE);
    r->type = take_type(r, &r->heights);
    return !r->bad && r->envelope == (!r->empty && r->type != ODP_GEOM_POINT);
}

bool odp_gpb_box(struct odp_slice gpb, double box[4])
{
    struct reader r;
    if (!begin(&r, gpb) || r.empty || (r.type == ODP_GEOM_POINT && r.end - r.at < 16))
        return false;
    const char *xy = r.type == ODP_GEOM_POINT ? r.at : NULL;
    for (int k = 0; k < 2; k++) {
        box[k] = load_f64(xy != NULL ? xy + 8 * k : r.box + 16 * k);
        box[2 + k] = xy != NULL ? box[k] : load_f64(r.box + 16 * k + 8);
        if (!(box[k] >= -DEGREES_MAX && box[k] <= box[2 + k] && box[2 + k] <= DEGREES_MAX))
            return false;
    }
    return true;
}

/* N points. */
static void take_points(struct reader *r, uint32_t n)
{
    const size_t size = r->heights ? 24 : 16;
    const char *p = take(r, n * size);
    struct odp_geom *g = r->g;
    uint32_t i = r->npoints;
    r->npoints += n;
    if (p == NULL || g == NULL)
        return;
    double box[4] = {g->bbox[0], g->bbox[1], g->bbox[2], g->bbox[3]};
    bool bad = false;
    for (const char *end = p + n * size; p < end; p += size, i++) {
        for (int k = 0; k < 2; k++) {
            double v = load_f64(p + 8 * k);
            bad = bad || !(fabs(v) <= DEGREES_MAX);
            g->xy[2 * (size_t)i + (size_t)k] = v;
            box[k] = v < box[k] ? v : box[k];
            box[2 + k] = v > box[2 + k] ? v : box[2 + k];
        }
        if (r->heights) {
            g->z[i] = load_f64(p + 16);
            bad = bad || !(fabs(g->z[i]) < HEIGHT_MAX);
        }
    }
    memcpy(g->bbox, box, sizeof box);
    r->bad = r->bad || bad;
}

/* Points with their number are a part. */
static void take_part(struct reader *r)
{
    uint32_t n = take_count(r, r->heights ? 24 : 16);
    if (r->g != NULL)
        r->g->part[r->nparts] = r->npoints;
    r->nparts++;
    take_points(r, n);
}

static void take_polygon(struct reader *r)
{
    uint32_t n = take_count(r, 4);
    if (r->g != NULL)
        r->g->poly[r->npolys] = r->nparts;
    r->npolys++;
    for (; n > 0 && !r->bad; n--)
        take_part(r);
}

/* A member of a Multi… geometry, with its own head. */
static void take_member(struct reader *r)
{
    static const enum odp_geom_type members[] = {[ODP_GEOM_MULTIPOINT] = ODP_GEOM_POINT,
                                                 [ODP_GEOM_MULTILINESTRING] = ODP_GEOM_LINESTRING,
                                                 [ODP_GEOM_MULTIPOLYGON] = ODP_GEOM_POLYGON};
    bool heights;
    enum odp_geom_type type = take_type(r, &heights);
    if (r->bad || type != members[r->type] || heights != r->heights)
        r->bad = true;
    else if (type == ODP_GEOM_POINT)
        take_points(r, 1);
    else if (type == ODP_GEOM_LINESTRING)
        take_part(r);
    else
        take_polygon(r);
}

/* Everything after the head: counted, or (r->g) read. */
static bool take_all(struct reader *r)
{
    bool multi = r->type == ODP_GEOM_MULTIPOINT || r->type == ODP_GEOM_MULTILINESTRING ||
                 r->type == ODP_GEOM_MULTIPOLYGON;
    if (r->type == ODP_GEOM_POINT)
        take_points(r, 1);
    else if (r->type == ODP_GEOM_LINESTRING)
        take_part(r);
    else if (r->type == ODP_GEOM_POLYGON)
        take_polygon(r);
    for (uint32_t n = multi ? take_count(r, 9) : 0; n > 0 && !r->bad; n--)
        take_member(r);
    bool one_part = r->type == ODP_GEOM_POINT || r->type == ODP_GEOM_MULTIPOINT;
    if (one_part && r->g != NULL)
        r->g->part[0] = 0;
    r->nparts += one_part;
    return !r->bad && r->at == r->end && r->npoints > 0;
}

/* The rest of an empty one. */
static bool is_empty(struct reader *r)
{
    const char *p = take(r, r->type != ODP_GEOM_POINT ? 4 : r->heights ? 24 : 16);
    bool none = p != NULL && (r->type == ODP_GEOM_POINT ? isnan(load_f64(p)) : load_u32(p) == 0);
    return none && r->at == r->end;
}

static enum odp_status make_room(const struct reader *r, struct odp_geom *g, struct odp_arena *a)
{
    /* One allocation: numbers first, so that all of it is aligned. */
    size_t doubles = (size_t)r->npoints * (r->heights ? 3 : 2),
           starts = (size_t)r->nparts + 1 + r->npolys + 1;
    double *room = odp_arena_array(a, doubles + (starts + 1) / 2, sizeof *room);
    uint32_t *part = (uint32_t *)(void *)(room + doubles);
    *g = (struct odp_geom){.type = r->type,
                           .npoints = r->npoints,
                           .nparts = r->nparts,
                           .npolys = r->npolys,
                           .xy = room,
                           .z = r->heights ? room + 2 * (size_t)r->npoints : NULL,
                           .part = part,
                           .poly = is_areal(r->type) ? part + r->nparts + 1 : NULL,
                           .bbox = {INFINITY, INFINITY, -INFINITY, -INFINITY},
                           .turned = true};
    return ODP_OK;
}

enum odp_status odp_gpb_read(struct odp_slice gpb, struct odp_geom *g, struct odp_arena *a)
{
    struct reader count, r;
    if (!begin(&count, gpb))
        return ODP_BAD;
    r = count;
    if (count.empty && !is_empty(&count))
        return ODP_BAD;
    if (count.empty) {
        static uint32_t none[2];
        static double no_height; /* WKT says so even of none */
        *g = (struct odp_geom){.type = r.type,
                               .z = r.heights ? &no_height : NULL,
                               .part = none,
                               .poly = is_areal(r.type) ? none : NULL,
                               .turned = true};
        return ODP_OK;
    }
    if (!take_all(&count))
        return ODP_BAD;
    if (make_room(&count, g, a) != ODP_OK)
        return ODP_FAIL;
    r.g = g;
    if (!take_all(&r))
        return ODP_BAD;
    g->part[g->nparts] = g->npoints;
    if (g->poly != NULL)
        g->poly[g->npolys] = g->nparts;
    return ODP_OK;
}
