/* The ports that nginx is to have. */
#pragma once

#include "command/gateway.h"

/* Checks that each --listen can be bound; says which not, and which process has it. Removes a dead unix
 * socket. */
int nginx_check_ports(const struct gateway *g);
