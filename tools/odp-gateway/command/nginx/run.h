/* nginx as a program: its configuration tried and put in place. */
#pragma once

#include "command/gateway.h"

/* Writes g->config to g->conf, tested before it is moved there. The module is given up, with a loud warning,
 * when it does not fit. */
int nginx_write_config(struct gateway *g);
/* `nginx -t` on CONF; OUTPUT gets its words. 0: fine; 1: not; 2: the module does not fit; -1: could not be
 * run. */
int nginx_test(const struct gateway *g, const char *conf, struct odp_buffer *output);
