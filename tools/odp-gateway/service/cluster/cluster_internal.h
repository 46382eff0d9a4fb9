/* What the parts of sync share. The first block of struct odp_sync is for all threads; the rest belongs to
 * the thread that makes the round.
 *
 * A round latches: what is not OK first stays in y->st, and ends it. Functions that return nothing do nothing
 * after that, and replies are nil. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "service/cluster/map.h"
#include "service/cluster/redis.h"
#include "service/cluster/sync.h"
#include "service/cluster/wire.h"
#include "core/random.h"
#include "service/state/generation.h"

#define ODP_SYNC_PAUSE_MS     250 /* between rounds */
#define ODP_SYNC_RETRY_MAX_MS 1000
#define ODP_SYNC_USAGE_MS     2000
#define ODP_SYNC_LEASE_MS     "5000"
#define ODP_SYNC_MACHINES     64
#define ODP_SYNC_BATCH        512 /* fields written, or read, at once */
#define ODP_SYNC_BATCH_TEXT   "512"
#define ODP_SYNC_SLICE_MS                                                                                    \
    100                   /* of a long filling or loading in one round, so that counts are not kept waiting */
#define ODP_SYNC_NAME 160 /* of a Redis key */

/* Of each record of the table, and accounts by number; made from the table and extended when it grows. */
struct odp_sync_index {
    uint32_t n, cap;
    uint64_t *owner;            /* its account if the account is its own, else 0 */
    uint64_t *told;             /* count of the day that the others were told */
    uint64_t *change;           /* newest change applied to it in this generation; 0: none */
    struct odp_sync_map record; /* account -> record */
};

struct odp_sync_machine {
    char name[ODP_WIRE_MACHINE];
    struct odp_sync_map counts; /* of the day */
    struct odp_wire_mark mark;  /* what they are as of; epoch "": they must be read */
    struct odp_wire_mark usage[2];
    uint32_t usage_day[2]; /* days of the marks above: an even and an odd one */
    char seen[128];        /* its line in odp:machines */
    int64_t seen_at;       /* when that changed, by our clock; 0: not since we look */
};

struct odp_sync_counts {
    uint32_t day;
    bool started;              /* day is set */
    struct odp_wire_mark mark; /* ours, as it must be in Redis */
    struct odp_sync_machine *machines;
    size_t nmachines;
    int said_many;
};

struct odp_sync_keys {
    /* Writer: what Redis has from us. Replica: generation and change are what was applied (generation "":
     * nothing), epoch and number how far it has read. */
    struct odp_wire_mark mark;
    char generation[ODP_WIRE_GENERATION + 1]; /* of the writer's store */
    char tiers[ODP_TIERS_MAX][ODP_TIER_NAME]; /* as of the last load or publication */
    uint32_t ntiers;
    uint64_t newest; /* writer: change of the store, as of this round */
    bool ahead; /* writer: somebody knows a later change of this generation: the store is an older copy */
    bool again, complete;       /* replica: everything must be read again; was read */
    size_t npage;               /* records of the page that is read */
    struct odp_wire_key *later; /* replica: records whose account is not there yet */
    size_t nlater, caplater;
    int64_t load_at;            /* load again then: a put failed; 0: no */
    struct odp_wire_mark saved; /* as STATE/sync has it */
    int64_t saved_at;
    int said_behind, said_empty, said_foreign, said_put, said_mass, said_tier, said_save;
};

struct odp_sync_usage {
    struct odp_buffer sent[2], now[2]; /* what was sent for an even and an odd day: lines NAME COUNT */
    uint32_t day[2];
    struct odp_wire_mark mark[2];
    int64_t next_at;
    bool looked_back;
};

struct odp_sync {
    struct odp_state *s;
    pthread_mutex_t mutex; /* over round_made, probe_made and seen */
    pthread_cond_t stopping, done;
    bool round_made, probe_made;
    struct odp_sync_state seen;
    atomic_bool stop, writer_reachable;
    bool threaded, probing;
    pthread_t thread, prober;

    struct odp_redis_address address;
    char machine[ODP_WIRE_MACHINE], id[ODP_WIRE_ID + 1];
    struct odp_redis *redis;
    enum odp_status st;      /* of the round */
    int64_t retry_at, pause; /* by the monotonic clock */
    bool busy;               /* a filling or loading goes on: the next round comes at once */
    int64_t begun;           /* the last round, if it came to its end; else 0 */
    char epoch[ODP_WIRE_ID + 1];
    int said_redis;
    char said_why[ODP_REDIS_WHY];
    struct odp_settings settings; /* as of this round */
    struct odp_sync_index index;
    struct odp_sync_counts counts;
    struct odp_sync_keys keys;
    struct odp_sync_usage usage;
};

/* Without threads: tests make rounds by odp_sync_turn and decide what the clock says. */
enum odp_status odp_sync_make(struct odp_sync **out, struct odp_state *s) ODP_MUST_USE;
enum odp_status odp_sync_start(struct odp_sync *y) ODP_MUST_USE;
/* One round: connects if need be. BAD: Redis is not there, or answered what it should not. */
enum odp_status odp_sync_turn(struct odp_sync *y, int64_t now_ms) ODP_MUST_USE;
void *odp_sync_probe(void *y); /* the thread that looks at the writer */

bool odp_sync_stopped(const struct odp_sync *y);
/* A value in Redis that is not what it must be: counted, and logged the first time. */
void odp_sync_refuse(struct odp_sync *y, const char *what);
void odp_sync_add(struct odp_sync *y, uint64_t *counter, uint64_t n); /* of y->seen */
/* STATE/sync: our id, and the newest generation and change that a replica has applied. */
enum odp_status odp_sync_identity_read(struct odp_sync *y) ODP_MUST_USE;
enum odp_status odp_sync_identity_save(struct odp_sync *y) ODP_MUST_USE;

void odp_sync_index_release(struct odp_sync_index *x);
/* Takes in records that are new in the table, or all of them again (what was told and applied stays). */
void odp_sync_index_grow(struct odp_sync *y, bool again);

/* Latches ST. True: the round goes on. */
bool odp_sync_did(struct odp_sync *y, enum odp_status st);
/* A reply has not the form it must have. */
void odp_sync_odd(struct odp_sync *y);
/* The next reply; the next N, which must not be errors. */
const struct redisReply *odp_sync_reply(struct odp_sync *y);
void odp_sync_skip(struct odp_sync *y, size_t n);

/* ---- feeds (feed.c) ---- */

/* The name of a machine's feed of a day. */
void odp_feed_day(char out[ODP_SYNC_NAME], const char *what, uint32_t day, const char *machine);
/* Asks for the mark of NAME; the answers come in order. Epoch "": it has none, or is not whole. */
void odp_feed_ask(struct odp_sync *y, const char *name);
struct odp_wire_mark odp_feed_mark(struct odp_sync *y);
bool odp_feed_same(const struct odp_wire_mark *a, const struct odp_wire_mark *b);
/* An empty feed, of a new epoch; MARK is the writer's own. */
void odp_feed_begin(struct odp_sync *y, const char *name, struct odp_wire_mark *mark);
/* Puts LINES, "FIELD VALUE" each (none: the mark alone), and MARK, whose number grows. EXPIRES: after 8
 * days. */
void odp_feed_put(struct odp_sync *y, const char *name, const struct odp_buffer *lines, bool expires,
                  struct odp_wire_mark *mark);
struct odp_feed_taking {
    void *ctx;
    void (*take)(struct odp_sync *y, void *ctx, struct odp_slice field, struct odp_slice value);
};
/* Takes what changed after *SEQ, up to the number UPTO (of the mark), ODP_SYNC_BATCH fields at most. True:
 * there is more. */
bool odp_feed_read(struct odp_sync *y, const char *name, uint64_t *seq, uint64_t upto,
                   const struct odp_feed_taking *taking);

/* The parts of a round, in this order. */
void odp_sync_counts_reset(struct odp_sync *y); /* Redis is another, or back: send and read all */
void odp_sync_counts_release(struct odp_sync *y);
void odp_sync_counts_day(struct odp_sync *y, uint32_t day);
void odp_sync_counts_send(struct odp_sync *y);
/* Which machines there are, and what they have counted since. */
void odp_sync_counts_receive(struct odp_sync *y, int64_t now_ms);
/* What all machines but this one have counted, into the table. */
void odp_sync_elsewhere(struct odp_sync *y, uint64_t account);

void odp_sync_keys_reset(struct odp_sync *y);
void odp_sync_keys_release(struct odp_sync *y);
void odp_sync_keys_publish(struct odp_sync *y); /* writer */
void odp_sync_keys_receive(struct odp_sync *y); /* replica */
/* Puts records into the table; the mutex is held for each small batch. */
void odp_sync_keys_apply(struct odp_sync *y, const struct odp_wire_key *keys, size_t n);
void odp_sync_keys_apply_later(struct odp_sync *y, bool last);
/* After the first load of a generation: keys that the store does not have are revoked. */
void odp_sync_keys_sweep(struct odp_sync *y);

void odp_sync_usage_reset(struct odp_sync *y);
void odp_sync_usage_release(struct odp_sync *y);
void odp_sync_usage_send(struct odp_sync *y);    /* replica */
void odp_sync_usage_collect(struct odp_sync *y); /* writer */
