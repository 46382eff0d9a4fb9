/* Inside of write: a record as a GeoJSON feature (RFC 7946, section 3.2), for every format that is made of
 * features. */
#pragma once

#include "write/record.h"

struct odp_feature_plan {
    struct odp_json_plan properties;
    const struct odp_key *key; /* NULL: the id is the record's number */
};
void odp_feature_plan_init(struct odp_feature_plan *p, const struct odp_emit_job *job, struct odp_arena *a);
/* The key whose values are a record's id; NULL: it is the record's number. */
const struct odp_key *odp_feature_key(const struct odp_schema *s);
/* Record I's id, as JSON. */
void odp_feature_add_id(const struct odp_key *key, struct odp_buffer *out, const struct odp_batch *b,
                        uint32_t i);
/* Record I; a record without geometry has "geometry":null. */
void odp_feature_add(const struct odp_feature_plan *p, struct odp_buffer *out, const struct odp_batch *b,
                     uint32_t i);
