/* Limits running queries: a number at once, a bounded number of others waiting in order for a bounded time,
 * and a share for each account. Plain threads: a waiting call sleeps.
 *
 * Only making an answer counts against an account, never one from memory. All calls without an account are
 * one account, with the most that any tier has; an unknown tier has the least. */
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
