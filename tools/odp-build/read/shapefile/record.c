/* One record of the .shp to a geometry in WGS 84. The record's counts are compared with its length before
 * shapelib reads it. */
#include <math.h>
#include <stdio.h>

#include "read/shapefile/reader.h"
#include "words/read.h"

/* Smaller values mean "no data" in a shapefile (ESRI). */
#define NO_DATA (-1e38)

static const struct odp_text short_record = {{W_read_record_shorter_bytes_than_what}};
static const struct odp_text bad_number = {{W_read_record_number_shp_instead}};
static const struct odp_text bad_parts = {{W_read_record_start_part_wrong}};
static const struct odp_text not_finite = {{W_read_record_coordinates_point_not}};
static const struct odp_text other_length = {{W_read_record_states_bytes_shx_states}};
static const struct odp_text other_type = {{W_read_record_type_another_than_header}};
static const struct odp_text other_box = {{W_read_record_bounding_box_states_not}};
static const struct odp_text unread = {{W_read_record_cannot_read}};

/* Reports what is wrong with record I of B: BAD, or FAIL. */
static enum odp_status report(const struct shape_source *s, struct odp_batch *b, uint32_t i,
                              struct odp_diag *d)
{
    struct odp_diag full = {0};
    odp_batch_diag(b, (struct odp_batch_place){i, -1, -1}, s->base.info.file, false, &full);
    full.code = d->code;
    full.message = d->message;
    full.value = d->value;
    full.action = d->action;
    memcpy(full.args, d->args, sizeof full.args);
    enum odp_status st = odp_diags_add(b->diags, &full);
    b->records[i].flags |= ODP_RECORD_GEOMETRY_BAD | (st == ODP_BAD ? ODP_RECORD_REFUSED : 0u);
    return st == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status damaged(const struct shape_source *s, struct odp_batch *b, uint32_t i,
                               const struct odp_text *message, uint64_t number)
{
    char record[24], text[24];
    snprintf(record, sizeof record, "%llu", (unsigned long long)b->records[i].line);
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    struct odp_diag d = {.code = ODP_G13};
    struct odp_text full;
    d.args[0] = odp_slice_of(s->parts[SHAPE_SHP].name);
    d.args[1] = odp_slice_of(record);
    d.args[2] = odp_slice_of(text);
    shape_message(&b->arena, message, d.args, &full);
    d.message = &full; /* the collector copies it */
    if (shape_mends(s) && (message == &bad_number || message == &other_length || message == &other_box))
        d.action = ODP_ACTION_MEND_SHAPE;
    return report(s, b, i, &d);
}

static enum odp_status too_many(const struct shape_source *s, struct odp_batch *b, uint32_t i, size_t limit,
                                uint64_t found)
{
    struct odp_diag d = {0};
    struct odp_limit_text text;
    odp_limit_diag(&d, odp_limits_of(s->base.resource), limit, found, &text);
    return report(s, b, i, &d);
}

/* P holds the content's N bytes. Measures are optional and are not published. */
static enum odp_status check_content(const struct shape_source *s, struct odp_batch *b, uint32_t i,
                                     const uint8_t *p, uint64_t n)
{
    uint32_t type = shape_le32(p);
    uint64_t need = 4, parts = 0, points = 0;
    bool has_z = type > 10 && type < 20;
    switch (type) {
    case SHPT_NULL:
        break;
    case SHPT_POINT:
    case SHPT_POINTZ:
    case SHPT_POINTM:
        need = type == SHPT_POINT ? 20 : 28;
        break;
    case SHPT_MULTIPOINT:
    case SHPT_MULTIPOINTZ:
    case SHPT_MULTIPOINTM:
        points = n >= 40 ? shape_le32(p + 36) : 0;
        need = 40 + 16 * points;
        break;
    case SHPT_ARC:
    case SHPT_ARCZ:
    case SHPT_ARCM:
    case SHPT_POLYGON:
    case SHPT_POLYGONZ:
    case SHPT_POLYGONM:
    case SHPT_MULTIPATCH:
        parts = n >= 44 ? shape_le32(p + 36) : 0;
        points = n >= 44 ? shape_le32(p + 40) : 0;
        need = 44 + 4 * parts + 16 * points + (type == SHPT_MULTIPATCH ? 4 * parts : 0);
        has_z = has_z || type == SHPT_MULTIPATCH;
        break;
    default: {
        char text[16];
        snprintf(text, sizeof text, "%u", type);
        struct odp_diag d = {.code = ODP_G17};
        d.args[0] = odp_slice_of(text);
        return report(s, b, i, &d);
    }
    }
    if (type != SHPT_NULL && type != s->type)
        return damaged(s, b, i, &other_type, type);
    if (has_z && type != SHPT_POINTZ)
        need += 16 + 8 * points;
    const struct odp_limits *limits = odp_limits_of(s->base.resource);
    if (need <= n && parts > (uint64_t)limits->parts)
        return too_many(s, b, i, offsetof(struct odp_limits, parts), parts);
    if (need <= n && points > (uint64_t)limits->points)
        return too_many(s, b, i, offsetof(struct odp_limits, points), points);
    if (need > n || points > INT32_MAX / 32 || parts > INT32_MAX / 32)
        return damaged(s, b, i, &short_record, n);
    uint64_t before = 0;
    for (uint64_t k = 0; k < parts; k++) {
        uint64_t start = shape_le32(p + 44 + 4 * k);
        if (start >= points || (k == 0 ? start != 0 : start <= before))
            return damaged(s, b, i, &bad_parts, k + 1);
        before = start;
    }
    if (parts == 0 && points > 0 && type != SHPT_MULTIPOINT && type != SHPT_MULTIPOINTZ &&
        type != SHPT_MULTIPOINTM)
        return damaged(s, b, i, &bad_parts, 1);
    return ODP_OK;
}

/* A geometry with the points of the shape, in its order. */
static struct odp_geom *geom_new(struct odp_arena *a, const SHPObject *o, uint32_t nparts)
{
    uint32_t n = (uint32_t)o->nVertices;
    struct odp_geom *g = odp_arena_zero(a, 1, sizeof *g);
    bool z = (o->nSHPType > 10 && o->nSHPType < 20) || o->nSHPType == SHPT_MULTIPATCH;
    for (uint32_t i = 0; i < n && z;
         i++) /* heights that are no numbers are no heights: the geometry is flat then */
        z = o->padfZ != NULL && isfinite(o->padfZ[i]) && o->padfZ[i] > NO_DATA;
    g->npoints = n;
    g->nparts = nparts;
    g->xy = odp_arena_array(a, 2 * (size_t)n + 2, sizeof *g->xy);
    g->part = odp_arena_zero(a, (size_t)nparts + 1, sizeof *g->part);
    g->z = z && n > 0 ? odp_arena_array(a, n, sizeof *g->z) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        g->xy[2 * (size_t)i] = o->padfX[i];
        g->xy[2 * (size_t)i + 1] = o->padfY[i];
    }
    if (g->z != NULL)
        memcpy(g->z, o->padfZ, n * sizeof *g->z);
    return g;
}

static struct odp_geom *simple_geom(struct odp_arena *a, const SHPObject *o, enum odp_geom_type type)
{
    uint32_t n = (uint32_t)o->nVertices;
    uint32_t nparts = type == ODP_GEOM_LINESTRING ? (uint32_t)o->nParts : n > 0;
    struct odp_geom *g = geom_new(a, o, nparts);
    g->type = type == ODP_GEOM_LINESTRING && nparts > 1 ? ODP_GEOM_MULTILINESTRING : type;
    for (uint32_t k = 0; k < nparts; k++)
        g->part[k] = type == ODP_GEOM_LINESTRING ? (uint32_t)o->panPartStart[k] : 0;
    g->part[nparts] = n;
    return g;
}

/* MultiPatch: outer and first rings begin a polygon, inner and further rings are its holes. Strips and fans
 * of triangles are surfaces in space, which GeoJSON does not have. False: there are some. */
static bool patch_owners(const SHPObject *o, int64_t *owner)
{
    int64_t shell = -1;
    for (int k = 0; k < o->nParts; k++) {
        int type = o->panPartType[k];
        if (type == SHPP_TRISTRIP || type == SHPP_TRIFAN || type < 0 || type > SHPP_RING)
            return false;
        bool starts = type == SHPP_OUTERRING || type == SHPP_FIRSTRING || shell < 0;
        owner[k] = starts ? -1 : shell;
        if (starts)
            shell = k;
    }
    return true;
}

/* Ring K of G becomes ring RING[K] of O, whose points are PART[r] .. PART[r + 1] - 1. Nearly always they are
 * in this order already. */
static void order_rings(struct odp_geom *g, const SHPObject *o, const uint32_t *part, const uint32_t *ring)
{
    for (uint32_t k = 0; k < g->nparts; k++) {
        uint32_t from = part[ring[k]], n = part[ring[k] + 1] - from, to = g->part[k];
        g->part[k + 1] = to + n;
        for (uint32_t i = 0; i < n && to != from; i++) {
            g->xy[2 * (size_t)(to + i)] = o->padfX[from + i];
            g->xy[2 * (size_t)(to + i) + 1] = o->padfY[from + i];
        }
        if (g->z != NULL)
            memcpy(g->z + to, o->padfZ + from, n * sizeof *g->z);
    }
}

/* OK and *OUT; BAD and D: G17, G20. */
static enum odp_status polygon_geom(struct odp_arena *a, const SHPObject *o, bool mends,
                                    struct odp_geom **out, struct odp_diag *d)
{
    uint32_t nparts = (uint32_t)o->nParts, n = (uint32_t)o->nVertices, orphan = 0;
    struct odp_geom *g = geom_new(a, o, nparts);
    uint32_t *part = odp_arena_array(a, (size_t)nparts + 1, sizeof *part);
    struct shape_polygons polys = {0};
    *out = g;
    g->type = ODP_GEOM_POLYGON;
    for (uint32_t k = 0; k < nparts; k++)
        part[k] = (uint32_t)o->panPartStart[k];
    part[nparts] = n;
    enum odp_status st = ODP_OK;
    if (o->nSHPType == SHPT_MULTIPATCH) {
        int64_t *owner = odp_arena_array(a, (size_t)nparts + 1, sizeof *owner);
        if (!patch_owners(o, owner)) {
            d->code = ODP_G17;
            d->args[0] = ODP_LIT("MultiPatch");
            return ODP_BAD;
        }
        shape_rings_collect(a, owner, nparts, &polys);
    } else {
        st = shape_rings(a, g->xy, part, nparts, &polys, &orphan);
    }
    if (st == ODP_BAD) {
        char *text = odp_arena_printf(a, "%.10g, %.10g", o->padfX[part[orphan]], o->padfY[part[orphan]]);
        d->code = ODP_G20;
        d->action = mends ? ODP_ACTION_MEND_SHAPE : ODP_ACTION_REPLACE;
        d->value = odp_slice_of(text);
        return st;
    }
    order_rings(g, o, part, polys.ring);
    g->poly = polys.poly;
    g->npolys = polys.npolys;
    if (g->npolys > 1)
        g->type = ODP_GEOM_MULTIPOLYGON;
    return ODP_OK;
}

/* The box of O's points, of which there are some. Returns the number from 1 of the first one that is no
 * number, or 0. */
static uint32_t measure(const SHPObject *o, double box[4])
{
    const double *x = o->padfX, *y = o->padfY;
    double west = x[0], south = y[0], east = west, north = south;
    bool good = true;
    for (int k = 0; k < o->nVertices; k++) {
        good &= (fabs(x[k]) < -NO_DATA) & (fabs(y[k]) < -NO_DATA);
        west = x[k] < west ? x[k] : west;
        south = y[k] < south ? y[k] : south;
        east = x[k] > east ? x[k] : east;
        north = y[k] > north ? y[k] : north;
    }
    memcpy(box, (double[4]){west, south, east, north}, 4 * sizeof *box);
    uint32_t bad = 0;
    while (!good && fabs(x[bad]) < -NO_DATA && fabs(y[bad]) < -NO_DATA)
        bad++;
    return good ? 0 : bad + 1;
}

/* Writers take a record's box from its points, to the last bit or nearly so: a coordinate, or a box, that was
 * damaged since does not fit. (The header's box tells less: files are edited, and small writers put there
 * what they like.) */
static bool box_fits(const SHPObject *o, const double box[4])
{
    const double stated[4] = {o->dfXMin, o->dfYMin, o->dfXMax, o->dfYMax};
    bool fits = true;
    for (int k = 0; k < 4; k++)
        fits = fits && fabs(box[k] - stated[k]) <= 1e-9 * fmax(1, fabs(box[k]));
    return fits;
}

/* The points' coordinates and box in WGS 84; BOX is what it was in the file. */
static enum odp_status to_wgs84(const struct shape_source *s, struct shape_worker *w, struct odp_geom *g,
                                const double box[4])
{
    memcpy(g->bbox, box, sizeof g->bbox);
    enum odp_status st = shape_crs_apply(s, w, g->xy, g->npoints);
    if (!s->crs.identity && g->npoints > 0)
        odp_bbox_of(g->xy, g->npoints, g->bbox);
    return st;
}

static enum odp_status convert(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                               uint32_t i, const SHPObject *o, const struct odp_geom **out)
{
    struct odp_geom *g = NULL;
    struct odp_diag d = {0};
    enum odp_status st = ODP_OK;
    double box[4] = {0};
    uint32_t bad = o->nVertices > 0 ? measure(o, box) : 0;
    if (bad != 0)
        return damaged(s, b, i, &not_finite, bad);
    if (o->nVertices > 0 && !box_fits(o, box)) {
        st = damaged(s, b, i, &other_box, 0);
        if (st == ODP_FAIL || (b->records[i].flags & ODP_RECORD_REFUSED) != 0)
            return st;
        st = ODP_OK;
        b->records[i].flags &=
            ~(uint32_t)ODP_RECORD_GEOMETRY_BAD; /* told, and let pass: its points are all there */
    }
    switch (o->nSHPType) {
    case SHPT_POINT:
    case SHPT_POINTZ:
    case SHPT_POINTM:
        g = simple_geom(&b->arena, o, ODP_GEOM_POINT);
        break;
    case SHPT_MULTIPOINT:
    case SHPT_MULTIPOINTZ:
    case SHPT_MULTIPOINTM:
        g = simple_geom(&b->arena, o, ODP_GEOM_MULTIPOINT);
        break;
    case SHPT_ARC:
    case SHPT_ARCZ:
    case SHPT_ARCM:
        g = simple_geom(&b->arena, o, ODP_GEOM_LINESTRING);
        break;
    default:
        st = polygon_geom(&b->arena, o, shape_mends(s), &g, &d);
        break;
    }
    if (st == ODP_BAD)
        return report(s, b, i, &d);
    st = to_wgs84(s, w, g, box);
    if (st == ODP_BAD) {
        char *text = odp_arena_printf(&b->arena, "%.10g, %.10g", o->padfX[0], o->padfY[0]);
        d.code = ODP_G15;
        d.args[0] = odp_slice_of(s->base.info.crs);
        d.value = odp_slice_of(text);
        return report(s, b, i, &d);
    }
    *out = st == ODP_OK ? g : NULL;
    return st;
}

enum odp_status shape_record(const struct shape_source *s, struct shape_worker *w, struct odp_batch *b,
                             uint32_t i, const struct odp_geom **out)
{
    struct shape_stream *st = (void *)w->shp->fpSHP;
    uint32_t shape = b->records[i].aux;
    uint64_t offset = w->shp->panRecOffset[shape], content = w->shp->panRecSize[shape];
    *out = NULL;
    const uint8_t *p = shape_at(st, offset, (size_t)content + 8);
    if (p == NULL)
        return ODP_FAIL;
    uint32_t number = shape_be32(p), stated = shape_be32(p + 4);
    if (number != shape + 1 && number != shape) /* some writers count from 0 */
        return damaged(s, b, i, &bad_number, number);
    if ((uint64_t)stated * 2 != content)
        return damaged(s, b, i, &other_length, (uint64_t)stated * 2);
    if (content < 4)
        return damaged(s, b, i, &short_record, content);
    enum odp_status status = check_content(s, b, i, p + 8, content);
    if (status != ODP_OK || shape_le32(p + 8) == SHPT_NULL)
        return status;
    SHPObject *o = SHPReadObject(w->shp, (int)shape);
    if (st->failed)
        return ODP_FAIL;
    if (o == NULL)
        return damaged(s, b, i, &unread, 0);
    status = convert(s, w, b, i, o, out);
    SHPDestroyObject(o);
    return status;
}
