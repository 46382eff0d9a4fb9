/* OUT and its folder of builds: OUT is a link to OUT.builds/<digest>/. OUT.builds also holds
 *
 *   .lock     held (flock) by whichever run builds, withdraws or rolls back
 *   log       digests in the order of switching, one a line, newest last
 *   history   who did what and when (builds_history.h)
 *
 * A kill at any point does no harm: files and the link are replaced by rename. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

struct odp_builds {
    struct odp_arena *arena; /* borrowed; strings live in it */
    const char *out;         /* without a slash at its end */
    const char *dir;         /* "<out>.builds" */
    int lock;                /* descriptor; -1: not locked */
};

/* Sets names only; touches nothing on the disk. */
void odp_builds_open(struct odp_builds *b, const char *out, struct odp_arena *a);
/* Makes the folder if it is missing. BAD: another run holds the lock (ODP-V08). */
enum odp_status odp_builds_lock(struct odp_builds *b, struct odp_diags *diags) ODP_MUST_USE;
/* Releases the lock. */
void odp_builds_close(struct odp_builds *b);

/* 64 lower-case hex digits: the name of a build. */
bool odp_builds_is_digest(const char *name);
/* The build that OUT leads to, or NULL. FAIL: OUT cannot be examined. */
enum odp_status odp_builds_current(const struct odp_builds *b, const char **digest) ODP_MUST_USE;
/* The builds in the folder, sorted by digest. None if the folder is missing. */
enum odp_status odp_builds_present(const struct odp_builds *b, const char ***digests, size_t *n) ODP_MUST_USE;

/* The log, oldest first, without lines that are no digests. */
enum odp_status odp_builds_log(const struct odp_builds *b, const char ***digests, size_t *n) ODP_MUST_USE;
/* Replaces the log. */
enum odp_status odp_builds_log_put(const struct odp_builds *b, const char *const *digests,
                                   size_t n) ODP_MUST_USE;
/* Moves DIGEST to the end of the log. */
enum odp_status odp_builds_log_move(const struct odp_builds *b, const char *digest) ODP_MUST_USE;
/* Makes OUT lead to DIGEST: one rename. */
enum odp_status odp_builds_point(const struct odp_builds *b, const char *digest) ODP_MUST_USE;
