/* What time it is. */
#ifndef ODP_SERVICE_STATE_CLOCK_H
#define ODP_SERVICE_STATE_CLOCK_H

#include <stdint.h>

int64_t odp_now(void); /* Unix seconds */
int64_t odp_now_ms(void);

#endif
