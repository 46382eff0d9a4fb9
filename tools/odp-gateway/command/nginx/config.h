/* The configuration of nginx as text: a pure function of its inputs, so that it can be tested as text and printed for an
 * operator's own nginx. Everything in it that comes from outside was checked by options.c or is checked by
 * nginx_config_refuses. */
#ifndef ODP_COMMAND_NGINX_CONFIG_H
#define ODP_COMMAND_NGINX_CONFIG_H

#include "base/buffer.h"
#include "command/options.h"

struct nginx_config {
    const struct serve_options *serve; /* files in it are absolute paths */
    const char *state;                 /* absolute path of the state folder */
    const char *module;                /* absolute path of the module; NULL: auth_request instead */
    const char *user;                  /* for the `user` directive, with the group; NULL: none (nginx is not started by root) */
    const char *resolver;              /* name servers as nginx writes them, or "" */
    unsigned long files;               /* how many files a process may have open */
    bool http_only;                    /* only what stands inside http { } */
};

/* The paths that go into the configuration cannot all be written in it (nginx has no way to write a '$'): the first that
 * cannot, or NULL. */
const char *nginx_config_refuses(const struct nginx_config *c);
enum odp_status nginx_config_write(struct odp_buffer *out, const struct nginx_config *c) ODP_MUST_USE;

/* Parts, in files of their own. */
void nginx_config_quoted(struct odp_buffer *b, const char *before, const char *path,
                         const char *after); /* before "path" after */
/* How large the body of a query may be (other requests of those locations have none); BUFFERED: and that it stays in memory. */
void nginx_config_body(struct odp_buffer *b, const struct nginx_config *c, bool buffered);
/* An address on the web as nginx needs it: a name is looked up while running (nginx would not start without its DNS), an IP
 * address or localhost is an upstream with kept connections. */
struct nginx_origin {
    char scheme[8], host[256], port[8], path[768]; /* path without a slash at its end; host as in the URL, with brackets */
    bool fixed;                                    /* IP address or localhost */
};
void nginx_config_origin(const char *url, struct nginx_origin *o);
void nginx_config_upstream(struct odp_buffer *b, const struct nginx_config *c, const char *name, const char *url);
/* proxy_pass to TARGET below that origin, with TLS checked; TARGET begins with '/' or is a variable. */
void nginx_config_pass(struct odp_buffer *b, const struct nginx_config *c, const char *name, const char *url,
                       const char *target);
/* What subscribers manage their webhooks by: the service's, like /auth/. */
#define NGINX_WEBHOOKS "~ ^/(?:api/)?v1/webhooks(?:/|$)"
void nginx_config_module(struct odp_buffer *b, const struct nginx_config *c);        /* locations with the module */
void nginx_config_fallback_maps(struct odp_buffer *b, const struct nginx_config *c); /* http level, without it */
void nginx_config_fallback(struct odp_buffer *b, const struct nginx_config *c);      /* locations without it */

#endif
