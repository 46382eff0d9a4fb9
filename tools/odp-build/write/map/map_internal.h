/* Inside of write/map: <slug>[-<resource>].map.geojson, the map of a resource for a screen.
 *
 *   map.c    the emitter: what each record brings
 *   plan.c   which fields a feature has
 *   tally.c  records by value of a field: the legend, the places with most; records by cell, for resources
 * too large to be drawn one by one write.c  the document */
#pragma once

#include <jansson.h>

#include "write/feature.h"
#include "write/file.h"
#include "write/map/simplify.h"

/* Bytes of a document, raw (a fifth of it when compressed): so many are aimed at, with so many of fields that
 * need not be there; up to so many, with the fewest points and fields, before a grid is made instead. A
 * position takes 21 with five decimals, 23 with six. */
enum {
    MAP_BYTES = 1500 * 1000,
    MAP_PROPERTY_BYTES = 500 * 1000,
    MAP_BYTES_MAX = 1900 * 1000,
    MAP_POSITIONS = 60000,
    MAP_POSITION_BYTES = 23
};

/* ---- plan.c ---- */

enum { MAP_LABELS = 1000 /* of one field; where there are more it has none */ };
enum { MAP_FIELDS = 12, MAP_NONE = UINT32_MAX };
struct map_plan {
    uint32_t field[MAP_FIELDS + 8]; /* by index into the schema: the key's first, then label, category, place,
                                       then others in the schema's order */
    uint32_t n, must;          /* the first MUST are always there; the others where they are short enough */
    const struct odp_key *key; /* or NULL: the id is the record's number */
    uint32_t label, category, place; /* position in FIELD, or MAP_NONE */
};
void map_plan_make(struct map_plan *p, const struct odp_emit_job *job);

/* ---- tally.c ---- */

enum { MAP_VALUES = 8, MAP_TALLY = 1024, MAP_OTHER = 0 };
struct map_value {
    struct odp_slice value; /* in the arena */
    uint64_t count;
};
/* Values by order of appearance, from 1; 0 means null, and any value once there are more than MAX different
 * ones. */
struct map_tally {
    struct odp_arena *arena;
    struct map_value *values; /* MAX + 1 */
    uint32_t n, max;
    json_t *known; /* the number of a value */
    bool crowded;  /* there are more than MAX values: the tally says nothing */
};
void map_tally_init(struct map_tally *t, uint32_t max, struct odp_arena *a);
void map_tally_release(struct map_tally *t);
/* VALUE.ptr NULL: null. Returns the value's number. */
uint32_t map_tally_add(struct map_tally *t, struct odp_slice value);

/* The legend: at most MAP_VALUES of a tally's values, each with its colour; what is left is "others". */
struct map_legend {
    uint32_t field;             /* of the schema */
    uint32_t value[MAP_VALUES]; /* numbers in the tally */
    uint32_t n;
    bool ordered;                  /* the values have an order, and stand in it */
    uint64_t others;               /* records without one of these values */
    uint32_t entry[MAP_TALLY + 1]; /* by number in the tally: its entry, or n */
};
void map_legend_make(struct map_legend *l, const struct map_tally *t, const struct odp_field *f,
                     uint32_t field);
/* "#3C78C8" of entry I; I == n: of the others. */
const char *map_legend_color(const struct map_legend *l, uint32_t i);

enum { MAP_CELLS = 4096, MAP_CATEGORIES = 64 };
struct map_cell {
    int32_t x, y;
    uint32_t next;
    uint64_t count[MAP_CATEGORIES + 1]; /* by number in the tally of categories */
};
struct map_grid {
    struct odp_arena *arena;
    struct map_cell *cells; /* MAP_CELLS + 1; NULL until the first record */
    uint32_t n;
    unsigned level; /* cells are 360 / 2^level degrees wide */
    uint32_t slots[8192];
};

void map_grid_add(struct map_grid *g, const double at[2], uint32_t category);
/* By row from the south, then from the west. */
void map_grid_sort(struct map_grid *g);
/* West, south, east, north of a cell: the same numbers where cells meet. */
void map_grid_box(const struct map_grid *g, const struct map_cell *c, double box[4]);

/* ---- write.c, and what map.c gathers for it ---- */

struct map_record {
    uint32_t id, values; /* position of the id in TEXT, followed by its fields */
    uint64_t geometry;   /* number in the simplifier; UINT64_MAX: not in it */
};
struct map_emit {
    struct odp_emit_file file;
    struct map_plan plan;
    _Atomic(bool)
        crowded; /* too large for features: only counted from now on. Set in order, read by any thread */
    uint64_t total, located;
    struct map_tally categories, places;
    struct map_grid grid;
    struct odp_simplifier *shapes; /* as long as it is not crowded: */
    struct odp_buffer text; /* id, then each field of the plan: length (32 bits, UINT32_MAX: null), bytes */
    struct odp_buffer records;     /* of struct map_record */
    uint64_t least, positions;     /* bytes of the smallest document there could be, and positions in it */
    uint64_t wide[MAP_FIELDS + 8]; /* bytes that each field of the plan takes */
};
/* The whole document: see docs/formats.md. */
enum odp_status map_write(struct map_emit *e, struct odp_buffer *out) ODP_MUST_USE;
