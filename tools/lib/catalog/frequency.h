/* How often a dataset is to be updated (odp:frequency), and when next. */
#pragma once

#include "base/datetime.h"

/* All codes, ended by NULL. */
const char *const *odp_frequency_codes(void);
/* The day by which the next update after DATE (a date or a timestamp) is due, in OUT; false where FREQUENCY
 * says no day, or DATE is none. 31 January and a month is the last of February. */
bool odp_frequency_due(const char *date, const char *frequency, char out[ODP_DATETIME_SIZE]);
