/* The document of a map: features, a grid where they are too many, what it says of itself, colours. */
#include <math.h>

#include "emit_fixture.h"

#include "write/map/map_internal.h"

#define MAP "data/uji/2024-03-15/uji.map.geojson"

static struct odp_category categories[] = {{ODP_LIT("berat"), {{"Berat", "Severe"}}},
                                           {ODP_LIT("ringan"), {{"Ringan", "Light"}}}};

static void start(struct fixture *fx)
{
    fx_init(fx);
    (void)fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "pemilik", ODP_TYPE_STRING)->is_public = false;
    struct odp_field *kind = fx_field(fx, "tingkat", ODP_TYPE_STRING);
    kind->categories = categories;
    kind->ncategories = 2;
    (void)fx_field(fx, "nama_kawasan", ODP_TYPE_STRING);
    fx_field(fx, "luas", ODP_TYPE_NUMBER)->unit = (struct odp_text){{"hektare", "hectares"}};
    fx_key(fx, 0, -1);
    fx->resource.print.title = -1;
    fx->resource.geometry.present = true;
    fx->job.has_geometry = true;
}

TEST(features)
{
    static double xy[] = {106.5, -6.5, 106.75, -6.5, 106.75, -6.25, 106.5, -6.25, 106.5, -6.5};
    static uint32_t part[] = {0, 5}, poly[] = {0, 1};
    const struct odp_geom square = {
        .type = ODP_GEOM_POLYGON,
        .npoints = 5,
        .nparts = 1,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = poly,
        .bbox = {106.5, -6.5, 106.75, -6.25},
        .label = {106.6, -6.4},
    };
    const struct odp_geom *geometry[] = {&square, NULL, &square};
    const struct odp_slice cells[] = {
        S("a"), S("Budi"), S("ringan"), S("Satu"), S("1.50"),  S("b"),          S("Siti"), NUL,
        NUL,    NUL,       S("c"),      S("Amir"), S("asing"), S("Tiga \"3\""), S("2")};
    BUFFER(want);
    must(odp_file_read(ODP_TESTS_DIR "/unit/write/answers/map.geojson", 1 << 16, &want, NULL));
    for (uint32_t step = 1; step <= 3; step++) {
        struct fixture fx;
        start(&fx);
        fx_emit(&fx, cells, 3, step, geometry);
        fx_expect(&fx, MAP, odp_buffer_cstr(&want));
        fx_release(&fx);
    }
}

TEST(without_records)
{
    struct fixture fx;
    start(&fx);
    fx_emit(&fx, NULL, 0, 1, NULL);
    char *got = fx_read(&fx, MAP, NULL);
    EXPECT(got,
           "{\"type\":\"FeatureCollection\",\"name\":\"uji\",\"odp\":{\"version\":\"2024-03-15\","
           "\"total\":0,\"located\":0,\"shown\":0,\"form\":\"features\"",
           "\"features\":[]}\n");
    free(got);
    fx_release(&fx);
}

/* N points on a lattice, a third of them "berat"; the document in each of two sizes of batches is the same.
 */
static char *emit_points(uint32_t n, uint32_t step)
{
    static uint32_t part[] = {0, 1};
    struct odp_geom *geom = calloc(n, sizeof *geom);
    const struct odp_geom **list = calloc(n, sizeof *list);
    double *xy = calloc(n, 2 * sizeof *xy);
    char(*texts)[12] = calloc(n, sizeof *texts);
    struct odp_slice *cells = calloc((size_t)n * 5, sizeof *cells);
    assert_true(geom && list && xy && texts && cells);
    for (uint32_t i = 0; i < n; i++) {
        double *p = xy + 2 * (size_t)i;
        p[0] = 95 + (i % 400) * 0.1;
        p[1] = -10 + (double)(i / 400) * 0.1;
        geom[i] = (struct odp_geom){
            .type = ODP_GEOM_POINT,
            .npoints = 1,
            .nparts = 1,
            .xy = p,
            .part = part,
            .bbox = {p[0], p[1], p[0], p[1]},
            .label = {p[0], p[1]},
        };
        list[i] = &geom[i];
        struct odp_slice *c = cells + (size_t)i * 5;
        c[0] = (struct odp_slice){texts[i], (size_t)snprintf(texts[i], sizeof texts[i], "%u", i)};
        c[1] = S("rahasia");
        c[2] = i % 3 == 0 ? S("berat") : S("ringan");
        c[3] = S("Kawasan permukiman");
        c[4] = S("1.5");
    }
    struct fixture fx;
    start(&fx);
    fx_emit(&fx, cells, n, step, list);
    char *got = fx_read(&fx, MAP, NULL);
    fx_release(&fx);
    free(geom);
    free(list);
    free(xy);
    free(texts);
    free(cells);
    return got;
}

static uint64_t sum_of(const char *text, const char *key)
{
    uint64_t sum = 0;
    for (const char *at = text; (at = strstr(at, key)) != NULL;)
        sum += strtoull(at += strlen(key), NULL, 10);
    return sum;
}

TEST(too_many_are_a_grid)
{
    enum { N = 30000 };
    char *got = emit_points(N, 1000), *again = emit_points(N, 4096);
    assert_string_equal(got, again);
    EXPECT(got, "\"total\":30000,\"located\":30000,\"shown\":0,\"form\":\"grid\",\"cell\":",
           "\"value\":\"berat\",\"label\":{\"id\":\"Berat\",\"en\":\"Severe\"},\"count\":10000", "!",
           "rahasia");
    assert_int_equal(sum_of(got, "\"properties\":{\"n\":"), N); /* nobody is missing */
    assert_int_equal(sum_of(got, "\"counts\":["), N / 3);
    assert_true(strlen(got) < 1500000);
    free(got);
    free(again);
    got = emit_points(3000, 500);
    EXPECT(got, "\"form\":\"features\"");
    assert_int_equal(sum_of(got, "\"type\":\"Feature\",\"id\":\""), 3000 * 2999 / 2);
    free(got);
}

/* ---- colours ---- */

static double linear(int v)
{
    double c = v / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void read_color(const char *text, double rgb[3])
{
    unsigned r, g, b;
    assert_int_equal(sscanf(text, "#%2x%2x%2x", &r, &g, &b), 3);
    rgb[0] = linear((int)r);
    rgb[1] = linear((int)g);
    rgb[2] = linear((int)b);
}

static double luminance(const double rgb[3])
{
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

/* Machado, Oliveira, Fernandes 2009, severity 1: none, protanopia, deuteranopia, tritanopia. */
static const double vision[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

static double part(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab(const double rgb[3], const double m[3][3], double out[3])
{
    double s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2];
        s[i] = s[i] < 0 ? 0 : s[i] > 1 ? 1 : s[i];
    }
    double x = part((0.4124 * s[0] + 0.3576 * s[1] + 0.1805 * s[2]) / 0.95047), y = part(luminance(s));
    double z = part((0.0193 * s[0] + 0.1192 * s[1] + 0.9505 * s[2]) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

/* Color I of L, which both grounds show. */
static void read_legible(const struct map_legend *l, uint32_t i, double rgb[3])
{
    double light = 1.0, dark[3];
    read_color("#15202A", dark);
    read_color(map_legend_color(l, i), rgb);
    assert_true((light + 0.05) / (luminance(rgb) + 0.05) >= 3);
    assert_true((luminance(rgb) + 0.05) / (luminance(dark) + 0.05) >= 3);
}

/* Darker one by one, for everybody; few are spread over all. */
TEST(ordered_colors)
{
    for (uint32_t n = 1; n <= MAP_VALUES; n++) {
        const struct map_legend l = {.n = n, .ordered = true};
        double rgb[3], was = 1;
        for (uint32_t i = 0; i < n; i++) {
            read_legible(&l, i, rgb);
            assert_true(luminance(rgb) < was - 0.01);
            was = luminance(rgb);
        }
        if (n > 1)
            assert_string_equal(map_legend_color(&l, n - 1), "#864BDB");
        assert_string_equal(map_legend_color(&l, 0), "#BF890E");
        assert_string_equal(map_legend_color(&l, n), "#7F7F7F");
    }
}

TEST(colors)
{
    const struct map_legend l = {.n = MAP_VALUES};
    double rgb[MAP_VALUES + 1][3];
    for (uint32_t i = 0; i <= MAP_VALUES; i++) {
        read_legible(&l, i, rgb[i]);
        for (uint32_t k = 0; k < i; k++)
            for (int v = 0; v < 4; v++) {
                double a[3], b[3];
                lab(rgb[i], vision[v], a);
                lab(rgb[k], vision[v], b);
                double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                (a[2] - b[2]) * (a[2] - b[2]));
                assert_true(d >= (v == 0 ? 30 : i < 4 ? 16 : 12));
            }
    }
}
