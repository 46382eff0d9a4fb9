/* Texts of HTTP: times, base64, what people type; escapes and forms are in base/text.h. Plain functions,
 * no state. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"
#include "base/datetime.h"
#include "base/nearest.h"
#include "base/slice.h"
#include "base/text.h"

/* "2024-03-21T00:00:00+07:00"; T in Unix seconds. */
#define ODP_TIME_SIZE 40
void odp_time_iso(int64_t t, int32_t zone_minutes, char out[ODP_TIME_SIZE]);
/* "2024-03-21" of a day number (days since 1970-01-01). */
void odp_day_iso(int64_t day, char out[ODP_TIME_SIZE]);

/* RFC 4648 with padding; LINE > 0: a newline after that many characters, a multiple of 4. */
void odp_base64_add(struct odp_buffer *b, const void *bytes, size_t n, size_t line);

/* Text that a person typed: valid UTF-8 without control characters, line and paragraph separators, and
 * characters that turn the direction of what follows (bidi overrides, isolates, marks) or hide in it. */
bool odp_typed_ok(struct odp_slice s);
