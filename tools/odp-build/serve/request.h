/* What a request to the preview may, and what it asks for: judged by its text alone.
 *
 * The server listens on 127.0.0.1, but every page that the browser has open may call it, and a name of
 * somebody else may be made to lead here (DNS rebinding). So: Host is 127.0.0.1 or localhost, with our port;
 * Origin, where there is one, is the same place; and what another site's page loads (Sec-Fetch-Site) is
 * refused, but for a link that somebody follows. */
#pragma once

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

struct serve_headers {
    struct odp_slice host, origin, fetch_site, fetch_mode, range;
    bool twice; /* one of them that decides something came twice */
};
/* Enters header NAME; others are ignored. */
void serve_header(struct serve_headers *h, const char *name, const char *value);
/* POSTS: it is to change something, so it must say that it comes from here. */
bool serve_may(const struct serve_headers *h, unsigned port, bool posts);

/* The part of a file of SIZE bytes that a Range wants: OK, with FROM and LEN; DONE: the whole; BAD: there
 * is no such part. One part alone: several at once are not needed, and the whole answers them as well. */
enum odp_status serve_range(struct odp_slice range, uint64_t size, uint64_t *from,
                            uint64_t *len) ODP_MUST_USE;
