/* How often a dataset is to be updated (odp:frequency), and when next. */
#pragma once

#include "base/datetime.h"

/* All codes, ended by NULL. */
const char *const *odp_frequency_codes(void);
/* CODE, or "" where it says nothing: UNKNOWN is a place holder of drafts. */
const char *odp_frequency_known(const char *code);
/* The code of a plain word ("tahunan", "yearly"), or NULL; SAID may be NULL. For messages. */
const char *odp_frequency_meant(const char *said);
/* The day by which the next update after DATE (a date or timestamp) is due, in OUT; false: FREQUENCY has
 * none, or DATE is wrong. A month after 31 January is the last of February. */
bool odp_frequency_due(const char *date, const char *frequency, char out[ODP_DATETIME_SIZE]);
