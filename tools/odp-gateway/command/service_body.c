#include <stdio.h>

#include "command/service_body.h"
#include "service/cluster/sync.h"
#include "service/server.h"
#include "service/state/log.h"

enum odp_status service_body(struct gateway *g, atomic_bool *stop, void (*ready)(void *ctx), void *ctx,
                             char why[ODP_WHY])
{
    struct odp_state s = {0};
    why[0] = '\0';
    enum odp_status status = odp_state_open(&s, &g->service, why);
    if (status != ODP_OK)
        return status;
    status = odp_state_read_site(&s, g->site_link, why);
    if (status == ODP_OK && g->service.redis != NULL)
        status = odp_sync_new(&s.sync, &s);
    if (status == ODP_OK)
        status = odp_server_run(&s, stop, ready, ctx, why);
    odp_sync_free(s.sync);
    s.sync = NULL;
    odp_state_close(&s);
    return status;
}
