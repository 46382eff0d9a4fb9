/* Inside of service/webhooks: what the endpoints of /v1/webhooks share. */
#pragma once

#include "service/accounts/caller.h"
#include "service/http/endpoint.h"
#include "service/webhooks/webhooks.h"

#define ODP_WEBHOOK_CHANGES     600  /* writes of an account in an hour */
#define ODP_WEBHOOK_READS       3600 /* looks: no quota counts them, and each holds the store for a moment */
#define ODP_WEBHOOK_DESCRIPTION 200  /* characters */
#define ODP_WEBHOOK_FILTER      4096 /* bytes */
#define ODP_WEBHOOK_DATASETS    50

struct odp_webhook_call { /* one call, from its key to its answer */
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    struct odp_webhooks *w;
    struct odp_caller who;
    struct odp_arena arena;
    char name[ODP_WEBHOOK_NAME]; /* of the path, well-formed; "" where it has none */
    json_t *doc;
    struct odp_webhook_act act;                            /* what is wanted, and what came of it */
    enum odp_status (*answer)(struct odp_webhook_call *x); /* said before it is committed */
};
/* An endpoint: finds out who asks, and for which subscription, then F answers. WRITES: counted against the
 * account's changes, and takes no parameters. */
enum odp_status odp_webhook_call_run(struct odp_state *s, const struct odp_call *c, struct odp_answer *a,
                                     bool writes,
                                     enum odp_status (*f)(struct odp_webhook_call *x)) ODP_MUST_USE;
/* What sends a message at once is counted against ODP_WEBHOOK_TESTS. BAD: there were too many, answered. */
enum odp_status odp_webhook_call_count(struct odp_webhook_call *x) ODP_MUST_USE;
/* x->act by F; refused, with CONFLICT (may be NULL) as the detail where it is one, or told by x->answer. */
enum odp_status odp_webhook_call_act(struct odp_webhook_call *x,
                                     enum odp_status (*f)(struct odp_webhooks *w, struct odp_webhook_act *o),
                                     const char *conflict) ODP_MUST_USE;
/* The problem of an act. Always BAD. */
enum odp_status odp_webhook_call_refuse(struct odp_webhook_call *x, enum odp_problem p, const char *conflict);
/* FIELD of the body is not there; what is wrong with it, in the caller's language: "FIELD: TEXT". Always BAD.
 */
enum odp_status odp_webhook_call_missing(struct odp_webhook_call *x, const char *field, const char *detail);
enum odp_status odp_webhook_call_invalid(struct odp_webhook_call *x, const char *field, const char *text);
/* What somebody sent, if it can be shown again. */
#define ODP_WEBHOOK_SHOWN 80
const char *odp_webhook_shown(struct odp_slice text, char out[ODP_WEBHOOK_SHOWN]);
/* Only these parameters, each once. BAD: answered. VALUES has N places, in the arena; ptr NULL: not there. */
enum odp_status odp_webhook_call_parameters(struct odp_webhook_call *x, const char *const *names,
                                            struct odp_slice *values, size_t n) ODP_MUST_USE;
enum odp_status odp_webhook_call_bad_parameter(struct odp_webhook_call *x, enum odp_problem p,
                                               const char *name, const char *detail);
/* The subscription of the path, as it is now. BAD: answered. */
enum odp_status odp_webhook_call_find(struct odp_webhook_call *x, struct odp_webhook *out) ODP_MUST_USE;

/* The members of x->doc as a change; HAVE: the subscription that is changed, NULL: a new one, for which url
 * and events are needed. All is checked, the filter against each dataset of the site of now. BAD: answered.
 */
enum odp_status odp_webhook_fields(struct odp_webhook_call *x, const struct odp_webhook *have,
                                   struct odp_webhook_change *out) ODP_MUST_USE;

/* The body is made row by row: begin, rows, end. A row is opened, its members are added, it is closed. */
void odp_webhook_body_begin(struct odp_webhook_call *x, int status);
void odp_webhook_body_open(struct odp_webhook_call *x);
void odp_webhook_body_close(struct odp_webhook_call *x);
/* "name":"text" or null; "name":time or null, of seconds (0: null) and of milliseconds. */
void odp_webhook_body_text(struct odp_webhook_call *x, const char *name, const char *text);
void odp_webhook_body_time(struct odp_webhook_call *x, const char *name, int64_t seconds);
void odp_webhook_body_ms(struct odp_webhook_call *x, const char *name, int64_t ms);
/* A member that comes next: its name. The value is the caller's to add. */
void odp_webhook_body_name(struct odp_webhook_call *x, const char *name);
/* The members of one as people see it. */
void odp_webhook_body_row(struct odp_webhook_call *x, const struct odp_webhook *h);
/* MORE: further members of the envelope, as JSON text with a comma before it, or "". OK: body and headers are
 * whole, and nothing that comes after them needs memory: it can be said before the act is committed. */
enum odp_status odp_webhook_body_end(struct odp_webhook_call *x, const char *more) ODP_MUST_USE;
/* The subscription as it is now as the only row. BAD: answered. */
enum odp_status odp_webhook_answer(struct odp_webhook_call *x) ODP_MUST_USE;
/* x->answer: the subscription as the act leaves it as the only row; with its new secret, made as 201 with its
 * address. */
enum odp_status odp_webhook_answer_changed(struct odp_webhook_call *x) ODP_MUST_USE;
enum odp_status odp_webhook_answer_secret(struct odp_webhook_call *x) ODP_MUST_USE;
enum odp_status odp_webhook_answer_made(struct odp_webhook_call *x) ODP_MUST_USE;
/* A small row of its own; consumed. OK: as body_end. */
enum odp_status odp_webhook_answer_take(struct odp_webhook_call *x, int status, json_t *row) ODP_MUST_USE;
