#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/form.h"
#include "serve/reload.h"
#include "serve/request.h"
#include "serve/view.h"
#include "words/serve.h"

enum {
    PORTS = 20,          /* that are tried */
    UNPROCESSABLE = 422, /* the library has had several names for it */
    CONNECTIONS = 256,
    IDLE = 60,           /* seconds */
    BODY_MAX = 4 << 20,  /* of a form */
    PAGE_MAX = 256 << 20 /* of a page that the script goes into */
};

#define OWN "/_odp/"
extern const unsigned char odp_serve_reload_js[];

struct serve_server {
    struct serve_options o;
    struct MHD_Daemon *mhd;
    struct serve_view *view;
    struct serve_reload reload;
    char token[33];       /* of its forms */
    pthread_mutex_t form; /* one at a time */
};

/* One request; its body is kept for what posts. */
struct call {
    struct serve_server *s;
    struct MHD_Connection *connection;
    struct serve_headers headers;
    struct odp_buffer body;
    bool begun, get;
    const char *path; /* decoded, without the first slash */
};

/* ---- answers ---- */

static enum MHD_Result respond(struct call *c, unsigned status, const char *type,
                               struct MHD_Response *response)
{
    static const char *const headers[][2] = {{"Cache-Control", "no-store"},
                                             {"X-Content-Type-Options", "nosniff"},
                                             {"X-Frame-Options", "SAMEORIGIN"},
                                             {"Cross-Origin-Resource-Policy", "same-origin"},
                                             {"Referrer-Policy", "same-origin"}};
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < ODP_COUNT(headers); i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (type != NULL)
        (void)MHD_add_response_header(response, "Content-Type", type);
    enum MHD_Result queued = MHD_queue_response(c->connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

/* BYTES is released. */
static enum MHD_Result send_bytes(struct call *c, unsigned status, const char *type, struct odp_buffer *bytes)
{
    struct MHD_Response *response =
        bytes->failed ? NULL : MHD_create_response_from_buffer(bytes->len, bytes->ptr, MHD_RESPMEM_MUST_COPY);
    odp_buffer_release(bytes);
    return respond(c, status, type, response);
}

static enum MHD_Result send_line(struct call *c, unsigned status, const char *id, const char *en)
{
    struct odp_buffer text = {0};
    odp_buffer_add_str(&text, odp_word(c->s->o.lang, id, en));
    odp_buffer_add_char(&text, '\n');
    return send_bytes(c, status, "text/plain; charset=utf-8", &text);
}

/* PAGE with the script in its head. */
static enum MHD_Result send_page(struct call *c, unsigned status, struct odp_buffer *page)
{
    static const char end[] = "</head>";
    struct odp_buffer out = {0};
    const char *at = page->len > 0 ? memmem(page->ptr, page->len, end, sizeof end - 1) : NULL;
    size_t before = at != NULL ? (size_t)(at - page->ptr) : page->len;
    odp_buffer_add(&out, page->ptr, before);
    if (at != NULL)
        odp_buffer_printf(&out, "<script defer src=\"" OWN "reload.js\" data-build=\"%llu\"></script>\n",
                          (unsigned long long)serve_reload_number(&c->s->reload));
    odp_buffer_add(&out, page->ptr + before, page->len - before);
    out.failed = out.failed || page->failed;
    odp_buffer_release(page);
    return send_bytes(c, status, "text/html; charset=utf-8", &out);
}

/* ---- the build's files ---- */

static enum MHD_Result send_whole_page(struct call *c, unsigned status, struct serve_file *f)
{
    struct odp_buffer page = {0};
    char *room = f->size < PAGE_MAX ? odp_buffer_reserve(&page, (size_t)f->size + 1) : NULL;
    while (room != NULL && page.len < f->size) {
        ssize_t n = read(f->fd, page.ptr + page.len, (size_t)f->size - page.len);
        if (n <= 0 && errno != EINTR)
            room = NULL;
        page.len += n > 0 ? (size_t)n : 0;
    }
    page.failed = page.failed || room == NULL;
    (void)close(f->fd);
    return send_page(c, status, &page);
}

static enum MHD_Result send_file(struct call *c, unsigned status, struct serve_file *f)
{
    uint64_t from = 0, len = f->size;
    char range[80];
    if (strncmp(f->type, "text/html", 9) == 0 && f->encoding[0] == '\0')
        return send_whole_page(c, status, f);
    enum odp_status part =
        status == MHD_HTTP_OK ? serve_range(c->headers.range, f->size, &from, &len) : ODP_DONE;
    if (part == ODP_BAD) {
        (void)close(f->fd);
        return send_line(c, MHD_HTTP_RANGE_NOT_SATISFIABLE, W_serve_no_part);
    }
    if (part == ODP_DONE) {
        from = 0;
        len = f->size;
    }
    struct MHD_Response *response = MHD_create_response_from_fd_at_offset64(len, f->fd, from);
    if (response == NULL) {
        (void)close(f->fd);
        return MHD_NO;
    }
    (void)MHD_add_response_header(response, "Accept-Ranges", "bytes");
    if (f->encoding[0] != '\0')
        (void)MHD_add_response_header(response, "Content-Encoding", f->encoding);
    if (part == ODP_OK) {
        (void)snprintf(range, sizeof range, "bytes %llu-%llu/%llu", (unsigned long long)from,
                       (unsigned long long)(from + len - 1), (unsigned long long)f->size);
        (void)MHD_add_response_header(response, "Content-Range", range);
    }
    return respond(c, part == ODP_OK ? MHD_HTTP_PARTIAL_CONTENT : status, f->type, response);
}

static enum MHD_Result send_elsewhere(struct call *c, unsigned status, const char *address)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response != NULL)
        (void)MHD_add_response_header(response, "Location", address);
    return respond(c, status, NULL, response);
}

static bool is_page(const char *path)
{
    const char *dot = strrchr(odp_path_last(path), '.');
    return dot == NULL || strcmp(dot, ".html") == 0;
}

/* A folder is its index.html, and an address of the API may do without .json, as before a gateway. */
static enum MHD_Result answer_site(struct call *c, struct odp_arena *a)
{
    struct serve_view *v = c->s->view;
    const char *path = c->path;
    struct serve_file f;
    struct odp_buffer report = {0};
    size_t len = strlen(path);
    if (is_page(path) && serve_view_reported(v, &report))
        return send_page(c, MHD_HTTP_INTERNAL_SERVER_ERROR, &report);
    odp_buffer_release(&report);
    if (len == 0 || path[len - 1] == '/')
        path = odp_arena_printf(a, "%sindex.html", path);
    if (serve_view_open(v, path, &f) || serve_view_open(v, odp_arena_printf(a, "%s.json", path), &f))
        return send_file(c, MHD_HTTP_OK, &f);
    if (serve_view_has(v, odp_arena_printf(a, "%s/index.html", path)))
        return send_elsewhere(c, MHD_HTTP_FOUND, odp_arena_printf(a, "/%s/", path));
    if (is_page(path) && serve_view_open(v, "404.html", &f))
        return send_file(c, MHD_HTTP_NOT_FOUND, &f);
    return send_line(c, MHD_HTTP_NOT_FOUND, W_serve_not_found);
}

/* ---- what is the server's own ---- */

static enum MHD_Result answer_events(struct call *c)
{
    struct serve_stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return MHD_NO;
    *stream = (struct serve_stream){.reload = &c->s->reload};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, serve_stream_read, stream, free);
    if (response == NULL)
        free(stream);
    return respond(c, MHD_HTTP_OK, "text/event-stream", response);
}

static enum MHD_Result answer_script(struct call *c)
{
    const char *text = (const char *)odp_serve_reload_js;
    return respond(
        c, MHD_HTTP_OK, "text/javascript; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result on_argument(void *form, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct serve_form *f = form;
    f->saved = f->saved || strcmp(name, "saved") == 0;
    for (enum odp_lang lang = 0; value != NULL && strcmp(name, "lang") == 0 && lang < ODP_LANGS; lang++)
        if (strcmp(value, odp_lang_code(lang)) == 0)
            f->lang = lang;
    return MHD_YES;
}

/* Nothing but its own style is loaded, and it is in no frame. */
static enum MHD_Result send_form(struct call *c, unsigned status, struct odp_buffer *page)
{
    struct MHD_Response *response =
        page->failed ? NULL : MHD_create_response_from_buffer(page->len, page->ptr, MHD_RESPMEM_MUST_COPY);
    if (response != NULL)
        (void)MHD_add_response_header(response, "Content-Security-Policy",
                                      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
                                      "base-uri 'none'; frame-ancestors 'none'");
    odp_buffer_release(page);
    return respond(c, status, "text/html; charset=utf-8", response);
}

static enum MHD_Result answer_form(struct call *c, const char *slug, struct odp_arena *a)
{
    struct serve_form f = {
        .catalog = c->s->o.catalog, .slug = slug, .token = c->s->token, .lang = c->s->o.lang};
    const struct odp_slice body = odp_buffer_slice(&c->body);
    struct odp_buffer page = {0};
    (void)MHD_get_connection_values(c->connection, MHD_GET_ARGUMENT_KIND, on_argument, &f);
    pthread_mutex_lock(&c->s->form);
    enum odp_status status = serve_form_answer(&f, c->get ? NULL : &body, &page);
    pthread_mutex_unlock(&c->s->form);
    if (status == ODP_DONE)
        return send_form(c, UNPROCESSABLE, &page);
    if (status == ODP_OK && c->get)
        return send_form(c, MHD_HTTP_OK, &page);
    odp_buffer_release(&page);
    if (status == ODP_OK)
        return send_elsewhere(
            c, MHD_HTTP_SEE_OTHER,
            odp_arena_printf(a, OWN "metadata/%s?lang=%s&saved", slug, odp_lang_code(f.lang)));
    if (status == ODP_BAD && serve_view_reported(c->s->view, &page))
        return send_page(c, MHD_HTTP_CONFLICT, &page);
    odp_buffer_release(&page);
    if (status == ODP_BAD)
        return send_line(c, MHD_HTTP_NOT_FOUND, W_serve_not_found);
    odp_failure_clear(); /* the next build may do better */
    return send_line(c, MHD_HTTP_INTERNAL_SERVER_ERROR, W_serve_machine_failed);
}

static enum MHD_Result answer_own(struct call *c, const char *path, bool posts, struct odp_arena *a)
{
    static const char form[] = "metadata/";
    if (strncmp(path, form, sizeof form - 1) == 0 && (c->get || posts))
        return answer_form(c, path + sizeof form - 1, a);
    if (!c->get)
        return send_line(c, MHD_HTTP_METHOD_NOT_ALLOWED, W_serve_not_so);
    if (strcmp(path, "events") == 0)
        return answer_events(c);
    if (strcmp(path, "reload.js") == 0)
        return answer_script(c);
    return send_line(c, MHD_HTTP_NOT_FOUND, W_serve_not_found);
}

/* ---- requests ---- */

static enum MHD_Result on_header(void *headers, enum MHD_ValueKind kind, const char *name, const char *value)
{
    serve_header(headers, name, value);
    return MHD_YES;
}

static enum MHD_Result answer(struct call *c, const char *address, const char *method)
{
    struct odp_arena arena = {0};
    size_t len = strlen(address), n = 0;
    bool posts = strcmp(method, "POST") == 0;
    c->get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    (void)MHD_get_connection_values(c->connection, MHD_HEADER_KIND, on_header, &c->headers);
    if (!serve_may(&c->headers, c->s->o.port, posts))
        return send_line(c, MHD_HTTP_FORBIDDEN, W_serve_refused);
    char *path = odp_arena_array(&arena, len + 1, 1);
    enum MHD_Result sent = MHD_NO;
    if (path != NULL && odp_percent_decode((struct odp_slice){address, len}, path, &n)) {
        path[n] = '\0';
        c->path = path + (*path == '/');
        if (serve_reload_number(&c->s->reload) == 0)
            sent = MHD_NO; /* it ends */
        else if (strncmp(path, OWN, sizeof OWN - 1) == 0)
            sent = answer_own(c, path + sizeof OWN - 1, posts, &arena);
        else
            sent =
                c->get ? answer_site(c, &arena) : send_line(c, MHD_HTTP_METHOD_NOT_ALLOWED, W_serve_not_so);
    } else {
        sent = send_line(c, MHD_HTTP_BAD_REQUEST, W_serve_not_so);
    }
    odp_arena_release(&arena);
    return sent;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data, size_t *size,
                                  void **at)
{
    struct call *c = *at;
    if (c == NULL) {
        *at = c = calloc(1, sizeof *c);
        if (c == NULL)
            return MHD_NO;
        *c = (struct call){.s = cls, .connection = connection};
        return MHD_YES;
    }
    if (*size > 0) {
        size_t n = *size;
        *size = 0;
        if (c->body.len + n > BODY_MAX)
            return MHD_NO;
        odp_buffer_add(&c->body, data, n);
        return c->body.failed ? MHD_NO : MHD_YES;
    }
    return answer(c, url, method);
}

static void on_end(void *cls, struct MHD_Connection *connection, void **at,
                   enum MHD_RequestTerminationCode why)
{
    struct call *c = *at;
    if (c != NULL)
        odp_buffer_release(&c->body);
    free(c);
    *at = NULL;
}

/* Addresses are decoded by us, so that a %00 does not end them. */
static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text)
{
    return strlen(text);
}

/* ---- the server ---- */

/* A listening socket on 127.0.0.1, at PORT; -1 and errno. */
static int listen_at(unsigned port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&to, sizeof to) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

static enum odp_status take_port(struct serve_server *s, int *fd)
{
    unsigned tries = s->o.named ? 1 : PORTS;
    for (unsigned i = 0; i < tries; i++) {
        *fd = listen_at(s->o.port + i);
        if (*fd >= 0) {
            s->o.port += i;
            return ODP_OK;
        }
        if (errno != EADDRINUSE && errno != EACCES)
            return odp_failure_set("listen", "127.0.0.1", errno);
    }
    return ODP_BAD;
}

static enum odp_status make_token(struct serve_server *s)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return odp_failure_set("getrandom", NULL, errno);
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
    return ODP_OK;
}

/* Signals stay with the main thread. */
static enum odp_status start_daemon(struct serve_server *s, int fd)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    s->mhd = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC, 0, NULL, NULL, on_request,
        s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (s->mhd != NULL)
        return ODP_OK;
    (void)close(fd);
    return odp_failure_set("serve: threads", NULL, EAGAIN);
}

enum odp_status serve_start(struct serve_server **out, const struct serve_options *o)
{
    int fd = -1;
    struct serve_server *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL)
        return odp_failure_set("serve", NULL, ENOMEM);
    s->o = *o;
    serve_reload_init(&s->reload);
    pthread_mutex_init(&s->form, NULL); /* cannot fail with default attributes */
    enum odp_status status = serve_view_new(&s->view);
    if (status == ODP_OK)
        status = make_token(s);
    if (status == ODP_OK)
        status = take_port(s, &fd);
    if (status == ODP_OK)
        status = start_daemon(s, fd);
    if (status == ODP_OK)
        *out = s;
    else
        serve_stop(s);
    return status;
}

unsigned serve_port(const struct serve_server *s)
{
    return s->o.port;
}

enum odp_status serve_show(struct serve_server *s, const char *site, struct odp_slice report)
{
    enum odp_status status =
        report.len > 0 ? serve_view_report(s->view, report) : serve_view_site(s->view, site);
    serve_reload_next(&s->reload);
    return status;
}

void serve_stop(struct serve_server *s)
{
    if (s == NULL)
        return;
    serve_reload_end(&s->reload);
    if (s->mhd != NULL)
        MHD_stop_daemon(s->mhd);
    serve_view_free(s->view);
    serve_reload_release(&s->reload);
    pthread_mutex_destroy(&s->form);
    free(s);
}
