/* Addresses of pages and documents of a site. */
#include "published/paths.h"

#include <string.h>

#include "base/ascii.h"

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

const char *odp_path_story(const char *slug, enum odp_lang lang, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s%s/%s.html", odp_path(ODP_PATH_dataset_dir, lang), slug,
                            lang == ODP_LANG_EN ? "changes" : "perubahan");
}

const char *odp_path_place(const char *code, enum odp_lang lang, struct odp_arena *a)
{
    return odp_arena_printf(a, "%s%s.html", odp_path(ODP_PATH_place_dir, lang), code);
}

bool odp_path_place_is(const char *code)
{
    enum { MOST = 64 };
    bool is = strchr("._-", *code) == NULL && strlen(code) <= MOST && strcmp(code, "index") != 0;
    for (const char *c = code; is && *c != '\0'; c++)
        is = odp_is_alnum(*c) || strchr("._-", *c) != NULL;
    return is;
}
