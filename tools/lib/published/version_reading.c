#include "published/version_reading.h"

#include "base/json_load.h"
#include "published/stage.h"

enum { SCHEMA_MAX = 64 << 20, HEADER_MAX = 1 << 20, PAGES_MAX = 10000000 };

/* One resource of one version, and where its parts are. */
struct target {
    const struct odp_site *site;
    const json_t *resource;
    struct odp_arena *a;
    struct odp_diags *diags;
    const char *schema; /* "data/<slug>/<version>/schema[-<resource>].json" */
    const char *slug, *version,
        *further; /* FURTHER: the resource's name where it is not the first, else NULL */
};

const char *odp_version_path(const char *url)
{
    if (url == NULL || strncmp(url, "../../", 6) != 0 || !odp_site_path_ok(url + 6))
        return NULL;
    return url + 6;
}

static enum odp_status complain(const struct target *t, const char *path, const char *expected)
{
    return odp_site_complain(t->diags, odp_site_shown(t->site), path, expected);
}

/* Takes the schema's path apart. BAD: versions.json is not ours. */
static enum odp_status find_parts(struct target *t)
{
    t->schema = odp_version_path(odp_json_text(t->resource, "schema"));
    const char *slug = t->schema != NULL && strncmp(t->schema, "data/", 5) == 0 ? t->schema + 5 : NULL;
    const char *version = slug != NULL ? strchr(slug, '/') : NULL,
               *name = version != NULL ? strchr(version + 1, '/') : NULL;
    if (name == NULL || strncmp(name, "/schema", 7) != 0)
        return complain(t, "versions.json", "{\"schema\":\"../../data/…/schema.json\"}");
    t->slug = odp_arena_printf(t->a, "%.*s", (int)(version - slug), slug);
    t->version = odp_arena_printf(t->a, "%.*s", (int)(name - version - 1), version + 1);
    t->further = NULL;
    if (name[7] == '-') {
        size_t len = strlen(name + 8);
        t->further =
            odp_arena_printf(t->a, "%.*s", (int)(len > 5 ? len - 5 : 0), name + 8); /* without ".json" */
    }
    return ODP_OK;
}

/* ---- the schema ---- */

static enum odp_status open_layout(const struct target *t, struct odp_layout **out)
{
    struct odp_buffer text = {0};
    const char *why = NULL;
    const struct odp_site_file *f = odp_site_find(t->site, t->schema);
    if (f == NULL || f->size > SCHEMA_MAX)
        return complain(t, t->schema, "manifest.json");
    enum odp_status status = odp_site_read(t->site, f, &text, t->diags);
    if (status == ODP_OK) {
        json_t *json = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        status = odp_layout_read(out, json, t->a, &why);
        if (status != ODP_OK) {
            *out = NULL;
            json_decref(json);
        }
        if (status == ODP_BAD)
            status = complain(t, t->schema, why != NULL ? why : "schema.json");
    }
    odp_buffer_release(&text);
    return status;
}

void odp_version_reading_close(struct odp_reading *r, struct odp_layout *layout)
{
    odp_reading_close(r);
    if (layout != NULL)
        json_decref((json_t *)(uintptr_t)layout->json); /* ours since open_layout */
}

/* ---- choosing a form ---- */

/* The file of this form, or NULL. */
static const struct odp_site_file *find_form(const struct target *t, enum odp_form form)
{
    const json_t *files = json_object_get(t->resource, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *entry = json_array_get(files, i);
        const char *name = odp_json_text(entry, "name");
        const char *path = odp_version_path(odp_json_text(entry, "url"));
        if (name != NULL && path != NULL && odp_form_find(name) == form)
            return odp_site_find(t->site, path);
    }
    return NULL;
}

/* F on this machine, checked against the manifest. */
static enum odp_status check_file(const struct target *t, const struct odp_site_file *f, const char **path)
{
    bool here = odp_site_has(t->site, f);
    enum odp_status status = odp_site_local(t->site, f, t->a, path, t->diags);
    if (status != ODP_OK || !here) /* fetching has checked it */
        return status;
    status = odp_site_intact(t->site, f, *path);
    if (status != ODP_BAD)
        return status;
    return odp_site_file_damaged(t->diags, odp_site_shown(t->site), f);
}

/* Whether the CSV at PATH carries the geometry: then its last column is lat or wkt. A wrong guess only costs
 * the comparison of geometries: the reading tells for every record. */
static enum odp_status csv_is_whole(const char *path, bool *whole)
{
    char bytes[4096];
    struct odp_reader *reader;
    size_t got = 0, total = 0, len = 0;
    char last[8] = "";
    enum odp_status status = odp_reader_open(&reader, path, NULL);
    *whole = false;
    if (status != ODP_OK)
        return status == ODP_BAD ? ODP_OK : status;
    for (bool ended = false; !ended && total < HEADER_MAX &&
                             (status = odp_reader_read(reader, bytes, sizeof bytes, &got)) == ODP_OK;
         total += got) {
        for (size_t i = 0; i < got && !ended; i++) {
            ended = bytes[i] == '\r' || bytes[i] == '\n';
            len = bytes[i] == ',' ? 0 : len;
            if (!ended && bytes[i] != ',') { /* the last three characters of the name */
                last[0] = last[1];
                last[1] = last[2];
                last[2] = bytes[i];
                len++;
            }
        }
    }
    odp_reader_close(reader);
    *whole = len >= 3 && (strcmp(last, "wkt") == 0 || strcmp(last, "lat") == 0);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* The API's pages hold the current version only; pages after the first name it. */
static void list_pages(const struct target *t, const struct odp_site_file ***files, size_t *n)
{
    const char *sep = t->further != NULL ? "/" : "", *name = t->further != NULL ? t->further : "";
    const char *current = odp_json_text(odp_site_entry(t->site, t->slug), "version");
    const char *path = odp_arena_printf(t->a, "v1/%s%s%s.json", t->slug, sep, name);
    *files = NULL;
    *n = 0;
    const struct odp_site_file *f = odp_site_find(t->site, path);
    if (current == NULL || strcmp(current, t->version) != 0)
        return;
    for (; f != NULL && *n < PAGES_MAX; (*n)++) {
        *files = odp_arena_more(t->a, *files, *n, sizeof **files);
        (*files)[*n] = f;
        path = odp_arena_printf(t->a, "v1/%s%s%s/v/%s/p/%zu.json", t->slug, sep, name, t->version, *n + 2);
        f = odp_site_find(t->site, path);
    }
}

static bool pages_are_whole(const struct odp_layout *l)
{
    const char *mode = odp_json_text(json_object_get(l->json, "odp:geometry"), "api");
    return mode == NULL || strcmp(mode, "full") == 0;
}

struct choice {
    enum odp_form form;
    const struct odp_site_file **files;
    size_t n;
};

static enum odp_status choose(const struct target *t, const struct odp_layout *l, bool need_geometry,
                              struct choice *c)
{
    bool need = need_geometry && l->has_geometry, enough = true; /* nothing else carries more */
    const struct odp_site_file *one = NULL, **pages = NULL;
    size_t npages = 0;
    for (size_t i = 0; i < ODP_FORMAT_FILES && one == NULL; i++)
        if (odp_format_files[i].form != ODP_FORM_NONE && odp_format_files[i].form != ODP_FORM_CSV)
            one = find_form(t, c->form = odp_format_files[i].form);
    if (one == NULL) {
        c->form = ODP_FORM_CSV;
        one = find_form(t, ODP_FORM_CSV);
        list_pages(t, &pages, &npages);
        enum odp_status status = ODP_OK;
        const char *path = NULL;
        if (one != NULL && need && npages > 0 && pages_are_whole(l)) {
            status = odp_site_local(t->site, one, t->a, &path, t->diags);
            if (status == ODP_OK)
                status = csv_is_whole(path, &enough);
        }
        if (status != ODP_OK)
            return status;
    }
    if (one == NULL || !enough) {
        *c = (struct choice){ODP_FORM_PAGES, pages, npages};
        return ODP_OK;
    }
    c->files = odp_arena_array(t->a, 1, sizeof *c->files);
    c->files[0] = one;
    c->n = 1;
    return ODP_OK;
}

static enum odp_status open_records(const struct target *t, const struct odp_layout *l, bool need_geometry,
                                    struct odp_reading **out)
{
    struct choice c = {0};
    enum odp_status status = choose(t, l, need_geometry, &c);
    if (status == ODP_OK && c.n == 0)
        status = complain(t, t->schema, "JSON, GeoJSON, CSV, v1/…");
    const char **paths = odp_arena_array(t->a, c.n, sizeof *paths);
    for (size_t i = 0; i < c.n && status == ODP_OK; i++)
        status = check_file(t, c.files[i], &paths[i]);
    if (status != ODP_OK)
        return status;
    status = odp_reading_open(out, c.form, l, paths, c.n);
    if (status != ODP_BAD)
        return status;
    status = complain(t, c.files[0]->path, *out != NULL ? odp_reading_fault(*out) : "");
    odp_reading_close(*out);
    *out = NULL;
    return status;
}

enum odp_status odp_version_is_readable(const struct odp_site *site, const json_t *resource,
                                        struct odp_arena *a, struct odp_diags *diags, bool *readable)
{
    struct target t = {.site = site, .resource = resource, .a = a, .diags = diags};
    const struct odp_site_file **pages = NULL;
    size_t n = 0;
    *readable = false;
    enum odp_status status = find_parts(&t);
    for (size_t i = 0; i < ODP_FORMAT_FILES && status == ODP_OK; i++)
        *readable = *readable || (odp_format_files[i].form != ODP_FORM_NONE &&
                                  find_form(&t, odp_format_files[i].form) != NULL);
    if (status == ODP_OK && !*readable)
        list_pages(&t, &pages, &n);
    *readable = *readable || n > 0;
    return status;
}

enum odp_status odp_version_reading_complain(const struct odp_reading *r, const struct odp_site *site,
                                             const json_t *resource, struct odp_diags *diags)
{
    const char *path = odp_version_path(odp_json_text(resource, "schema"));
    const char *fault = r != NULL ? odp_reading_fault(r) : "";
    if (fault[0] == '\0')
        return ODP_BAD;
    return odp_site_complain(diags, odp_site_shown(site), path != NULL ? path : "versions.json", fault);
}

enum odp_status odp_version_layout_open(struct odp_layout **layout, const struct odp_site *site,
                                        const json_t *resource, struct odp_arena *a, struct odp_diags *diags)
{
    struct target t = {.site = site, .resource = resource, .a = a, .diags = diags};
    *layout = NULL;
    enum odp_status status = find_parts(&t);
    return status == ODP_OK ? open_layout(&t, layout) : status;
}

enum odp_status odp_version_reading_open(struct odp_reading **out, struct odp_layout **layout,
                                         const struct odp_version_source *v, struct odp_arena *a,
                                         struct odp_diags *diags)
{
    struct target t = {.site = v->site, .resource = v->resource, .a = a, .diags = diags};
    *out = NULL;
    *layout = NULL;
    enum odp_status status = find_parts(&t);
    if (status == ODP_OK)
        status = open_layout(&t, layout);
    if (status == ODP_OK)
        status = open_records(&t, *layout, v->need_geometry, out);
    if (status != ODP_OK) {
        odp_version_reading_close(*out, *layout);
        *out = NULL;
        *layout = NULL;
    }
    return status;
}
