/* What the store has sealed of a subscription: its address and its secrets. The name is part of what is authenticated, so a
 * value cannot be moved to another one. */
#include <stdio.h>

#include "service/webhooks/webhooks_internal.h"

static bool context_of(char out[64], const char *what, const char *name)
{
    int n = snprintf(out, 64, "%s %s", what, name);
    return n > 0 && n < 64;
}

enum odp_status odp_webhook_seal(struct odp_webhooks *w, const char *what, const char *name, struct odp_slice clear,
                                 struct odp_buffer *sealed)
{
    char context[64];
    if (w->seal == NULL)
        return ODP_BAD;
    if (!context_of(context, what, name))
        return odp_failure_set("seal", NULL, 0);
    return odp_seal_wrap(w->seal, context, clear, sealed);
}

enum odp_status odp_webhook_unseal(struct odp_webhooks *w, const char *what, const char *name, const void *sealed, int n,
                                   struct odp_buffer *clear)
{
    char context[64];
    if (w->seal == NULL || sealed == NULL || n <= 0)
        return ODP_BAD;
    if (!context_of(context, what, name))
        return odp_failure_set("unseal", NULL, 0);
    return odp_seal_unwrap(w->seal, context, (struct odp_slice){sealed, (size_t)n}, clear);
}
