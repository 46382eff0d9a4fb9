/* A JSON document of the site, pretty, into the stage. */
#include <errno.h>

#include "site/versions/release.h"

enum odp_status odp_doc_put_as_take(struct odp_stage *s, const char *path, enum odp_class cls, const struct odp_doc *d, json_t *value)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    enum odp_status status =
        d->failed || path == NULL ? odp_failure_set("write JSON", path, ENOMEM) : odp_doc_print(&out, value, ODP_DOC_PRETTY);
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_stage_put(s, path, "application/json", cls, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    json_decref(value);
    return status;
}

enum odp_status odp_doc_put_take(struct odp_stage *s, const char *path, const struct odp_doc *d, json_t *value)
{
    return odp_doc_put_as_take(s, path, ODP_CLASS_PUBLIC, d, value);
}
