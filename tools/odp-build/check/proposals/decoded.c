/* Text that was decoded wrongly before it came to us. Â© and â€™ are UTF-8 bytes that were taken for
 * windows-1252: written back into bytes they are UTF-8 again, or they were not that. Control characters from
 * U+0080 on are windows-1252 taken for Latin-1. */
#include "base/utf8.h"
#include "base/white_space.h"
#include "check/proposals/proposals_internal.h"

/* What the bytes 0x80 to 0x9F are in windows-1252; 0: nothing. */
static const uint16_t high[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                  0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                  0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                  0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* The byte that CP is in windows-1252, or -1. Bytes without a character count as themselves, as browsers have
 * it. */
static int byte_of(uint32_t cp)
{
    if (cp < 0x80 || (cp >= 0xa0 && cp <= 0xff))
        return (int)cp;
    for (int k = 0; k < 32; k++)
        if ((high[k] != 0 && high[k] == cp) || (high[k] == 0 && cp == 0x80u + (uint32_t)k))
            return 0x80 + k;
    return -1;
}

/* S written in windows-1252 and read as UTF-8; ptr NULL: not so. A character that windows-1252 lacks may
 * stay. */
static struct odp_slice read_again(struct odp_proposer *p, struct odp_slice s)
{
    char *out = odp_arena_alloc(p->arena, s.len + 1);
    size_t n = 0;
    struct odp_slice none = {NULL, 0};
    for (size_t k = 0; k < s.len;) {
        uint32_t cp;
        size_t len = odp_utf8_decode(s.ptr + k, s.len - k, &cp);
        int byte = byte_of(cp);
        if (byte < 0)
            return none;
        out[n++] = (char)byte;
        k += len;
    }
    struct odp_slice text = {out, n};
    return odp_utf8_valid(text) == n && n < s.len ? text : none;
}

/* Control characters: those beyond ASCII as windows-1252 has them, a vertical tab or form feed as a space,
 * the others left out. */
static struct odp_slice without_controls(struct odp_proposer *p, struct odp_slice s)
{
    char *out = odp_arena_array(p->arena, s.len + 1, 2);
    size_t n = 0;
    for (size_t k = 0; k < s.len;) {
        uint32_t cp;
        size_t len = odp_utf8_decode(s.ptr + k, s.len - k, &cp);
        if (cp >= 0x80 && cp < 0xa0) {
            if (high[cp - 0x80] == 0)
                return (struct odp_slice){NULL, 0};
            n += odp_utf8_encode(high[cp - 0x80], out + n);
        } else if (cp == '\v' || cp == '\f') {
            out[n++] = ' ';
        } else if ((cp >= 0x20 && cp != 0x7f) || cp == '\t' || cp == '\n' || cp == '\r') {
            memcpy(out + n, s.ptr + k, len);
            n += len;
        }
        k += len;
    }
    return odp_trim_unicode((struct odp_slice){out, n});
}

void odp_propose_decoded(struct odp_proposer *p)
{
    if (p->code == ODP_W02) {
        odp_offer(p, without_controls(p, p->raw));
        return;
    }
    struct odp_slice s = p->raw;
    for (int times = 0; times < 3 && !odp_settled(p); times++) {
        s = read_again(p, s);
        if (s.ptr == NULL)
            return;
        odp_offer(p, s); /* once more, if it is still not text */
    }
}
