/* Whether a path stays in a folder once its symbolic links are followed: what comes with a catalogue must not lead to what does not. */
#ifndef ODP_BASE_PATH_H
#define ODP_BASE_PATH_H

#include <stdbool.h>

/* True if PATH, its links followed, is ROOT (its links followed, too) or in it; also where either of them is not there or cannot be followed, which whoever
 * opens it is told. ROOT NULL: anything is. */
bool odp_path_is_inside(const char *root, const char *path);

/* PATH itself is a symbolic link, wherever it leads: also to nothing. */
bool odp_path_is_link(const char *path);

#endif
