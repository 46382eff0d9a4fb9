/* Inside of site/metadata: what its files share. */
#ifndef ODP_SITE_METADATA_METADATA_INTERNAL_H
#define ODP_SITE_METADATA_METADATA_INTERNAL_H

#include <jansson.h>

#include "base/html.h"
#include "published/doc.h"
#include "published/stage.h"
#include "site/metadata/metadata.h"

/* Where a dataset's page is, from the site's root: dataset_dir of contract/paths.def, as a format. */
#define METADATA_PAGE_ID "katalog/%s.html"
#define METADATA_PAGE_EN "en/catalog/%s.html"
#define METADATA_FOLDER  "katalog/%s/" /* and what else there is of it for machines; not data/<slug>/latest/, whose files are those of a version */

#define METADATA_EU   "http://publications.europa.eu/resource/authority/"

struct metadata {
    const struct odp_metadata_job *job;
    const struct odp_catalog *catalog;
    const char *base;       /* ends in '/' */
    struct odp_doc doc;     /* a failure is remembered here, whatever it was */
    struct odp_arena arena;
};

/* ---- text.c ---- */
/* Member KEY as text; "" when there is none. */
const char *metadata_text(const json_t *o, const char *key);
/* Member KEY, {"id", "en"} or a string. Empty when there is none. */
struct odp_text metadata_both(const json_t *o, const char *key);
const char *metadata_in(const json_t *o, const char *key, enum odp_lang lang);
/* In the arena; "" without memory, which is remembered. */
const char *metadata_printf(struct metadata *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The path from the site's root of a link of the index ("../data/…") or of versions.json ("../../data/…"). Borrowed from URL. */
const char *metadata_path(const char *url);
/* PATH as an absolute address. */
const char *metadata_url(struct metadata *m, const char *path);
/* The first ten characters of "2024-03-15…", or "" where it is no date. In the arena. */
const char *metadata_day(struct metadata *m, const char *date);
/* The title of the dataset's licence: that of the portal, which has two languages, where it is the same licence. */
const char *metadata_license(const struct metadata *m, const json_t *entry, enum odp_lang lang);
/* The newest date of ENTRIES, or of the releases; "" when there is none. */
const char *metadata_newest(const struct metadata *m);

/* The dataset's subjects among the portal's: the portal's object of item I of the entry's "subjects", or NULL. */
const json_t *metadata_subject(const struct metadata *m, const json_t *entry, size_t i);
/* "http://publications.europa.eu/…/data-theme/REGI" of a subject's "theme", which may be the last part alone; NULL: none. In the arena. */
const char *metadata_theme(struct metadata *m, const json_t *subject);

/* ---- document.c ---- */
void metadata_open(struct metadata *m, const struct odp_metadata_job *job);
/* STATUS, or FAIL where something was remembered. */
enum odp_status metadata_close(struct metadata *m, enum odp_status status) ODP_MUST_USE;
/* The document at PATH; *OUT NULL when there is none (that is OK). */
enum odp_status metadata_read(struct metadata *m, const char *path, json_t **out) ODP_MUST_USE;
/* The schema of RESOURCE of ENTRY in today's words; *OUT NULL when there is none. */
enum odp_status metadata_schema(struct metadata *m, const json_t *entry, const json_t *resource, json_t **out) ODP_MUST_USE;
/* The earliest start and latest end of odp:datetime, as dates; both "" where it is not known. In the arena. */
enum odp_status metadata_interval(struct metadata *m, const json_t *entry, const char *out[2]) ODP_MUST_USE;
enum odp_status metadata_put(struct metadata *m, const char *path, const char *type, const struct odp_buffer *text) ODP_MUST_USE;
/* VALUE is taken. */
enum odp_status metadata_put_json_take(struct metadata *m, const char *path, const char *type, json_t *value) ODP_MUST_USE;

/* ---- the documents ---- */
enum odp_status metadata_dcat(struct metadata *m) ODP_MUST_USE;
json_t *metadata_reference(const char *iri);                                  /* dcat_terms.c: {"@id": IRI} */
json_t *metadata_languages(struct metadata *m, const struct odp_text *t);     /* [{"@value", "@language"}] of the languages it has */
/* The node of the licence at PATH, without it. */
json_t *metadata_license_document(struct metadata *m, const char *path, const struct odp_text *title);
json_t *metadata_dcat_dataset(struct metadata *m, const json_t *entry, json_t *vocabulary); /* dcat_dataset.c; NULL: FAIL */
enum odp_status metadata_iso19139(struct metadata *m, const json_t *entry) ODP_MUST_USE;
enum odp_status metadata_sheets(struct metadata *m, const json_t *entry) ODP_MUST_USE;
enum odp_status metadata_feed(struct metadata *m, const json_t *entry) ODP_MUST_USE;
enum odp_status metadata_well_known(struct metadata *m) ODP_MUST_USE;
enum odp_status metadata_pictures(struct metadata *m) ODP_MUST_USE;

#endif
