/* Which pages other sites may show in a frame: those that are made for it (site/pages/embed.c). They hold
 * no key, ask for none, and have nothing to press that changes anything, so that a page laid over them
 * (clickjacking) gains nothing. All others keep frame-ancestors 'none' of page_headers.def. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/slice.h"

/* Instead of the Content-Security-Policy of page_headers.def. */
#define ODP_FRAMED_POLICY "base-uri 'none'; object-src 'none'"
/* The folders of paths.def, from the site's root, as a regular expression for nginx. */
#define ODP_FRAMED_PATTERN "/(?:en/)?embed/"

/* PATH from the site's root, without a slash before it. */
static inline bool odp_path_is_framed(struct odp_slice path)
{
    static const struct odp_slice folders[] = {ODP_LIT("embed/"), ODP_LIT("en/embed/")};
    for (size_t i = 0; i < ODP_COUNT(folders); i++)
        if (path.len > folders[i].len && memcmp(path.ptr, folders[i].ptr, folders[i].len) == 0)
            return true;
    return false;
}
