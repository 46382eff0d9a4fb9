/* Rows wait for the end of the run: MEMORY bytes of them in memory, what came before in a file that has no
 * name. */
#include <unistd.h>

#include "base/scratch.h"
#include "check/across/across_internal.h"

#define FILE_NAME "odp-rules"
#define SAID      FILE_NAME " (TMPDIR)" /* where it fails */
#define MEMORY    ((size_t)32 << 20)

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

static enum odp_status spill(struct cross_spool *s)
{
    if (s->fd < 0 && odp_scratch_open(&s->fd, FILE_NAME) != ODP_OK)
        return ODP_FAIL;
    if (odp_scratch_write(s->fd, s->memory.ptr, s->memory.len, s->spilled, SAID) != ODP_OK)
        return ODP_FAIL;
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
    return odp_scratch_read(s->fd, room, len, at, SAID);
}
