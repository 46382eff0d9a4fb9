/* libcurl's sockets and its one timer on an epoll: only what is ready is looked at, so a message costs the same whatever else
 * is under way. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "service/webhooks/deliver/sender_internal.h"

enum { EVENTS = 64 };

void odp_loop_clock(struct odp_sender *s)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    s->now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int watch(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
    struct odp_sender *s = ctx;
    struct epoll_event e = {.data.fd = fd};
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, &e);
        return 0;
    }
    e.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0u) | (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0u);
    int rc = epoll_ctl(s->epoll, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
    if (rc != 0 && (errno == EEXIST || errno == ENOENT))
        rc = epoll_ctl(s->epoll, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
    if (rc == 0 && known == NULL)
        (void)curl_multi_assign(s->multi, fd, s);
    return rc == 0 ? 0 : -1;
}

static int set_timer(CURLM *multi, long ms, void *ctx)
{
    struct odp_sender *s = ctx;
    (void)multi;
    s->timer_at = ms < 0 ? INT64_MAX : s->now + ms;
    return 0;
}

enum odp_status odp_loop_open(struct odp_sender *s)
{
    if (s->multi != NULL)
        return ODP_OK;
    CURLM *m = curl_multi_init();
    s->timer_at = INT64_MAX;
    if (m == NULL || curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, watch) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_SOCKETDATA, s) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, set_timer) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERDATA, s) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, (long)s->connections) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)s->connections) != CURLM_OK) {
        (void)curl_multi_cleanup(m);
        return odp_failure_set("start libcurl", NULL, ENOMEM);
    }
    s->multi = m;
    return ODP_OK;
}

void odp_loop_close(struct odp_sender *s)
{
    if (s->multi != NULL)
        (void)curl_multi_cleanup(s->multi);
    s->multi = NULL;
    s->timer_at = INT64_MAX;
}

static bool act(struct odp_sender *s, curl_socket_t fd, int what)
{
    int running;
    if (fd == CURL_SOCKET_TIMEOUT)
        s->timer_at = INT64_MAX; /* it says anew when the next one is */
    return s->multi == NULL || curl_multi_socket_action(s->multi, fd, what, &running) == CURLM_OK;
}

enum odp_status odp_loop_timer(struct odp_sender *s)
{
    return s->timer_at > s->now || act(s, CURL_SOCKET_TIMEOUT, 0) ? ODP_OK : odp_failure_set("libcurl", NULL, 0);
}

enum odp_status odp_loop_wait(struct odp_sender *s, int64_t wait_ms)
{
    struct epoll_event events[EVENTS];
    bool fine = true;
    if (s->timer_at - s->now < wait_ms)
        wait_ms = s->timer_at > s->now ? s->timer_at - s->now : 0;
    int n = epoll_wait(s->epoll, events, EVENTS, (int)(wait_ms < 60000 ? wait_ms : 60000));
    if (n < 0 && errno != EINTR)
        return odp_failure_set("epoll_wait", NULL, errno);
    odp_loop_clock(s);
    for (int i = 0; i < n; i++) {
        eventfd_t count;
        uint32_t got = events[i].events;
        int what = (got & EPOLLIN ? CURL_CSELECT_IN : 0) | (got & EPOLLOUT ? CURL_CSELECT_OUT : 0);
        if (events[i].data.fd == s->wake)
            (void)eventfd_read(s->wake, &count);
        else
            fine = act(s, events[i].data.fd, what != 0 ? what : CURL_CSELECT_IN) && fine;
    }
    return fine ? ODP_OK : odp_failure_set("libcurl", NULL, 0);
}
