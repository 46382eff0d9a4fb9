/* The order of the documents, and what they are made of: index entries, versions.json, schema.json, the collections of the API. */
#include "site/metadata/metadata_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json_load.h"
#include "write/emit.h"

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

/* ---- text ------------------------------------------------------------------------------------------------------------------- */

const char *metadata_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

struct odp_text metadata_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);
    if (s != NULL)
        return (struct odp_text){{s, s}};
    return (struct odp_text){{json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

const char *metadata_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const struct odp_text t = metadata_both(o, key);
    return odp_text_get(&t, lang);
}

const char *metadata_printf(struct metadata *m, const char *fmt, ...)
{
    va_list args, again;
    const char *s = NULL;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *room = n >= 0 ? odp_arena_alloc(&m->arena, (size_t)n + 1) : NULL;
    if (room != NULL && vsnprintf(room, (size_t)n + 1, fmt, again) == n)
        s = room;
    va_end(again);
    va_end(args);
    m->doc.failed = m->doc.failed || s == NULL;
    return s != NULL ? s : "";
}

const char *metadata_path(const char *url)
{
    while (strncmp(url, "../", 3) == 0)
        url += 3;
    return url;
}

const char *metadata_url(struct metadata *m, const char *path)
{
    return metadata_printf(m, "%s%s", m->base, path);
}

const char *metadata_day(struct metadata *m, const char *date)
{
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(date);
    day.len = day.len > 10 ? 10 : day.len;
    if (odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return "";
    return metadata_printf(m, "%.10s", date);
}

const char *metadata_license(const struct metadata *m, const json_t *entry, enum odp_lang lang)
{
    const json_t *license = json_object_get(entry, "license");
    const struct odp_portal *p = &m->catalog->portal;
    if (p->license_name != NULL && strcmp(metadata_text(license, "name"), p->license_name) == 0 && !odp_text_is_empty(&p->license_title))
        return odp_text_get(&p->license_title, lang);
    const char *title = metadata_in(license, "title", lang);
    return *title != '\0' ? title : metadata_text(license, "name");
}

const char *metadata_newest(const struct metadata *m)
{
    const char *newest = m->catalog->nreleases > 0 ? m->catalog->releases[0].date : "";
    for (size_t i = 0; i < json_array_size(m->job->entries); i++) {
        const char *date = metadata_text(json_array_get(m->job->entries, i), "last_update");
        newest = strcmp(date, newest) > 0 ? date : newest;
    }
    return newest;
}

/* ---- what is staged --------------------------------------------------------------------------------------------------------- */

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

/* ---- subjects --------------------------------------------------------------------------------------------------------------- */

const json_t *metadata_subject(const struct metadata *m, const json_t *entry, size_t i)
{
    const char *name = json_string_value(json_array_get(json_object_get(entry, "subjects"), i));
    const json_t *subjects = json_object_get(m->catalog->portal.json, "subjects");
    for (size_t k = 0; name != NULL && k < json_array_size(subjects); k++) {
        const json_t *subject = json_array_get(subjects, k);
        if (strcmp(metadata_text(subject, "name"), name) == 0)
            return subject;
    }
    return NULL;
}

const char *metadata_theme(struct metadata *m, const json_t *subject)
{
    const char *theme = metadata_text(subject, "theme");
    if (*theme == '\0')
        return NULL;
    return strstr(theme, "://") != NULL ? theme : metadata_printf(m, METADATA_EU "data-theme/%s", theme);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

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
