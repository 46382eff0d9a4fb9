/* Days and times as numbers. Calendar: proleptic Gregorian, years 0001 to 9999; seconds 00 to 59 (60 is
 * refused). */
#pragma once

#include "base/bytes.h"

struct odp_datetime {
    int16_t year;       /* 1..9999 */
    uint8_t month, day; /* 1..12, 1..31 */
    uint8_t hour, minute, second;
    uint32_t nanos; /* 0..999,999,999 */
    bool has_date, has_time, has_offset;
    int16_t offset; /* minutes east of UTC */
};

enum odp_date_kind { ODP_DATE, ODP_TIME, ODP_DATETIME, ODP_YEAR, ODP_YEARMONTH };

enum odp_date_fault {
    ODP_DATE_OK = 0,
    ODP_DATE_SYNTAX,    /* not of the pattern */
    ODP_DATE_RANGE,     /* of the pattern, but no such day: 31 Februari */
    ODP_DATE_NO_OFFSET, /* a datetime without offset and without odp:timeZone */
    ODP_DATE_WEEKDAY    /* the named weekday is not that day's */
};

/* By instant for datetimes, by value else: <0, 0, >0. Both of the same kind. */
int odp_date_cmp(const struct odp_datetime *a, const struct odp_datetime *b);
/* Days since 1970-01-01 (negative before). */
int64_t odp_date_days(const struct odp_datetime *d);
/* The day that is DAYS after 1970-01-01; sets year, month and day. Years 1 to 9999. */
void odp_date_from_days(struct odp_datetime *d, int64_t days);
int odp_date_month_days(int year, int month);
/* The day that P begins with, "2024-03-15", by its digits: 20240315, which orders as the calendar does. */
static inline int64_t odp_date_digits(const char *p)
{
    uint64_t w = odp_bytes_load8(p), day = odp_bytes_load(p + 8, 2);
    return odp_bytes_number8(odp_bytes_values((w & 0xffffffffu) | (w >> 40 & 0xffff) << 32 | day << 48));
}
/* RANGE where D's fields name no day or no time. */
enum odp_date_fault odp_date_check(const struct odp_datetime *d);
