/* The frame of the configuration: main, events, http, server. Limits and logs stand in the server block, so that the part for
 * an operator's own nginx has them too. */
#include "command/nginx/config_internal.h"
#include "base/format.h"
#include "command/values.h"

#include <stdio.h>

static bool can_be_written(const char *path)
{
    for (const char *p = path; p != NULL && *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '$' || *p == '*' || *p == '?' || *p == '[')
            return false;
    return true;
}

const char *nginx_config_refuses(const struct nginx_config *c)
{
    const char *const paths[] = {c->state, c->module, c->user, c->serve->tls_cert, c->serve->tls_key, c->serve->access_log};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!can_be_written(paths[i]))
            return paths[i];
    return NULL;
}

static unsigned long connections(const struct nginx_config *c)
{
    unsigned long n = c->files / 4; /* two descriptors a proxied connection, as many again for open files */
    return n < 512 ? 512 : n > 32768 ? 32768 : n;
}

static void add_main(struct odp_buffer *b, const struct nginx_config *c)
{
    if (c->module != NULL)
        nginx_config_quoted(b, "load_module ", c->module, ";\n");
    if (c->user != NULL)
        odp_buffer_printf(b, "user %s;\n", c->user);
    if (c->serve->workers > 0)
        odp_buffer_printf(b, "worker_processes %lld;\n", (long long)c->serve->workers);
    else
        odp_buffer_add_str(b, "worker_processes auto;\n");
    odp_buffer_printf(b, "worker_rlimit_nofile %lu;\nworker_shutdown_timeout 10s;\n", c->files);
    /* nginx's own messages show the request line; the module masks keys in it, without it only what is worse than an error is
     * kept. */
    odp_buffer_printf(b, "pid \"%s/nginx/nginx.pid\";\nerror_log \"%s/nginx/error.log\" %s;\n", c->state, c->state,
                      c->module != NULL ? "warn" : "crit");
    odp_buffer_printf(b, "include \"%s/nginx.d/main-*.conf\";\n", c->state);
    odp_buffer_printf(b, "\nevents {\n    worker_connections %lu;\n    multi_accept on;\n}\n\nhttp {\n", connections(c));
    odp_buffer_printf(
        b,
        "client_body_temp_path \"%s/nginx/body\";\nproxy_temp_path \"%s/nginx/proxy\";\n"
        "fastcgi_temp_path \"%s/nginx/fastcgi\";\nuwsgi_temp_path \"%s/nginx/uwsgi\";\nscgi_temp_path \"%s/nginx/scgi\";\n",
        c->state, c->state, c->state, c->state, c->state);
}

static void add_http_comment(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(
        b, "# This part belongs inside http { }: put it into a file and write  include /path/to/that.conf;  there.\n");
    if (c->module != NULL)
        nginx_config_quoted(b, "# Before events { }, at the very top of nginx.conf:\n#     load_module ", c->module, ";\n");
    odp_buffer_printf(b,
                      "# nginx's workers must be able to enter %s: run them as the owner of that folder (user …;).\n"
                      "# Beside it the service must run:  odp-gateway serve SITE --nginx off --state %s\n"
                      "# worker_rlimit_nofile %lu; and worker_connections %lu; in events { } let many slow clients wait "
                      "without stopping others.\n",
                      c->state, c->state, c->files, connections(c));
}

/* Never $request, $request_uri or a header that could carry a key. */
static void add_log_format(struct odp_buffer *b, const struct nginx_config *c)
{
    if (c->module == NULL) /* else the module masks it */
        odp_buffer_add_str(
            b, "\nmap $http_user_agent $odp_agent {\n    default $http_user_agent;\n    \"~*odp_live|%\" \"(masked)\";\n}\n");
    odp_buffer_printf(
        b,
        "\nlog_format odp escape=json\n"
        "    '{\"time\":\"$time_iso8601\",\"client\":\"$remote_addr\",\"method\":\"$%s\",\"uri\":\"$odp_uri\",'\n"
        "    "
        "'\"status\":$status,\"bytes\":$body_bytes_sent,\"duration\":$request_time,\"key\":\"$odp_key\",\"tier\":\"$odp_tier\","
        "'\n"
        "    "
        "'\"code\":\"$odp_code\",\"dataset\":\"$odp_dataset\",\"format\":\"$odp_format\",\"id\":\"$pid-$connection-$connection_"
        "requests\",'\n"
        "    '\"agent\":\"$odp_agent\"}';\n",
        c->module != NULL ? "request_method" : "odp_method");
}

static void add_listen(struct odp_buffer *b, const struct nginx_config *c)
{
    const struct option_list *l = &c->serve->listen;
    for (size_t i = 0; i < (l->n > 0 ? l->n : 1); i++) {
        char host[256];
        unsigned port;
        const char *path, *text = l->n > 0 ? l->item[i] : "127.0.0.1:8080";
        if (!value_address(text, host, &port, &path))
            continue;
        if (path != NULL)
            odp_buffer_printf(b, "    listen unix:%s", path);
        else
            odp_buffer_printf(b, "    listen %s:%u", host, port);
        odp_buffer_printf(b, " default_server backlog=4096%s;\n", c->serve->tls_cert != NULL ? " ssl http2" : "");
    }
    odp_buffer_add_str(b, "    server_name _;\n");
    if (c->serve->tls_cert == NULL)
        return;
    nginx_config_quoted(b, "    ssl_certificate ", c->serve->tls_cert, ";\n");
    nginx_config_quoted(b, "    ssl_certificate_key ", c->serve->tls_key, ";\n");
    odp_buffer_add_str(
        b, "    ssl_protocols TLSv1.2 TLSv1.3;\n"
           "    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
           "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;\n"
           "    ssl_prefer_server_ciphers off;\n    ssl_session_cache shared:odp_tls:10m;\n    ssl_session_timeout 1d;\n"
           "    ssl_session_tickets off;\n");
}

/* The whole header must have come within client_header_timeout, however it trickles; what is too slow is reset, not lingered
 * for. */
static void add_limits(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_printf(
        b,
        "    server_tokens off;\n    absolute_redirect off;\n    merge_slashes on;\n"
        "    sendfile on;\n    tcp_nopush on;\n    gzip off; # twins (.gz, .br) are made when the site is built\n"
        "    open_file_cache max=%lu inactive=60s;\n    open_file_cache_valid %s;\n    open_file_cache_errors off;\n",
        c->files / 8, c->module != NULL ? "30s" : "1s");
    odp_buffer_printf(
        b,
        "    reset_timedout_connection on;\n    client_header_timeout 15s;\n    client_body_timeout 10s;\n    send_timeout "
        "30s;\n"
        "    lingering_time 10s;\n    lingering_timeout 3s;\n    keepalive_timeout 65s;\n    keepalive_requests 10000;\n"
        "    client_header_buffer_size 1k;\n    large_client_header_buffers 4 %lldk;\n"
        "    client_max_body_size 16k;\n    client_body_buffer_size 16k;\n    ignore_invalid_headers on;\n",
        (long long)c->serve->header_size / 1024);
    odp_buffer_add_str(
        b, "    default_type application/octet-stream;\n    types {\n"
           "        \"text/html; charset=utf-8\" html;\n        \"text/css; charset=utf-8\" css;\n"
           "        \"text/javascript; charset=utf-8\" js;\n        \"text/plain; charset=utf-8\" txt;\n"
           "        \"application/json; charset=utf-8\" json;\n        application/ld+json jsonld;\n"
           "        application/manifest+json webmanifest;\n        application/xml xml;\n");
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++) /* JSON has its own line; a name of two parts ends in another's */
        if (i != ODP_FILE_json && strchr(odp_format_files[i].name, '.') == NULL)
            odp_buffer_printf(b, "        \"%s\" %s;\n", odp_format_files[i].media_type, odp_format_files[i].name);
    odp_buffer_add_str(
        b, "        application/gzip tgz;\n        application/zip zip whl;\n        image/svg+xml svg;\n        image/png "
           "png;\n        image/x-icon ico;\n        font/woff2 woff2;\n    }\n");
}

static void add_log(struct odp_buffer *b, const struct nginx_config *c)
{
    const char *log = c->serve->access_log;
    if (log != NULL && strcmp(log, "off") == 0)
        odp_buffer_add_str(b, "    access_log off;\n");
    else if (log != NULL)
        nginx_config_quoted(b, "    access_log ", log, " odp buffer=64k flush=1s;\n");
    else
        odp_buffer_printf(b, "    access_log \"%s/nginx/access.log\" odp buffer=64k flush=1s;\n", c->state);
}

static void add_proxies(struct odp_buffer *b, const struct nginx_config *c)
{
    for (size_t i = 0; i < c->serve->trusted.n; i++)
        odp_buffer_printf(b, "    set_real_ip_from %s;\n", c->serve->trusted.item[i]);
    if (c->serve->trusted.n > 0)
        odp_buffer_add_str(b, "    real_ip_header X-Forwarded-For;\n    real_ip_recursive on;\n");
}

static bool needs_resolver(const struct nginx_config *c)
{
    struct nginx_origin o;
    bool needs = false;
    if (c->serve->writer != NULL) {
        nginx_config_origin(c->serve->writer, &o);
        needs = !o.fixed;
    }
    if (c->serve->content.mode == CONTENT_PROXY) {
        nginx_config_origin(c->serve->content.text + strlen("proxy="), &o);
        needs = needs || !o.fixed;
    }
    return needs && *c->resolver != '\0';
}

static void add_server(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_add_str(b, "\nserver {\n");
    add_listen(b, c);
    add_limits(b, c);
    add_log(b, c);
    add_proxies(b, c);
    if (needs_resolver(c))
        odp_buffer_printf(b, "    resolver %s valid=30s;\n    resolver_timeout 5s;\n", c->resolver);
    if (c->module != NULL)
        nginx_config_module(b, c);
    else
        nginx_config_fallback(b, c);
    odp_buffer_printf(b, "\n    include \"%s/nginx.d/server-*.conf\";\n}\n", c->state);
}

enum odp_status nginx_config_write(struct odp_buffer *b, const struct nginx_config *c)
{
    odp_buffer_printf(b,
                      "# Written by odp-gateway " ODP_VERSION
                      "; `serve` writes it anew at every start. Your own additions go into\n"
                      "# %s/nginx.d/: main-*.conf, http-*.conf, server-*.conf.\n",
                      c->state);
    if (c->http_only)
        add_http_comment(b, c);
    else
        add_main(b, c);
    add_log_format(b, c);
    odp_buffer_printf(b, "\nupstream odp_service {\n    server \"unix:%s/run/service.sock\" max_fails=0;\n%s}\n", c->state,
                      c->module == NULL ? "    keepalive 32;\n" : "");
    odp_buffer_printf(b, "upstream odp_query {\n    server \"unix:%s/run/query.sock\" max_fails=0;\n    keepalive 32;\n}\n",
                      c->state);
    if (c->serve->writer != NULL)
        nginx_config_upstream(b, c, "odp_writer", c->serve->writer);
    if (c->serve->content.mode == CONTENT_PROXY) {
        nginx_config_upstream(b, c, "odp_origin", c->serve->content.text + strlen("proxy="));
        odp_buffer_printf(b,
                          "proxy_cache_path \"%s/nginx/cache\" levels=1:2 keys_zone=odp_files:16m max_size=4g inactive=24h "
                          "use_temp_path=off;\n",
                          c->state);
    }
    if (c->module != NULL) {
        odp_buffer_printf(b, "odp_cache %s;\n", c->serve->cache);
        nginx_config_module_maps(b, c);
    } else
        nginx_config_fallback_maps(b, c);
    if (!c->http_only)
        odp_buffer_printf(b, "include \"%s/nginx.d/http-*.conf\";\n", c->state);
    add_server(b, c);
    if (!c->http_only)
        odp_buffer_add_str(b, "}\n");
    return odp_buffer_status(b);
}
