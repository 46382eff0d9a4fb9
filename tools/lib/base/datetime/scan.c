#include "base/datetime/scan.h"

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
