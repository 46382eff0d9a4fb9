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

/* A pattern of fixed places made ready: "31/12/2024" of %d/%m/%Y is digits and marks at places known beforehand, compared eight
 * bytes at a time. It knows right values only: whatever does not fit is odp_date_parse's, which says what is wrong. */
#define ODP_DATE_WORDS 4
enum odp_date_part { ODP_PART_YEAR, ODP_PART_MONTH, ODP_PART_DAY, ODP_PART_HOUR, ODP_PART_MINUTE, ODP_PART_SECOND, ODP_PARTS };
struct odp_date_layout {
    enum odp_date_kind kind;
    uint8_t len;                     /* without the offset behind it */
    uint8_t words;
    uint8_t from[ODP_DATE_WORDS];    /* where each word begins */
    uint64_t expect[ODP_DATE_WORDS]; /* marks, and '0' for digits */
    uint64_t slack[ODP_DATE_WORDS];  /* by byte: 0x7f less what may differ from it */
    uint8_t at[ODP_PARTS];           /* where a part begins; ODP_DATE_ABSENT */
    bool short_year;                 /* two digits */
    bool canonical;                  /* what fits is written as in the canonical form */
    bool may_offset, needs_offset;   /* behind it may or must stand Z or +07:00 */
    char zone[8];                    /* the offset of values without one, as in the canonical form; "": those do not fit */
};
#define ODP_DATE_ABSENT 0xff
/* False: PATTERN has no fixed places. Arguments as of odp_date_parse. */
bool odp_date_layout_init(struct odp_date_layout *l, enum odp_date_kind kind, const char *pattern, const char *zone);
/* S is a value of this form; *UNCHANGED: it is its own canonical form. */
bool odp_date_layout_fits(const struct odp_date_layout *l, struct odp_slice s, bool *unchanged);
/* The canonical form of S, which fits; returns its length. */
size_t odp_date_layout_write(const struct odp_date_layout *l, struct odp_slice s, char out[ODP_DATETIME_SIZE]);

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
