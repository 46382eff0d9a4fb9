/* The locations with odp's module: it checks, counts and sends; nginx proxies /auth/ and, if asked for, the files. */
#include "command/nginx/config_internal.h"

#include <arpa/inet.h>
#include <stdio.h>

/* Statuses of which nginx, or the module, or the origin, may make a page of its own. */
#define PROBLEM_STATUSES "400 401 403 404 405 406 408 409 410 411 412 413 414 415 416 429 431 500 501"

/* Headers by which a server behind us is told what only we may say. */
#define CLEARED                                                                                                                \
    "        proxy_set_header X-Original-URI \"\";\n        proxy_set_header X-Original-Method \"\";\n"                        \
    "        proxy_set_header X-Forwarded-Uri \"\";\n        proxy_set_header X-Forwarded-Method \"\";\n"                      \
    "        proxy_set_header X-Odp-Client-Kind \"\";\n        proxy_set_header X-Odp-Code \"\";\n"                            \
    "        proxy_set_header X-Odp-Actor \"\";\n        proxy_set_header Cookie \"\";\n        proxy_set_header Connection "  \
    "\"\";\n"                                                                                                                  \
    "        proxy_set_header Upgrade \"\";\n        proxy_set_header Forwarded \"\";\n"

static void add_auth_common(struct odp_buffer *b)
{
    odp_buffer_add_str(
        b, "        proxy_http_version 1.1;\n" CLEARED
           "        proxy_connect_timeout 3s;\n        proxy_read_timeout 20s;\n        proxy_send_timeout 10s;\n"
           "        proxy_next_upstream off;\n        proxy_hide_header Server;\n"
           "        error_page " PROBLEM_STATUSES " /.odp/problem;\n        error_page 502 503 504 =503 /.odp/unavailable;\n");
}

static void add_local_auth(struct odp_buffer *b, const char *location)
{
    odp_buffer_printf(b, "\n    location %s {\n        proxy_pass http://odp_service;\n", location);
    odp_buffer_add_str(b, "        proxy_set_header Host $host;\n        proxy_set_header X-Odp-Client $remote_addr;\n"
                          "        proxy_set_header X-Forwarded-For \"\";\n");
    add_auth_common(b);
    odp_buffer_add_str(b, "    }\n");
}

static void add_writers(struct odp_buffer *b, const struct nginx_config *c, const char *location)
{
    odp_buffer_printf(b, "\n    location %s {\n", location);
    nginx_config_pass(b, c, "odp_writer", c->serve->writer, "$request_uri");
    /* The writer believes X-Forwarded-For of those that it has as --trusted-proxy. */
    odp_buffer_add_str(b,
                       "        proxy_set_header X-Odp-Client \"\";\n        proxy_set_header X-Forwarded-For $remote_addr;\n");
    add_auth_common(b);
    odp_buffer_add_str(b, "    }\n");
}

/* Keys and webhooks are managed with the service; a key whose quota is spent may, too, so the module is not asked. */
static void add_auth(struct odp_buffer *b, const struct nginx_config *c)
{
    if (c->serve->writer == NULL) {
        add_local_auth(b, "/auth/");
        add_local_auth(b, NGINX_WEBHOOKS);
        return;
    }
    add_local_auth(b, "= /auth/tiers"); /* what every machine knows by itself */
    add_writers(b, c, "/auth/");
    add_writers(b, c, NGINX_WEBHOOKS);
}

/* $odp_path is the file of the site, twin included. The caller's key stays here; what the origin says of the file besides its
 * bytes is replaced by what the site's control file says. */
static void add_proxy(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b, "\n    location / {\n        odp on;\n        odp_content control;\n");
    nginx_config_pass(b, c, "odp_origin", c->serve->content.text + strlen("proxy="), "/$odp_path");
    odp_buffer_add_str(
        b,
        "        proxy_http_version 1.1;\n" CLEARED
        "        proxy_set_header Authorization \"\";\n        proxy_set_header Accept-Encoding \"\";\n"
        "        proxy_set_header X-Odp-Client \"\";\n        proxy_set_header X-Forwarded-For \"\";\n"
        "        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
        "        proxy_cache odp_files;\n        proxy_cache_key \"$odp_path $odp_etag\";\n        proxy_cache_valid 200 1m;\n"
        "        proxy_cache_lock on;\n        proxy_cache_revalidate on;\n"
        "        proxy_cache_use_stale error timeout invalid_header updating http_500 http_502 http_503 http_504;\n"
        "        proxy_cache_background_update on;\n        proxy_force_ranges on;\n"
        "        proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Redirect X-Accel-Expires "
        "X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset;\n"
        "        proxy_hide_header Set-Cookie;\n        proxy_hide_header Server;\n        proxy_hide_header "
        "Content-Encoding;\n"
        "        proxy_hide_header Cache-Control;\n        proxy_hide_header Expires;\n        proxy_hide_header ETag;\n"
        "        proxy_hide_header Last-Modified;\n        proxy_hide_header Vary;\n        proxy_hide_header Content-Type;\n"
        "        proxy_hide_header Access-Control-Allow-Origin;\n"
        "        proxy_connect_timeout 3s;\n        proxy_read_timeout 30s;\n        proxy_next_upstream_tries 2;\n"
        "        proxy_intercept_errors on;\n");
    nginx_config_body(b, c, false);
    odp_buffer_add_str(b, "    }\n");
}

static void add_redirect(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b, "\n    location / {\n        odp on;\n        odp_content redirect;\n        odp_redirect ");
    for (const char *p = c->serve->content.text + strlen("redirect="); *p != '\0'; p++)
        odp_buffer_add_char(b, *p == ',' ? ' ' : *p);
    odp_buffer_add_str(b, ";\n");
    nginx_config_body(b, c, false);
    odp_buffer_add_str(b, "    }\n");
}

/* What the module sends on by odp_query: this machine's service answers, whatever the content mode and the role. The address is
 * the module's, without a key; a stale kept connection is no reason to fail, also after a POST, since queries change nothing.
 */
static void add_query(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(
        b, "\n    location @odp_query {\n        odp on;\n        proxy_pass http://odp_query$odp_query_uri;\n"
           "        proxy_http_version 1.1;\n        proxy_set_header Host $host;\n" CLEARED
           "        proxy_set_header Authorization \"\";\n        proxy_set_header Accept-Encoding \"\";\n"
           "        proxy_set_header Range \"\";\n        proxy_set_header If-Range \"\";\n"
           "        proxy_set_header X-Odp-Client $remote_addr;\n        proxy_set_header X-Forwarded-For \"\";\n"
           "        proxy_set_header X-Odp-Account $odp_account;\n        proxy_set_header X-Odp-Tier $odp_tier;\n"
           "        proxy_set_header X-Odp-Origin $odp_origin;\n");
    nginx_config_body(b, c, true);
    odp_buffer_add_str(b,
                       "        proxy_buffer_size 16k;\n        proxy_buffers 16 32k;\n        proxy_busy_buffers_size 64k;\n"
                       "        proxy_connect_timeout 3s;\n        proxy_send_timeout 10s;\n        proxy_read_timeout 30s;\n"
                       "        proxy_next_upstream error non_idempotent;\n        proxy_hide_header Server;\n"
                       "        error_page " PROBLEM_STATUSES
                       " /.odp/problem;\n        error_page 502 503 504 =503 /.odp/problem;\n    }\n");
}

/* Host and scheme as a proxy that is trusted says them, or as they are. */
void nginx_config_module_maps(struct odp_buffer *b, const struct nginx_config *c)
{
    if (c->serve->trusted.n == 0)
        return;
    odp_buffer_add_str(b, "\ngeo $realip_remote_addr $odp_trusted {\n    default 0;\n");
    for (size_t i = 0; i < c->serve->trusted.n; i++)
        odp_buffer_printf(b, "    %s 1;\n", strcmp(c->serve->trusted.item[i], "unix:") == 0 ? "255.255.255.255" : c->serve->trusted.item[i]);
    odp_buffer_add_str(b, "}\nmap \"$odp_trusted $http_x_forwarded_proto\" $odp_scheme {\n    default $scheme;\n    \"1 https\" https;\n    "
                          "\"1 http\" http;\n}\n"
                          "map \"$odp_trusted $http_x_forwarded_host\" $odp_host {\n    default $http_host;\n    "
                          "\"~^1 (?<odp_forwarded_host>[A-Za-z0-9._:\\[\\]-]+)$\" $odp_forwarded_host;\n}\n");
}

static void add_origin(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b, c->serve->trusted.n > 0 ? "    odp_origin $odp_scheme://$odp_host" : "    odp_origin $scheme://$http_host");
    for (size_t i = 0; i < c->serve->hosts.n; i++)
        odp_buffer_printf(b, " %s", c->serve->hosts.item[i]);
    odp_buffer_add_str(b, ";\n");
}

void nginx_config_module(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_printf(b, "\n    odp_site \"%s/site\";\n    odp_table \"%s/keys.table\";\n    odp_meter \"%s/meter.table\";\n",
                      c->state, c->state, c->state);
    odp_buffer_printf(b, "    odp_query_key %s;\n    odp_query @odp_query;\n", c->serve->query_key);
    add_origin(b, c);
    odp_buffer_add_str(b, "\n    error_page " PROBLEM_STATUSES " 502 503 504 /.odp/problem;\n"
                          "    error_page 494 =431 /.odp/problem;\n    error_page 495 496 497 505 =400 /.odp/problem;\n"
                          "    # What is refused keeps its status, however long its body: nobody reads that here.\n"
                          "    location = /.odp/problem {\n        internal;\n        client_max_body_size 0;\n        odp_problem;\n    }\n"
                          "    location = /.odp/unavailable {\n        internal;\n        client_max_body_size 0;\n        odp_problem;\n"
                          "        add_header Retry-After 5 always;\n    }\n");
    add_auth(b, c);
    add_query(b, c);
    if (c->serve->content.mode == CONTENT_PROXY)
        add_proxy(b, c);
    else if (c->serve->content.mode == CONTENT_REDIRECT)
        add_redirect(b, c);
    else {
        odp_buffer_add_str(b, "\n    location / {\n        odp on;\n        odp_content local;\n");
        nginx_config_body(b, c, false);
        odp_buffer_add_str(b, "    }\n");
    }
}
