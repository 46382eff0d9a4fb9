/* A document's path in the site: built from its folder, its digest and its name in the sources, and parsed
 * again. */
#include "base/ascii.h"
#include "base/path.h"
#include "read/pdf/document.h"

#define DIGITS 16 /* of the digest */

static const char hex[] = "0123456789ABCDEF";

static bool is_plain(unsigned char c)
{
    return odp_is_alnum((char)c) || c == '-' || c == '_';
}

/* Segments of NAME as segments of a path in the site: a '.' at either end of one is escaped, so none is
 * hidden or "..". */
static void add_name(struct odp_buffer *out, struct odp_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool first = i == 0 || name.ptr[i - 1] == '/', last = i + 1 == name.len || name.ptr[i + 1] == '/';
        if (is_plain(c) || c == '/' || (c == '.' && !first && !last)) {
            odp_buffer_add_char(out, (char)c);
            continue;
        }
        odp_buffer_add_char(out, '~');
        odp_buffer_add_char(out, hex[c >> 4]);
        odp_buffer_add_char(out, hex[c & 15]);
    }
}

char *odp_document_path(const char *folder, struct odp_slice name, const uint8_t sha256[ODP_SHA256_SIZE],
                        struct odp_arena *a)
{
    char digest[ODP_SHA256_HEX];
    struct odp_buffer b = {0};
    odp_digest_hex(sha256, digest);
    add_name(&b, odp_slice_of(odp_path_last(folder)));
    odp_buffer_printf(&b, "/%.*s/", DIGITS, digest);
    add_name(&b, name);
    char *path = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return path;
}

static int digit_of(char c)
{
    const char *at = c != '\0' ? strchr(hex, c) : NULL;
    return at != NULL ? (int)(at - hex) : -1;
}

/* Decodes S into OUT. False: add_name does not write such text. */
static bool read_name(struct odp_slice s, struct odp_buffer *out)
{
    struct odp_buffer again = {0};
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '~') {
            odp_buffer_add_char(out, s.ptr[i]);
            continue;
        }
        int high = i + 2 < s.len ? digit_of(s.ptr[i + 1]) : -1, low = high >= 0 ? digit_of(s.ptr[i + 2]) : -1;
        if (low < 0)
            return false;
        odp_buffer_add_char(out, (char)(high << 4 | low));
        i += 2;
    }
    add_name(&again, odp_buffer_slice(out));
    bool same = odp_slice_eq(odp_buffer_slice(&again), s);
    odp_buffer_release(&again);
    return same;
}

char *odp_document_name(struct odp_slice value, struct odp_arena *a)
{
    const char *slash = value.len > 0 ? memchr(value.ptr, '/', value.len) : NULL;
    size_t head = slash != NULL ? (size_t)(slash - value.ptr) + 1 : 0;
    if (head < 2 || value.len < head + DIGITS + 2 || value.ptr[head + DIGITS] != '/')
        return NULL;
    for (size_t i = head; i < head + DIGITS; i++)
        if (!(odp_is_digit(value.ptr[i]) || (value.ptr[i] >= 'a' && value.ptr[i] <= 'f')))
            return NULL;
    struct odp_slice rest = {value.ptr + head + DIGITS + 1, value.len - head - DIGITS - 1};
    struct odp_buffer b = {0};
    bool good = read_name(rest, &b);
    const char *name = odp_buffer_cstr(&b);
    char *out = good && odp_path_is_safe(name) && strlen(name) == b.len ? odp_arena_str(a, name) : NULL;
    odp_buffer_release(&b);
    return out;
}
