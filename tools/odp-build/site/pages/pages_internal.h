/* Inside of site/pages: what pages and feeds share. */
#ifndef ODP_SITE_PAGES_PAGES_INTERNAL_H
#define ODP_SITE_PAGES_PAGES_INTERNAL_H

#include <jansson.h>

#include "base/template/template.h"
#include "published/paths.h"
#include "site/metadata/metadata.h"
#include "site/model/model.h"
#include "site/pages/portal.h"

/* ---- path.c ----------------------------------------------------------------------------------------- */

/* "../" as often as PATH needs to get to the site's root, in A. */
const char *portal_root(const char *path, struct odp_arena *a);

/* ---- portal.c: what all pages are made with --------------------------------------------------------- */

struct portal {
    const struct odp_site_job *job;
    const struct odp_catalog *catalog;
    struct odp_templates *templates;
    json_t *site[ODP_LANGS]; /* what every page of that language has (model/site.json): the members "site",
                                "paths", "assets", "lang", … */
    json_t *assets;   /* assets.c: {"portal_js": {"path": "assets/….js", "integrity": "sha256-…"}, …} */
    const char *logo; /* staged path of the theme's logo, or NULL */
    const char *colors[2];         /* theme.c: colour of the page, light and dark ("#ffffff") */
    struct odp_metadata *metadata; /* for schema.org's objects */
    json_t *clients;               /* odp_client_description, or NULL: there are no libraries */
    const json_t **newest;         /* the entries, newest first; n of them */
    size_t n;
    struct odp_arena arena; /* of the whole run */
};

/* ---- frame.c ---------------------------------------------------------------------------------------- */

/* The head of a page; everything but title and path may be NULL. */
struct portal_head {
    const char *page; /* the template's name */
    const char *title, *description;
    const char *path[ODP_LANGS]; /* of this page in both languages, from the site's root */
    const char *nav;    /* which entry of the navigation is the current one: "home", "explorer", "docs",
                           "releases", "key" */
    const char *image;  /* Open Graph picture, from the site's root */
    const char *feed;   /* a feed of its own, from the site's root */
    json_t *jsonld;     /* schema.org; borrowed */
    enum odp_class cls; /* ODP_CLASS_PUBLIC but for pages of the service */
    const char *root;   /* NULL: computed from the path ("../"); the service's pages: "@ROOT@" */
    bool lasting;       /* it outlives the build: neither assets under their digests nor another language
                         * but its link */
    bool noindex;       /* not for search engines: neither address nor Open Graph */
};
/* Renders head->page with DATA (borrowed) as portal_put says, appended to OUT. */
enum odp_status portal_render(const struct portal *p, enum odp_lang lang, const struct portal_head *head,
                              const json_t *data, struct odp_buffer *out) ODP_MUST_USE;
/* Renders head->page with DATA (taken, also when this fails; an object) inside of site[lang] and the head's
 * members, and stages it at head->path[lang]. Members that a page has beside DATA: root, path, canonical,
 * alternate {id, en}, title, description, image (the portal's, where HEAD has none), feed, jsonld, other
 * {href, lang, label}, nav {home: true, …}, noindex. DATA is the innermost scope: none of its members is
 * called like these. Any thread. */
enum odp_status portal_put(struct portal *p, enum odp_lang lang, const struct portal_head *head,
                           json_t *data_take) ODP_MUST_USE;

/* The words whose keys begin with PREFIX, for a page's <script type="application/json" id="words">, as
 * members of WORDS. */
enum odp_status portal_words(const struct portal *p, const char *prefix, enum odp_lang lang,
                             json_t *words) ODP_MUST_USE;
/* The word KEY; KEY itself where there is none. */
const char *portal_word(const struct portal *p, const char *key, enum odp_lang lang);

/* What pages that list datasets say of one: {"slug", "title", "text", "version", "date", "rows", "beside",
 * "formats", "subjects", "deprecated", "frequency", "due"?, "downloads": [{"format", "path"}],
 * "differences"?, "all"?}. */
json_t *portal_card(const struct portal *p, const json_t *entry);

/* ---- tiers.c ------------------------------------------------------------------------------------------ */

/* [{"name", "title", "daily"?, "burst"?, "concurrent"?, "webhooks"?, "price"?, "support"}]: what is absent is
 * not limited, or free. */
json_t *portal_tiers(const struct portal *p, struct odp_doc *d);

/* ---- the pages -------------------------------------------------------------------------------------- */

/* One for each line of pages.def. */
#define PORTAL_PAGE(name)                                                                                    \
    enum odp_status portal_make_##name(struct portal *p, enum odp_lang lang) ODP_MUST_USE;
#include "site/pages/pages.def"
#undef PORTAL_PAGE

/* ---- asset.c ---------------------------------------------------------------------------------------- */
/* Stages BYTES as an asset with EXT (".css") and enters it as KEY. */
enum odp_status portal_asset_put(struct portal *p, const char *key, const char *ext,
                                 struct odp_slice bytes) ODP_MUST_USE;
/* The media type of an asset with EXT; NULL: there are no such assets. */
const char *portal_asset_type(const char *ext);
/* ---- assets.c --------------------------------------------------------------------------------------- */
/* Fills p->assets and p->logo: stages assets/<32 hex digits of SHA-256>.<ext> of every file of <share>/assets
 * (its key is the name with _ for . and -), and theme_css. */
enum odp_status portal_assets(struct portal *p) ODP_MUST_USE;
/* ---- theme.c ---------------------------------------------------------------------------------------- */
/* The colours in force (catalog/theme.h) as a style sheet of custom properties, light and dark, appended to
 * CSS; then the rules of theme.json's css. Stages the logo, if there is one, as asset "logo". Sets p->logo
 * and p->colors. p->assets must be an object already. */
enum odp_status portal_theme(struct portal *p, struct odp_buffer *css) ODP_MUST_USE;

/* ---- home_search.c ---------------------------------------------------------------------------------- */
/* Stages what the home page's search looks through, of all datasets in both languages, as asset
 * "search_json". */
enum odp_status portal_search_index(struct portal *p) ODP_MUST_USE;

/* ---- dataset_gone.c: pages of what was -------------------------------------------------------------- */
/* katalog/<slug>.html of datasets that are withdrawn but have left tombstones, and of former slugs, in both
 * languages. */
enum odp_status portal_datasets_gone(struct portal *p) ODP_MUST_USE;

#endif
