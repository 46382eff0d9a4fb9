/* The two children of `serve`: the service (a fork of this program) and nginx. They live and die with it. */
#pragma once

#include "command/gateway.h"

/* Starts both, says that it is ready, and looks after them until SIGTERM or SIGINT. g->nginx NULL: the
 * service alone. SIGHUP: the configuration is written anew and nginx reloads. SIGUSR1: logs are opened again.
 * Returns the exit code. */
int supervise(struct gateway *g);
