/* OUT and what lies beside it: OUT is a link to OUT.builds/<digest>/, which also holds
 *
 *   .lock     held (flock) by whoever builds, withdraws or rolls back
 *   log       digests in the order of switching, one a line, newest last
 *   history   who did what and when (builds_history.h)
 *
 * Everything here is kill-safe: files are replaced by rename, the link too. */
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

/* Only names: nothing is made or looked at. */
void odp_builds_open(struct odp_builds *b, const char *out, struct odp_arena *a);
/* Makes the folder where it is missing. BAD: somebody else holds the lock (ODP-V08). */
enum odp_status odp_builds_lock(struct odp_builds *b, struct odp_diags *diags) ODP_MUST_USE;
/* Gives the lock back. */
void odp_builds_close(struct odp_builds *b);

/* 64 lower-case hex digits: the name of a build. */
bool odp_builds_is_digest(const char *name);
/* The build that OUT leads to; NULL when it leads to none. FAIL: OUT cannot be examined. */
enum odp_status odp_builds_current(const struct odp_builds *b, const char **digest) ODP_MUST_USE;
/* Builds that are there, sorted by digest. None where the folder is missing. */
enum odp_status odp_builds_present(const struct odp_builds *b, const char ***digests, size_t *n) ODP_MUST_USE;

/* The log, oldest first; lines that are no digests are left out. */
enum odp_status odp_builds_log(const struct odp_builds *b, const char ***digests, size_t *n) ODP_MUST_USE;
/* Replaces the log. */
enum odp_status odp_builds_log_put(const struct odp_builds *b, const char *const *digests,
                                   size_t n) ODP_MUST_USE;
/* DIGEST goes to the end of the log. */
enum odp_status odp_builds_log_move(const struct odp_builds *b, const char *digest) ODP_MUST_USE;
/* OUT leads to DIGEST from now on: one rename. */
enum odp_status odp_builds_point(const struct odp_builds *b, const char *digest) ODP_MUST_USE;
