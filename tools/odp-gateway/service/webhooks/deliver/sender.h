/* The HTTP client of webhooks: many POSTs at once on one thread (libcurl's multi interface), without store
 * and schedule.
 *
 * libcurl resolves each name on a thread of its own, so a slow name server holds up nobody else; each address
 * is checked (address.h) where its socket would be opened, and TLS checks the certificate against the name.
 * An open connection is used again for the same place. No redirects, no proxies from the environment, no
 * cookies, no netrc, HTTP and HTTPS only, HTTP/1.1 or 2, TLS 1.2 and above.
 *
 * An answer counts once its final header is there, whatever happens to its body. The body is read up to
 * ANSWER_MAX bytes and until the time limit, then cut; if nobody wants it, up to 16 KiB and for a second, so
 * that the connection can be used again. Headers have at most 16 KiB, with 1xx and trailers. Connections that
 * were idle for ten seconds are closed, those a minute old are not used again.
 *
 * The process ignores SIGPIPE. Other parts of it may use libcurl at the same time. */
#pragma once

#include "service/webhooks/deliver/outcome.h"
#include "service/webhooks/deliver/address.h"

struct odp_sender_options {
    struct odp_address_policy policy;
    unsigned connections;       /* 64; 0: those */
    int timeout_ms, connect_ms; /* of everything, of name and connection; 0: 20000, 8000 */
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
void odp_sender_free(struct odp_sender *s); /* drops what is under way, without a result; NULL is allowed */
/* DONE: no room; nothing was taken. FAIL: no memory, an id or a signature that cannot be a header, a body
 * beyond 1 MiB. DONE of run may call it. */
enum odp_status odp_sender_add(struct odp_sender *s, const struct odp_sending *m) ODP_MUST_USE;
/* Works for up to WAIT_MS (0: what can be done at once), until a message ended or wake was called; calls DONE
 * for each message that ended. Not from two threads. FAIL: sockets or libcurl failed; what was under way was
 * reported as not sent, and the next message may be added. Call it with nothing under way, too: it closes
 * idle connections. */
enum odp_status odp_sender_run(struct odp_sender *s, int wait_ms, void *ctx,
                               void (*done)(void *ctx, const struct odp_sent *r)) ODP_MUST_USE;
void odp_sender_wake(struct odp_sender *s); /* from any thread */
