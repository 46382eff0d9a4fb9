/* What is written alike with the module and without it: paths in quotes, bodies, and where else requests are sent. */
#include "command/nginx/config_internal.h"
#include <arpa/inet.h>
#include <stdio.h>

void nginx_config_quoted(struct odp_buffer *b, const char *before, const char *path, const char *after)
{
    odp_buffer_add_str(b, before);
    odp_buffer_add_char(b, '"');
    for (const char *p = path; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            odp_buffer_add_char(b, '\\');
        odp_buffer_add_char(b, *p);
    }
    odp_buffer_add_char(b, '"');
    odp_buffer_add_str(b, after);
}

void nginx_config_body(struct odp_buffer *b, const struct nginx_config *c, bool buffered)
{
    const long long size = (long long)c->serve->query_size / 1024;
    odp_buffer_printf(b, "        client_max_body_size %lldk;\n", size);
    if (buffered)
        odp_buffer_printf(b, "        client_body_buffer_size %lldk;\n", size);
}

void nginx_config_origin(const char *url, struct nginx_origin *o)
{
    unsigned char bytes[16];
    const char *host = strstr(url, "://");
    bool tls = strncmp(url, "https:", 6) == 0;
    host = host != NULL ? host + 3 : url;
    size_t len = strcspn(host, "/");
    const char *path = host + len;
    size_t path_len = strlen(path);
    size_t host_len = len;
    for (size_t i = len; i > 0 && host[i - 1] != ']'; i--)
        if (host[i - 1] == ':')
            host_len = i - 1;
    while (path_len > 0 && path[path_len - 1] == '/')
        path_len--;
    (void)snprintf(o->scheme, sizeof o->scheme, "%s", tls ? "https" : "http");
    (void)snprintf(o->host, sizeof o->host, "%.*s", (int)host_len, host);
    (void)snprintf(o->port, sizeof o->port, "%.*s", host_len < len ? (int)(len - host_len - 1) : 3,
                   host_len < len ? host + host_len + 1
                   : tls          ? "443"
                                  : "80");
    (void)snprintf(o->path, sizeof o->path, "%.*s", (int)path_len, path);
    o->fixed = *o->host == '[' || strcmp(o->host, "localhost") == 0 || inet_pton(AF_INET, o->host, bytes) == 1;
}

void nginx_config_upstream(struct odp_buffer *b, const struct nginx_config *c, const char *name, const char *url)
{
    struct nginx_origin o;
    nginx_config_origin(url, &o);
    if (o.fixed || *c->resolver == '\0')
        odp_buffer_printf(b, "upstream %s {\n    server %s:%s max_fails=0;\n    keepalive 32;\n}\n", name, o.host, o.port);
}

void nginx_config_pass(struct odp_buffer *b, const struct nginx_config *c, const char *name, const char *url,
                       const char *target)
{
    struct nginx_origin o;
    nginx_config_origin(url, &o);
    bool standard = strcmp(o.port, strcmp(o.scheme, "https") == 0 ? "443" : "80") == 0;
    if (o.fixed || *c->resolver == '\0') {
        odp_buffer_printf(b, "        proxy_pass %s://%s%s%s;\n", o.scheme, name, o.path, target);
    } else {
        odp_buffer_printf(b, "        set $%s \"%s:%s\";\n", name, o.host, o.port);
        odp_buffer_printf(b, "        proxy_pass %s://$%s%s%s;\n", o.scheme, name, o.path, target);
    }
    odp_buffer_printf(b, "        proxy_set_header Host %s%s%s;\n", o.host, standard ? "" : ":", standard ? "" : o.port);
    if (strcmp(o.scheme, "https") == 0)
        odp_buffer_printf(b,
                          "        proxy_ssl_server_name on;\n        proxy_ssl_name %s;\n        proxy_ssl_verify on;\n"
                          "        proxy_ssl_verify_depth 4;\n        proxy_ssl_protocols TLSv1.2 TLSv1.3;\n"
                          "        proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;\n",
                          o.host);
}
