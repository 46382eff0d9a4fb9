/* The files of secrets that a gateway is started with. */
#ifndef ODP_GATEWAY_COMMAND_SERVE_SECRETS_H
#define ODP_GATEWAY_COMMAND_SERVE_SECRETS_H

#include "command/gateway.h"

/* Files of secrets are there, the gateway's user's or root's, and closed to others. Returns an exit code and has said why. */
int serve_check_secrets(struct gateway *g);

#endif
