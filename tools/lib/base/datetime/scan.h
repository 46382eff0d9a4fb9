/* The pieces of a date's text: what every way of reading one is made of. For datetime.c, datetime/pattern.c and zone.c. */
#ifndef ODP_BASE_DATETIME_SCAN_H
#define ODP_BASE_DATETIME_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct odp_date_scan {
    const char *p, *end;
};

/* LEAST to MOST digits. */
bool odp_date_number(struct odp_date_scan *s, int least, int most, int *out);
bool odp_date_char(struct odp_date_scan *s, char c);
/* Digits after a decimal point, at most nine that count. */
bool odp_date_nanos(struct odp_date_scan *s, uint32_t *out);
/* Z, +07:00, +0700, +07. */
bool odp_date_offset(struct odp_date_scan *s, int16_t *minutes);

#endif
