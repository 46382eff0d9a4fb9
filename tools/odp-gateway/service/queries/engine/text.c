/* Texts that a query makes: one that was written into a buffer, and one as part of an address. */
#include "service/queries/engine/engine_internal.h"

const char *query_text_of(struct odp_query *q, struct odp_buffer *b)
{
    q->failed = q->failed || odp_buffer_status(b) != ODP_OK;
    const char *text = odp_arena_str(q->arena, odp_buffer_cstr(b));
    odp_buffer_release(b);
    return text;
}

void query_add_percent(struct odp_buffer *out, struct odp_slice s, const char *keep)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
            (c != '\0' && (strchr("-_.~", c) != NULL || strchr(keep, c) != NULL))) {
            odp_buffer_add_char(out, (char)c);
        } else {
            char three[3] = {'%', digits[c >> 4], digits[c & 15]};
            odp_buffer_add(out, three, 3);
        }
    }
}
