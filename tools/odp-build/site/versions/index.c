/* v1/index.json: the catalogue of the site, one entry a line, in the envelope. Links are relative to it.
 *
 * `download` is of the first resource; resources[].files has all. Profiles and scorecards are files of the
 * site, not of the index. */
#include "base/json.h"
#include "published/history.h"
#include "site/versions/versions_internal.h"

/* ---- one resource ---- */

/* The downloads of JOB's resource and version (and slice, if any) under links that begin with ROOT; DOWNLOAD
 * (if not NULL) gets the first of each format. */
static json_t *make_files(const struct odp_stage *s, const struct odp_emit_job *job, const char *root,
                          json_t *download, struct odp_arena *a)
{
    json_t *files = json_array();
    for (size_t k = 0; k < ODP_FORMAT_FILES; k++) {
        const struct odp_format_file *format = &odp_format_files[k];
        const char *path = odp_emit_data_path(job, format->extension, a);
        const struct odp_site_file *f = odp_stage_find(s, path);
        if (f == NULL)
            continue;
        odp_add(files, json_pack("{s:s, s:s, s:s+, s:s, s:I, s:o}", "format", format->format, "name",
                                 format->name, "url", root, path, "media_type", f->media_type, "bytes",
                                 (json_int_t)f->size, "hash", odp_doc_digest(f->sha256)));
        if (download != NULL && json_object_get(download, format->format) == NULL)
            odp_set(download, format->format, json_sprintf("%s%s", root, path));
    }
    return files;
}

/* odp:slices: what there is for each value. Nothing is set where there are none. */
static void set_slices(json_t *resource, const struct odp_stage *s, const struct odp_emit_job *of,
                       const struct odp_published_resource *p, struct odp_arena *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->nslices; i++) {
        const struct odp_slice_result *slice = &p->slices[i];
        struct odp_emit_job job = *of;
        job.slice = slice->path;
        odp_add(list, json_pack("{s:s, s:o, s:o*, s:I, s:o}", "field", slice->field, "value",
                                odp_doc_slice(slice->value), "label",
                                odp_text_is_empty(&slice->label) ? NULL : odp_doc_text(&slice->label), "rows",
                                (json_int_t)slice->rows, "files", make_files(s, &job, "../", NULL, a)));
    }
    if (p->nslices > 0)
        odp_set(resource, "slices", json_incref(list));
    json_decref(list);
}

/* The list of the PDF files that the records name (odp:document), where there are any. */
static void set_documents(json_t *resource, const struct odp_stage *s, const struct odp_emit_job *job,
                          struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    const char *path = odp_arena_printf(a, "data/%s/%s/documents%s%s.json", r->dataset->slug, job->version,
                                        r->primary ? "" : "-", r->primary ? "" : r->name);
    if (odp_stage_find(s, path) != NULL)
        odp_set(resource, "documents", json_sprintf("../%s", path));
}

/* odp:charts: those that have figures in this version. Nothing is set where none is declared. */
static void set_charts(json_t *resource, const struct odp_stage *s, const struct odp_emit_job *job,
                       struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    json_t *list = json_array();
    for (size_t i = 0; i < r->ncharts; i++) {
        const struct odp_chart *c = &r->charts[i];
        const char *data = odp_emit_chart_path(job, c, ".json", a);
        json_t *pictures[] = {json_object(), json_object()}; /* empty: there was nothing to draw */
        for (int k = 0; k < 2 * ODP_LANGS; k++) {
            const int lang = k % ODP_LANGS, sheet = k / ODP_LANGS;
            const char *path = odp_emit_chart_path(job, c, odp_chart_extensions[sheet][lang], a);
            if (odp_stage_find(s, path) != NULL)
                odp_set(pictures[sheet], odp_lang_code((enum odp_lang)lang), json_sprintf("../%s", path));
        }
        const char *image = odp_emit_chart_path(job, c, ".png", a);
        json_t *beside = odp_stage_find(s, image) != NULL ? json_sprintf("../%s", image) : NULL;
        if (odp_stage_find(s, data) != NULL)
            odp_add(list,
                    json_pack("{s:s, s:s, s:o, s:O, s:O, s:O*, s:s+}", "name", c->name, "type",
                              odp_chart_type_names[c->type], "title", odp_doc_text(&c->title), "svg",
                              pictures[0], "narrow", pictures[1], "image", beside, "data", "../", data));
        json_decref(beside);
        json_decref(pictures[0]);
        json_decref(pictures[1]);
    }
    if (r->ncharts > 0)
        odp_set(resource, "charts", json_incref(list));
    json_decref(list);
}

static uint64_t count_pages(const struct odp_stage *s, const struct odp_published_resource *r,
                            const char *version, struct odp_arena *a)
{
    uint64_t n = r->pages;
    if (n == 0)
        while (odp_stage_find(s, odp_emit_page_path(r->resource, version, ++n + 1, a)) != NULL)
            continue;
    return n;
}

static json_t *make_resource(const struct odp_stage *s, const struct odp_catalog *c,
                             const struct odp_published_resource *p, const char *version, struct odp_arena *a)
{
    const struct odp_resource *r = p->resource;
    const struct odp_emit_job job = {.catalog = c, .resource = r, .version = version};
    json_t *download = json_object(), *files = make_files(s, &job, "../", download, a);
    json_t *o =
        json_pack("{s:s, s:o, s:o, s:s, s:s+, s:o, s:o, s:I, s:I, s:o, s:b}", "name", r->name, "package_name",
                  json_sprintf(ODP_RESOURCE_NAME, ODP_RESOURCE_NAME_ARGS(r)), "title",
                  odp_doc_text(odp_text_is_empty(&r->title) && r->primary ? &r->dataset->title : &r->title),
                  "api", odp_emit_api_path(r, a) + strlen("v1/"), "schema", "../",
                  odp_schema_path(r, version, a), "download", download, "files", files, "rows",
                  (json_int_t)p->rows, "pages", (json_int_t)count_pages(s, p, version, a), "digest",
                  odp_doc_digest(p->logical), "geometry", (int)p->has_geometry);
    if (r->deprecated != NULL) {
        odp_set_copy(o, r->json, "odp:deprecated");
        odp_set_copy(o, r->json, "odp:sunset");
        odp_set_copy(o, r->json, "odp:replacedBy");
        if (r->replaced_by != NULL) /* of an edition, the name that it is published under */
            odp_set_str(o, "odp:replacedBy", r->replaced_by);
    }
    if (r->edition != NULL)
        odp_set_str(o, "edition", r->edition);
    if (p->has_bbox)
        odp_set(o, "bbox", odp_doc_bbox(p->bbox));
    set_documents(o, s, &job, a);
    set_charts(o, s, &job, a);
    set_slices(o, s, &job, p, a);
    return o;
}

/* ---- one dataset ---- */

/* The dataset's own licence, or the portal's. */
static json_t *make_license(const struct odp_portal *p, const struct odp_dataset *ds)
{
    const json_t *own = json_array_get(json_object_get(ds->json, "licenses"), 0);
    return own != NULL ? json_deep_copy(own)
                       : json_pack("{s:s, s:o, s:s}", "name", odp_or_empty(p->license_name), "title",
                                   odp_doc_text(&p->license_title), "path", odp_or_empty(p->license_path));
}

/* What is about to go, of all resources. */
static void set_deprecated_fields(json_t *entry, const struct odp_dataset *ds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ds->nresources; i++)
        for (uint32_t k = 0; k < ds->resources[i].schema.n; k++) {
            const struct odp_field *f = &ds->resources[i].schema.fields[k];
            if (f->deprecated != NULL && f->is_public)
                odp_add(list, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "resource", ds->resources[i].name,
                                        "field", f->name, "deprecated", f->deprecated, "sunset",
                                        f->sunset != NULL ? f->sunset : "", "replacedBy", f->replaced_by));
        }
    if (json_array_size(list) > 0)
        odp_set(entry, "deprecated_fields", json_incref(list));
    json_decref(list);
}

/* Satu Data metadata and what else describes the dataset to its users. */
static void copy_metadata(json_t *entry, const struct odp_dataset *ds)
{
    static const char *const keys[] = {"keywords",       "odp:keywords",   "contributors", "odp:contact",
                                       "sources",        "odp:theme",      "odp:spatial",  "odp:temporal",
                                       "odp:note",       "odp:deprecated", "odp:sunset",   "odp:replacedBy",
                                       "odp:formerSlugs"};
    const char *key;
    json_t *value, *subjects = json_array();
    for (size_t i = 0; i < ODP_COUNT(keys); i++)
        odp_set_copy(entry, ds->json, keys[i]);
    json_object_foreach((json_t *)(uintptr_t)ds->json, key, value) /* reads only */
        if (strncmp(key, "sdi:", 4) == 0) odp_set(entry, key, json_deep_copy(value));
    set_deprecated_fields(entry, ds);
    for (size_t k = 0; k < ds->nsubjects; k++)
        odp_add(subjects, json_string(ds->subjects[k]->name));
    if (ds->nsubjects > 0)
        odp_set(entry, "subjects", json_incref(subjects));
    json_decref(subjects);
}

enum odp_status odp_dataset_digest(const char *const *names, const uint8_t (*digests)[ODP_SHA256_SIZE],
                                   size_t n, uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_buffer all = {0};
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
    uint8_t(*digests)[ODP_SHA256_SIZE] = odp_arena_array(a, n + 1, sizeof *digests),
    whole[ODP_SHA256_SIZE] = {0};
    for (size_t i = 0; i < n; i++) {
        names[i] = p->resources[i].resource->name;
        memcpy(digests[i], p->resources[i].logical, sizeof digests[i]);
    }
    a->failed = odp_dataset_digest(names, (const uint8_t(*)[ODP_SHA256_SIZE])digests, n, whole) != ODP_OK ||
                a->failed;
    return odp_doc_digest(whole);
}

void odp_release_list_versions(json_t *entry, const struct odp_history *h)
{
    enum { SHOWN = 12 }; /* the newest versions here, all of them in versions.json */
    static const char *const keys[] = {"version", "date",       "state",  "digest",
                                       "rows",    "correction", "reason", "stands_in"};
    json_t *list = json_array();
    for (size_t i = 0; i < h->n && i < SHOWN; i++) {
        json_t *o = json_object();
        for (size_t k = 0; k < ODP_COUNT(keys); k++)
            odp_set_copy(o, h->versions[i].json, keys[k]);
        odp_add(list, o);
    }
    odp_set(entry, "versions", list);
    odp_set_number(entry, "versions_total", (json_int_t)h->n);
    odp_set(entry, "versions_url", json_sprintf("../data/%s/versions.json", h->slug));
}

/* ---- versions.json ---- */

json_t *odp_release_version(const struct odp_stage *s, const struct odp_catalog *c,
                            const struct odp_published *p)
{
    struct odp_arena arena = {0};
    json_t *resources = json_array();
    json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:s}", "version", p->version, "date",
                          p->date != NULL ? p->date : p->version, "state", "published", "digest",
                          make_digest(p, &arena), "release", c->nreleases > 0 ? c->releases[0].version : "");
    for (size_t i = 0; i < p->dataset->nresources; i++) {
        const struct odp_published_resource *r = &p->resources[i];
        const struct odp_emit_job job = {.catalog = c, .resource = r->resource, .version = p->version};
        odp_add(resources, json_pack("{s:s, s:I, s:o, s:s+, s:o}", "name", r->resource->name, "rows",
                                     (json_int_t)r->rows, "digest", odp_doc_digest(r->logical), "schema",
                                     "../../", odp_schema_path(r->resource, p->version, &arena), "files",
                                     make_files(s, &job, "../../", NULL, &arena)));
    }
    odp_set_copy(o, json_array_get(resources, 0), "rows");
    odp_set(o, "resources", resources);
    odp_arena_release(&arena);
    return o;
}

/* Links of the index begin with ../, those of versions.json with ../../. */
static json_t *deeper(const json_t *o, const char *key)
{
    return json_sprintf("../%s", odp_text_of(o, key));
}

json_t *odp_release_version_of(const json_t *entry)
{
    const json_t *from, *file;
    json_t *list = json_array();
    size_t i, k;
    if (json_object_get(entry, "version") == NULL || json_object_get(entry, "digest") == NULL ||
        json_object_get(entry, "last_update") == NULL) {
        json_decref(list);
        return NULL;
    }
    json_t *o = json_pack("{s:O, s:O, s:s, s:O, s:O*}", "version", json_object_get(entry, "version"), "date",
                          json_object_get(entry, "last_update"), "state", "published", "digest",
                          json_object_get(entry, "digest"), "rows", json_object_get(entry, "rows"));
    json_array_foreach(json_object_get(entry, "resources"), i, from)
    {
        json_t *to = json_object(), *copies = json_array();
        odp_set_copy(to, from, "name");
        odp_set_copy(to, from, "rows");
        odp_set_copy(to, from, "digest");
        odp_set(to, "schema", deeper(from, "schema"));
        json_array_foreach(json_object_get(from, "files"), k, file)
        {
            json_t *copy = json_copy((json_t *)(uintptr_t)file);
            odp_set(copy, "url", deeper(file, "url"));
            odp_add(copies, copy);
        }
        odp_set(to, "files", copies);
        odp_add(list, to);
    }
    odp_set(o, "resources", list);
    return o;
}

/* ---- the index ---- */

static const char *kind_of(const struct odp_dataset *d)
{
    return d->reference ? "code-list" : "dataset";
}

/* What is carried over of a site that did not publish code lists is told apart, too. */
static json_t *carried_entry(const struct odp_published *p)
{
    json_t *o = json_copy((json_t *)(uintptr_t)p->carried); /* reads only; nobody changes what is in it */
    odp_set_str(o, "kind", kind_of(p->dataset));
    return o;
}

static json_t *make_entry(const struct odp_stage *s, const struct odp_catalog *c,
                          const struct odp_published *p, struct odp_arena *a)
{
    const struct odp_dataset *ds = p->dataset;
    const json_t *producer = json_object_get(ds->json, "sdi:produsenData");
    json_t *resources = json_array(), *formats = json_array();
    for (size_t i = 0; i < ds->formats.n; i++)
        odp_add(formats, odp_doc_slice(ds->formats.item[i]));
    for (size_t i = 0; i < ds->nresources; i++)
        odp_add(resources, make_resource(s, c, &p->resources[i], p->version, a));
    const json_t *first = json_array_get(resources, 0);
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s?, s:s, s:o, s:O?, s:s+}", "slug", ds->slug,
                  "kind", kind_of(ds), "name", odp_text_get(&ds->title, ODP_LANG_EN), "title",
                  odp_doc_text(&ds->title), "description", odp_doc_text(&ds->description), "formats", formats,
                  "last_update", odp_doc_slice(odp_emit_version_date(p->date != NULL ? p->date : p->version)),
                  "version", p->version, "frequency", ds->frequency, "state", odp_dataset_states[ds->state],
                  "license", make_license(&c->portal, ds), "producer", producer, "api", ds->slug, ".json");
    odp_set_copy(o, first, "download");
    odp_set_copy(o, first, "rows");
    odp_set_copy(o, first, "bbox");
    odp_set(o, "digest", make_digest(p, a));
    odp_set(o, "resources", resources);
    if (ds->draft)
        odp_set(o, "draft", json_true());
    if (ds->places)
        odp_set(o, "places", json_true());
    if (ds->nresources > 0 && odp_boundaries_of(&ds->resources[0]) != NULL)
        odp_set_str(o, "boundaries_of", odp_boundaries_of(&ds->resources[0])->dataset->slug);
    if (p->history != NULL)
        odp_release_list_versions(o, p->history);
    copy_metadata(o, ds);
    return o;
}

json_t *odp_release_entries(const struct odp_stage *s, const struct odp_catalog *c,
                            const struct odp_published *p, size_t n)
{
    struct odp_arena arena = {0};
    json_t *entries = json_array();
    for (size_t i = 0; i < n; i++)
        odp_add(entries, p[i].carried != NULL ? carried_entry(&p[i]) : make_entry(s, c, &p[i], &arena));
    odp_arena_release(&arena);
    return entries;
}

static json_t *make_meta(const struct odp_catalog *c, const json_t *entries)
{
    static const struct odp_release none = {.version = ""};
    const struct odp_release *release = c->nreleases > 0 ? &c->releases[0] : &none;
    const char *newest = "";
    const json_t *entry;
    size_t i;
    json_array_foreach(entries, i, entry) if (strcmp(odp_text_of(entry, "last_update"), newest) > 0) newest =
        odp_text_of(entry, "last_update");
    return json_pack("{s:o, s:o, s:o, s:s, s:s?, s:I, s:s?, s:o*}", "title", odp_doc_text(&c->portal.title),
                     "publisher", odp_doc_text(&c->portal.publisher), "legal_basis",
                     odp_doc_text(&c->portal.legal_basis), "release", release->version, "release_date",
                     release->date, "total", (json_int_t)json_array_size(entries), "last_update",
                     newest[0] != '\0' ? newest : NULL, "preview", c->preview ? json_true() : NULL);
}

static enum odp_status put_index(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries)
{
    struct odp_buffer out = {0};
    const json_t *entry;
    json_t *meta = make_meta(c, entries);
    enum odp_status status = ODP_OK;
    size_t i;
    odp_buffer_add_str(&out, "{\"data\":[");
    json_array_foreach(entries, i, entry)
    {
        odp_buffer_add_str(&out, i == 0 ? "\n" : ",\n");
        if (status == ODP_OK)
            status = odp_doc_print(&out, entry, ODP_DOC_LINE);
    }
    odp_buffer_add_str(&out, json_array_size(entries) > 0 ? "\n" : "");
    odp_buffer_add_str(&out, "],\"status\":\"success\",\"meta\":");
    if (status == ODP_OK)
        status = odp_doc_print(&out, meta, ODP_DOC_LINE);
    odp_buffer_add_str(&out, ",\"links\":{\"self\":\"index.json\"}}\n");
    if (status == ODP_OK)
        status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status =
            odp_stage_put(s, "v1/index.json", "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    json_decref(meta);
    return status;
}

enum odp_status odp_release_index(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries)
{
    enum odp_status status = put_index(s, c, entries);
    return status == ODP_OK ? odp_release_package(s, c, entries) : status;
}
