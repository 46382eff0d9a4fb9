/* Where pages and documents of a site are (contract/paths.def), from its root. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"

enum odp_path {
#define PORTAL_PATH(name, id, en) ODP_PATH_##name,
#define SITE_PATH(name, path)     ODP_PATH_##name,
#include "contract/paths.def"
    ODP_PATHS
};
/* "katalog/"; a path that exists once has the same address in both languages. */
const char *odp_path(enum odp_path which, enum odp_lang lang);
/* "dataset_dir": the name in templates. */
const char *odp_path_name(enum odp_path which);
/* The page of dataset SLUG, in A. */
const char *odp_path_dataset(const char *slug, enum odp_lang lang, struct odp_arena *a);
/* The page of what changed in it from version to version. */
const char *odp_path_story(const char *slug, enum odp_lang lang, struct odp_arena *a);
/* The page that explores all its records. */
const char *odp_path_explore(const char *slug, enum odp_lang lang, struct odp_arena *a);
/* The page of the place of CODE. */
const char *odp_path_place(const char *code, enum odp_lang lang, struct odp_arena *a);
/* CODE can be the name of a page: letters, digits, '.', '_' and '-', a letter or digit first, 64 at most; not
 * "index". assets/js/lib/places.js has the same rule. */
bool odp_path_place_is(const char *code);
