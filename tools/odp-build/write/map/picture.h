/* The map of a resource as a vector picture: readable without a script, on paper, by the colour-blind. Made
 * of <slug>.map.geojson (write/map/map.c) as it is published, and of the coast lines of the portal's assets
 * where there are any.
 *
 * <svg viewBox> with role="img", <title> and <desc>; a graticule or coast in the background, features
 * coloured by the category in the map's legend, a legend, a scale bar, the source of the coast lines.
 * Presentation attributes and one <style> inside (the file is shown by <img>) that follows
 * prefers-color-scheme. It needs no font: its few short texts are system text. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "base/diag.h"

struct odp_map_picture {
    const json_t *map;   /* the document of <slug>.map.geojson */
    const json_t *coast; /* GeoJSON of lines or polygons, or NULL */
    const char *title;   /* of the dataset, in LANG */
    enum odp_lang lang;
    const char *license; /* its address, or NULL */
};
/* The whole picture, appended. */
enum odp_status odp_map_picture_svg(const struct odp_map_picture *p, struct odp_buffer *out) ODP_MUST_USE;
/* The text alternative: how many features of what kind, where (box in words, the places with most features by
 * the field the map names), by category with figures. Plain text, a few sentences. */
enum odp_status odp_map_picture_alternative(const struct odp_map_picture *p,
                                            struct odp_buffer *out) ODP_MUST_USE;
