/* See geometry.h. What needs no topology (null, empty, type, closure, box) is decided on the coordinates
 * alone; what passes and is not simply valid (geometry_simple.h) goes to GEOS, so GEOS never sees a ring it
 * would refuse to build. What the catalogue lets pass is looked at further, and published as it is. */
#include "check/geometry.h"

#include <geos_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/path.h"
#include "check/check_internal.h"
#include "check/geometry_label.h"
#include "check/geometry_simple.h"

struct geometry_worker {
    GEOSContextHandle_t geos;
    char message[200]; /* the last exception of this context */
    struct odp_simple_room room;
};

struct odp_geometry_checker {
    const struct odp_geometry_spec *spec;
    double box[4];
    bool labels;
    unsigned n;
    struct geometry_worker workers[];
};

/* What was found about one geometry; texts point into the batch's arena. */
struct finding {
    enum odp_code code;
    bool unfit; /* RFC 7946 has no form for it: where it is let pass, the record is published without geometry
                 */
    struct odp_slice args[ODP_DIAG_ARGS];
    struct odp_slice value;
};

static const double world[4] = {-180, -90, 180, 90};

static void geos_says(const char *text, void *user)
{
    struct geometry_worker *w = user;
    snprintf(w->message, sizeof w->message, "%s", text);
    if (strstr(text, "bad_alloc") != NULL) /* what it answers then says nothing of the geometry */
        (void)odp_failure_memory();
}

enum odp_status odp_geometry_checker_new(struct odp_geometry_checker **out,
                                         const struct odp_geometry_spec *spec, unsigned workers)
{
    struct odp_geometry_checker *c = calloc(1, sizeof *c + workers * sizeof c->workers[0]);
    if (c == NULL)
        return odp_failure_memory();
    memcpy(c->box, spec->has_bbox ? spec->bbox : world, sizeof c->box);
    c->spec = spec;
    c->labels = true;
    for (; c->n < workers; c->n++) {
        struct geometry_worker *w = &c->workers[c->n];
        w->geos = GEOS_init_r();
        if (w->geos == NULL) {
            odp_geometry_checker_free(c);
            return odp_failure_set("GEOS", NULL, 0);
        }
        GEOSContext_setErrorMessageHandler_r(w->geos, geos_says, w);
        GEOSContext_setNoticeMessageHandler_r(w->geos, geos_says, w);
    }
    *out = c;
    return ODP_OK;
}

void odp_geometry_checker_leave_labels(struct odp_geometry_checker *c)
{
    c->labels = false;
}

void odp_geometry_checker_free(struct odp_geometry_checker *c)
{
    if (c == NULL)
        return;
    for (unsigned i = 0; i < c->n; i++) {
        GEOS_finish_r(c->workers[i].geos);
        odp_simple_room_release(&c->workers[i].room);
    }
    free(c);
}

/* "106.84512, -6.17533": N numbers, five decimals (about a metre). */
static struct odp_slice numbers_text(struct odp_arena *a, const double *v, size_t n)
{
    char text[4 * 48];
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text[len++] = ',', text[len++] = ' ';
        if (fabs(v[i]) < 1e15)
            len += odp_decimal_fixed(v[i], 5, text + len);
        else
            len += (size_t)snprintf(text + len, 40, "%g", v[i]);
    }
    return odp_arena_copy(a, (struct odp_slice){text, len});
}

static struct odp_slice range_text(struct odp_arena *a, double low, double high)
{
    char text[2 * 48 + 8];
    int n = snprintf(text, sizeof text, "%.10g … %.10g", low, high);
    return odp_arena_copy(a, (struct odp_slice){text, (size_t)n});
}

static const struct {
    unsigned bit;
    enum odp_geom_type type;
} type_bits[] = {
    {ODP_GEOM_BIT_POINT, ODP_GEOM_POINT},     {ODP_GEOM_BIT_MULTIPOINT, ODP_GEOM_MULTIPOINT},
    {ODP_GEOM_BIT_LINE, ODP_GEOM_LINESTRING}, {ODP_GEOM_BIT_MULTILINE, ODP_GEOM_MULTILINESTRING},
    {ODP_GEOM_BIT_POLYGON, ODP_GEOM_POLYGON}, {ODP_GEOM_BIT_MULTIPOLYGON, ODP_GEOM_MULTIPOLYGON},
};
#define NTYPES (ODP_COUNT(type_bits))

static bool type_allowed(unsigned types, enum odp_geom_type t)
{
    if (types == 0)
        return true;
    for (size_t i = 0; i < NTYPES; i++)
        if (type_bits[i].type == t && (types & type_bits[i].bit) != 0)
            return true;
    return false;
}

/* The allowed types as "Polygon, MultiPolygon"; "" when any. */
static struct odp_slice types_text(struct odp_arena *a, unsigned types)
{
    char text[160];
    size_t len = 0;
    for (size_t i = 0; i < NTYPES; i++)
        if ((types & type_bits[i].bit) != 0)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", len > 0 ? ", " : "",
                                    odp_geom_type_name(type_bits[i].type));
    return odp_arena_copy(a, (struct odp_slice){text, len});
}

/* Lines need two points, rings four, and rings end where they begin. */
static bool parts_ok(const struct odp_geom *g, struct odp_arena *a, struct finding *f)
{
    bool polygon = g->type == ODP_GEOM_POLYGON || g->type == ODP_GEOM_MULTIPOLYGON;
    if (!polygon && g->type != ODP_GEOM_LINESTRING && g->type != ODP_GEOM_MULTILINESTRING)
        return true;
    for (uint32_t k = 0; k < g->nparts; k++) {
        uint32_t n = g->part[k + 1] - g->part[k];
        const double *first = g->xy + 2 * (size_t)g->part[k];
        const double *last = n > 0 ? first + 2 * (size_t)(n - 1) : first;
        if (polygon && n > 0 && (first[0] != last[0] || first[1] != last[1])) {
            f->code = ODP_G03;
            f->unfit = true;
            f->value = numbers_text(a, last, 2);
            return false;
        }
        if (n < (polygon ? 4u : 2u)) {
            char count[16];
            int len = snprintf(count, sizeof count, "%u", n);
            f->code = ODP_G21;
            f->unfit = true;
            f->args[0] = odp_arena_copy(a, (struct odp_slice){count, (size_t)len});
            f->args[1] = polygon ? ODP_LIT("4") : ODP_LIT("2");
            if (n > 0)
                f->value = numbers_text(a, first, 2);
            return false;
        }
    }
    return true;
}

/* Half a unit of the seventh decimal: what is published is rounded to it, so 180.00000000000017 is 180. */
#define BOX_SLACK 5e-8

static bool box_holds(const double box[4], double w, double s, double e, double n)
{
    return w >= box[0] - BOX_SLACK && s >= box[1] - BOX_SLACK && e <= box[2] + BOX_SLACK &&
           n <= box[3] + BOX_SLACK;
}

static bool box_ok(const double box[4], const struct odp_geom *g, struct odp_arena *a, struct finding *f)
{
    const double *b = g->bbox;
    if (box_holds(box, b[0], b[1], b[2], b[3]))
        return true;
    f->code = box_holds(box, b[1], b[0], b[3], b[2]) ? ODP_G07 : ODP_G06;
    f->unfit = !box_holds(world, b[0], b[1], b[2], b[3]);
    if (f->code == ODP_G06) {
        f->args[0] = range_text(a, box[0], box[2]);
        f->args[1] = range_text(a, box[1], box[3]);
        if (fabs(b[0]) > 180 || fabs(b[2]) > 180 || fabs(b[1]) > 90 || fabs(b[3]) > 90)
            f->args[2] = ODP_LIT("UTM, EPSG:32748");
    }
    f->value = g->type == ODP_GEOM_POINT ? numbers_text(a, b, 2) : numbers_text(a, b, 4);
    return false;
}

/* GEOS names its reasons in English; those that users meet have codes with words in both languages. */
static const struct {
    const char *reason;
    enum odp_code code;
} reasons[] = {
    {"Self-intersection", ODP_G04},
    {"Ring Self-intersection", ODP_G26},
    {"Hole lies outside shell", ODP_G20},
    {"Holes are nested", ODP_G22},
    {"Nested shells", ODP_G22},
    {"Duplicate Rings", ODP_G22},
    {"Interior is disconnected", ODP_G23},
};

/* One question to GEOS. OK: valid. BAD: not, told in F. FAIL: no memory. */
static enum odp_status ask(struct geometry_worker *w, const GEOSGeometry *geos, int flags,
                           struct odp_arena *a, struct finding *f)
{
    char *reason = NULL;
    GEOSGeometry *place = NULL;
    double xy[2];
    enum odp_status st = ODP_OK;
    char valid = GEOSisValidDetail_r(w->geos, geos, flags, &reason, &place);
    if (valid == 1)
        goto done;
    st = ODP_BAD;
    if (valid != 0 && strstr(w->message, "bad_alloc") != NULL) {
        st = odp_failure_memory();
        goto done;
    }
    const char *text = reason != NULL ? reason : w->message;
    f->code = ODP_G05;
    for (size_t i = 0; i < ODP_COUNT(reasons); i++)
        if (strcmp(text, reasons[i].reason) == 0)
            f->code = reasons[i].code;
    f->args[1] = odp_arena_copy(a, odp_slice_of(text));
    if (place != NULL && GEOSGeomGetX_r(w->geos, place, &xy[0]) == 1 &&
        GEOSGeomGetY_r(w->geos, place, &xy[1]) == 1) {
        f->args[0] = numbers_text(a, xy, 2);
        f->value = f->args[0];
    }
done:
    GEOSFree_r(w->geos, reason);
    GEOSGeom_destroy_r(w->geos, place);
    return st;
}

/* A ring that touches itself in a point is how ESRI's model draws some holes; its interior is well defined,
 * so it is a warning (G26). GEOS stops at the first reason: what it says when such rings are allowed is the
 * graver one. */
static enum odp_status topology(struct geometry_worker *w, const GEOSGeometry *geos, struct odp_arena *a,
                                struct finding *f)
{
    struct finding second = {0};
    enum odp_status st = ask(w, geos, 0, a, f);
    if (st != ODP_BAD || f->code != ODP_G26)
        return st;
    st = ask(w, geos, GEOSVALID_ALLOW_SELFTOUCHING_RING_FORMING_HOLE, a, &second);
    if (st == ODP_BAD)
        *f = second;
    if (st == ODP_BAD && f->code == ODP_G26)
        f->code = ODP_G04;
    return st == ODP_OK ? ODP_BAD : st;
}

/* What needs no topology. */
static bool form_ok(const struct odp_geometry_checker *c, const struct odp_geom *g, struct odp_arena *a,
                    struct finding *f)
{
    if (g->npoints == 0 || g->nparts == 0) {
        f->code = ODP_G02;
        f->unfit = true;
        return false;
    }
    if (!type_allowed(c->spec->types, g->type)) {
        f->code = ODP_G08;
        f->args[0] = odp_slice_of(odp_geom_type_name(g->type));
        f->args[1] = types_text(a, c->spec->types);
        f->value = f->args[0];
        return false;
    }
    return parts_ok(g, a, f) && box_ok(c->box, g, a, f);
}

/* Points and lines are valid in OGC's sense when their coordinates are finite and a line has two different
 * points. */
static bool line_ok(const struct odp_geom *g, struct odp_arena *a, struct finding *f)
{
    if (odp_geometry_lines_have_length(g))
        return true;
    f->code = ODP_G05;
    f->args[0] = f->value = numbers_text(a, g->bbox, 2);
    f->args[1] = ODP_LIT("Too few points in geometry component");
    return false;
}

static bool is_areal(const struct odp_geom *g)
{
    return g->type == ODP_GEOM_POLYGON || g->type == ODP_GEOM_MULTIPOLYGON;
}

/* OK: valid, or nobody asks. BAD: told in F. FAIL. GEOS is asked where validity is not proven. */
static enum odp_status check_valid(const struct odp_geometry_checker *c, struct geometry_worker *w,
                                   const struct odp_geom *g, struct odp_arena *a, struct finding *f)
{
    if (!c->spec->check_valid && c->spec->present)
        return ODP_OK;
    if (!is_areal(g))
        return line_ok(g, a, f) ? ODP_OK : ODP_BAD;
    enum odp_status st = odp_geometry_simple(g, &w->room);
    if (st != ODP_BAD)
        return st;
    GEOSGeometry *geos = odp_geometry_to_geos(w->geos, g);
    if (geos == NULL)
        return odp_failure_set("GEOS", NULL, 0);
    st = topology(w, geos, a, f);
    GEOSGeom_destroy_r(w->geos, geos);
    return st;
}

/* Whether repair/shapes knows what to do about it. */
static bool is_mended(enum odp_code c)
{
    return (c >= ODP_G03 && c <= ODP_G05) || (c >= ODP_G20 && c <= ODP_G23) || c == ODP_G26;
}

/* OK: as it may be, or let pass. BAD: an error. FAIL. */
static enum odp_status report(struct odp_batch *b, uint32_t i, const char *file, const struct finding *f)
{
    const struct odp_validated *own = b->validated;
    struct odp_diag d = {0};
    odp_batch_diag(b, (struct odp_batch_place){i, -1, -1}, file, own != NULL && own->secret[i] != 0, &d);
    d.code = f->code;
    memcpy(d.args, f->args, sizeof d.args);
    d.value = f->value;
    if (is_mended(f->code) && odp_path_ends(file, ".shp"))
        d.action = ODP_ACTION_MEND_SHAPE;
    enum odp_status st = odp_diags_add(b->diags, &d);
    if (st == ODP_BAD && b->record_bad != NULL)
        b->record_bad[i] = 1;
    return st;
}

/* The geometry of record I, which is there: what is wrong with it, and its label where it will be published.
 * OK (faults were reported) or FAIL. */
static enum odp_status check_one(const struct odp_geometry_checker *c, struct geometry_worker *w,
                                 struct odp_batch *b, uint32_t i, struct odp_geom *g, const char *file)
{
    struct finding form = {0}, shape = {0};
    enum odp_status st = form_ok(c, g, &b->arena, &form) ? ODP_OK : report(b, i, file, &form);
    if (form.unfit)
        b->geometry[i] = NULL;
    if (st != ODP_OK || form.unfit)
        return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
    st = check_valid(c, w, g, &b->arena, &shape);
    if (st == ODP_BAD)
        st = report(b, i, file, &shape);
    if (st != ODP_OK)
        return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return c->labels ? odp_geometry_label(w->geos, g) : ODP_OK;
}

enum odp_status odp_geometry_check(struct odp_geometry_checker *c, struct odp_batch *b, unsigned worker,
                                   const char *file)
{
    if (b->geometry == NULL)
        return ODP_OK;
    struct geometry_worker *w = &c->workers[worker];
    struct odp_geom *copies = odp_arena_array(&b->arena, b->nrecords, sizeof *copies);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        enum odp_status st = ODP_OK;
        if (b->records[i].flags & ODP_RECORD_SKIP)
            continue;
        if (b->records[i].flags & ODP_RECORD_GEOMETRY_BAD) {
            if (b->record_bad != NULL && (b->records[i].flags & ODP_RECORD_REFUSED) != 0)
                b->record_bad[i] = 1;
            continue;
        }
        if (b->geometry[i] == NULL) {
            struct finding none = {.code = ODP_G01, .args[0] = types_text(&b->arena, c->spec->types)};
            if (c->spec->present && c->spec->required)
                st = report(b, i, file, &none);
        } else {
            copies[i] = *b->geometry[i];
            b->geometry[i] = &copies[i];
            st = check_one(c, w, b, i, &copies[i], file);
        }
        if (st == ODP_FAIL)
            return ODP_FAIL;
    }
    return ODP_OK;
}
