/* The HTTP client of webhooks: many POSTs at once on one thread (libcurl's multi interface). No store and no
 * schedule in it.
 *
 * libcurl asks for the host's addresses (each name on a thread of its own, so a slow name server holds up
 * nobody else); each address is checked (address.h) where the socket to it would be opened, and TLS checks
 * the certificate against the name. A connection that is open is used again for the same place. No redirects,
 * no proxies from the environment, no cookies, no netrc, HTTP and HTTPS only, HTTP/1.1 or 2, TLS 1.2 and
 * above.
 *
 * An answer counts once its final header is there, whatever becomes of its body. What follows is read up to
 * ANSWER_MAX bytes and for no longer than the time limit, and then cut; where nobody wants it, up to 16 KiB
 * and for a second, so that the connection can be used again. Everything is bounded: CONNECTIONS at once,
 * bytes of headers (16 KiB, 1xx and trailers with them) and answers.
 * Connections that were idle for ten seconds are closed, those a minute old are not used again.
 *
 * The process ignores SIGPIPE. Other parts of it may use libcurl at the same time. */
#pragma once

#include "service/webhooks/deliver/outcome.h"
#include "service/webhooks/deliver/address.h"

struct odp_sender_options {
    struct odp_address_policy policy;
    unsigned connections;       /* 64; 0: those */
    int timeout_ms, connect_ms; /* 20000, 8000; of everything, of name and connection; 0: those */
    const char *ca_file;        /* certificates to trust instead of the system's; NULL: those */
    const char *user_agent;     /* "odp-gateway/0.1.0 (+https://…)" */
};

struct odp_sending { /* copied by add, but for TOKEN */
    void *token;
    const struct odp_target *target;
    const char *id, *signature; /* webhook-id, webhook-signature */
    int64_t timestamp;          /* webhook-timestamp */
    struct odp_slice body;      /* JSON */
    size_t answer_max;          /* bytes of the answer the caller wants; 0: none */
};
struct odp_sent {
    void *token;
    enum odp_outcome outcome;
    int status;          /* 0: there was none */
    int64_t retry_after; /* seconds (a date is turned into them), at least 1; -1: not said */
    int64_t took_ms;
    char address[ODP_ADDRESS_TEXT]; /* connected to, or "" */
    struct odp_slice answer;        /* borrowed for the call */
};

struct odp_sender;
enum odp_status odp_sender_new(struct odp_sender **out, const struct odp_sender_options *o,
                               char why[512]) ODP_MUST_USE;
void odp_sender_free(
    struct odp_sender *s); /* what is under way is dropped, without a result; NULL is allowed */
/* DONE: no room; nothing was taken. FAIL: no memory, an id or a signature that cannot
 * be a header, a body beyond 1 MiB. DONE of run may call it. */
enum odp_status odp_sender_add(struct odp_sender *s, const struct odp_sending *m) ODP_MUST_USE;
/* Works for up to WAIT_MS (0: what can be done at once), until something ended or wake was called; DONE is
 * told of each message that ended. Not from two threads. FAIL: sockets or libcurl failed; what was under way
 * was told of as not sent, and the next message may be added. Call it now and then with nothing under way,
 * too: it closes idle connections. */
enum odp_status odp_sender_run(struct odp_sender *s, int wait_ms, void *ctx,
                               void (*done)(void *ctx, const struct odp_sent *r)) ODP_MUST_USE;
void odp_sender_wake(struct odp_sender *s); /* from any thread */
