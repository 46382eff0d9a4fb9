/* Inside of site/pages: what the files of the dataset page share. Each dataset_*.c makes some members of the page's data (model/dataset.json), which
 * are always there, an empty text or list where there is nothing: a name that is absent would be looked for in the scopes around it. */
#ifndef ODP_SITE_PAGES_DATASET_INTERNAL_H
#define ODP_SITE_PAGES_DATASET_INTERNAL_H

#include "site/pages/pages_internal.h"

/* One item of the entry's "resources" with the documents that were made for it; those that are not staged are NULL. */
struct dataset_resource {
    const json_t *entry;
    const char *name, *suffix;   /* suffix: "" of the first, "-timeline" of a further one: of ids and files */
    json_t *schema, *preview, *map, *documents;
    json_t **charts;             /* in the order of the entry's charts, ncharts of them */
    size_t ncharts;
    const char *(*sizes)[2];     /* of their pictures, by language: {"744 550"} or NULL */
};

/* One dataset, read once for both languages. */
struct dataset {
    const struct portal *p;
    const json_t *entry;
    const char *slug, *version;
    struct dataset_resource *resources;
    size_t n;
    json_t *versions;            /* versions.json, or NULL */
    json_t *score;               /* scorecard.json, or NULL */
    const json_t *coast;         /* of all datasets; or NULL */
    struct odp_arena arena;
};

/* One page in the making. */
struct dataset_page {
    const struct portal *p;
    const struct dataset *dataset;
    enum odp_lang lang;
    const json_t *entry;
    const char *slug, *version;
    const char *path[ODP_LANGS], *root;
    const char *email;           /* where faults are told; NULL: nowhere */
    struct odp_arena *arena;
    struct odp_doc d;
};

/* ---- dataset_text.c ---- */

/* VALUE as member KEY; NULL is a failure (no memory), "" is nothing. */
void dataset_set(struct dataset_page *g, json_t *o, const char *key, const char *value);
/* The word KEY; KEY itself where there is none. */
const char *dataset_word(const struct dataset_page *g, const char *key);
/* The word with {1} and {2} replaced; B may be NULL. */
const char *dataset_phrase(struct dataset_page *g, const char *key, const char *a, const char *b);
/* "data/kumuh/…" of "../data/kumuh/…" and "../../data/kumuh/…". */
const char *dataset_site_path(const char *url);
/* The staged file at PATH, or NULL. */
const struct odp_site_file *dataset_file(const struct dataset_page *g, const char *path);
/* How much a browser gets of the file at PATH: of its smaller twin, where there is one; "" without the file. */
const char *dataset_transfer_size(struct dataset_page *g, const char *path);
/* Everything but letters, digits and -._~ as %XX: for a part of an address. */
const char *dataset_percent(const char *s, struct odp_arena *a);
/* "1.204,5" of "1204.5"; the text as it is where it is no plain decimal. */
const char *dataset_decimal(const char *text, enum odp_lang lang, struct odp_arena *a);
/* A scalar as canonical text: 12, 0.5, true, text; "" of anything else. */
const char *dataset_scalar(const json_t *value, struct odp_arena *a);
/* The same, as people read it in a sentence: numbers in the page's language. */
const char *dataset_value(struct dataset_page *g, const json_t *value);
/* A value of FIELD (of schema.json; may be NULL) as people read it: numbers by language, truth in words, a category's label. TEXT is canonical. */
const char *dataset_shown(struct dataset_page *g, const json_t *field, const char *text);
/* The same without labels. */
const char *dataset_plain(struct dataset_page *g, const json_t *field, const char *text);
bool dataset_is_number(const json_t *field);
/* Whether FIELD is among the texts of LIST. */
bool dataset_has_text(const json_t *list, const char *field);
/* "a, b, c", or "a, b dan 7 lainnya" where there are more than MOST. */
const char *dataset_list(struct dataset_page *g, const char *const *names, size_t n, size_t most);
/* The field NAME of a schema, or NULL. */
const json_t *dataset_field(const json_t *schema, const char *name);
/* Where the page of SLUG is, from here; NULL: it has none. TITLE gets what it is called. */
const char *dataset_page_of(struct dataset_page *g, const char *slug, const char **title);
/* The title of a resource; of the only one the dataset's. */
const char *dataset_title_of(const struct dataset_page *g, const struct dataset_resource *r);

/* ---- each adds its members to DATA or to the object of one resource ---- */

void dataset_about(struct dataset_page *g, json_t *data);                                        /* dataset_about.c */
void dataset_cite(struct dataset_page *g, json_t *data);                                         /* dataset_cite.c */
void dataset_files(struct dataset_page *g, const struct dataset_resource *r, json_t *o);         /* dataset_files.c */
void dataset_slices(struct dataset_page *g, const struct dataset_resource *r, json_t *o);
void dataset_machines(struct dataset_page *g, json_t *data);
void dataset_fields(struct dataset_page *g, const struct dataset_resource *r, json_t *o);        /* dataset_fields.c */
void dataset_preview(struct dataset_page *g, const struct dataset_resource *r, json_t *o);       /* dataset_preview.c */
void dataset_charts(struct dataset_page *g, const struct dataset_resource *r, json_t *o);        /* dataset_pictures.c */
enum odp_status dataset_map(struct dataset_page *g, const struct dataset_resource *r, json_t *o) ODP_MUST_USE;
void dataset_versions(struct dataset_page *g, json_t *data);                                     /* dataset_versions.c */
void dataset_score(struct dataset_page *g, json_t *data);                                        /* dataset_score.c */
void dataset_api(struct dataset_page *g, json_t *data);                                          /* dataset_api.c */
/* mailto: with a letter about FILE (from the site's root) and, where KEY is not NULL, one record ("{{key}}": to be put in by the script). */
const char *dataset_report_address(struct dataset_page *g, const struct dataset_resource *r, const char *file, const char *key);
void dataset_report(struct dataset_page *g, json_t *data);                                       /* dataset_report.c */

/* A preview's text without all but the first MOST rows, in OUT: what is long is not parsed. The text as it is where it has another form. */
void dataset_preview_cut(struct odp_slice text, size_t most, struct odp_buffer *out);

/* ---- dataset_gone.c: pages of what was ---- */
/* katalog/<slug>.html of datasets that are withdrawn but have left tombstones, and of former slugs, in both languages. */
enum odp_status dataset_gone(struct portal *p) ODP_MUST_USE;
/* One tombstone's reason in words. */
const char *dataset_reason(const struct dataset_page *g, const char *reason);

#endif
