#include "base/white_space.h"

#include "base/utf8.h"

bool odp_is_space(uint32_t cp)
{
    return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0xa0 || (cp >= 0x2000 && cp <= 0x200a) ||
           cp == 0x202f || cp == 0x3000;
}

bool odp_is_invisible(uint32_t cp)
{
    return cp == 0x200b || cp == 0x2060 || cp == 0xfeff || cp == 0xad;
}

struct odp_slice odp_trim_unicode(struct odp_slice s)
{
    uint32_t cp;
    while (s.len > 0) {
        size_t n = odp_utf8_decode(s.ptr, s.len, &cp);
        if (!odp_is_space(cp) && !odp_is_invisible(cp))
            break;
        s.ptr += n;
        s.len -= n;
    }
    while (s.len > 0) {
        size_t n = 1;
        while (n < s.len && n < 4 && ((unsigned char)s.ptr[s.len - n] & 0xc0) == 0x80)
            n++;
        (void)odp_utf8_decode(s.ptr + s.len - n, n, &cp);
        if (!odp_is_space(cp) && !odp_is_invisible(cp))
            break;
        s.len -= n;
    }
    return s;
}
