/* The service: its listeners, its ticker, its clean end. */
#include "service/server.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "service/accounts/mail.h"
#include "service/queries/queries.h"
#include "service/server_internal.h"
#include "service/state/log.h"
#include "service/state/clock.h"
#include "service/state/state_internal.h"
#include "service/webhooks/webhooks.h"
#include "words/service.h"
#include "words/state.h"

enum { DAEMONS = 5, POLL_MS = 50, TICK_MS = 1000, LAST_MS = 500, PATH_LEN = 4096 };

struct server {
    struct odp_daemon *daemons[DAEMONS];
    size_t n;
    char service[PATH_LEN], control[PATH_LEN], query[PATH_LEN]; /* "" until they are ours */
};

static void pause_ms(int ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000L};
    nanosleep(&t, NULL); /* a signal ends it early, which is what *stop needs */
}

static enum odp_status add(struct server *v, struct odp_state *s, enum odp_door door, int fd,
                           unsigned threads, char why[ODP_WHY])
{
    enum odp_status st = odp_daemon_start(&v->daemons[v->n], s, door, fd, threads, why);
    if (st == ODP_OK)
        v->n++;
    return st;
}

struct unix_socket {
    const char *name;
    char *path; /* of PATH_LEN, set when the socket is ours */
    enum odp_door door;
    unsigned mode, threads;
};

static enum odp_status add_unix(struct server *v, struct odp_state *s, const struct unix_socket *u,
                                char why[ODP_WHY])
{
    int fd = -1;
    char full[PATH_LEN];
    int n = snprintf(full, sizeof full, "%s/run/%s.sock", s->options->state_dir, u->name);
    if (n < 0 || (size_t)n >= sizeof full)
        return odp_state_bad(why, W_state_path_too_long);
    enum odp_status st = odp_listen_unix(&fd, full, u->mode, why);
    if (st == ODP_OK) {
        (void)snprintf(u->path, PATH_LEN, "%s", full);
        st = add(v, s, u->door, fd, u->threads, why);
    }
    return st;
}

static enum odp_status start(struct server *v, struct odp_state *s, char why[ODP_WHY])
{
    const struct odp_service_options *o = s->options;
    const struct unix_socket sockets[] = {
        {"service", v->service, ODP_DOOR_SERVICE, 0660, 4},
        /* a thread a connection: queries wait in their own, see gate.h */
        {"query", v->query, ODP_DOOR_QUERY, 0660, 0},
        {"control", v->control, ODP_DOOR_CONTROL, 0600, 2},
    };
    enum odp_status st = ODP_OK;
    char run[PATH_LEN];
    int fd = -1;
    (void)snprintf(run, sizeof run, "%s/run", o->state_dir);
    if (mkdir(run, 0700) != 0 && errno != EEXIST)
        return odp_state_bad(why, W_state_folder_not_made, run, odp_state_reason(errno));
    for (size_t i = 0; i < ODP_COUNT(sockets) && st == ODP_OK; i++)
        st = add_unix(v, s, &sockets[i], why);
    if (st == ODP_OK && o->metrics_listen != NULL) {
        st = odp_listen_tcp(&fd, o->metrics_listen, false, why);
        st = st == ODP_OK ? add(v, s, ODP_DOOR_METRICS, fd, 2, why) : st;
    }
    if (st == ODP_OK && o->auth_listen != NULL) {
        st = odp_listen_tcp(&fd, o->auth_listen, true, why);
        st = st == ODP_OK ? add(v, s, ODP_DOOR_AUTH, fd, 2, why) : st;
    }
    return st;
}

/* No new connections, then a moment for what is being answered. */
static void stop_all(struct server *v)
{
    int64_t until = odp_clock_ms() + LAST_MS;
    for (size_t i = 0; i < v->n; i++)
        odp_daemon_quiesce(v->daemons[i]);
    for (bool busy = v->n > 0; busy && odp_clock_ms() < until;) {
        busy = false;
        for (size_t i = 0; i < v->n; i++)
            busy = busy || odp_daemon_busy(v->daemons[i]) > 0;
        if (busy)
            pause_ms(5);
    }
    for (size_t i = 0; i < v->n; i++)
        odp_daemon_stop(v->daemons[i]);
    if (v->service[0] != '\0')
        (void)unlink(v->service);
    if (v->control[0] != '\0')
        (void)unlink(v->control);
    if (v->query[0] != '\0')
        (void)unlink(v->query);
}

/* Who maps a file that was cut dies of reading it, and puts keys into one that was exchanged for nobody: the
 * service ends instead, is started again, and makes the table anew from the store. */
static enum odp_status check_table(const struct odp_state *s, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    if (odp_keytable_is_current(s->table, odp_state_file(path, s->options->state_dir, "keys.table")))
        return ODP_OK;
    return odp_state_bad(why, W_service_table_gone, path);
}

/* What is written into a store that was taken away would be gone with this process. */
static enum odp_status check_store(struct odp_state *s, char why[ODP_WHY])
{
    if (s->db == NULL)
        return ODP_OK;
    pthread_mutex_lock(&s->mutex);
    bool stands = odp_store_in_place(s->db);
    enum odp_status st = stands ? ODP_OK : odp_store_put_back(s->db);
    pthread_mutex_unlock(&s->mutex);
    if (stands || st != ODP_OK)
        return st;
    return odp_state_bad(why, W_service_store_gone, s->options->state_dir);
}

/* Whose socket was removed can be asked by nobody. */
static enum odp_status check_doors(const struct server *v, char why[ODP_WHY])
{
    const char *const paths[] = {v->service, v->query, v->control};
    for (size_t i = 0; i < ODP_COUNT(paths); i++)
        if (access(paths[i], F_OK) != 0)
            return odp_state_bad(why, W_service_socket_gone, paths[i]);
    return ODP_OK;
}

static enum odp_status run(const struct server *v, struct odp_state *s, struct odp_ticker *t,
                           atomic_bool *stop, char why[ODP_WHY])
{
    odp_thread_stand_back(10); /* what it does every second must not keep nginx waiting on a busy core */
    int64_t next = odp_clock_ms() + TICK_MS;
    while (!*stop) {
        pause_ms(POLL_MS);
        int64_t now = odp_clock_ms();
        if (*stop)
            break;
        odp_tick_look(s, t, odp_now_ms());
        if (now < next)
            continue;
        enum odp_status st = check_store(s, why);
        if (st == ODP_OK)
            st = check_table(s, why);
        if (st == ODP_OK)
            st = check_doors(v, why);
        if (st != ODP_OK)
            return st;
        odp_tick(s, t, odp_now_ms());
        next = now - next > TICK_MS ? now + TICK_MS : next + TICK_MS; /* a long tick is not caught up with */
    }
    return ODP_OK;
}

/* Of the writer, unless the operator wants none; before the first door opens, since calls ask for them. */
static enum odp_status make_webhooks(struct odp_state *s, char why[ODP_WHY])
{
    struct odp_webhooks *w = NULL;
    if (!s->writer || s->db == NULL || s->options->no_webhooks)
        return ODP_OK;
    enum odp_status st = odp_webhooks_new(&w, s, why);
    s->web->webhooks = w;
    return st;
}

enum odp_status odp_server_run(struct odp_state *s, atomic_bool *stop, void (*ready)(void *ctx), void *ctx,
                               char why[ODP_WHY])
{
    struct server v = {0};
    struct odp_ticker t = {0};
    why[0] = '\0';
    if (!s->writer && s->options->writer == NULL)
        return odp_state_bad(why, W_state_writer_unknown, s->options->state_dir);
    enum odp_status st = odp_web_new(&s->web);
    if (st == ODP_OK)
        st = odp_queries_new(&s->web->queries, s->options, why);
    if (st == ODP_OK && s->options->sendmail != NULL)
        st = odp_mailer_new(&s->web->mailer, s);
    if (st == ODP_OK)
        st = make_webhooks(s, why);
    if (st == ODP_OK) {
        odp_tick(s, &t, odp_now_ms());
        if (s->web->webhooks != NULL)
            st = odp_webhooks_start(s->web->webhooks);
    }
    if (st == ODP_OK)
        st = start(&v, s, why);
    if (st == ODP_OK && ready != NULL)
        ready(ctx);
    if (st == ODP_OK)
        st = run(&v, s, &t, stop, why);
    stop_all(&v);
    struct odp_web *web = s->web;
    if (web != NULL) {
        odp_webhooks_free(web->webhooks);
        web->webhooks = NULL;
        odp_mailer_free(web->mailer);
    }
    s->web = NULL;
    odp_web_free(web);
    return st;
}
