/* Inside of site/metadata: what its files share. */
#ifndef ODP_SITE_METADATA_METADATA_INTERNAL_H
#define ODP_SITE_METADATA_METADATA_INTERNAL_H

#include "base/template/template.h"
#include "published/paths.h"
#include "site/metadata/metadata.h"


struct odp_metadata {
    const struct odp_site_job *job;
    const struct odp_catalog *catalog;
    const char *base;                /* ends in '/' */
    struct odp_templates *templates; /* templates/documents */
    json_t *portal;                  /* what every document may ask for (model/portal.json) */
    struct odp_doc doc;              /* a failure to allocate is remembered here */
    struct odp_arena arena;
};

/* ---- documents.c ------------------------------------------------------------------------------------ */
/* In the arena. */
#define metadata_printf(m, ...) odp_arena_printf(&(m)->arena, __VA_ARGS__)
/* "katalog/<slug>" + REST, in the arena: what there is of a dataset for machines; not data/<slug>/latest/,
 * whose files are those of a version. */
const char *metadata_beside_page(struct odp_metadata *m, const char *slug, const char *rest);
/* PAGE of templates/documents with DATA (taken; NULL: nothing beside the portal) in LANG, appended to OUT. */
enum odp_status metadata_render_take(struct odp_metadata *m, const char *page, enum odp_lang lang,
                                     json_t *data, struct odp_buffer *out) ODP_MUST_USE;
/* The same as JSON; NULL: FAIL. */
json_t *metadata_json_take(struct odp_metadata *m, const char *page, enum odp_lang lang, json_t *data);
/* The same, staged at PATH. */
enum odp_status metadata_put_take(struct odp_metadata *m, const char *page, const char *path,
                                  const char *type, json_t *data) ODP_MUST_USE;
enum odp_status metadata_put_json_take(struct odp_metadata *m, const char *path, const char *type,
                                       json_t *value) ODP_MUST_USE;

/* ---- the documents ---------------------------------------------------------------------------------- */
/* Adds the dataset of DOCUMENT to GRAPH, which begins with the catalogue's own nodes. */
json_t *metadata_dcat_begin(struct odp_metadata *m);
enum odp_status metadata_dcat_add(struct odp_metadata *m, json_t *graph, json_t *document) ODP_MUST_USE;
enum odp_status metadata_dcat_end_take(struct odp_metadata *m, json_t *graph) ODP_MUST_USE;
enum odp_status metadata_sheets(struct odp_metadata *m, json_t *document, const json_t *entry) ODP_MUST_USE;
enum odp_status metadata_feeds(struct odp_metadata *m) ODP_MUST_USE;
enum odp_status metadata_dataset_feed(struct odp_metadata *m, json_t *document) ODP_MUST_USE;
enum odp_status metadata_well_known(struct odp_metadata *m) ODP_MUST_USE;
enum odp_status metadata_pictures(struct odp_metadata *m) ODP_MUST_USE;
/* "2024-03-15T00:00:00+07:00" of a date, which is its 00:00 where the portal is, or of an instant; false: it
 * is neither. */
bool metadata_instant(const struct odp_metadata *m, const char *date, struct odp_datetime *at);
const char *metadata_stamp(struct odp_metadata *m, const char *date);

#endif
