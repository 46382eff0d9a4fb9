/* Inside of command/nginx: the configuration, in files of their own what stands in it with the module and without it. */
#ifndef ODP_COMMAND_NGINX_CONFIG_INTERNAL_H
#define ODP_COMMAND_NGINX_CONFIG_INTERNAL_H

#include "command/nginx/config.h"

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
void nginx_config_module_maps(struct odp_buffer *b, const struct nginx_config *c);   /* and what they need before the server */
void nginx_config_fallback_maps(struct odp_buffer *b, const struct nginx_config *c); /* http level, without it */
void nginx_config_fallback(struct odp_buffer *b, const struct nginx_config *c);      /* locations without it */

#endif
