/* What a missing .prj might say: nothing is assumed, but what would put the shapes where they may be is
 * proposed. Metres of UTM look alike in every zone, so the box that the catalogue permits decides, and then
 * the land: a file of shapes on land is in no zone in which its middle lies in the sea. */
#include <math.h>

#include "read/shapefile/reader.h"

/* West, south, east, north of Indonesia's larger islands and archipelagos, in degrees. */
static const float land[][4] = {
    {95, 2, 98.9F, 6},
    {97, -1, 102.5F, 3},
    {100, -1.5F, 105.5F, 2},
    {101, -6, 106.2F, -0.5F},
    {105, -3.5F, 108.4F, -1.3F},
    {105.5F, 2, 109.2F, 4.9F},
    {105, -8, 108.9F, -5.8F},
    {108.5F, -8.9F, 114.7F, -6},
    {114.4F, -9.2F, 119.4F, -8},
    {118.9F, -9, 125.2F, -8},
    {118.8F, -10.4F, 121, -9.2F},
    {122.7F, -11.1F, 125.2F, -8.9F},
    {108.7F, -4.3F, 119.1F, 4.4F},
    {118.7F, -7.5F, 124.7F, -0.5F},
    {119, 0, 127.3F, 5.6F},
    {124.2F, -2.6F, 129.9F, 2.7F},
    {125.7F, -8.4F, 135, -2.6F},
    {129, -4.5F, 135.5F, 0.2F},
    {134.5F, -9.3F, 141.1F, -1.2F},
};
static const double country[4] = {94.5, -11.5, 141.5, 6.5};

/* The box of record N; false: it has none. */
static bool record_box(const struct shape_source *s, struct shape_stream *shp, struct shape_stream *shx,
                       uint32_t n, double box[4])
{
    const uint8_t *e = shape_at(shx, 100 + 8 * (uint64_t)n, 8);
    if (e == NULL)
        return false;
    bool point = s->type == SHPT_POINT || s->type == SHPT_POINTZ || s->type == SHPT_POINTM;
    size_t size = point ? 16 : 32;
    uint64_t offset = (uint64_t)shape_be32(e) * 2, content = (uint64_t)shape_be32(e + 4) * 2;
    const uint8_t *p = content >= 4 + size ? shape_at(shp, offset + 8, 4 + size) : NULL;
    if (p == NULL || shape_le32(p) == SHPT_NULL)
        return false;
    memcpy(box, p + 4, size); /* little-endian, like the machine */
    if (point)
        memcpy(box + 2, box, size);
    return isfinite(box[0]) && isfinite(box[1]) && isfinite(box[2]) && isfinite(box[3]);
}

static bool whole_box(const struct shape_source *s, double box[4])
{
    struct shape_stream shp = {.part = &s->parts[SHAPE_SHP]}, shx = {.part = &s->parts[SHAPE_SHX]};
    double own[4];
    bool has = false;
    for (uint32_t n = 0; n < s->nrecords; n++)
        if (record_box(s, &shp, &shx, n, own))
            odp_bbox_extend(box, &has, own);
    shape_stream_release(&shp);
    shape_stream_release(&shx);
    return has;
}

/* The middle of BOX as CODE has it, if all its corners are within MAY. */
static bool lies_in(const double box[4], unsigned code, const double may[4], double at[2])
{
    struct shape_tm tm;
    const struct shape_tm_of utm = {.a = 6378137,
                                    .f = 1 / 298.257223563,
                                    .lon0 = 6.0 * (code % 100) - 183,
                                    .k0 = 0.9996,
                                    .x0 = 500000,
                                    .y0 = code > 32700 ? 10000000 : 0};
    double xy[] = {box[0],
                   box[1],
                   box[2],
                   box[1],
                   box[2],
                   box[3],
                   box[0],
                   box[3],
                   (box[0] + box[2]) / 2,
                   (box[1] + box[3]) / 2};
    uint8_t skipped[5];
    if (code != 4326 && (!shape_tm_init(&tm, &utm) || shape_tm_inverse(&tm, xy, 5, skipped) > 0))
        return false;
    for (size_t i = 0; i < 10; i += 2)
        if (!(xy[i] >= may[0] && xy[i] <= may[2] && xy[i + 1] >= may[1] && xy[i + 1] <= may[3]))
            return false;
    at[0] = xy[8];
    at[1] = xy[9];
    return true;
}

static bool on_land(const double at[2])
{
    for (size_t i = 0; i < ODP_COUNT(land); i++)
        if (at[0] >= (double)land[i][0] && at[0] <= (double)land[i][2] && at[1] >= (double)land[i][1] &&
            at[1] <= (double)land[i][3])
            return true;
    return false;
}

unsigned shape_crs_guess(const struct shape_source *s, struct shape_guess guess[SHAPE_GUESSES])
{
    const struct odp_geometry_spec *spec = &s->base.resource->geometry;
    const double *may = spec->has_bbox ? spec->bbox : country;
    double box[4];
    unsigned n = 0, likely = 0;
    if (!whole_box(s, box))
        return 0;
    guess[0].code = 4326;
    if (lies_in(box, 4326, spec->has_bbox ? may : (const double[]){-180, -90, 180, 90}, guess[0].at))
        return 1;
    if (box[0] < 100000 || box[2] > 900000)
        return 0;
    for (unsigned zone = 46; zone <= 54; zone++)
        for (unsigned half = 32600; half <= 32700; half += 100) {
            guess[n].code = half + zone;
            n += lies_in(box, half + zone, may, guess[n].at);
        }
    for (unsigned i = 0; i < n; i++)
        if (on_land(guess[i].at))
            guess[likely++] = guess[i];
    return likely > 0 ? likely : n;
}
