/* How to get from one page to the other. */
#include "site/pages/pages_internal.h"

const char *portal_root(const char *path, struct odp_arena *a)
{
    size_t depth = 0;
    for (const char *c = path; *c != '\0'; c++)
        depth += *c == '/';
    char *root = odp_arena_array(a, 3 * depth + 1, 1);
    for (size_t i = 0; i < depth; i++)
        memcpy(root + 3 * i, "../", 3);
    root[3 * depth] = '\0';
    return root;
}
