/* The order of the documents. */
#include "site/metadata/metadata_internal.h"

static enum odp_status put_iso(struct odp_metadata *m, json_t *document)
{
    const json_t *table = json_array_get(json_object_get(document, "resources"), 0);
    if (!json_is_true(json_object_get(table, "has_geometry")) || json_object_get(document, "bbox") == NULL)
        return ODP_OK;
    json_t *data = json_copy(document);
    odp_doc_set(&m->doc, data, "main", json_incref((json_t *)(uintptr_t)table));
    return metadata_put_take(m, "iso19139",
                             metadata_beside_page(m, odp_model_text(document, "slug"), "/iso19139.xml"),
                             "application/xml", data);
}

static enum odp_status put_dataset(struct odp_metadata *m, const json_t *entry, json_t *graph)
{
    json_t *document;
    enum odp_status status = odp_model_dataset(m->job, entry, &document);
    if (status == ODP_OK)
        status = metadata_dcat_add(m, graph, document);
    if (status == ODP_OK)
        status = put_iso(m, document);
    if (status == ODP_OK)
        status = metadata_sheets(m, document, entry);
    if (status == ODP_OK)
        status = metadata_dataset_feed(m, document);
    json_decref(document);
    return status;
}

enum odp_status odp_metadata_documents(const struct odp_site_job *job)
{
    struct odp_metadata *m;
    const json_t *entry;
    json_t *graph = NULL;
    size_t i;
    enum odp_status status = odp_metadata_open(&m, job);
    if (status == ODP_OK)
        status = metadata_feeds(m);
    if (status == ODP_OK && (graph = metadata_dcat_begin(m)) == NULL)
        status = ODP_FAIL;
    json_array_foreach(job->entries, i, entry)
        if (status == ODP_OK)
            status = put_dataset(m, entry, graph);
    if (status == ODP_OK)
        status = metadata_dcat_end_take(m, graph);
    else
        json_decref(graph);
    if (status == ODP_OK)
        status = metadata_well_known(m);
    if (status == ODP_OK)
        status = metadata_pictures(m);
    odp_metadata_close(m);
    return status;
}
