/* How often somebody may try something: N an hour for each (kind, subject), N of them at once at most
 * (generic cell rate algorithm, one time a subject). Memory is bounded: 65,536 subjects; in a full set the
 * one that was idle longest makes room. Subjects are kept as keyed digests, so that nobody can choose who
 * shares a place with whom, and no address lies in memory. Thread-safe. */
#pragma once

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

#define ODP_LIMIT_ENTRIES 65536u

enum odp_limit_kind {
    ODP_LIMIT_REGISTER = 1,
    ODP_LIMIT_RECOVER,
    ODP_LIMIT_RECOVER_EMAIL, /* of an address: links that recover, no matter who asks for them */
    ODP_LIMIT_FAILED,
    ODP_LIMIT_WEBHOOK_TEST,   /* of an account: what sends messages at once */
    ODP_LIMIT_WEBHOOK_CHANGE, /* of an account: what writes */
    ODP_LIMIT_WEBHOOK_MAIL,   /* of an address: messages to owners */
    ODP_LIMIT_WEBHOOK_READ,   /* of an account: what looks */
    ODP_LIMIT_WEBHOOK_HOST,   /* of a host: challenges, no matter who asks for them */
    ODP_LIMIT_CONFIRM_EMAIL /* of an address: links that confirm; who wastes them leaves those that recover */
};

struct odp_limit;
enum odp_status odp_limit_new(struct odp_limit **out) ODP_MUST_USE;
void odp_limit_free(struct odp_limit *l); /* NULL is allowed */

/* True: allowed, and counted. False: not; *RETRY gets the seconds to wait (at least 1). HOURLY <= 0: no
 * limit. */
bool odp_limit_take(struct odp_limit *l, enum odp_limit_kind kind, struct odp_slice subject, int64_t hourly,
                    int64_t now_ms, int64_t *retry);
/* The same without counting. */
bool odp_limit_look(struct odp_limit *l, enum odp_limit_kind kind, struct odp_slice subject, int64_t hourly,
                    int64_t now_ms, int64_t *retry);

/* What of a client's address counts as one: an IPv4 address (also one mapped into IPv6), the /64 of an IPv6
 * address; anything else is the one unknown client, "". Returns the length of what it writes. */
#define ODP_CLIENT_SIZE 16
size_t odp_limit_client(struct odp_slice address, char out[ODP_CLIENT_SIZE]);
