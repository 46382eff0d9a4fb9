/* The body of the service's process. */
#pragma once

#include <stdatomic.h>

#include "command/gateway.h"

/* The body of the service's process: opens the state, reads the site, serves until *STOP. READY is called
 * once; WHY gets a sentence. */
enum odp_status service_body(struct gateway *g, atomic_bool *stop, void (*ready)(void *ctx), void *ctx,
                             char why[ODP_WHY]) ODP_MUST_USE;
