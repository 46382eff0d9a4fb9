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

/* All documents of the dataset, and what feed.xml and dcat.jsonld have of it as the part's text. */
static void make_dataset(struct odp_metadata *m, const json_t *entry, struct odp_buffer *texts)
{
    json_t *document = NULL;
    m->status = odp_model_dataset(m->job, entry, &document);
    if (m->status != ODP_OK)
        return;
    metadata_feed_make(m, entry, texts);
    metadata_dcat_make(m, document, texts);
    put_iso(m, document);
    metadata_sheets(m, document, entry);
    metadata_dataset_feed(m, document);
    metadata_picture(m, entry);
    json_decref(document);
}

/* Returns what feed.xml has of it. */
static const char *put_dataset(struct odp_metadata *m, const json_t *entry, struct metadata_dcat *dcat)
{
    const struct odp_site_job *whole = m->job;
    struct odp_buffer texts = {0};
    m->status = odp_among_begin(whole, "metadata", entry, NULL);
    if (m->status == ODP_OK) {
        m->job = odp_among_job(whole);
        make_dataset(m, entry, &texts);
        m->job = whole;
        odp_part_set_text(whole->stage, odp_buffer_slice(&texts));
        m->status = odp_part_end(whole->stage, m->status);
    } else if (m->status == ODP_DONE) {
        m->status = ODP_OK;
    }
    odp_buffer_release(&texts);
    struct odp_slice kept = odp_part_text(whole->stage);
    if (m->status != ODP_OK)
        return "";
    const size_t feed = strlen(kept.ptr) + 1;
    metadata_dcat_add(dcat, (struct odp_slice){kept.ptr + feed, kept.len - feed});
    return kept.ptr;
}

enum odp_status odp_metadata_documents(struct odp_metadata *m)
{
    const json_t *entry;
    size_t i;
    const char **newest = odp_arena_array(&m->arena, json_array_size(m->job->entries) + 1, sizeof *newest);
    struct metadata_dcat dcat = metadata_dcat_begin(m);
    json_array_foreach(m->job->entries, i, entry) if (m->status == ODP_OK) newest[i] =
        put_dataset(m, entry, &dcat);
    metadata_dcat_end(m, &dcat);
    metadata_feed(m, newest);
    metadata_well_known(m);
    metadata_portal_picture(m);
    return m->status;
}
