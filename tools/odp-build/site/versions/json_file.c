/* JSON documents of the site, into the stage and out of it. */
#include "base/json_load.h"
#include "site/versions/release.h"

enum { DOCUMENT_MAX = 1 << 30 };

enum odp_status odp_doc_put_as_take(struct odp_stage *s, const char *path, const char *type,
                                    enum odp_class cls, size_t flags, json_t *value)
{
    struct odp_buffer out = {0};
    enum odp_status status = odp_doc_print(&out, value, flags);
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_stage_put(s, path, type, cls, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    json_decref(value);
    return status;
}

enum odp_status odp_doc_put_take(struct odp_stage *s, const char *path, json_t *value)
{
    return odp_doc_put_as_take(s, path, "application/json", ODP_CLASS_PUBLIC, ODP_DOC_PRETTY, value);
}

size_t odp_job_number(const struct odp_site_job *job, const char *slug)
{
    const size_t n = json_array_size(job->entries);
    size_t i = job->numbers != NULL ? odp_map_find(job->numbers, odp_slice_of(slug)) : 0;
    while (job->numbers == NULL && i < n &&
           strcmp(odp_text_of(json_array_get(job->entries, i), "slug"), slug) != 0)
        i++;
    return i < n ? i : SIZE_MAX;
}

const json_t *odp_job_entry(const struct odp_site_job *job, const char *slug)
{
    return json_array_get(job->entries, odp_job_number(job, slug));
}

enum odp_status odp_job_read(const struct odp_site_job *job, const char *path, json_t **out)
{
    struct odp_buffer text = {0};
    *out = NULL;
    enum odp_status status = odp_stage_read(job->stage, path, DOCUMENT_MAX, job->previous, &text, job->diags);
    if (status == ODP_OK && (*out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_failure_set("read JSON", path, 0);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_job_read_kept(const struct odp_site_job *job, const char *path, json_t **out)
{
    *out = json_incref(json_object_get(job->kept, path));
    (void)odp_stage_find(job->stage, path); /* the part that is open depends on it, kept or not */
    enum odp_status status = *out == NULL ? odp_job_read(job, path, out) : ODP_OK;
    if (*out != NULL && job->kept != NULL)
        odp_set(job->kept, path, json_incref(*out));
    return status;
}

enum odp_status odp_job_schema(const struct odp_site_job *job, const char *slug, const json_t *resource,
                               json_t **out)
{
    const char *url = odp_text_of(resource, "schema"),
               *name = strrchr(url, '/'); /* "../data/kumuh/2024-03-15/schema.json" */
    *out = NULL;
    if (strncmp(url, "../", 3) != 0 || name == NULL)
        return ODP_OK; /* a site of another make */
    json_t *latest = json_sprintf("data/%s/latest%s", slug, name);
    enum odp_status status = odp_job_read(job, json_string_value(latest), out);
    json_decref(latest);
    return status == ODP_OK && *out == NULL ? odp_job_read(job, url + 3, out) : status;
}
