/* The order of the documents. */
#include "site/metadata/metadata_internal.h"

#include "published/parts.h"
#include "site/versions/among.h"

static void put_iso(struct odp_metadata *m, json_t *document)
{
    json_t *table = json_array_get(json_object_get(document, "resources"), 0);
    if (!json_is_true(json_object_get(table, "has_geometry")) || json_object_get(document, "bbox") == NULL)
        return;
    json_t *data = json_copy(document);
    odp_set(data, "main", json_incref(table));
    metadata_put_take(m, "iso19139", metadata_beside_page(m, odp_text_of(document, "slug"), "/iso19139.xml"),
                      "application/xml", data);
}

/* All documents of the dataset, and its node of the graph as the part's text. */
static void make_dataset(struct odp_metadata *m, const json_t *entry, json_t *graph)
{
    json_t *document = NULL;
    m->status = odp_model_dataset(m->job, entry, &document);
    if (m->status != ODP_OK)
        return;
    metadata_dcat_add(m, graph, document);
    put_iso(m, document);
    metadata_sheets(m, document, entry);
    metadata_dataset_feed(m, document);
    json_decref(document);
}

static void put_dataset(struct odp_metadata *m, const json_t *entry, json_t *graph)
{
    const struct odp_site_job *whole = m->job;
    m->status = odp_among_begin(whole, "metadata", entry, NULL);
    if (m->status == ODP_OK) {
        m->job = odp_among_job(whole);
        make_dataset(m, entry, graph);
        m->job = whole;
        m->status = odp_part_end(whole->stage, m->status);
    } else if (m->status == ODP_DONE) {
        m->status = ODP_OK;
        metadata_dcat_add_made(m, graph, odp_part_text(whole->stage));
    }
}

enum odp_status odp_metadata_documents(const struct odp_site_job *job)
{
    struct odp_metadata *m;
    const json_t *entry;
    size_t i;
    enum odp_status status = odp_metadata_open(&m, job);
    if (status == ODP_OK) {
        metadata_feeds(m);
        json_t *graph = metadata_dcat_begin(m);
        json_array_foreach(job->entries, i, entry) if (m->status == ODP_OK) put_dataset(m, entry, graph);
        metadata_dcat_end_take(m, graph);
        metadata_well_known(m);
        metadata_pictures(m);
        status = m->status;
    }
    odp_metadata_close(m);
    return status;
}
