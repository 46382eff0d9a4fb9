/* Time zones that have one offset all year. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Minutes east of UTC of a zone we know (none of them has summer time), or false. */
bool odp_zone_offset(const char *zone, int16_t *minutes);
