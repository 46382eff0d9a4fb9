#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool odp_path_is_inside(const char *root, const char *path)
{
    if (root == NULL)
        return true;
    char *from = realpath(root, NULL), *to = from != NULL ? realpath(path, NULL) : NULL;
    size_t n = from != NULL ? strlen(from) : 0;
    bool inside = to == NULL || strcmp(from, "/") == 0 || (strncmp(from, to, n) == 0 && (to[n] == '/' || to[n] == '\0'));
    free(to);
    free(from);
    return inside;
}

bool odp_path_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}
