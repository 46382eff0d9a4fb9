/* The server of `odp-build serve`: a preview's files on 127.0.0.1, for browsers of this machine alone
 * (request.h says which requests are refused).
 *
 *   /…                    the files of the newest build (view.h). Into each page goes one script, which loads
 *                         it again after the next build; files on the disk stay as they were built
 *   /_odp/events          the numbers of builds, as server-sent events (reload.h)
 *   /_odp/reload.js       that script: the pages' policy allows no other than their own server's
 *   /_odp/metadata/SLUG   the form of a dataset's metadata; without SLUG the portal's (metadata/)
 *
 * Only the form writes, and only into the catalogue: its answer must come from its own page, whose token
 * changes with every server. */
#pragma once

#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"

struct serve_options {
    const char *catalog; /* its folder */
    unsigned port;       /* the first that is tried; also the next ones, unless it was NAMED */
    bool named;
    enum odp_lang lang;
};

struct serve_server;
/* BAD: no port is free. */
enum odp_status serve_start(struct serve_server **out, const struct serve_options *o) ODP_MUST_USE;
unsigned serve_port(const struct serve_server *s);
/* A build is done: from now on the site that the link SITE leads to, or, where REPORT is not empty, that in
 * its place. Pages that are open load themselves again. */
enum odp_status serve_show(struct serve_server *s, const char *site, struct odp_slice report) ODP_MUST_USE;
/* Ends all connections. NULL is allowed. */
void serve_stop(struct serve_server *s);
