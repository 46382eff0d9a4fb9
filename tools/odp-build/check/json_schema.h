/* The useful part of JSON Schema draft-07, for the constraint jsonSchema of Table Schema v2: type, enum,
 * const, numeric bounds and multipleOf, lengths, pattern, items (one schema or a list), additionalItems,
 * contains, uniqueItems, properties, patternless additionalProperties, required, minProperties,
 * maxProperties, anyOf, allOf, oneOf, not, boolean schemas. Keywords it does not know are ignored, as the
 * standard says. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"

/* OK or BAD: then WHY says where and which keyword, "/kontak/telepon: pattern" (cleared first). FAIL: no
 * memory. */
enum odp_status odp_json_schema_check(const json_t *schema, const json_t *value,
                                      struct odp_buffer *why) ODP_MUST_USE;
