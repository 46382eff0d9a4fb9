/* The window through which the bytes of a file come. */
#include "published/reading_internal.h"

#define RECORD_MAX                                                                                           \
    ((size_t)1 << 30) /* a longer one is none of ours: memory stays bounded whatever the file is */

enum odp_status odp_window_grow(struct odp_window *w, size_t cap)
{
    char *bytes = odp_realloc_array(w->bytes, cap + ODP_WINDOW_SLACK, 1);
    if (bytes == NULL)
        return ODP_FAIL;
    memset(bytes + cap, 0, ODP_WINDOW_SLACK);
    w->bytes = bytes;
    w->cap = cap;
    return ODP_OK;
}

enum odp_status odp_window_fill(struct odp_reading *r)
{
    struct odp_window *w = &r->window;
    size_t have = w->to - w->from, got;
    if (w->ended)
        return ODP_DONE;
    if (w->from > 0) {
        memmove(w->bytes, w->bytes + w->from, have);
        w->from = 0;
        w->to = have;
    }
    if (have == w->cap) {
        if (w->cap >= RECORD_MAX)
            return odp_reading_reject(r, "a record of more than %zu bytes", RECORD_MAX);
        if (odp_window_grow(w, w->cap * 2) != ODP_OK)
            return ODP_FAIL;
    }
    enum odp_status status = odp_reader_read(w->reader, w->bytes + w->to, w->cap - w->to, &got);
    if (status == ODP_DONE)
        w->ended = true;
    w->to += got;
    return status;
}

enum odp_status odp_window_line(struct odp_reading *r, struct odp_slice *line)
{
    struct odp_window *w = &r->window;
    size_t seen = 0;
    r->record_at = w->offset;
    for (;;) {
        size_t have = w->to - w->from;
        char *start = w->bytes + w->from, *lf = have > seen ? memchr(start + seen, '\n', have - seen) : NULL;
        if (lf != NULL) {
            *line = (struct odp_slice){start, (size_t)(lf - start)};
            w->from += line->len + 1;
            w->offset += line->len + 1;
            return ODP_OK;
        }
        seen = have;
        enum odp_status status = odp_window_fill(r);
        if (status == ODP_DONE)
            return have == 0 ? ODP_DONE : odp_reading_reject(r, "the file ends in the middle of a line");
        if (status != ODP_OK)
            return status;
    }
}
