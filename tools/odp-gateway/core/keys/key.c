#include "core/keys/key.h"

#include <zlib.h>

#include "base/ascii.h"
#include "core/random.h"

enum { RANDOM = 30, SUM = 6, PREFIX = sizeof ODP_KEY_PREFIX - 1 };

/* One more than the digit that a character is; 0: none. */
static unsigned digit1(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0') + 1;
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A') + 11;
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 37 : 0;
}

/* ---- the key ---- */

enum odp_status odp_key_make(char out[ODP_KEY_LENGTH + 1])
{
    memcpy(out, ODP_KEY_PREFIX, PREFIX);
    if (odp_random_base62(out + PREFIX, RANDOM) != ODP_OK)
        return ODP_FAIL;
    uint32_t sum = (uint32_t)crc32(0, (const Bytef *)out + PREFIX, RANDOM);
    for (size_t i = ODP_KEY_LENGTH; i > PREFIX + RANDOM; i--, sum /= 62)
        out[i - 1] = odp_base62[sum % 62];
    out[ODP_KEY_LENGTH] = '\0';
    return ODP_OK;
}

bool odp_key_ok(struct odp_slice key)
{
    uint64_t sum = 0; /* 62^6 is more than 32 bits hold: too large a sum is simply another number */
    bool ok = true;
    if (key.len != ODP_KEY_LENGTH || memcmp(key.ptr, ODP_KEY_PREFIX, PREFIX) != 0)
        return false;
    for (size_t i = PREFIX; i < PREFIX + RANDOM; i++)
        ok &= digit1(key.ptr[i]) != 0;
    for (size_t i = PREFIX + RANDOM; i < ODP_KEY_LENGTH; i++) {
        ok &= digit1(key.ptr[i]) != 0;
        sum = sum * 62 + digit1(key.ptr[i]) - 1;
    }
    return ok && sum == crc32(0, (const Bytef *)key.ptr + PREFIX, RANDOM);
}

enum odp_status odp_key_digest(struct odp_slice key, uint8_t out[ODP_SHA256_SIZE])
{
    return odp_digest_of(key.ptr, key.len, out);
}

void odp_key_shown(struct odp_slice key, char out[ODP_KEY_SHOWN + 1])
{
    size_t n = 0;
    if (key.len >= ODP_KEY_LENGTH && memcmp(key.ptr, ODP_KEY_PREFIX, PREFIX) == 0)
        for (n = PREFIX; n < ODP_KEY_SHOWN && digit1(key.ptr[n]) != 0; n++)
            continue;
    n = n == ODP_KEY_SHOWN ? n : 0; /* neither a password is shown, nor a control character */
    if (n > 0)
        memcpy(out, key.ptr, n);
    out[n] = '\0';
}

/* ---- Authorization ---- */

static bool is_b64token(char c)
{
    return digit1(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~' || c == '+' || c == '/';
}

enum odp_bearer odp_bearer_parse(struct odp_slice header, struct odp_slice *key)
{
    static const char scheme[] = "bearer";
    size_t n = 0;
    header = odp_slice_trim(header);
    if (header.len == 0)
        return ODP_BEARER_NONE;
    while (n < header.len && header.ptr[n] != ' ')
        n++;
    if (n != sizeof scheme - 1)
        return ODP_BEARER_OTHER;
    for (size_t i = 0; i < n; i++)
        if ((header.ptr[i] | 32) != scheme[i])
            return ODP_BEARER_OTHER;
    while (n < header.len && header.ptr[n] == ' ')
        n++;
    struct odp_slice token = {header.ptr + n, header.len - n};
    for (n = 0; n < token.len && is_b64token(token.ptr[n]);)
        n++;
    size_t text = n;
    while (n < token.len && token.ptr[n] == '=')
        n++;
    if (text == 0 || n != token.len)
        return ODP_BEARER_MALFORMED;
    *key = token;
    return ODP_BEARER_OK;
}

/* ---- redaction ---- */

/* The character at AT, percent-decoded as often as it was encoded, A to Z in lower case; *SIZE: the bytes it
 * takes. */
static char character(struct odp_slice text, size_t at, size_t *size)
{
    const char *p = text.ptr + at, *end = text.ptr + text.len;
    char c = *p++;
    for (; c == '%' && end - p >= 2 && odp_hex_value(p[0]) >= 0 && odp_hex_value(p[1]) >= 0; p += 2)
        c = (char)(odp_hex_value(p[0]) << 4 | odp_hex_value(p[1]));
    *size = (size_t)(p - text.ptr) - at;
    return odp_lower(c);
}

/* How many bytes at AT read as WORD; 0: they do not. */
static size_t reads_as(struct odp_slice text, size_t at, const char *word)
{
    size_t from = at, size;
    for (; *word != '\0'; word++, at += size)
        if (at >= text.len || character(text, at, &size) != *word)
            return 0;
    return at - from;
}

/* Where the value of a parameter that carries a key begins, when its name begins at AT; else 0. */
static size_t value_at(struct odp_slice text, size_t at)
{
    static const char *const names[] = {"api_key=", "apikey=", "key=", "token=", "access_token="};
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
        size_t n = reads_as(text, at, names[i]);
        if (n > 0)
            return at + n;
    }
    return 0;
}

static bool ends_value(char c)
{
    return c == '&' || c == '#' || c == '"' || (unsigned char)c <= ' ';
}

/* The characters of a key, or of a mistyped one. Encoded characters do, but for those that begin a parameter:
 * its value is examined by itself. */
static bool continues_key(char c, size_t size)
{
    if (size > 1)
        return c != '?' && c != '&' && c != ';';
    return digit1(c) != 0 || c == '%' || c == '-' || c == '_' || c == '~' || c == '+' ||
           (unsigned char)c >= 0x80;
}

static size_t mask_key(char *ptr, struct odp_slice text, size_t at)
{
    size_t size;
    for (int n = PREFIX; at < text.len; n++, at += size) {
        char c = character(text, at, &size);
        if (!continues_key(c, size))
            break;
        if (n >= ODP_KEY_SHOWN || digit1(c) == 0)
            memset(ptr + at, '*', size);
    }
    return at;
}

bool odp_key_is_in(struct odp_slice text)
{
    for (size_t at = 0, size; at < text.len; at += size)
        if (character(text, at, &size) == 'o' && reads_as(text, at, ODP_KEY_PREFIX) > 0)
            return true;
    return false;
}

size_t odp_key_redact(char *ptr, size_t len)
{
    const struct odp_slice text = {ptr, len};
    size_t found = 0, size, n;
    for (size_t at = 0; at < len; at += size) {
        char c = character(text, at, &size);
        if (c == 'o' && (n = reads_as(text, at, ODP_KEY_PREFIX)) > 0) {
            size = mask_key(ptr, text, at + n) - at;
            found++;
        } else if ((c == '?' || c == '&' || c == ';') && (n = value_at(text, at + size)) > 0) {
            size_t end = n;
            while (end < len && !ends_value(ptr[end]))
                ptr[end++] = '*';
            size = end - at;
            found += end > n;
        }
    }
    return found;
}
