/* Inside of service/webhooks/deliver: what the files of the sender share. */
#ifndef ODP_SERVICE_WEBHOOKS_DELIVER_SENDER_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_DELIVER_SENDER_INTERNAL_H

#include <curl/curl.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "service/webhooks/deliver/sender.h"

/* ---- what an answer's header says (sender_answer.c) ---- */

struct odp_answer_head {
    int64_t retry_after; /* seconds as said; -1 */
    int64_t retry_date;  /* Unix seconds; -1 */
    int64_t date;        /* of the answer; -1 */
};
#define ODP_RETRY_AFTER_MAX 31622400 /* 366 days */
void odp_answer_head_clear(struct odp_answer_head *h);
/* One line of the header, as it came. The first of its name counts. */
void odp_answer_head_line(struct odp_answer_head *h, struct odp_slice line);
/* Seconds to wait from now on, or -1. A date is taken against the answer's own, or against NOW (Unix
 * seconds). */
int64_t odp_answer_retry_after(const struct odp_answer_head *h, int64_t now);
/* An HTTP date (RFC 9110 section 5.6.7, all three forms) in Unix seconds, or -1. */
int64_t odp_answer_date(struct odp_slice text);
/* The outcome that a final STATUS means. */
enum odp_outcome odp_answer_outcome(long status);

/* ---- one message under way ---- */

enum { ODP_SLOT_HEADERS = 5, ODP_SLOT_HEADER = 256 };

struct odp_sender_slot {
    struct odp_sender *s;
    CURL *easy;        /* made at first use, used again for ever */
    bool busy, unsent; /* UNSENT: for want of something of ours, which is told with the next run */
    void *token;
    uint64_t place; /* hash of it */
    struct odp_target target;
    struct odp_buffer body, answer;
    size_t answer_max;
    int64_t timestamp, began, connect_by, deadline; /* all but TIMESTAMP are ms of CLOCK_MONOTONIC */
    char header[3][ODP_SLOT_HEADER];
    struct curl_slist headers[3]; /* nodes of ours: nothing to allocate a message */
    bool fresh;                   /* on a connection of its own */
    /* what came back */
    struct odp_answer_head head;
    size_t head_bytes, body_bytes;
    bool answered;     /* the final header is there: the outcome stands */
    bool refused, out; /* a socket was refused; we have none left */
};

struct odp_sender {
    struct odp_address_policy policy;
    unsigned connections, per_place;
    int timeout_ms, connect_ms;
    char *ca_file, *user_agent;
    CURLM *multi;       /* NULL: nothing is open */
    int wake;           /* an eventfd */
    atomic_bool called; /* wake was called */
    int64_t now;        /* as of the last look at the clock */
    int64_t used_at;    /* when something was last under way */
    size_t busy;
    struct odp_buffer answer;      /* lent to DONE */
    struct odp_sender_slot *slots; /* CONNECTIONS */
};

/* ---- sender_transfer.c ---- */

/* The multi handle, where there is none. */
bool odp_transfer_open(struct odp_sender *s);
/* Puts the message on its way; false: not for want of something of ours. */
bool odp_transfer_start(struct odp_sender_slot *slot);
/* After one that ended with RC: it begins anew where its connection was an old one that was gone. */
bool odp_transfer_again(struct odp_sender_slot *slot, CURLcode rc);
/* How a transfer that ended with RC ended; not called where it answered. */
enum odp_outcome odp_transfer_outcome(const struct odp_sender_slot *slot, CURLcode rc);
/* Whether an address may be connected to for this message. */
bool odp_transfer_may_connect(const struct odp_sender_slot *slot, const struct sockaddr *address);

#endif
