/* What machines read of a site beside its data: DCAT-AP 3, schema.org, ISO 19139, statistical metadata, feeds of datasets, sitemap, OpenSearch, api-catalog,
 * security.txt, robots.txt, pictures for social media. Made of the catalogue, the index's entries and the staged site; no clock. STANDARDS.md sections 2, 5, 8. */
#ifndef ODP_SITE_METADATA_METADATA_H
#define ODP_SITE_METADATA_METADATA_H

#include "site/versions/release.h"

struct odp_metadata_job {
    struct odp_stage *stage;           /* datasets and documents of the API are staged already */
    const struct odp_catalog *catalog;
    const json_t *entries;             /* the array `data` of v1/index.json */
    const struct odp_site *previous;   /* or NULL */
    struct odp_diags *diags;
};

/* Stages: dcat.jsonld · katalog/<slug>/ms-{keg,var,ind}.xlsx and iso19139.xml (geometry) · katalog/<slug>.xml · gambar/<slug>.png, gambar/portal.png
 * (1200 x 630) · opensearch.xml · robots.txt · .well-known/api-catalog, .well-known/security.txt (where portal.json has "security"). */
enum odp_status odp_metadata_documents(const struct odp_metadata_job *job) ODP_MUST_USE;
/* Stages sitemap.xml: every staged public page of HTML with its other language, and the downloads of current versions. Call it last. */
enum odp_status odp_metadata_sitemap(const struct odp_metadata_job *job) ODP_MUST_USE;

/* schema.org/Dataset of one entry, schema.org/DataCatalog of all (for the home page). PAGE: address of the page it stands in, absolute. NULL: FAIL. The
 * caller's. Any thread. */
json_t *odp_metadata_schema_org(const struct odp_metadata_job *job, const json_t *entry, enum odp_lang lang, const char *page);
json_t *odp_metadata_schema_org_catalog(const struct odp_metadata_job *job, enum odp_lang lang, const char *page);

/* "12 rekaman baru, 3 dihapus, 41 berubah; timeline: 5 rekaman baru, … sejak 2023-09-15." of a version of versions.json, in A: the main
 * table's, each further one under its own name. Empty: it is the first version. NULL in one: out of memory. */
struct odp_text odp_metadata_changes(const json_t *version, struct odp_arena *a);

#endif
