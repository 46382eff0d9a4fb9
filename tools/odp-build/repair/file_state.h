/* The state of a file when it was examined, to tell whether it has changed. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

struct odp_look {
    struct stat st;
    bool there;
};
struct odp_look odp_look_at(const char *path);
/* The file with the values of a source: PATH, or the .dbf next to a .shp. */
struct odp_look odp_look_source(const char *path);
bool odp_look_same(const struct odp_look *a, const struct odp_look *b);
