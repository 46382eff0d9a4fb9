/* A text read as a date or time: by the ISO form, by a pattern (datetime/pattern.c), or by what can be read
 * in one way only. */
#include "base/datetime.h"

#include <time.h>

#include "base/datetime/scan.h"

static bool iso_date(struct odp_date_scan *s, enum odp_date_kind kind, struct odp_datetime *d)
{
    int year, month = 1, day = 1;
    if (!odp_date_number(s, 4, 4, &year))
        return false;
    if (kind != ODP_YEAR && (!odp_date_char(s, '-') || !odp_date_number(s, 2, 2, &month)))
        return false;
    if (kind != ODP_YEAR && kind != ODP_YEARMONTH &&
        (!odp_date_char(s, '-') || !odp_date_number(s, 2, 2, &day)))
        return false;
    d->year = (int16_t)year;
    d->month = (uint8_t)month;
    d->day = (uint8_t)day;
    d->has_date = true;
    return true;
}

static bool iso_time(struct odp_date_scan *s, struct odp_datetime *d)
{
    int hour, minute, second;
    if (!odp_date_number(s, 2, 2, &hour) || !odp_date_char(s, ':') || !odp_date_number(s, 2, 2, &minute) ||
        !odp_date_char(s, ':') || !odp_date_number(s, 2, 2, &second))
        return false;
    d->hour = (uint8_t)hour;
    d->minute = (uint8_t)minute;
    d->second = (uint8_t)second;
    d->has_time = true;
    return !odp_date_char(s, '.') || odp_date_nanos(s, &d->nanos);
}

static enum odp_date_fault parse_iso(struct odp_slice text, enum odp_date_kind kind, struct odp_datetime *d)
{
    struct odp_date_scan s = {text.ptr, text.ptr + text.len};
    if (kind != ODP_TIME && !iso_date(&s, kind, d))
        return ODP_DATE_SYNTAX;
    if (kind == ODP_DATETIME && !odp_date_char(&s, 'T'))
        return ODP_DATE_SYNTAX;
    if ((kind == ODP_TIME || kind == ODP_DATETIME) && !iso_time(&s, d))
        return ODP_DATE_SYNTAX;
    if (kind == ODP_DATETIME && s.p < s.end) {
        /* XSD: +07:00, not +0700 */
        if (!odp_date_offset(&s, &d->offset) || (s.p[-1] != 'Z' && s.p[-3] != ':'))
            return ODP_DATE_SYNTAX;
        d->has_offset = true;
    }
    return s.p == s.end ? odp_date_check(d) : ODP_DATE_SYNTAX;
}

/* "any": the forms that can be read in one way only. A number of days, months and years alone (03/04/2024) is
 * not one. */
static enum odp_date_fault parse_any(struct odp_slice text, enum odp_date_kind kind, struct odp_datetime *d)
{
    static const char *const dates[] = {"%Y/%m/%d",     "%d %B %Y",  "%d-%b-%Y",
                                        "%A, %d %B %Y", "%B %d, %Y", NULL};
    static const char *const times[] = {"%H:%M", "%H.%M", "%I:%M %p", NULL};
    static const char *const datetimes[] = {"%Y-%m-%d %H:%M:%S%z",
                                            "%Y-%m-%d %H:%M:%S",
                                            "%Y-%m-%d %H:%M",
                                            "%Y-%m-%dT%H:%M",
                                            "%d %B %Y %H:%M",
                                            "%d %B %Y %H:%M %Z",
                                            NULL};
    static const char *const none[] = {NULL};
    enum odp_date_fault fault = parse_iso(text, kind, d);
    const char *const *list = none;
    if (kind == ODP_DATE)
        list = dates;
    else if (kind == ODP_TIME)
        list = times;
    else if (kind == ODP_DATETIME)
        list = datetimes;
    for (; fault == ODP_DATE_SYNTAX && *list != NULL; list++) {
        *d = (struct odp_datetime){0};
        fault = odp_date_by_pattern(text, *list, d);
    }
    return fault;
}

enum odp_date_fault odp_date_parse(struct odp_slice s, enum odp_date_kind kind, const char *pattern,
                                   const char *zone, struct odp_datetime *out)
{
    enum odp_date_fault fault;
    *out = (struct odp_datetime){0};
    if (pattern == NULL || strcmp(pattern, "default") == 0)
        fault = parse_iso(s, kind, out);
    else if (strcmp(pattern, "any") == 0)
        fault = parse_any(s, kind, out);
    else
        fault = odp_date_by_pattern(s, pattern, out);
    if (fault != ODP_DATE_OK || kind != ODP_DATETIME || out->has_offset)
        return fault;
    if (!odp_zone_offset(zone, &out->offset))
        return ODP_DATE_NO_OFFSET;
    out->has_offset = true;
    return ODP_DATE_OK;
}

bool odp_duration_ok(struct odp_slice s)
{
    static const char units[] = "YMDTHMS";
    const char *p = s.ptr, *end = s.ptr + s.len, *unit = units;
    bool any = false, in_time = false;
    if (p < end && *p == '-')
        p++;
    if (p == end || *p++ != 'P')
        return false;
    while (p < end) {
        if (*p == 'T' && !in_time) {
            in_time = true;
            any = false; /* something must follow the T */
            unit = strchr(units, 'T') + 1;
            p++;
            continue;
        }
        const char *digits = p;
        bool fraction = false;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        if (p == digits)
            return false;
        if (p < end && *p == '.') {
            const char *point = p++;
            while (p < end && *p >= '0' && *p <= '9')
                p++;
            fraction = true;
            if (p == point + 1)
                return false;
        }
        if (p == end || (fraction && *p != 'S'))
            return false;
        while (*unit != '\0' && *unit != *p && *unit != 'T')
            unit++;
        if (*unit == '\0' || *unit == 'T')
            return false;
        unit++, p++;
        any = true;
    }
    return any;
}

bool odp_moment_read(struct odp_slice text, int64_t *ms)
{
    struct odp_datetime d;
    if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    int64_t minutes = odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset;
    *ms = (minutes * 60 + d.second) * 1000 + d.nanos / 1000000;
    return true;
}

const char *odp_moment_utc(int64_t t, char out[ODP_DATETIME_SIZE])
{
    time_t at = (time_t)t;
    struct tm tm;
    if (gmtime_r(&at, &tm) == NULL || strftime(out, ODP_DATETIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        out[0] = '\0';
    return out;
}
