#include "service/webhooks/events/events_internal.h"

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == '~';
}

void events_key_add(struct odp_buffer *out, struct odp_slice part, bool first)
{
    if (!first)
        odp_buffer_add_char(out, ',');
    for (size_t i = 0; i < part.len; i++) {
        if (is_unreserved(part.ptr[i]))
            odp_buffer_add_char(out, part.ptr[i]);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)part.ptr[i]);
    }
}
