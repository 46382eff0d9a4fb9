/* Dates and times by a strptime pattern: read and written. */
#pragma once

#include "base/datetime/format.h"
#include "base/slice.h"

/* True if PATTERN is one we can read: "default", "any", or strptime with
 * %d %m %y %Y %H %I %M %S %f %p %z %Z %b %B %a %A %j %e %% . %-d %-m %-H (no leading zero) are taken too. */
bool odp_date_pattern_ok(const char *pattern, enum odp_date_kind kind);

/* By a strptime pattern that odp_date_pattern_ok has passed. */
enum odp_date_fault odp_date_by_pattern(struct odp_slice text, const char *pattern, struct odp_datetime *d);
/* A date, or a date and time, as PATTERN has it, month and weekday in Indonesian; returns its length, or 0
 * where PATTERN has more than D or than that, or there is no room. For examples and proposals. */
size_t odp_date_write(const struct odp_datetime *d, const char *pattern, char out[ODP_DATETIME_SIZE]);
/* 1 to 12 for the name of a month, in Indonesian or English, full or short, of any case; else 0. */
int odp_date_month(struct odp_slice name);
/* The full name of MONTH, 1 to 12. */
const char *odp_date_month_name(int month, bool english);
bool odp_date_is_weekday(struct odp_slice name);
