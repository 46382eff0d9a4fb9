/* The locations without odp's module: nginx asks the service about every request (auth_request) and sends the site's files by
 * itself.
 *
 * Lost against the module: about half of the requests a second, reads while the service is down, ETags and conditional requests
 * (nginx's own ETag is made of time and size, which are the same for different bytes of a reproducible site, so it is switched
 * off), .br twins, headers of deprecation and withdrawal, keys in a query parameter, per-version cache headers, usage by status
 * in /metrics. Counted is every request that was let through, also one that then ends in 404. */
#include "command/nginx_config.h"

void nginx_config_fallback_maps(struct odp_buffer *b, const struct nginx_config *c)
{
    (void)c;
    /* By the request line, since an error page has another address and method; the query, and what is percent-encoded, could
     * hold a key. */
    odp_buffer_add_str(
        b, "\n# What the log may say.\n"
           "map $request_uri $odp_uri {\n    \"~*^[^?]*(?:odp_live_|%)\" \"(masked)\";\n    \"~^(?<odp_shown>[^?]*)\" "
           "$odp_shown;\n}\n"
           "map $request $odp_method {\n    \"~^(?<odp_verb>[A-Z]+) \" $odp_verb;\n}\n"
           "map $odp_uri $odp_dataset {\n    \"~^/(?:api/)?v1/(?!index|openapi)(?<odp_slug>[a-z0-9-]+)(?:[./]|$)\" $odp_slug;\n"
           "    \"~^/data/(?<odp_slug>[a-z0-9-]+)/\" $odp_slug;\n}\n"
           "map $odp_uri $odp_format {\n    \"~^/(?:api/)?v1/\" api;\n    \"~^/data/.*\\.(?<odp_ext>[a-z]+)$\" $odp_ext;\n}\n"
           "map $odp_asked_code $odp_code {\n    default $odp_asked_code;\n}\n"
           "# nginx says the code of its own refusals by their status.\n"
           "map $status $odp_general {\n    default internal;\n    400 bad-request;\n    403 forbidden;\n    404 not-found;\n  "
           "  405 method-not-allowed;\n"
           "    413 body-too-large;\n    414 uri-too-long;\n    416 range-not-satisfiable;\n    431 headers-too-large;\n"
           "    501 not-implemented;\n    502 unavailable;\n    503 unavailable;\n    504 unavailable;\n}\n");
}

#define COMMON_HEADERS                                                                                                         \
    "        add_header Access-Control-Allow-Origin * always;\n"                                                               \
    "        add_header Access-Control-Expose-Headers \"RateLimit, RateLimit-Policy, Retry-After, Link\" always;\n"            \
    "        add_header X-Content-Type-Options nosniff always;\n        add_header Last-Modified \"\";\n"

#define METHODS                                                                                                                \
    "        if ($request_method = OPTIONS) {\n            add_header Access-Control-Allow-Origin *;\n"                        \
    "            add_header Access-Control-Allow-Methods \"GET, HEAD, OPTIONS\";\n"                                            \
    "            add_header Access-Control-Allow-Headers \"Authorization, Content-Type\";\n"                                   \
    "            add_header Access-Control-Max-Age 86400;\n            add_header Allow \"GET, HEAD, OPTIONS\";\n"             \
    "            return 204;\n        }\n"                                                                                     \
    "        if ($request_method !~ \"^(?:GET|HEAD)$\") {\n            return 405;\n        }\n"

#define FILES "        gzip_static on;\n        etag off;\n        if_modified_since off;\n"

/* Asked about every request below /v1/; the service itself knows which addresses are open. */
#define ASKED                                                                                                                  \
    "        auth_request /.odp/auth;\n        auth_request_set $odp_key $upstream_http_x_odp_key;\n"                          \
    "        auth_request_set $odp_tier $upstream_http_x_odp_tier;\n"                                                          \
    "        auth_request_set $odp_asked_code $upstream_http_x_odp_code;\n"                                                    \
    "        auth_request_set $odp_retry $upstream_http_retry_after;\n"                                                        \
    "        auth_request_set $odp_limit $upstream_http_ratelimit;\n"                                                          \
    "        auth_request_set $odp_policy $upstream_http_ratelimit_policy;\n"                                                  \
    "        add_header RateLimit $odp_limit;\n        add_header RateLimit-Policy $odp_policy;\n"                             \
    "        add_header Cache-Control \"private, max-age=60\";\n        add_header Vary \"Accept-Encoding, Authorization\";\n" \
    "        error_page 401 403 = /.odp/refused;\n"                                                                            \
    "        error_page 400 404 405 413 414 416 431 500 501 502 503 504 /.odp/general;\n"

static void add_problems(struct odp_buffer *b)
{
    odp_buffer_add_str(
        b,
        "\n    error_page 400 403 404 405 413 414 416 431 500 501 502 503 504 /.odp/general;\n"
        "    error_page 494 =431 /.odp/general;\n"
        "    recursive_error_pages on;\n"
        "    location = /.odp/auth {\n        internal;\n        proxy_pass http://odp_service/forward-auth;\n"
        "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
        "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
        "        proxy_set_header X-Original-URI $request_uri;\n        proxy_set_header X-Original-Method $request_method;\n"
        "        proxy_set_header X-Forwarded-Uri \"\";\n        proxy_set_header X-Forwarded-Method \"\";\n"
        "        proxy_set_header X-Odp-Client $remote_addr;\n        proxy_set_header X-Odp-Client-Kind nginx;\n"
        "        proxy_connect_timeout 2s;\n        proxy_read_timeout 5s;\n    }\n");
    odp_buffer_add_str(
        b, "    # auth_request knows 401 and 403 only; the service makes of them what it meant.\n"
           "    location = /.odp/refused {\n        internal;\n        proxy_pass http://odp_service/problem;\n"
           "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
           "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
           "        proxy_set_header Authorization \"\";\n        proxy_set_header X-Odp-Code $odp_asked_code;\n"
           "        proxy_set_header X-Odp-Retry-After $odp_retry;\n        proxy_set_header X-Odp-RateLimit $odp_limit;\n"
           "        proxy_set_header X-Odp-RateLimit-Policy $odp_policy;\n"
           "        proxy_hide_header WWW-Authenticate;\n" /* auth_request passes it on already */
           "        error_page 500 502 503 504 =503 @odp_down;\n    }\n");
    odp_buffer_add_str(
        b, "    location = /.odp/general {\n        internal;\n        proxy_pass http://odp_service/problem;\n"
           "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
           "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
           "        proxy_set_header Authorization \"\";\n        proxy_set_header X-Odp-Code $odp_general;\n"
           "        proxy_set_header X-Odp-Retry-After \"\";\n        proxy_set_header X-Odp-RateLimit \"\";\n"
           "        proxy_set_header X-Odp-RateLimit-Policy \"\";\n"
           "        error_page 500 502 503 504 =503 @odp_down;\n    }\n");
    odp_buffer_add_str(
        b,
        "    location @odp_down {\n        default_type application/problem+json;\n        add_header Retry-After 5 always;\n"
        "        add_header Cache-Control no-store always;\n        add_header Access-Control-Allow-Origin * always;\n"
        "        return 503 '{\"type\":\"about:blank\",\"title\":\"Sementara tidak "
        "tersedia\",\"status\":503,\"code\":\"unavailable\"}';\n"
        "    }\n");
}

static void add_auth(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b, "\n    location /auth/ {\n");
    if (c->serve->writer != NULL) {
        nginx_config_pass(b, c, "odp_writer", c->serve->writer, "$request_uri");
        odp_buffer_add_str(
            b, "        proxy_set_header X-Odp-Client \"\";\n        proxy_set_header X-Forwarded-For $remote_addr;\n");
    } else {
        odp_buffer_add_str(
            b, "        proxy_pass http://odp_service;\n        proxy_set_header Host $host;\n"
               "        proxy_set_header X-Odp-Client $remote_addr;\n        proxy_set_header X-Forwarded-For \"\";\n");
    }
    odp_buffer_add_str(
        b,
        "        proxy_http_version 1.1;\n        proxy_set_header Connection close;\n        proxy_set_header Cookie \"\";\n"
        "        proxy_set_header X-Odp-Actor \"\";\n"
        "        proxy_connect_timeout 3s;\n        proxy_read_timeout 20s;\n        proxy_send_timeout 10s;\n"
        "        proxy_next_upstream off;\n        error_page 413 /.odp/general;\n        error_page 500 502 503 504 =503 "
        "@odp_down;\n    }\n");
}

void nginx_config_fallback(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_printf(b, "\n    root \"%s/site\";\n\n", c->state);
    add_problems(b);
    add_auth(b, c);
    odp_buffer_add_str(b, "\n    # The gateway's own files, and what begins with a dot, are nobody's.\n"
                          "    location ~ ^/(?:control|gateway\\.json|search)(?:[./]|$) {\n        return 404;\n    }\n"
                          "    location ~ /\\.(?!well-known/) {\n        return 404;\n    }\n");
    odp_buffer_add_str(b, "    location ~ ^/(?:api/)?v1/?$ {\n" METHODS ASKED COMMON_HEADERS FILES
                          "        try_files /v1/index.json =404;\n    }\n");
    odp_buffer_add_str(b, "    location ~ ^/(?:api/)?v1/(?<odp_rest>.+)$ {\n" METHODS ASKED COMMON_HEADERS FILES
                          "        try_files /v1/$odp_rest.json /v1/$odp_rest =404;\n    }\n");
    odp_buffer_add_str(b,
                       "    location / {\n" METHODS COMMON_HEADERS FILES
                       "        add_header Cache-Control \"public, max-age=300\";\n        add_header Vary Accept-Encoding;\n"
                       "        index index.html;\n        try_files $uri $uri/index.html =404;\n    }\n");
}
