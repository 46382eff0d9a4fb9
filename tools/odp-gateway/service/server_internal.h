/* What the parts of the server share: listening sockets, the daemons on them, the ticker. */
#pragma once

#include "service/http/http.h"
#include "service/http/web.h"

/* A listening unix socket at PATH with MODE. What is there already is removed if it is a socket nobody
 * listens on. BAD: WHY. */
enum odp_status odp_listen_unix(int *fd, const char *path, unsigned mode, char why[ODP_WHY]) ODP_MUST_USE;
/* "127.0.0.1:9145", "[::1]:9145", "localhost:9145". LOOPBACK: refuse any other address. */
enum odp_status odp_listen_tcp(int *fd, const char *address, bool loopback, char why[ODP_WHY]) ODP_MUST_USE;

/* One HTTP daemon on FD, which it owns from then on, also after a failure. THREADS: events of all connections
 * are divided among so many; 0: each connection has a thread of its own, in which an answer may take its time
 * (the query door; it works with less priority than nginx). */
struct odp_daemon;
enum odp_status odp_daemon_start(struct odp_daemon **out, struct odp_state *s, enum odp_door door, int fd,
                                 unsigned threads, char why[ODP_WHY]) ODP_MUST_USE;
void odp_daemon_quiesce(struct odp_daemon *d);        /* no new connections */
unsigned odp_daemon_busy(const struct odp_daemon *d); /* requests being answered */
void odp_daemon_stop(struct odp_daemon *d);           /* NULL is allowed; frees */

/* The ticker's memory: what was wrong when last looked, so that each thing is logged once. */
struct odp_ticker {
    int flush, room, site, settings, sync, writer, redis, queries, prune;
};
/* Once a second: counts into the store, the site's switch, one round of exchange, what has run out is
 * removed. */
void odp_tick(struct odp_state *s, struct odp_ticker *t, int64_t now_ms);
/* Between ticks, some times a second: whether the site was switched (readlink and stat). If it was, what a
 * tick does about that. */
void odp_tick_look(struct odp_state *s, struct odp_ticker *t, int64_t now_ms);
