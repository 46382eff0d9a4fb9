/* The state of a file when it was examined, to tell whether it has changed. */
#pragma once

#include <sys/stat.h>

#include "base/arena.h"

struct odp_file_state {
    struct stat st;
    bool there;
};
/* The file whose bytes tell whether the records of a source have changed: PATH, or a shapefile's table. In
 * A. */
char *odp_data_file(const char *path, struct odp_arena *a) ODP_MUST_USE;
struct odp_file_state odp_file_state_of(const char *path);
/* Of that of PATH. */
struct odp_file_state odp_file_state_source(const char *path);
bool odp_file_state_same(const struct odp_file_state *a, const struct odp_file_state *b);
