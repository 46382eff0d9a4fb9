/* A choropleth as a picture: the boundaries of places (the map document of a list with odp:boundaries)
 * coloured by a figure of a table's summary (write/summary), in its classes. Readable without a script, on
 * paper; dark by a style that follows prefers-color-scheme; a text alternative inside. What the shapes
 * look like is worked out once for all pictures. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "base/text.h"

struct odp_map_areas;
/* Borrows BOUNDARIES, and COAST: GeoJSON of the land around, or NULL. NULL: no memory. */
struct odp_map_areas *odp_map_areas_new(const json_t *boundaries, const json_t *coast) ODP_MUST_USE;
void odp_map_areas_free(struct odp_map_areas *a); /* NULL is allowed */

enum { ODP_MAP_CLASSES = 5 };
struct odp_map_areas_look {
    char ramp[2][ODP_MAP_CLASSES][8], missing[2][8]; /* "#rrggbb": in the light, in the dark */
};
struct odp_map_areas_of {
    const json_t *summary, *names; /* of the table; of the places: labels-<edition>.json */
    const char *level;             /* the list, of summary.places */
    const char *source;            /* of the boundaries, or "" */
    const char *license;           /* its address, or NULL */
    const char *title;             /* of the table, in LANG */
    enum odp_lang lang;
    const struct odp_map_areas_look *look;
};
/* The whole picture, appended; NARROW: for a telephone. */
enum odp_status odp_map_areas_svg(const struct odp_map_areas *a, const struct odp_map_areas_of *of,
                                  bool narrow, struct odp_buffer *out) ODP_MUST_USE;
/* The text alternative: what is shown, the highest, the lowest, who has no shape or no figure. */
enum odp_status odp_map_areas_alternative(const struct odp_map_areas *a, const struct odp_map_areas_of *of,
                                          struct odp_buffer *out) ODP_MUST_USE;
