/* The lists of versions against index and manifest; tombstones. What is to be read back is collected on the
 * way.
 *
 * data/<slug>/versions.json says what every version is made of. A site from before there were such lists has
 * the current version's entry in the index alone, which has the same members. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "site/versions/names.h"
#include "published/doc.h"
#include "published/reading.h"
#include "published/stage.h"

/* One list of versions while it is checked. */
struct list {
    struct verify *v;
    struct verify_work *work;
    const char *slug, *base; /* of the dataset; path of the file that its addresses are relative to */
    const json_t *entry;     /* of the index, or NULL: no longer published */
    const json_t *versions;  /* array, newest first */
};
/* One resource of one version. */
struct part {
    struct list *list;
    const char *version, *name;
    const json_t *json;
    char label[160]; /* "2024-03-15 kumuh" for messages */
};

/* ---- small things ---- */

static const char *string_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static enum odp_status disagree(const struct list *l, const char *label, const char *member,
                                const char *expected, const char *found)
{
    char detail[220];
    snprintf(detail, sizeof detail, "%s%s%s", label, *label != '\0' ? " " : "", member);
    return verify_fault(l->v, ODP_V67, l->base, detail, expected, found);
}

/* The site's path of relative URL in BASE; "" where it leads nowhere. Addresses in these lists hold no
 * characters that would have to be encoded (emit's paths). */
static char *resolve(const char *base, const char *url, struct odp_arena *a)
{
    size_t n = strrchr(base, '/') != NULL ? (size_t)(strrchr(base, '/') - base) + 1 : 0;
    while (strncmp(url, "../", 3) == 0) {
        url += 3;
        if (n == 0)
            return odp_arena_str(a, "");
        for (n--; n > 0 && base[n - 1] != '/'; n--)
            ;
    }
    return odp_arena_printf(a, "%.*s%s", (int)n, base, url);
}

/* The file that member KEY of O is the address of; reported where the manifest has none. *FILE NULL: none. */
static enum odp_status find_file(const struct list *l, const char *label, const json_t *o, const char *key,
                                 struct verify_file **file)
{
    const char *url = string_of(o, key);
    *file = url != NULL ? verify_find(l->v, resolve(l->base, url, l->v->arena)) : NULL;
    return *file != NULL ? ODP_OK : disagree(l, label, key, NULL, url);
}

/* bytes and hash of O are those of FILE. */
static enum odp_status check_file(const struct list *l, const char *label, const json_t *o,
                                  const struct verify_file *file)
{
    uint8_t hash[ODP_SHA256_SIZE];
    char expected[ODP_DIGEST_TEXT];
    if (json_integer_value(json_object_get(o, "bytes")) != (json_int_t)file->f.size)
        return disagree(l, label, "bytes", file->f.path, NULL);
    if (odp_doc_read_digest(o, "hash", hash) && memcmp(hash, file->f.sha256, sizeof hash) == 0)
        return ODP_OK;
    odp_digest_text(file->f.sha256, expected);
    return disagree(l, label, "hash", expected, string_of(o, "hash"));
}

/* ---- what is read back ---- */

static void add_reading(const struct list *l, int form, const char *schema, const char *const *paths,
                        size_t npaths, uint64_t bytes)
{
    struct verify_work *w = l->work;
    w->readings = odp_arena_more(l->v->arena, w->readings, w->nreadings, sizeof *w->readings);
    w->readings[w->nreadings++] = (struct verify_reading){.schema = schema,
                                                          .paths = paths,
                                                          .npaths = npaths,
                                                          .form = form,
                                                          .group = w->ngroups - 1,
                                                          .bytes = bytes,
                                                          .status = ODP_DONE};
}

/* DIGEST NULL: nobody says what the content is (slices); its forms are compared with each other. */
static void add_group(const struct part *p, const json_t *rows, const uint8_t *digest)
{
    struct verify_work *w = p->list->work;
    struct odp_arena *a = p->list->v->arena;
    w->groups = odp_arena_more(a, w->groups, w->ngroups, sizeof *w->groups);
    struct verify_group *g = &w->groups[w->ngroups++];
    *g = (struct verify_group){.version = odp_arena_str(a, p->version),
                               .rows = (uint64_t)json_integer_value(rows),
                               .known = digest != NULL};
    if (digest != NULL)
        memcpy(g->digest, digest, sizeof g->digest);
}

/* The API's pages of a resource of the current version, in order. Nothing where one is not to be had. */
static enum odp_status add_pages(const struct part *p, const json_t *resource, const char *schema)
{
    struct verify *v = p->list->v;
    const char *api = string_of(resource, "api");
    json_int_t pages = json_integer_value(json_object_get(resource, "pages"));
    size_t stem = api != NULL && strlen(api) > 5 ? strlen(api) - 5 : 0; /* without ".json" */
    if (stem == 0 || pages < 1 || (uint64_t)pages > v->n)
        return disagree(p->list, p->label, "pages", NULL, api);
    const char **paths = odp_arena_array(v->arena, (size_t)pages, sizeof *paths);
    uint64_t bytes = 0;
    for (json_int_t i = 0; i < pages; i++) {
        paths[i] = i == 0 ? odp_arena_printf(v->arena, "v1/%s", api)
                          : odp_arena_printf(v->arena, "v1/%.*s/v/%s/p/%lld.json", (int)stem, api, p->version,
                                             (long long)i + 1);
        const struct verify_file *f = verify_find(v, paths[i]);
        if (f == NULL)
            return verify_fault(v, ODP_V67, "v1/index.json", p->label, paths[i], NULL);
        if (f->state != VERIFY_GOOD)
            return ODP_OK;
        bytes += f->f.size;
    }
    add_reading(p->list, ODP_FORM_PAGES, schema, paths, (size_t)pages, bytes);
    return ODP_OK;
}

/* ---- one resource of a version ---- */

static enum odp_status check_files(const struct part *p, const json_t *list, const struct verify_file *schema)
{
    struct list *l = p->list;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = string_of(o, "name");
        char label[220];
        struct verify_file *f;
        snprintf(label, sizeof label, "%s %s", p->label, name != NULL ? name : "");
        status = find_file(l, label, o, "url", &f);
        if (status == ODP_OK && f != NULL)
            status = check_file(l, label, o, f);
        enum odp_form form = odp_form_find(name);
        if (status != ODP_OK || f == NULL || form < 0 || f->state != VERIFY_GOOD || schema == NULL)
            continue;
        const char **path = odp_arena_alloc(l->v->arena, sizeof *path);
        *path = f->f.path;
        add_reading(l, form, schema->f.path, path, 1, f->f.size);
    }
    return status;
}

/* The file of form NAME of this resource in VERSION; NULL: none. */
static enum odp_status old_file(const struct part *p, const char *version, const char *name,
                                struct verify_file **file)
{
    const struct list *l = p->list;
    size_t i, k, m;
    const json_t *one, *resource, *f;
    *file = NULL;
    json_array_foreach(l->versions, i, one)
    {
        const char *its = string_of(one, "version");
        if (its == NULL || strcmp(its, version) != 0)
            continue;
        json_array_foreach(json_object_get(one, "resources"), k, resource)
        {
            const char *resource_name = string_of(resource, "name");
            if (resource_name == NULL || strcmp(resource_name, p->name) != 0)
                continue;
            json_array_foreach(json_object_get(resource, "files"), m, f)
            {
                const char *file_name = string_of(f, "name");
                if (file_name != NULL && strcmp(file_name, name) == 0)
                    return find_file(l, p->label, f, "url", file);
            }
        }
    }
    return ODP_OK;
}

static enum odp_status check_delta(const struct part *p, const json_t *o)
{
    struct list *l = p->list;
    struct verify_work *w = l->work;
    struct verify_file *delta, *from = NULL, *to = NULL;
    const char *name = string_of(o, "name"), *version = string_of(o, "from");
    enum odp_status status = find_file(l, p->label, o, "url", &delta);
    if (status == ODP_OK && delta != NULL)
        status = check_file(l, p->label, o, delta);
    if (status == ODP_OK && (name == NULL || version == NULL))
        return disagree(l, p->label, "deltas", NULL, name);
    if (status == ODP_OK)
        status = old_file(p, version, name, &from);
    if (status == ODP_OK)
        status = old_file(p, p->version, name, &to);
    if (status != ODP_OK || delta == NULL)
        return status;
    if (from == NULL || to == NULL)
        return disagree(l, p->label, "deltas/from", version, name);
    if (delta->state != VERIFY_GOOD || from->state != VERIFY_GOOD || to->state != VERIFY_GOOD)
        return ODP_OK;
    w->deltas = odp_arena_more(l->v->arena, w->deltas, w->ndeltas, sizeof *w->deltas);
    w->deltas[w->ndeltas++] = (struct verify_delta){.path = delta->f.path,
                                                    .from = from->f.path,
                                                    .to = to->f.path,
                                                    .bytes = to->f.size,
                                                    .status = ODP_DONE};
    return ODP_OK;
}

/* The addresses of what changed are there. */
static enum odp_status check_changes(const struct part *p)
{
    static const char *const forms[] = {"json", "csv", "html"};
    const json_t *o = json_object_get(p->json, "changes");
    enum odp_status status = ODP_OK;
    struct verify_file *ignored;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && status == ODP_OK; i++)
        if (json_object_get(o, forms[i]) != NULL)
            status = find_file(p->list, p->label, o, forms[i], &ignored);
    return status;
}

/* The entry of this resource in the index, if VERSION is the current one there. */
static const json_t *index_resource(const struct part *p)
{
    const char *version = string_of(p->list->entry, "version"), *name;
    size_t i;
    const json_t *r;
    if (version == NULL || strcmp(version, p->version) != 0)
        return NULL;
    json_array_foreach(json_object_get(p->list->entry, "resources"), i,
                       r) if ((name = string_of(r, "name")) != NULL && strcmp(name, p->name) == 0) return r;
    return NULL;
}

/* What the index says of the current version beside what its list says: the same digest, rows and files;
 * slices are in the index alone. */
static enum odp_status check_in_index(const struct part *p, const json_t *resource,
                                      const struct verify_file *schema)
{
    struct list from_index = *p->list;
    struct part slice = *p;
    enum odp_status status = ODP_OK;
    size_t i;
    const json_t *o;
    from_index.base = "v1/index.json";
    slice.list = &from_index;
    if (resource != p->json) {
        const char *mine = string_of(p->json, "digest"), *its = string_of(resource, "digest");
        if (its == NULL || strcmp(mine, its) != 0)
            status = disagree(&from_index, p->label, "digest", mine, its);
        if (status == ODP_OK &&
            !json_equal(json_object_get(p->json, "rows"), json_object_get(resource, "rows")))
            status = disagree(&from_index, p->label, "rows", p->list->base, NULL);
        if (status == ODP_OK)
            status = check_files(&slice, json_object_get(resource, "files"), NULL);
    }
    json_array_foreach(json_object_get(resource, "slices"), i, o)
    {
        add_group(&slice, json_object_get(o, "rows"), NULL);
        if (status == ODP_OK)
            status = check_files(&slice, json_object_get(o, "files"), schema);
    }
    return status;
}

static enum odp_status check_resource(struct part *p, uint8_t digest[ODP_SHA256_SIZE])
{
    struct list *l = p->list;
    struct verify_file *schema = NULL;
    const json_t *deltas = json_object_get(p->json, "deltas"), *rows = json_object_get(p->json, "rows");
    if (!odp_doc_read_digest(p->json, "digest", digest) || !json_is_integer(rows) ||
        json_integer_value(rows) < 0)
        return disagree(l, p->label, "digest", "sha256:…", string_of(p->json, "digest"));
    enum odp_status status = find_file(l, p->label, p->json, "schema", &schema);
    add_group(p, rows, digest);
    if (schema != NULL && schema->state != VERIFY_GOOD)
        schema = NULL;
    if (status == ODP_OK)
        status = check_files(p, json_object_get(p->json, "files"), schema);
    const json_t *current = index_resource(p);
    if (status == ODP_OK && current != NULL && schema != NULL && l->v->o->audience == ODP_AUDIENCE_ORIGIN)
        status = add_pages(p, current, schema->f.path);
    if (status == ODP_OK && current != NULL)
        status = check_in_index(p, current, schema);
    if (status == ODP_OK)
        status = check_changes(p);
    for (size_t i = 0; i < json_array_size(deltas) && status == ODP_OK; i++)
        status = check_delta(p, json_array_get(deltas, i));
    return status;
}

/* ---- one version ---- */

static enum odp_status check_published(struct list *l, const char *version, const json_t *entry)
{
    const json_t *resources = json_object_get(entry, "resources");
    size_t n = json_array_size(resources);
    struct odp_arena *a = l->v->arena;
    const char **names = odp_arena_array(a, n + 1, sizeof *names);
    uint8_t(*digests)[ODP_SHA256_SIZE] = odp_arena_zero(a, n + 1, sizeof *digests), named[ODP_SHA256_SIZE],
    whole[ODP_SHA256_SIZE];
    enum odp_status status = ODP_OK;
    l->v->result->versions++;
    if (n == 0)
        return disagree(l, version, "resources", NULL, NULL);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct part p = {.list = l, .version = version, .json = json_array_get(resources, i)};
        p.name = names[i] = string_of(p.json, "name");
        if (p.name == NULL)
            return disagree(l, version, "resources/name", NULL, NULL);
        snprintf(p.label, sizeof p.label, "%s %s", version, p.name);
        status = check_resource(&p, digests[i]);
    }
    if (status == ODP_OK)
        status = odp_dataset_digest(names, (const uint8_t(*)[ODP_SHA256_SIZE])digests, n, whole);
    if (status == ODP_OK &&
        (!odp_doc_read_digest(entry, "digest", named) || memcmp(named, whole, sizeof whole) != 0)) {
        char expected[ODP_DIGEST_TEXT];
        odp_digest_text(whole, expected);
        status = disagree(l, version, "digest", expected, string_of(entry, "digest"));
    }
    return status;
}

static bool is_published(const json_t *entry)
{
    const char *state = string_of(entry, "state");
    return state == NULL || strcmp(state, "published") == 0;
}

/* The version that PATH belongs to, into NAME; false: none. */
static bool version_of(const char *path, const char *slug, char *name, size_t cap)
{
    const char *at;
    if (!odp_site_path_is_of(path, slug))
        return false;
    if (strncmp(path, "data/", 5) == 0)
        at = path + 5 + strlen(slug) + 1;
    else if (strncmp(path, "search/", 7) == 0)
        at = path + 7 + strlen(slug) + 1;
    else if ((at = strstr(path, "/v/")) != NULL)
        at += 3;
    size_t len = at != NULL && strchr(at, '/') != NULL ? (size_t)(strchr(at, '/') - at) : cap;
    if (len >= cap)
        return false;
    memcpy(name, at, len);
    name[len] = '\0';
    return true;
}

/* No file belongs to a version that was withdrawn or thinned out. */
static enum odp_status check_graves(struct list *l)
{
    const char **graves = odp_arena_array(l->v->arena, json_array_size(l->versions) + 1, sizeof *graves);
    size_t n = 0, i;
    const json_t *entry;
    enum odp_status status = ODP_OK;
    json_array_foreach(l->versions, i, entry) if (!is_published(entry) && string_of(entry, "version") != NULL)
        graves[n++] = string_of(entry, "version");
    if (n > 1)
        qsort(graves, n, sizeof *graves, odp_by_string);
    for (size_t k = 0; n > 0 && k < l->v->n && status == ODP_OK; k++) {
        char name[80];
        const char *key = name, *path = l->v->files[k].f.path;
        if (version_of(path, l->slug, name, sizeof name) &&
            bsearch(&key, graves, n, sizeof *graves, odp_by_string) != NULL)
            status = verify_fault(l->v, ODP_V68, path, name, NULL, NULL);
    }
    return status;
}

/* What stands in for a version that was thinned out is in the list. */
static enum odp_status check_tombstone(const struct list *l, const char *version, const json_t *entry)
{
    const char *stands_in = string_of(entry, "stands_in"), *its;
    size_t i;
    const json_t *other;
    if (stands_in == NULL)
        return ODP_OK;
    json_array_foreach(l->versions, i, other) if ((its = string_of(other, "version")) != NULL &&
                                                  strcmp(its, stands_in) == 0) return ODP_OK;
    return disagree(l, version, "stands_in", NULL, stands_in);
}

/* The index's own short list: the newest versions, as this list has them. */
static enum odp_status check_short_list(const struct list *l)
{
    static const char *const members[] = {"version", "state", "digest"};
    const json_t *total = json_object_get(l->entry, "versions_total");
    enum odp_status status = ODP_OK;
    size_t i;
    const json_t *entry;
    if (total != NULL && json_integer_value(total) != (json_int_t)json_array_size(l->versions))
        return disagree(l, "v1/index.json", "versions_total", NULL, NULL);
    json_array_foreach(json_object_get(l->entry, "versions"), i, entry)
    {
        for (size_t k = 0; k < sizeof members / sizeof *members && status == ODP_OK; k++) {
            const char *mine = string_of(json_array_get(l->versions, i), members[k]),
                       *its = string_of(entry, members[k]);
            if (mine == NULL || its == NULL || strcmp(mine, its) != 0)
                status = disagree(l, "v1/index.json versions", members[k], mine, its);
        }
    }
    return status;
}

/* What the index calls the current version is the newest that is published; there is none where the newest of
 * all was withdrawn. */
static enum odp_status check_current(const struct list *l)
{
    size_t i;
    const json_t *entry;
    const char *named = string_of(l->entry, "version"), *digest = string_of(l->entry, "digest");
    if (named == NULL && !is_published(json_array_get(l->versions, 0)))
        return ODP_OK;
    json_array_foreach(l->versions, i, entry)
    {
        const char *version = string_of(entry, "version"), *its = string_of(entry, "digest");
        if (!is_published(entry) || version == NULL)
            continue;
        if (named == NULL || strcmp(named, version) != 0)
            return disagree(l, "v1/index.json", "version", version, named);
        if (digest == NULL || its == NULL || strcmp(digest, its) != 0)
            return disagree(l, "v1/index.json", "digest", its, digest);
        return ODP_OK;
    }
    return disagree(l, "v1/index.json", "version", NULL, named);
}

static enum odp_status check_list(struct list *l)
{
    enum odp_status status = ODP_OK;
    const char *newer = NULL;
    for (size_t i = 0; i < json_array_size(l->versions) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(l->versions, i);
        const char *version = string_of(entry, "version");
        if (version == NULL || *version == '\0' || strchr(version, '/') != NULL) {
            status = disagree(l, "", "version", NULL, version);
            continue;
        }
        if (newer != NULL && odp_version_compare(newer, version) <= 0)
            status = disagree(l, version, "version", newer, version);
        newer = version;
        if (status == ODP_OK)
            status =
                is_published(entry) ? check_published(l, version, entry) : check_tombstone(l, version, entry);
    }
    if (status == ODP_OK)
        status = check_graves(l);
    if (status == ODP_OK && l->entry != NULL)
        status = check_short_list(l);
    return status == ODP_OK && l->entry != NULL ? check_current(l) : status;
}

/* ---- all datasets ---- */

/* The API's list is the public one, byte for byte. */
static enum odp_status check_twin_list(struct verify *v, const char *slug, const struct odp_site_file *list)
{
    const char *path = odp_arena_printf(v->arena, "v1/%s/versions.json", slug);
    const struct verify_file *f = verify_find(v, path);
    if (f == NULL && v->o->audience == ODP_AUDIENCE_PUBLIC)
        return ODP_OK;
    if (f != NULL && odp_site_file_same(&f->f, list))
        return ODP_OK;
    return verify_fault(v, ODP_V67, path, slug, list->path, NULL);
}

/* From data/<slug>/versions.json. */
static enum odp_status check_dataset(struct verify *v, struct verify_work *w, const char *slug,
                                     const json_t *entry, const struct verify_file *f)
{
    json_t *root = NULL;
    enum odp_status status = check_twin_list(v, slug, &f->f);
    if (status == ODP_OK && f->state == VERIFY_GOOD)
        status = verify_json(v, f, &root);
    struct list l = {.v = v,
                     .work = w,
                     .slug = slug,
                     .base = f->f.path,
                     .entry = entry,
                     .versions = json_object_get(root, "data")};
    if (status == ODP_OK && root != NULL)
        status = json_is_array(l.versions) ? check_list(&l) : disagree(&l, "", "data", NULL, NULL);
    json_decref(root);
    return status;
}

/* From the index alone: a site from before there were lists of versions. */
static enum odp_status check_entry(struct verify *v, struct verify_work *w, const char *slug,
                                   const json_t *entry)
{
    struct list l = {.v = v, .work = w, .slug = slug, .base = "v1/index.json", .entry = entry};
    const char *version = string_of(entry, "version");
    return version != NULL ? check_published(&l, version, entry) : disagree(&l, slug, "version", NULL, NULL);
}

static const json_t *index_entry(const struct verify *v, const char *slug)
{
    size_t i;
    const json_t *entry;
    const char *its;
    json_array_foreach(json_object_get(v->index, "data"), i,
                       entry) if ((its = string_of(entry, "slug")) != NULL &&
                                  strcmp(its, slug) == 0) return entry;
    return NULL;
}

/* "kumuh" of "data/kumuh/versions.json"; NULL: another file. */
static const char *slug_of_list(const char *path, struct odp_arena *a)
{
    const char *slash = strncmp(path, "data/", 5) == 0 ? strchr(path + 5, '/') : NULL;
    bool list = slash != NULL && strcmp(slash, "/versions.json") == 0;
    return list ? odp_arena_copy(a, (struct odp_slice){path + 5, (size_t)(slash - path) - 5}).ptr : NULL;
}

static enum odp_status collect(struct verify *v, struct verify_work *w)
{
    enum odp_status status = ODP_OK;
    size_t i;
    const json_t *entry;
    for (size_t k = 0; k < v->n && status == ODP_OK; k++) {
        const char *slug = slug_of_list(v->files[k].f.path, v->arena);
        if (slug != NULL && v->files[k].state != VERIFY_SKIPPED)
            status = check_dataset(v, w, slug, index_entry(v, slug), &v->files[k]);
    }
    json_array_foreach(json_object_get(v->index, "data"), i, entry)
    {
        const char *slug = string_of(entry, "slug");
        const char *path = slug != NULL ? odp_arena_printf(v->arena, "data/%s/versions.json", slug) : "";
        if (status == ODP_OK && slug == NULL)
            status = verify_fault(v, ODP_V67, "v1/index.json", "slug", NULL, NULL);
        else if (status == ODP_OK && verify_find(v, path) == NULL)
            status = check_entry(v, w, slug, entry);
    }
    return status;
}

enum odp_status verify_versions(struct verify *v)
{
    struct verify_work w = {0};
    enum odp_status status = collect(v, &w);
    if (status == ODP_OK)
        status = verify_contents(v, &w);
    return status;
}
