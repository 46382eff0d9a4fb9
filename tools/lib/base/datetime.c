/* Dates and times: the calendar, the canonical forms, and reading by the ISO form. Reading by a pattern is in
 * datetime_pattern.c. */
#include "base/datetime.h"

#include <strings.h>

#include "base/datetime_parse.h"

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int odp_date_month_days(int year, int month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from civil: the year begins in March, so that the leap day is its last (Howard Hinnant's algorithm). */
static int64_t days_of(int year, int month, int day)
{
    int y = month <= 2 ? year - 1 : year;
    int era = (y >= 0 ? y : y - 399) / 400;
    int year_of_era = y - era * 400;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)era * 146097 + day_of_era - 719468;
}

int64_t odp_date_days(const struct odp_datetime *d)
{
    return days_of(d->year, d->month, d->day);
}

void odp_date_from_days(struct odp_datetime *d, int64_t days)
{
    /* Eras of 400 years that begin on 1 March, so that the leap day is the last of a year. */
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;
    d->year = (int16_t)(yoe + era * 400 + (month <= 2));
    d->month = (uint8_t)month;
    d->day = (uint8_t)(doy - (153 * mp + 2) / 5 + 1);
}

int odp_date_cmp(const struct odp_datetime *a, const struct odp_datetime *b)
{
    int64_t seconds[2];
    const struct odp_datetime *d[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        seconds[i] = d[i]->has_date ? odp_date_days(d[i]) * 86400 : 0;
        if (d[i]->has_time)
            seconds[i] += d[i]->hour * 3600 + d[i]->minute * 60 + d[i]->second;
        if (d[i]->has_offset)
            seconds[i] -= d[i]->offset * 60;
    }
    if (seconds[0] != seconds[1])
        return seconds[0] < seconds[1] ? -1 : 1;
    uint32_t x = a->has_time ? a->nanos : 0, y = b->has_time ? b->nanos : 0;
    return (x > y) - (x < y);
}

static char *put(char *p, unsigned v, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        p[i] = (char)('0' + v % 10);
        v /= 10;
    }
    return p + width;
}

static char *put_date(char *p, const struct odp_datetime *d)
{
    p = put(p, (unsigned)d->year, 4);
    *p++ = '-';
    p = put(p, d->month, 2);
    *p++ = '-';
    return put(p, d->day, 2);
}

static char *put_time(char *p, const struct odp_datetime *d)
{
    p = put(p, d->hour, 2);
    *p++ = ':';
    p = put(p, d->minute, 2);
    *p++ = ':';
    p = put(p, d->second, 2);
    if (d->nanos != 0) {
        *p++ = '.';
        p = put(p, d->nanos, 9);
        while (p[-1] == '0')
            p--;
    }
    return p;
}

static char *put_offset(char *p, const struct odp_datetime *d)
{
    if (!d->has_offset)
        return p;
    unsigned minutes = (unsigned)(d->offset < 0 ? -d->offset : d->offset);
    if (minutes == 0) {
        *p++ = 'Z';
        return p;
    }
    *p++ = d->offset < 0 ? '-' : '+';
    p = put(p, minutes / 60, 2);
    *p++ = ':';
    return put(p, minutes % 60, 2);
}

size_t odp_date_format(const struct odp_datetime *d, enum odp_date_kind kind, char out[ODP_DATETIME_SIZE])
{
    char *p = out;
    switch (kind) {
    case ODP_DATE:
        p = put_date(p, d);
        break;
    case ODP_TIME:
        p = put_time(p, d);
        break;
    case ODP_DATETIME:
        p = put_date(p, d);
        *p++ = 'T';
        p = put_offset(put_time(p, d), d);
        break;
    case ODP_YEAR:
        p = put(p, (unsigned)d->year, 4);
        break;
    case ODP_YEARMONTH:
        p = put(p, (unsigned)d->year, 4);
        *p++ = '-';
        p = put(p, d->month, 2);
        break;
    }
    *p = '\0';
    return (size_t)(p - out);
}

bool odp_date_number(struct odp_date_scan *s, int least, int most, int *out)
{
    int n = 0, v = 0;
    while (n < most && s->p < s->end && *s->p >= '0' && *s->p <= '9') {
        v = v * 10 + (*s->p++ - '0');
        n++;
    }
    *out = v;
    return n >= least;
}

bool odp_date_char(struct odp_date_scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

bool odp_date_nanos(struct odp_date_scan *s, uint32_t *out)
{
    int digits = 0;
    uint32_t v = 0;
    for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
        if (++digits <= 9)
            v = v * 10 + (uint32_t)(*s->p - '0');
        else if (*s->p != '0')
            return false; /* finer than we keep: nothing is cut off silently */
    for (int i = digits; i < 9; i++)
        v *= 10;
    *out = v;
    return digits > 0;
}

bool odp_date_offset(struct odp_date_scan *s, int16_t *minutes)
{
    int hours, rest = 0;
    if (odp_date_char(s, 'Z')) {
        *minutes = 0;
        return true;
    }
    if (s->p == s->end || (*s->p != '+' && *s->p != '-'))
        return false;
    bool negative = *s->p++ == '-';
    if (!odp_date_number(s, 2, 2, &hours))
        return false;
    bool colon = odp_date_char(s, ':');
    bool more = s->p < s->end && *s->p >= '0' && *s->p <= '9';
    if ((colon || more) && !odp_date_number(s, 2, 2, &rest))
        return false;
    if (rest > 59 || hours * 60 + rest > 14 * 60) /* XSD: -14:00 to +14:00 */
        return false;
    *minutes = (int16_t)(negative ? -(hours * 60 + rest) : hours * 60 + rest);
    return true;
}

bool odp_zone_offset(const char *zone, int16_t *minutes)
{
    static const struct {
        const char *name;
        int16_t minutes;
    } zones[] = {
        {"Asia/Jakarta", 420},
        {"Asia/Pontianak", 420},
        {"WIB", 420},
        {"Asia/Makassar", 480},
        {"Asia/Ujung_Pandang", 480},
        {"WITA", 480},
        {"Asia/Jayapura", 540},
        {"WIT", 540},
        {"UTC", 0},
        {"GMT", 0},
        {"Etc/UTC", 0},
        {"Etc/GMT", 0},
    };
    if (zone == NULL)
        return false;
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        if (strcasecmp(zone, zones[i].name) == 0) {
            *minutes = zones[i].minutes;
            return true;
        }
    }
    struct odp_date_scan s = {zone, zone + strlen(zone)};
    int16_t found;
    if (!odp_date_offset(&s, &found) || s.p != s.end)
        return false;
    *minutes = found;
    return true;
}

enum odp_date_fault odp_date_check(const struct odp_datetime *d)
{
    if (d->has_date &&
        (d->year < 1 || d->month < 1 || d->month > 12 || d->day < 1 || d->day > odp_date_month_days(d->year, d->month)))
        return ODP_DATE_RANGE;
    return d->has_time && (d->hour > 23 || d->minute > 59 || d->second > 59) ? ODP_DATE_RANGE : ODP_DATE_OK;
}

static bool iso_date(struct odp_date_scan *s, enum odp_date_kind kind, struct odp_datetime *d)
{
    int year, month = 1, day = 1;
    if (!odp_date_number(s, 4, 4, &year))
        return false;
    if (kind != ODP_YEAR && (!odp_date_char(s, '-') || !odp_date_number(s, 2, 2, &month)))
        return false;
    if (kind != ODP_YEAR && kind != ODP_YEARMONTH && (!odp_date_char(s, '-') || !odp_date_number(s, 2, 2, &day)))
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

/* "any": the forms that can be read in one way only. A number of days, months and years alone (03/04/2024) is not one. */
static enum odp_date_fault parse_any(struct odp_slice text, enum odp_date_kind kind, struct odp_datetime *d)
{
    static const char *const dates[] = {"%Y/%m/%d", "%d %B %Y", "%d-%b-%Y", "%A, %d %B %Y", "%B %d, %Y", NULL};
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
    const char *const *list = kind == ODP_DATE ? dates : kind == ODP_TIME ? times : kind == ODP_DATETIME ? datetimes : none;
    for (; fault == ODP_DATE_SYNTAX && *list != NULL; list++) {
        *d = (struct odp_datetime){0};
        fault = odp_date_by_pattern(text, *list, d);
    }
    return fault;
}

enum odp_date_fault odp_date_parse(struct odp_slice s, enum odp_date_kind kind, const char *pattern, const char *zone,
                                   struct odp_datetime *out)
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
