#include "commands/share.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

const char *share_portal(void)
{
    static char path[PATH_MAX + 32];
    static const char below[] = "share/odp/portal";
    struct stat st;
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    if (n < 0) { /* without /proc: a site without pages and without a warning would be worse */
        const char *run = (const char *)getauxval(AT_EXECFN);
        n = run != NULL && realpath(run, path) != NULL ? (ssize_t)strlen(path) : -1;
    }
    for (int up = 0; up < 2 && n > 0; up++) /* out of bin/, then its parent */
        while (n > 0 && path[--n] != '/') {
        }
    if (n < 0)
        return NULL;
    memcpy(path + n + 1, below, sizeof below);
    /* A folder that cannot be examined is returned, so that opening it reports why. */
    if (stat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR ? NULL : path;
    return S_ISDIR(st.st_mode) ? path : NULL;
}
