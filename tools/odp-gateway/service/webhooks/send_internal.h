/* Inside of service/webhooks: the sender. One thread (or a test's) runs all of it; others set only FRESH and
 * ACTED.
 *
 * Who is next. A subscription with deliveries that are due is a lane; lanes of one host and port are a place.
 * The place that was served longest ago comes first, and of its lanes the one that was served longest ago, so
 * one with thousands of deliveries gets no more than one with a single one. A lane sends its oldest due
 * delivery first, one at a time, and one more at once for each success, up to what a place takes. Lanes whose
 * last attempt failed or was slow, and those of subscriptions that are not active (troubled), go one at a
 * time and share a quarter of the connections: however many receivers hang, the others have three quarters. A
 * lane that has been failing for a minute rests ten seconds after each attempt: its backlog is not thrown at
 * whomever its name leads to now.
 *
 * Memory: a lane for each subscription that has something to send (about 100 bytes, and its place), messages
 * only until their results are written. What is pending stays in the store. */
#pragma once

#include "service/webhooks/webhooks_internal.h"

#define ODP_WEBHOOK_CONNECTIONS 64
#define ODP_WEBHOOK_PER_PLACE   8
enum { WEBHOOK_RESULTS = 512, WEBHOOK_SLOW_MS = 2000, WEBHOOK_LONG_MS = 60000, WEBHOOK_REST_MS = 10000 };
#define WEBHOOK_NEVER INT64_MAX

struct webhook_place {
    char name[ODP_WEBHOOK_PLACE];
    int64_t turn;           /* when it was served last, counted in messages */
    unsigned lanes, flying; /* that are its own; neither: this place is free for another */
};
struct webhook_lane {
    int64_t id, when;    /* of the subscription; when its next delivery is due (or NEVER), as far as known */
    int64_t since, rest; /* failing since (0: it is not); nothing goes before REST */
    int64_t turn;        /* when it was queued or served last, as of a place */
    size_t place;
    bool queued, special, failing, slow;
    bool more; /* another delivery is due. (SPECIAL: only tests and challenges go) */
    unsigned width, flying, unwritten;
};
/* A message from its start until its result is written. */
struct webhook_message {
    enum { WEBHOOK_FREE, WEBHOOK_FLYING, WEBHOOK_ENDED } stage;
    int64_t delivery, webhook, round, at, due; /* DUE: when its event was due; 0: it has none */
    size_t place;
    bool first, troubled, challenge; /* the first attempt; it counts as troubled; it asks a challenge */
    char asked[ODP_WEBHOOK_CHALLENGE];
    /* of one that has ended */
    int64_t took, end, retry_after;
    enum odp_outcome outcome;
    int status;
    bool closed; /* it could not be opened: no attempt, the subscription waits */
};

struct webhook_send {
    sqlite3 *db;                /* reads only */
    _Atomic bool fresh, acted;  /* there are new deliveries; anything may have changed */
    bool scan;                  /* all subscriptions are to be looked at */
    int64_t scanned, scan_took; /* ms of the clock */
    int64_t seen;               /* newest delivery that was looked at */
    int64_t earliest;           /* when a lane that waits is due, or before */
    int64_t turns;
    struct webhook_lane *lanes; /* by id */
    struct webhook_place *places;
    size_t nlanes, lanes_room, nplaces, nqueued;
    unsigned connections, troubled; /* TROUBLED: such messages under way */
    struct webhook_message *messages;
    size_t nmessages, nflying;
    struct webhook_message *ended[WEBHOOK_RESULTS]; /* in their order */
    size_t nended;
    int64_t oldest;           /* ms of the clock: when the first of them ended */
    int64_t base, base_clock; /* the caller's time at a time of the clock */
    int failing;              /* as last logged */
};

void *odp_webhook_send_main(void *w);                       /* the thread */
int64_t odp_webhook_send_now(const struct webhook_send *t); /* the caller's time, going on */

/* ---- lanes (send_lanes.c); a pointer to one is good until a lane is made or dropped ---- */

struct webhook_lane *odp_webhook_lane_find(struct webhook_send *t, int64_t id); /* or NULL */
/* The lane of a subscription, at the place NAME where it is a new one. NULL: out of memory. */
struct webhook_lane *odp_webhook_lane_get(struct webhook_send *t, int64_t id, const char *name);
/* Looks for what is new: all that is pending, or what was added since. */
enum odp_status odp_webhook_lanes_refresh(struct odp_webhooks *w, int64_t now) ODP_MUST_USE;
/* Looks at one subscription again: is something due, when? */
enum odp_status odp_webhook_lane_look(struct webhook_send *t, int64_t id, int64_t now) ODP_MUST_USE;
/* It may have something that is due: it gets its turn. */
void odp_webhook_lane_queue(struct webhook_send *t, struct webhook_lane *l);
/* Queues lanes that waited and are due. */
void odp_webhook_lanes_due(struct webhook_send *t, int64_t now);
/* The lane whose turn it is, no longer queued; NULL: none, or no room. */
struct webhook_lane *odp_webhook_lane_next(struct webhook_send *t);
bool odp_webhook_lane_is_troubled(const struct webhook_lane *l);
/* L is at the place NAME from now on. */
enum odp_status odp_webhook_lane_move(struct webhook_send *t, struct webhook_lane *l,
                                      const char *name) ODP_MUST_USE;

/* ---- one message (send_start.c) ---- */

/* Sends the lane's next message. DONE: the sender has no room. */
enum odp_status odp_webhook_lane_start(struct odp_webhooks *w, struct webhook_lane *l,
                                       int64_t now) ODP_MUST_USE;
/* M, of lane L, is under way. */
void odp_webhook_message_fly(struct webhook_send *t, struct webhook_lane *l, struct webhook_message *m);
/* M has ended; its result is to be written. */
void odp_webhook_message_end(struct webhook_send *t, struct webhook_message *m);

/* ---- results (send_write.c) ---- */

/* Writes all of them into the store, some at a time, and looks at their lanes again. */
enum odp_status odp_webhook_results_write(struct odp_webhooks *w) ODP_MUST_USE;
