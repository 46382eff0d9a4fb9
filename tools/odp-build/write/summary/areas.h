/* What a choropleth says, on a screen (write/map) and on paper (write/pdf): one figure of a summary, by
 * place, in its classes; the heading, the places without a shape, the text alternative. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

struct odp_area {
    const char *name;
    const json_t *value; /* a number, or NULL */
    bool has_shape;
    int class; /* -1: no figure */
};
struct odp_areas_of {
    const json_t *summary;
    const char *level;        /* a list of summary.places */
    const char *list;         /* its title, in LANG */
    const char *const *codes; /* by shape: whose it is; nshapes of them */
    size_t nshapes;
    const char *(*name)(const void *ctx, const char *code, enum odp_lang lang); /* "": not known */
    const void *ctx;
    enum odp_lang lang;
};
struct odp_areas {
    struct odp_areas_of of;
    struct odp_arena arena;
    const json_t *measure, *breaks;
    struct odp_area *shapes; /* by shape */
    struct odp_area *all;    /* places with a figure, the highest first; nall of them */
    size_t nall, missing;    /* missing: shapes without a figure */
    const char *heading;     /* "Backlog kepemilikan, 2023 (rumah tangga)" */
};

/* Which measure is shown: the first highlight with classes at that level, else the first measure with
 * them; -1: none, and no picture. */
int odp_areas_measure(const json_t *summary, const char *level);
/* Borrows what OF points to. */
void odp_areas_init(struct odp_areas *f, const struct odp_areas_of *of);
void odp_areas_release(struct odp_areas *f);
/* Class I of N in a ramp of STEPS colours. */
int odp_areas_shade(size_t i, size_t n, int steps);
/* "≥ 3,24 juta": where class I + 1 begins. */
void odp_areas_bound(struct odp_buffer *out, const struct odp_areas *f, size_t i);
/* True: MEASURE has to be called a mean; "harga rata-rata" says it. */
bool odp_areas_is_mean(const json_t *measure);
/* Places with a figure and without a shape: "Tanpa bentuk di peta: …"; nothing where there is none. */
void odp_areas_beside(struct odp_buffer *out, const struct odp_areas *f);
/* The text alternative: what is shown, the highest, the lowest, who has no shape or no figure. */
void odp_areas_alternative(struct odp_buffer *out, const struct odp_areas *f);
