/* Addresses of pages and documents of a site. */
#include "published/paths.h"

const char *odp_path(enum odp_path which, enum odp_lang lang)
{
    static const char *const paths[ODP_PATHS][ODP_LANGS] = {
#define PORTAL_PATH(name, id, en) {id, en},
#define SITE_PATH(name, path)     {path, path},
#include "contract/paths.def"
    };
    return paths[which][lang];
}

const char *odp_path_name(enum odp_path which)
{
    static const char *const names[ODP_PATHS] = {
#define PORTAL_PATH(name, id, en) #name,
#define SITE_PATH(name, path)     #name,
#include "contract/paths.def"
    };
    return names[which];
}

const char *odp_path_dataset(const char *slug, enum odp_lang lang, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s%s.html", odp_path(ODP_PATH_dataset_dir, lang), slug);
}

const char *odp_path_explore(const char *slug, enum odp_lang lang, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s%s/index.html", odp_path(ODP_PATH_dataset_dir, lang), slug);
}
