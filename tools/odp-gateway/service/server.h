/* The running service: its listeners, its ticker, its clean end. */
#pragma once

#include <stdatomic.h>

#include "service/state/state.h"

/* The listeners: service socket, query socket, control socket, metrics, forward-auth. Runs until *STOP is set
 * by a signal; ticks once a second (flush, site switch, sync). READY is called once when all are listening.
 * Stopping: no new connections, open requests are answered, within a second. BAD: an address is taken or not
 * usable, WHY says it. */
enum odp_status odp_server_run(struct odp_state *s, atomic_bool *stop, void (*ready)(void *ctx), void *ctx,
                               char why[ODP_WHY]) ODP_MUST_USE;
