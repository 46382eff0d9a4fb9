#include "serve/reload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { HEARTBEAT = 10 }; /* seconds: a browser that has gone is noticed by what cannot be sent to it */

void serve_reload_init(struct serve_reload *r)
{
    *r = (struct serve_reload){.next = (uint64_t)time(NULL)};
    pthread_mutex_init(&r->lock, NULL); /* cannot fail with default attributes */
    pthread_cond_init(&r->news, NULL);
}

void serve_reload_release(struct serve_reload *r)
{
    pthread_cond_destroy(&r->news);
    pthread_mutex_destroy(&r->lock);
}

void serve_reload_next(struct serve_reload *r)
{
    pthread_mutex_lock(&r->lock);
    r->number = r->next++;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

void serve_reload_end(struct serve_reload *r)
{
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

uint64_t serve_reload_number(struct serve_reload *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->number == 0 && !r->ended)
        pthread_cond_wait(&r->news, &r->lock);
    uint64_t number = r->ended ? 0 : r->number;
    pthread_mutex_unlock(&r->lock);
    return number;
}

ssize_t serve_stream_read(void *stream, uint64_t at, char *out, size_t room)
{
    struct serve_stream *s = stream;
    struct serve_reload *r = s->reload;
    struct timespec until;
    if (at == 0)
        return snprintf(out, room, "retry: 500\n\n");
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HEARTBEAT;
    int waited = 0;
    pthread_mutex_lock(&r->lock);
    while (r->number == s->told && !r->ended && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&r->news, &r->lock, &until);
    bool ended = r->ended, news = r->number != s->told;
    s->told = r->number;
    pthread_mutex_unlock(&r->lock);
    if (ended)
        return -1;
    return news ? snprintf(out, room, "event: build\ndata: %" PRIu64 "\n\n", s->told)
                : snprintf(out, room, ":\n\n");
}
