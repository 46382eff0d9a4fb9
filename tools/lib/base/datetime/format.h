/* The canonical text of dates and times (datetime.h). */
#pragma once

#include <stddef.h>

#include "base/datetime/calendar.h"

#define ODP_DATETIME_SIZE 48

/* The canonical form; returns its length. */
size_t odp_date_format(const struct odp_datetime *d, enum odp_date_kind kind, char out[ODP_DATETIME_SIZE]);
