/* Texts of which each place has one range of bytes, all in ASCII, and only the last places may be absent: "RHB-[0-9]{6,8}", "31/12/2024". Eight bytes are
 * compared at a time. */
#ifndef ODP_CHECK_BYTE_ROW_H
#define ODP_CHECK_BYTE_ROW_H

#include "base/bytes.h"
#include "base/slice.h"

enum { ODP_BYTE_ROW = 24 };

struct odp_byte_row {
    uint64_t low[ODP_BYTE_ROW / 8], high[ODP_BYTE_ROW / 8];
    size_t least, most; /* bytes of a text */
};

/* N more places with bytes from LOW to HIGH, which must be there. False: the row is full. */
static inline bool odp_byte_row_add(struct odp_byte_row *r, char low, char high, size_t n)
{
    if (n > ODP_BYTE_ROW - r->most)
        return false;
    for (; n > 0; n--, r->most++) {
        r->low[r->most / 8] |= (uint64_t)(unsigned char)low << (8 * (r->most % 8));
        r->high[r->most / 8] |= (uint64_t)(unsigned char)high << (8 * (r->most % 8));
    }
    r->least = r->most;
    return true;
}

static inline bool odp_byte_row_fits(const struct odp_byte_row *r, struct odp_slice s)
{
    if (s.len < r->least || s.len > r->most)
        return false;
    for (size_t k = 0; k < s.len; k += 8) {
        size_t n = s.len - k < 8 ? s.len - k : 8;
        uint64_t w = odp_bytes_load(s.ptr + k, n), all = ODP_BYTES_HIGHS >> (64 - 8 * n);
        uint64_t inside = ((w | ODP_BYTES_HIGHS) - r->low[k / 8]) & ((r->high[k / 8] | ODP_BYTES_HIGHS) - w) & ~w;
        if ((inside & all) != all)
            return false;
    }
    return true;
}

#endif
