/* tools/odp-build/check/geometry.c: one fault of each kind, label points, and polygons of many parts. */
#include "shape_fixture.h"

#include "check/geometry.h"

struct made {
    struct odp_batch batch;
    struct odp_resource resource;
    struct odp_dataset dataset;
    struct odp_geom geom;
    const struct odp_geom *list[1];
    uint8_t bad[1];
    uint32_t part[8], poly[8];
};

/* TEXT: "x y, x y; x y, x y / …": ';' between rings or lines, '/' between polygons. */
static void made_init(struct made *m, enum odp_geom_type type, const char *text)
{
    static double xy[256];
    *m = (struct made){0};
    m->dataset.slug = m->resource.name = "uji";
    m->resource.dataset = &m->dataset;
    m->resource.geometry = (struct odp_geometry_spec){.present = true, .required = true, .check_valid = true};
    must(odp_batch_init(&m->batch, 10));
    odp_batch_reset(&m->batch, &m->resource);
    struct odp_record *r = odp_batch_add_record(&m->batch);
    *r = (struct odp_record){.row = 1, .line = 1};
    struct odp_geom *g = &m->geom;
    *g = (struct odp_geom){.type = type, .xy = xy, .part = m->part, .bbox = {1e9, 1e9, -1e9, -1e9}};
    for (const char *p = text; p != NULL && *p != '\0';) {
        char *end;
        double x = strtod(p, &end), y = strtod(end, &end);
        xy[2 * g->npoints] = x;
        xy[2 * g->npoints++ + 1] = y;
        g->bbox[0] = fmin(g->bbox[0], x), g->bbox[2] = fmax(g->bbox[2], x);
        g->bbox[1] = fmin(g->bbox[1], y), g->bbox[3] = fmax(g->bbox[3], y);
        p = end + strspn(end, " ");
        if (*p != ',') {
            m->part[++g->nparts] = g->npoints;
            if (*p != ';')
                m->poly[++g->npolys] = g->nparts;
        }
        p += *p != '\0';
    }
    if (type == ODP_GEOM_POLYGON || type == ODP_GEOM_MULTIPOLYGON)
        g->poly = m->poly;
    else
        g->npolys = 0;
    m->list[0] = text != NULL ? g : NULL;
    m->batch.geometry = m->list;
    m->batch.record_bad = m->bad;
}

/* Checks; expects CODE (or none), and leaves the batch for more questions. */
static void check(struct made *m, enum odp_code code, const char *where)
{
    struct odp_geometry_checker *c = NULL;
    must(odp_geometry_checker_new(&c, &m->resource.geometry, 1));
    must(odp_geometry_check(c, &m->batch, 0, "uji.shp"));
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(m->batch.diags, &n);
    if (code == ODP_CODE_COUNT ? n != 0 : n != 1 || groups[0]->code != code || groups[0]->count != 1)
        fail_msg("found %s, expected %s", n > 0 ? odp_code_info(groups[0]->code)->code : "nothing",
                 code == ODP_CODE_COUNT ? "nothing" : odp_code_info(code)->code);
    if (n == 1) {
        assert_int_equal(m->bad[0], groups[0]->severity == ODP_SEVERITY_ERROR);
        struct odp_slice arg = groups[0]->examples->diag.args[0];
        if (where != NULL && !odp_slice_is(arg, where))
            fail_msg("argument \"%.*s\", expected \"%s\"", (int)arg.len, arg.ptr, where);
    }
    odp_geometry_checker_free(c);
}

static void one(enum odp_geom_type type, const char *text, enum odp_code code, const char *where)
{
    struct made m;
    made_init(&m, type, text);
    check(&m, code, where);
    odp_batch_release(&m.batch);
}

TEST(faults)
{
    const enum odp_code none = ODP_CODE_COUNT;
    one(ODP_GEOM_POINT, NULL, ODP_G01, NULL);
    one(ODP_GEOM_POLYGON, "", ODP_G02, NULL);
    one(ODP_GEOM_POLYGON, "0 0, 0 4, 4 4, 4 0", ODP_G03, NULL);
    one(ODP_GEOM_POLYGON, "0 0, 0 4, 0 0", ODP_G21, "3");
    one(ODP_GEOM_LINESTRING, "0 0", ODP_G21, "1");
    one(ODP_GEOM_LINESTRING, "1 2, 1 2", ODP_G05, "1, 2");
    one(ODP_GEOM_POLYGON, "106 -6, 107 -7, 107 -6, 106 -7, 106 -6", ODP_G04, "106.5, -6.5");
    one(ODP_GEOM_POLYGON, "0 0, 0 9, 9 9, 9 0, 0 0; 20 20, 21 20, 21 21, 20 20", ODP_G20, NULL);
    one(ODP_GEOM_MULTIPOLYGON, "0 0, 0 9, 9 9, 9 0, 0 0/1 1, 1 2, 2 2, 2 1, 1 1", ODP_G22, NULL);
    one(ODP_GEOM_POLYGON, "0 0, 0 9, 9 9, 9 0, 0 0; 1 1, 8 1, 8 8, 1 8, 1 1; 2 2, 3 2, 3 3, 2 3, 2 2",
        ODP_G22, NULL);
    one(ODP_GEOM_POLYGON, "0 0, 0 4, 4 4, 4 0, 0 0; 0 2, 2 0, 4 2, 2 4, 0 2", ODP_G23, NULL);
    /* touches itself in 0 0 around a hole: a warning, and it keeps its place in the output */
    one(ODP_GEOM_POLYGON, "0 0, 0 9, 9 9, 9 0, 0 0, 4 2, 4 4, 2 4, 0 0", ODP_G26, "0, 0");
    one(ODP_GEOM_POLYGON, "0 0, 0 4, 4 4, 4 0, 0 0", none, NULL);
    one(ODP_GEOM_MULTIPOINT, "0 0, 0 4", none, NULL);
    one(ODP_GEOM_POINT, "106 -6", none, NULL);
    one(ODP_GEOM_POINT, "181 -6", ODP_G06, "-180 … 180");
}

TEST(declared)
{
    struct made m;
    static const double indonesia[4] = {94.5, -11.5, 141.5, 6.5};
    static const struct {
        const char *point;
        enum odp_code code;
    } boxes[] = {
        {"106 -6", ODP_CODE_COUNT},
        {"-6 106", ODP_G07},
        {"10 50", ODP_G06},
        {"141.50000004 0", ODP_CODE_COUNT},
    };
    for (size_t i = 0; i < ODP_COUNT(boxes); i++) {
        made_init(&m, ODP_GEOM_POINT, boxes[i].point);
        m.resource.geometry.has_bbox = true;
        memcpy(m.resource.geometry.bbox, indonesia, sizeof indonesia);
        check(&m, boxes[i].code, NULL);
        odp_batch_release(&m.batch);
    }
    made_init(&m, ODP_GEOM_POINT, "106 -6");
    m.resource.geometry.types = ODP_GEOM_BIT_POLYGON | ODP_GEOM_BIT_MULTIPOLYGON;
    check(&m, ODP_G08, "Point");
    odp_batch_release(&m.batch);
    made_init(&m, ODP_GEOM_POINT, NULL);
    m.resource.geometry.required = false;
    check(&m, ODP_CODE_COUNT, NULL);
    odp_batch_release(&m.batch);
    made_init(&m, ODP_GEOM_POLYGON, "0 0, 1 1, 1 0, 0 1, 0 0");
    m.resource.geometry.check_valid = false;
    check(&m, ODP_CODE_COUNT, NULL);
    odp_batch_release(&m.batch);
    made_init(&m, ODP_GEOM_POINT, NULL); /* the source has said what is wrong */
    m.batch.records[0].flags = ODP_RECORD_GEOMETRY_BAD | ODP_RECORD_REFUSED;
    check(&m, ODP_CODE_COUNT, NULL);
    assert_int_equal(m.bad[0], 1);
    odp_batch_release(&m.batch);
    made_init(&m, ODP_GEOM_POINT, NULL); /* and the catalogue lets it pass */
    m.batch.records[0].flags = ODP_RECORD_GEOMETRY_BAD;
    check(&m, ODP_CODE_COUNT, NULL);
    assert_int_equal(m.bad[0], 0);
    odp_batch_release(&m.batch);
}

static void label(enum odp_geom_type type, const char *text, double x, double y)
{
    struct made m;
    made_init(&m, type, text);
    check(&m, ODP_CODE_COUNT, NULL);
    const double *got = m.list[0]->label;
    if (fabs(got[0] - x) > 1e-9 || fabs(got[1] - y) > 1e-9)
        fail_msg("label %.12g %.12g, expected %.12g %.12g", got[0], got[1], x, y);
    odp_batch_release(&m.batch);
}

TEST(labels)
{
    label(ODP_GEOM_POINT, "106 -6", 106, -6);
    label(ODP_GEOM_LINESTRING, "0 0, 1 5, 9 9", 1, 5);
    label(ODP_GEOM_MULTILINESTRING, "0 0, 1 1; 2 2, 3 3, 4 4", 3, 3);
    label(ODP_GEOM_POLYGON, "0 0, 0 4, 4 4, 4 0, 0 0", 2, 2);
    label(ODP_GEOM_POLYGON, "0 0, 4 0, 4 4, 0 4, 0 0; 0.5 0.5, 1.5 0.5, 1.5 1.5, 0.5 1.5, 0.5 0.5", 31.0 / 15,
          31.0 / 15);
    /* a ring: the centroid is in the hole, so the label moves onto the polygon */
    struct made m;
    made_init(&m, ODP_GEOM_POLYGON, "0 0, 0 9, 9 9, 9 0, 0 0; 2 2, 7 2, 7 7, 2 7, 2 2");
    check(&m, ODP_CODE_COUNT, NULL);
    const double *at = m.list[0]->label;
    assert_true(at[0] > 0 && at[0] < 9 && at[1] > 0 && at[1] < 9);
    assert_false(at[0] > 2 && at[0] < 7 && at[1] > 2 && at[1] < 7);
    odp_batch_release(&m.batch);
}

/* 20,000 islands in one record, all valid; then one of them inside another. */
TEST(many_parts)
{
    enum { SIDE = 142, N = SIDE * SIDE };
    struct made m;
    made_init(&m, ODP_GEOM_MULTIPOLYGON, "0 0, 0 1, 1 1, 0 0");
    struct odp_geom *g = &m.geom;
    g->npoints = 5 * N;
    g->nparts = g->npolys = N;
    g->xy = malloc(10 * N * sizeof(double));
    g->part = malloc((N + 1) * sizeof(uint32_t));
    g->poly = malloc((N + 1) * sizeof(uint32_t));
    static const double dx[5] = {0, 0, 1, 1, 0}, dy[5] = {0, 1, 1, 0, 0};
    for (uint32_t k = 0; k < N; k++) {
        g->part[k] = 5 * k;
        g->poly[k] = k;
        for (uint32_t i = 0; i < 5; i++) {
            g->xy[2 * (5 * k + i)] = (k % SIDE + 0.5 * dx[i]) / 10;
            g->xy[2 * (5 * k + i) + 1] = (k / SIDE + 0.5 * dy[i]) / 10;
        }
    }
    g->part[N] = 5 * N;
    g->poly[N] = N;
    memcpy(g->bbox, (double[4]){0, 0, 14.2, 14.2}, sizeof g->bbox);
    check(&m, ODP_CODE_COUNT, NULL);
    for (uint32_t i = 0; i < 5; i++) { /* the last moves into the first */
        g->xy[2 * (5 * (N - 1) + i)] = 0.01 + 0.01 * dx[i];
        g->xy[2 * (5 * (N - 1) + i) + 1] = 0.01 + 0.01 * dy[i];
    }
    m.list[0] = g;
    check(&m, ODP_G22, NULL);
    free(g->xy);
    free(g->part);
    free(g->poly);
    odp_batch_release(&m.batch);
}
