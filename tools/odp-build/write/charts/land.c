/* Where maps on paper lie: the frame in degrees, and the land of the region in it. */
#include <jansson.h>
#include <string.h>

#include "base/json_load.h"
#include "write/charts/chart.h"

/* Between -90 and 90 degrees, to 12 digits; the C library's may differ between machines. */
static double cosine(double degrees)
{
    double x = degrees * 0.017453292519943295, term = 1, sum = 1;
    for (int k = 2; k <= 24; k += 2) {
        term *= -x * x / (double)(k * (k - 1));
        sum += term;
    }
    return sum;
}

static double clamp(double v, double least, double most)
{
    return v < least ? least : v > most ? most : v;
}

void odp_chart_frame_fit(struct odp_chart_frame *f, const double box[4], double least, double most)
{
    double middle_lat = (box[1] + box[3]) / 2, middle_lon = (box[0] + box[2]) / 2;
    double shrink = cosine(clamp(middle_lat, -85, 85));
    double lon = (box[2] - box[0]) * 1.06, lat = (box[3] - box[1]) * 1.08;
    lon = lon < 0.02 ? 0.02 : lon;
    lat = lat < 0.01 ? 0.01 : lat;
    f->height = f->width * clamp(lat / (lon * shrink), least, most);
    double a = f->width / (lon * shrink), b = f->height / lat;
    f->per_lat = a < b ? a : b;
    f->per_lon = f->per_lat * shrink;
    f->west = middle_lon - f->width / f->per_lon / 2;
    f->north = middle_lat + f->height / f->per_lat / 2;
}

/* GeoJSON of polygons: the region's coast as the portal's maps have it. */
extern const unsigned char odp_chart_land[];

static void add_ring(cairo_t *cr, const struct odp_chart_frame *f, const json_t *ring)
{
    for (size_t i = 0; i < json_array_size(ring); i++) {
        const json_t *at = json_array_get(ring, i);
        odp_chart_frame_point(cr, f, i > 0, json_number_value(json_array_get(at, 0)),
                              json_number_value(json_array_get(at, 1)));
    }
    cairo_close_path(cr);
}

static void add_feature(cairo_t *cr, const struct odp_chart_frame *f, const json_t *feature)
{
    const json_t *polygon, *ring;
    size_t k, r;
    json_array_foreach(json_object_get(json_object_get(feature, "geometry"), "coordinates"), k, polygon)
        json_array_foreach(polygon, r, ring) add_ring(cr, f, ring);
}

void odp_chart_land_fill(cairo_t *cr, const struct odp_chart_frame *f, bool others)
{
    const char *text = (const char *)odp_chart_land;
    json_t *land = odp_json_load(text, strlen(text), 0, NULL);
    const json_t *feature;
    size_t i;
    json_array_foreach(json_object_get(land, "features"), i, feature)
    {
        const char *who = odp_json_text(json_object_get(feature, "properties"), "who");
        if (!others || (who != NULL && strcmp(who, "other") == 0))
            add_feature(cr, f, feature);
    }
    cairo_fill(cr);
    json_decref(land);
}
