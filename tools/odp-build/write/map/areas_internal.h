/* Inside of write/map: choropleths.
 *
 *   areas.c        the picture
 *   areas_words.c  figures of places; what is said of them */
#pragma once

#include "base/arena.h"
#include "write/map/areas.h"
#include "write/map/picture_internal.h"

/* One place with a figure or a shape. */
struct area {
    const char *name;
    const json_t *value; /* a number, or NULL */
    bool has_shape;
    int class; /* -1: no figure */
};
struct areas_figures {
    const struct odp_map_areas_of *of;
    struct odp_arena arena;
    const json_t *measure, *breaks;
    struct area *shapes;  /* by shape */
    struct area *all;     /* places with a figure, the highest first; nall of them */
    size_t nall, missing; /* missing: shapes without a figure */
    const char *heading;  /* "Backlog kepemilikan (rumah tangga), 2023" */
};

struct odp_map_areas {
    const json_t *features;
    const char *key; /* the property with the code */
    struct odp_map_picture ground;
    struct picture frame[2];     /* wide, narrow */
    struct odp_buffer around[2]; /* the neighbours */
    struct odp_buffer *paths[2]; /* by feature */
    size_t n;
};

void areas_figures_init(struct areas_figures *f, const struct odp_map_areas *a,
                        const struct odp_map_areas_of *of);
/* VALUE in the language. */
void areas_value(struct odp_buffer *out, const json_t *value, enum odp_lang lang);
/* Places with a figure and without a shape: "Tanpa bentuk di peta: …"; nothing where there is none. */
void areas_beside(struct odp_buffer *out, const struct areas_figures *f);
void areas_alternative(struct odp_buffer *out, const struct areas_figures *f);
