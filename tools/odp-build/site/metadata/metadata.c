/* The order of the documents. */
#include "site/metadata/metadata_internal.h"

enum odp_status odp_metadata_documents(const struct odp_metadata_job *job)
{
    struct metadata m;
    metadata_open(&m, job);
    enum odp_status status = metadata_dcat(&m);
    for (size_t i = 0; i < json_array_size(job->entries) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(job->entries, i);
        status = metadata_iso19139(&m, entry);
        if (status == ODP_OK)
            status = metadata_sheets(&m, entry);
        if (status == ODP_OK)
            status = metadata_feed(&m, entry);
    }
    if (status == ODP_OK)
        status = metadata_well_known(&m);
    if (status == ODP_OK)
        status = metadata_pictures(&m);
    return metadata_close(&m, status);
}
