/* Sites that lie elsewhere: a folder, a web address (libcurl, read-only), or anything rclone can reach (S3,
 * GCS, Azure, SFTP, WebDAV …; the program rclone is run as a child). One way to read small files, fetch many,
 * put many and delete some.
 *
 * Nothing is trusted: the caller checks size and digest of each file. Paths are the site's, relative and safe
 * (odp_path_is_safe or the caller's own check). Secrets in addresses (user:password@, rclone's connection
 * strings) are masked in every message. */
#pragma once

#include "base/arena.h"
#include "base/file.h"
#include "base/progress.h"

enum odp_remote_kind { ODP_REMOTE_FOLDER, ODP_REMOTE_URL, ODP_REMOTE_RCLONE };
/* "http://…", "https://…": URL; "name:path" and ":backend,…:path" are rclone's; all else is a folder (also
 * "./a:b"). */
enum odp_remote_kind odp_remote_kind_of(const char *address);

struct odp_remote;
/* No traffic yet. BAD: rclone is needed and not installed, or the address is wrong; *OUT is then set too, for
 * odp_remote_fault alone. */
enum odp_status odp_remote_open(struct odp_remote **out, const char *address) ODP_MUST_USE;
void odp_remote_close(struct odp_remote *r);
enum odp_remote_kind odp_remote_kind(const struct odp_remote *r);
const char *odp_remote_shown(const struct odp_remote *r); /* the address, secrets masked */
const char *odp_remote_fault(const struct odp_remote *r); /* the last BAD in a sentence (English, as the
                                                             program or server said it); "" */

/* PATH appended to OUT. DONE: missing (404, no such object). BAD: refused, unreachable after retries, larger
 * than MAX. */
enum odp_status odp_remote_read(struct odp_remote *r, const char *path, size_t max,
                                struct odp_buffer *out) ODP_MUST_USE;

struct odp_remote_file {
    const char *path;      /* of the site */
    uint64_t size;         /* expected */
    const uint8_t *sha256; /* expected; NULL: not known */
    bool missing; /* set by fetch and look: it is not there (or, at a web address, not for us: 401, 403) */
    bool wrong;   /* set by fetch: it came with another size or digest */
};
/* Each file to DIR/<path> (folders made, 0444, synced), several at once, each retried; what is there already
 * with its digest is not fetched again (so a broken fetch resumes). BAD: some are missing or came wrong (the
 * first in odp_remote_fault). */
enum odp_status odp_remote_fetch(struct odp_remote *r, struct odp_remote_file *files, size_t n,
                                 const char *dir, const struct odp_progress *progress) ODP_MUST_USE;

/* Headers and types for object stores that keep them; a folder ignores them. */
struct odp_remote_put {
    const char *from; /* on the disk */
    const char *path; /* at the destination */
    uint64_t size;
    const char *type, *cache_control; /* or NULL */
    bool replace; /* something else may lie there under this name: an equal size proves nothing */
};
/* All files; each is whole at the destination or not there. May be called again after a failure: what arrived
 * whole is skipped. */
enum odp_status odp_remote_put(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                               const struct odp_progress *progress) ODP_MUST_USE;
/* A small file from memory, replacing what is there. TYPE and CACHE_CONTROL may be NULL. BYTES are not empty.
 */
enum odp_status odp_remote_write(struct odp_remote *r, const char *path, struct odp_slice bytes,
                                 const char *type, const char *cache_control) ODP_MUST_USE;
/* Removes them; a missing one is no fault. Folders that become empty may stay. */
enum odp_status odp_remote_delete(struct odp_remote *r, const char *const *paths, size_t n) ODP_MUST_USE;

/* Which of FILES are there at all: sets missing and, where it is there, size. Not for web addresses (BAD). */
enum odp_status odp_remote_look(struct odp_remote *r, struct odp_remote_file *files, size_t n) ODP_MUST_USE;
/* The files under FOLDER, as paths of the site, sorted, in A; none without such a folder. Not for web
 * addresses (BAD). */
enum odp_status odp_remote_list(struct odp_remote *r, const char *folder, struct odp_arena *a,
                                const char ***paths, size_t *n) ODP_MUST_USE;
