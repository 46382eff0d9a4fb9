/* packages/index.json in order, and from it three indexes:
 *
 * - npm/<name>: the registry document of a package (https://github.com/npm/registry, package metadata), full
 *   form. npm asks for /npm/@scope%2fname.
 * - simple/: the Simple repository API of Python (PEP 503, 658, 714) as pages, the one form that a plain web
 *   server can give.
 * - packages.json and p2/<vendor>/<name>.json: a Composer repository that is read lazily (metadata-url).
 *   There is no p2/<name>~dev.json: Composer asks for it where development versions are wanted, and a 404
 *   says that there are none.
 *
 * npm and Composer need absolute addresses, from baseUrl: a site at another address needs a build, but no new
 * release. simple/ is relative. */
#include "site/clients/clients_internal.h"

#include <stdlib.h>

/* The packages of one language, in order. */
struct listing {
    const struct odp_site_job *job;
    struct odp_arena *arena;
    const json_t **list;
    size_t n;
};

static const char *name_of(const struct listing *l, size_t at)
{
    return odp_text_of(l->list[at], "name");
}

static const char *version_of(const struct listing *l, size_t at)
{
    return odp_text_of(l->list[at], "version");
}

static const char *date_of(const struct listing *l, size_t at)
{
    return odp_text_of(l->list[at], "date");
}

/* The end of the run of packages with the name of AT. */
static size_t run_end(const struct listing *l, size_t at)
{
    size_t end = at + 1;
    while (end < l->n && strcmp(name_of(l, at), name_of(l, end)) == 0)
        end++;
    return end;
}

/* The manifest of the package at AT with its name and version. */
static json_t *make_version(const struct listing *l, size_t at)
{
    json_t *o = json_deep_copy(json_object_get(l->list[at], "manifest"));
    odp_set_str(o, "name", name_of(l, at));
    odp_set_str(o, "version", version_of(l, at));
    return o;
}

/* ---- npm ---- */

static enum odp_status put_npm(const struct listing *l)
{
    const char *base = l->job->catalog->portal.base_url, *midnight = "T00:00:00.000Z";
    enum odp_status status = ODP_OK;
    for (size_t i = 0, end; i < l->n && status == ODP_OK; i = end) {
        const char *name = name_of(l, i);
        const json_t *manifest = json_object_get(l->list[i], "manifest");
        json_t *versions = json_object();
        end = run_end(l, i);
        json_t *time = json_pack("{s:s+, s:s+}", "created", date_of(l, end - 1), midnight, "modified",
                                 date_of(l, i), midnight);
        for (size_t k = end; k-- > i;) {
            json_t *o = make_version(l, k);
            odp_set(o, "_id", json_sprintf("%s@%s", name, version_of(l, k)));
            odp_set(o, "dist",
                    json_pack("{s:s, s:s, s:s+}", "integrity", odp_text_of(l->list[k], "integrity"), "shasum",
                              odp_text_of(l->list[k], "sha1"), "tarball", base,
                              odp_text_of(l->list[k], "file")));
            odp_set(versions, version_of(l, k), o);
            odp_set(time, version_of(l, k), json_sprintf("%s%s", date_of(l, k), midnight));
        }
        json_t *o =
            json_pack("{s:s, s:s, s:O*, s:{s:s}, s:o, s:o, s:O*}", "_id", name, "name", name, "description",
                      json_object_get(manifest, "description"), "dist-tags", "latest", version_of(l, i),
                      "versions", versions, "time", time, "license", json_object_get(manifest, "license"));
        status = odp_doc_put_take(l->job->stage, odp_arena_printf(l->arena, "npm/%s", name), o);
    }
    return status;
}

/* ---- Composer ---- */

static enum odp_status put_composer(const struct listing *l)
{
    const char *base = l->job->catalog->portal.base_url;
    json_t *available = json_array();
    enum odp_status status = ODP_OK;
    for (size_t i = 0, end; i < l->n && status == ODP_OK; i = end) {
        const char *name = name_of(l, i);
        json_t *versions = json_array();
        end = run_end(l, i);
        for (size_t k = i; k < end; k++) {
            json_t *o = make_version(l, k);
            odp_set(o, "version_normalized", json_sprintf("%s.0", version_of(l, k)));
            odp_set(o, "dist",
                    json_pack("{s:s, s:s+, s:s}", "type", "zip", "url", base, odp_text_of(l->list[k], "file"),
                              "shasum", odp_text_of(l->list[k], "sha1")));
            odp_set(o, "time", json_sprintf("%sT00:00:00+00:00", date_of(l, k)));
            odp_add(versions, o);
        }
        odp_add(available, json_string(name));
        status = odp_doc_put_take(l->job->stage, odp_arena_printf(l->arena, "p2/%s.json", name),
                                  json_pack("{s:{s:o}}", "packages", name, versions));
    }
    json_t *o = json_pack("{s:[], s:s+, s:o}", "packages", "metadata-url", base, "p2/%package%.json",
                          "available-packages", available);
    if (status == ODP_OK)
        status = odp_doc_put_take(l->job->stage, "packages.json", json_incref(o));
    json_decref(o);
    return status;
}

/* ---- pip ---- */

/* "odp-client" for the package at AT: names that differ only in signs share a folder. */
static const char *pip_folder(const struct listing *l, size_t at)
{
    struct odp_buffer out = {0};
    client_normal(&out, name_of(l, at), '-');
    return odp_buffer_keep(&out, l->arena);
}

/* Writes a page of ITEMS (taken). */
static enum odp_status put_page_take(const struct listing *l, struct odp_templates *templates,
                                     const char *path, const char *title, json_t *items)
{
    struct odp_buffer out = {0};
    json_t *model = json_pack("{s:s, s:o}", "title", title, "items", items);
    const json_t *scope = model;
    enum odp_status status =
        odp_templates_render(templates, "python/simple/index.html", ODP_LANG_EN, &scope, 1, &out);
    if (status == ODP_OK)
        status = odp_stage_put(l->job->stage, path, "text/html; charset=utf-8", ODP_CLASS_PUBLIC,
                               odp_buffer_slice(&out));
    json_decref(model);
    odp_buffer_release(&out);
    return status;
}

/* PEP 714's attribute alone: pip before 23.2 reads the older one (data-dist-info-metadata), and then refuses
 * a name in another spelling. */
static json_t *make_item(const json_t *package)
{
    const char *file = odp_text_of(package, "file"), *name = strrchr(file, '/');
    return json_pack("{s:o, s:s, s:s, s:s}", "href",
                     json_sprintf("../../%s#sha256=%s", file, odp_text_of(package, "sha256")), "name",
                     name != NULL ? name + 1 : file, "requires", odp_text_of(package, "requires_python"),
                     "metadata", odp_text_of(package, "metadata"));
}

static enum odp_status put_pip(const struct listing *l)
{
    struct odp_templates *templates = NULL;
    json_t *root = json_array(), *folders = json_object(), *items; /* by folder, in order of appearance */
    const char *folder;
    enum odp_status status = client_templates_open(&templates, NULL, l->arena, l->job->diags);
    for (size_t i = 0; i < l->n; i++) {
        folder = pip_folder(l, i);
        if (json_object_get(folders, folder) == NULL)
            odp_set(folders, folder, json_array());
        odp_add(json_object_get(folders, folder), make_item(l->list[i]));
    }
    json_object_foreach(folders, folder, items)
    {
        odp_add(root, json_pack("{s:s+, s:s}", "href", folder, "/", "name", folder));
        if (status == ODP_OK)
            status = put_page_take(l, templates, odp_arena_printf(l->arena, "simple/%s/index.html", folder),
                                   folder, json_incref(items));
    }
    if (status == ODP_OK)
        status = put_page_take(l, templates, "simple/index.html", "Python packages", json_incref(root));
    json_decref(root);
    json_decref(folders);
    odp_templates_close(templates);
    return status;
}

/* ---- packages/index.json ---- */

static int language_of(const json_t *package)
{
    int l = 0;
    while (l < ODP_CLIENT_LANGUAGES &&
           strcmp(odp_text_of(package, "language"), client_languages[l].name) != 0)
        l++;
    return l; /* ODP_CLIENT_LANGUAGES: from a newer program; kept, in no index */
}

static int newest_first(const char *a, const char *b)
{
    uint64_t x[3] = {0}, y[3] = {0};
    (void)odp_release_numbers(a, x);
    (void)odp_release_numbers(b, y);
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? 1 : -1;
    return strcmp(b, a);
}

static int in_order(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    int c = language_of(x) - language_of(y);
    if (c == 0)
        c = strcmp(odp_text_of(x, "language"), odp_text_of(y, "language"));
    if (c == 0)
        c = strcmp(odp_text_of(x, "name"), odp_text_of(y, "name"));
    return c != 0 ? c : newest_first(odp_text_of(x, "version"), odp_text_of(y, "version"));
}

static enum odp_status put_list(const struct listing *all)
{
    const struct odp_client_names names = odp_client_names(all->job->catalog, all->arena);
    json_t *current = json_object(), *packages = json_array();
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        odp_set_str(current, client_languages[l].name, names.package[l]);
    for (size_t i = 0; i < all->n; i++)
        odp_add(packages, json_incref((json_t *)(uintptr_t)all->list[i])); /* only counts a reference */
    return odp_doc_put_take(all->job->stage, CLIENT_INDEX,
                            json_pack("{s:o, s:o}", "current", current, "packages", packages));
}

enum odp_status client_index_write(json_t *packages, const struct odp_site_job *job)
{
    static enum odp_status (*const writers[ODP_CLIENT_LANGUAGES])(const struct listing *) = {
        [ODP_CLIENT_JAVASCRIPT] = put_npm, [ODP_CLIENT_PYTHON] = put_pip, [ODP_CLIENT_PHP] = put_composer};
    struct odp_arena arena = {0};
    struct listing all = {.job = job, .arena = &arena, .n = json_array_size(packages)};
    all.list = odp_arena_array(&arena, all.n + 1, sizeof *all.list);
    for (size_t i = 0; i < all.n; i++)
        all.list[i] = json_array_get(packages, i);
    if (all.n > 1)
        qsort(all.list, all.n, sizeof *all.list, in_order);
    enum odp_status status = put_list(&all);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++) {
        struct listing one = {.job = job, .arena = &arena, .list = all.list, .n = 0};
        while (one.list < all.list + all.n && language_of(*one.list) != l)
            one.list++;
        while (one.list + one.n < all.list + all.n && language_of(one.list[one.n]) == l)
            one.n++;
        if (one.n > 0)
            status = writers[l](&one);
    }
    odp_arena_release(&arena);
    return status;
}
