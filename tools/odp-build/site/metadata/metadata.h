/* Documents for machines beside the data: DCAT-AP 3, schema.org, ISO 19139, statistical metadata, Atom
 * feeds, sitemap, OpenSearch, api-catalog, security.txt, robots.txt, pictures for social media. Each is a
 * template (templates/documents) filled with datasets' documents (site/model); no clock. STANDARDS.md
 * sections 2, 5, 8. */
#pragma once

#include "site/model/model.h"

/* Opened once for all that a build makes with it; M is to be closed whatever comes of it. */
struct odp_metadata;
enum odp_status odp_metadata_open(struct odp_metadata **out, const struct odp_site_job *job) ODP_MUST_USE;
void odp_metadata_close(struct odp_metadata *m);
/* Stages: feed.xml · dcat.jsonld · katalog/<slug>/ms-{keg,var,ind}.xlsx and iso19139.xml (geometry) ·
 * katalog/<slug>.xml · gambar/<slug>.png, gambar/portal.png (1200 x 630) · opensearch.xml · robots.txt ·
 * .well-known/api-catalog, .well-known/security.txt (where portal.json has "security"). */
enum odp_status odp_metadata_documents(struct odp_metadata *m) ODP_MUST_USE;
/* Stages sitemap.xml: every staged public HTML page with its other language, and the downloads of current
 * versions. Call it last. */
enum odp_status odp_metadata_sitemap(struct odp_metadata *m) ODP_MUST_USE;
/* schema.org/Dataset of a dataset's DOCUMENT, schema.org/DataCatalog of all (for the home page). PAGE:
 * absolute address of the page that holds it. NULL: FAIL. The caller's. */
json_t *odp_metadata_schema_org(struct odp_metadata *m, const json_t *document, enum odp_lang lang,
                                const char *page);
json_t *odp_metadata_schema_org_catalog(struct odp_metadata *m, enum odp_lang lang, const char *page);
/* Appends the page of differences that DATA describes (templates/portal/model/changes.json) to OUT, in a
 * frame that needs no other file. DIAGS is a struct odp_diags. */
enum odp_status odp_metadata_changes(void *diags, const json_t *data, struct odp_buffer *out) ODP_MUST_USE;
