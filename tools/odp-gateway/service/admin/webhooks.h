/* How administrative commands come to the webhooks.
 *
 * A running service has them. A command that opened the state by itself, and a service with --no-webhooks,
 * have only the store and the key file: enough to look, to pause and to delete, not to send. */
#pragma once

#include "service/admin/admin_internal.h"
#include "service/http/web.h"

struct odp_admin_webhooks {
    struct odp_webhooks *w; /* the service's, or &own */
    struct odp_webhooks
        own; /* without sender and threads; seal NULL: its key file is not there, or not usable */
    char key[ODP_PATH_MAX];       /* the key file's path */
    char key_wrong[ODP_SEAL_WHY]; /* of OWN: why it cannot be used; "": it can */
};
/* Close in every case. BAD: answered (SENDS: nobody here sends). The key file is never made here. */
enum odp_status odp_admin_webhooks_open(struct odp_admin *x, struct odp_admin_webhooks *h,
                                        bool sends) ODP_MUST_USE;
void odp_admin_webhooks_close(struct odp_admin_webhooks *h);
