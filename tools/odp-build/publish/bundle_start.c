/* What is in a bundle; and its start.html (templates/bundle), which says so, for somebody who has unpacked it
 * and has no server. One file, no script, nothing fetched. */
#include "publish/bundle_start.h"

#include "base/template/template.h"
#include "published/doc.h"
#include "published/stage.h"

extern const struct odp_template_text odp_bundle_templates[];
extern const unsigned char odp_bundle_model_json[];

/* What is public, without twins. */
bool bundle_takes(const struct odp_site_file *f)
{
    return f->cls == ODP_CLASS_PUBLIC && f->encoding == NULL;
}

bool bundle_has(const struct odp_site *site, const char *path)
{
    const struct odp_site_file *f = odp_site_find(site, path);
    return f != NULL && bundle_takes(f);
}

/* Member KEY of O, {"id", "en"} or one string, in both languages; "en" is "" where it is the same. */
static json_t *both(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    const char *id = json_string_value(value), *en = odp_text_of(value, "en");
    if (id == NULL)
        id = odp_text_of(value, "id");
    return json_pack("{s:s, s:s}", "id", id, "en", strcmp(id, en) == 0 ? "" : en);
}

/* A size as people read it, in both languages' way where they differ: only whole numbers. */
static json_t *size_of(uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    size_t unit = 0;
    for (; bytes >= 10000 && unit + 1 < ODP_COUNT(units); unit++)
        bytes = (bytes + 500) / 1000;
    return json_sprintf("%llu %s", (unsigned long long)bytes, units[unit]);
}

/* The path of an address of the index, which is relative to v1/; "": the bundle has no such file. */
static const char *path_of(const struct odp_site *site, const char *url)
{
    bool there = strncmp(url, "../", 3) == 0 && bundle_has(site, url + 3);
    return there ? url + 3 : "";
}

static json_t *resource_of(const struct odp_site *site, const json_t *resource)
{
    json_t *files = json_array();
    const json_t *file;
    size_t i;
    json_array_foreach(json_object_get(resource, "files"), i, file)
    {
        const char *path = path_of(site, odp_text_of(file, "url")), *slash = strrchr(path, '/');
        if (*path != '\0')
            json_array_append_new(files, json_pack("{s:s, s:s, s:o}", "path", path, "name",
                                                   slash != NULL ? slash + 1 : path, "size",
                                                   size_of(odp_site_find(site, path)->size)));
    }
    return json_pack("{s:o, s:s}", "files", files, "schema", path_of(site, odp_text_of(resource, "schema")));
}

static json_t *dataset_of(const struct odp_site *site, const json_t *entry)
{
    json_t *resources = json_array();
    const json_t *resource;
    size_t i;
    json_array_foreach(json_object_get(entry, "resources"), i, resource)
        json_array_append_new(resources, resource_of(site, resource));
    json_t *versions = json_sprintf("data/%s/versions.json", odp_text_of(entry, "slug"));
    if (!bundle_has(site, json_string_value(versions)))
        json_string_set(versions, "");
    return json_pack("{s:o, s:o, s:s, s:o, s:o}", "title", both(entry, "title"), "description",
                     both(entry, "description"), "version", odp_text_of(entry, "version"), "resources",
                     resources, "versions", versions);
}

enum odp_status bundle_start(struct odp_buffer *out, const struct odp_site *site)
{
    const json_t *index = odp_site_index(site), *meta = json_object_get(index, "meta"), *entry;
    const char *updated = odp_text_of(meta, "last_update");
    json_t *datasets = json_array();
    size_t i;
    json_array_foreach(json_object_get(index, "data"), i, entry)
        json_array_append_new(datasets, dataset_of(site, entry));
    return odp_templates_write(odp_bundle_templates, odp_bundle_model_json, "start", ODP_LANG_ID,
                               json_pack("{s:o, s:o, s:s, s:s, s:o}", "title", both(meta, "title"),
                                         "publisher", both(meta, "publisher"), "release",
                                         odp_text_of(meta, "release"), "updated",
                                         *updated != '\0' ? updated : "—", "datasets", datasets),
                               out);
}
