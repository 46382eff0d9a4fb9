/* Inside of write/map: the map as a picture.
 *
 *   picture.c         what there is to draw, the frame, the whole document
 *   picture_shapes.c  features as paths
 *   picture_ground.c  coast, graticule, scale bar
 *   picture_words.c   numbers and degrees in both languages, the text alternative
 *   picture_pen.c     what these draw with: words in the language, places, paths
 *
 * Lengths are tenths of a unit of the viewBox, as integers: what is written is exact, and equal points are
 * found by comparing. */
#pragma once

#include "write/map/picture.h"

enum { PICTURE_WIDTH = 800, PICTURE_ENTRIES = 10 };

struct picture_entry {
    const json_t *value; /* a string, or null: all others */
    const char *label, *color;
    uint64_t count;
};

struct picture {
    const struct odp_map_picture *p;
    const json_t *odp, *features;
    bool grid;
    const char *field; /* of the category; NULL: no colour */
    struct picture_entry entry[PICTURE_ENTRIES];
    size_t n;                        /* entries; without a category one, for all */
    double west, south, east, north; /* what the frame shows, degrees */
    double kx, scale;                /* x = (lon - west) * kx * scale, y = (north - lat) * scale */
    double width, height;            /* of the frame */
    int step;                        /* points are rounded to so many tenths */
    bool has_areas, has_lines, has_points;
    bool only_dots; /* set by picture_shapes: nothing is large enough to be drawn as itself */
};

static inline bool picture_is_english(const struct picture *m)
{
    return m->p->lang == ODP_LANG_EN;
}
/* ---- picture_pen.c ---- */
/* Member KEY of O, {"id", "en"}, in the picture's language. */
const char *picture_in(const struct picture *m, const json_t *o, const char *key);
/* In tenths, not rounded to the step. */
void picture_project(const struct picture *m, double lon, double lat, double *x, double *y);

/* A path that is being written. */
struct picture_pen {
    struct odp_buffer *out;
    int x, y;   /* where it is */
    bool drawn; /* after a command; otherwise a number needs a space, unless it begins with a minus */
};
void picture_number(struct odp_buffer *out, int tenths);
void picture_move(struct picture_pen *pen, int x, int y);
void picture_line(struct picture_pen *pen, int x, int y);

/* ---- picture_shapes.c ---- */
void picture_shapes(struct picture *m, struct odp_buffer *out);
/* The rings of a (Multi)Polygon, as the data of a path; what is too small to be seen is left out, but
 * never all. */
void picture_area(const struct picture *m, struct odp_buffer *out, const json_t *geometry);
/* The symbol of entry I, in the legend at X, Y. */
void picture_symbol(const struct picture *m, struct odp_buffer *out, size_t i, int x, int y);
/* ---- picture_ground.c ---- */
void picture_coast(const struct picture *m, struct odp_buffer *out);
/* The neighbours' part of it. */
void picture_neighbours(const struct picture *m, struct odp_buffer *out);
void picture_graticule(const struct picture *m, struct odp_buffer *out);
void picture_scale(const struct picture *m, struct odp_buffer *out);
/* ---- picture_words.c ---- */
/* "106,5° BT", "6.2° S". */
void picture_degrees(struct odp_buffer *out, double v, bool is_lon, int places, enum odp_lang lang);
void picture_alternative(const struct picture *m, struct odp_buffer *out);
