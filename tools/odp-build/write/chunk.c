#include "write/emit.h"

#include <stdlib.h>

void odp_chunk_init(struct odp_chunk *c)
{
    *c = (struct odp_chunk){0};
    odp_buffer_init(&c->bytes);
}

void odp_chunk_release(struct odp_chunk *c)
{
    odp_buffer_release(&c->bytes);
    free(c->ends);
    odp_chunk_init(c);
}

void odp_chunk_clear(struct odp_chunk *c)
{
    odp_buffer_clear(&c->bytes);
    c->n = 0;
    c->has_bbox = false;
}

enum odp_status odp_chunk_end_slow(struct odp_chunk *c)
{
    if (odp_buffer_status(&c->bytes) != ODP_OK)
        return ODP_FAIL;
    if (c->bytes.len > UINT32_MAX)
        return odp_failure_set("emit: a batch of more than 4 GiB", NULL, 0);
    if (c->n == c->cap) {
        uint32_t cap = c->cap != 0 ? c->cap * 2 : 1024;
        uint32_t *ends = odp_realloc_array(c->ends, cap, sizeof *ends);
        if (ends == NULL)
            return ODP_FAIL;
        c->ends = ends;
        c->cap = cap;
    }
    c->ends[c->n++] = (uint32_t)c->bytes.len;
    return ODP_OK;
}
