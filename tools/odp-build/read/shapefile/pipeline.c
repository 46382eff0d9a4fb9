/* What we compute without PROJ: transverse Mercator among its pipelines; WGS 84 and its UTM zones by the .prj
 * that ESRI's programs, QGIS and GDAL write for them. Nearly all files have one of these, and to ask PROJ
 * costs 12 ms a file and 8 ms to load it (the example catalogue, with four, is checked in 45 ms). Any other
 * spelling is left to PROJ. */
#include <stdio.h>
#include <stdlib.h>

#include "read/shapefile/reader.h"

/* "+key" or "+key=VALUE" of one step; false for what would change the result in a way that is not known here.
 */
static bool step_word(struct shape_tm_of *p, const char *word, size_t n, unsigned *zone, bool *utm)
{
    static const struct {
        const char *key;
        size_t at;
    } list[] = {{"+lon_0=", offsetof(struct shape_tm_of, lon0)},
                {"+k=", offsetof(struct shape_tm_of, k0)},
                {"+x_0=", offsetof(struct shape_tm_of, x0)},
                {"+y_0=", offsetof(struct shape_tm_of, y0)}};
    struct odp_slice w = {word, n};
    char *end;
    if (odp_slice_is(w, "+lat_0=0")) /* others would need sines of libm, whose last bits are each CPU's own */
        return true;
    if (odp_slice_is(w, "+ellps=WGS84") || odp_slice_is(w, "+ellps=GRS80")) {
        p->a = 6378137;
        p->f = odp_slice_is(w, "+ellps=WGS84") ? 1 / 298.257223563 : 1 / 298.257222101;
        return true;
    }
    if (*utm && odp_slice_is(w, "+south")) {
        p->y0 = 10000000;
        return true;
    }
    if (*utm && strncmp(word, "+zone=", 6) == 0) {
        *zone = (unsigned)strtoul(word + 6, &end, 10);
        return end == word + n && *zone >= 1 && *zone <= 60;
    }
    for (size_t i = 0; i < ODP_COUNT(list) && !*utm; i++) {
        size_t len = strlen(list[i].key);
        if (n <= len || strncmp(word, list[i].key, len) != 0)
            continue;
        double v = strtod(word + len, &end);
        memcpy((char *)p + list[i].at, &v, sizeof v);
        return end == word + n;
    }
    return false;
}

bool shape_pipeline_tm(const char *pipeline, struct shape_tm_of *out)
{
    static const char *const heads[] = {"+proj=pipeline +step +inv +proj=utm ",
                                        "+proj=pipeline +step +inv +proj=tmerc "};
    static const char tail[] = " +step +proj=unitconvert +xy_in=rad +xy_out=deg";
    size_t len = strlen(pipeline), t = sizeof tail - 1;
    bool utm = strncmp(pipeline, heads[0], strlen(heads[0])) == 0;
    const char *head = heads[utm ? 0 : 1], *p = pipeline + strlen(head), *end = pipeline + len - t;
    if (len <= strlen(head) + t || strncmp(pipeline, head, strlen(head)) != 0 || strcmp(end, tail) != 0)
        return false;
    *out = (struct shape_tm_of){.k0 = 1};
    if (utm)
        *out = (struct shape_tm_of){.k0 = 0.9996, .x0 = 500000};
    unsigned zone = 0;
    while (p < end) {
        size_t n = strcspn(p, " ");
        if (!step_word(out, p, n, &zone, &utm))
            return false;
        p += n + 1;
    }
    if (utm)
        out->lon0 = 6.0 * zone - 183;
    return out->a > 0 && (!utm || zone > 0);
}

#define WGS84                                                                                                \
    "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"          \
    "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]"

bool shape_prj_text(unsigned code, char *out, size_t size)
{
    static const char utm[] =
        "PROJCS[\"WGS_1984_UTM_Zone_%u%c\"," WGS84 ",PROJECTION[\"Transverse_Mercator\"],"
        "PARAMETER[\"False_Easting\",500000.0],PARAMETER[\"False_Northing\",%s.0],"
        "PARAMETER[\"Central_Meridian\",%d.0],PARAMETER[\"Scale_Factor\",0.9996],"
        "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]";
    unsigned zone = code % 100;
    bool south = code / 100 == 327;
    if (code == 4326)
        snprintf(out, size, "%s", WGS84);
    else
        snprintf(out, size, utm, zone, south ? 'S' : 'N', south ? "10000000" : "0", 6 * (int)zone - 183);
    return code == 4326 || ((south || code / 100 == 326) && zone >= 1 && zone <= 60);
}

unsigned shape_prj_code(const char *text)
{
    unsigned zone, code = 4326;
    char half, known[512];
    if (sscanf(text, "PROJCS[\"WGS_1984_UTM_Zone_%2u%c", &zone, &half) == 2)
        code = zone < 100 ? (half == 'S' ? 32700 : 32600) + zone : 0;
    return shape_prj_text(code, known, sizeof known) && strcmp(text, known) == 0 ? code : 0;
}
