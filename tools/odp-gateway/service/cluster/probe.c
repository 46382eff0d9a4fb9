/* A replica's look at its writer: HEAD <writer>/auth/tiers every five seconds. What does not answer, or
 * answers 5xx, is not reachable. */
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "service/cluster/cluster_internal.h"
#include "service/state/log.h"

static const long connect_ms = 2000, whole_ms = 4000;
static const int64_t probe_every_ms = 5000, probe_again_ms = 1000;

static int stopped(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    return odp_sync_stopped(ctx) ? 1 : 0;
}

static size_t drop(char *p, size_t size, size_t n, void *ctx)
{
    (void)p, (void)ctx;
    return size * n;
}

static CURL *prepare(struct odp_sync *y)
{
    char url[1024];
    const char *writer = y->s->options->writer;
    size_t len = strlen(writer);
    while (len > 0 && writer[len - 1] == '/')
        len--;
    int n = snprintf(url, sizeof url, "%.*s/auth/tiers", (int)(len < sizeof url ? len : sizeof url), writer);
    CURL *c = n > 0 && (size_t)n < sizeof url ? curl_easy_init() : NULL;
    if (c == NULL)
        return NULL;
    CURLcode rc = curl_easy_setopt(c, CURLOPT_URL, url);
    rc |= curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
    rc |= curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    rc |= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    rc |= curl_easy_setopt(c, CURLOPT_PROXY, "");
    rc |= curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    rc |= curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, whole_ms);
    rc |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, drop);
    rc |= curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    rc |= curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, stopped);
    rc |= curl_easy_setopt(c, CURLOPT_XFERINFODATA, y);
    if (rc == CURLE_OK)
        return c;
    curl_easy_cleanup(c);
    return NULL;
}

static bool reachable(CURL *c)
{
    long status = 0;
    return curl_easy_perform(c) == CURLE_OK &&
           curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status >= 200 && status < 500;
}

/* Until the time has come or the service stops. */
static void rest(struct odp_sync *y, int64_t ms)
{
    struct timespec until = odp_clock_after(ms);
    pthread_mutex_lock(&y->mutex);
    while (!odp_sync_stopped(y) && pthread_cond_timedwait(&y->stopping, &y->mutex, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&y->mutex);
}

void *odp_sync_probe(void *ctx)
{
    struct odp_sync *y = ctx;
    CURL *c = prepare(y);
    if (c == NULL)
        odp_log("error", "--writer: not an address that can be asked");
    while (!odp_sync_stopped(y)) {
        bool there = c != NULL && reachable(c);
        atomic_store(&y->writer_reachable, there);
        pthread_mutex_lock(&y->mutex);
        y->probe_made = true;
        pthread_cond_broadcast(&y->done);
        pthread_mutex_unlock(&y->mutex);
        rest(y, there || c == NULL ? probe_every_ms : probe_again_ms);
    }
    if (c != NULL)
        curl_easy_cleanup(c);
    return NULL;
}
