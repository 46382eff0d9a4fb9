/* Several machines. Redis is a channel, never the store: every table is complete by itself, and Redis may be emptied and refilled.
 *
 *   odp:keys              hash digest(hex) -> packed record         odp:keys:changes  stream of packed records (the writer adds, replicas read)
 *   odp:count:<day>:<machine>   hash account -> count, absolute      odp:counts        stream of (machine, day, account, count) batches
 *   odp:machines          hash machine -> time last seen
 *   odp:usage             stream of dataset usage, read by the writer
 *
 * Counts are absolute, so that everything may be sent twice. Each machine sends what changed and reads what others sent about twice a
 * second, in one pipeline. A machine that starts, finds a gap, or finds Redis empty reads (or writes) everything once.
 *
 * Overshoot: a key can pass its daily quota by at most (machines - 1) x burst x 2 s of requests, since no machine's count is older
 * than two rounds and a round is at most a second; while Redis is gone, by what each machine lets through alone. */
#ifndef ODP_GATEWAY_SERVICE_SYNC_H
#define ODP_GATEWAY_SERVICE_SYNC_H

#include "service/state.h"

enum odp_status odp_sync_new(struct odp_sync **out, struct odp_state *s) ODP_MUST_USE;
void odp_sync_free(struct odp_sync *y);
/* One round; a lost connection is not an error: it is counted, tried again with a growing pause, and everything is reconciled. */
enum odp_status odp_sync_round(struct odp_sync *y, int64_t now_ms) ODP_MUST_USE;
/* Tells the others of changed keys at once (called after an act by the writer); never blocks longer than 200 ms. */
void odp_sync_nudge(struct odp_sync *y);

struct odp_sync_state {
    bool connected;
    int64_t last_round_ms;
    uint64_t rounds, reconnects, failures, keys_received, counts_received;
    unsigned machines;
};
void odp_sync_state(const struct odp_sync *y, struct odp_sync_state *out);

#endif
