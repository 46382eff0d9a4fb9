/* Where pages are, and how to get from one to the other. */
#include "site/pages/pages_internal.h"

const char *portal_path(enum portal_path which, enum odp_lang lang)
{
    static const char *const paths[PORTAL_PATHS][ODP_LANGS] = {
#define PORTAL_PATH(name, id, en) [PORTAL_##name] = {id, en},
#include "contract/paths.def"
#undef PORTAL_PATH
    };
    return paths[which][lang];
}

const char *portal_dataset_path(const char *slug, enum odp_lang lang, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s%s.html", portal_path(PORTAL_dataset_dir, lang), slug);
}

const char *portal_root(const char *path, struct odp_arena *a)
{
    size_t depth = 0;
    for (const char *c = path; *c != '\0'; c++)
        depth += *c == '/';
    char *root = odp_arena_array(a, 3 * depth + 1, 1);
    for (size_t i = 0; root != NULL && i < depth; i++)
        memcpy(root + 3 * i, "../", 3);
    if (root != NULL)
        root[3 * depth] = '\0';
    return root;
}
