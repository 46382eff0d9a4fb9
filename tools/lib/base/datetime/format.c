#include "base/datetime/format.h"

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
