/* Terminal columns of characters, by libunistring's tables. */
#include <uniwidth.h>

#include "base/utf8.h"

enum { SOFT_HYPHEN = 0xAD }; /* terminals show it; libunistring takes it for invisible */

static size_t width_of(uint32_t cp)
{
    int width = uc_width(cp, "UTF-8"); /* -1: a control character */
    return cp == SOFT_HYPHEN ? 1 : width > 0 ? (size_t)width : 0;
}

size_t odp_utf8_width(struct odp_slice s)
{
    size_t width = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp = (unsigned char)s.ptr[i];
        bool ascii = cp >= 0x20 && cp < 0x7F;
        i += ascii ? 1 : odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        width += ascii ? 1 : width_of(cp);
    }
    return width;
}
