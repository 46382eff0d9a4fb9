/* v1/index.json: the catalogue of the site, one entry a line, in the envelope. Links are relative to it.
 *
 * `download` is of the first resource; resources[].files has all. Profiles and scorecards are files of the
 * site, not of the index. */
#include "published/doc.h"
#include "site/versions/names.h"

#include <stdio.h>

#include "base/json.h"
#include "published/history.h"
#include "site/versions/datapackage.h"

/* ---- one resource ----------------------------------------------------------------------------------------------------------
 */

/* The downloads of JOB's resource and version (and slice, if any) under links that begin with ROOT: FILES gets all, DOWNLOAD (if not
 * NULL) the first of each format. */
static enum odp_status list_files(struct odp_doc *d, const struct odp_stage *s, const struct odp_emit_job *job, const char *root,
                                  json_t *files, json_t *download, struct odp_arena *a)
{
    for (size_t k = 0; k < ODP_FORMAT_FILES; k++) {
        const struct odp_format_file *format = &odp_format_files[k];
        const char *path = odp_emit_data_path(job, format->extension, a);
        const struct odp_site_file *f = odp_stage_find(s, path);
        if (f == NULL)
            continue;
        json_t *o = json_object();
        odp_doc_set_str(d, o, "format", format->format);
        odp_doc_set_str(d, o, "name", format->name);
        odp_doc_set(d, o, "url", json_sprintf("%s%s", root, path));
        odp_doc_set_str(d, o, "media_type", f->media_type);
        odp_doc_set(d, o, "bytes", json_integer((json_int_t)f->size));
        odp_doc_set(d, o, "hash", odp_doc_digest(f->sha256));
        odp_doc_add(d, files, o);
        if (download != NULL && json_object_get(download, format->format) == NULL)
            odp_doc_set(d, download, format->format, json_sprintf("%s%s", root, path));
    }
    return ODP_OK;
}

/* odp:slices: what there is for each value. Nothing is set where there are none. */
static enum odp_status set_slices(struct odp_doc *d, json_t *resource, const struct odp_stage *s, const struct odp_catalog *c,
                                  const struct odp_published_resource *p, const char *version, struct odp_arena *a)
{
    json_t *list = p->nslices > 0 ? json_array() : NULL;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < p->nslices && status == ODP_OK; i++) {
        const struct odp_slice_result *slice = &p->slices[i];
        json_t *o = json_object(), *files = json_array();
        odp_doc_set_str(d, o, "field", slice->field);
        odp_doc_set(d, o, "value", odp_doc_slice(slice->value));
        if (!odp_text_is_empty(&slice->label))
            odp_doc_set(d, o, "label", odp_doc_text(&slice->label));
        odp_doc_set(d, o, "rows", json_integer((json_int_t)slice->rows));
        const struct odp_emit_job job = {.catalog = c, .resource = p->resource, .version = version, .slice = slice->path};
        status = list_files(d, s, &job, "../", files, NULL, a);
        odp_doc_set(d, o, "files", files);
        odp_doc_add(d, list, o);
    }
    if (list != NULL)
        odp_doc_set(d, resource, "slices", list);
    return status;
}

/* The list of the PDF files that the records name (odp:document), where there are any. */
static void set_documents(struct odp_doc *d, json_t *resource, const struct odp_stage *s, const struct odp_emit_job *job,
                          struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    const char *path = odp_arena_printf(a, "data/%s/%s/documents%s%s.json", r->dataset->slug, job->version, r->primary ? "" : "-",
                                        r->primary ? "" : r->name);
    if (odp_stage_find(s, path) != NULL)
        odp_doc_set(d, resource, "documents", json_sprintf("../%s", path));
}

/* odp:charts: those that have figures in this version. Nothing is set where there are none. */
static enum odp_status set_charts(struct odp_doc *d, json_t *resource, const struct odp_stage *s, const struct odp_emit_job *job,
                                  struct odp_arena *a)
{
    static const char *const pictures[][2] = {{"id", ".svg"}, {"en", ".en.svg"}};
    const struct odp_resource *r = job->resource;
    json_t *list = r->ncharts > 0 ? json_array() : NULL;
    for (size_t i = 0; i < r->ncharts; i++) {
        const struct odp_chart *c = &r->charts[i];
        const char *data = odp_emit_chart_path(job, c, ".json", a);
        if (data == NULL) {
            json_decref(list);
            return ODP_FAIL;
        }
        if (odp_stage_find(s, data) == NULL)
            continue;
        json_t *o = json_object(), *svg = json_object();
        odp_doc_set_str(d, o, "name", c->name);
        odp_doc_set_str(d, o, "type", odp_chart_type_names[c->type]);
        odp_doc_set(d, o, "title", odp_doc_text(&c->title));
        for (int k = 0; k < 2; k++) {
            const char *path = odp_emit_chart_path(job, c, pictures[k][1], a);
            d->failed = d->failed || path == NULL;
            if (path != NULL && odp_stage_find(s, path) != NULL)
                odp_doc_set(d, svg, pictures[k][0], json_sprintf("../%s", path));
        }
        odp_doc_set(d, o, "svg", svg); /* empty: there was nothing to draw */
        odp_doc_set(d, o, "data", json_sprintf("../%s", data));
        odp_doc_add(d, list, o);
    }
    if (list != NULL)
        odp_doc_set(d, resource, "charts", list);
    return ODP_OK;
}

static uint64_t count_pages(const struct odp_stage *s, const struct odp_published_resource *r, const char *version,
                            struct odp_arena *a)
{
    uint64_t n = 1;
    for (const char *path; r->pages == 0; n++) {
        path = odp_emit_page_path(r->resource, version, n + 1, a);
        if (odp_stage_find(s, path) == NULL)
            return n;
    }
    return r->pages;
}

static enum odp_status add_resource(struct odp_doc *d, json_t *list, const struct odp_stage *s, const struct odp_catalog *c,
                                    const struct odp_published_resource *p, const char *version, struct odp_arena *a)
{
    const struct odp_resource *r = p->resource;
    json_t *o = json_object(), *download = json_object(), *files = json_array();
    odp_doc_add(d, list, o);
    odp_doc_set_str(d, o, "name", r->name);
    odp_doc_set(d, o, "package_name", json_sprintf(ODP_RESOURCE_NAME, ODP_RESOURCE_NAME_ARGS(r)));
    odp_doc_set(d, o, "title", odp_doc_text(odp_text_is_empty(&r->title) && r->primary ? &r->dataset->title : &r->title));
    const char *api = odp_emit_api_path(r, a), *schema = odp_schema_path(r, version, a);
    odp_doc_set_str(d, o, "api", api + 3); /* without "v1/" */
    odp_doc_set(d, o, "schema", json_sprintf("../%s", schema));
    const struct odp_emit_job job = {.catalog = c, .resource = r, .version = version};
    enum odp_status status = list_files(d, s, &job, "../", files, download, a);
    odp_doc_set(d, o, "download", download);
    odp_doc_set(d, o, "files", files);
    odp_doc_set(d, o, "rows", json_integer((json_int_t)p->rows));
    odp_doc_set(d, o, "pages", json_integer((json_int_t)count_pages(s, p, version, a)));
    odp_doc_set(d, o, "digest", odp_doc_digest(p->logical));
    odp_doc_set(d, o, "geometry", json_boolean(p->has_geometry));
    if (r->deprecated != NULL) {
        odp_doc_copy(d, o, r->json, "odp:deprecated");
        odp_doc_copy(d, o, r->json, "odp:sunset");
        odp_doc_copy(d, o, r->json, "odp:replacedBy");
    }
    if (p->has_bbox)
        odp_doc_set(d, o, "bbox", odp_doc_bbox(p->bbox));
    set_documents(d, o, s, &job, a);
    if (status == ODP_OK)
        status = set_charts(d, o, s, &job, a);
    if (status == ODP_OK)
        status = set_slices(d, o, s, c, p, version, a);
    return status;
}

/* ---- one dataset -----------------------------------------------------------------------------------------------------------
 */

static void set_formats(struct odp_doc *d, json_t *entry, const struct odp_dataset *ds)
{
    json_t *all = json_array();
    for (size_t i = 0; i < ds->formats.n; i++)
        odp_doc_add(d, all, odp_doc_slice(ds->formats.item[i]));
    odp_doc_set(d, entry, "formats", all);
}

/* The dataset's own licence, or the portal's. */
static json_t *make_license(struct odp_doc *d, const struct odp_catalog *c, const struct odp_dataset *ds)
{
    const json_t *own = json_array_get(json_object_get(ds->json, "licenses"), 0);
    if (own != NULL)
        return json_deep_copy(own);
    json_t *o = json_object();
    odp_doc_set_str(d, o, "name", c->portal.license_name);
    odp_doc_set(d, o, "title", odp_doc_text(&c->portal.license_title));
    odp_doc_set_str(d, o, "path", c->portal.license_path);
    return o;
}

/* What is about to go, of all resources. */
static void set_deprecated_fields(struct odp_doc *d, json_t *entry, const struct odp_dataset *ds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ds->nresources; i++) {
        const struct odp_schema *s = &ds->resources[i].schema;
        for (uint32_t k = 0; k < s->n; k++) {
            const struct odp_field *f = &s->fields[k];
            if (f->deprecated == NULL || !f->is_public)
                continue;
            json_t *o = json_object();
            odp_doc_set_str(d, o, "resource", ds->resources[i].name);
            odp_doc_set_str(d, o, "field", f->name);
            odp_doc_set_str(d, o, "deprecated", f->deprecated);
            odp_doc_set_str(d, o, "sunset", f->sunset);
            odp_doc_set(d, o, "replacedBy", f->replaced_by != NULL ? json_string(f->replaced_by) : json_null());
            odp_doc_add(d, list, o);
        }
    }
    if (json_array_size(list) > 0)
        odp_doc_set(d, entry, "deprecated_fields", list);
    else
        json_decref(list);
}

/* Satu Data metadata and what else describes the dataset to its users. */
static void copy_metadata(struct odp_doc *d, json_t *entry, const struct odp_dataset *ds)
{
    static const char *const keys[] = {"keywords",   "odp:keywords",   "contributors",   "odp:contact", "sources",
                                       "odp:theme",  "odp:spatial",    "odp:temporal",   "odp:note",    "odp:deprecated",
                                       "odp:sunset", "odp:replacedBy", "odp:formerSlugs"};
    const char *key;
    json_t *value;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        odp_doc_copy(d, entry, ds->json, keys[i]);
    json_object_foreach((json_t *)(uintptr_t)ds->json, key, value) /* reads only */
        if (strncmp(key, "sdi:", 4) == 0) odp_doc_set(d, entry, key, json_deep_copy(value));
    set_deprecated_fields(d, entry, ds);
    json_t *subjects = ds->nsubjects > 0 ? json_array() : NULL;
    for (size_t k = 0; k < ds->nsubjects; k++)
        odp_doc_add(d, subjects, json_string(ds->subjects[k]->name));
    if (subjects != NULL)
        odp_doc_set(d, entry, "subjects", subjects);
}

enum odp_status odp_dataset_digest(const char *const *names, const uint8_t (*digests)[ODP_SHA256_SIZE], size_t n,
                                   uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_buffer all;
    odp_buffer_init(&all);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add(&all, names[i], strlen(names[i]) + 1);
        odp_buffer_add(&all, digests[i], ODP_SHA256_SIZE);
    }
    enum odp_status status = odp_buffer_status(&all);
    if (status == ODP_OK)
        status = odp_digest_of(all.ptr, all.len, out);
    odp_buffer_release(&all);
    return status;
}

static json_t *make_digest(const struct odp_published *p, struct odp_arena *a)
{
    size_t n = p->dataset->nresources;
    const char **names = odp_arena_array(a, n + 1, sizeof *names);
    uint8_t(*digests)[ODP_SHA256_SIZE] = odp_arena_array(a, n + 1, sizeof *digests), whole[ODP_SHA256_SIZE];
    for (size_t i = 0; i < n; i++) {
        names[i] = p->resources[i].resource->name;
        memcpy(digests[i], p->resources[i].logical, sizeof digests[i]);
    }
    bool ok = odp_dataset_digest(names, (const uint8_t(*)[ODP_SHA256_SIZE])digests, n, whole) == ODP_OK;
    return ok ? odp_doc_digest(whole) : NULL;
}

/* The newest versions here, all of them in versions.json. */
static void set_versions(struct odp_doc *d, json_t *entry, const struct odp_history *h)
{
    enum { SHOWN = 12 };
    static const char *const keys[] = {"version", "date", "state", "digest", "rows", "correction", "reason", "stands_in"};
    json_t *list = json_array();
    for (size_t i = 0; i < h->n && i < SHOWN; i++) {
        json_t *o = json_object();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            odp_doc_copy(d, o, h->versions[i].json, keys[k]);
        odp_doc_add(d, list, o);
    }
    odp_doc_set(d, entry, "versions", list);
    odp_doc_set(d, entry, "versions_total", json_integer((json_int_t)h->n));
    odp_doc_set(d, entry, "versions_url", json_sprintf("../data/%s/versions.json", h->slug));
}

enum odp_status odp_release_list_versions(json_t *entry, const struct odp_history *h)
{
    struct odp_doc d = {false};
    set_versions(&d, entry, h);
    return d.failed ? odp_failure_set("write JSON", "v1/index.json", 0) : ODP_OK;
}

/* ---- versions.json ---------------------------------------------------------------------------------------------------------
 */

static enum odp_status add_version_resource(struct odp_doc *d, json_t *list, const struct odp_stage *s, const struct odp_catalog *c,
                                            const struct odp_published_resource *p, const char *version, struct odp_arena *a)
{
    json_t *o = json_object(), *files = json_array();
    const char *schema = odp_schema_path(p->resource, version, a);
    odp_doc_add(d, list, o);
    odp_doc_set_str(d, o, "name", p->resource->name);
    odp_doc_set(d, o, "rows", json_integer((json_int_t)p->rows));
    odp_doc_set(d, o, "digest", odp_doc_digest(p->logical));
    odp_doc_set(d, o, "schema", json_sprintf("../../%s", schema));
    const struct odp_emit_job job = {.catalog = c, .resource = p->resource, .version = version};
    enum odp_status status = list_files(d, s, &job, "../../", files, NULL, a);
    odp_doc_set(d, o, "files", files);
    return status;
}

json_t *odp_release_version(const struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p)
{
    struct odp_doc d = {false};
    struct odp_arena arena;
    odp_arena_init(&arena);
    json_t *o = json_object(), *resources = json_array();
    odp_doc_set_str(&d, o, "version", p->version);
    odp_doc_set_str(&d, o, "date", p->date != NULL ? p->date : p->version);
    odp_doc_set_str(&d, o, "state", "published");
    odp_doc_set(&d, o, "digest", make_digest(p, &arena));
    odp_doc_set_str(&d, o, "release", c->nreleases > 0 ? c->releases[0].version : "");
    for (size_t i = 0; i < p->dataset->nresources; i++)
        if (add_version_resource(&d, resources, s, c, &p->resources[i], p->version, &arena) != ODP_OK)
            d.failed = true;
    odp_doc_copy(&d, o, json_array_get(resources, 0), "rows");
    odp_doc_set(&d, o, "resources", resources);
    odp_arena_release(&arena);
    if (d.failed) {
        (void)odp_failure_set("write JSON", "versions.json", 0);
        json_decref(o);
        return NULL;
    }
    return o;
}

/* Links of the index begin with ../, those of versions.json with ../../. */
static json_t *deeper(const json_t *url)
{
    return json_sprintf("../%s", json_string_value(url) != NULL ? json_string_value(url) : "");
}

json_t *odp_release_version_of(const json_t *entry)
{
    struct odp_doc d = {json_string_value(json_object_get(entry, "version")) == NULL ||
                        json_string_value(json_object_get(entry, "digest")) == NULL};
    const json_t *resources = json_object_get(entry, "resources");
    json_t *o = json_object(), *list = json_array();
    odp_doc_copy(&d, o, entry, "version");
    odp_doc_set(&d, o, "date", json_incref(json_object_get(entry, "last_update")));
    odp_doc_set_str(&d, o, "state", "published");
    odp_doc_copy(&d, o, entry, "digest");
    odp_doc_copy(&d, o, entry, "rows");
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *from = json_array_get(resources, i), *files = json_object_get(from, "files");
        json_t *to = json_object(), *copies = json_array();
        odp_doc_copy(&d, to, from, "name");
        odp_doc_copy(&d, to, from, "rows");
        odp_doc_copy(&d, to, from, "digest");
        odp_doc_set(&d, to, "schema", deeper(json_object_get(from, "schema")));
        for (size_t k = 0; k < json_array_size(files); k++) {
            json_t *copy = json_copy(json_array_get(files, k));
            odp_doc_set(&d, copy, "url", deeper(json_object_get(copy, "url")));
            odp_doc_add(&d, copies, copy);
        }
        odp_doc_set(&d, to, "files", copies);
        odp_doc_add(&d, list, to);
    }
    odp_doc_set(&d, o, "resources", list);
    if (d.failed) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *make_entry(struct odp_doc *d, const struct odp_stage *s, const struct odp_catalog *c,
                          const struct odp_published *p, struct odp_arena *a)
{
    const struct odp_dataset *ds = p->dataset;
    json_t *o = json_object(), *resources = json_array();
    odp_doc_set_str(d, o, "slug", ds->slug);
    odp_doc_set_str(d, o, "name", odp_text_get(&ds->title, ODP_LANG_EN));
    odp_doc_set(d, o, "title", odp_doc_text(&ds->title));
    odp_doc_set(d, o, "description", odp_doc_text(&ds->description));
    set_formats(d, o, ds);
    odp_doc_set(d, o, "last_update", odp_doc_slice(odp_emit_version_date(p->date != NULL ? p->date : p->version)));
    odp_doc_set_str(d, o, "version", p->version);
    odp_doc_set(d, o, "frequency", ds->frequency != NULL ? json_string(ds->frequency) : json_null());
    odp_doc_set_str(d, o, "state", odp_dataset_states[ds->state]);
    odp_doc_set(d, o, "license", make_license(d, c, ds));
    const json_t *producer = json_object_get(ds->json, "sdi:produsenData");
    odp_doc_set(d, o, "producer", producer != NULL ? json_deep_copy(producer) : json_null());
    odp_doc_set(d, o, "api", json_sprintf("%s.json", ds->slug));
    for (size_t i = 0; i < ds->nresources; i++)
        if (add_resource(d, resources, s, c, &p->resources[i], p->version, a) != ODP_OK)
            d->failed = true;
    const json_t *first = json_array_get(resources, 0);
    odp_doc_copy(d, o, first, "download");
    odp_doc_copy(d, o, first, "rows");
    odp_doc_copy(d, o, first, "bbox");
    odp_doc_set(d, o, "digest", make_digest(p, a));
    odp_doc_set(d, o, "resources", resources);
    if (p->history != NULL)
        set_versions(d, o, p->history);
    copy_metadata(d, o, ds);
    return o;
}

/* ---- the index -------------------------------------------------------------------------------------------------------------
 */

/* The entries of all datasets; D tells whether it is whole. */
static json_t *make_entries(struct odp_doc *d, const struct odp_stage *s, const struct odp_catalog *c,
                            const struct odp_published *p, size_t n, struct odp_arena *a)
{
    json_t *entries = json_array();
    for (size_t i = 0; i < n; i++)
        odp_doc_add(d, entries, p[i].carried != NULL ? json_deep_copy(p[i].carried) : make_entry(d, s, c, &p[i], a));
    return entries;
}

static json_t *make_meta(struct odp_doc *d, const struct odp_catalog *c, const json_t *entries)
{
    const char *newest = "";
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const char *date = json_string_value(json_object_get(json_array_get(entries, i), "last_update"));
        newest = date != NULL && strcmp(date, newest) > 0 ? date : newest;
    }
    json_t *o = json_object();
    odp_doc_set(d, o, "title", odp_doc_text(&c->portal.title));
    odp_doc_set(d, o, "publisher", odp_doc_text(&c->portal.publisher));
    odp_doc_set(d, o, "legal_basis", odp_doc_text(&c->portal.legal_basis));
    odp_doc_set_str(d, o, "release", c->nreleases > 0 ? c->releases[0].version : "");
    odp_doc_set(d, o, "release_date", c->nreleases > 0 ? json_string(c->releases[0].date) : json_null());
    odp_doc_set(d, o, "total", json_integer((json_int_t)json_array_size(entries)));
    odp_doc_set(d, o, "last_update", newest[0] != '\0' ? json_string(newest) : json_null());
    return o;
}

static enum odp_status put_index(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries)
{
    struct odp_doc d = {false};
    struct odp_buffer out;
    json_t *meta = make_meta(&d, c, entries);
    enum odp_status status = d.failed ? ODP_FAIL : ODP_OK;
    odp_buffer_init(&out);
    odp_buffer_add_str(&out, "{\"data\":[");
    for (size_t i = 0; i < json_array_size(entries) && status == ODP_OK; i++) {
        odp_buffer_add_str(&out, i == 0 ? "\n" : ",\n");
        status = odp_doc_print(&out, json_array_get(entries, i), ODP_DOC_LINE);
    }
    odp_buffer_add_str(&out, json_array_size(entries) > 0 ? "\n],\"status\":\"success\",\"meta\":"
                                                          : "],\"status\":\"success\",\"meta\":");
    if (status == ODP_OK)
        status = odp_doc_print(&out, meta, ODP_DOC_LINE);
    odp_buffer_add_str(&out, ",\"links\":{\"self\":\"index.json\"}}\n");
    if (status == ODP_OK)
        status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_stage_put(s, "v1/index.json", "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    json_decref(meta);
    return status;
}

json_t *odp_release_entries(const struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p, size_t n)
{
    struct odp_arena arena;
    struct odp_doc d = {false};
    odp_arena_init(&arena);
    json_t *entries = make_entries(&d, s, c, p, n, &arena);
    odp_arena_release(&arena);
    if (!d.failed && entries != NULL)
        return entries;
    (void)odp_failure_set("write JSON", "v1/index.json", 0);
    json_decref(entries);
    return NULL;
}

enum odp_status odp_release_index(struct odp_stage *s, const struct odp_catalog *c, const struct odp_published *p, size_t n)
{
    json_t *entries = odp_release_entries(s, c, p, n);
    enum odp_status status = entries != NULL ? put_index(s, c, entries) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_release_package(s, c, entries);
    json_decref(entries);
    return status;
}
