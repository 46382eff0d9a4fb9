#include "run/site_pages.h"

#include "site/api/api.h"
#include "site/clients/client.h"
#include "site/metadata/metadata.h"
#include "site/model/places.h"
#include "site/pages/portal.h"
#include "site/versions/among.h"
#include "site/versions/search.h"

/* [[list, code]…] of all places that have a page: other pages link to them. */
static json_t *place_codes(const struct odp_places *places)
{
    size_t n;
    const struct odp_place *const *all = odp_places_all(places, &n);
    json_t *codes = json_array();
    for (size_t i = 0; i < n; i++)
        odp_add(codes, json_pack("[s, s]", all[i]->list, all[i]->code));
    return codes;
}

static void number_entries(struct odp_map *numbers, const json_t *entries)
{
    const json_t *entry;
    size_t i;
    bool fresh;
    odp_map_init(numbers);
    json_array_foreach(entries, i, entry)
    {
        (void)odp_map_put(numbers, odp_slice_of(odp_text_of(entry, "slug")), &fresh);
    }
}

static enum odp_status open_among(struct odp_site_job *job)
{
    json_t *codes = place_codes(job->places);
    enum odp_status status = odp_among_open(&job->among, job, codes);
    json_decref(codes);
    return status;
}

enum odp_status odp_site_pages(const struct odp_site_job *begun)
{
    struct odp_arena arena = {0};
    struct odp_search_listed *list = NULL;
    struct odp_places *places = NULL;
    struct odp_api *api = NULL;
    size_t n = 0;
    struct odp_site_job job = *begun;
    struct odp_map numbers;
    number_entries(&numbers, job.entries);
    job.numbers = &numbers;
    job.kept = json_object();
    enum odp_status status = odp_release_search(&job, &list, &n, &arena);
    if (status == ODP_OK)
        status = odp_places_open(&places, &job);
    job.places = places;
    if (status == ODP_OK)
        status = open_among(&job);
    if (status == ODP_OK)
        status = odp_api_documents(&api, &job, list, n);
    job.api = api;
    if (status == ODP_OK)
        status = odp_client_packages(&job);
    if (status == ODP_OK)
        status = odp_metadata_open(&job.metadata, &job);
    if (status == ODP_OK)
        status = odp_metadata_documents(job.metadata);
    if (status == ODP_OK)
        status = odp_portal_pages(&job);
    if (status == ODP_OK)
        status = odp_metadata_sitemap(job.metadata);
    odp_metadata_close(job.metadata);
    odp_api_close(api);
    odp_among_close(job.among);
    odp_places_close(places);
    json_decref(job.searches);
    json_decref(job.kept);
    odp_map_release(&numbers);
    odp_arena_release(&arena);
    return status;
}
