/* Coordinates without PROJ (tools/odp-build/read/shapefile/prj.c, tm.c) against PROJ: the systems that are known, and every point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "read/shapefile/reader.h"

static uint64_t state = 88172645463325252u;

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* ---- transverse Mercator -------------------------------------------------------------------------------------------- */

enum { POINTS = 20000 };

struct result {
    uint64_t compared, left, differ; /* coordinates whose seventh decimal differs */
    double worst;                    /* degrees */
};

/* Points within WIDE metres of the middle meridian, from SOUTH to NORTH of the equator, in millimetres; by both. */
static void compare(const char *pipeline, double wide, double south, double north, struct result *r)
{
    static double in[2 * POINTS], proj[2 * POINTS], own[2 * POINTS], plain[2 * POINTS];
    static uint8_t skipped[POINTS];
    struct shape_tm_of of;
    struct shape_tm tm;
    if (!shape_prj_tm(pipeline, &of))
        fail_msg("not known: %s", pipeline);
    assert_true(shape_tm_init(&tm, &of));
    PJ *p = proj_create(NULL, pipeline);
    assert_non_null(p);
    for (int i = 0; i < POINTS; i++) {
        in[2 * i] = floor((of.x0 + (2 * unit() - 1) * wide) * 1000) / 1000;
        in[2 * i + 1] = floor((of.y0 + south + unit() * (north - south)) * 1000) / 1000;
    }
    memcpy(proj, in, sizeof in);
    memcpy(own, in, sizeof in);
    memcpy(plain, in, sizeof in);
    proj_trans_generic(p, PJ_FWD, proj, 16, POINTS, proj + 1, 16, POINTS, NULL, 0, 0, NULL, 0, 0);
    proj_destroy(p);
    enum odp_bytes_form form = odp_bytes_form();
    uint32_t left = shape_tm_inverse(&tm, own, POINTS, skipped);
    odp_bytes_limit(ODP_BYTES_PLAIN);
    assert_int_equal(shape_tm_inverse(&tm, plain, POINTS, skipped), left);
    odp_bytes_limit(form);
    assert_memory_equal(own, plain, sizeof own); /* to the last bit, whatever the CPU can do */
    r->left += left;
    for (int i = 0; i < 2 * POINTS; i++) {
        if (skipped[i / 2]) {
            assert_true(own[i] == in[i]);
            continue;
        }
        double d = fabs(own[i] - proj[i]);
        d = d > 180 ? fabs(d - 360) : d; /* 180 and -180 are one meridian */
        r->worst = d > r->worst ? d : r->worst;
        r->compared++;
        r->differ += llround(own[i] * 1e7) != llround(proj[i] * 1e7) && d < 180;
    }
}

/* All zones, both halves: the whole area of use (3 degrees and the equator's 334 km), and four times as wide. */
static void utm_is_projs(void **unused)
{
    (void)unused;
    struct result use = {0}, wide = {0};
    for (int zone = 1; zone <= 60; zone++)
        for (int south = 0; south < 2; south++) {
            char pipeline[200];
            snprintf(pipeline, sizeof pipeline,
                     "+proj=pipeline +step +inv +proj=utm +zone=%d%s +ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg", zone,
                     south ? " +south" : "");
            compare(pipeline, 340000, south ? -9000000 : 0, south ? 0 : 9350000, &use);
            compare(pipeline, 1400000, -9000000, 9000000, &wide);
        }
    assert_int_equal(use.left, 0);
    assert_true(use.worst < 1e-12 && wide.worst < 1e-11);
    assert_true(use.differ <= 20 && wide.differ <= 20); /* of 4.8 million coordinates each */
    print_message("area of use: %llu of %llu differ by one unit, worst %.1e; wider: %llu, %.1e\n", (unsigned long long)use.differ,
                  (unsigned long long)use.compared, use.worst, (unsigned long long)wide.differ, wide.worst);
}

/* Three-degree zones, another ellipsoid, another scale; and all of the archipelago in one zone. */
static void others_are_projs(void **unused)
{
    (void)unused;
    static const char *const pipelines[] = {
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=94.5 +k=0.9999 +x_0=200000 +y_0=1500000 +ellps=WGS84 +step +proj=unitconvert "
        "+xy_in=rad +xy_out=deg",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=-179.5 +k=1 +x_0=0 +y_0=0 +ellps=GRS80 +step +proj=unitconvert +xy_in=rad "
        "+xy_out=deg",
        "+proj=pipeline +step +inv +proj=utm +zone=32 +ellps=GRS80 +step +proj=unitconvert +xy_in=rad +xy_out=deg",
    };
    struct result r = {0};
    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++)
        compare(pipelines[i], 2500000, -1300000, 800000, &r);
    assert_int_equal(r.left, 0);
    assert_true(r.worst < 1e-11 && r.differ <= 10);
}

static void far_points_are_left(void **unused)
{
    (void)unused;
    struct shape_tm_of of = {6378137, 1 / 298.257223563, 111, 0.9996, 500000, 10000000};
    struct shape_tm tm;
    uint8_t skipped[6];
    double xy[] = {500000, 9500000, 7.5e6, 1e7, 500000, 2.1e7, 5e5, -3e5, NAN, 1e7, 500000, INFINITY}, at[12];
    memcpy(at, xy, sizeof xy);
    assert_true(shape_tm_init(&tm, &of));
    assert_int_equal(shape_tm_inverse(&tm, at, 6, skipped), 5);
    assert_int_equal(skipped[0], 0);
    assert_true(fabs(at[0] - 111) < 1e-12);
    assert_memory_equal(at + 2, xy + 2, sizeof xy - 2 * sizeof *xy);
    of.f = 0.1;
    assert_false(shape_tm_init(&tm, &of));
    of = (struct shape_tm_of){6378137, 1 / 298.257223563, NAN, 0.9996, 500000, 10000000};
    assert_false(shape_tm_init(&tm, &of));
}

static void other_pipelines_are_left(void **unused)
{
    (void)unused;
    static const char tail[] = " +step +proj=unitconvert +xy_in=rad +xy_out=deg";
    static const char *const heads[] = {
        "+proj=pipeline +step +inv +proj=utm +zone=49 +south +ellps=bessel",
        "+proj=pipeline +step +inv +proj=utm +zone=61 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +zone=49 +ellps=WGS84 +approx",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=1 +lon_0=3 +k=1 +x_0=0 +y_0=0 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=3 +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +towgs84=1,2,3",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=3 +k=1 +x_0=0 +y_0=0",
        "+proj=pipeline +step +inv +proj=merc +lon_0=3 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +zone=49 +ellps=WGS84 +step +proj=push +v_3",
    };
    struct shape_tm_of of;
    char text[300];
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        snprintf(text, sizeof text, "%s%s", heads[i], tail);
        if (shape_prj_tm(text, &of))
            fail_msg("known: %s", text);
    }
    assert_false(shape_prj_tm("+proj=noop", &of));
    assert_false(shape_prj_tm(tail, &of));
    assert_false(shape_prj_tm("", &of));
}

/* ---- .prj ------------------------------------------------------------------------------------------------------------- */

#define ESRI_DATUM                                                                                                              \
    "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],PRIMEM[\"Greenwich\",0.0],"   \
    "UNIT[\"Degree\",0.0174532925199433]]"
#define OGC_DATUM                                                                                                               \
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,AUTHORITY[\"EPSG\",\"7030\"]],"             \
    "AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],UNIT[\"degree\",0.0174532925199433,"      \
    "AUTHORITY[\"EPSG\",\"9122\"]],AUTHORITY[\"EPSG\",\"4326\"]]"
#define PLAIN_DATUM                                                                                                             \
    "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],"                 \
    "UNIT[\"degree\",0.01745329251994328]]"

/* Templates: @Z zone and N or S, @N false northing, @M middle meridian, @C code. */
static const char *const spellings[] = {
    "PROJCS[\"WGS_1984_UTM_Zone_@Z\"," ESRI_DATUM ",PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"False_Easting\",500000.0],"
    "PARAMETER[\"False_Northing\",@N.0],PARAMETER[\"Central_Meridian\",@M.0],PARAMETER[\"Scale_Factor\",0.9996],"
    "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]",
    "PROJCS[\"WGS 84 / UTM zone @Z\"," OGC_DATUM ",PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_origin\",0],"
    "PARAMETER[\"central_meridian\",@M],PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting\",500000],"
    "PARAMETER[\"false_northing\",@N],UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]],AXIS[\"Easting\",EAST],AXIS[\"Northing\",NORTH],"
    "AUTHORITY[\"EPSG\",\"@C\"]]",
    "PROJCS[\"WGS 84 / UTM zone @Z\",\n    " PLAIN_DATUM ",\n    PROJECTION[\"Transverse_Mercator\"],\n"
    "    PARAMETER[\"latitude_of_origin\",0],\n    PARAMETER[\"central_meridian\",@M],\n    PARAMETER[\"scale_factor\",0.9996],\n"
    "    PARAMETER[\"false_easting\",500000],\n    PARAMETER[\"false_northing\",@N],\n    UNIT[\"metre\",1]]\r\n",
    "EPSG:@C",
};

static void spell(char *out, size_t size, const char *template, int zone, bool south)
{
    size_t n = 0;
    for (const char *p = template; *p != '\0'; p++) {
        assert_true(n + 16 < size);
        if (*p != '@') {
            out[n++] = *p;
            continue;
        }
        p++;
        if (*p == 'Z')
            n += (size_t)snprintf(out + n, size - n, "%d%c", zone, south ? 'S' : 'N');
        else
            n += (size_t)snprintf(out + n, size - n, "%d",
                                  *p == 'N'   ? (south ? 10000000 : 0)
                                  : *p == 'M' ? 6 * zone - 183
                                              : (south ? 32700 : 32600) + zone);
    }
    out[n] = '\0';
}

/* The code PROJ gives, as crs.c asks for it, and its operation. */
static void ask_proj(const char *text, char *code, size_t n, char *operation, size_t m)
{
    PJ_CONTEXT *c = proj_context_create();
    PJ *wgs84 = proj_create(c, "EPSG:4326"), *crs = proj_create(c, text);
    int *confidence = NULL;
    assert_non_null(crs);
    PJ_OBJ_LIST *list = proj_identify(c, crs, "EPSG", NULL, &confidence);
    code[0] = operation[0] = '\0';
    if (list != NULL && proj_list_get_count(list) > 0 && confidence[0] >= 90) {
        PJ *best = proj_list_get(c, list, 0);
        snprintf(code, n, "%s", proj_get_id_code(best, 0));
        proj_destroy(best);
    }
    proj_list_destroy(list);
    proj_int_list_destroy(confidence);
    PJ_OPERATION_FACTORY_CONTEXT *f = proj_create_operation_factory_context(c, NULL);
    list = proj_create_operations(c, crs, wgs84, f);
    PJ *op = proj_list_get(c, list, 0), *ready = proj_normalize_for_visualization(c, op);
    snprintf(operation, m, "%s", proj_as_proj_string(c, ready, PJ_PROJ_5, NULL));
    proj_destroy(ready);
    proj_destroy(op);
    proj_list_destroy(list);
    proj_operation_factory_context_destroy(f);
    proj_destroy(crs);
    proj_destroy(wgs84);
    proj_context_destroy(c);
}

static void zones_are_projs(void **unused)
{
    (void)unused;
    char text[1200], code[16], operation[300], expected[300];
    for (int zone = 1; zone <= 60; zone++)
        for (int south = 0; south < 2; south++)
            for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++) {
                int want = (south ? 32700 : 32600) + zone;
                spell(text, sizeof text, spellings[k], zone, south != 0);
                if ((int)shape_prj_code(text) != want)
                    fail_msg("not known: %s", text);
                if (zone % 7 != 0 && (zone < 46 || zone > 54)) /* PROJ takes its time: Indonesia's and some more */
                    continue;
                ask_proj(text, code, sizeof code, operation, sizeof operation);
                assert_int_equal(atoi(code), want);
                snprintf(expected, sizeof expected,
                         "+proj=pipeline +step +inv +proj=utm +zone=%d%s +ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg",
                         zone, south ? " +south" : "");
                assert_string_equal(operation, expected);
            }
}

static void wgs84_is_projs(void **unused)
{
    (void)unused;
    static const char *const texts[] = {ESRI_DATUM, OGC_DATUM, PLAIN_DATUM, "EPSG:4326"};
    char code[16], operation[300];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(shape_prj_code(texts[i]), 4326);
        ask_proj(texts[i], code, sizeof code, operation, sizeof operation);
        assert_string_equal(code, "4326");
        assert_string_equal(operation, "+proj=noop");
    }
}

/* One thing is another: nothing of it is known here. */
static void others_are_left(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"UTM_Zone_49S", "UTM_Zone_48S"},      {"WGS_1984_UTM_Zone_49S", "Peta"},   {"6378137.0", "6378136.0"},
        {"298.257223563", "298.257222101"},    {"500000.0", "500001.0"},            {"10000000.0", "0.0"},
        {",111.0", ",108.0"},                  {",111.0", ",111.5"},                {"0.9996", "0.9999"},
        {"Of_Origin\",0.0", "Of_Origin\",1.0"}, {"Meter\",1.0", "Foot\",0.3048"},    {"Degree\",0.0174", "Grad\",0.0157"},
        {"D_WGS_1984", "D_Bessel_1841"},       {"Greenwich\",0.0", "Jakarta\",106.8"}, {"Transverse_Mercator", "Mercator"},
        {",UNIT[\"Meter\",1.0]", ""},          {"PROJCS[", "PROJCRS["},             {"1.0]]", "1.0]]]"},
        {"1.0]]", "1.0]"},                     {"1.0]]", "1.0],AXIS[\"Northing\",NORTH],AXIS[\"Easting\",EAST]]"},
        {"563]]", "563],TOWGS84[0,0,0,0,0,0,0]]"}, {"1.0]]", "1.0],AUTHORITY[\"EPSG\",\"32748\"]]"},
        {"\"Meter\"", "\"Meter"},              {"0.9996", "0.9996x"},               {"PARAMETER[\"Scale_Factor\",0.9996],", ""},
        {"Scale_Factor\",0.9996", "False_Easting\",500000.0"}};
    char good[1200], bad[1300];
    spell(good, sizeof good, spellings[0], 49, true);
    assert_int_equal(shape_prj_code(good), 32749);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *at = strstr(good, changes[i].from);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - good), good, changes[i].to, at + strlen(changes[i].from));
        if (shape_prj_code(bad) != 0)
            fail_msg("known with \"%s\": %s", changes[i].to, bad);
    }
    static const char *const texts[] = {"", "GEOGCS", "GEOGCS[", "GEOGCS[]", "[", "EPSG:", "EPSG:23836", "EPSG:32661", "EPSG:4326 ", "\"", "1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(shape_prj_code(texts[i]), 0);
    for (size_t n = 0; n < strlen(good); n++) { /* cut anywhere */
        snprintf(bad, sizeof bad, "%.*s", (int)n, good);
        assert_int_equal(shape_prj_code(bad), 0);
    }
    memset(bad, 'A', 400);
    for (int i = 0; i < 400; i++)
        bad[i] = "A["[i % 2];
    bad[400] = '\0';
    assert_int_equal(shape_prj_code(bad), 0); /* deep */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utm_is_projs),  cmocka_unit_test(others_are_projs), cmocka_unit_test(far_points_are_left),
        cmocka_unit_test(other_pipelines_are_left), cmocka_unit_test(zones_are_projs), cmocka_unit_test(wgs84_is_projs),
        cmocka_unit_test(others_are_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
