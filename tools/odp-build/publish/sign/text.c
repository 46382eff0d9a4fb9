/* Small things the files of this folder share: lines, base64, sentences. */
#include "publish/sign/sign_internal.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE = 600 };

enum odp_status sign_ready(void)
{
    return sodium_init() >= 0 ? ODP_OK : odp_failure_set("start libsodium", NULL, 0);
}

enum odp_status sign_refuse(struct odp_arena *a, struct odp_text *why, const char *id, const char *en, ...)
{
    char text[SENTENCE];
    va_list args, again;
    va_start(args, en);
    va_copy(again, args);
    vsnprintf(text, sizeof text, id, args);
    why->in[ODP_LANG_ID] = odp_arena_str(a, text);
    vsnprintf(text, sizeof text, en, again);
    why->in[ODP_LANG_EN] = odp_arena_str(a, text);
    va_end(again);
    va_end(args);
    return why->in[ODP_LANG_ID] != NULL && why->in[ODP_LANG_EN] != NULL ? ODP_BAD : ODP_FAIL;
}

bool sign_base64(struct odp_slice text, uint8_t *out, size_t len)
{
    size_t got = 0;
    const char *end = NULL;
    if (text.len != sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80) /* libsodium 1.0.18 takes some of them for the letter without the bit */
            return false;
    return sodium_base642bin(out, len, text.ptr, text.len, NULL, &got, &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           got == len && end == text.ptr + text.len;
}

bool sign_line(struct odp_slice *rest, struct odp_slice *line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->ptr, '\n', rest->len);
    *line = (struct odp_slice){rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    size_t used = line->len + (end != NULL);
    rest->ptr += used;
    rest->len -= used;
    if (line->len > 0 && line->ptr[line->len - 1] == '\r')
        line->len--;
    return true;
}

bool sign_starts(struct odp_slice s, const char *with)
{
    size_t n = strlen(with);
    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}
