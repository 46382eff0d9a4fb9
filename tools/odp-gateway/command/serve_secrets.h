/* The files of secrets that a gateway is started with. */
#pragma once

#include "command/gateway.h"

/* Files of secrets are there, the gateway's user's or root's, and closed to others. Returns an exit code and
 * has reported the fault. */
int serve_check_secrets(struct gateway *g);
