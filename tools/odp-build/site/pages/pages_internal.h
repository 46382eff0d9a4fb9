/* Inside of site/pages: what pages share. */
#pragma once

#include <jansson.h>

#include "base/template/template.h"
#include "published/paths.h"
#include "site/metadata/metadata.h"
#include "site/model/model.h"
#include "site/pages/portal.h"

/* ---- portal.c: what all pages are made with ---- */

struct portal {
    const struct odp_site_job *job;
    const struct odp_catalog *catalog;
    enum odp_status status; /* the first failure stays, and later pages are not made */
    struct odp_templates *templates;
    bool proven;             /* templates and what they want of the assets were found right before */
    json_t *site[ODP_LANGS]; /* what every page of that language has (model/site.json): the members "site",
                                "paths", "assets", "lang", … */
    uint8_t site_key[ODP_LANGS][ODP_SHA256_SIZE]; /* its digest */
    json_t *assets;   /* assets.c: {"portal_js": {"path": "assets/….js", "integrity": "sha256-…"}, …} */
    const char *logo; /* staged path of the theme's logo, or NULL */
    const char *colors[2];         /* theme: colour of the page, light and dark ("#ffffff") */
    struct odp_metadata *metadata; /* for schema.org's objects */
    json_t *clients;               /* odp_client_description, or NULL: there are no libraries */
    const struct odp_api *api;     /* of the job */
    json_t *openapi;               /* openapi.c: by slug, what v1/openapi.json has of a dataset */
    json_t *figures;               /* odp_model_figures: what tables say */
    json_t *cards;                 /* portal_card, by slug */
    json_t *coast;                 /* portal_coast */
    json_t *sample;                /* docs_sample, for both languages; NULL: there is none, or not yet */
    const json_t **newest;         /* the entries, newest first; n of them */
    size_t n;
    struct odp_arena arena; /* of the whole run */
};
#define portal_printf(p, ...) odp_arena_printf(&(p)->arena, __VA_ARGS__)

/* ---- frame.c ---- */

/* The head of a page; everything but title and path may be NULL. */
struct portal_head {
    const char *page; /* the template's name */
    const char *title, *description;
    const char *path[ODP_LANGS]; /* of this page in both languages, from the site's root */
    const char *nav;     /* which entry of the navigation is the current one: "home", "explorer", "docs",
                           "releases", "key" */
    const char *image;   /* Open Graph picture, from the site's root */
    const char *feed;    /* a feed of its own, from the site's root */
    json_t *jsonld;      /* schema.org; borrowed */
    const char *oembed;  /* its oEmbed document, from the site's root */
    enum odp_class cls;  /* ODP_CLASS_PUBLIC but for pages of the service */
    const char *dataset; /* the slug of the one that the page is of; a preview says so */
    const char *root;    /* NULL: computed from the path ("../"); the service's pages: "@ROOT@" */
    bool lasting;        /* it outlives the build: neither assets under their digests nor another language
                         * but its link */
    bool noindex;        /* not for search engines: neither address nor Open Graph */
};
/* A page of paths.def whose title and description are words; DESCRIPTION may be NULL. */
struct portal_head portal_head_of(const struct portal *p, enum odp_lang lang, const char *page,
                                  enum odp_path path, const char *title, const char *description);
/* Renders head->page with DATA (borrowed) as portal_put says, appended to OUT. */
enum odp_status portal_render(const struct portal *p, enum odp_lang lang, const struct portal_head *head,
                              const json_t *data, struct odp_buffer *out) ODP_MUST_USE;
/* Stages TEXT, which it has rendered. */
enum odp_status portal_put_text(const struct portal *p, enum odp_lang lang, const struct portal_head *head,
                                struct odp_slice text) ODP_MUST_USE;
/* Renders head->page with DATA (taken, also when this fails; an object) inside of site[lang] and the head's
 * members, and stages it at head->path[lang]. Members that a page has beside DATA: root, path, canonical,
 * alternate {id, en}, title, description, image (the portal's, where HEAD has none), feed, jsonld, other
 * {href, lang, label}, nav {home: true, …}, noindex. DATA is the innermost scope: none of its members is
 * called like these. */
void portal_put(struct portal *p, enum odp_lang lang, const struct portal_head *head, json_t *data_take);

/* Begins the part NAME of pages in LANG that are made of what every page has, of MORE (may be NULL) and of
 * what they ask the stage for, the entries of the index not among it. False: its files are there, or a
 * failure. */
bool portal_part_begin(struct portal *p, const char *name, enum odp_lang lang, const json_t *more);
/* The same of files of both languages that are made of KEY, which is taken, alone. */
bool portal_part_begin_of(struct portal *p, const char *name, struct odp_buffer *key_take);
void portal_part_end(struct portal *p);
/* portal_put as a part of its own, of a page that belongs to no other. What lists all datasets is put
 * without: no build leaves it as it was. */
void portal_put_page(struct portal *p, enum odp_lang lang, const struct portal_head *head, json_t *data_take);

/* The words whose keys begin with PREFIX or MORE (may be NULL), each a prefix or several ("map_ chart_"),
 * for a page's <script type="application/json" id="words">. */
json_t *portal_words(struct portal *p, const char *prefix, const char *more, enum odp_lang lang);
/* The word KEY; KEY itself where there is none. */
const char *portal_word(const struct portal *p, const char *key, enum odp_lang lang);
/* "../" as often as PATH needs to get to the site's root, in A. */
const char *portal_root(const char *path, struct odp_arena *a);
/* The newest date of a dataset; code lists apart. */
const char *portal_last_update(const struct portal *p);

/* ---- small.c ---- */

/* What pages that list datasets say of one: {"slug", "title", "text", "version", "date", "rows", "beside",
 * "formats", "subjects", "deprecated", "frequency", "due"?, "downloads": [{"format", "path"}],
 * "differences"?, "all"?, "figures"?}; the same object for all of them. The caller's. */
json_t *portal_card(struct portal *p, const json_t *entry);
/* What table INDEX of SLUG says (odp_model_figures); NULL: nothing. Borrowed. */
json_t *portal_figures(const struct portal *p, const char *slug, size_t index);
/* [{"name", "title", "daily"?, "burst"?, "concurrent"?, "webhooks"?, "price"?, "support"}]: what is absent is
 * not limited, or free. */
json_t *portal_tiers(const struct portal *p);

/* ---- the pages ---- */

/* One for each line of pages.def. */
#define PORTAL_PAGE(name) void portal_make_##name(struct portal *p, enum odp_lang lang);
#include "site/pages/pages.def"
#undef PORTAL_PAGE

/* ---- assets.c ---- */
/* Stages BYTES as an asset with EXT (".css") and enters it as KEY. */
enum odp_status portal_asset_put(struct portal *p, const char *key, const char *ext,
                                 struct odp_slice bytes) ODP_MUST_USE;
/* Fills p->assets, p->logo and p->colors: stages assets/<32 hex digits of SHA-256>.<ext> of every file of
 * <share>/assets (its key is the name with _ for . and -), and theme_css. */
enum odp_status portal_assets(struct portal *p) ODP_MUST_USE;

/* ---- places_map.c ---- */
struct odp_place;
/* Stages a sketch of each list of places with boundaries: {list: {"path", "box", "here": {code: true}}}. */
json_t *portal_place_maps(struct portal *p);
/* {"path", "box", "code"} of the shape in MAPS of PLACE, or of what it lies in; NULL: there is none. */
json_t *portal_place_map(const json_t *maps, const struct odp_place *place);

/* ---- search.c ---- */
/* Stages what the search of all pages looks through; after the pages, whose texts it reads. */
void portal_search(struct portal *p);

/* ---- explore.c ---- */
/* The page that explores all records of ENTRY, whose document is DATA (odp_model_dataset_shown). */
void portal_put_explore(struct portal *p, const json_t *entry, const json_t *data, enum odp_lang lang);

/* ---- story.c ---- */
/* The page of what changed from version to version, if there is something; sets "story", its address or "",
 * in "versions" of DATA. */
void portal_put_story(struct portal *p, const json_t *entry, json_t *data);

/* ---- embed.c ---- */
/* The pages for frames of other sites, of what DATA (as of the dataset's page) has: charts, maps, first
 * records; next to each its oEmbed document. Returns the path of the one for the best picture in LANG, in
 * p->arena, or NULL. */
const char *portal_put_embeds(struct portal *p, const json_t *entry, json_t *data, enum odp_lang lang);
/* An oEmbed document (oembed.com, 2.3.4.4: type rich) at PATH: EMBEDDED is {"heading", "height", "page",
 * "frame"}. */
void portal_put_oembed(struct portal *p, enum odp_lang lang, const char *path, const json_t *embedded);

/* ---- dataset_gone.c: pages of what was ---- */
/* katalog/<slug>.html of datasets that are withdrawn but have left tombstones, and of former slugs, in both
 * languages. */
void portal_datasets_gone(struct portal *p);

/* ---- openapi.c: v1/openapi.json as pages read it ---- */

/* What it has of the dataset SLUG, with "rest", what it has of none, which SLUG NULL is. Kept by P; NULL:
 * P->status says why. */
const json_t *openapi_document(struct portal *p, const char *slug);
/* What VALUE is, its $ref followed; NULL: nothing. */
const json_t *openapi_resolve(const json_t *document, const json_t *value);
/* TEXT of the document in LANG: "Indonesian / English", or paragraphs of both, one after the other; all of it
 * where the parts are not in pairs. In A. */
const char *openapi_in(const char *text, enum odp_lang lang, struct odp_arena *a);
/* The summary without ": TITLE" at its end, which its group says already. */
const char *openapi_summary(const json_t *operation, const char *title, enum odp_lang lang,
                            struct odp_arena *a);
bool openapi_is_public(const json_t *operation);
bool openapi_ends(const char *text, const char *with);
/* [{"path", "method", "operation"}] of TAG that programs call: records before lists of versions, else in the
 * order of DOCUMENT, which keeps them. */
const json_t *openapi_operations(const json_t *document, const char *tag);

/* ---- the documentation ---- */

/* areas.c: choropleths of tables with places, gambar/peta/<slug>[-<resource>].svg, .en.svg, .narrow.svg,
 * .narrow.en.svg. What is read serves all tables. draw: of TABLE of ENTRY, if its map says what of; a map
 * without shapes of its own shows them. */
struct portal_areas;
const json_t *
portal_coast(struct portal *p); /* lines for maps, read at the first call; NULL: there are none */
struct portal_areas *portal_areas_open(struct portal *p);
void portal_areas_draw(struct portal_areas *a, const json_t *entry, const json_t *table);
void portal_areas_close(struct portal_areas *a);
/* docs_sample.c: requests to a dataset whose columns and values are the data's own; NULL: none has a preview.
 */
json_t *docs_sample(struct portal *p);
/* TEXT for sh, in single quotes. */
json_t *docs_sh(const char *text);
/* docs_prose.c: Markdown as HTML, in both languages; within a line, or with paragraphs and lists. */
json_t *docs_prose(struct portal *p, const json_t *text, bool within_line);
/* docs_libraries.c: the array "languages" of odp_client_description, made ready for templates; empty: there
 * are none. The libraries side by side. The page of LANGUAGE. */
json_t *docs_libraries(struct portal *p, enum odp_lang lang);
json_t *docs_compare(const json_t *libraries);
enum odp_path docs_library_path(const char *language);
/* docs_answer.c: the first record of the staged page or list at PATH, as the file has it, in A; NULL:
 * none. */
const char *docs_first_record(struct portal *p, const char *path, struct odp_arena *a);
/* An example of an answer, in lines, in A: the staged one at PATH, with its first record alone; one that has
 * RECORD, and does not tell "meta" and "links". */
const char *docs_answer(struct portal *p, const char *path, struct odp_arena *a);
const char *docs_answer_of(const char *record, struct odp_arena *a);
/* JSON in lines, DEPTH levels open; what is deeper stands in one line, which ends in "…" where it is long. */
const char *docs_json_lines(struct odp_slice json, int depth, struct odp_arena *a);
/* docs_api.c: the pages of the datasets, each with ALL of what every page of the documentation has. */
void docs_put_api(struct portal *p, enum odp_lang lang, json_t *all);
const char *docs_api_path(struct portal *p, const char *slug, enum odp_lang lang);
/* Their addresses, of datasets or of code lists: [{"slug", "title", "href", "current"}]. */
json_t *docs_api_list(struct portal *p, enum odp_lang lang, bool lists);
