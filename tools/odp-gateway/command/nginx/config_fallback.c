/* The locations without odp's module: nginx asks the service about every request (auth_request) and sends the site's files by
 * itself.
 *
 * Lost against the module: about half of the requests a second, reads while the service is down, ETags and conditional requests
 * (nginx's own ETag is made of time and size, which are the same for different bytes of a reproducible site, so it is switched
 * off), .br twins, headers of deprecation and withdrawal, keys in a query parameter, per-version cache headers, usage by status
 * in /metrics. Counted is every request that was let through, also one that then ends in 404, 304 or 5xx. Queries go to the
 * query engine as with the module, but for keys in a parameter; a parameter that an OGC document does not have is passed over.
 */
#include "command/nginx/config_internal.h"

#include "core/page.h"

#define NAME "[^/]+(?:/[^/]+)?" /* a dataset, or a resource of it */

/* As core/control/ask.c tells them: what the query engine answers, and which form of an OGC document is wanted. */
static void add_query_maps(struct odp_buffer *b)
{
    odp_buffer_add_str(
        b, "\n# What the query engine answers: \"search\", where POST is allowed too, or \"query\".\n"
           "map \"$uri$is_args\" $odp_engine {\n    default \"\";\n"
           "    \"~^/(?:api/)?v1/ogc/collections/[^/]+/items(?:/.+|\\??$)\" query;\n"
           "    \"~^/(?:api/)?v1/(?:ogc|index(?:\\.json)?|openapi(?:\\.json)?)(?:[/?]|$)\" \"\";\n"
           "    \"~^/(?:api/)?v1/" NAME "/id/.\" query;\n"
           "    \"~^/(?:api/)?v1/[^/]+/(?:v|p)/\" \"\";\n"
           "    \"~^/(?:api/)?v1/" NAME "/search(?:\\.(?:json|geojson|csv|html))?\\??$\" search;\n"
           "    \"~^/(?:api/)?v1/" NAME "(?:\\.(?:geojson|csv|html)\\??|\\?)$\" query;\n}\n"
           "map $odp_kind $odp_methods {\n    default \"GET, HEAD, OPTIONS\";\n    search \"GET, HEAD, POST, OPTIONS\";\n}\n"
           "map \"$request_method $odp_kind\" $odp_other {\n    default 1;\n    \"~^(?:GET|HEAD) \" 0;\n    \"POST search\" "
           "0;\n}\n");
    odp_buffer_add_str(
        b, "# The form of an OGC document.\n"
           "map \"$arg_f $http_accept\" $odp_page {\n    default \"\";\n    \"~^html \" html;\n    \"~^ text/html\" html;\n}\n"
           "map \"$odp_page $http_accept_language\" $odp_form {\n    default .json;\n    \"~*^html en\" .en.html;\n    "
           "\"~^html \" "
           ".html;\n}\n"
           "map $odp_page $odp_form_else {\n    default .json;\n    html .html;\n}\n");
}

/* As core/page.c and core/control/ask.c tell them: pages of the portal, and what browsers get where there is nothing. A
 * header that is empty is not sent. */
static void add_page_maps(struct odp_buffer *b)
{
    odp_buffer_add_str(
        b, "\n# Headers of HTML, and of no other files.\nmap $sent_http_content_type $odp_html {\n    default \"\";\n    "
           "\"~*^text/html\" 1;\n}\n");
    for (size_t i = 0; i < ODP_PAGE_HEADERS; i++)
        odp_buffer_printf(b, "map $odp_html $odp_html_%zu {\n    default \"\";\n    1 \"%s\";\n}\n", i,
                          odp_page_headers[i].value);
    odp_buffer_add_str(b, "map $uri $odp_caching {\n    default \"public, max-age=300\";\n    \"~^/assets/\" \"public, "
                          "max-age=31536000, immutable\";\n"
                          "    \"~^/packages/[^/]+/\" \"public, max-age=31536000, immutable\";\n}\n"
                          "# A folder without the slash at its end: to where, relative to itself.\n"
                          "map $uri $odp_folder {\n    default \"\";\n    \"~/(?<odp_last>[A-Za-z0-9._-]+)$\" "
                          "\"./$odp_last/$is_args$args\";\n}\n");
    odp_buffer_printf(b, "map $http_accept_language $odp_explained {\n    default \"/%s\";\n    \"~*^en\" \"/%s\";\n}\n",
                      odp_page_errors(ODP_LANG_ID), odp_page_errors(ODP_LANG_EN));
    odp_buffer_printf(b,
                      "# The page for what is not there, for browsers; not below /v1, /api, /auth.\n"
                      "map \"$http_accept_language $request_uri\" $odp_lost_page {\n    default \"/%s\";\n    \"~ "
                      "/(?:v1|api|auth)(?:[/?]|$)\" \"\";\n"
                      "    \"~ /en(?:[/?]|$)\" \"/%s\";\n    \"~*^en\" \"/%s\";\n}\n",
                      odp_page_not_found(ODP_LANG_ID), odp_page_not_found(ODP_LANG_EN), odp_page_not_found(ODP_LANG_EN));
    odp_buffer_add_str(b, "map \"$status $request_method $http_accept\" $odp_lost {\n    default \"\";\n"
                          "    \"~*^404 (?:GET|HEAD) .*text/html *;(?:[^,]*;)? *q=0(?:\\.0*)? *(?:[,;]|$)\" \"\";\n"
                          "    \"~*^404 (?:GET|HEAD) .*application/json(?!.*text/html(?! *;))\" \"\";\n"
                          "    \"~*^404 (?:GET|HEAD) .*text/html\" $odp_lost_page;\n}\n");
}

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
           "map $odp_uri $odp_dataset {\n    "
           "\"~^/(?:api/)?v1/(?!index|openapi|(?:events|webhooks)(?:[./]|$))(?<odp_slug>[a-z0-9-]+)(?:[./]|$)\" $odp_slug;\n"
           "    \"~^/data/(?<odp_slug>[a-z0-9-]+)/\" $odp_slug;\n}\n"
           "map $odp_uri $odp_format {\n    \"~^/(?:api/)?v1/\" api;\n    \"~^/data/.*\\.(?<odp_ext>[a-z]+)$\" $odp_ext;\n}\n"
           "map $odp_asked_code $odp_code {\n    default $odp_asked_code;\n}\n"
           "# nginx says the code of its own refusals by their status; a head that is too large has none here, so that\n"
           "# the answer's own is told, with its phrase, which nginx lacks.\n"
           "map $status $odp_general {\n    default internal;\n    000 headers-too-large;\n    400 bad-request;\n    403 forbidden;\n    404 not-found;\n  "
           "  405 method-not-allowed;\n"
           "    413 body-too-large;\n    414 uri-too-long;\n    416 range-not-satisfiable;\n"
           "    501 not-implemented;\n    502 unavailable;\n    503 unavailable;\n    504 unavailable;\n}\n");
    add_query_maps(b);
    add_page_maps(b);
}

/* In the order of odp_page_headers. */
#define PAGE_HEADERS                                                                                                           \
    "        add_header Content-Security-Policy $odp_html_0 always;\n"                                                         \
    "        add_header Cross-Origin-Opener-Policy $odp_html_1 always;\n"                                                      \
    "        add_header Permissions-Policy $odp_html_2 always;\n        add_header Referrer-Policy $odp_html_3 always;\n"

#define COMMON_HEADERS                                                                                                         \
    "        add_header Access-Control-Allow-Origin * always;\n"                                                               \
    "        add_header Access-Control-Expose-Headers \"RateLimit, RateLimit-Policy, Retry-After, Link\" always;\n"            \
    "        add_header X-Content-Type-Options nosniff always;\n        add_header Last-Modified \"\";\n" PAGE_HEADERS

#define METHODS                                                                                                                \
    "        if ($request_method = OPTIONS) {\n            add_header Access-Control-Allow-Origin *;\n"                        \
    "            add_header Access-Control-Allow-Methods \"GET, HEAD, OPTIONS\";\n"                                            \
    "            add_header Access-Control-Allow-Headers \"" ODP_CORS_HEADERS "\";\n"                                         \
    "            add_header Access-Control-Max-Age 86400;\n            add_header Allow \"GET, HEAD, OPTIONS\";\n"             \
    "            return 204;\n        }\n"                                                                                     \
    "        if ($request_method !~ \"^(?:GET|HEAD)$\") {\n            return 405;\n        }\n"

/* Of an answer of the query engine, which has its own Vary, Cache-Control and ETag. */
#define QUERY_HEADERS                                                                                                          \
    "        add_header Access-Control-Allow-Origin * always;\n"                                                               \
    "        add_header Access-Control-Expose-Headers \"ETag, Link, RateLimit, RateLimit-Policy, Retry-After, "                   \
    "OGC-NumberMatched, OGC-NumberReturned\" always;\n"                                                                       \
    "        add_header X-Content-Type-Options nosniff always;\n" LIMITS(" always")
#define FILES "        gzip_static on;\n        etag off;\n        if_modified_since off;\n"

/* Asked about every request below /v1/; the service itself knows which addresses are open. */
#define ASKED                                                                                                                  \
    ASKED_KEY LIMITS("") "        add_header Cache-Control \"private, max-age=60\";\n"                                         \
                         "        add_header Vary \"Accept-Encoding, Authorization\";\n"
#define LIMITS(always)                                                                                                         \
    "        add_header RateLimit $odp_limit" always ";\n        add_header RateLimit-Policy $odp_policy" always ";\n"
#define ASKED_KEY                                                                                                              \
    "        auth_request /.odp/auth;\n        auth_request_set $odp_key $upstream_http_x_odp_key;\n"                          \
    "        auth_request_set $odp_tier $upstream_http_x_odp_tier;\n"                                                          \
    "        auth_request_set $odp_asked_code $upstream_http_x_odp_code;\n"                                                    \
    "        auth_request_set $odp_retry $upstream_http_retry_after;\n"                                                        \
    "        auth_request_set $odp_limit $upstream_http_ratelimit;\n"                                                          \
    "        auth_request_set $odp_policy $upstream_http_ratelimit_policy;\n"                                                  \
    "        error_page 401 403 = /.odp/refused;\n"                                                                            \
    "        error_page 400 404 405 413 414 416 500 501 502 503 504 /.odp/general;\n"                                           \
    "        error_page 412 @odp_precondition;\n"

/* A location of ours that is asked on the way, or in place of another, checks the length of the body anew: no shorter one may do than
 * where the longest is taken. */
static void add_internal(struct odp_buffer *b, const struct nginx_config *c, const char *name)
{
    odp_buffer_printf(b, "    location = /.odp/%s {\n        internal;\n", name);
    nginx_config_body(b, c, false);
}

/* The site's page for what is not there; the status stays 404. */
static void add_lost(struct odp_buffer *b, const struct nginx_config *c)
{
    add_internal(b, c, "lost");
    odp_buffer_add_str(b, COMMON_HEADERS FILES
                          "        add_header Cache-Control no-store always;\n"
                          "        add_header Vary \"Accept, Accept-Encoding, Accept-Language\" always;\n"
                          "        try_files $odp_shown_page =404;\n    }\n");
}

/* What nginx says by itself, where the service cannot be asked. */
static void add_answer(struct odp_buffer *b, const char *name, const char *header, int status, const char *title, const char *code,
                       const char *detail)
{
    odp_buffer_printf(b,
                      "    location @odp_%s {\n        types { }\n        default_type application/problem+json;\n%s"
                      "        add_header Cache-Control no-store always;\n        add_header Access-Control-Allow-Origin * always;\n"
                      "        return %d '{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"code\":\"%s\",\"detail\":\"%s\"}';\n"
                      "    }\n",
                      name, header, status, title, status, code, detail);
}

static void add_problems(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(
        b,
        "\n    error_page 400 403 404 405 413 414 416 500 501 502 503 504 /.odp/general;\n"
        "    error_page 494 = /.odp/general;\n    error_page 505 =400 /.odp/general;\n    error_page 412 @odp_precondition;\n"
        "    recursive_error_pages on;\n");
    add_internal(b, c, "auth");
    odp_buffer_add_str(
        b,
        "        proxy_pass http://odp_service/forward-auth;\n"
        "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
        "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
        "        proxy_set_header X-Original-URI $request_uri;\n        proxy_set_header X-Original-Method $request_method;\n"
        "        proxy_set_header X-Forwarded-Uri \"\";\n        proxy_set_header X-Forwarded-Method \"\";\n"
        "        proxy_set_header X-Odp-Client $remote_addr;\n        proxy_set_header X-Odp-Client-Kind nginx;\n"
        "        proxy_connect_timeout 2s;\n        proxy_read_timeout 5s;\n    }\n");
    odp_buffer_add_str(b, "    # auth_request knows 401 and 403 only; the service makes of them what it meant.\n");
    add_internal(b, c, "refused");
    odp_buffer_add_str(
        b, "        proxy_pass http://odp_service/problem;\n"
           "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
           "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
           "        proxy_set_header Authorization \"\";\n        proxy_set_header X-Odp-Code $odp_asked_code;\n"
           "        proxy_set_header X-Odp-Retry-After $odp_retry;\n        proxy_set_header X-Odp-RateLimit $odp_limit;\n"
           "        proxy_set_header X-Odp-RateLimit-Policy $odp_policy;\n"
           "        proxy_hide_header WWW-Authenticate;\n" /* auth_request passes it on already */
           "        error_page 400 413 =400 @odp_unread;\n"
           "        error_page 500 502 503 504 =503 @odp_down;\n    }\n");
    add_internal(b, c, "general");
    odp_buffer_add_str(
        b, "        set $odp_shown_page $odp_lost;\n"
           "        if (!-f $document_root$odp_lost) {\n            set $odp_shown_page \"\";\n        }\n"
           "        if ($odp_shown_page) {\n            rewrite ^ /.odp/lost last;\n        }\n        proxy_pass "
           "http://odp_service/problem;\n"
           "        proxy_method GET;\n        proxy_pass_request_body off;\n        proxy_set_header Content-Length \"\";\n"
           "        proxy_http_version 1.1;\n        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
           "        proxy_set_header Authorization \"\";\n        proxy_set_header X-Odp-Code $odp_general;\n"
           "        proxy_set_header X-Odp-Retry-After \"\";\n        proxy_set_header X-Odp-RateLimit \"\";\n"
           "        proxy_set_header X-Odp-RateLimit-Policy \"\";\n"
           "        error_page 400 413 =400 @odp_unread;\n"
           "        error_page 500 502 503 504 =503 @odp_down;\n    }\n");
    add_answer(b, "down", "        add_header Retry-After 5 always;\n", 503, "Sementara tidak tersedia", "unavailable",
               "Ulangi sesudah Retry-After; halaman portal dan unduhan tetap dapat dibaca.");
    /* nginx finds this in a filter, where it cannot wait for the service. */
    add_answer(b, "precondition", "", 412, "Prasyarat tidak terpenuhi", "precondition-failed",
               "Ulangi tanpa If-Match dan If-Unmodified-Since.");
    /* The service can be asked only when the body was read. */
    add_answer(b, "unread", "", 400, "Permintaan tidak dapat dibaca", "bad-request", "Periksa alamat, header, dan isi permintaan.");
}

#define QUERIES                                                                                                                \
    "        set $odp_kind $odp_engine;\n        if ($odp_kind) {\n            rewrite ^ /.odp/query last;\n        }\n"

static void add_query(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b,
                       "\n    location = /.odp/query {\n        internal;\n"
                       "        if ($request_method = OPTIONS) {\n            add_header Access-Control-Allow-Origin *;\n"
                       "            add_header Access-Control-Allow-Methods $odp_methods;\n"
                       "            add_header Access-Control-Allow-Headers \"" ODP_CORS_HEADERS "\";\n"
                       "            add_header Access-Control-Max-Age 86400;\n            add_header Allow $odp_methods;\n"
                       "            return 204;\n        }\n        if ($odp_other) {\n            return 405;\n        }\n"
                       "        error_page 502 503 504 =503 /.odp/general;\n" ASKED_KEY
                       "        auth_request_set $odp_account $upstream_http_x_odp_account;\n" QUERY_HEADERS
                       "        proxy_pass http://odp_query$request_uri;\n        proxy_http_version 1.1;\n"
                       "        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n"
                       "        proxy_set_header Authorization \"\";\n        proxy_set_header Accept-Encoding \"\";\n"
                       "        proxy_set_header Cookie \"\";\n        proxy_set_header Upgrade \"\";\n"
                       "        proxy_set_header Range \"\";\n        proxy_set_header If-Range \"\";\n"
                       "        proxy_set_header X-Odp-Client $remote_addr;\n        proxy_set_header X-Forwarded-For \"\";\n"
                       "        proxy_set_header X-Odp-Account $odp_account;\n        proxy_set_header X-Odp-Tier $odp_tier;\n"
                       "        proxy_set_header X-Odp-Origin \"\";\n"
                       "        proxy_set_header X-Odp-Actor \"\";\n");
    nginx_config_body(b, c, true);
    odp_buffer_add_str(b,
                       "        proxy_buffer_size 16k;\n        proxy_buffers 16 32k;\n        proxy_busy_buffers_size 64k;\n"
                       "        proxy_connect_timeout 3s;\n        proxy_send_timeout 10s;\n        proxy_read_timeout 30s;\n"
                       "        proxy_next_upstream error non_idempotent;\n        proxy_hide_header X-Odp-Code;\n        "
                       "proxy_hide_header X-Content-Type-Options;\n    }\n");
}

static void add_service(struct odp_buffer *b, const struct nginx_config *c, const char *location)
{
    odp_buffer_printf(b, "\n    location %s {\n", location);
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
        "        proxy_next_upstream off;\n        error_page 400 413 /.odp/general;\n        error_page 500 502 503 504 =503 "
        "@odp_down;\n    }\n");
}

void nginx_config_fallback(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_printf(b, "\n    root \"%s/site\";\n\n", c->state);
    add_problems(b, c);
    add_lost(b, c);
    add_service(b, c, "/auth/");
    add_service(b, c, NGINX_WEBHOOKS); /* before the other expressions: the first that fits counts */
    add_query(b, c);
    odp_buffer_add_str(b, "\n    # The gateway's own files, and what begins with a dot, are nobody's.\n"
                          "    location ~ ^/(?:control|gateway\\.json|search|service)(?:[./]|$) {\n        return 404;\n    }\n"
                          "    location ~ /\\.(?!well-known/) {\n        return 404;\n    }\n");
    odp_buffer_add_str(b, "    location ~ ^/(?:api/)?v1/?$ {\n" METHODS ASKED COMMON_HEADERS FILES
                          "        try_files /v1/index.json =404;\n    }\n");
    odp_buffer_add_str(b, "    location ~ ^/(?:api/)?v1/ogc/?$ {\n        rewrite ^ /v1/ogc/index last;\n    }\n"
                          "    location ~ ^/(?:api/)?v1/ogc/(?<odp_doc>.+?)/?$ {\n");
    nginx_config_body(b, c, false);
    odp_buffer_add_str(b, QUERIES METHODS ASKED_KEY LIMITS("") COMMON_HEADERS FILES
                       "        add_header Cache-Control \"public, max-age=60\";\n"
                       "        add_header Vary \"Accept, Accept-Encoding, Accept-Language\";\n"
                       "        try_files /v1/ogc/$odp_doc$odp_form /v1/ogc/$odp_doc$odp_form_else /v1/ogc/$odp_doc.json "
                       "/v1/ogc/$odp_doc =404;\n    }\n");
    odp_buffer_add_str(b, "    location ~ ^/(?:api/)?v1/(?<odp_rest>.+)$ {\n");
    nginx_config_body(b, c, false);
    odp_buffer_add_str(b, QUERIES METHODS ASKED COMMON_HEADERS FILES
                       "        try_files /v1/$odp_rest.json /v1/$odp_rest =404;\n    }\n");
    odp_buffer_add_str(b, "    location = /.well-known/api-catalog {\n" METHODS COMMON_HEADERS FILES
                          "        add_header Cache-Control \"public, max-age=300\";\n        types { }\n        default_type "
                          "'application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"';\n        try_files "
                          "$uri =404;\n    }\n");
    odp_buffer_add_str(b, "    # The `type` of a problem leads to what explains it.\n"
                          "    location ~ ^/galat/(?<odp_explains>[a-z0-9-]*)$ {\n        set $odp_anchor \"#$odp_explains\";\n"
                          "        if ($odp_explains = \"\") {\n            set $odp_anchor \"\";\n        }\n"
                          "        if (-f $document_root$odp_explained) {\n            add_header Vary Accept-Language;\n"
                          "            add_header Access-Control-Allow-Origin *;\n            return 308 "
                          "\"..$odp_explained$odp_anchor\";\n        }\n"
                          "        return 404;\n    }\n");
    odp_buffer_add_str(
        b, "    # Documents without an ending: npm asks for them as /npm/@scope%2fname, which is /npm/@scope/name here.\n"
           "    location /npm/ {\n" METHODS COMMON_HEADERS FILES
           "        add_header Cache-Control $odp_caching;\n        add_header Vary Accept-Encoding;\n"
           "        types { }\n        default_type application/json;\n        try_files $uri =404;\n    }\n");
    odp_buffer_add_str(b, "    location / {\n" METHODS COMMON_HEADERS FILES
                          "        add_header Cache-Control $odp_caching;\n        add_header Vary Accept-Encoding;\n"
                          "        try_files $uri ${uri}index.html @odp_folder;\n    }\n"
                          "    location @odp_folder {\n        if (-f $document_root$uri/index.html) {\n            return 308 "
                          "$odp_folder;\n        }\n"
                          "        return 404;\n    }\n");
}
