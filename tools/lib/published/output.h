/* Files on their way into a site. */
#pragma once

#include "base/arena.h"
#include "base/file.h"

/* Takes the files of a site: implemented by the stage (published/stage.h), in tests by a folder. PATH is
 * relative to the site. */
enum odp_class { ODP_CLASS_PUBLIC, ODP_CLASS_KEYED, ODP_CLASS_INTERNAL };
struct odp_output {
    void *ctx;
    /* Creates PATH in the stage (folders too). Close with close; drop with odp_file_discard. */
    enum odp_status (*create)(void *ctx, const char *path, struct odp_file **out);
    /* Closes F and records PATH with its size, digest, media type and class. */
    enum odp_status (*close)(void *ctx, struct odp_file *f, const char *path, const char *media_type,
                             enum odp_class cls);
    /* A path on the disk, outside of the site, for a file that its user removes; in A. NULL: failure. The
     * member itself may be NULL: then such data stay in memory. */
    char *(*scratch)(void *ctx, struct odp_arena *a);
    /* For a library that writes its own file: the place of PATH on the disk (folders made, the file not there
     * yet), in A. Then seal it, which opens, hashes and records it; or drop it, which removes what is
     * there. */
    char *(*place)(void *ctx, const char *path, struct odp_arena *a);
    enum odp_status (*seal)(void *ctx, const char *path, const char *media_type, enum odp_class cls);
    void (*drop)(void *ctx, const char *path);
    /* Like seal, for a file that its user has sealed (odp_file_seal): INFO is true of it. NULL: use seal. */
    enum odp_status (*adopt)(void *ctx, const char *path, const char *media_type, enum odp_class cls,
                             const struct odp_file_info *info);
    /* Makes the twins of PATH now, where that takes long; else, and where there is no such file yet, the
     * site's end does. Any thread. NULL: there are no twins. */
    enum odp_status (*press)(void *ctx, const char *path);
};
