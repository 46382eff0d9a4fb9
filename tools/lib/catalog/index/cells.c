#include "catalog/index/cells.h"

void odp_cells_add(struct odp_buffer *out, struct odp_slice json)
{
    size_t len = json.ptr != NULL ? json.len : 0;
    char *start = odp_buffer_reserve(out, len + ODP_CELLS_ROOM);
    if (start == NULL)
        return;
    char *w = odp_cells_put_length(start, len);
    if (len > 0)
        memcpy(w, json.ptr, len);
    out->len += (size_t)(w - start) + len;
}

bool odp_cells_split(struct odp_slice bytes, struct odp_slice *out, uint32_t n)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr, *end = bytes.len > 0 ? p + bytes.len : p;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t len = 0;
        unsigned shift = 0;
        out[i] = (struct odp_slice){NULL, 0};
        if (p == end)
            continue;
        do {
            if (p == end || shift > 35)
                return false;
            len |= (uint64_t)(*p & 0x7f) << shift;
            shift += 7;
        } while (*p++ & 0x80);
        if (len > (uint64_t)(end - p))
            return false;
        if (len > 0)
            out[i] = (struct odp_slice){(const char *)p, (size_t)len};
        p += len;
    }
    return p == end;
}
