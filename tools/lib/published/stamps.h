/* What the file system says of files: which one, its size, when it was last changed. Equal stamps tell that
 * files are the same without reading them; they never leave the machine. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"

/* Begins as {0}. */
struct odp_stamps {
    struct odp_buffer bytes;
    size_t files;    /* looked at in trees */
    bool too_many;   /* a tree had more files, or was deeper, than anybody wants to look at */
    int64_t changed; /* the last change of any of them, in nanoseconds since 1970 */
};

void odp_stamps_release(struct odp_stamps *s);
/* The file or folder PATH in the open FOLDER (or AT_FDCWD); links are followed. That nothing is there is a
 * stamp, too. */
void odp_stamps_file(struct odp_stamps *s, int folder, const char *path);
/* The names and stamps of all files below PATH; of folders, which one it is. .git is left out. A holds paths.
 */
enum odp_status odp_stamps_tree(struct odp_stamps *s, const char *path, struct odp_arena *a) ODP_MUST_USE;
