/* The logical content of a resource, which is the identity of a version: two versions are equal if these
 * bytes are. */
#pragma once

#include "base/buffer.h"
#include "catalog/records/batch.h"

/* The content of a resource in batches: header first, then batches in order. logical.c has the exact form. */
void odp_emit_logical_header(struct odp_buffer *out, const struct odp_resource *r, bool has_geometry);
void odp_emit_logical_batch(struct odp_buffer *out, const struct odp_batch *b, bool has_geometry);

/* The pieces, for published files read back, which have no batch. A header is: begin, each public field,
 * each public key (its names in order, then end), end. MARK: 'P' primary, 'U' unique. */
void odp_logical_begin(struct odp_buffer *out);
void odp_logical_field(struct odp_buffer *out, const char *name, enum odp_type type,
                       const struct odp_text *unit);
void odp_logical_key_name(struct odp_buffer *out, char mark, bool first, const char *name);
void odp_logical_key_end(struct odp_buffer *out);
void odp_logical_end(struct odp_buffer *out, bool has_geometry);
/* A record is its N values (MARKS by odp_logical_mark; ptr NULL is null), then the geometry if the resource
 * has one. */
char odp_logical_mark(enum odp_type type);
void odp_logical_record(struct odp_buffer *out, const char *marks, const struct odp_slice *text, uint32_t n);
/* AS_IT_STANDS: the rings are in the published order already; else they are turned as on writing. */
void odp_logical_geometry(struct odp_buffer *out, const struct odp_geom *g, bool as_it_stands);
