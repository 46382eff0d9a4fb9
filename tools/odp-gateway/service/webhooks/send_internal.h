/* Inside of service/webhooks: the sender's parts. All of it runs on one thread (or in a test's); only FRESH
 * and ACTED are set by others.
 *
 * Who is next. A subscription with deliveries that are due is a lane; lanes of one host and port are a place.
 * Places take turns, and lanes of a place take turns, so one with thousands of deliveries gets no more than
 * one with a single one. Of a lane the oldest due delivery goes first, one at a time, and one more at once
 * for each success up to what a place takes. Lanes whose last attempt failed or took long, and those of
 * subscriptions that are not active (troubled) go one at a time and share a quarter of the connections:
 * whatever number of receivers hangs, the others have three quarters. One that has been failing for a minute
 * rests ten seconds after each attempt: what waits for it is not thrown at whomever its name leads to now.
 *
 * Memory: a lane for each subscription that has something to send (about 100 bytes, and its place), messages
 * only while they are under way, results until they are written. What is pending stays in the store. */
#pragma once

#include <sys/queue.h>

#include "service/webhooks/webhooks_internal.h"

#define ODP_WEBHOOK_CONNECTIONS 64
#define ODP_WEBHOOK_PER_PLACE   8
enum { WEBHOOK_RESULTS = 512, WEBHOOK_SLOW_MS = 2000, WEBHOOK_LONG_MS = 60000, WEBHOOK_REST_MS = 10000 };
#define WEBHOOK_NEVER INT64_MAX

TAILQ_HEAD(webhook_lanes, webhook_lane);
TAILQ_HEAD(webhook_ring, webhook_place);
/* [0]: sound lanes, [1]: troubled ones. */
struct webhook_place {
    char name[ODP_WEBHOOK_PLACE];
    struct webhook_lanes queue[2];
    TAILQ_ENTRY(webhook_place) turn[2]; /* in the ring of places that have such lanes queued, and room */
    bool in_ring[2];
    unsigned flying, users; /* under way; lanes and flights that know it */
};
struct webhook_lane {
    int64_t id, when;    /* of the subscription; when its next delivery is due (or NEVER), as far as known */
    int64_t since, rest; /* failing since (0: it is not); nothing goes before REST */
    TAILQ_ENTRY(webhook_lane) all, turn; /* among all lanes; in the place's queue */
    struct webhook_place *place;
    bool queued, special, failing, slow,
        more; /* SPECIAL: only tests and challenges go; MORE: there was another one due */
    unsigned width, flying, unwritten;
};

struct webhook_flight { /* one message under way */
    bool used;
    int64_t delivery, at, due; /* DUE: when its event was due; 0: it has none */
    int64_t round;
    struct webhook_lane *lane;
    struct webhook_place *place;
    bool first, troubled;                  /* no attempt before; it counts among the troubled */
    char challenge[ODP_WEBHOOK_CHALLENGE]; /* "": none is asked */
};
struct webhook_result {
    int64_t delivery, webhook, at, took, end, due, round, retry_after;
    struct webhook_lane *lane; /* is there while it counts this one as unwritten */
    enum odp_outcome outcome;
    int status;
    bool first, challenge, closed; /* CLOSED: it could not be opened; no attempt, the subscription waits */
};

struct webhook_send {
    sqlite3 *db;                /* reads only */
    _Atomic bool fresh, acted;  /* there are new deliveries; anything may have changed */
    bool scan;                  /* all subscriptions are to be looked at */
    int64_t scanned, scan_took; /* ms of the clock */
    int64_t seen;               /* newest delivery that was looked at */
    int64_t earliest;           /* when a lane that waits is due, or before */
    void *by_id, *by_name;      /* tsearch(3): lanes, places */
    struct webhook_lanes lanes;
    struct webhook_ring rings[2];
    unsigned connections, troubled; /* TROUBLED: messages under way of troubled lanes' turns */
    struct webhook_flight *flights;
    size_t nflights;
    struct webhook_result results[WEBHOOK_RESULTS];
    size_t nresults;
    int64_t oldest;           /* ms of the clock: when the first of the results came */
    int64_t base, base_clock; /* the caller's time at a time of the clock */
    int failing;              /* as last logged */
};

void *odp_webhook_send_main(void *w); /* the thread */

/* ---- lanes (send_lanes.c) ---- */
void odp_webhook_lanes_init(struct webhook_send *t);
void odp_webhook_lanes_free(struct webhook_send *t);
/* The lane of a subscription, at PLACE where it is a new one. NULL without memory. */
struct webhook_lane *odp_webhook_lane_get(struct webhook_send *t, int64_t id, const char *place);
/* Looks for what is new: all that is pending, or what was added since. */
enum odp_status odp_webhook_lanes_refresh(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
/* Looks at one subscription again: is something due, when? */
enum odp_status odp_webhook_lane_look(struct webhook_send *t, int64_t id, int64_t now) ODP_MUST_USE;
/* It may have something that is due: it gets its turn. */
void odp_webhook_lane_queue(struct webhook_send *t, struct webhook_lane *l);
/* Lanes that waited and are due are queued. */
void odp_webhook_lanes_due(struct webhook_send *t, int64_t now);
/* The lane whose turn it is, taken out of the queue; NULL: none, or no room. */
struct webhook_lane *odp_webhook_lane_next(struct webhook_send *t);
bool odp_webhook_lane_is_troubled(const struct webhook_lane *l);
enum odp_status odp_webhook_lane_move(struct webhook_send *t, struct webhook_lane *l,
                                      const char *place) ODP_MUST_USE;
/* Begins and ends a message of a lane, for the counts. */
void odp_webhook_flight_begin(struct webhook_send *t, struct webhook_flight *f);
void odp_webhook_flight_end(struct webhook_send *t, struct webhook_flight *f);

/* ---- one message (send_start.c) ---- */
/* The lane's next message is sent. DONE: the sender has no room. */
enum odp_status odp_webhook_lane_start(struct odp_webhooks *w, struct webhook_lane *l,
                                       int64_t now) ODP_MUST_USE;

/* ---- results (send_write.c) ---- */
int64_t odp_webhook_send_now(const struct webhook_send *t); /* the caller's time, going on */
/* All of them into the store, some at a time; lanes are looked at again. */
enum odp_status odp_webhook_results_write(struct odp_webhooks *w) ODP_MUST_USE;
