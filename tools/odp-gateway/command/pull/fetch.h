/* Files over HTTP(S) or from file://, several at once, each checked against the size and SHA-256 that were
 * promised. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/digest.h"

enum fetch_result {
    FETCH_WAITING,
    FETCH_OK,
    FETCH_REFUSED, /* the server said no (status), or there is no such file */
    FETCH_WRONG,   /* other bytes than promised */
    FETCH_LOST,    /* no connection, or it broke, three times */
    FETCH_FAILED   /* this machine: disk, memory; odp_failure_text says it */
};

struct fetch_job {
    const char *url;
    const char *target; /* made complete or not at all: TARGET.part is renamed */
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
    bool hurry; /* before others */
    enum fetch_result result;
    long status; /* of HTTP */
    char why[200];
};

/* All of them, PARALLEL at a time; stops early at the first that is neither OK nor worth another try. True:
 * all OK. */
bool fetch_all(struct fetch_job *jobs, size_t n, unsigned parallel);
/* One small file into memory. */
enum fetch_result fetch_text(const char *url, size_t max, struct odp_buffer *out, long *status,
                             char why[200]);
/* BASE/path with the path percent-encoded; in A. */
char *fetch_url(struct odp_arena *a, const char *base, const char *path);
