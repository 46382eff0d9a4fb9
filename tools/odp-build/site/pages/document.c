/* What is staged already, as JSON. */
#include "site/pages/pages_internal.h"

#include "base/json_load.h"

enum { DOCUMENT_MAX = 1 << 30 };

enum odp_status portal_read_json(const struct portal *p, const char *path, json_t **out)
{
    struct odp_buffer text;
    *out = NULL;
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(p->job->stage, path, DOCUMENT_MAX, p->job->previous, &text, p->job->diags);
    if (status == ODP_OK && (*out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_failure_set("read JSON", path, 0);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}
