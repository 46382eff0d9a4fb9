/* A call at the query door: endpoint.c makes a query of it, answer.c answers it. */
#pragma once

#include "service/http/endpoint.h"
#include "service/queries/address.h"
#include "service/queries/queries.h"

struct queries_request {
    struct odp_state *s;
    const struct odp_call *c;
    struct odp_answer *a;
    struct odp_queries *q;
    struct odp_arena arena;
    struct odp_query_site *site;
    const struct odp_query_resource *r;
    struct odp_query_address address;
    struct odp_query_params params;
    struct odp_query_lease lease;
    struct odp_query_call call;
    struct odp_query *query;
    json_t *body;
    struct odp_slice cursor;
    uint8_t secret[ODP_SECRET_BYTES],
        opens[ODP_SECRET_BYTES];  /* what signs cursors now; what CURSOR was signed with */
    bool post, keyed;             /* keyed: a key is in the address */
    bool varies;                  /* the form is Accept's */
    uint8_t key[ODP_SHA256_SIZE]; /* of the answer, in the cache */
    char etag[ODP_QUERY_ETAG + 3];
};

/* Where a problem is; PARAMETER, POINTER may be NULL, POSITION 0. */
struct queries_place {
    const char *parameter, *pointer;
    uint32_t position, length;
};
#define QUERIES_AT(name) ((struct queries_place){.parameter = (name)})
/* Answers with problem P as the engine's faults are told; DETAIL may be NULL. */
void queries_refuse(struct queries_request *x, enum odp_problem p, struct queries_place at,
                    const char *detail);
void queries_refuse_fault(struct queries_request *x, const struct odp_query_fault *f);
/* Whether LINK fits a header: nothing ends or breaks it, and it is not too long for nginx. */
bool queries_link_ok(const char *link);

/* Tag, conditions, memory, share, run: fills the answer. BAD: it is a problem. */
enum odp_status queries_answer(struct queries_request *x) ODP_MUST_USE;
