/* Chunks of plain cells, for formats that hand values to a library on one thread (xlsx, pdf, charts). One
 * form, formatted once a batch for all of them. */
#pragma once

#include "write/emit.h"

/* The name of such chunks (see odp_emitter.form). */
const char *odp_cells_form(const struct odp_emit_job *job);
/* All good records of B; any thread. */
enum odp_status odp_cells_format(const struct odp_emit *e, const struct odp_batch *b,
                                 struct odp_chunk *out) ODP_MUST_USE;

/* One record of a chunk. What it points to lives as long as the chunk does. */
struct odp_cells {
    struct odp_slice *field; /* schema.n entries: canonical text; ptr NULL: null, or not public */
    bool has_geometry;       /* this record's is there and not empty */
    enum odp_geom_type type;
    double at[2]; /* its point, or its label: longitude, latitude in degrees (published with 7 decimals:
                     odp_decimal_fixed) */
};
struct odp_cells_reader {
    struct odp_cells cells;
    const struct odp_resource *resource;
    bool has_geometry;
    const char *at, *end;
};
/* In A. */
void odp_cells_reader_init(struct odp_cells_reader *r, const struct odp_emit_job *job, struct odp_arena *a);
void odp_cells_reader_begin(struct odp_cells_reader *r, const struct odp_chunk *c);
/* Moves to the next record of r->cells; false at the end. */
bool odp_cells_reader_next(struct odp_cells_reader *r);
