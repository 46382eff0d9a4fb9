/* The ports that nginx is to have. */
#pragma once

#include "command/gateway.h"

/* Each --listen can be bound; says which not, and who has it. A unix socket nobody listens on is removed. */
int nginx_check_ports(const struct gateway *g);
pid_t nginx_port_owner(unsigned port, char name[64]); /* 0: not found */
