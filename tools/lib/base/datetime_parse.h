/* What datetime.c and datetime_pattern.c share; not for other modules. */
#ifndef ODP_BASE_DATETIME_PARSE_H
#define ODP_BASE_DATETIME_PARSE_H

#include "base/datetime.h"

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
int odp_date_month_days(int year, int month);
/* RANGE where D's fields name no day or no time. */
enum odp_date_fault odp_date_check(const struct odp_datetime *d);
/* By a strptime pattern that odp_date_pattern_ok has passed. */
enum odp_date_fault odp_date_by_pattern(struct odp_slice text, const char *pattern, struct odp_datetime *d);

#endif
