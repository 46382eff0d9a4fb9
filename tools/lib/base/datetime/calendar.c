#include "base/datetime/calendar.h"

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int odp_date_month_days(int year, int month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from civil: the year begins in March, so that the leap day is its last (Howard Hinnant's algorithm).
 */
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

enum odp_date_fault odp_date_check(const struct odp_datetime *d)
{
    if (d->has_date && (d->year < 1 || d->month < 1 || d->month > 12 || d->day < 1 ||
                        d->day > odp_date_month_days(d->year, d->month)))
        return ODP_DATE_RANGE;
    return d->has_time && (d->hour > 23 || d->minute > 59 || d->second > 59) ? ODP_DATE_RANGE : ODP_DATE_OK;
}
