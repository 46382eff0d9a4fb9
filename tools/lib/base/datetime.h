/* Dates and times as text. Canonical forms are ISO 8601 / XSD, so that dates compare as bytes:
 *   date 2024-03-15 · time 07:05:00[.fff] · datetime 2024-03-15T07:05:00[.fff]+07:00 (or Z) · year 2024 ·
 * yearmonth 2024-03. */
#pragma once

#include "base/datetime/calendar.h"
#include "base/datetime/format.h"
#include "base/datetime/pattern.h"
#include "base/datetime/zone.h"
#include "base/slice.h"

/* PATTERN NULL or "default": the ISO form of KIND. Month and weekday names: Indonesian and English, full and
 * short, any case (Agustus, Agt, Ags, Agu, August, Aug; Nopember; Pebruari). ZONE: IANA name for datetimes
 * without offset, or NULL; Asia/Jakarta, Asia/Pontianak, Asia/Makassar, Asia/Jayapura, WIB, WITA, WIT, UTC
 * and "+07:00" forms are known. */
enum odp_date_fault odp_date_parse(struct odp_slice s, enum odp_date_kind kind, const char *pattern,
                                   const char *zone, struct odp_datetime *out);
/* A moment with its offset (RFC 3339) as Unix milliseconds. */
bool odp_moment_read(struct odp_slice text, int64_t *ms);
/* Unix seconds as "2024-03-21T00:00:00Z"; "" outside of what a calendar has. Returns OUT. */
const char *odp_moment_utc(int64_t t, char out[ODP_DATETIME_SIZE]);
/* An XSD duration: PnYnMnDTnHnMnS. */
bool odp_duration_ok(struct odp_slice s);
