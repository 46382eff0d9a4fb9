/* A scripted receiver of messages on loopback, and a caller that sends to many at once and collects the
 * outcomes. Each connection has a thread; no wait outlives the receiver. */
#pragma once
#include "run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "service/webhooks/deliver/sender_internal.h"

/* ---- a receiver ---- */

enum { LINKS_MAX = 512, TEXT_MAX = 64 * 1024 };

struct receiver;
/* One connection. SECURE belongs to who sets SHAKE. */
struct link {
    struct receiver *r;
    int fd;
    unsigned nth; /* from 1 */
    void *secure;
    pthread_t thread;
};
struct receiver {
    void (*talk)(struct link *l);
    const char *say; /* for those that say one thing */
    size_t say_len;
    bool (*shake)(struct link *l); /* NULL: no TLS */
    ssize_t (*get)(struct link *l, void *out, size_t n);
    ssize_t (*put)(struct link *l, const void *bytes, size_t n);
    void (*part)(struct link *l);
    void *secret;       /* of SHAKE */
    int listener, bell; /* an eventfd that rings once and for ever: the end */
    unsigned port;
    pthread_t thread;
    pthread_mutex_t lock;
    atomic_uint connections, requests, ended;
    unsigned nlinks;
    struct link links[LINKS_MAX];
    char text[TEXT_MAX]; /* the last request */
    size_t text_len;
};

static inline int64_t fixture_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until FD has something (or is at its end): 1; MS have passed: 0; the receiver is to end: -1. FD -1: just
 * waits. */
static inline int link_wait(struct link *l, int fd, int ms)
{
    struct pollfd p[2] = {{l->r->bell, POLLIN, 0}, {fd, POLLIN, 0}};
    int rc = poll(p, fd < 0 ? 1 : 2, ms);
    return rc < 0 || (p[0].revents & POLLIN) != 0 ? -1 : rc > 0;
}

static inline ssize_t plain_get(struct link *l, void *out, size_t n)
{
    return link_wait(l, l->fd, -1) == 1 ? recv(l->fd, out, n, 0) : -1;
}

static inline ssize_t plain_put(struct link *l, const void *bytes, size_t n)
{
    return send(l->fd, bytes, n, MSG_NOSIGNAL);
}

static inline bool link_put(struct link *l, const void *bytes, size_t n)
{
    for (const char *p = bytes; n > 0;) {
        ssize_t sent = l->r->put(l, p, n);
        if (sent <= 0)
            return false;
        p += sent, n -= (size_t)sent;
    }
    return true;
}

static inline bool link_say(struct link *l, const char *text)
{
    return link_put(l, text, strlen(text));
}

/* A whole request, kept as the receiver's last; false: the other side went. */
static inline bool link_request(struct link *l)
{
    char *text = malloc(TEXT_MAX);
    size_t len = 0, whole = 0;
    while (text != NULL && (whole == 0 || len < whole) && len < TEXT_MAX - 1) {
        ssize_t got = l->r->get(l, text + len, whole == 0 ? TEXT_MAX - 1 - len : whole - len);
        if (got <= 0)
            break;
        len += (size_t)got;
        text[len] = '\0';
        char *end = strstr(text, "\r\n\r\n"), *said = strcasestr(text, "\r\nContent-Length:");
        if (whole == 0 && end != NULL)
            whole =
                (size_t)(end + 4 - text) + (said != NULL && said < end ? strtoul(said + 17, NULL, 10) : 0);
    }
    bool got = whole > 0 && len == whole;
    if (got) {
        pthread_mutex_lock(&l->r->lock);
        memcpy(l->r->text, text, len + 1);
        l->r->text_len = len;
        pthread_mutex_unlock(&l->r->lock);
        atomic_fetch_add(&l->r->requests, 1);
    }
    free(text);
    return got;
}

static inline void link_reset(struct link *l)
{
    struct linger now = {1, 0};
    setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static inline void *link_run(void *ctx)
{
    struct link *l = ctx;
    if (l->r->shake == NULL || l->r->shake(l))
        l->r->talk(l);
    if (l->r->part != NULL)
        l->r->part(l);
    close(l->fd);
    atomic_fetch_add(&l->r->ended, 1);
    return NULL;
}

static inline void *receiver_run(void *ctx)
{
    struct receiver *r = ctx;
    struct link self = {.r = r};
    while (link_wait(&self, r->listener, -1) == 1) {
        int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        assert_true(r->nlinks < LINKS_MAX);
        struct link *l = &r->links[r->nlinks++];
        *l = (struct link){.r = r, .fd = fd, .nth = atomic_fetch_add(&r->connections, 1) + 1};
        assert_int_equal(pthread_create(&l->thread, NULL, link_run, l), 0);
    }
    return NULL;
}

/* On ADDRESS ("127.0.0.1" as a rule) and PORT (0: any). */
static inline void receiver_start_at(struct receiver *r, void (*talk)(struct link *l), const char *address,
                                     unsigned port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof a;
    sigset_t broken, before;
    int yes = 1;
    assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
    r->talk = talk;
    r->get = r->get != NULL ? r->get : plain_get;
    r->put = r->put != NULL ? r->put : plain_put;
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(r->listener >= 0);
    setsockopt(r->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(r->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(r->listener, 512), 0);
    assert_int_equal(getsockname(r->listener, (struct sockaddr *)&a, &len), 0);
    r->port = ntohs(a.sin_port);
    r->bell = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&r->lock, NULL);
    /* What TLS writes to a socket that is gone is no signal to the test, while one in the sender would be. */
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    assert_int_equal(pthread_create(&r->thread, NULL, receiver_run, r), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static inline struct receiver *receiver_start(void (*talk)(struct link *l), const char *say)
{
    struct receiver *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->say = say;
    r->say_len = say != NULL ? strlen(say) : 0;
    receiver_start_at(r, talk, "127.0.0.1", 0);
    return r;
}

static inline void receiver_stop(struct receiver *r)
{
    if (r == NULL)
        return;
    eventfd_write(r->bell, 1);
    pthread_join(r->thread, NULL);
    close(r->listener);
    for (unsigned i = 0; i < r->nlinks; i++) {
        if (atomic_load(&r->ended) < r->nlinks)
            (void)shutdown(r->links[i].fd, SHUT_RDWR);
        pthread_join(r->links[i].thread, NULL);
    }
    close(r->bell);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* The last request; steady while nothing is sent. */
static inline const char *receiver_text(struct receiver *r)
{
    pthread_mutex_lock(&r->lock);
    pthread_mutex_unlock(&r->lock);
    return r->text;
}

/* ---- a sender, and what it told ---- */

enum { TOLD_MAX = 4096 };
struct told {
    unsigned times;
    enum odp_outcome outcome;
    int status;
    int64_t retry_after, took_ms;
    char address[ODP_ADDRESS_TEXT];
    char answer[4096];
    size_t answer_len;
};
struct caller {
    struct odp_sender *s;
    struct told told[TOLD_MAX];
    size_t count;
};

/* TOKEN is the index + 1. */
static inline void caller_done(void *ctx, const struct odp_sent *r)
{
    struct caller *c = ctx;
    size_t i = (size_t)(uintptr_t)r->token - 1;
    assert_true(i < TOLD_MAX);
    struct told *t = &c->told[i];
    t->times++;
    t->outcome = r->outcome;
    t->status = r->status;
    t->retry_after = r->retry_after;
    t->took_ms = r->took_ms;
    memcpy(t->address, r->address, sizeof t->address);
    assert_true(r->answer.len < sizeof t->answer);
    if (r->answer.len > 0)
        memcpy(t->answer, r->answer.ptr, r->answer.len);
    t->answer[r->answer.len] = '\0';
    t->answer_len = r->answer.len;
    c->count++;
}

static inline struct odp_sender_options caller_options(void)
{
    return (struct odp_sender_options){
        .policy.loopback = true,
        .timeout_ms = 20000,
        .connect_ms = 20000,
        .user_agent = "tes/1 (+https://data.example.go.id/)",
    };
}

static inline struct caller *caller_new(const struct odp_sender_options *o)
{
    char why[512];
    struct caller *c = calloc(1, sizeof *c);
    assert_non_null(c);
    must(odp_sender_new(&c->s, o, why));
    return c;
}

static inline void caller_free(struct caller *c)
{
    odp_sender_free(c->s);
    free(c);
}

static inline void target_set(struct odp_target *t, const char *scheme, const char *host, unsigned port,
                              const char *path)
{
    memset(t, 0, sizeof *t);
    bool v6 = strchr(host, ':') != NULL;
    snprintf(t->url, sizeof t->url, "%s://%s%s%s:%u%s", scheme, v6 ? "[" : "", host, v6 ? "]" : "", port,
             path);
    snprintf(t->host, sizeof t->host, "%s", host);
    snprintf(t->place, sizeof t->place, "%s:%u", host, port);
    t->port = port;
    t->https = strcmp(scheme, "https") == 0;
}

static inline struct odp_sending message_to(const struct odp_target *t, size_t i)
{
    return (struct odp_sending){
        .token = (void *)(uintptr_t)(i + 1),
        .target = t,
        .id = "msg_2Lh9KRb0pzN4LePd3XiA4v9q7",
        .signature = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        .timestamp = 1710468000,
        .body = ODP_LIT("{\"type\":\"webhook.test\"}"),
    };
}

/* Waits until the outcome of message COUNT, or MS. */
static inline void caller_run(struct caller *c, size_t count, int64_t ms)
{
    for (int64_t until = fixture_now() + ms; c->count < count && fixture_now() < until;)
        must(odp_sender_run(c->s, 100, c, caller_done));
    assert_int_equal(c->count, count);
}

/* Sends one message and waits for its end. */
static inline struct told *caller_send(struct caller *c, const struct odp_target *t, size_t i,
                                       size_t answer_max)
{
    struct odp_sending m = message_to(t, i);
    m.answer_max = answer_max;
    memset(&c->told[i], 0, sizeof c->told[i]);
    must(odp_sender_add(c->s, &m));
    caller_run(c, c->count + 1, 60000);
    assert_int_equal(c->told[i].times, 1);
    return &c->told[i];
}

static inline void assert_outcome(const struct told *t, enum odp_outcome outcome, int status)
{
    assert_string_equal(odp_outcome_name(t->outcome), odp_outcome_name(outcome));
    assert_int_equal(t->status, status);
}

/* ---- how receivers talk ---- */

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* Answers every request with what it has to say. */
static inline void says(struct link *l)
{
    while (link_request(l) && link_put(l, l->r->say, l->r->say_len))
        ;
}

static inline void says_and_closes(struct link *l)
{
    if (link_request(l))
        link_put(l, l->r->say, l->r->say_len);
}

static inline void closes(struct link *l)
{
}

static inline void hangs(struct link *l)
{
    link_wait(l, -1, -1);
}

/* The header at once, of the body one byte every 100 ms, for ever. */
static inline void drips_body(struct link *l)
{
    link_request(l);
    link_say(l, "HTTP/1.1 200 OK\r\n\r\n");
    while (link_say(l, "x") && link_wait(l, -1, 100) == 0)
        ;
}

static inline void floods_header(struct link *l)
{
    link_request(l);
    link_say(l, "HTTP/1.1 200 OK\r\n");
    while (link_put(l, l->r->say, l->r->say_len) && link_wait(l, -1, 0) == 0)
        ;
}

/* ---- one receiver and one caller ---- */

struct wire {
    struct receiver *r;
    struct caller *c;
    struct odp_target t;
};

/* HOST over http, whose receiver is on loopback. O: NULL: caller_options. */
static inline struct wire wire_open(const char *host, void (*talk)(struct link *l), const char *say,
                                    const struct odp_sender_options *o)
{
    const struct odp_sender_options plain = caller_options();
    struct wire w = {.r = receiver_start(talk, say), .c = caller_new(o != NULL ? o : &plain)};
    target_set(&w.t, "http", host, w.r->port, "/");
    return w;
}

static inline void wire_close(struct wire *w)
{
    caller_free(w->c);
    receiver_stop(w->r);
}

/* Sends message I: what becomes of it. */
static inline void wire_sends(struct wire *w, size_t i, enum odp_outcome outcome, int status)
{
    assert_outcome(caller_send(w->c, &w->t, i, 0), outcome, status);
}
