/* A web address: read-only, by libcurl.
 *
 * Only http and https, redirects only within the scheme; slow and broken transfers are repeated with a
 * growing pause, what the server refuses is not. The key of the API (ODP_KEY) goes with paths under v1/
 * alone; libcurl does not carry it to another host. */
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/remote/remote_internal.h"

enum { PAUSE_MAX = 30 /* seconds that a server may ask us to wait */ };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static void start_curl(void)
{
    ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* ODP_KEY as a header; a key with anything but visible characters is none. */
static enum odp_status take_key(struct odp_remote *r)
{
    const char *key = getenv("ODP_KEY");
    if (key == NULL || *key == '\0')
        return ODP_OK;
    for (const char *p = key; *p != '\0'; p++)
        if (*p <= 0x20 || *p >= 0x7f)
            return remote_fault(r, "ODP_KEY holds a space or another character that a key cannot have");
    size_t len = strlen(key) + sizeof "Authorization: Bearer ";
    r->bearer = malloc(len);
    if (r->bearer == NULL)
        return odp_failure_set("open remote", NULL, ENOMEM);
    (void)snprintf(r->bearer, len, "Authorization: Bearer %s", key);
    return ODP_OK;
}

static enum odp_status url_open(struct odp_remote *r)
{
    const char *host = strstr(r->address, "://"); /* none: only slashes followed, and those are gone */
    if (host == NULL || host[3] == '\0' || host[3] == '/' ||
        strpbrk(r->address, "?# \t\r\n\"<>\\^`{|}") != NULL)
        return remote_fault(r, "not the address of a site (it has neither ? nor #, nor spaces)");
    if (pthread_once(&once, start_curl) != 0 || !ready || (r->easy = curl_easy_init()) == NULL)
        return odp_failure_set("start libcurl", NULL, 0);
    return take_key(r);
}

static void url_close(struct odp_remote *r)
{
    curl_easy_cleanup(r->easy);
    if (r->bearer != NULL)
        explicit_bzero(r->bearer, strlen(r->bearer));
    free(r->bearer);
}

/* ---- one request ---- */

/* The address with PATH percent-encoded. */
static void add_url(struct odp_buffer *b, const struct odp_remote *r, const char *path)
{
    odp_buffer_add_str(b, r->address);
    odp_buffer_add_char(b, '/');
    for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                     strchr("-._~/", *p) != NULL;
        odp_buffer_printf(b, plain ? "%c" : "%%%02X", *p);
    }
}

/* C is to get PATH, and to give the bytes to TAKE with CTX. False: no memory. */
static bool prepare(struct odp_remote *r, CURL *c, const char *path, struct curl_slist **headers,
                    curl_write_callback take, void *ctx)
{
    const char *scheme = strncasecmp(r->address, "https:", 6) == 0 ? "https" : "http";
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {{CURLOPT_FOLLOWLOCATION, 1}, {CURLOPT_MAXREDIRS, 5},       {CURLOPT_FAILONERROR, 1},
                   {CURLOPT_NOSIGNAL, 1},       {CURLOPT_CONNECTTIMEOUT, 15}, {CURLOPT_LOW_SPEED_LIMIT, 100},
                   {CURLOPT_LOW_SPEED_TIME, 30}};
    bool with_key = r->bearer != NULL && strncmp(path, "v1/", 3) == 0, ok = true;
    struct odp_buffer url;
    odp_buffer_init(&url);
    add_url(&url, r, path);
    curl_easy_reset(c);
    if (with_key)
        *headers = curl_slist_append(NULL, r->bearer);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ok = curl_easy_setopt(c, numbers[i].option, numbers[i].value) == CURLE_OK && ok;
    ok = ok && odp_buffer_status(&url) == ODP_OK && (!with_key || *headers != NULL) &&
         curl_easy_setopt(c, CURLOPT_URL, odp_buffer_cstr(&url)) == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, scheme) == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, scheme) == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_HTTPHEADER, *headers) == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_USERAGENT, "odp-build") == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take) == CURLE_OK &&
         curl_easy_setopt(c, CURLOPT_WRITEDATA, ctx) == CURLE_OK;
    odp_buffer_release(&url);
    return ok;
}

enum verdict { FINE, ABSENT, REFUSED, LOST };

static enum verdict judge(CURLcode e, long code)
{
    if (e == CURLE_OK)
        return code == 200 ? FINE : REFUSED;
    if (e == CURLE_HTTP_RETURNED_ERROR) {
        if (code == 404 || code == 410)
            return ABSENT;
        return code >= 500 || code == 429 || code == 408 ? LOST : REFUSED;
    }
    switch (e) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_WRITE_ERROR: /* we stopped it */
    case CURLE_FILESIZE_EXCEEDED:
        return REFUSED;
    default:
        return LOST;
    }
}

/* Says of PATH what E and CODE mean. */
static enum odp_status complain(struct odp_remote *r, const char *path, CURLcode e, long code)
{
    if (code >= 400)
        return remote_fault(r, "%s: the server answers %ld%s", path, code,
                            code == 401   ? " (a key is wanted: set ODP_KEY)"
                            : code == 403 ? " (not allowed)"
                                          : "");
    return remote_fault(r, "%s: %s", path,
                        e == CURLE_OK ? "an answer that is no file" : curl_easy_strerror(e));
}

/* Seconds the server asks us to wait, at most PAUSE_MAX. */
static double asked_pause(CURL *c)
{
    curl_off_t after = 0;
    if (curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &after) != CURLE_OK || after < 0)
        return 0;
    return after < PAUSE_MAX ? (double)after : PAUSE_MAX;
}

/* ---- into memory ---- */

struct text_sink {
    struct odp_buffer *out;
    size_t end; /* OUT may grow to this */
    bool too_large;
};

static size_t take_text(char *bytes, size_t size, size_t n, void *ctx)
{
    struct text_sink *s = ctx;
    s->too_large = n > s->end - s->out->len;
    if (s->too_large)
        return 0;
    odp_buffer_add(s->out, bytes, n);
    return s->out->failed ? 0 : n;
}

static enum odp_status url_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    size_t before = out->len;
    struct text_sink sink = {.out = out, .end = max < SIZE_MAX - before ? before + max : SIZE_MAX};
    struct curl_slist *headers = NULL;
    CURL *c = r->easy;
    CURLcode e = CURLE_OK;
    long code = 0;
    enum verdict verdict = LOST;
    if (!prepare(r, c, path, &headers, take_text, &sink)) {
        curl_slist_free_all(headers);
        return odp_failure_set("prepare request", path, ENOMEM);
    }
    for (unsigned try = 1; try <= REMOTE_TRIES && verdict == LOST; try++) {
        out->len = before;
        e = curl_easy_perform(c);
        (void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code);
        verdict = judge(e, code);
        if (verdict != LOST || try == REMOTE_TRIES)
            continue;
        remote_pause(try);
        for (double wait = asked_pause(c); wait > 0.6; wait -= 0.6)
            remote_pause(2);
    }
    (void)curl_easy_setopt(c, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    if (out->failed)
        return ODP_FAIL;
    if (sink.too_large)
        return remote_fault(r, "%s: larger than expected", path);
    return verdict == FINE ? ODP_OK : verdict == ABSENT ? ODP_DONE : complain(r, path, e, code);
}

/* ---- many into files ---- */

/* One transfer under way, waiting to be repeated (wake > 0), or free (job == NULL). */
struct slot {
    CURL *easy;
    struct curl_slist *headers;
    struct odp_remote_file *job;
    struct odp_file *file;
    char *part, *place; /* in arena */
    struct odp_arena arena;
    uint64_t got;
    unsigned tries;
    double wake;
    bool too_large, machine;
};

struct fetching {
    struct odp_remote *r;
    const char *dir;
    CURLM *multi;
    struct slot slots[REMOTE_PARALLEL];
    struct odp_remote_file **files;
    size_t n, next;
    uint64_t done, total;
    enum odp_status status; /* BAD: a fault was told; the first stays */
    bool stop;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t take_bytes(char *bytes, size_t size, size_t n, void *ctx)
{
    struct slot *s = ctx;
    s->too_large = n > s->job->size - s->got;
    if (s->too_large)
        return 0;
    if (odp_file_write(s->file, bytes, n) != ODP_OK) {
        s->machine = true;
        return 0;
    }
    s->got += n;
    return n;
}

/* Starts (or repeats) the slot's job. */
static enum odp_status begin(struct fetching *f, struct slot *s)
{
    s->got = 0;
    s->wake = 0;
    s->too_large = s->machine = false;
    s->place = remote_place(&s->arena, f->dir, s->job->path);
    if (s->place == NULL)
        return ODP_FAIL;
    s->part = odp_arena_printf(&s->arena, "%s.part", s->place);
    if (unlink(s->part) != 0 && errno != ENOENT)
        return odp_failure_set("remove", s->part, errno);
    if (odp_file_create(&s->file, s->part, 0444) != ODP_OK)
        return ODP_FAIL;
    if ((s->easy == NULL && (s->easy = curl_easy_init()) == NULL) ||
        !prepare(f->r, s->easy, s->job->path, &s->headers, take_bytes, s) ||
        curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s) != CURLE_OK ||
        curl_multi_add_handle(f->multi, s->easy) != CURLM_OK) {
        odp_file_discard(s->file);
        s->file = NULL;
        return odp_failure_set("prepare request", s->job->path, ENOMEM);
    }
    return ODP_OK;
}

static void fail(struct fetching *f)
{
    f->status = ODP_FAIL;
    f->stop = true;
}

static void start_more(struct fetching *f)
{
    for (size_t i = 0; i < REMOTE_PARALLEL && !f->stop; i++) {
        struct slot *s = &f->slots[i];
        if (s->job == NULL && f->next < f->n) {
            s->job = f->files[f->next++];
            s->tries = 0;
            if (begin(f, s) != ODP_OK)
                fail(f);
        } else if (s->job != NULL && s->wake > 0 && s->wake <= now() && begin(f, s) != ODP_OK) {
            fail(f);
        }
    }
}

/* The file came to its end: kept where it is what was expected. BAD: it is not. */
static enum odp_status keep(struct slot *s)
{
    struct odp_file_info info;
    struct odp_file *file = s->file;
    s->file = NULL;
    if (odp_file_close(file, &info) != ODP_OK)
        return ODP_FAIL;
    if (info.size == s->job->size &&
        (s->job->sha256 == NULL || memcmp(info.sha256, s->job->sha256, sizeof info.sha256) == 0))
        return odp_file_rename(s->part, s->place);
    return unlink(s->part) == 0 ? ODP_BAD : odp_failure_set("remove", s->part, errno);
}

static void free_slot(struct slot *s)
{
    odp_file_discard(s->file);
    s->file = NULL;
    s->job = NULL;
    s->wake = 0;
    odp_arena_reset(&s->arena);
}

/* A transfer that ended. */
static void finish(struct fetching *f, struct slot *s, CURLcode e)
{
    long code = 0;
    (void)curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &code);
    (void)curl_multi_remove_handle(f->multi, s->easy);
    (void)curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(s->headers);
    s->headers = NULL;
    enum verdict verdict = judge(e, code);
    if (s->machine) {
        fail(f);
        return;
    }
    if (verdict == LOST && ++s->tries < REMOTE_TRIES) {
        double pause = 0.3 * (double)(1u << (s->tries - 1)), asked = asked_pause(s->easy);
        odp_file_discard(s->file);
        s->file = NULL;
        s->wake = now() + (asked > pause ? asked : pause);
        return;
    }
    enum odp_status kept = verdict == FINE ? keep(s) : ODP_DONE;
    s->job->missing = verdict == ABSENT || code == 401 || code == 403;
    s->job->wrong = kept == ODP_BAD || s->too_large;
    bool first = f->status == ODP_OK;
    if (kept == ODP_FAIL)
        fail(f);
    else if (kept == ODP_BAD && first)
        f->status = remote_fault(f->r, "%s: other bytes than expected", s->job->path);
    else if (s->too_large && first)
        f->status = remote_fault(f->r, "%s: larger than expected", s->job->path);
    else if (verdict != FINE && first)
        f->status = complain(f->r, s->job->path, e, code);
    f->stop = f->stop || verdict == LOST;
    f->done += s->job->size;
    free_slot(s);
}

static void take_finished(struct fetching *f)
{
    int left;
    for (CURLMsg *m = curl_multi_info_read(f->multi, &left); m != NULL;
         m = curl_multi_info_read(f->multi, &left)) {
        struct slot *s = NULL;
        if (m->msg == CURLMSG_DONE &&
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&s) == CURLE_OK && s != NULL)
            finish(f, s, m->data.result);
    }
}

static bool is_busy(const struct fetching *f)
{
    for (size_t i = 0; i < REMOTE_PARALLEL; i++)
        if (f->slots[i].job != NULL)
            return true;
    return f->next < f->n;
}

static void release(struct fetching *f)
{
    for (size_t i = 0; i < REMOTE_PARALLEL; i++) {
        struct slot *s = &f->slots[i];
        if (s->easy != NULL) /* one that is not under way is let alone */
            (void)curl_multi_remove_handle(f->multi, s->easy);
        curl_easy_cleanup(s->easy);
        curl_slist_free_all(s->headers);
        free_slot(s);
        odp_arena_release(&s->arena);
    }
    curl_multi_cleanup(f->multi);
}

static enum odp_status url_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n,
                                 const char *dir, const struct odp_progress *progress)
{
    struct fetching f = {
        .r = r, .dir = dir, .multi = curl_multi_init(), .files = files, .n = n, .status = ODP_OK};
    for (size_t i = 0; i < REMOTE_PARALLEL; i++)
        odp_arena_init(&f.slots[i].arena);
    for (size_t i = 0; i < n; i++)
        f.total += files[i]->size;
    if (f.multi == NULL) {
        (void)odp_failure_set("start libcurl", NULL, ENOMEM);
        fail(&f);
    }
    while (!f.stop && is_busy(&f)) {
        int running;
        start_more(&f);
        /* With nothing under way, poll would wait for its whole time: what has ended is taken at once. */
        if (!f.stop && (curl_multi_perform(f.multi, &running) != CURLM_OK ||
                        curl_multi_poll(f.multi, NULL, 0, running > 0 ? 200 : 1, NULL) != CURLM_OK)) {
            (void)odp_failure_set("fetch", r->shown, 0);
            fail(&f);
        }
        take_finished(&f);
        odp_progress_update(progress, ODP_PHASE_PUBLISH, r->shown, f.done, f.total, 0);
    }
    release(&f);
    return f.status;
}

const struct remote_kind remote_url = {
    .open = url_open, .close = url_close, .read = url_read, .fetch = url_fetch};
