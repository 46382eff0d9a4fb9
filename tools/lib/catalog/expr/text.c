#include "catalog/expr/text.h"

#include <stdlib.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

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

/* ---- mappings ---- */

/* Letters without their marks: taken apart, the marks dropped, put together. */
static uint8_t *bare(const uint8_t *s, size_t len, uint8_t *out, size_t *n)
{
    size_t apart, kept = 0;
    uint8_t *text = u8_normalize(UNINORM_NFD, s, len, NULL, &apart), *result = NULL;
    ucs4_t c;
    for (size_t i = 0, k = 0; text != NULL && i < apart; i += k) {
        k = (size_t)u8_mbtouc(&c, text + i, apart - i);
        if (!uc_is_general_category(c, UC_NON_SPACING_MARK)) {
            memmove(text + kept, text + i, k);
            kept += k;
        }
    }
    if (text != NULL)
        result = u8_normalize(UNINORM_NFC, text, kept, out, n);
    free(text);
    return result;
}

static char ascii(enum expr_mapping mapping, char c)
{
    if (mapping == EXPR_UPPER)
        return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return mapping == EXPR_ACCENTI ? c : odp_lower(c);
}

/* ASCII is most of what comes. */
size_t expr_map(enum expr_mapping mapping, struct odp_slice s, char *out)
{
    size_t n = s.len * EXPR_GROWTH;
    const uint8_t *in = (const uint8_t *)s.ptr;
    uint8_t *to = (uint8_t *)out, *made;
    unsigned char any = 0;
    for (size_t i = 0; i < s.len; i++) {
        any |= in[i];
        out[i] = ascii(mapping, s.ptr[i]);
    }
    if (any < 0x80)
        return s.len;
    if (mapping == EXPR_ACCENTI)
        made = bare(in, s.len, to, &n);
    else if (mapping == EXPR_CASEI)
        made = u8_casefold(in, s.len, NULL, NULL, to, &n);
    else if (mapping == EXPR_UPPER)
        made = u8_toupper(in, s.len, NULL, NULL, to, &n);
    else
        made = u8_tolower(in, s.len, NULL, NULL, to, &n);
    if (made == NULL)
        return s.len;
    if (made != to) {
        memcpy(out, made, n);
        free(made);
    }
    return n;
}

/* ---- parts ---- */

struct odp_slice expr_trim(struct odp_slice s)
{
    uint32_t c;
    for (size_t n; s.len > 0; s.ptr += n, s.len -= n) {
        n = step(s, 0);
        if (odp_utf8_decode(s.ptr, s.len, &c) != n || !uc_is_property_white_space(c))
            break;
    }
    for (size_t at; s.len > 0; s.len = at) {
        for (at = s.len - 1; at > 0 && ((unsigned char)s.ptr[at] & 0xC0) == 0x80;)
            at--;
        if (odp_utf8_decode(s.ptr + at, s.len - at, &c) != s.len - at || !uc_is_property_white_space(c))
            break;
    }
    return s;
}

struct odp_slice expr_substr(struct odp_slice s, int64_t from, int64_t n)
{
    size_t at = 0;
    from = from > 0 ? from - 1 : (int64_t)odp_utf8_count(s) + from;
    if (from < 0)
        n += from;
    for (; from > 0 && at < s.len; from--)
        at += step(s, at);
    size_t end = at;
    for (; n > 0 && end < s.len; n--)
        end += step(s, end);
    return (struct odp_slice){s.ptr + at, end - at};
}
