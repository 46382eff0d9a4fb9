#include "run/site_pages.h"

#include "site/api/api.h"
#include "site/clients/client.h"
#include "site/metadata/metadata.h"
#include "site/model/places.h"
#include "site/pages/portal.h"
#include "site/versions/search.h"

enum odp_status odp_site_pages(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                               const struct odp_site *previous, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    struct odp_search_listed *list = NULL;
    struct odp_places *places = NULL;
    size_t n = 0;
    struct odp_site_job job = {
        .stage = s, .catalog = c, .entries = entries, .previous = previous, .diags = diags};
    enum odp_status status = odp_release_search(&job, &list, &n, &arena);
    if (status == ODP_OK)
        status = odp_job_read(&job, "search/index.json", &job.searches); /* large, and every page asks it */
    if (status == ODP_OK)
        status = odp_places_open(&places, &job);
    job.places = places;
    if (status == ODP_OK)
        status = odp_api_documents(&job, list, n);
    if (status == ODP_OK)
        status = odp_client_packages(&job);
    if (status == ODP_OK)
        status = odp_metadata_documents(&job);
    if (status == ODP_OK)
        status = odp_portal_pages(&job);
    if (status == ODP_OK)
        status = odp_metadata_sitemap(&job);
    odp_places_close(places);
    json_decref(job.searches);
    odp_arena_release(&arena);
    return status;
}
