/* The model of templates/nginx, which is the configuration: with the module or without it, whole or for the
 * inside of http { }. */
#include "command/nginx/config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/format.h"
#include "base/template/template.h"
#include "command/values.h"
#include "base/framed.h"
#include "core/page.h"

extern const struct odp_template_text odp_nginx_templates[]; /* of templates/nginx */
extern const unsigned char odp_nginx_model[];

static bool can_be_written(const char *path)
{
    for (const char *p = path; p != NULL && *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '$' || *p == '*' || *p == '?' || *p == '[')
            return false;
    return true;
}

const char *nginx_config_refuses(const struct nginx_config *c)
{
    const char *const paths[] = {c->state,           c->module,         c->user,
                                 c->serve->tls_cert, c->serve->tls_key, c->serve->access_log};
    for (size_t i = 0; i < ODP_COUNT(paths); i++)
        if (!can_be_written(paths[i]))
            return paths[i];
    return NULL;
}

/* ---- values ---- */

static json_t *number(long long n)
{
    return json_sprintf("%lld", n);
}

/* A path in quotes, and what follows it. In an arena, which always has memory: an empty text would leave out
 * the directive, and serve a certificate's port without TLS. */
static json_t *quoted(const char *path, const char *after)
{
    struct odp_arena arena = {0};
    char *text = odp_arena_alloc(&arena, 2 * strlen(path) + 1), *to = text;
    for (const char *p = path; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            *to++ = '\\';
        *to++ = *p;
    }
    *to = '\0';
    json_t *all = json_sprintf("\"%s\"%s", text, after);
    odp_arena_release(&arena);
    return all;
}

static unsigned long connections(const struct nginx_config *c)
{
    unsigned long n = c->files / 4; /* two descriptors a proxied connection, as many again for open files */
    if (n < 512)
        return 512;
    return n > 32768 ? 32768 : n;
}

static json_t *log_of(const struct nginx_config *c)
{
    static const char form[] = " odp buffer=64k flush=1s";
    const char *log = c->serve->access_log;
    if (log == NULL)
        return json_sprintf("\"%s/nginx/access.log\"%s", c->state, form);
    return strcmp(log, "off") == 0 ? json_string("off") : quoted(log, form);
}

static json_t *listen_of(const struct option_list *l)
{
    json_t *all = json_array();
    for (size_t i = 0; i < (l->n > 0 ? l->n : 1); i++) {
        char host[256];
        unsigned port;
        const char *path;
        if (!value_address(l->n > 0 ? l->item[i] : "127.0.0.1:8080", host, &port, &path))
            continue;
        json_t *at = path != NULL ? json_sprintf("unix:%s", path) : json_sprintf("%s:%u", host, port);
        json_array_append_new(all, json_pack("{s:o}", "at", at));
    }
    return all;
}

/* JSON has its own line in the template; a name of two parts ends in another's. */
static json_t *formats(void)
{
    json_t *all = json_array();
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++)
        if (i != ODP_FILE_json && strchr(odp_format_files[i].name, '.') == NULL)
            json_array_append_new(all, json_pack("{s:s, s:s}", "type", odp_format_files[i].media_type,
                                                 "ending", odp_format_files[i].name));
    return all;
}

static json_t *page_headers(void)
{
    json_t *all = json_array();
    for (size_t i = 0; i < ODP_PAGE_HEADERS; i++)
        json_array_append_new(all, json_pack("{s:o, s:s, s:s}", "n", number((long long)i), "value",
                                             odp_page_headers[i].value, "framed",
                                             odp_page_header_value(i, odp_slice_of("embed/x"))));
    return all;
}

static json_t *trusted(const struct option_list *l)
{
    json_t *all = json_array();
    for (size_t i = 0; i < l->n; i++) {
        const char *peer = strcmp(l->item[i], "unix:") == 0 ? "255.255.255.255" : l->item[i];
        json_array_append_new(all, json_pack("{s:s, s:s}", "address", l->item[i], "peer", peer));
    }
    return all;
}

static json_t *hosts(const struct option_list *l)
{
    json_t *all = json_array();
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(all, json_pack("{s:s}", "name", l->item[i]));
    return all;
}

/* An address on the web as nginx needs it: a name is looked up while running (nginx would not start without
 * its DNS), an IP address or localhost is an upstream with kept connections. The path has no slash at its
 * end; the host is as in the URL, with brackets. *LOOKED_UP: a name server is needed. NULL without a URL. */
static json_t *origin(const struct nginx_config *c, const char *name, const char *url, const char *target,
                      bool *looked_up)
{
    unsigned char bytes[16];
    if (url == NULL)
        return NULL;
    bool tls = strncmp(url, "https:", 6) == 0;
    const char *at = strstr(url, "://"), *standard = tls ? "443" : "80";
    at = at != NULL ? at + 3 : url;
    size_t len = strcspn(at, "/"), host_len = len, path_len = strlen(at + len);
    for (size_t i = len; i > 0 && at[i - 1] != ']'; i--)
        if (at[i - 1] == ':')
            host_len = i - 1;
    while (path_len > 0 && at[len + path_len - 1] == '/')
        path_len--;
    char host[256], port[8];
    (void)snprintf(host, sizeof host, "%.*s", (int)host_len, at);
    (void)snprintf(port, sizeof port, "%.*s", host_len < len ? (int)(len - host_len - 1) : 3,
                   host_len < len ? at + host_len + 1 : standard);
    bool address = *host == '[' || strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, bytes) == 1;
    *looked_up = *looked_up || !address;
    json_t *header = strcmp(port, standard) == 0 ? json_string(host) : json_sprintf("%s:%s", host, port);
    return json_pack("{s:s, s:s, s:s, s:s, s:s%, s:o, s:s, s:b, s:b}", "name", name, "scheme",
                     tls ? "https" : "http", "host", host, "port", port, "path", at + len, path_len, "header",
                     header, "target", target, "fixed", address || *c->resolver == '\0', "secure", tls);
}

/* Commas of "KIND,URL,FILE" are blanks in the directive. */
static json_t *redirect(const char *text)
{
    struct odp_arena arena = {0};
    char *words = odp_arena_str(&arena, text);
    for (char *p = words; (p = strchr(p, ',')) != NULL;)
        *p = ' ';
    json_t *all = json_string(words);
    odp_arena_release(&arena);
    return all;
}

static json_t *content(const struct nginx_config *c)
{
    const struct content *content = &c->serve->content;
    bool looked_up = false, proxy = content->mode == CONTENT_PROXY;
    json_t *writer = origin(c, "odp_writer", c->serve->service.writer, "$request_uri", &looked_up);
    json_t *from =
        origin(c, "odp_origin", proxy ? content->text + strlen("proxy=") : NULL, "/$odp_path", &looked_up);
    return json_pack("{s:o*, s:o*, s:o*, s:b, s:s*}", "writer", writer, "origin", from, "redirect",
                     content->mode == CONTENT_REDIRECT ? redirect(content->text + strlen("redirect=")) : NULL,
                     "local", content->mode == CONTENT_LOCAL, "resolver",
                     looked_up && *c->resolver != '\0' ? c->resolver : NULL);
}

static json_t *values(const struct nginx_config *c)
{
    const struct serve_options *s = c->serve;
    const struct odp_service_options *o = &s->service;
    json_t *v = content(c);
    json_t *tls = s->tls_cert == NULL ? NULL
                                      : json_pack("{s:o, s:o}", "certificate", quoted(s->tls_cert, ""), "key",
                                                  quoted(s->tls_key, ""));
    json_t *workers = s->workers > 0 ? number((long long)s->workers) : json_string("auto");
    json_object_update_new(v, json_pack("{s:s, s:s, s:b, s:o*, s:s*, s:o, s:o, s:o, s:o}", "version",
                                        ODP_VERSION, "state", c->state, "http_only", c->http_only, "module",
                                        c->module != NULL ? quoted(c->module, "") : NULL, "user", c->user,
                                        "workers", workers, "files", number((long long)c->files),
                                        "connections", number((long long)connections(c)), "cached_files",
                                        number((long long)c->files / 8)));
    json_object_update_new(v, json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:s}", "cache", s->cache, "query_key",
                                        o->query_key != NULL ? o->query_key : "off", "header_size",
                                        number((long long)o->header_size / 1024), "query_size",
                                        number((long long)o->query_size / 1024), "log", log_of(c), "proxied",
                                        s->trusted.n > 0, "cors", ODP_CORS_HEADERS));
    json_object_update_new(v, json_pack("{s:s, s:s, s:s, s:s}", "explained_id", odp_page_errors(ODP_LANG_ID),
                                        "explained_en", odp_page_errors(ODP_LANG_EN), "lost_id",
                                        odp_page_not_found(ODP_LANG_ID), "lost_en",
                                        odp_page_not_found(ODP_LANG_EN)));
    json_object_update_new(v, json_pack("{s:o, s:o*, s:o, s:o, s:s, s:o, s:o}", "listen",
                                        listen_of(&s->listen), "tls", tls, "formats", formats(),
                                        "page_headers", page_headers(), "frames", ODP_FRAMED_PATTERN,
                                        "trusted", trusted(&s->trusted), "hosts", hosts(&s->hosts)));
    return v;
}

enum odp_status nginx_config_write(struct odp_buffer *b, const struct nginx_config *c)
{
    return odp_templates_write(odp_nginx_templates, odp_nginx_model, "nginx", ODP_LANG_EN, values(c), b);
}
