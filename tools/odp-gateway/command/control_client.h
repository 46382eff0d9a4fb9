/* Administrative commands: through the control socket of a running service or, when none runs, in this
 * process (which then holds the state folder's lock). A folder of another user is worked in as that user,
 * when root asks. */
#pragma once

#include <jansson.h>

#include "command/gateway.h"

struct admin {
    struct gateway gateway;
    struct invocation *inv;
    struct odp_state state; /* in this process */
    bool open;
    char socket[128]; /* "" : no service runs */
};

/* Finds the service, or opens the state. Returns an exit code and has reported the fault; end in every case.
 */
int admin_begin(struct admin *a, struct invocation *inv);
void admin_end(struct admin *a);
/* Consumes REQUEST ({"command": …}); the rows of all pages (meta.more) in one array that the caller decrefs,
 * with EXIT_CLEAN only; a problem is said. */
int admin_rows(struct admin *a, json_t *request_take, json_t **rows);
/* One act and its rows: begin, rows, end. */
int admin_once(struct invocation *inv, json_t *request_take, json_t **rows);
