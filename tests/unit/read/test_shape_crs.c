/* Transverse Mercator of our own (tools/odp-build/read/shapefile/pipeline.c, tm.c) against PROJ, point by
 * point. */

#include "run.h"
#include "random.h"

#include <math.h>

#include "read/shapefile/reader.h"

/* ---- transverse Mercator ---- */

enum { POINTS = 20000 };

struct result {
    uint64_t compared, left, differ; /* coordinates whose seventh decimal differs */
    double worst;                    /* degrees */
};

/* Points within WIDE metres of the middle meridian, from SOUTH to NORTH of the equator, in millimetres; by
 * both. */
static void compare(const char *pipeline, double wide, double south, double north, struct result *r)
{
    static double in[2 * POINTS], proj[2 * POINTS], own[2 * POINTS], plain[2 * POINTS];
    static uint8_t skipped[POINTS];
    struct shape_tm_of of;
    struct shape_tm tm;
    if (!shape_pipeline_tm(pipeline, &of))
        fail_msg("not known: %s", pipeline);
    assert_true(shape_tm_init(&tm, &of));
    PJ *p = proj_create(NULL, pipeline);
    assert_non_null(p);
    for (int i = 0; i < POINTS; i++) {
        in[2 * i] = floor((of.x0 + (2 * random_unit() - 1) * wide) * 1000) / 1000;
        in[2 * i + 1] = floor((of.y0 + south + random_unit() * (north - south)) * 1000) / 1000;
    }
    memcpy(proj, in, sizeof in);
    memcpy(own, in, sizeof in);
    memcpy(plain, in, sizeof in);
    proj_trans_generic(p, PJ_FWD, proj, 16, POINTS, proj + 1, 16, POINTS, NULL, 0, 0, NULL, 0, 0);
    proj_destroy(p);
    uint32_t left = shape_tm_inverse(&tm, own, POINTS, skipped);
    assert_int_equal(shape_tm_inverse_plain(&tm, plain, POINTS, skipped), left);
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

/* All zones, both halves: the whole area of use (3 degrees and the equator's 334 km), and four times as wide.
 */
TEST(utm_is_projs)
{
    struct result use = {0}, wide = {0};
    for (int zone = 1; zone <= 60; zone++)
        for (int south = 0; south < 2; south++) {
            char pipeline[200];
            snprintf(pipeline, sizeof pipeline,
                     "+proj=pipeline +step +inv +proj=utm +zone=%d%s +ellps=WGS84 +step +proj=unitconvert "
                     "+xy_in=rad +xy_out=deg",
                     zone, south ? " +south" : "");
            compare(pipeline, 340000, south ? -9000000 : 0, south ? 0 : 9350000, &use);
            compare(pipeline, 1400000, -9000000, 9000000, &wide);
        }
    assert_int_equal(use.left, 0);
    assert_true(use.worst < 1e-12 && wide.worst < 1e-11);
    assert_true(use.differ <= 20 && wide.differ <= 20); /* of 4.8 million coordinates each */
    print_message("area of use: %llu of %llu differ by one unit, worst %.1e; wider: %llu, %.1e\n",
                  (unsigned long long)use.differ, (unsigned long long)use.compared, use.worst,
                  (unsigned long long)wide.differ, wide.worst);
}

/* Three-degree zones, another ellipsoid, another scale; and all of the archipelago in one zone. */
TEST(others_are_projs)
{
    static const char *const pipelines[] = {
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=94.5 +k=0.9999 +x_0=200000 +y_0=1500000 "
        "+ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=-179.5 +k=1 +x_0=0 +y_0=0 +ellps=GRS80 +step "
        "+proj=unitconvert +xy_in=rad +xy_out=deg",
        "+proj=pipeline +step +inv +proj=utm +zone=32 +ellps=GRS80 +step +proj=unitconvert +xy_in=rad "
        "+xy_out=deg",
    };
    struct result r = {0};
    for (size_t i = 0; i < ODP_COUNT(pipelines); i++)
        compare(pipelines[i], 2500000, -1300000, 800000, &r);
    assert_int_equal(r.left, 0);
    assert_true(r.worst < 1e-11 && r.differ <= 10);
}

TEST(far_points_are_left)
{
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

TEST(other_pipelines_are_left)
{
    static const char tail[] = " +step +proj=unitconvert +xy_in=rad +xy_out=deg";
    static const char *const heads[] = {
        "+proj=pipeline +step +inv +proj=utm +zone=49 +south +ellps=bessel",
        "+proj=pipeline +step +inv +proj=utm +zone=61 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +zone=49 +ellps=WGS84 +approx",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=1 +lon_0=3 +k=1 +x_0=0 +y_0=0 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=3 +k=1 +x_0=0 +y_0=0 +ellps=WGS84 "
        "+towgs84=1,2,3",
        "+proj=pipeline +step +inv +proj=tmerc +lat_0=0 +lon_0=3 +k=1 +x_0=0 +y_0=0",
        "+proj=pipeline +step +inv +proj=merc +lon_0=3 +ellps=WGS84",
        "+proj=pipeline +step +inv +proj=utm +zone=49 +ellps=WGS84 +step +proj=push +v_3",
    };
    struct shape_tm_of of;
    char text[300];
    for (size_t i = 0; i < ODP_COUNT(heads); i++) {
        snprintf(text, sizeof text, "%s%s", heads[i], tail);
        if (shape_pipeline_tm(text, &of))
            fail_msg("known: %s", text);
    }
    assert_false(shape_pipeline_tm("+proj=noop", &of));
    assert_false(shape_pipeline_tm(tail, &of));
    assert_false(shape_pipeline_tm("", &of));
}

/* What PROJ makes of a zone's code is what is known here. */
TEST(zones_are_known)
{
    PJ_CONTEXT *c = proj_context_create();
    PJ *wgs84 = proj_create(c, "EPSG:4326");
    for (int code = 32646; code <= 32754;
         code = code == 32654 ? 32746 : code + 1) { /* Indonesia's, north and south */
        char text[32];
        struct shape_tm_of of;
        snprintf(text, sizeof text, "EPSG:%d", code);
        PJ *crs = proj_create(c, text);
        PJ_OPERATION_FACTORY_CONTEXT *f = proj_create_operation_factory_context(c, NULL);
        PJ_OBJ_LIST *list = proj_create_operations(c, crs, wgs84, f);
        PJ *op = proj_list_get(c, list, 0), *ready = proj_normalize_for_visualization(c, op);
        assert_true(shape_pipeline_tm(proj_as_proj_string(c, ready, PJ_PROJ_5, NULL), &of));
        assert_true(of.lon0 == 6 * (code % 100) - 183 && of.y0 == (code > 32700 ? 10000000 : 0));
        proj_destroy(ready);
        proj_destroy(op);
        proj_list_destroy(list);
        proj_operation_factory_context_destroy(f);
        proj_destroy(crs);
    }
    proj_destroy(wgs84);
    proj_context_destroy(c);
}

/* ---- .prj ---- */

#define WGS84                                                                                                \
    "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],PRIMEM["   \
    "\"Greenwich\",0.0],"                                                                                    \
    "UNIT[\"Degree\",0.0174532925199433]]"

static void spell(char *out, size_t size, int zone, bool south)
{
    snprintf(out, size,
             "PROJCS[\"WGS_1984_UTM_Zone_%d%c\"," WGS84
             ",PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"False_Easting\",500000.0],PARAMETER[\"False_"
             "Northing\",%d.0],PARAMETER[\"Central_Meridian\",%d.0],PARAMETER[\"Scale_Factor\",0.9996],"
             "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]",
             zone, south ? 'S' : 'N', south ? 10000000 : 0, 6 * zone - 183);
}

/* The usual texts have the code that PROJ gives them. */
TEST(usual_texts_are_projs)
{
    PJ_CONTEXT *c = proj_context_create();
    for (int code = 32601; code <= 32760; code = code == 32660 ? 32701 : code + 1) {
        char text[1200];
        int *confidence = NULL;
        spell(text, sizeof text, code % 100, code > 32700);
        assert_int_equal(shape_prj_code(text), code);
        if (code % 100 < 46 || code % 100 > 54) /* PROJ takes its time: Indonesia's */
            continue;
        PJ *crs = proj_create(c, text);
        PJ_OBJ_LIST *list = proj_identify(c, crs, "EPSG", NULL, &confidence);
        PJ *best = proj_list_get(c, list, 0);
        assert_true(confidence[0] >= 90 && atoi(proj_get_id_code(best, 0)) == code);
        proj_destroy(best);
        proj_list_destroy(list);
        proj_int_list_destroy(confidence);
        proj_destroy(crs);
    }
    proj_context_destroy(c);
    assert_int_equal(shape_prj_code(WGS84), 4326);
}

/* One thing is another: nothing of it is known here. */
TEST(other_texts_are_left)
{
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"UTM_Zone_49S", "UTM_Zone_48S"},
        {"UTM_Zone_49S", "UTM_Zone_49N"},
        {"UTM_Zone_49S", "UTM_Zone_049S"},
        {"UTM_Zone_49S", "UTM_Zone_61S"},
        {"WGS_1984_UTM_Zone_49S", "Peta"},
        {"298.257223563", "298.257222101"},
        {"10000000.0", "0.0"},
        {",111.0", ",108.0"},
        {"0.9996", "0.9999"},
        {"D_WGS_1984", "D_Bessel_1841"},
        {"Greenwich\",0.0", "Jakarta\",106.8"},
        {"Meter\",1.0", "Foot\",0.3048"},
        {"1.0]]", "1.0]"},
        {"1.0]]", "1.0]]]"},
        {"1.0]]", "1.0],AUTHORITY[\"EPSG\",\"32748\"]]"},
    };
    char good[1200], bad[1300];
    spell(good, sizeof good, 49, true);
    for (size_t i = 0; i < ODP_COUNT(changes); i++) {
        const char *at = strstr(good, changes[i].from);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - good), good, changes[i].to,
                 at + strlen(changes[i].from));
        if (shape_prj_code(bad) != 0)
            fail_msg("known with \"%s\": %s", changes[i].to, bad);
    }
    assert_int_equal(shape_prj_code(""), 0);
    assert_int_equal(shape_prj_code(WGS84 "]"), 0);
}
