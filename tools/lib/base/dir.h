/* Folders. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

enum odp_status odp_dir_make(const char *path) ODP_MUST_USE; /* with parents; existing is OK; mode 0755 */
enum odp_status
odp_dir_make_synced(const char *path) ODP_MUST_USE; /* the same, and sure to be there after a power failure */
/* fsync of FD, again where a signal cut it; 0, or -1 and errno. Nothing where ODP_NO_SYNC is set: for tests
 * that are not about power loss. */
int odp_sync(int fd) ODP_MUST_USE;
enum odp_status odp_dir_sync(const char *path) ODP_MUST_USE;        /* fsync of the folder itself */
enum odp_status odp_dir_sync_parent(const char *path) ODP_MUST_USE; /* of the folder that PATH is in */
/* Everything on the file system of the open folder FD; reports what failed since FD was opened. 0, or -1
 * and errno. */
int odp_dir_sync_all(int fd) ODP_MUST_USE;
enum odp_status odp_dir_remove(const char *path)
    ODP_MUST_USE; /* the whole tree, never through symbolic links; absent is OK */

/* The files next to PATH that have its name but for the extension, in any case of letters, PATH among them;
 * sorted, each with its folder. BAD: the folder cannot be read. */
enum odp_status odp_dir_siblings(const char *path, struct odp_arena *a, const char ***siblings,
                                 size_t *n) ODP_MUST_USE;
/* The names in PATH, sorted by bytes, without . and ..; BAD when it is not a readable folder. */
enum odp_status odp_dir_list(const char *path, struct odp_arena *a, const char ***names,
                             size_t *n) ODP_MUST_USE;
