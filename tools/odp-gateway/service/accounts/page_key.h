/* The pages of a holder's key: "my key" (what it may do, what it did, and the forms to replace and revoke
 * it), and the page that shows a new one. */
#pragma once

#include "service/accounts/accounts_internal.h"

/* KEY: as it was typed, to be put into the forms. */
enum odp_status odp_page_key(struct odp_answer *a, const struct odp_caller *who,
                             const char *key) ODP_MUST_USE;
/* "Really?", with the button that revokes. */
enum odp_status odp_page_revoke(struct odp_answer *a, const struct odp_caller *who,
                                const char *key) ODP_MUST_USE;
enum odp_status odp_page_revoked(struct odp_answer *a, const struct odp_caller *who) ODP_MUST_USE;
/* What A says is wrong, and the field for a key again, with what was typed in it. */
enum odp_status odp_page_key_again(struct odp_answer *a) ODP_MUST_USE;
