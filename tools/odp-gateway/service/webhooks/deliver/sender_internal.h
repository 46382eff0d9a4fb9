/* What the files of the sender share. */
#pragma once

#include <curl/curl.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "service/webhooks/deliver/sender.h"

#define ODP_RETRY_AFTER_MAX 31622400 /* 366 days */

/* ---- one message under way ---- */

enum { ODP_SLOT_HEADERS = 5, ODP_SLOT_HEADER = 256 };

struct odp_sender_slot {
    struct odp_sender *s;
    CURL *easy;        /* made at first use, used again for ever */
    bool busy, unsent; /* UNSENT: for a reason on our side, reported with the next run */
    void *token;
    struct odp_target target;
    struct odp_buffer body, answer;
    size_t answer_max;
    int64_t began, connect_by, deadline; /* ms of CLOCK_MONOTONIC */
    char header[3][ODP_SLOT_HEADER];
    struct curl_slist headers[3]; /* our own nodes: a message allocates nothing */
    bool fresh;                   /* on a connection of its own */
    /* what came back */
    size_t head_bytes, body_bytes;
    bool answered;     /* the final header is there: the outcome is final */
    bool refused, out; /* a socket was refused; we have none left */
};

struct odp_sender {
    struct odp_address_policy policy;
    unsigned connections;
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

/* Starts the message. False: not, for a reason on our side. */
bool odp_transfer_start(struct odp_sender_slot *slot);
/* After one that ended with RC: starts it again if its connection was an old one that was gone. */
bool odp_transfer_again(struct odp_sender_slot *slot, CURLcode rc);
/* The outcome of a transfer that ended with RC without an answer. */
enum odp_outcome odp_transfer_outcome(const struct odp_sender_slot *slot, CURLcode rc);
/* The outcome of an answer with STATUS. */
enum odp_outcome odp_transfer_answered(long status);
/* This message may go to ADDRESS. */
bool odp_transfer_may_connect(const struct odp_sender_slot *slot, const struct sockaddr *address);
