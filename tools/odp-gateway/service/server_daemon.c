/* From libmicrohttpd's requests to calls and back. A request's raw address is taken before the library
 * decodes it (a %00 would end it there). */
#include <errno.h>
#include <microhttpd.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/dispatch.h"
#include "service/http/text.h"
#include "service/server_internal.h"
#include "service/state/log.h"
#include "service/state/clock.h"
#include "service/state/state_internal.h"
#include "words/service.h"

enum {
    IDLE_SECONDS = 10,
    CONTROL_IDLE_SECONDS = 600,
    QUERY_IDLE_SECONDS =
        65, /* longer than nginx keeps a connection: it never sends into one that is closing */
    CONNECTIONS = 2048,
    QUERY_CONNECTIONS = 512,
    HEADER_SIZE = 8192,
    HEADER_BUFFERS = 4,         /* as many as nginx takes of that size */
    QUERY_HEADERS_MAX = 262144, /* an address with 64 KiB of parameters, and what is made of it */
    QUERY_NICE = 5,
    DRAIN_MAX = 2 << 20,
    ACTOR = 80
};

struct odp_daemon {
    struct MHD_Daemon *mhd;
    struct odp_state *s;
    enum odp_door door;
    int fd; /* after quiescing it is ours again */
    _Atomic unsigned busy;
};

struct request {
    char *uri;
    struct odp_buffer body;
    struct odp_answer answer; /* lives until the last byte is sent */
    size_t seen;
    bool begun, counted;
};

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    odp_answer_init(&r->answer);
    r->uri = strdup(uri);
    return r;
}

static void on_end(void *cls, struct MHD_Connection *connection, void **con_cls,
                   enum MHD_RequestTerminationCode why)
{
    struct odp_daemon *d = cls;
    struct request *r = *con_cls;
    if (r == NULL)
        return;
    if (r->counted)
        atomic_fetch_sub(&d->busy, 1);
    if (r->body.ptr != NULL)
        explicit_bzero(r->body.ptr, r->body.cap);
    odp_buffer_release(&r->body);
    odp_answer_release(&r->answer);
    free(r->uri);
    free(r);
    *con_cls = NULL;
}

/* Headers that we read. DECIDES: it must not come twice. */
struct header {
    const char *name;
    size_t offset;
    bool decides;
};
#define HEADER(name, member, decides)                                                                        \
    {                                                                                                        \
        name, offsetof(struct odp_call, member), decides                                                     \
    }
static const struct header headers[] = {
    HEADER("Authorization", authorization, true),
    HEADER("Content-Type", content_type, true),
    HEADER("Accept-Language", accept_language, false),
    HEADER("Accept", accept, false),
    HEADER("Host", host, false),
    HEADER("Origin", origin, true),
    HEADER("Sec-Fetch-Site", fetch_site, true),
    HEADER("If-Match", if_match, false),
    HEADER("If-None-Match", if_none_match, false),
    HEADER("X-Odp-Account", account, true),
    HEADER("X-Odp-Tier", tier, true),
    HEADER("X-Odp-Origin", asked, true),
    HEADER("X-Odp-Client", client, true),
    HEADER("X-Odp-Client-Kind", client_kind, false),
    HEADER("X-Original-URI", original_uri, true),
    HEADER("X-Original-Method", original_method, true),
    HEADER("X-Forwarded-Uri", forwarded_uri, true),
    HEADER("X-Forwarded-Method", forwarded_method, true),
    HEADER("X-Odp-Code", problem_code, false),
    HEADER("X-Odp-Retry-After", problem_retry, false),
    HEADER("X-Odp-RateLimit", problem_limit, false),
    HEADER("X-Odp-RateLimit-Policy", problem_policy, false),
};

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct odp_call *c = cls;
    for (size_t i = 0; i < ODP_COUNT(headers); i++) {
        if (!odp_slice_is_nocase(odp_slice_of(key), headers[i].name))
            continue;
        struct odp_slice *at = (struct odp_slice *)(void *)((char *)c + headers[i].offset);
        if (at->ptr != NULL && headers[i].decides)
            c->ambiguous = true;
        if (at->ptr == NULL)
            *at = odp_slice_of(odp_or_empty(value));
    }
    return MHD_YES;
}

/* The user at the other end of the control socket: "command:sari". */
static void actor_of(struct MHD_Connection *connection, char out[ACTOR])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer;
    socklen_t n = sizeof peer;
    struct passwd pw, *found = NULL;
    char room[2048];
    (void)snprintf(out, ACTOR, "command:unknown");
    if (info == NULL || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
        return;
    if (getpwuid_r(peer.uid, &pw, room, sizeof room, &found) == 0 && found != NULL)
        (void)snprintf(out, ACTOR, "command:%s", pw.pw_name);
    else
        (void)snprintf(out, ACTOR, "command:%u", (unsigned)peer.uid);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct odp_answer *a, bool last)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(a->body.len, a->body.ptr, MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    char *line = (char *)(uintptr_t)odp_buffer_cstr(&a->headers);
    char *rest = NULL;
    for (line = strtok_r(line, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strstr(line, ": ");
        if (value == NULL)
            continue;
        *value = '\0';
        (void)MHD_add_response_header(response, line, value + 2);
    }
    if (a->status != 204)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, a->content_type);
    if (last)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result queued = MHD_queue_response(connection, (unsigned)a->status, response);
    MHD_destroy_response(response);
    return queued;
}

static void lower_priority(const struct odp_daemon *d)
{
    static _Thread_local bool lowered;
    if (d->door != ODP_DOOR_QUERY || lowered)
        return;
    odp_thread_stand_back(QUERY_NICE);
    lowered = true;
}

static enum MHD_Result answer(struct odp_daemon *d, struct MHD_Connection *connection, const char *method,
                              struct request *r, bool last)
{
    char actor[ACTOR];
    size_t raw = strcspn(r->uri, "?"), n = 0;
    lower_priority(d);
    odp_failure_clear(); /* this thread's, of an earlier call that went on */
    struct odp_call c = {.method = odp_slice_of(method), .door = d->door, .now_ms = odp_now_ms()};
    char *path = malloc(raw + 1);
    if (path == NULL)
        return MHD_NO;
    c.now = c.now_ms / 1000;
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, &c);
    if (r->uri[raw] == '?')
        c.query = odp_slice_of(r->uri + raw + 1);
    c.raw_path = (struct odp_slice){r->uri, raw};
    c.body = odp_buffer_slice(&r->body);
    if (d->door == ODP_DOOR_CONTROL) {
        actor_of(connection, actor);
        c.actor = actor;
    }
    if (odp_percent_decode((struct odp_slice){r->uri, raw}, path, &n)) {
        c.path = (struct odp_slice){path, n};
        odp_http_answer(d->s, &c, &r->answer);
    } else {
        c.lang = odp_lang_accept(c.accept_language);
        r->answer.s = d->s;
        r->answer.c = &c;
        odp_answer_problem(&r->answer, ODP_PROBLEM_BAD_REQUEST, NULL, NULL);
        r->answer.c = NULL;
    }
    free(path);
    return send_answer(connection, &r->answer, last);
}

static size_t body_max(const struct odp_daemon *d)
{
    return d->door == ODP_DOOR_QUERY ? odp_query_body_max(d->s) : ODP_BODY_MAX;
}

static bool announced_too_large(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length != NULL && strtoull(length, NULL, 10) > DRAIN_MAX;
}

/* Answered without reading it, and the connection closed: one byte more than is allowed says enough. What is
 * not that long is read and thrown away, because who is cut off while sending often does not see the answer.
 */
static enum MHD_Result too_large(struct odp_daemon *d, struct MHD_Connection *connection, const char *method,
                                 struct request *r)
{
    char *room = odp_buffer_reserve(&r->body, body_max(d) + 1);
    if (room == NULL)
        return MHD_NO;
    memset(room, ' ', body_max(d) + 1);
    r->body.len = body_max(d) + 1;
    return answer(d, connection, method, r, true);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data, size_t *size,
                                  void **con_cls)
{
    struct odp_daemon *d = cls;
    struct request *r = *con_cls;
    if (r == NULL || r->uri == NULL)
        return MHD_NO;
    if (!r->begun) {
        r->begun = r->counted = true;
        atomic_fetch_add(&d->busy, 1);
        return announced_too_large(connection) ? too_large(d, connection, method, r) : MHD_YES;
    }
    if (*size > 0) { /* a chunked body shows its length only as it comes */
        size_t room = body_max(d) + 1 - r->body.len, n = *size < room ? *size : room;
        odp_buffer_add(&r->body, data, n);
        r->seen += *size;
        *size = 0;
        return r->body.failed || r->seen > DRAIN_MAX ? MHD_NO : MHD_YES;
    }
    return answer(d, connection, method, r, false);
}

static void on_log(void *cls, const char *fmt, va_list args)
{
    (void)args; /* what clients do wrong on a connection is nginx's to log */
}

/* Bytes for all headers of a request, and what the library makes of them. */
static size_t headers_max(const struct odp_state *s)
{
    return HEADER_BUFFERS * (s->options != NULL && s->options->header_size > 0
                                 ? (size_t)s->options->header_size
                                 : HEADER_SIZE);
}

enum odp_status odp_daemon_start(struct odp_daemon **out, struct odp_state *s, enum odp_door door, int fd,
                                 unsigned threads, char why[ODP_WHY])
{
    *out = NULL;
    struct odp_daemon *d = calloc(1, sizeof *d);
    if (d == NULL) {
        close(fd);
        return odp_failure_set("daemon", NULL, ENOMEM);
    }
    *d = (struct odp_daemon){.s = s, .door = door, .fd = -1};
    bool query = door == ODP_DOOR_QUERY;
    unsigned idle = door == ODP_DOOR_CONTROL ? CONTROL_IDLE_SECONDS
                    : query                  ? QUERY_IDLE_SECONDS
                                             : IDLE_SECONDS;
    unsigned connections = query ? QUERY_CONNECTIONS : CONNECTIONS;
    size_t memory = query ? (size_t)QUERY_HEADERS_MAX : headers_max(s);
    unsigned how = MHD_USE_ITC | MHD_USE_ERROR_LOG;
    how |= threads > 0 ? (unsigned)MHD_USE_EPOLL_INTERNAL_THREAD
                       : (unsigned)(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION);
    d->mhd = MHD_start_daemon(
        how, 0, NULL, NULL, on_request, d, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET,
        fd, MHD_OPTION_URI_LOG_CALLBACK, on_uri, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_end, d,
        MHD_OPTION_CONNECTION_TIMEOUT, idle, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        threads > 0 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
    if (d->mhd == NULL) {
        close(fd);
        free(d);
        return odp_state_bad(why, W_service_no_threads);
    }
    *out = d;
    return ODP_OK;
}

void odp_daemon_quiesce(struct odp_daemon *d)
{
    if (d->fd < 0)
        d->fd = MHD_quiesce_daemon(d->mhd);
}

unsigned odp_daemon_busy(const struct odp_daemon *d)
{
    return atomic_load(&d->busy);
}

void odp_daemon_stop(struct odp_daemon *d)
{
    if (d == NULL)
        return;
    MHD_stop_daemon(d->mhd);
    if (d->fd >= 0)
        close(d->fd);
    free(d);
}
