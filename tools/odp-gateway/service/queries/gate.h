/* Who may run now: so many queries at once and no more, a bounded number of others waits in order and for a
 * bounded time, and an account has no more than its share. Plain threads: who waits sleeps in the call.
 *
 * Only what has to be made counts against an account; an answer out of memory never does. All calls without
 * an account are one, with the most that any tier has; an unknown tier has the least. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct odp_gate;
enum odp_status odp_gate_new(struct odp_gate **out, unsigned threads, unsigned waiting,
                             uint32_t wait_ms) ODP_MUST_USE;
void odp_gate_free(struct odp_gate *g); /* NULL is allowed; nobody may be in it */

/* True: leave must follow. False: too many wait already, or it took too long. First come, first served. */
bool odp_gate_enter(struct odp_gate *g);
void odp_gate_leave(struct odp_gate *g);
void odp_gate_counts(struct odp_gate *g, unsigned *running, unsigned *waiting);

/* One more of ACCOUNT's, of which there may be LIMIT at once (0: any number). True: give must follow. */
bool odp_gate_take(struct odp_gate *g, uint64_t account, int64_t limit);
void odp_gate_give(struct odp_gate *g, uint64_t account);
