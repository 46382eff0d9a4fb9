#include "command/pull/fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { TRIES = 3, PARALLEL_MAX = 64, PATH_LEN = 4096 };

/* One transfer under way. */
struct transfer {
    CURL *easy;
    struct fetch_job *job;
    struct odp_file *file;
    uint64_t got;
    bool too_long, machine;
    char part[PATH_LEN];
};

char *fetch_url(struct odp_arena *a, const char *base, const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, base);
    while (b.len > 0 && b.ptr[b.len - 1] == '/')
        b.len--;
    odp_buffer_add_char(&b, '/');
    for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++) {
        if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
            strchr("-._~/", *p) != NULL) {
            odp_buffer_add_char(&b, (char)*p);
        } else {
            odp_buffer_add_char(&b, '%');
            odp_buffer_add_char(&b, hex[*p >> 4]);
            odp_buffer_add_char(&b, hex[*p & 15]);
        }
    }
    char *url = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return url;
}

/* What every transfer has: no other protocols, no way down from https to http, no waiting for ever. */
static bool set_common(CURL *c, const char *url)
{
    bool secure = strncmp(url, "https:", 6) == 0;
    return curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https,file") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https") == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_MAXREDIRS, 5L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 15L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 100L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, 30L) == CURLE_OK &&
           curl_easy_setopt(c, CURLOPT_USERAGENT, "odp-gateway/" ODP_VERSION) == CURLE_OK;
}

static enum fetch_result result_of(CURLcode e, long status)
{
    if (e == CURLE_OK)
        return FETCH_OK;
    if (e == CURLE_FILE_COULDNT_READ_FILE || e == CURLE_UNSUPPORTED_PROTOCOL || e == CURLE_URL_MALFORMAT ||
        e == CURLE_PEER_FAILED_VERIFICATION || e == CURLE_SSL_CACERT_BADFILE || e == CURLE_TOO_MANY_REDIRECTS)
        return FETCH_REFUSED;
    if (e == CURLE_HTTP_RETURNED_ERROR && status < 500 && status != 429 && status != 408)
        return FETCH_REFUSED;
    return FETCH_LOST;
}

/* ---- one into memory ---- */

struct text_sink {
    struct odp_buffer *out;
    size_t max;
};

static size_t take_text(char *bytes, size_t size, size_t n, void *ctx)
{
    struct text_sink *s = ctx;
    if (s->out->len + n > s->max)
        return 0;
    odp_buffer_add(s->out, bytes, n);
    return s->out->failed ? 0 : n;
}

enum fetch_result fetch_text(const char *url, size_t max, struct odp_buffer *out, long *status, char why[200])
{
    struct text_sink sink = {out, max};
    CURL *c = curl_easy_init();
    enum fetch_result result = FETCH_FAILED;
    *status = 0;
    why[0] = '\0';
    if (c != NULL && set_common(c, url) &&
        curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_text) == CURLE_OK &&
        curl_easy_setopt(c, CURLOPT_WRITEDATA, &sink) == CURLE_OK &&
        curl_easy_setopt(c, CURLOPT_TIMEOUT, 600L) == CURLE_OK) {
        CURLcode e = CURLE_OK;
        result = FETCH_LOST;
        for (int i = 0; i < TRIES && result == FETCH_LOST; i++) {
            odp_buffer_clear(out);
            e = curl_easy_perform(c);
            (void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, status);
            result = result_of(e, *status);
        }
        if (*status >= 400)
            (void)snprintf(why, 200, "HTTP %ld", *status);
        else if (e != CURLE_OK)
            (void)snprintf(why, 200, "%s", curl_easy_strerror(e));
        if (out->failed)
            (void)odp_failure_set("fetch", url, ENOMEM);
    } else {
        (void)odp_failure_set("start libcurl for", url,
                              ENOMEM); /* these settings it refuses for want of memory alone */
    }
    curl_easy_cleanup(c);
    return out->failed ? FETCH_FAILED : result;
}

/* ---- many into files ---- */

static size_t take_bytes(char *bytes, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    t->too_long = t->got + n > t->job->size;
    if (t->too_long)
        return 0;
    if (odp_file_write(t->file, bytes, n) != ODP_OK) {
        t->machine = true;
        return 0;
    }
    t->got += n;
    return n;
}

static bool begin(struct transfer *t, struct fetch_job *job, CURLM *multi)
{
    t->job = job;
    t->got = 0;
    t->too_long = t->machine = false;
    (void)snprintf(t->part, sizeof t->part, "%.4000s.part", job->target);
    if (unlink(t->part) != 0 && errno != ENOENT) {
        (void)odp_failure_set("remove", t->part, errno);
        return false;
    }
    if (odp_file_create(&t->file, t->part, 0444) != ODP_OK)
        return false;
    t->easy = t->easy != NULL ? t->easy : curl_easy_init();
    if (t->easy == NULL || !set_common(t->easy, job->url) ||
        curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, take_bytes) != CURLE_OK ||
        curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t) != CURLE_OK ||
        curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t) != CURLE_OK ||
        curl_multi_add_handle(multi, t->easy) != CURLM_OK) {
        odp_file_discard(t->file);
        t->file = NULL;
        (void)odp_failure_set("start libcurl for", job->url, ENOMEM);
        return false;
    }
    return true;
}

static void finish(struct transfer *t, CURLcode e, CURLM *multi)
{
    struct fetch_job *job = t->job;
    struct odp_file_info info = {0};
    (void)curl_multi_remove_handle(multi, t->easy);
    (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &job->status);
    job->result = t->machine ? FETCH_FAILED : t->too_long ? FETCH_WRONG : result_of(e, job->status);
    if (job->status >= 400)
        (void)snprintf(job->why, sizeof job->why, "HTTP %ld", job->status);
    else
        (void)snprintf(job->why, sizeof job->why, "%s",
                       job->result == FETCH_WRONG ? "" : curl_easy_strerror(e));
    if (job->result != FETCH_OK) {
        odp_file_discard(t->file);
    } else if (odp_file_close(t->file, &info) != ODP_OK) {
        job->result = FETCH_FAILED;
    } else if (info.size != job->size || memcmp(info.sha256, job->sha256, sizeof info.sha256) != 0) {
        job->result = FETCH_WRONG;
        (void)unlink(t->part);
    } else if (odp_file_rename(t->part, job->target) != ODP_OK) {
        job->result = FETCH_FAILED;
    }
    t->file = NULL;
    t->job = NULL;
}

struct fetching {
    CURLM *multi;
    struct transfer *transfers;
    unsigned parallel, running;
    struct fetch_job *jobs;
    size_t n, next;
    unsigned char *tries;
    bool stopped;
};

static void start_more(struct fetching *f)
{
    for (unsigned i = 0; i < f->parallel && !f->stopped && f->next < f->n; i++)
        if (f->transfers[i].job == NULL) {
            if (begin(&f->transfers[i], &f->jobs[f->next], f->multi)) {
                f->running++;
                f->next++;
            } else {
                f->jobs[f->next].result = FETCH_FAILED;
                f->stopped = true;
            }
        }
}

static void take_finished(struct fetching *f)
{
    int left;
    for (CURLMsg *m = curl_multi_info_read(f->multi, &left); m != NULL;
         m = curl_multi_info_read(f->multi, &left)) {
        struct transfer *t = NULL;
        if (m->msg != CURLMSG_DONE ||
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t) != CURLE_OK || t == NULL ||
            t->job == NULL)
            continue;
        struct fetch_job *job = t->job;
        finish(t, m->data.result, f->multi);
        f->running--;
        size_t i = (size_t)(job - f->jobs);
        if (job->result == FETCH_LOST && ++f->tries[i] < TRIES && !f->stopped) {
            struct timespec pause = {.tv_nsec = 200000000L * f->tries[i]};
            nanosleep(&pause, NULL);
            if (begin(t, job, f->multi)) {
                job->result = FETCH_WAITING;
                f->running++;
            } else {
                job->result = FETCH_FAILED;
            }
        }
        f->stopped = f->stopped || (job->result != FETCH_OK && job->result != FETCH_WAITING);
    }
}

bool fetch_all(struct fetch_job *jobs, size_t n, unsigned parallel)
{
    struct fetching f = {.jobs = jobs,
                         .n = n,
                         .parallel = parallel > PARALLEL_MAX ? PARALLEL_MAX
                                     : parallel > 0          ? parallel
                                                             : 1};
    bool ok = true;
    f.multi = curl_multi_init();
    f.transfers = calloc(f.parallel, sizeof *f.transfers);
    f.tries = calloc(n > 0 ? n : 1, 1);
    f.stopped = f.multi == NULL || f.transfers == NULL || f.tries == NULL;
    if (f.stopped) {
        (void)odp_failure_set("fetch", NULL, ENOMEM);
        ok = false;
    }
    while (!f.stopped && (f.running > 0 || f.next < n)) {
        int running;
        start_more(&f);
        CURLMcode e = curl_multi_perform(f.multi, &running);
        if (e == CURLM_OK &&
            running >
                0) /* with nothing under way (files are read at once), poll would wait for its whole time */
            e = curl_multi_poll(f.multi, NULL, 0, 1000, NULL);
        if (e != CURLM_OK) {
            (void)odp_failure_set("fetch with libcurl:", curl_multi_strerror(e), 0);
            f.stopped = true;
            ok = false;
        }
        take_finished(&f);
    }
    for (unsigned i = 0; f.transfers != NULL && i < f.parallel; i++) {
        struct transfer *t = &f.transfers[i];
        if (t->job != NULL) {
            (void)curl_multi_remove_handle(f.multi, t->easy);
            odp_file_discard(t->file);
        }
        curl_easy_cleanup(t->easy);
    }
    for (size_t i = 0; i < n; i++)
        ok = ok && jobs[i].result == FETCH_OK;
    free(f.transfers);
    free(f.tries);
    curl_multi_cleanup(f.multi);
    return ok;
}
