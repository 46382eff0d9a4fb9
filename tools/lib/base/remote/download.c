#include "base/remote/download.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/monotonic.h"

enum { PARALLEL_MAX = 64, LONGEST_PAUSE = 30 /* seconds that a server may ask for */ };

/* One transfer: under way, asleep before it is repeated (wake > 0), or free (job NULL). */
struct slot {
    CURL *easy;
    struct curl_slist *headers;
    struct odp_download *job;
    struct odp_file *file;
    char *part; /* in the arena */
    struct odp_arena arena;
    uint64_t got;
    size_t before; /* bytes of a text's buffer before the transfer */
    unsigned tries;
    double wake;
    bool larger, failed;
};

struct odp_downloader {
    struct odp_download_rules rules;
    CURLM *multi;
    struct slot slots[PARALLEL_MAX];
    struct odp_download *jobs; /* of the run */
    size_t n, next;
    uint64_t done;
    bool stopped;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static void start_curl(void)
{
    ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

struct odp_downloader *odp_downloader_new(const struct odp_download_rules *rules)
{
    struct odp_downloader *d = calloc(1, sizeof *d);
    if (d == NULL || pthread_once(&once, start_curl) != 0 || !ready ||
        (d->multi = curl_multi_init()) == NULL) {
        free(d);
        return NULL;
    }
    d->rules = *rules;
    if (d->rules.parallel > PARALLEL_MAX)
        d->rules.parallel = PARALLEL_MAX;
    for (size_t i = 0; i < PARALLEL_MAX; i++)
        odp_arena_init(&d->slots[i].arena);
    return d;
}

void odp_download_address(struct odp_buffer *out, const char *base, const char *path)
{
    size_t n = strlen(base);
    while (n > 0 && base[n - 1] == '/')
        n--;
    odp_buffer_add(out, base, n);
    odp_buffer_add_char(out, '/');
    for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                     strchr("-._~/", *p) != NULL;
        odp_buffer_printf(out, plain ? "%c" : "%%%02X", *p);
    }
}

/* ---- one transfer ---- */

static size_t take(char *bytes, size_t size, size_t n, void *ctx)
{
    struct slot *s = ctx;
    s->larger = n > s->job->size - s->got;
    if (s->larger)
        return 0;
    if (s->file != NULL) {
        s->failed = odp_file_write(s->file, bytes, n) != ODP_OK;
    } else {
        odp_buffer_add(s->job->out, bytes, n);
        s->failed = s->job->out->failed;
    }
    s->got += n;
    return s->failed ? 0 : n;
}

static bool set_options(const struct odp_downloader *d, struct slot *s)
{
    const bool secure = strncasecmp(s->job->url, "https:", 6) == 0;
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {{CURLOPT_FOLLOWLOCATION, 1}, {CURLOPT_MAXREDIRS, 5},       {CURLOPT_FAILONERROR, 1},
                   {CURLOPT_NOSIGNAL, 1},       {CURLOPT_CONNECTTIMEOUT, 15}, {CURLOPT_LOW_SPEED_LIMIT, 100},
                   {CURLOPT_LOW_SPEED_TIME, 30}};
    const struct {
        CURLoption option;
        const char *value;
    } texts[] = {{CURLOPT_URL, s->job->url},
                 {CURLOPT_PROTOCOLS_STR, d->rules.protocols},
                 {CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : d->rules.redirects},
                 {CURLOPT_USERAGENT, d->rules.agent}};
    bool ok = true;
    if (s->job->header != NULL)
        s->headers = curl_slist_append(NULL, s->job->header);
    for (size_t i = 0; i < ODP_COUNT(numbers); i++)
        ok = curl_easy_setopt(s->easy, numbers[i].option, numbers[i].value) == CURLE_OK && ok;
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        ok = curl_easy_setopt(s->easy, texts[i].option, texts[i].value) == CURLE_OK && ok;
    return ok && (s->job->header == NULL || s->headers != NULL) &&
           curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers) == CURLE_OK &&
           curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, take) == CURLE_OK &&
           curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s) == CURLE_OK &&
           curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s) == CURLE_OK;
}

static bool open_target(struct slot *s)
{
    if (s->job->target == NULL) {
        s->job->out->len = s->before;
        return true;
    }
    s->part = odp_arena_printf(&s->arena, "%s.part", s->job->target);
    if (unlink(s->part) != 0 && errno != ENOENT) {
        (void)odp_failure_set("remove", s->part, errno);
        return false;
    }
    return odp_file_create(&s->file, s->part, 0444) == ODP_OK;
}

/* Begins the slot's job, or begins it again. False: this machine failed. */
static bool begin(struct odp_downloader *d, struct slot *s)
{
    s->got = 0;
    s->wake = 0;
    s->larger = s->failed = false;
    if (!open_target(s))
        return false;
    if (s->easy == NULL)
        s->easy = curl_easy_init();
    if (s->easy != NULL && set_options(d, s) && curl_multi_add_handle(d->multi, s->easy) == CURLM_OK)
        return true;
    (void)odp_failure_set("prepare the request of", s->job->url, ENOMEM);
    return false;
}

static void free_slot(struct slot *s)
{
    odp_file_discard(s->file);
    s->file = NULL;
    s->job = NULL;
    s->wake = 0;
    odp_arena_reset(&s->arena);
}

static enum odp_download_result judge(CURLcode e, long status)
{
    switch (e) {
    case CURLE_OK:
        return status == 200 || status == 0 ? ODP_DOWNLOAD_OK : ODP_DOWNLOAD_REFUSED; /* 0: file:// */
    case CURLE_HTTP_RETURNED_ERROR:
        if (status == 404 || status == 410)
            return ODP_DOWNLOAD_ABSENT;
        return status >= 500 || status == 429 || status == 408 ? ODP_DOWNLOAD_LOST : ODP_DOWNLOAD_REFUSED;
    case CURLE_FILE_COULDNT_READ_FILE:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_FILESIZE_EXCEEDED:
        return ODP_DOWNLOAD_REFUSED;
    default:
        return ODP_DOWNLOAD_LOST;
    }
}

/* A file that came to its end gets its name where it is what was promised. */
static enum odp_download_result adopt(struct slot *s)
{
    struct odp_file_info info;
    const struct odp_download *job = s->job;
    struct odp_file *file = s->file;
    s->file = NULL;
    if (file == NULL)
        return ODP_DOWNLOAD_OK;
    if (odp_file_close(file, &info) != ODP_OK)
        return ODP_DOWNLOAD_FAILED;
    if (info.size == job->size &&
        (job->sha256 == NULL || memcmp(info.sha256, job->sha256, sizeof info.sha256) == 0))
        return odp_file_rename(s->part, job->target) == ODP_OK ? ODP_DOWNLOAD_OK : ODP_DOWNLOAD_FAILED;
    (void)unlink(s->part);
    return ODP_DOWNLOAD_WRONG;
}

/* Seconds before the next try. */
static double pause_of(const struct slot *s)
{
    double pause = 0.3 * (double)(1u << (s->tries - 1));
    curl_off_t asked = 0;
    if (curl_easy_getinfo(s->easy, CURLINFO_RETRY_AFTER, &asked) != CURLE_OK || (double)asked < pause)
        return pause;
    return asked < LONGEST_PAUSE ? (double)asked : LONGEST_PAUSE;
}

/* A transfer that has ended with E. */
static void finish(struct odp_downloader *d, struct slot *s, CURLcode e)
{
    struct odp_download *job = s->job;
    (void)curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &job->status);
    (void)curl_multi_remove_handle(d->multi, s->easy);
    (void)curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(s->headers);
    s->headers = NULL;
    job->result = s->failed ? ODP_DOWNLOAD_FAILED : s->larger ? ODP_DOWNLOAD_LARGER : judge(e, job->status);
    if (job->result == ODP_DOWNLOAD_LOST && ++s->tries < d->rules.tries && !d->stopped) {
        job->result = ODP_DOWNLOAD_WAITING;
        odp_file_discard(s->file);
        s->file = NULL;
        s->wake = odp_monotonic_seconds() + pause_of(s);
        return;
    }
    if (job->status >= 400)
        (void)snprintf(job->why, sizeof job->why, "HTTP %ld", job->status);
    else
        (void)snprintf(job->why, sizeof job->why, "%s",
                       e == CURLE_OK ? "an answer that is no file" : curl_easy_strerror(e));
    if (job->result == ODP_DOWNLOAD_OK)
        job->result = adopt(s);
    bool lost = job->result == ODP_DOWNLOAD_LOST || job->result == ODP_DOWNLOAD_FAILED;
    d->stopped = d->stopped || lost || (d->rules.stops && job->result != ODP_DOWNLOAD_OK);
    d->done += job->size;
    free_slot(s);
}

/* ---- a run ---- */

/* Fills free slots, wakes sleeping ones. *BUSY: how many have a job; *ASLEEP: how many of them wait. */
static void start_more(struct odp_downloader *d, unsigned *busy, unsigned *asleep)
{
    *busy = *asleep = 0;
    for (unsigned i = 0; i < d->rules.parallel; i++) {
        struct slot *s = &d->slots[i];
        bool starts = s->job == NULL && d->next < d->n && !d->stopped;
        if (starts) {
            s->job = &d->jobs[d->next++];
            s->tries = 0;
            s->before = s->job->out != NULL ? s->job->out->len : 0;
        }
        if ((starts || (s->wake > 0 && s->wake <= odp_monotonic_seconds())) && !begin(d, s)) {
            s->job->result = ODP_DOWNLOAD_FAILED;
            d->stopped = true;
            free_slot(s);
        }
        *busy += s->job != NULL;
        *asleep += s->wake > 0;
    }
}

static void take_finished(struct odp_downloader *d)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(d->multi, &left)) != NULL;) {
        struct slot *s = NULL;
        if (m->msg == CURLMSG_DONE &&
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&s) == CURLE_OK && s != NULL)
            finish(d, s, m->data.result);
    }
}

/* Lets go what is under way. */
static void stop(struct odp_downloader *d)
{
    for (unsigned i = 0; i < PARALLEL_MAX; i++) {
        struct slot *s = &d->slots[i];
        if (s->easy != NULL)
            (void)curl_multi_remove_handle(d->multi, s->easy);
        curl_slist_free_all(s->headers);
        s->headers = NULL;
        free_slot(s);
    }
}

bool odp_downloader_run(struct odp_downloader *d, struct odp_download *jobs, size_t n, const char *label,
                        const struct odp_progress *progress)
{
    uint64_t total = 0;
    unsigned busy, asleep;
    bool ok = true;
    d->jobs = jobs;
    d->n = n;
    d->next = 0;
    d->done = 0;
    d->stopped = false;
    for (size_t i = 0; i < n; i++)
        total += jobs[i].size;
    for (start_more(d, &busy, &asleep); busy > 0 && !d->stopped; start_more(d, &busy, &asleep)) {
        int running = 0;
        CURLMcode e = curl_multi_perform(d->multi, &running);
        take_finished(d);
        /* With nothing under way, poll would wait for its whole time. */
        if (e == CURLM_OK && (running > 0 || asleep == busy))
            e = curl_multi_poll(d->multi, NULL, 0, running > 0 ? 200 : 20, NULL);
        if (e != CURLM_OK) {
            (void)odp_failure_set("fetch with libcurl:", curl_multi_strerror(e), 0);
            d->stopped = true;
        }
        odp_progress_update(progress, ODP_PHASE_PUBLISH, label, d->done, total, 0);
    }
    stop(d);
    for (size_t i = 0; i < n; i++)
        ok = ok && jobs[i].result == ODP_DOWNLOAD_OK;
    return ok;
}

void odp_downloader_free(struct odp_downloader *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < PARALLEL_MAX; i++) {
        curl_easy_cleanup(d->slots[i].easy);
        odp_arena_release(&d->slots[i].arena);
    }
    curl_multi_cleanup(d->multi);
    free(d);
}
