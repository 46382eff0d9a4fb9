/* What documents are made of (versions.json, schema.json, the collections of the API), and their way
 * into the stage. */
#include "site/metadata/metadata_internal.h"

#include <errno.h>

#include "base/json_load.h"

enum { DOCUMENT_MAX = 1 << 30 };

void metadata_open(struct metadata *m, const struct odp_metadata_job *job)
{
    const char *base = job->catalog->portal.base_url;
    *m = (struct metadata){.job = job, .catalog = job->catalog, .base = base != NULL ? base : ""};
    odp_arena_init(&m->arena);
}

enum odp_status metadata_close(struct metadata *m, enum odp_status status)
{
    odp_arena_release(&m->arena);
    return status == ODP_OK && m->doc.failed ? odp_failure_set("make", "metadata", ENOMEM) : status;
}

enum odp_status metadata_read(struct metadata *m, const char *path, json_t **out)
{
    struct odp_buffer text;
    json_error_t error;
    *out = NULL;
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(m->job->stage, path, DOCUMENT_MAX, m->job->previous, &text, m->job->diags);
    if (status == ODP_OK) {
        *out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
        if (*out == NULL)
            status = odp_failure_set("read JSON", path, json_error_code(&error) == json_error_out_of_memory ? ENOMEM : 0);
    }
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status metadata_schema(struct metadata *m, const json_t *entry, const json_t *resource, json_t **out)
{
    const char *url = metadata_text(resource, "schema"), *name = strrchr(url, '/');
    *out = NULL;
    if (name == NULL)
        return ODP_OK;
    enum odp_status status = metadata_read(m, metadata_printf(m, "data/%s/latest%s", metadata_text(entry, "slug"), name), out);
    if (status == ODP_OK && *out == NULL)
        status = metadata_read(m, metadata_path(url), out);
    return status;
}

enum odp_status metadata_interval(struct metadata *m, const json_t *entry, const char *out[2])
{
    json_t *collection;
    out[0] = out[1] = "";
    enum odp_status status = metadata_read(m, metadata_printf(m, "v1/ogc/collections/%s.json", metadata_text(entry, "slug")), &collection);
    const json_t *temporal = json_object_get(json_object_get(collection, "extent"), "temporal");
    const json_t *interval = json_array_get(json_object_get(temporal, "interval"), 0);
    for (size_t i = 0; i < 2; i++) {
        const char *s = json_string_value(json_array_get(interval, i));
        if (s != NULL)
            out[i] = metadata_day(m, s);
    }
    json_decref(collection);
    return status;
}

enum odp_status metadata_put(struct metadata *m, const char *path, const char *type, const struct odp_buffer *text)
{
    if (m->doc.failed)
        return odp_failure_set("make", path, ENOMEM);
    enum odp_status status = odp_buffer_status(text);
    return status == ODP_OK ? odp_stage_put(m->job->stage, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(text)) : status;
}

enum odp_status metadata_put_json_take(struct metadata *m, const char *path, const char *type, json_t *value)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    enum odp_status status = m->doc.failed || value == NULL ? odp_failure_set("write JSON", path, ENOMEM)
                                                            : odp_doc_print(&out, value, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = metadata_put(m, path, type, &out);
    odp_buffer_release(&out);
    json_decref(value);
    return status;
}
