/* How administrative commands come to the webhooks.
 *
 * A running service has them. A command that opened the state by itself, and a service with --no-webhooks, have only the store and
 * the key file: enough to look, to pause and to delete, not to send. */
#ifndef ODP_SERVICE_ADMIN_WEBHOOKS_H
#define ODP_SERVICE_ADMIN_WEBHOOKS_H

#include "service/admin/admin_internal.h"
#include "service/http/web.h"
#include "service/webhooks/webhooks_internal.h"

struct odp_admin_webhooks {
    struct odp_webhooks *w;         /* the service's, or &own */
    struct odp_webhooks own;        /* without sender and threads; seal NULL: its key file is not there, or not usable */
    char key[ODP_PATH_MAX];         /* the key file's path */
    char key_wrong[ODP_SEAL_WHY];   /* of OWN: why it cannot be used; "": it can */
};
/* Close in every case. BAD: answered (a replica; or, SENDS, nobody here sends). The key file is never made here. */
enum odp_status odp_admin_webhooks_open(struct odp_admin *x, struct odp_admin_webhooks *h, bool sends) ODP_MUST_USE;
void odp_admin_webhooks_close(struct odp_admin_webhooks *h);

/* A command: F has the webhooks for its time, and an arena. SENDS as in open. */
typedef enum odp_status odp_admin_webhooks_act(struct odp_admin *x, struct odp_webhooks *w, struct odp_arena *a);
enum odp_status odp_admin_webhooks_run(struct odp_admin *x, bool sends, odp_admin_webhooks_act *f) ODP_MUST_USE;
/* The one that argument "id" names. */
enum odp_status odp_admin_webhooks_find(struct odp_admin *x, struct odp_webhooks *w, struct odp_webhook *v,
                                        struct odp_arena *a) ODP_MUST_USE;
/* The row that lists have of it. The mutex is held. */
enum odp_status odp_admin_webhooks_add(struct odp_admin *x, const struct odp_webhook *v) ODP_MUST_USE;

/* Rows "webhooks" and "webhook-key" of check; COPY is the store. */
enum odp_status odp_admin_check_webhooks(struct odp_admin *x, sqlite3 *copy) ODP_MUST_USE;

#endif
