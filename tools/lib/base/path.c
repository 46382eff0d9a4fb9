#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

char *odp_path_join(struct odp_arena *a, const char *dir, const char *name)
{
    if (dir == NULL || *dir == '\0')
        return odp_arena_str(a, name);
    return odp_arena_printf(a, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
}

const char *odp_path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *odp_path_folder(struct odp_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? odp_arena_str(a, ".")
                         : odp_arena_printf(a, "%.*s", (int)(slash - path) + (slash == path), path);
}

bool odp_path_ends(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcasecmp(path + n - m, end) == 0;
}

bool odp_path_is_safe(const char *path)
{
    bool at_start = true; /* of a segment */
    if (*path == '\0')
        return false;
    for (const char *p = path; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7F || c == '\\')
            return false;
        if (at_start && (c == '/' || c == '.'))
            return false;
        at_start = c == '/';
    }
    return !at_start;
}

bool odp_path_is_inside(const char *root, const char *path)
{
    if (root == NULL)
        return true;
    char *from = realpath(root, NULL), *to = from != NULL ? realpath(path, NULL) : NULL;
    size_t n = from != NULL ? strlen(from) : 0;
    bool inside = to == NULL || strcmp(from, "/") == 0 ||
                  (strncmp(from, to, n) == 0 && (to[n] == '/' || to[n] == '\0'));
    free(to);
    free(from);
    return inside;
}

bool odp_path_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}
