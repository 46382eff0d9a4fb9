/* Tells browsers that there is a new build: each page holds a stream of events (/_odp/events) and loads
 * itself again when the number is no longer its own. Any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct serve_reload {
    pthread_mutex_t lock;
    pthread_cond_t news;
    uint64_t number; /* of the build that is shown; 0: the first is not done yet */
    uint64_t
        next; /* numbers begin at the time of day: those of a server that was stopped are no longer ours */
    bool ended;
};
void serve_reload_init(struct serve_reload *r);
void serve_reload_release(struct serve_reload *r);
void serve_reload_next(struct serve_reload *r); /* there is a new build */
void serve_reload_end(struct serve_reload *r);  /* streams end, and nobody waits any more */
/* The number of the build; waits for the first. 0: it has ended. */
uint64_t serve_reload_number(struct serve_reload *r);

/* One stream, as libmicrohttpd reads it: what to send now, after waiting for it; -1: the end. */
struct serve_stream {
    struct serve_reload *reload;
    uint64_t told;
};
ssize_t serve_stream_read(void *stream, uint64_t at, char *out, size_t room);
