/* UTF-8 by the table of RFC 3629, section 4 (Unicode, table 3-7). ASCII goes 32 bytes at a time. */
#include "base/utf8.h"

#include "base/bytes.h"

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Length of the well-formed sequence at P of at most N bytes, 0 when there is none. */
static size_t sequence(const unsigned char *p, size_t n)
{
    unsigned char a = p[0];
    if (a < 0x80)
        return 1;
    if (a < 0xC2 || n < 2)
        return 0;
    if (a < 0xE0)
        return is_tail(p[1]) ? 2 : 0;
    if (a < 0xF0) {
        unsigned char low = a == 0xE0 ? 0xA0 : 0x80,
                      high = a == 0xED ? 0x9F : 0xBF; /* overlong; surrogates */
        return n >= 3 && p[1] >= low && p[1] <= high && is_tail(p[2]) ? 3 : 0;
    }
    if (a < 0xF5) {
        unsigned char low = a == 0xF0 ? 0x90 : 0x80,
                      high = a == 0xF4 ? 0x8F : 0xBF; /* overlong; above U+10FFFF */
        return n >= 4 && p[1] >= low && p[1] <= high && is_tail(p[2]) && is_tail(p[3]) ? 4 : 0;
    }
    return 0;
}

/* No byte of the 32 at P is beyond ASCII. */
static inline bool is_ascii32(const char *p)
{
    odp_bytes32 v;
    memcpy(&v, p, sizeof v);
    return odp_bytes32_bits(&v) == 0;
}

ODP_WIDE size_t odp_utf8_valid(struct odp_slice s)
{
    size_t i = 0;
    while (i < s.len) {
        while (s.len - i >= 32 && is_ascii32(s.ptr + i))
            i += 32;
        while (s.len - i >= 8 && (odp_bytes_load8(s.ptr + i) & ODP_BYTES_HIGHS) == 0)
            i += 8;
        if (i == s.len)
            break;
        size_t n = sequence((const unsigned char *)s.ptr + i, s.len - i);
        if (n == 0)
            return i;
        i += n;
    }
    return i;
}

size_t odp_utf8_count(struct odp_slice s)
{
    size_t tails = 0, i = 0;
    for (; s.len - i >= 8; i += 8) {
        uint64_t w = odp_bytes_load8(s.ptr + i);
        w &= ODP_BYTES_HIGHS & ~(w << 1); /* bit 7 set and bit 6 clear: a continuation byte */
        tails += (size_t)__builtin_popcountll(w);
    }
    for (; i < s.len; i++)
        tails += is_tail((unsigned char)s.ptr[i]);
    return s.len - tails;
}

size_t odp_utf8_decode(const char *ptr, size_t len, uint32_t *cp)
{
    const unsigned char *p = (const unsigned char *)ptr;
    size_t n = sequence(p, len);
    switch (n) {
    case 2:
        *cp = (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
        return 2;
    case 3:
        *cp = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        return 3;
    case 4:
        *cp = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
              (p[3] & 0x3F);
        return 4;
    default:
        *cp = n == 1 ? p[0] : 0xFFFD; /* not valid text after all: go on with the next byte */
        return 1;
    }
}

size_t odp_utf8_encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

bool odp_utf8_is_line(struct odp_slice s, size_t most)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
            return false;
    return s.len > 0 && s.len <= most && odp_utf8_valid(s) == s.len;
}

struct odp_slice odp_utf8_cut(struct odp_slice s, size_t most)
{
    if (s.len <= most)
        return s;
    while (most > 0 && is_tail((unsigned char)s.ptr[most]))
        most--;
    return (struct odp_slice){s.ptr, most};
}
