/* Several machines. Redis is a channel, never the store: every table is complete by itself, and Redis may
 * be emptied and refilled.
 *
 *   odp:epoch                   random; a machine that finds it missing makes it: another one means that Redis
 *                               was emptied or replaced
 *   odp:writer                  the machine that publishes keys, with a term: two writers on one Redis do not
 *                               fight
 *   odp:keys                    digest -> packed record; with the store's generation and its newest change
 *   odp:count:<day>:<machine>   account -> count, absolute; 8 days
 *   odp:usage:<day>:<machine>   tier/dataset/format -> count, absolute, written by replicas for the writer;
 *                               8 days
 *   odp:machines                hash machine -> time last seen, role
 *
 * The three in the middle are feeds (feed.c): a hash, the order of its changes, and a mark.
 *
 * service/cluster/wire.h has the forms, docs/operator.md (Several machines) the reasons. A machine is
 * NAME~ID, the ID kept in STATE/sync: two machines of one name, or one whose state folder was lost, never
 * overwrite each other's counts.
 *
 * Counts are absolute, so that everything may be sent twice. A thread of its own makes a round four times
 * a second: it sends what changed and reads what others sent, in a few pipelines, and never holds the
 * state's mutex for longer than a small batch. A machine that starts, or finds Redis emptied or back again
 * reads (and writes) everything once.
 *
 * Overshoot: while Redis is there and rounds take up to an eighth of a second, no count is known to the
 * others later than a second after it was made, so a key can pass its daily quota by at most (machines -
 * 1) x burst x 2 requests: what each of the others lets through in a second, and the burst that it may
 * have at once. While Redis is gone, by what each machine lets through alone. */
#pragma once

#include "service/state/state.h"

/* Starts the threads: exchange (options->redis), and on a replica the look at the writer. Waits up to a
 * second for their first results, so that a replica has its keys when it starts to listen. BAD:
 * options->redis is no address; it was logged. */
enum odp_status odp_sync_new(struct odp_sync **out, struct odp_state *s) ODP_MUST_USE;
/* Sends the last counts, if Redis is there, and stops. NULL is allowed. */
void odp_sync_free(struct odp_sync *y);
/* For the caller's ticker: copies what the threads know into s->writer_reachable and s->redis_reachable. A
 * lost connection is not an error: it is counted, tried again with a growing pause (up to a second), and
 * everything is reconciled. */
enum odp_status odp_sync_round(struct odp_sync *y, int64_t now_ms) ODP_MUST_USE;

struct odp_sync_state {
    bool connected;        /* the last round came to its end */
    bool keys_complete;    /* of a replica: all keys of the store were applied since it started */
    bool publishing;       /* of a writer: it, and no other, publishes in this Redis */
    bool writer_reachable; /* of a replica; true on the writer */
    int64_t last_round_ms;
    int64_t longest_ms; /* from the begin of a round to the end of the next; no count comes later than twice
                           that */
    uint64_t rounds, reconnects, failures, keys_received, counts_received;
    uint64_t refused;  /* values in Redis that were not what they must be */
    unsigned machines; /* seen in the last ten seconds, this one included */
};
void odp_sync_state(const struct odp_sync *y, struct odp_sync_state *out);
