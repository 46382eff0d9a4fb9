#include "sample.h"

/* ---- random numbers ---- */
uint64_t sample_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t sample_hash(const char *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *s != '\0'; s++)
        h = (h ^ (uint64_t)(unsigned char)*s) * UINT64_C(0x100000001b3);
    return sample_mix(h);
}

uint64_t sample_stream(const char *slug, const char *field)
{
    return sample_hash(slug) ^ (sample_hash(field) << 1);
}

uint64_t sample_next(struct sample_random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return sample_mix(r->state);
}

int64_t sample_range(struct sample_random *r, int64_t lo, int64_t hi)
{
    uint64_t n = (uint64_t)hi - (uint64_t)lo + 1;
    return n == 0 ? lo : (int64_t)((uint64_t)lo + sample_next(r) % n);
}

double sample_unit(struct sample_random *r)
{
    return (double)(sample_next(r) >> 11) * 0x1p-53;
}

/* ---- the calendar: days since 1970-01-01, proleptic Gregorian ---- */
int64_t sample_days(int y, int m, int d)
{
    int64_t year = m <= 2 ? y - 1 : y, era = (year >= 0 ? year : year - 399) / 400, yoe = year - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

void sample_civil(int64_t days, int *y, int *m, int *d)
{
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
            doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y = (int)(yoe + era * 400 + (*m <= 2));
}
