/* Where nginx is on this machine, and the module; which name servers it asks. */
#pragma once

#include "base/arena.h"

/* The program: --nginx, PATH, /usr/sbin … */
const char *nginx_find(struct odp_arena *a, const char *named);
/* The module: --module, next to this program, nginx's folders of modules. */
const char *nginx_find_module(struct odp_arena *a, const char *named);
/* Name servers of /etc/resolv.conf, or ""; NULL: out of memory. */
const char *nginx_resolver(struct odp_arena *a);
