/* That nothing has changed, told before the catalogue is read: <build>.idle beside the build, not part of
 * the site, keeps what the last build said that found nothing to do, and the stamps (published/stamps.h)
 * of all that it had looked at: the program, the trees of catalogue, sources and the portal's templates,
 * and the folders of the site. As long as these are the same, the same command on the same day says the
 * same.
 *
 * Of the site only folders are looked at: a file that comes, goes or is replaced changes its folder, one
 * that is overwritten in place does not. (A build that has something to do looks at every file, and so
 * does odp-build verify.) What was changed while the build ran, or just before, is not kept: its time may
 * not tell it from the next change.
 *
 * It is a hint: if it is missing or anything differs, the build looks for itself. */
#pragma once

#include "published/site.h"
#include "run/run.h"

struct odp_idle {
    const struct odp_options *options;
    uint8_t key[ODP_SHA256_SIZE]; /* what the command is, and how it speaks */
    int64_t began;                /* nanoseconds since 1970 */
};

/* SHOWN: how the report is shown, in any form. */
void odp_idle_begin(struct odp_idle *idle, const struct odp_options *o, struct odp_slice shown);
/* Whether nothing has changed; then TEXT is what was said. */
bool odp_idle_same(const struct odp_idle *idle, struct odp_buffer *text);
/* What odp_run.folders holds of SITE; in A. */
struct odp_slice odp_idle_folders(const struct odp_site *site, struct odp_arena *a);
/* RUN found nothing to do, and says TEXT. */
void odp_idle_keep(const struct odp_idle *idle, const struct odp_run *run, struct odp_slice text);
