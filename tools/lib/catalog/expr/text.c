#include "catalog/expr/text.h"

#include <stdlib.h>
#include <unicase.h>

#include "base/ascii.h"
#include "base/utf8.h"

/* ---- LIKE ---- */

static size_t step(struct odp_slice s, size_t i)
{
    uint32_t cp;
    size_t n = odp_utf8_decode(s.ptr + i, s.len - i, &cp);
    return n == 0 || n > s.len - i ? 1 : n;
}

/* Where after FROM the pattern's part at P can begin: the next byte that equals its first; text.len: nowhere.
 */
static size_t next_start(struct odp_slice text, size_t from, struct odp_slice pattern, size_t p)
{
    if (p >= pattern.len || from >= text.len || pattern.ptr[p] == '_' || pattern.ptr[p] == '%')
        return from;
    char first = pattern.ptr[p] == '\\' && p + 1 < pattern.len ? pattern.ptr[p + 1] : pattern.ptr[p];
    const char *at = memchr(text.ptr + from, first, text.len - from);
    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

/* Only the last % need be tried again: linear, or the product of both lengths for patterns made to hurt. */
bool expr_like(struct odp_slice text, struct odp_slice pattern)
{
    size_t t = 0, p = 0, again_p = SIZE_MAX, again_t = 0;
    while (t < text.len || p < pattern.len) {
        if (p < pattern.len && pattern.ptr[p] == '%') {
            again_p = ++p;
            again_t = t;
            continue;
        }
        if (t < text.len && p < pattern.len) {
            if (pattern.ptr[p] == '_') {
                t += step(text, t);
                p++;
                continue;
            }
            size_t escape = pattern.ptr[p] == '\\' && p + 1 < pattern.len ? 1 : 0;
            if (pattern.ptr[p + escape] == text.ptr[t]) {
                p += escape + 1;
                t++;
                continue;
            }
        }
        if (again_p == SIZE_MAX || again_t >= text.len)
            return false;
        again_t = next_start(text, again_t + step(text, again_t), pattern, again_p);
        t = again_t;
        p = again_p;
    }
    return true;
}

/* ---- CASEI ---- */

/* ASCII is most of what comes. Bytes that are no UTF-8 stay. */
size_t expr_fold(struct odp_slice s, char *out)
{
    size_t n = s.len * EXPR_FOLD;
    unsigned char any = 0;
    for (size_t i = 0; i < s.len; i++) {
        any |= (unsigned char)s.ptr[i];
        out[i] = odp_lower(s.ptr[i]);
    }
    if (any < 0x80)
        return s.len;
    uint8_t *folded = u8_casefold((const uint8_t *)s.ptr, s.len, NULL, NULL, (uint8_t *)out, &n);
    if (folded == NULL)
        return s.len;
    if (folded != (uint8_t *)out) {
        memcpy(out, folded, n);
        free(folded);
    }
    return n;
}
