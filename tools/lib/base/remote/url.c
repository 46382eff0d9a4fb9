/* A web address: read-only, by download.h. Only http and https, redirects only within the scheme. The key of
 * the API (ODP_KEY) goes with paths under v1/ alone; libcurl does not carry it to another host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/remote/download.h"
#include "base/remote/remote_internal.h"

/* ODP_KEY as a header; a key holds visible characters only. */
static enum odp_status take_key(struct odp_remote *r)
{
    const char *key = getenv("ODP_KEY");
    if (key == NULL || *key == '\0')
        return ODP_OK;
    for (const char *p = key; *p != '\0'; p++)
        if (*p <= 0x20 || *p >= 0x7f)
            return remote_fault(r, "ODP_KEY holds a space or another character that a key cannot have");
    if (asprintf(&r->bearer, "Authorization: Bearer %s", key) >= 0)
        return ODP_OK;
    r->bearer = NULL;
    return odp_failure_set("open remote", NULL, ENOMEM);
}

static enum odp_status url_open(struct odp_remote *r)
{
    const char *host = strstr(r->address, "://"); /* NULL: only slashes followed, and those are gone */
    if (host == NULL || host[3] == '\0' || host[3] == '/' ||
        strpbrk(r->address, "?# \t\r\n\"<>\\^`{|}") != NULL)
        return remote_fault(r, "not the address of a site (it has neither ? nor #, nor spaces)");
    const char *scheme = strncasecmp(r->address, "https:", 6) == 0 ? "https" : "http";
    r->downloader = odp_downloader_new(&(struct odp_download_rules){.protocols = scheme,
                                                                    .redirects = scheme,
                                                                    .agent = "odp-build",
                                                                    .parallel = REMOTE_PARALLEL,
                                                                    .tries = REMOTE_TRIES});
    return r->downloader != NULL ? take_key(r) : odp_failure_set("start libcurl", NULL, 0);
}

static void url_close(struct odp_remote *r)
{
    odp_downloader_free(r->downloader);
    if (r->bearer != NULL)
        explicit_bzero(r->bearer, strlen(r->bearer));
    free(r->bearer);
}

static struct odp_download job_of(const struct odp_remote *r, const char *path, struct odp_arena *a)
{
    struct odp_buffer url = {0};
    odp_download_address(&url, r->address, path);
    return (struct odp_download){.url = odp_buffer_keep(&url, a),
                                 .header = strncmp(path, "v1/", 3) == 0 ? r->bearer : NULL};
}

/* The fault of PATH. */
static enum odp_status complain(struct odp_remote *r, const char *path, const struct odp_download *job)
{
    switch (job->result) {
    case ODP_DOWNLOAD_FAILED:
        return ODP_FAIL;
    case ODP_DOWNLOAD_LARGER:
        return remote_fault(r, "%s: larger than expected", path);
    case ODP_DOWNLOAD_WRONG:
        return remote_fault(r, "%s: other bytes than expected", path);
    default:
        break;
    }
    if (job->status < 400)
        return remote_fault(r, "%s: %s", path, job->why);
    const char *hint = job->status == 401   ? " (a key is wanted: set ODP_KEY)"
                       : job->status == 403 ? " (not allowed)"
                                            : "";
    return remote_fault(r, "%s: the server answers %ld%s", path, job->status, hint);
}

static enum odp_status url_read(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    struct odp_download job = job_of(r, path, &arena);
    job.out = out;
    job.size = max;
    enum odp_status status = ODP_OK;
    if (!odp_downloader_run(r->downloader, &job, 1, r->shown, NULL))
        status = job.result == ODP_DOWNLOAD_WAITING  ? ODP_FAIL
                 : job.result == ODP_DOWNLOAD_ABSENT ? ODP_DONE
                                                     : complain(r, path, &job);
    odp_arena_release(&arena);
    return status;
}

/* The results, and the first fault. */
static enum odp_status conclude(struct odp_remote *r, struct odp_remote_file **files,
                                const struct odp_download *jobs, size_t n)
{
    enum odp_status status = ODP_OK;
    bool waiting = false;
    for (size_t i = 0; i < n; i++) {
        enum odp_download_result result = jobs[i].result;
        files[i]->missing = result == ODP_DOWNLOAD_ABSENT || jobs[i].status == 401 || jobs[i].status == 403;
        files[i]->wrong = result == ODP_DOWNLOAD_WRONG || result == ODP_DOWNLOAD_LARGER;
        waiting = waiting || result == ODP_DOWNLOAD_WAITING;
        if (result == ODP_DOWNLOAD_FAILED)
            return ODP_FAIL;
        if (result != ODP_DOWNLOAD_OK && result != ODP_DOWNLOAD_WAITING && status == ODP_OK)
            status = complain(r, files[i]->path, &jobs[i]);
    }
    return status == ODP_OK && waiting ? ODP_FAIL : status; /* libcurl itself failed */
}

static enum odp_status url_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n,
                                 const char *dir, const struct odp_progress *progress)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    struct odp_download *jobs = odp_arena_array(&arena, n, sizeof *jobs);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        jobs[i] = job_of(r, files[i]->path, &arena);
        jobs[i].target = remote_place(&arena, dir, files[i]->path);
        jobs[i].size = files[i]->size;
        jobs[i].sha256 = files[i]->sha256;
        status = jobs[i].target != NULL ? ODP_OK : ODP_FAIL;
    }
    if (status == ODP_OK && !odp_downloader_run(r->downloader, jobs, n, r->shown, progress))
        status = conclude(r, files, jobs, n);
    odp_arena_release(&arena);
    return status;
}

const struct remote_kind remote_url = {
    .open = url_open, .close = url_close, .read = url_read, .fetch = url_fetch};
