/* Geometries of the query index (GeoPackageBinary): the published text of any geometry comes back byte for
 * byte, its coordinates as the doubles that this text means; what is damaged is BAD. */
#include "run.h"
#include "random.h"

#include "catalog/index/gpb.h"

enum { POINTS = 64, PARTS = 12 };

/* Degrees of every kind: plain ones, whole ones, the edges, what rounds to nought, ties of the seventh
 * decimal. */
static double degrees(double most)
{
    switch (dice(8)) {
    case 0:
        return dice(2) ? most : -most;
    case 1:
        return (double)dice(100) - 50;
    case 2:
        return (dice(2) ? -1 : 1) * (double)dice(100) * 1e-9;
    case 3:
        return (double)((int)dice(2000) - 1000) / 1000;
    case 4:
        return ((double)dice(1000) + 0.5) * 1e-7;
    default:
        return ((double)dice(1u << 30) / (1u << 29) - 1) * most;
    }
}

static double height(void)
{
    switch (dice(5)) {
    case 0:
        return 0;
    case 1:
        return -12.3456789012;
    case 2:
        return 9.87654321098e14; /* beyond what units hold: stays as it is */
    case 3:
        return 1234567890.123456789;
    default:
        return (double)dice(100000) / 7;
    }
}

struct sample {
    struct odp_geom g;
    double xy[2 * POINTS], z[POINTS];
    uint32_t part[PARTS + 1], poly[PARTS + 1];
};

/* One more part of N points; a ring ends where it begins. */
static void add_part(struct sample *s, uint32_t n, bool ring)
{
    struct odp_geom *g = &s->g;
    uint32_t first = g->npoints;
    for (uint32_t i = 0; i < n; i++, g->npoints++) {
        bool last = ring && i + 1 == n;
        s->xy[2 * g->npoints] = last ? s->xy[2 * first] : degrees(180);
        s->xy[2 * g->npoints + 1] = last ? s->xy[2 * first + 1] : degrees(90);
        s->z[g->npoints] = height();
    }
    s->part[++g->nparts] = g->npoints;
}

static void make(struct sample *s, enum odp_geom_type type, bool heights, bool empty)
{
    memset(s, 0, sizeof *s);
    s->g = (struct odp_geom){.type = type, .xy = s->xy, .z = heights ? s->z : NULL, .part = s->part};
    bool areal = type == ODP_GEOM_POLYGON || type == ODP_GEOM_MULTIPOLYGON;
    s->g.poly = areal ? s->poly : NULL;
    s->g.label[0] = degrees(180);
    s->g.label[1] = degrees(90);
    if (empty)
        return;
    uint32_t n = type == ODP_GEOM_MULTIPOLYGON || type == ODP_GEOM_MULTILINESTRING ? 1 + dice(3) : 1;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t holes = areal ? dice(3) : 0;
        for (uint32_t h = 0; h <= holes; h++)
            add_part(s, type == ODP_GEOM_POINT ? 1 : (areal ? 4 : 2) + dice(3), areal);
        if (areal)
            s->poly[++s->g.npolys] = s->g.nparts;
    }
    bool has = false;
    for (uint32_t i = 0; i < s->g.npoints; i++) {
        const double at[4] = {s->xy[2 * i], s->xy[2 * i + 1], s->xy[2 * i], s->xy[2 * i + 1]};
        odp_bbox_extend(s->g.bbox, &has, at);
    }
}

struct texts {
    struct odp_buffer shape, json, wkt, found;
    struct odp_arena arena;
};

static void texts_init(struct texts *t)
{
    odp_buffer_init(&t->shape);
    odp_buffer_init(&t->json);
    odp_buffer_init(&t->wkt);
    odp_buffer_init(&t->found);
    odp_arena_init(&t->arena);
}

static void texts_release(struct texts *t)
{
    odp_buffer_release(&t->shape);
    odp_buffer_release(&t->json);
    odp_buffer_release(&t->wkt);
    odp_buffer_release(&t->found);
    odp_arena_release(&t->arena);
}

static void texts_of(struct texts *t, const struct odp_geom *g)
{
    odp_buffer_clear(&t->shape);
    odp_buffer_clear(&t->json);
    odp_buffer_clear(&t->wkt);
    odp_gpb_add(&t->shape, g);
    odp_geom_add_geojson(&t->json, g);
    odp_geom_add_wkt(&t->wkt, g);
    must(odp_buffer_status(&t->shape));
}

/* Numbers of the WKT, read by the C library, against those of G. */
static void same_numbers(const char *wkt, const struct odp_geom *g)
{
    uint32_t n = 0, each = g->z != NULL ? 3 : 2;
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    while (*wkt != '\0') {
        if (*wkt != '-' && (*wkt < '0' || *wkt > '9')) {
            wkt++;
            continue;
        }
        char *end;
        double v = strtod(wkt, &end);
        uint32_t i = n / each, k = n % each;
        assert_true(i < g->npoints);
        assert_true(v == (k < 2 ? g->xy[2 * i + k] : g->z[i]));
        if (k < 2) {
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
        }
        wkt = end;
        n++;
    }
    assert_int_equal(n, g->npoints * each);
    for (int k = 0; n > 0 && k < 2; k++)
        assert_true(g->bbox[k] == low[k] && g->bbox[k + 2] == high[k]);
}

static void same_structure(const struct odp_geom *a, const struct odp_geom *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->npoints, b->npoints);
    if (a->npoints == 0)
        return;
    assert_int_equal(a->nparts, b->nparts);
    assert_int_equal(a->npolys, b->npolys);
    assert_memory_equal(a->part, b->part, (a->nparts + 1) * sizeof *a->part);
    if (a->npolys > 0)
        assert_memory_equal(a->poly, b->poly, (a->npolys + 1) * sizeof *a->poly);
    assert_true((a->z != NULL) == (b->z != NULL));
}

static void same_head(struct odp_slice shape, const struct odp_geom *given, const struct odp_geom *read)
{
    double box[4];
    assert_int_equal(read->type, given->type);
    assert_int_equal(odp_gpb_box(shape, box), given->npoints > 0);
    for (int k = 0; k < 4 && given->npoints > 0; k++)
        assert_true(box[k] == read->bbox[k]);
}

TEST(geometries_come_back)
{
    static struct sample s;
    struct texts t;
    struct odp_geom g;
    texts_init(&t);
    for (int i = 0; i < 12000; i++) {
        make(&s, (enum odp_geom_type)dice(6), dice(3) == 0, dice(20) == 0);
        texts_of(&t, &s.g);
        odp_arena_reset(&t.arena);
        must(odp_gpb_read(odp_buffer_slice(&t.shape), &g, &t.arena));
        odp_buffer_clear(&t.found);
        odp_geom_add_geojson(&t.found, &g);
        assert_string_equal(odp_buffer_cstr(&t.found), odp_buffer_cstr(&t.json));
        odp_buffer_clear(&t.found);
        odp_geom_add_wkt(&t.found, &g);
        assert_string_equal(odp_buffer_cstr(&t.found), odp_buffer_cstr(&t.wkt));
        same_structure(&s.g, &g);
        same_numbers(odp_buffer_cstr(&t.wkt), &g);
        same_head(odp_buffer_slice(&t.shape), &s.g, &g);
    }
    texts_release(&t);
}

/* A copy of exactly N bytes, so that the sanitizer sees a byte too many. */
static char *exactly(struct odp_slice s, size_t n)
{
    char *copy = malloc(n > 0 ? n : 1);
    assert_non_null(copy);
    memcpy(copy, s.ptr, n);
    return copy;
}

/* All readers of bytes that may be anything: none crashes, and what was read prints. */
static enum odp_status try_all(struct texts *t, struct odp_slice shape)
{
    struct odp_geom g;
    double box[4];
    odp_arena_reset(&t->arena);
    enum odp_status read = odp_gpb_read(shape, &g, &t->arena);
    (void)odp_gpb_box(shape, box);
    odp_buffer_clear(&t->found);
    if (read == ODP_OK) {
        odp_geom_add_wkt(&t->found, &g);
        odp_geom_add_geojson(&t->found, &g);
    }
    return read;
}

TEST(damaged_ones_are_bad)
{
    static struct sample s;
    struct texts t;
    texts_init(&t);
    for (int i = 0; i < 1500; i++) {
        make(&s, (enum odp_geom_type)(i % 6), i % 4 == 0, i % 97 == 0);
        texts_of(&t, &s.g);
        struct odp_slice whole = odp_buffer_slice(&t.shape);
        for (size_t n = 0; n < whole.len; n++) {
            char *copy = exactly(whole, n);
            must_refuse(try_all(&t, (struct odp_slice){copy, n}));
            free(copy);
        }
        char *more = malloc(whole.len + 1);
        assert_non_null(more);
        memcpy(more, whole.ptr, whole.len);
        more[whole.len] = 0;
        must_refuse(try_all(&t, (struct odp_slice){more, whole.len + 1}));
        for (int k = 0; k < 30; k++) {
            size_t at = dice((uint32_t)whole.len);
            char kept = more[at];
            more[at] = (char)(k % 3 == 0 ? 0xff : dice(256));
            (void)try_all(&t, (struct odp_slice){more, whole.len});
            more[at] = kept;
        }
        free(more);
    }
    texts_release(&t);
}

/* Counts of more than there is, members of another kind, numbers that are none: each from a sound one with
 * one place changed. */
TEST(hostile_ones)
{
    static const char point[] = "GP\0\1\xe6\x10\0\0\1\1\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40";
    static const struct {
        size_t at;
        const char *bytes;
        size_t n;
    } cases[] = {{0, "X", 1},
                 {2, "\1", 1},
                 {3, "\0", 1},
                 {3, "\3", 1},   /* an envelope that a point has none of */
                 {3, "\x11", 1}, /* empty, and yet bytes */
                 {4, "\xe7", 1},
                 {8, "\0", 1},
                 {9, "\7", 1},
                 {9, "\2\0\0\0\xff\xff\xff\xff", 8},
                 {9, "\3\0\0\0\0\0\0\0", 8},
                 {9, "\6\0\0\0\1\0\0\0", 8},
                 {9, "\xe9\3\0\0", 4},
                 {13, "\0\0\0\0\0\0\xf8\x7f", 8},
                 {21, "\0\0\0\0\0\0\xf0\xff", 8},
                 {21, "\0\0\0\0\0\xc0\x82\x40", 8} /* 600 */};
    struct texts t;
    texts_init(&t);
    for (size_t i = 0; i <= ODP_COUNT(cases); i++) {
        char *copy = exactly((struct odp_slice){point, sizeof point - 1}, sizeof point - 1);
        bool whole = i == ODP_COUNT(cases);
        if (!whole)
            memcpy(copy + cases[i].at, cases[i].bytes, cases[i].n);
        assert_int_equal(try_all(&t, (struct odp_slice){copy, sizeof point - 1}), whole ? ODP_OK : ODP_BAD);
        free(copy);
    }
    assert_string_equal(odp_buffer_cstr(&t.found), "POINT (1 2){\"type\":\"Point\",\"coordinates\":[1,2]}");
    texts_release(&t);
}

/* A geometry with an impossible coordinate fails as a whole: no half of it is written. */
TEST(out_of_range_fails)
{
    static const double bad[] = {360.1, -360.1, 1e300, -1e300, 0.0 / 0.0};
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        double xy[2] = {1, bad[i]};
        uint32_t part[2] = {0, 1};
        struct odp_geom g = {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = xy, .part = part};
        BUFFER(b);
        odp_gpb_add(&b, &g);
        must_fail(odp_buffer_status(&b), "");
    }
    odp_failure_clear();
}
