/* The configuration of nginx as text: a pure function of its inputs, so that it can be tested as text and
 * printed for an operator's own nginx. Everything in it that comes from outside was checked by values.c or is
 * checked by nginx_config_refuses. */
#pragma once

#include "base/buffer.h"
#include "command/invocation.h"

struct nginx_config {
    const struct serve_options *serve; /* files in it are absolute paths */
    const char *state;                 /* absolute path of the state folder */
    const char *module;                /* absolute path of the module; NULL: auth_request instead */
    const char
        *user; /* for the `user` directive, with the group; NULL: none (nginx is not started by root) */
    const char *resolver; /* name servers as nginx writes them, or "" */
    unsigned long files;  /* how many files a process may have open */
    bool http_only;       /* only the inside of http { } */
};

/* The paths that go into the configuration cannot all be written in it (nginx has no way to write a '$'): the
 * first that cannot, or NULL. */
const char *nginx_config_refuses(const struct nginx_config *c);
enum odp_status nginx_config_write(struct odp_buffer *out, const struct nginx_config *c) ODP_MUST_USE;
