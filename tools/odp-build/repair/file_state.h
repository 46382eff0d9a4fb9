/* The state of a file when it was examined, to tell whether it has changed. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

struct odp_file_state {
    struct stat st;
    bool there;
};
struct odp_file_state odp_file_state_of(const char *path);
/* The file with the values of a source: PATH, or the .dbf next to a .shp. */
struct odp_file_state odp_file_state_source(const char *path);
bool odp_file_state_same(const struct odp_file_state *a, const struct odp_file_state *b);
