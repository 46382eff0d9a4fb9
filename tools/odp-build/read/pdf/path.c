/* A document's path in the site: built from its folder, its digest and its name in the sources. */
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
