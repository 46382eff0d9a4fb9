/* Inside of core/control: one line of the control file, and the file itself. */
#ifndef ODP_GATEWAY_CORE_CONTROL_ENTRY_H
#define ODP_GATEWAY_CORE_CONTROL_ENTRY_H

#include "core/control.h"
#include <sys/types.h>

struct control_line {
    uint32_t at;   /* offset in the mapping */
    uint32_t path; /* length of the first column */
};

struct odp_control {
    char *dir;  /* real path */
    char *link; /* what the site's link said when it was opened; "" when it is no link */
    dev_t dev;
    ino_t ino; /* of dir */
    const char *map;
    size_t size;                /* of the mapping; its last byte is '\n' */
    struct control_line *lines; /* after the names of the columns; sorted by path */
    size_t n;
    char etag[40]; /* of manifest.json: the first half of the build's name, quoted; "" when the folder has no such name */
    bool has_manifest;
    uint64_t manifest_size;
};

/* LINE is without its end. False: not a line that can be used (its path leaves the site, a column is wrong). */
bool control_entry_read(struct odp_slice line, struct odp_entry *e);
/* No empty, "." or ".." segment, no backslash, no control character, no slash at the start; one at the end is allowed. */
bool control_path_ok(struct odp_slice path);
/* The line whose path is A followed by B (both may be empty). */
bool control_find_exact(const struct odp_control *c, struct odp_slice a, struct odp_slice b, struct odp_entry *e);

#endif
