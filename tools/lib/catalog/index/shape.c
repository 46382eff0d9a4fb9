/* The form of a shape. All numbers are little-endian:
 *
 *   u8   enum odp_geom_type; + 8: with heights; + 16: with points
 *   not a point, and with points:
 *     i32  west, south, east, north
 *     i32  label's longitude, latitude (a point is its own)
 *   multipoint, line:       u32 points
 *   multiline, polygon:     u32 parts, then u32 points of each
 *   multipolygon:           u32 polygons, u32 parts of each, then u32 points of each part
 *   i32  longitude, latitude of each point
 *   f64  height of each point, where there are heights
 *
 * A geometry without points is its first byte. Lengths must add up to the last byte. Coordinates are not packed: reading a
 * polygon is then one conversion a number, and it is a third of the same GeoJSON anyway. A height is the double that a reader
 * of the published text gets. */
#include "catalog/index/shape.h"

#include <math.h>

#include "base/decimal.h"

enum { TYPE_MASK = 7, FLAG_HEIGHTS = 8, FLAG_POINTS = 16 };
enum { BOX = 16, POINT = 8, HEIGHT = 8 }; /* bytes */
enum { HEAD = BOX + POINT };              /* behind the first byte, but of points */
enum { UNITS_PLACES = 7 };
#define UNITS 1e7

static uint32_t load_u32(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static int32_t load_i32(const char *p)
{
    uint32_t u = load_u32(p);
    int32_t v;
    memcpy(&v, &u, sizeof v);
    return v;
}

static double load_f64(const char *p)
{
    uint64_t u = (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}

static char *store_u32(char *p, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        *p++ = (char)(unsigned char)(v >> 8 * k);
    return p;
}

static char *store_i32(char *p, int32_t v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return store_u32(p, u);
}

static char *store_f64(char *p, double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return store_u32(store_u32(p, (uint32_t)u), (uint32_t)(u >> 32));
}

static bool is_areal(enum odp_geom_type t)
{
    return t == ODP_GEOM_POLYGON || t == ODP_GEOM_MULTIPOLYGON;
}

/* ---- writing -------------------------------------------------------------------------------------------------------------
 */

struct writer {
    const struct odp_geom *g;
    char *points, *heights; /* where the next ones go; heights NULL: none */
    int32_t box[4];
    bool ok;
};

static int32_t units_of(struct writer *w, double v)
{
    int64_t n = 0;
    if (!odp_decimal_units(v, UNITS_PLACES, &n) || n > INT32_MAX || n < INT32_MIN)
        w->ok = false;
    return w->ok ? (int32_t)n : 0;
}

/* The double that the published text of Z means. Beyond 2^53 units it is Z itself, whose neighbours are further away than a
 * unit. */
static double height_of(double z)
{
    int64_t n;
    return odp_decimal_units(z, UNITS_PLACES, &n) && n < (1LL << 53) && n > -(1LL << 53) ? (double)n / UNITS : z;
}

static void write_point(struct writer *w, uint32_t i)
{
    int32_t x = units_of(w, w->g->xy[2 * (size_t)i]), y = units_of(w, w->g->xy[2 * (size_t)i + 1]);
    w->box[0] = x < w->box[0] ? x : w->box[0];
    w->box[1] = y < w->box[1] ? y : w->box[1];
    w->box[2] = x > w->box[2] ? x : w->box[2];
    w->box[3] = y > w->box[3] ? y : w->box[3];
    w->points = store_i32(store_i32(w->points, x), y);
    if (w->heights != NULL)
        w->heights = store_f64(w->heights, height_of(w->g->z[i]));
}

static void write_points(struct writer *w, uint32_t from, uint32_t to, bool backwards)
{
    for (uint32_t i = from; i < to; i++)
        write_point(w, backwards ? to - 1 - (i - from) : i);
}

/* The counts in front of the points; OUT may be NULL to learn how many there are. */
static size_t write_counts(const struct odp_geom *g, char *out)
{
    size_t n = 0;
    if (g->type == ODP_GEOM_POINT)
        return 0;
    if (g->type == ODP_GEOM_MULTIPOINT || g->type == ODP_GEOM_LINESTRING) {
        if (out != NULL)
            store_u32(out, g->npoints);
        return 1;
    }
    uint32_t polys = g->type == ODP_GEOM_MULTIPOLYGON ? g->npolys : 0;
    uint32_t first = is_areal(g->type) ? g->poly[0] : 0;
    uint32_t last = g->type == ODP_GEOM_POLYGON ? g->poly[1] : polys > 0 ? g->poly[polys] : g->nparts;
    if (out == NULL)
        return 1 + (size_t)polys + (last - first);
    store_u32(out, polys > 0 ? polys : last - first);
    for (uint32_t p = 0; p < polys; p++)
        store_u32(out + 4 * ++n, g->poly[p + 1] - g->poly[p]);
    for (uint32_t k = first; k < last; k++)
        store_u32(out + 4 * ++n, g->part[k + 1] - g->part[k]);
    return n + 1;
}

static void write_parts(struct writer *w)
{
    const struct odp_geom *g = w->g;
    if (g->type == ODP_GEOM_POINT)
        write_point(w, 0);
    else if (g->type == ODP_GEOM_MULTIPOINT || g->type == ODP_GEOM_LINESTRING)
        write_points(w, 0, g->npoints, false);
    else if (g->type == ODP_GEOM_MULTILINESTRING)
        for (uint32_t k = 0; k < g->nparts; k++)
            write_points(w, g->part[k], g->part[k + 1], false);
    else
        for (uint32_t p = 0; p < (g->type == ODP_GEOM_POLYGON ? 1 : g->npolys); p++)
            for (uint32_t k = g->poly[p]; k < g->poly[p + 1]; k++)
                write_points(w, g->part[k], g->part[k + 1], odp_geom_ring_turns(g, k, k == g->poly[p]));
}

/* Points that will be written. */
static size_t count_points(const struct odp_geom *g)
{
    size_t n = 0;
    if (is_areal(g->type)) {
        uint32_t to = g->poly[g->type == ODP_GEOM_POLYGON ? 1 : g->npolys];
        for (uint32_t k = g->poly[0]; k < to; k++)
            n += g->part[k + 1] - g->part[k];
        return n;
    }
    if (g->type == ODP_GEOM_MULTILINESTRING) {
        for (uint32_t k = 0; k < g->nparts; k++)
            n += g->part[k + 1] - g->part[k];
        return n;
    }
    return g->type == ODP_GEOM_POINT ? 1 : g->npoints;
}

void odp_shape_add(struct odp_buffer *out, const struct odp_geom *g)
{
    bool heights = odp_geom_has_heights(g);
    if (g->npoints == 0 || (is_areal(g->type) && (g->npolys == 0 || g->poly == NULL))) {
        odp_buffer_add_char(out, (char)(g->type | (heights ? FLAG_HEIGHTS : 0)));
        return;
    }
    size_t points = count_points(g), counts = write_counts(g, NULL), head = g->type == ODP_GEOM_POINT ? 0 : HEAD;
    char *start = odp_buffer_reserve(out, 1 + head + 4 * counts + points * (POINT + HEIGHT));
    if (start == NULL)
        return;
    char *at = start + 1 + head;
    struct writer w = {.g = g, .box = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN}, .ok = true};
    (void)write_counts(g, at);
    w.points = at + 4 * counts;
    w.heights = heights ? w.points + points * POINT : NULL;
    write_parts(&w);
    *start = (char)(g->type | FLAG_POINTS | (heights ? FLAG_HEIGHTS : 0));
    for (size_t k = 0; k < head / 4; k++)
        store_i32(start + 1 + 4 * k, k < 4 ? w.box[k] : units_of(&w, g->label[k - 4]));
    out->len += (size_t)((heights ? w.heights : w.points) - start);
    out->failed = out->failed || !w.ok;
}

/* ---- reading -------------------------------------------------------------------------------------------------------------
 */

/* A shape whose lengths have been found to fit. */
struct view {
    enum odp_geom_type type;
    uint32_t npoints, nparts, npolys;
    const char *polys;            /* parts of each; NULL but for multipolygons */
    const char *parts;            /* points of each; NULL where there is one */
    const char *points, *heights; /* heights NULL: none */
};

/* The sum of N counts at P; beyond any shape's length when they do not fit in 32 bits. */
static uint64_t sum(const char *p, uint32_t n)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += load_u32(p + 4 * (size_t)i);
    return total;
}

/* N counts of 32 bits at *P; they are taken off. NULL: not so many bytes. */
static const char *take_counts(const char **p, const char *end, uint64_t n)
{
    const char *at = *p;
    if (n > (uint64_t)(end - at) / 4)
        return NULL;
    *p += 4 * n;
    return at;
}

static bool view_counts(struct view *v, const char **p, const char *end)
{
    uint64_t parts, points;
    const char *head = take_counts(p, end, 1);
    if (head == NULL)
        return false;
    uint32_t n = load_u32(head);
    if (v->type == ODP_GEOM_MULTIPOINT || v->type == ODP_GEOM_LINESTRING) {
        v->nparts = 1;
        v->npoints = n;
        return true;
    }
    parts = n;
    if (v->type == ODP_GEOM_MULTIPOLYGON) {
        if ((v->polys = take_counts(p, end, n)) == NULL)
            return false;
        v->npolys = n;
        parts = sum(v->polys, n);
    } else if (v->type == ODP_GEOM_POLYGON) {
        v->npolys = 1;
    }
    if ((v->parts = take_counts(p, end, parts)) == NULL)
        return false;
    v->nparts = (uint32_t)parts;
    points = sum(v->parts, v->nparts);
    v->npoints = (uint32_t)points;
    return points <= UINT32_MAX / 2;
}

static bool view_open(struct view *v, struct odp_slice s)
{
    *v = (struct view){0};
    if (s.len == 0)
        return false;
    const char *p = s.ptr + 1, *end = s.ptr + s.len;
    unsigned flags = (unsigned char)s.ptr[0];
    v->type = (enum odp_geom_type)(flags & TYPE_MASK);
    if ((flags & TYPE_MASK) > ODP_GEOM_MULTIPOLYGON || flags > (TYPE_MASK | FLAG_HEIGHTS | FLAG_POINTS))
        return false;
    if (!(flags & FLAG_POINTS)) {
        v->heights = (flags & FLAG_HEIGHTS) ? p : NULL; /* WKT says so even of none */
        return s.len == 1;
    }
    if (v->type == ODP_GEOM_POINT) {
        v->nparts = v->npoints = 1;
    } else {
        if (end - p < HEAD)
            return false;
        p += HEAD;
        if (!view_counts(v, &p, end))
            return false;
    }
    size_t each = (flags & FLAG_HEIGHTS) ? POINT + HEIGHT : POINT, left = (size_t)(end - p);
    if (v->npoints == 0 || left % each != 0 || left / each != v->npoints)
        return false;
    v->points = p;
    v->heights = (flags & FLAG_HEIGHTS) ? p + POINT * (size_t)v->npoints : NULL;
    return true;
}

/* The N numbers at AT of the head; a point's are its coordinates over and over. */
static bool read_head(struct odp_slice shape, size_t at, size_t n, int32_t *out)
{
    if (shape.len < 1 + POINT || !((unsigned char)shape.ptr[0] & FLAG_POINTS))
        return false;
    bool point = (shape.ptr[0] & TYPE_MASK) == ODP_GEOM_POINT;
    if (!point && shape.len < 1 + HEAD)
        return false;
    for (size_t k = 0; k < n; k++)
        out[k] = load_i32(shape.ptr + 1 + 4 * (point ? k % 2 : at + k));
    return true;
}

bool odp_shape_box(struct odp_slice shape, int32_t box[4])
{
    return read_head(shape, 0, 4, box) && box[0] <= box[2] && box[1] <= box[3];
}

bool odp_shape_label(struct odp_slice shape, int32_t label[2])
{
    return read_head(shape, BOX / 4, 2, label);
}

bool odp_shape_type(struct odp_slice shape, enum odp_geom_type *type)
{
    unsigned t = shape.len > 0 ? (unsigned char)shape.ptr[0] & TYPE_MASK : TYPE_MASK;
    *type = (enum odp_geom_type)t;
    return t <= ODP_GEOM_MULTIPOLYGON;
}

/* Starts of N runs whose lengths stand at COUNTS (NULL: one run of all TOTAL). */
static void read_starts(uint32_t *out, const char *counts, uint32_t n, uint32_t total)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = at;
        at += counts != NULL ? load_u32(counts + 4 * (size_t)i) : total;
    }
    out[n] = at;
}

/* Heights that cannot be written as a number were not written by us. */
static bool read_heights(double *z, const struct view *v)
{
    for (uint32_t i = 0; i < v->npoints; i++) {
        z[i] = load_f64(v->heights + HEIGHT * (size_t)i);
        if (!isfinite(z[i]) || fabs(z[i]) >= 1e15)
            return false;
    }
    return true;
}

static void read_points(struct odp_geom *g, const struct view *v)
{
    int32_t west = INT32_MAX, south = INT32_MAX, east = INT32_MIN, north = INT32_MIN;
    for (size_t i = 0; i < v->npoints; i++) {
        int32_t x = load_i32(v->points + POINT * i), y = load_i32(v->points + POINT * i + 4);
        g->xy[2 * i] = x / UNITS;
        g->xy[2 * i + 1] = y / UNITS;
        west = x < west ? x : west;
        east = x > east ? x : east;
        south = y < south ? y : south;
        north = y > north ? y : north;
    }
    g->bbox[0] = west / UNITS;
    g->bbox[1] = south / UNITS;
    g->bbox[2] = east / UNITS;
    g->bbox[3] = north / UNITS;
}

enum odp_status odp_shape_read(struct odp_slice shape, struct odp_geom *g, struct odp_arena *a)
{
    struct view v;
    if (!view_open(&v, shape))
        return ODP_BAD;
    bool areal = is_areal(v.type);
    /* One allocation: numbers first, so that all of it is aligned. */
    size_t doubles = (size_t)v.npoints * (v.heights != NULL ? 3 : 2), starts = (size_t)v.nparts + 1 + v.npolys + 1;
    double *room = odp_arena_array(a, doubles + (starts + 1) / 2, sizeof *room);
    if (room == NULL)
        return ODP_FAIL;
    uint32_t *part = (uint32_t *)(void *)(room + doubles);
    *g = (struct odp_geom){.type = v.type,
                           .npoints = v.npoints,
                           .nparts = v.nparts,
                           .npolys = v.npolys,
                           .xy = room,
                           .z = v.heights != NULL ? room + 2 * (size_t)v.npoints : NULL,
                           .part = part,
                           .poly = areal ? part + v.nparts + 1 : NULL};
    read_starts(part, v.parts, v.nparts, v.npoints);
    if (areal)
        read_starts(g->poly, v.polys, v.npolys, v.nparts);
    if (v.heights != NULL && !read_heights(g->z, &v))
        return ODP_BAD;
    if (v.npoints > 0) {
        int32_t label[2] = {0, 0};
        read_points(g, &v);
        (void)odp_shape_label(shape, label);
        g->label[0] = label[0] / UNITS;
        g->label[1] = label[1] / UNITS;
    }
    return ODP_OK;
}

/* ---- text ----------------------------------------------------------------------------------------------------------------
 */

enum { POINT_ROOM = 2 * 12 + 40 + 4 }; /* two coordinates, a height, what stands around and between them */

struct printer {
    struct odp_buffer *out;
    struct view v;
    size_t at; /* the next point */
    bool json, ok;
};

/* The next N points as a list; BARE: without brackets around the list, EACH: with brackets around each (WKT's MultiPoint). */
static void print_points(struct printer *p, uint32_t n, bool bare, bool each)
{
    const char open = p->json ? '[' : '(', close = p->json ? ']' : ')', between = p->json ? ',' : ' ';
    char *start = odp_buffer_reserve(p->out, (size_t)n * POINT_ROOM + 2), *o = start;
    if (start == NULL)
        return;
    if (!bare)
        *o++ = open;
    for (uint32_t i = 0; i < n; i++, p->at++) {
        const char *xy = p->v.points + POINT * p->at;
        if (i > 0)
            *o++ = ',';
        if (p->json || each)
            *o++ = open;
        o += odp_decimal_degrees(load_i32(xy), o);
        *o++ = between;
        o += odp_decimal_degrees(load_i32(xy + 4), o);
        if (p->v.heights != NULL) {
            size_t len;
            *o++ = between;
            o += len = odp_decimal_fixed(load_f64(p->v.heights + HEIGHT * p->at), UNITS_PLACES, o);
            p->ok = p->ok && len > 0;
        }
        if (p->json || each)
            *o++ = close;
    }
    if (!bare)
        *o++ = close;
    p->out->len += (size_t)(o - start);
}

/* N parts from part FIRST on, as a list of lists. */
static void print_parts(struct printer *p, uint32_t first, uint32_t n)
{
    odp_buffer_add_char(p->out, p->json ? '[' : '(');
    for (uint32_t k = first; k < first + n; k++) {
        if (k > first)
            odp_buffer_add_char(p->out, ',');
        print_points(p, load_u32(p->v.parts + 4 * (size_t)k), false, false);
    }
    odp_buffer_add_char(p->out, p->json ? ']' : ')');
}

static void print_polygons(struct printer *p)
{
    uint32_t first = 0;
    odp_buffer_add_char(p->out, p->json ? '[' : '(');
    for (uint32_t k = 0; k < p->v.npolys; k++) {
        uint32_t n = load_u32(p->v.polys + 4 * (size_t)k);
        if (k > 0)
            odp_buffer_add_char(p->out, ',');
        print_parts(p, first, n);
        first += n;
    }
    odp_buffer_add_char(p->out, p->json ? ']' : ')');
}

static void print_coordinates(struct printer *p)
{
    if (p->v.npoints == 0)
        odp_buffer_add_str(p->out, p->json ? "[]" : "EMPTY");
    else if (p->v.type == ODP_GEOM_POINT)
        print_points(p, 1, p->json, false);
    else if (p->v.type == ODP_GEOM_MULTIPOINT || p->v.type == ODP_GEOM_LINESTRING)
        print_points(p, p->v.npoints, false, !p->json && p->v.type == ODP_GEOM_MULTIPOINT);
    else if (p->v.type == ODP_GEOM_MULTIPOLYGON)
        print_polygons(p);
    else
        print_parts(p, 0, p->v.nparts);
}

/* OUT as it was, unless all of it is right. */
static enum odp_status print(struct printer *p, size_t before)
{
    print_coordinates(p);
    if (p->out->failed)
        return ODP_FAIL;
    if (p->ok)
        return ODP_OK;
    p->out->len = before;
    return ODP_BAD;
}

enum odp_status odp_shape_add_geojson(struct odp_buffer *out, struct odp_slice shape)
{
    struct printer p = {.out = out, .json = true, .ok = true};
    size_t before = out->len;
    if (!view_open(&p.v, shape))
        return ODP_BAD;
    odp_buffer_add_str(out, "{\"type\":\"");
    odp_buffer_add_str(out, odp_geom_type_name(p.v.type));
    odp_buffer_add_str(out, "\",\"coordinates\":");
    enum odp_status st = print(&p, before);
    if (st == ODP_OK)
        odp_buffer_add_char(out, '}');
    return st == ODP_OK ? odp_buffer_status(out) : st;
}

enum odp_status odp_shape_add_wkt(struct odp_buffer *out, struct odp_slice shape)
{
    struct printer p = {.out = out, .ok = true};
    size_t before = out->len;
    if (!view_open(&p.v, shape))
        return ODP_BAD;
    for (const char *c = odp_geom_type_name(p.v.type); *c != '\0'; c++)
        odp_buffer_add_char(out, (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
    odp_buffer_add_str(out, p.v.heights != NULL ? " Z " : " ");
    return print(&p, before);
}
