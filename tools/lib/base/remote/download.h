/* Files from web addresses (http, https, file) by libcurl, several at once, each checked against the size and
 * SHA-256 that were promised. A transfer that breaks is repeated, with a pause that grows (or is what the
 * server asks for); what the server refuses is not. */
#pragma once

#include "base/buffer.h"
#include "base/progress.h"

enum odp_download_result {
    ODP_DOWNLOAD_WAITING, /* not begun, or stopped by another's failure */
    ODP_DOWNLOAD_OK,
    ODP_DOWNLOAD_ABSENT,  /* 404, 410 */
    ODP_DOWNLOAD_REFUSED, /* any other answer without the file */
    ODP_DOWNLOAD_LARGER,  /* more bytes than promised, or than may be */
    ODP_DOWNLOAD_WRONG,   /* other bytes than promised */
    ODP_DOWNLOAD_LOST,    /* no connection, or it broke, at every try */
    ODP_DOWNLOAD_FAILED   /* this machine: disk, memory; odp_failure_text says it */
};

struct odp_download {
    const char *url;
    const char *header;     /* "Authorization: …"; not sent on to another host. NULL: none */
    const char *target;     /* of a file: whole (by way of TARGET.part, 0444, synced) or not there */
    struct odp_buffer *out; /* of a text, TARGET being NULL: what comes is appended */
    uint64_t size;          /* of a file: expected; of a text: at most */
    const uint8_t *sha256;  /* of a file: expected; NULL: not known */
    enum odp_download_result result;
    long status;   /* of HTTP; 0: none */
    char why[160]; /* what libcurl says of a failure, or "HTTP 503" */
};

struct odp_download_rules {
    const char *protocols; /* as libcurl lists them: "http,https" */
    const char *redirects; /* from http; from https only to https */
    const char *agent;
    unsigned parallel, tries;
    bool stops; /* at the first that fails; else only where the server is lost */
};

/* Keeps its connections from run to run. NULL: libcurl cannot start. */
struct odp_downloader;
struct odp_downloader *odp_downloader_new(const struct odp_download_rules *rules) ODP_MUST_USE;
void odp_downloader_free(struct odp_downloader *d);
/* Fills the results of all N. PROGRESS may be NULL; LABEL is what it shows. True: all are OK. */
bool odp_downloader_run(struct odp_downloader *d, struct odp_download *jobs, size_t n, const char *label,
                        const struct odp_progress *progress);
/* BASE/PATH, without a second slash between them, PATH percent-encoded. */
void odp_download_address(struct odp_buffer *out, const char *base, const char *path);
