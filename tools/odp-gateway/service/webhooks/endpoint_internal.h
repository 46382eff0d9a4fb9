/* What the endpoints of /v1/webhooks share. */
#pragma once

#include "service/accounts/caller.h"
#include "service/http/endpoint.h"
#include "service/webhooks/webhooks.h"

#define ODP_WEBHOOK_CHANGES     600  /* writes of an account in an hour */
#define ODP_WEBHOOK_READS       3600 /* looks: no quota counts them, and each holds the store for a moment */
#define ODP_WEBHOOK_DESCRIPTION 200  /* characters */
#define ODP_WEBHOOK_FILTER      4096 /* bytes */
#define ODP_WEBHOOK_DATASETS    50

/* One call, from its key to its answer. Once ST is not OK nothing here does anything; BAD: answered. */
struct webhook_call {
    enum odp_status st;
    struct odp_answer *a;
    struct odp_webhooks *w;
    struct odp_caller who;
    struct odp_arena arena;
    char name[ODP_WEBHOOK_NAME]; /* of the path, well-formed; "" where it has none */
    json_t *doc;
    struct odp_webhook_act act;                        /* what is wanted, and what came of it */
    enum odp_status (*answer)(struct webhook_call *x); /* given before the act is committed */
};
/* An endpoint: finds out who calls, and for which subscription, then F answers. WRITES: counted against the
 * account's changes, and takes no parameters. */
enum odp_status webhook_call_run(struct webhook_call *x, bool writes,
                                 void (*f)(struct webhook_call *x)) ODP_MUST_USE;
/* What sends a message at once is counted against ODP_WEBHOOK_TESTS. */
void webhook_call_count(struct webhook_call *x);
/* x->act by F; refused, with CONFLICT (may be NULL) as the detail where it is one, or answered by ANSWER. */
void webhook_call_act(struct webhook_call *x,
                      enum odp_status (*f)(struct odp_webhooks *w, struct odp_webhook_act *o),
                      enum odp_status (*answer)(struct webhook_call *x), const char *conflict);
/* The problem of an act. */
void webhook_call_refuse(struct webhook_call *x, enum odp_problem p, const char *conflict);
/* FIELD of the body is missing, with DETAIL; or wrong: "FIELD: TEXT". */
void webhook_call_missing(struct webhook_call *x, const char *field, const char *detail);
void webhook_call_invalid(struct webhook_call *x, const char *field, const char *text);
/* TEXT of a caller, if it can be shown again. */
#define ODP_WEBHOOK_SHOWN 80
const char *webhook_shown(struct odp_slice text, char out[ODP_WEBHOOK_SHOWN]);
/* Only these parameters, each once. VALUES has N places, in the arena; ptr NULL: it is absent. */
void webhook_call_parameters(struct webhook_call *x, const char *const *names, struct odp_slice *values,
                             size_t n);
void webhook_call_bad_parameter(struct webhook_call *x, enum odp_problem p, const char *name,
                                const char *detail);
/* The subscription of the path, as it is now. */
void webhook_call_find(struct webhook_call *x, struct odp_webhook *out);

/* The members of x->doc as a change of HAVE; NULL: of a new subscription, which needs url and events. All is
 * checked, the filter against each dataset of the current site. */
void webhook_fields(struct webhook_call *x, const struct odp_webhook *have, struct odp_webhook_change *out);

/* ---- bodies, row by row: begin, rows, end. A row is opened, its members are added, it is closed ---- */

void webhook_body_begin(struct webhook_call *x, int status);
void webhook_body_open(struct webhook_call *x);
void webhook_body_close(struct webhook_call *x);
/* "name":"text" or null; "name":time or null, of milliseconds. */
void webhook_body_text(struct webhook_call *x, const char *name, const char *text);
void webhook_body_ms(struct webhook_call *x, const char *name, int64_t ms);
/* The name of a member; the caller adds its value. */
void webhook_body_name(struct webhook_call *x, const char *name);
/* A subscription as people see it. */
void webhook_body_row(struct webhook_call *x, const struct odp_webhook *h);
/* MORE: further members of the envelope, as JSON text with a comma before it, or "". OK: body and headers are
 * whole, and nothing after them needs memory. */
enum odp_status webhook_body_end(struct webhook_call *x, const char *more) ODP_MUST_USE;
/* The subscription as it is now as the only row. */
void webhook_answer(struct webhook_call *x);
/* x->answer: the subscription as the act leaves it; with its new secret; as 201 with its address. */
enum odp_status webhook_answer_changed(struct webhook_call *x) ODP_MUST_USE;
enum odp_status webhook_answer_secret(struct webhook_call *x) ODP_MUST_USE;
enum odp_status webhook_answer_made(struct webhook_call *x) ODP_MUST_USE;
/* A small row of its own; consumed. OK: as body_end. */
enum odp_status webhook_answer_take(struct webhook_call *x, int status, json_t *row) ODP_MUST_USE;
