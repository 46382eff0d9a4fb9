/* Dates and times as text. Canonical forms are ISO 8601 / XSD, so that dates compare as bytes:
 *   date 2024-03-15 · time 07:05:00[.fff] · datetime 2024-03-15T07:05:00[.fff]+07:00 (or Z) · year 2024 · yearmonth 2024-03
 * Calendar: proleptic Gregorian, years 0001 to 9999. Seconds 00 to 59 (60 is refused). */
#ifndef ODP_BASE_DATETIME_H
#define ODP_BASE_DATETIME_H

#include <stdint.h>

#include "base/slice.h"

struct odp_datetime {
    int16_t year;             /* 1..9999 */
    uint8_t month, day;       /* 1..12, 1..31 */
    uint8_t hour, minute, second;
    uint32_t nanos;           /* 0..999,999,999 */
    bool has_date, has_time, has_offset;
    int16_t offset;           /* minutes east of UTC */
};
#define ODP_DATETIME_SIZE 48

enum odp_date_kind { ODP_DATE, ODP_TIME, ODP_DATETIME, ODP_YEAR, ODP_YEARMONTH };

enum odp_date_fault {
    ODP_DATE_OK = 0,
    ODP_DATE_SYNTAX,       /* not of the pattern */
    ODP_DATE_RANGE,        /* of the pattern, but no such day: 31 Februari */
    ODP_DATE_NO_OFFSET,    /* a datetime without offset and without odp:timeZone */
    ODP_DATE_WEEKDAY       /* the named weekday is not that day's */
};

/* True if PATTERN is one we can read: "default", "any", or strptime with
 * %d %m %y %Y %H %I %M %S %f %p %z %Z %b %B %a %A %j %e %% . %-d %-m %-H (no leading zero) are taken too. */
bool odp_date_pattern_ok(const char *pattern, enum odp_date_kind kind);

/* PATTERN NULL or "default": the ISO form of KIND. Month and weekday names: Indonesian and English, full and short, any case
 * (Agustus, Agt, Ags, Agu, August, Aug; Nopember; Pebruari). ZONE: IANA name for datetimes without offset, or NULL;
 * Asia/Jakarta, Asia/Pontianak, Asia/Makassar, Asia/Jayapura, WIB, WITA, WIT, UTC and "+07:00" forms are known. */
enum odp_date_fault odp_date_parse(struct odp_slice s, enum odp_date_kind kind, const char *pattern, const char *zone,
                                   struct odp_datetime *out);
/* The canonical form; returns its length. */
size_t odp_date_format(const struct odp_datetime *d, enum odp_date_kind kind, char out[ODP_DATETIME_SIZE]);
/* A date as PATTERN has it, month and weekday in Indonesian; returns its length, or 0 where a directive is none of a date's
 * or there is no room. For examples and proposals. */
size_t odp_date_write(const struct odp_datetime *d, const char *pattern, char out[ODP_DATETIME_SIZE]);
/* By instant for datetimes, by value else: <0, 0, >0. Both of the same kind. */
int odp_date_cmp(const struct odp_datetime *a, const struct odp_datetime *b);
/* Minutes east of UTC of a zone we know (none of them has summer time), or false. */
bool odp_zone_offset(const char *zone, int16_t *minutes);
/* Days since 1970-01-01 (negative before). */
int64_t odp_date_days(const struct odp_datetime *d);
/* The day that is DAYS after 1970-01-01; sets year, month and day. Years 1 to 9999. */
void odp_date_from_days(struct odp_datetime *d, int64_t days);
/* An XSD duration: PnYnMnDTnHnMnS. */
bool odp_duration_ok(struct odp_slice s);

#endif
