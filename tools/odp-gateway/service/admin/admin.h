/* What operators do, by the command line: through the control socket, or in a command's own process. */
#pragma once

#include <jansson.h>

#include "service/state/state.h"

/* Administrative commands: {"command":"keys.suspend","key":"odp_live_Ab3dE",…} ->
 * {"data":[…],"status":"success"} or a problem object with "status" a number. The control socket carries
 * them; a command runs them itself when no service runs. admin.def lists them. */
enum odp_status odp_admin_run(struct odp_state *s, const json_t *request, const char *actor, int64_t now,
                              json_t **reply) ODP_MUST_USE;
/* WRITE gets the reply before what it tells of is committed: where it fails nothing has happened. It may be
 * called again: what it wrote last counts, and where the run fails nothing of it does. */
struct odp_admin_writing {
    enum odp_status (*write)(void *ctx, const json_t *reply);
    void *ctx;
};
enum odp_status odp_admin_run_writing(struct odp_state *s, const json_t *request, const char *actor,
                                      int64_t now, const struct odp_admin_writing *writing,
                                      json_t **reply) ODP_MUST_USE;
