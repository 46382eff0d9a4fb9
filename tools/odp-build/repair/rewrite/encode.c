/* Text into the encoding of the file. */
#include <errno.h>
#include <iconv.h>

#include "repair/rewrite/rewrite_internal.h"

enum odp_status odp_encoder_open(struct odp_encoder *c, const char *encoding)
{
    *c = (struct odp_encoder){0};
    if (encoding == NULL)
        return ODP_OK;
    iconv_t cd = iconv_open(encoding, "UTF-8");
    if (cd == (iconv_t)-1)
        return odp_failure_set("iconv", NULL, errno);
    *c = (struct odp_encoder){(void *)cd, true};
    return ODP_OK;
}

void odp_encoder_close(struct odp_encoder *c)
{
    if (c->open)
        iconv_close((iconv_t)c->cd);
    c->open = false;
}

enum odp_status odp_encode(const struct odp_encoder *c, struct odp_slice s, struct odp_buffer *out,
                           size_t *bad)
{
    *bad = 0;
    if (!c->open) {
        odp_buffer_add_slice(out, s);
        return odp_buffer_status(out);
    }
    char *in = (char *)(size_t)s.ptr;
    size_t left = s.len;
    (void)iconv((iconv_t)c->cd, NULL, NULL, NULL, NULL);
    while (left > 0) {
        size_t room = left * 4 + 16, space = room;
        char *to = odp_buffer_reserve(out, room);
        if (to == NULL)
            return ODP_FAIL;
        size_t r = iconv((iconv_t)c->cd, &in, &left, &to, &space);
        int error = errno;
        out->len += room - space;
        if (r != (size_t)-1 && r != 0) { /* another character was put in its place */
            *bad = 0;
            return ODP_DONE;
        }
        if (r == (size_t)-1 && error != E2BIG) {
            *bad = s.len - left;
            return ODP_DONE;
        }
    }
    return odp_buffer_status(out);
}
