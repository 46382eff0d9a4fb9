/* Charts that a resource declares (odp:charts): data gathered in the pass, then drawn on any cairo surface
 * (SVG for the site, a page of the PDF). Sums are exact (128-bit fixed point, 9 decimals), so they do not
 * depend on the order of records, batches or threads. */
#pragma once

#include "catalog/records/code_lists.h"
#include "write/typesetting/fonts.h"

struct odp_chart_data;

struct odp_chart_data *odp_chart_data_new(const struct odp_chart *chart, const struct odp_resource *r);
void odp_chart_data_free(struct odp_chart_data *d);
/* FIELD: schema.n canonical texts, ptr NULL for null; AT: the record's point or label, or NULL. */
void odp_chart_data_add(struct odp_chart_data *d, const struct odp_slice *field, const double *at);
/* After the last record: sorts, folds what is beyond `top`, finds labels (categories, then CODES, which may
 * be NULL). Then read-only. FAIL: a text could not be held. */
enum odp_status odp_chart_data_finish(struct odp_chart_data *d,
                                      const struct odp_code_lists *codes) ODP_MUST_USE;
const struct odp_chart *odp_chart_data_chart(const struct odp_chart_data *d);
bool odp_chart_data_is_empty(
    const struct odp_chart_data *d); /* there is nothing to draw: the alternative says why */
/* A derived chart that is empty, or has one bar, one point. */
bool odp_chart_data_is_idle(const struct odp_chart_data *d);

/* The text alternative: one or a few sentences with the figures that the picture shows (the largest, the
 * smallest, the trend, all values where they are few). */
void odp_chart_data_alternative(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);
/* What the picture shows, in a line: "12,3 juta rumah pada 2023, turun 4,0% dari 2022"; nothing where it
 * cannot be said. */
void odp_chart_data_headline(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);

/* Where the data is from; borrowed. */
struct odp_chart_about {
    const char *dataset, *version;
    struct odp_text source;
    const char *license_name, *license_title, *license_path; /* may be NULL */
};
/* The figures, and all that a chart drawn elsewhere needs (docs/formats.md, "Charts"). */
void odp_chart_data_json(const struct odp_chart_data *d, const struct odp_chart_about *about,
                         struct odp_buffer *out);

/* Height of the picture (points) at WIDTH, without its title, in the language in which it is higher. At most
 * about 540: it fits a page. */
double odp_chart_height(const struct odp_chart_data *d, struct odp_fonts *f, double width);
/* Draws it at 0, 0, without its title. Colours differ for the colour-blind and in grey print; text is 7
 * points at least. */
enum odp_status odp_chart_draw(const struct odp_chart_data *d, struct odp_fonts *f, cairo_t *cr, double width,
                               enum odp_lang lang) ODP_MUST_USE;
enum odp_chart_sheet { ODP_CHART_WIDE, ODP_CHART_NARROW };
/* The whole as an SVG of its own, for a screen: <title> and <desc> (the alternative) inside, role="img", text
 * as text of the length it has in our font; colours follow the screen's light or dark; deterministic. */
enum odp_status odp_chart_svg(const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang,
                              enum odp_chart_sheet of, const struct odp_chart_about *about,
                              struct odp_buffer *out) ODP_MUST_USE;
/* The same as a PNG of 1200 x 630 pixels, light, for places that show no SVG (links in messages). */
enum odp_status odp_chart_png(const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang,
                              const struct odp_chart_about *about, struct odp_buffer *out) ODP_MUST_USE;

/* A map on paper: where degrees lie in it. */
struct odp_chart_frame {
    double left, top, width, height;      /* points */
    double west, north, per_lon, per_lat; /* points a degree */
};
/* BOX (west, south, east, north) in the frame's width; it is LEAST to MOST times as high. */
void odp_chart_frame_fit(struct odp_chart_frame *f, const double box[4], double least, double most);
static inline void odp_chart_frame_point(cairo_t *cr, const struct odp_chart_frame *f, bool draw, double lon,
                                         double lat)
{
    (draw ? cairo_line_to : cairo_move_to)(cr, f->left + (lon - f->west) * f->per_lon,
                                           f->top + (f->north - lat) * f->per_lat);
}
/* Fills the land of the region (OTHERS: the neighbours' alone), without a line along the coast or between
 * countries: it says where, not whose. */
void odp_chart_land_fill(cairo_t *cr, const struct odp_chart_frame *f, bool others);
