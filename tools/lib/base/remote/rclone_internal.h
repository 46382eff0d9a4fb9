/* Inside of base/remote: one call of rclone (rclone_call.c), and files by it (rclone_files.c). */
#pragma once

#include "base/remote/remote_internal.h"

enum { RCLONE_ARGS = 40, RCLONE_BATCH = 1000 /* files a call */ };
enum { RCLONE_NO_FOLDER = 3, RCLONE_NO_FILE = 4 }; /* codes: nothing is there; no fault here */

/* One call: arguments, then how it went. */
struct rclone_call {
    const char *argv[RCLONE_ARGS];
    size_t n;
    struct odp_slice input;
    struct odp_buffer list; /* of paths, if any: the input */
    struct odp_buffer *out;
    size_t max;
    int code;
    bool too_large;
};

/* COMMAND with the options all calls have. */
void rclone_begin(struct rclone_call *c, const struct odp_remote *r, const char *command);
void rclone_arg(struct rclone_call *c, const char *text);
/* The call is about one more path of the store, by its input (a line of it); then the arguments that say so.
 */
void rclone_path(struct rclone_call *c, const char *path);
void rclone_of_paths(struct rclone_call *c, const struct odp_remote *r);
/* Ends the call. OK: it ended well, or said that something is not there (c->code). BAD: it did not, after
 * retries (fault). */
enum odp_status rclone_run(struct odp_remote *r, struct rclone_call *c) ODP_MUST_USE;
/* The store's own address of PATH; in A. */
const char *rclone_join(const struct odp_remote *r, const char *path, struct odp_arena *a);
/* Sets r->hashes and r->typed. */
enum odp_status rclone_features(struct odp_remote *r) ODP_MUST_USE;

enum odp_status rclone_fetch(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *dir,
                             const struct odp_progress *progress) ODP_MUST_USE;
enum odp_status rclone_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                           const struct odp_progress *progress) ODP_MUST_USE;
enum odp_status rclone_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                             const struct odp_remote_put *how) ODP_MUST_USE;
enum odp_status rclone_remove(struct odp_remote *r, const char *const *paths, size_t n) ODP_MUST_USE;
