/* Inside of service/accounts: whose an address is, and one-time links. All of it latches (struct odp_act). */
#pragma once

#include "service/accounts/keys_internal.h"

/* The tier that everybody may have. */
const char *odp_public_tier(const struct odp_state *s);
/* A one-time link for HOLDER; older ones for the same purpose stop working. */
void odp_token_add(struct odp_act *a, const char *purpose, int64_t holder, const char *email, int64_t term,
                   char token[64]);

/* EMAIL_REGISTERED: the address was confirmed by somebody who has a key that works, or one that was
 * suspended. */
void odp_address_check(struct odp_act *a, struct odp_slice email);
/* HOLDER has registered: of too many unconfirmed registrations of the address the oldest run out. */
void odp_address_crowded(struct odp_act *a, int64_t holder);
/* HOLDER has shown that mail to the address arrives: confirmed, and the address is no other's any more. */
void odp_address_owned(struct odp_act *a, int64_t holder);
