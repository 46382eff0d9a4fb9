/* Inside of site/pages: what pages and feeds share. */
#ifndef ODP_SITE_PAGES_PAGES_INTERNAL_H
#define ODP_SITE_PAGES_PAGES_INTERNAL_H

#include <jansson.h>

#include "base/html.h"
#include "base/template/template.h"
#include "published/doc.h"
#include "site/pages/portal.h"

/* ---- path.c ---- */

enum portal_path {
#define PORTAL_PATH(name, id, en) PORTAL_##name,
#include "contract/paths.def"
#undef PORTAL_PATH
    PORTAL_PATHS
};
/* "katalog/", from the site's root. */
const char *portal_path(enum portal_path which, enum odp_lang lang);
/* "../" as often as PATH needs to get to the site's root, in A. */
const char *portal_root(const char *path, struct odp_arena *a);

/* ---- portal.c: what all pages are made with ---- */

struct portal {
    const struct odp_portal_job *job;
    const struct odp_catalog *catalog;
    struct odp_templates *templates;
    json_t *site[ODP_LANGS];   /* what every page of that language has (model/site.json): the members "site", "paths", "assets", "lang", … */
    json_t *assets;            /* assets.c: {"portal_js": {"path": "assets/….js", "integrity": "sha256-…"}, …} */
    const char *logo;          /* staged path of the theme's logo, or NULL */
    const char *colors[2];     /* theme.c: colour of the page, light and dark ("#ffffff") */
    json_t *clients;           /* odp_client_description, or NULL: there are no libraries */
    const json_t **newest;     /* the entries, newest first; n of them */
    size_t n;
    struct odp_arena arena;    /* of the whole run */
};

/* ---- frame.c ---- */

/* The head of a page; everything but title and path may be NULL. */
struct portal_head {
    const char *page;          /* the template's name */
    const char *title, *description;
    const char *path[ODP_LANGS]; /* of this page in both languages, from the site's root */
    const char *nav;           /* which entry of the navigation is the current one: "home", "explorer", "docs", "releases", "key" */
    const char *image;         /* Open Graph picture, from the site's root */
    const char *feed;          /* a feed of its own, from the site's root */
    json_t *jsonld;            /* schema.org; borrowed */
    enum odp_class cls;        /* ODP_CLASS_PUBLIC but for pages of the service */
    const char *root;          /* NULL: computed from the path ("../"); the service's pages: "@ROOT@" */
    bool noindex;              /* not for search engines: neither address nor Open Graph */
};
/* Renders head->page with DATA (taken, also when this fails; an object) inside of site[lang] and the head's members, and stages it at head->path[lang]. Members that a page has beside
 * DATA: root, path, canonical, alternate {id, en}, title, description, image (the portal's, where HEAD has none), feed, jsonld, other {href, lang, label}, nav {home: true, …},
 * noindex. DATA is the innermost scope: none of its members is called like these. Any thread. */
enum odp_status portal_put(struct portal *p, enum odp_lang lang, const struct portal_head *head, json_t *data_take) ODP_MUST_USE;

/* ---- words.c ---- */

/* The words KEYS (ended by NULL) in LANG, for a page's <script type="application/json" id="words">. NULL: no memory, or a word is missing (failure set). The caller's. */
json_t *portal_words(const struct portal *p, enum odp_lang lang, const char *const *keys);
/* Enters the words that map_js says (map_words.def) into WORDS, what the page's <script id="words"> will hold. */
enum odp_status portal_map_words(const struct portal *p, enum odp_lang lang, json_t *words) ODP_MUST_USE;

/* ---- document.c ---- */

/* The staged document at PATH as JSON; *OUT NULL when there is none (that is OK). */
enum odp_status portal_read_json(const struct portal *p, const char *path, json_t **out) ODP_MUST_USE;

/* ---- the pages ---- */

/* One for each line of pages.def. */
#define PORTAL_PAGE(name) enum odp_status portal_make_##name(struct portal *p, enum odp_lang lang) ODP_MUST_USE;
#include "site/pages/pages.def"
#undef PORTAL_PAGE

/* ---- asset.c ---- */
/* Stages BYTES as an asset with EXT (".css") and enters it as KEY. */
enum odp_status portal_asset_put(struct portal *p, const char *key, const char *ext, struct odp_slice bytes) ODP_MUST_USE;
/* The media type of an asset with EXT; NULL: there are no such assets. */
const char *portal_asset_type(const char *ext);
/* ---- assets.c ---- */
/* Fills p->assets and p->logo: stages assets/<32 hex digits of SHA-256>.<ext> of every file of <share>/assets (its key is the name with _ for . and -), and theme_css. */
enum odp_status portal_assets(struct portal *p) ODP_MUST_USE;
/* ---- theme.c ---- */
/* The colours in force (catalog/theme.h) as a style sheet of custom properties, light and dark, appended to CSS; then the rules of theme.json's css. Stages the logo, if there is one, as
 * asset "logo". Sets p->logo and p->colors. p->assets must be an object already. */
enum odp_status portal_theme(struct portal *p, struct odp_buffer *css) ODP_MUST_USE;

/* ---- home_search.c ---- */
/* Stages what the home page's search looks through, of all datasets in both languages, as asset "search_json". */
enum odp_status portal_search_index(struct portal *p) ODP_MUST_USE;

/* ---- examples.c: code that people copy; tests run it as it stands ---- */
/* [{"lang": "curl"|"javascript"|"python"|"php", "label", "file": "contoh.py", "code"}…]: GET of baseUrl + "v1/" + PATH (with its query, already percent-encoded) with the key from the environment
 * (ODP_KEY), printing something useful; standard libraries alone. COMMENT: a line above, or NULL. NULL: no memory. */
json_t *portal_examples(const struct portal *p, const char *path, const char *comment);
/* The same, of all pages from PATH on, by links.next. */
json_t *portal_examples_all(const struct portal *p, const char *path, const char *comment);

/* ---- text.c ---- */
/* Member KEY as text; "" when there is none. */
const char *portal_text(const json_t *o, const char *key);
/* Member KEY, {"id", "en"} or a string, in LANG. */
const char *portal_in(const json_t *o, const char *key, enum odp_lang lang);
/* "15 Maret 2024" of "2024-03-15…", in A; the text as it is where it does not begin with a date. */
const char *portal_date(const char *date, enum odp_lang lang, struct odp_arena *a);
/* "1.204", "1,204"; "984,5 KB", "984.5 kB". In A. */
const char *portal_number(uint64_t n, enum odp_lang lang, struct odp_arena *a);
const char *portal_bytes(uint64_t n, enum odp_lang lang, struct odp_arena *a);
/* [{"name", "rows"}]: how many records each further table of OF has, an entry of the index or of versions.json. They never count into its "rows". NULL without memory. */
json_t *portal_rows_beside(const json_t *of, enum odp_lang lang, struct odp_arena *a);
/* The entries, those with the newest last_update first, then in the catalogue's order. NULL without memory. */
const json_t **portal_newest(const json_t *entries, size_t *n, struct odp_arena *a);

/* ---- news.c ---- */

enum portal_happening { PORTAL_VERSION, PORTAL_DEPRECATED, PORTAL_WITHDRAWN, PORTAL_REMOVED };
struct portal_news {
    enum portal_happening what;
    bool newest;                 /* the version that the index has */
    const char *slug, *version;  /* VERSION NULL: the dataset as a whole */
    const char *date;            /* of a version: its own; else of the line of the log: the newest date of that site */
    const char *reason;          /* of a withdrawn version, or NULL */
    const json_t *entry;         /* of the index, or NULL */
    const json_t *of;            /* of versions.json, or NULL: the version, or its tombstone */
};
struct portal_news_list {
    struct portal_news *items;   /* in the arena; newest versions first, then back through the log */
    size_t n;
    json_t *versions;            /* holds what items borrow: json_decref it, in every case */
};
/* What the staged releases.log and versions.json tell beside ENTRIES, which must outlive OUT. */
enum odp_status portal_news(struct portal_news_list *out, const struct odp_stage *s, const json_t *const *entries, size_t n,
                            const struct odp_site *previous, struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
/* The whole feed, appended. */
void portal_feed(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c, const struct portal_news *news, size_t n, struct odp_arena *a);

#endif
