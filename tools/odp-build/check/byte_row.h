/* Texts of which each place has one range of bytes, all in ASCII, and only the last places may be absent:
 * "RHB-[0-9]{6,8}", "31/12/2024". Eight bytes are compared at a time. */
#pragma once

#include "base/bytes.h"
#include "base/slice.h"

enum { ODP_BYTE_ROW = 24 };

struct odp_byte_row {
    char low[ODP_BYTE_ROW], high[ODP_BYTE_ROW];
    size_t least, most; /* bytes of a text */
};

/* N more places with bytes from LOW to HIGH, which must be there. False: the row is full. */
static inline bool odp_byte_row_add(struct odp_byte_row *r, char low, char high, size_t n)
{
    if (n > ODP_BYTE_ROW - r->most)
        return false;
    memset(r->low + r->most, low, n);
    memset(r->high + r->most, high, n);
    r->most += n;
    r->least = r->most;
    return true;
}

/* Bit 7 of each of eight bytes of W that is within the ranges of the places from K on. */
static inline uint64_t odp_byte_row_inside(const struct odp_byte_row *r, size_t k, uint64_t w)
{
    uint64_t from = (w | ODP_BYTES_HIGHS) - odp_bytes_load8(r->low + k);
    uint64_t to = (odp_bytes_load8(r->high + k) | ODP_BYTES_HIGHS) - w;
    return from & to & ~w & ODP_BYTES_HIGHS;
}

static inline bool odp_byte_row_fits(const struct odp_byte_row *r, struct odp_slice s)
{
    if (s.len < r->least || s.len > r->most)
        return false;
    if (s.len < 8) {
        uint64_t all = s.len > 0 ? ODP_BYTES_HIGHS >> (64 - 8 * s.len) : 0;
        return (odp_byte_row_inside(r, 0, odp_bytes_load(s.ptr, s.len)) & all) == all;
    }
    for (size_t k = 0; k + 8 < s.len; k += 8)
        if (odp_byte_row_inside(r, k, odp_bytes_load8(s.ptr + k)) != ODP_BYTES_HIGHS)
            return false;
    return odp_byte_row_inside(r, s.len - 8, odp_bytes_load8(s.ptr + s.len - 8)) == ODP_BYTES_HIGHS;
}
