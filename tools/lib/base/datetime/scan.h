/* The pieces of a date's text: what every way of reading one is made of. For datetime.c, datetime/pattern.c
 * and zone.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/ascii.h"

struct odp_date_scan {
    const char *p, *end;
};

/* LEAST to MOST digits. */
static inline bool odp_date_number(struct odp_date_scan *s, int least, int most, int *out)
{
    int n = 0, v = 0;
    while (n < most && s->p < s->end && odp_is_digit(*s->p)) {
        v = v * 10 + (*s->p++ - '0');
        n++;
    }
    *out = v;
    return n >= least;
}

static inline bool odp_date_char(struct odp_date_scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

/* Digits after a decimal point, at most nine that count. */
bool odp_date_nanos(struct odp_date_scan *s, uint32_t *out);
/* Z, +07:00, +0700, +07. */
bool odp_date_offset(struct odp_date_scan *s, int16_t *minutes);
