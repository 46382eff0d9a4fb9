/* Coordinates to WGS 84 longitude and latitude. One operation a file, chosen by the two coordinate systems
 * alone: never by the data's place, never over the network, never a "ballpark". tm.h computes an operation
 * that is a transverse Mercator and nothing else: the choice depends on PROJ's text of the operation alone.
 * Points too far from the middle meridian go through PROJ, one by one; PROJ also decides which do not exist.
 * For users: docs/sources.md. */
#include <math.h>
#include <stdio.h>

#include "base/diag_text.h"
#include "base/utf8.h"
#include "read/shapefile/reader.h"
#include "words/read.h"

#define PRJ_MAX      65536u
#define ACCURACY_MAX 10.0
#define BOX_AT       36u /* in the header of the .shp */
#define AREA_BYTES   40u /* shown of the name of an area */

static void quiet(void *user, int level, const char *text)
{
    (void)user, (void)level, (void)text;
}

static PJ_CONTEXT *context_new(void)
{
    PJ_CONTEXT *c = proj_context_create();
    if (c == NULL)
        return NULL;
    proj_log_func(c, NULL, quiet);
    proj_context_set_enable_network(c, 0);
    return c;
}

/* The .prj's text in the arena, or NULL in *OUT without one. */
static enum odp_status read_prj(struct shape_source *s, const char **out)
{
    *out = NULL;
    if (!s->parts[SHAPE_PRJ].present)
        return ODP_OK;
    struct shape_stream st = {.part = &s->parts[SHAPE_PRJ]};
    size_t n = st.part->size < PRJ_MAX ? (size_t)st.part->size : PRJ_MAX;
    const uint8_t *p = shape_at(&st, 0, n);
    enum odp_status status = p != NULL ? ODP_OK : ODP_FAIL;
    if (p != NULL) {
        if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
            p += 3, n -= 3;
        struct odp_slice text =
            odp_slice_trim((struct odp_slice){(const char *)p, strnlen((const char *)p, n)});
        if (text.len > 0)
            *out = odp_arena_copy(&s->arena, text).ptr;
        if (text.len > 0 && *out == NULL)
            status = ODP_FAIL;
    }
    shape_stream_release(&st);
    return status;
}

/* A horizontal CRS out of what TEXT says: the first of a compound. */
static PJ *crs_parse(PJ_CONTEXT *c, const char *text)
{
    PJ *crs = proj_create(c, text);
    if (crs != NULL && proj_get_type(crs) == PJ_TYPE_COMPOUND_CRS) {
        PJ *sub = proj_crs_get_sub_crs(c, crs, 0);
        proj_destroy(crs);
        crs = sub;
    }
    if (crs != NULL && proj_is_crs(crs) && proj_get_type(crs) != PJ_TYPE_ENGINEERING_CRS)
        return crs;
    proj_destroy(crs);
    return NULL;
}

/* WGS 84 by its name in the many spellings of old files, when its ellipsoid, meridian and unit are right too.
 */
static bool named_wgs84(PJ_CONTEXT *c, const PJ *crs)
{
    if (proj_get_type(crs) != PJ_TYPE_GEOGRAPHIC_2D_CRS)
        return false;
    PJ *datum = proj_crs_get_datum_forced(c, crs), *ellipsoid = proj_get_ellipsoid(c, crs);
    PJ *meridian = proj_get_prime_meridian(c, crs), *cs = proj_crs_get_coordinate_system(c, crs);
    double a = 0, b = 0, f = 0, longitude = 1, unit = 0, factor = 0;
    const char *name = datum != NULL ? proj_get_name(datum) : NULL;
    char key[32];
    size_t n = 0;
    int computed = 0;
    for (; name != NULL && *name != '\0' && n + 1 < sizeof key; name++)
        if ((*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'z') ||
            (*name >= 'A' && *name <= 'Z'))
            key[n++] = (char)(*name | 0x20);
    key[n] = '\0';
    static const char *const names[] = {
        "wgs84", "wgs1984", "dwgs84", "dwgs1984", "worldgeodeticsystem1984", "worldgeodeticsystem84"};
    bool right = false;
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        right = right || strcmp(key, names[i]) == 0;
    right = right && ellipsoid != NULL &&
            proj_ellipsoid_get_parameters(c, ellipsoid, &a, &b, &computed, &f) == 1 &&
            fabs(a - 6378137) < 1e-3 && fabs(f - 298.257223563) < 1e-5;
    right = right && meridian != NULL &&
            proj_prime_meridian_get_parameters(c, meridian, &longitude, &unit, NULL) == 1 && longitude == 0;
    right = right && cs != NULL &&
            proj_cs_get_axis_info(c, cs, 0, NULL, NULL, NULL, &factor, NULL, NULL, NULL) == 1 &&
            fabs(factor - 0.017453292519943295) < 1e-12;
    proj_destroy(datum);
    proj_destroy(ellipsoid);
    proj_destroy(meridian);
    proj_destroy(cs);
    return right;
}

static bool is_wgs84(PJ_CONTEXT *c, const PJ *crs, const PJ *wgs84)
{
    if (proj_is_equivalent_to_with_ctx(c, crs, wgs84, PJ_COMP_EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS) ||
        named_wgs84(c, crs))
        return true;
    if (proj_get_type(crs) != PJ_TYPE_BOUND_CRS)
        return false;
    PJ *base = proj_get_source_crs(c, crs);
    bool yes = base != NULL && is_wgs84(c, base, wgs84);
    proj_destroy(base);
    return yes;
}

/* "EPSG:32748" where PROJ is sure of it, else the name. */
static const char *crs_label(struct shape_source *s, PJ_CONTEXT *c, const PJ *crs)
{
    const char *label = NULL;
    int *confidence = NULL;
    PJ_OBJ_LIST *list = proj_identify(c, crs, "EPSG", NULL, &confidence);
    if (list != NULL && proj_list_get_count(list) > 0 && confidence[0] >= 90) {
        PJ *best = proj_list_get(c, list, 0);
        const char *code = best != NULL ? proj_get_id_code(best, 0) : NULL;
        if (code != NULL)
            label = shape_arg(s, "EPSG:%s", code);
        proj_destroy(best);
    }
    proj_list_destroy(list);
    proj_int_list_destroy(confidence);
    const char *name = proj_get_name(crs);
    return label != NULL ? label : shape_arg(s, "%.80s", name != NULL ? name : "");
}

/* True if NAME is the operation, or one of the steps of a concatenated one ("Inverse of UTM zone 48S + DGN95
 * to WGS 84 (1)").
 */
static bool name_has_step(const char *operation, const char *name)
{
    size_t n = strlen(name);
    if (n == 0) /* is everywhere, also behind the end */
        return false;
    for (const char *at = operation; (at = strstr(at, name)) != NULL; at++) {
        bool starts = at == operation || (at - operation >= 3 && memcmp(at - 3, " + ", 3) == 0) ||
                      (at - operation >= 11 && memcmp(at - 11, "Inverse of ", 11) == 0);
        if (starts && (at[n] == '\0' || strncmp(at + n, " + ", 3) == 0))
            return true;
    }
    return false;
}

static bool does_nothing(PJ_CONTEXT *c, const PJ *op)
{
    static const char *const shifts[] = {"helmert",     "molodensky", "molobadekas", "gridshift",
                                         "deformation", "affine",     "geogoffset",  "defmodel"};
    const char *text = proj_as_proj_string(c, op, PJ_PROJ_5, NULL);
    for (size_t i = 0; text != NULL && i < ODP_COUNT(shifts); i++)
        if (strstr(text, shifts[i]) != NULL)
            return false;
    return text != NULL;
}

/* PROJ's name without the steps that only put axes in order. */
static const char *operation_label(struct shape_source *s, const char *name)
{
    static const char step[] = "axis order change";
    char out[400] = "";
    size_t n = 0;
    while (name != NULL && *name != '\0' && n + 4 < sizeof out) {
        const char *end = strstr(name, " + ");
        size_t len = end != NULL ? (size_t)(end - name) : strlen(name);
        if (len > sizeof out - n - 4)
            len = sizeof out - n - 4;
        if (strncmp(name, step, sizeof step - 1) != 0)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s", n > 0 ? " + " : "", (int)len, name);
        name = end != NULL ? end + 3 : NULL;
    }
    return shape_arg(s, "%s", out);
}

static bool is_usable(PJ_CONTEXT *c, const PJ *op)
{
    return op != NULL && proj_get_name(op) != NULL && !proj_coordoperation_has_ballpark_transformation(c, op);
}

/* Appends "Segara to WGS 84 (4) [1 m, east Kalimantan]" to LIST (SIZE bytes). False: no room. */
static bool list_operation(struct shape_source *s, PJ_CONTEXT *c, const PJ *op, char *list, size_t size)
{
    const char *area = NULL, *name = operation_label(s, proj_get_name(op));
    double m = proj_coordoperation_get_accuracy(c, op), unused;
    char accuracy[32] = "? m";
    if (proj_get_area_of_use(c, op, &unused, &unused, &unused, &unused, &area) == 0 || area == NULL)
        area = "";
    area += strncmp(area, "Indonesia - ", 12) == 0 ? 12 : 0;
    if (m >= 0)
        snprintf(accuracy, sizeof accuracy, "%g m", m);
    size_t have = strlen(list), whole = strcspn(area, "."),
           part = whole > AREA_BYTES ? odp_utf8_valid((struct odp_slice){area, AREA_BYTES}) : whole;
    const char *divider = have > 0 ? ", " : "", *comma = part > 0 ? ", " : "";
    int more = snprintf(list + have, size - have, "%s%s [%s%s%.*s%s]", divider, name, accuracy, comma,
                        (int)part, area, part < whole ? "…" : "");
    bool fits = more >= 0 && (size_t)more < size - have;
    if (!fits)
        list[have] = '\0';
    return fits;
}

/* Whether OP is made for the place of the file: for advice only, since the box that a header states may be
 * anything. */
static bool covers(struct shape_source *s, PJ_CONTEXT *c, PJ *op)
{
    struct shape_stream shp = {.part = &s->parts[SHAPE_SHP]};
    double box[4], w, south, e, n;
    const uint8_t *at = shape_at(&shp, BOX_AT, sizeof box);
    PJ *ordered = at != NULL ? proj_normalize_for_visualization(c, op) : NULL;
    bool inside = ordered != NULL && proj_get_area_of_use(c, op, &w, &south, &e, &n, NULL) == 1;
    if (inside) {
        memcpy(box, at, sizeof box); /* little-endian, like the machine */
        double x = (box[0] + box[2]) / 2, y = (box[1] + box[3]) / 2;
        proj_trans_generic(ordered, PJ_FWD, &x, sizeof x, 1, &y, sizeof y, 1, NULL, 0, 0, NULL, 0, 0);
        inside = x >= w && x <= e && y >= south && y <= n;
    }
    proj_destroy(ordered);
    shape_stream_release(&shp);
    return inside;
}

/* Reports D with the usable operations of LIST: in {2} the most accurate one at the file's place, if any,
 * ready for dataset.json; in {3} and {1} as many as fit. */
static enum odp_status tell_operations(struct shape_source *s, PJ_CONTEXT *c, PJ_OBJ_LIST *list,
                                       struct odp_diag *d, const struct odp_text *message)
{
    char names[2][ODP_DIAG_VALUE_MAX] = {"", ""};
    const char *best = NULL;
    double best_accuracy = INFINITY;
    bool best_covers = false;
    int n = list != NULL ? proj_list_get_count(list) : 0;
    for (int i = 0; i < n; i++) {
        PJ *op = proj_list_get(c, list, i);
        double m = op != NULL ? proj_coordoperation_get_accuracy(c, op) : -1;
        bool usable = is_usable(c, op), here = usable && covers(s, c, op);
        if (usable && (best == NULL || (here && !best_covers) ||
                       (here == best_covers && m >= 0 && m < best_accuracy))) {
            best = operation_label(s, proj_get_name(op));
            best_accuracy = m >= 0 ? m : INFINITY;
            best_covers = here;
        }
        if (usable && !list_operation(s, c, op, names[0], sizeof names[0]))
            (void)list_operation(s, c, op, names[1], sizeof names[1]);
        proj_destroy(op);
    }
    if (best != NULL)
        d->args[2] = odp_slice_of(shape_arg(s, "\"odp:crsOperation\": \"%s\"", best));
    d->args[3] = odp_slice_of(names[0]);
    d->args[1] = odp_slice_of(names[1]);
    d->file = s->base.info.file;
    d->where = s->base.resource->geometry.where;
    return shape_refuse(s, d, message);
}

static enum odp_status accuracy_fault(struct shape_source *s, PJ_CONTEXT *c, PJ_OBJ_LIST *list,
                                      const char *found)
{
    static const struct odp_text none = {{W_read_proj_on_machine_has_no}};
    struct odp_diag d = {.code = ODP_G16, .args[0] = odp_slice_of(found != NULL ? found : s->base.info.crs)};
    return tell_operations(s, c, list, &d, found != NULL ? NULL : &none);
}

/* odp:crsOperation names no usable operation. */
static enum odp_status operation_fault(struct shape_source *s, PJ_CONTEXT *c, PJ_OBJ_LIST *list,
                                       const char *want)
{
    struct odp_diag d = {
        .code = ODP_G27, .args[0] = odp_slice_of(s->base.info.crs), .value = odp_slice_of(want)};
    return tell_operations(s, c, list, &d, NULL);
}

/* The operation that is accurate enough, or that the descriptor names. */
static enum odp_status choose(struct shape_source *s, PJ_CONTEXT *c, PJ_OBJ_LIST *list, PJ **out)
{
    const char *want = s->base.resource->geometry.crs_operation;
    PJ *named =
        want != NULL && strchr(want, ':') != NULL && strchr(want, ' ') == NULL ? proj_create(c, want) : NULL;
    const char *name = named != NULL && proj_get_name(named) != NULL ? proj_get_name(named) : want;
    int n = list != NULL ? proj_list_get_count(list) : 0;
    PJ *op = NULL;
    enum odp_status st = ODP_OK;
    for (int i = 0; i < n && op == NULL; i++) {
        PJ *candidate = proj_list_get(c, list, i);
        if (is_usable(c, candidate) && (want == NULL || name_has_step(proj_get_name(candidate), name)))
            op = candidate;
        else
            proj_destroy(candidate);
    }
    if (op == NULL && want != NULL) {
        /* Not PROJ's own name for it: a pipeline from the file's x, y to longitude, latitude in degrees. */
        op = strstr(want, "proj=") != NULL ? proj_create(c, want) : NULL;
        if (op == NULL)
            st = operation_fault(s, c, list, want);
    } else if (op == NULL) {
        st = accuracy_fault(s, c, list, NULL);
    } else if (want == NULL) {
        double m = proj_coordoperation_get_accuracy(c, op);
        if (m > ACCURACY_MAX)
            st = accuracy_fault(s, c, list, shape_arg(s, "%g m", m));
        else if (m < 0 && !does_nothing(c, op))
            st = accuracy_fault(s, c, list, "? m");
    }
    proj_destroy(named);
    if (st != ODP_OK) {
        proj_destroy(op);
        op = NULL;
    }
    *out = op;
    return st;
}

/* By ourselves, if that is all that PIPELINE does. */
static void use_tm(struct shape_source *s, const char *pipeline)
{
    struct shape_tm_of tm;
    if (pipeline == NULL || !shape_pipeline_tm(pipeline, &tm) || !shape_tm_init(&s->crs.tm, &tm))
        return;
    s->crs.pipeline = odp_arena_str(&s->arena, pipeline);
}

/* What PROJ would find for CODE, of shape_prj_code. */
static void use_known(struct shape_source *s, unsigned code)
{
    unsigned zone = code % 100;
    bool south = code > 32700;
    s->base.info.crs = shape_arg(s, "EPSG:%u", code);
    s->crs.identity = code == 4326;
    if (s->crs.identity)
        return;
    s->base.info.crs_operation = shape_arg(s, "Inverse of UTM zone %u%c", zone, south ? 'S' : 'N');
    use_tm(s, shape_arg(s,
                        "+proj=pipeline +step +inv +proj=utm +zone=%u%s +ellps=WGS84"
                        " +step +proj=unitconvert +xy_in=rad +xy_out=deg",
                        zone, south ? " +south" : ""));
}

static enum odp_status find_operation(struct shape_source *s, PJ_CONTEXT *c, const PJ *crs, const PJ *wgs84)
{
    PJ_OPERATION_FACTORY_CONTEXT *f = proj_create_operation_factory_context(c, NULL);
    if (f == NULL)
        return odp_failure_set("PROJ", NULL, 0);
    proj_operation_factory_context_set_allow_ballpark_transformations(c, f, 0);
    proj_operation_factory_context_set_spatial_criterion(c, f, PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
    proj_operation_factory_context_set_grid_availability_use(
        c, f, PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID);
    PJ_OBJ_LIST *list = proj_create_operations(c, crs, wgs84, f);
    PJ *op = NULL;
    enum odp_status st = choose(s, c, list, &op);
    if (st == ODP_OK) {
        s->base.info.crs_operation = operation_label(s, proj_get_name(op));
        s->crs.operation = proj_normalize_for_visualization(c, op);
        if (s->crs.operation == NULL) { /* a pipeline has no CRS to put in order */
            s->crs.operation = op;
            op = NULL;
        }
        use_tm(s, proj_as_proj_string(c, s->crs.operation, PJ_PROJ_5, NULL));
    }
    proj_destroy(op);
    proj_list_destroy(list);
    proj_operation_factory_context_destroy(f);
    return st;
}

/* What it might say is proposed where it can be one thing only, else listed. */
static enum odp_status no_prj(struct shape_source *s)
{
    struct shape_guess guess[SHAPE_GUESSES];
    struct odp_diag d = {.code = ODP_G09, .file = s->base.info.file};
    unsigned n = shape_crs_guess(s, guess);
    char list[400] = "";
    for (unsigned i = 0; i < n && n > 1; i++) {
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%sEPSG:%u (%.1f, %.1f)", i > 0 ? ", " : "", guess[i].code,
                 guess[i].at[0], guess[i].at[1]);
    }
    d.args[0] = odp_slice_of(shape_arg(s, "%s", list));
    if (n == 1 && shape_mends(s)) {
        d.action = ODP_ACTION_MEND_SHAPE;
        d.proposal = odp_slice_of(shape_arg(s, "EPSG:%u", guess[0].code));
    }
    return shape_refuse(s, &d, NULL);
}

enum odp_status shape_crs_open(struct shape_source *s)
{
    const char *declared = s->base.resource->geometry.crs, *text = NULL;
    enum odp_status st = read_prj(s, &text);
    if (st != ODP_OK)
        return st;
    if (text == NULL && declared == NULL)
        return no_prj(s);
    unsigned code = text != NULL ? shape_prj_code(text) : 0;
    if (code == 4326 || (code != 0 && s->base.resource->geometry.crs_operation == NULL)) {
        use_known(s, code);
        return ODP_OK;
    }
    PJ_CONTEXT *c = s->crs.context = context_new();
    PJ *wgs84 = c != NULL ? proj_create(c, "EPSG:4326") : NULL;
    if (wgs84 == NULL)
        return odp_failure_set("PROJ: proj.db", NULL, 0);
    PJ *crs = text != NULL ? crs_parse(c, text) : NULL;
    if (crs == NULL && declared != NULL)
        crs = crs_parse(c, declared);
    if (crs == NULL) {
        st = shape_fault(s, ODP_G14, text != NULL ? s->parts[SHAPE_PRJ].name : s->base.info.file,
                         shape_arg(s, "%.80s", text != NULL ? text : declared));
    } else {
        s->base.info.crs = crs_label(s, c, crs);
        s->crs.identity = is_wgs84(c, crs, wgs84);
        if (s->crs.identity)
            s->base.info.crs = "EPSG:4326";
        else
            st = find_operation(s, c, crs, wgs84);
    }
    proj_destroy(crs);
    proj_destroy(wgs84);
    return st;
}

void shape_crs_close(struct shape_source *s)
{
    proj_destroy(s->crs.operation);
    proj_context_destroy(s->crs.context);
}

enum odp_status shape_worker_crs(const struct shape_source *s, struct shape_worker *w)
{
    if (s->crs.identity || s->crs.pipeline != NULL)
        return ODP_OK;
    w->context = context_new();
    w->operation = w->context != NULL ? proj_clone(w->context, s->crs.operation) : NULL;
    return w->operation != NULL ? ODP_OK : odp_failure_set("PROJ", NULL, 0);
}

void shape_worker_crs_close(struct shape_worker *w)
{
    if (w->context == NULL)
        return;
    proj_destroy(w->operation);
    proj_context_destroy(w->context);
}

static enum odp_status by_proj(struct shape_worker *w, double *xy, uint32_t n)
{
    size_t stride = 2 * sizeof *xy;
    proj_errno_reset(w->operation);
    proj_trans_generic(w->operation, PJ_FWD, xy, stride, n, xy + 1, stride, n, NULL, 0, 0, NULL, 0, 0);
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(xy[2 * (size_t)i]) || !isfinite(xy[2 * (size_t)i + 1]))
            return ODP_BAD;
    return ODP_OK;
}

/* The points that the series are not for: by PROJ, which has more of the plane, and refuses what it does not
 * have. */
static enum odp_status far_points(const struct shape_source *s, struct shape_worker *w, double *xy,
                                  const uint8_t *skipped, uint32_t n)
{
    enum odp_status st = ODP_OK;
    if (w->context == NULL)
        w->context = context_new();
    if (w->operation == NULL && w->context != NULL)
        w->operation = proj_create(w->context, s->crs.pipeline);
    if (w->operation == NULL)
        return odp_failure_set("PROJ", NULL, 0);
    for (uint32_t i = 0; i < n && st == ODP_OK; i++)
        if (skipped[i])
            st = by_proj(w, xy + 2 * (size_t)i, 1);
    return st;
}

enum odp_status shape_crs_apply(const struct shape_source *s, struct shape_worker *w, double *xy, uint32_t n)
{
    uint8_t skipped[1024];
    enum odp_status st = ODP_OK;
    if (s->crs.identity || n == 0)
        return ODP_OK;
    if (s->crs.pipeline == NULL)
        return by_proj(w, xy, n);
    for (uint32_t from = 0; from < n && st == ODP_OK; from += sizeof skipped) {
        uint32_t count = n - from < sizeof skipped ? n - from : (uint32_t)sizeof skipped;
        double *at = xy + 2 * (size_t)from;
        if (shape_tm_inverse(&s->crs.tm, at, count, skipped) > 0)
            st = far_points(s, w, at, skipped, count);
    }
    return st;
}
