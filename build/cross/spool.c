/* Rows wait for the end of the run: MEMORY bytes of them in memory, what came before in a file that has no name. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

#include "cross/own.h"

#define MEMORY ((size_t)32 << 20)

void cross_spool_init(struct cross_spool *s)
{
    odp_buffer_init(&s->memory);
    s->spilled = 0;
    s->fd = -1;
}

void cross_spool_release(struct cross_spool *s)
{
    odp_buffer_release(&s->memory);
    if (s->fd >= 0)
        (void)close(s->fd); /* only read since, and gone with it */
    s->fd = -1;
}

/* It is unlinked at once: whatever ends the program, it does not stay. */
static enum odp_status open_file(struct cross_spool *s)
{
    char path[4096];
    const char *dir = getenv("TMPDIR");
    int n = snprintf(path, sizeof path, "%s/odp-rules-XXXXXX", dir != NULL && *dir != '\0' ? dir : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path)
        return odp_failure_set("mkstemp", dir, ENAMETOOLONG);
    s->fd = mkstemp(path);
    if (s->fd < 0)
        return odp_failure_set("mkstemp", path, errno);
    if (unlink(path) != 0)
        return odp_failure_set("unlink", path, errno);
    return ODP_OK;
}

static enum odp_status spill(struct cross_spool *s)
{
    if (s->fd < 0 && open_file(s) != ODP_OK)
        return ODP_FAIL;
    for (size_t at = 0; at < s->memory.len;) {
        ssize_t n = write(s->fd, s->memory.ptr + at, s->memory.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return odp_failure_set("write", "odp-rules", n < 0 ? errno : ENOSPC);
        at += (size_t)n;
    }
    s->spilled += s->memory.len;
    odp_buffer_clear(&s->memory);
    return ODP_OK;
}

enum odp_status cross_spool_add(struct cross_spool *s, struct odp_slice bytes, uint64_t *at)
{
    if (s->memory.len > 0 && s->memory.len + bytes.len > MEMORY && spill(s) != ODP_OK)
        return ODP_FAIL;
    *at = s->spilled + s->memory.len;
    odp_buffer_add_slice(&s->memory, bytes);
    return odp_buffer_status(&s->memory);
}

enum odp_status cross_spool_read(const struct cross_spool *s, uint64_t at, size_t len, char *room)
{
    if (at >= s->spilled) {
        memcpy(room, s->memory.ptr + (size_t)(at - s->spilled), len);
        return ODP_OK;
    }
    while (len > 0) {
        ssize_t n = pread(s->fd, room, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return odp_failure_set("read", "odp-rules", n < 0 ? errno : EIO);
        room += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return ODP_OK;
}
