/* The lists of versions against index and manifest; tombstones. What is to be read back is collected on the
 * way.
 *
 * data/<slug>/versions.json says what every version is made of. A site from before there were such lists has
 * the current version's entry in the index alone, which has the same members. */
#include "publish/verify/verify_internal.h"

#include "base/json_load.h"
#include "published/doc.h"
#include "published/reading.h"
#include "published/stage.h"
#include "site/versions/names.h"

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
    const char *label; /* "2024-03-15 kumuh" for messages */
};

/* ---- small things ---- */

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static void disagree(const struct list *l, const char *label, const char *member, const char *expected,
                     const char *found)
{
    const char *detail = odp_arena_printf(l->v->arena, "%s%s%s", label, *label != '\0' ? " " : "", member);
    verify_fault(l->v, ODP_V67, l->base, detail, expected, found);
}

/* The site's path of relative URL in BASE; "" where it leads nowhere. Addresses in these lists hold no
 * characters that would have to be encoded. */
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

/* The file that member KEY of O is the address of; NULL: the manifest has none (reported). */
static struct verify_file *find_file(const struct list *l, const char *label, const json_t *o,
                                     const char *key)
{
    const char *url = odp_json_text(o, key);
    struct verify_file *f = url != NULL ? verify_find(l->v, resolve(l->base, url, l->v->arena)) : NULL;
    if (f == NULL)
        disagree(l, label, key, NULL, url);
    return f;
}

/* The file of O's url, whose bytes and hash are those of O. */
static struct verify_file *check_file(const struct list *l, const char *label, const json_t *o)
{
    uint8_t hash[ODP_SHA256_SIZE];
    char expected[ODP_DIGEST_TEXT];
    struct verify_file *file = find_file(l, label, o, "url");
    if (file == NULL)
        return NULL;
    if (json_integer_value(json_object_get(o, "bytes")) != (json_int_t)file->f.size) {
        disagree(l, label, "bytes", file->f.path, NULL);
    } else if (!odp_doc_read_digest(o, "hash", hash) || memcmp(hash, file->f.sha256, sizeof hash) != 0) {
        odp_digest_text(file->f.sha256, expected);
        disagree(l, label, "hash", expected, odp_json_text(o, "hash"));
    }
    return file;
}

static bool good(const struct verify_file *f)
{
    return f != NULL && f->state == VERIFY_GOOD;
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
static void add_pages(const struct part *p, const json_t *resource, const char *schema)
{
    struct verify *v = p->list->v;
    const char *api = odp_json_text(resource, "api");
    json_int_t pages = json_integer_value(json_object_get(resource, "pages"));
    size_t stem = api != NULL && strlen(api) > 5 ? strlen(api) - 5 : 0; /* without ".json" */
    if (stem == 0 || pages < 1 || (uint64_t)pages > v->n) {
        disagree(p->list, p->label, "pages", NULL, api);
        return;
    }
    const char **paths = odp_arena_array(v->arena, (size_t)pages, sizeof *paths);
    uint64_t bytes = 0;
    for (json_int_t i = 0; i < pages; i++) {
        paths[i] = i == 0 ? odp_arena_printf(v->arena, "v1/%s", api)
                          : odp_arena_printf(v->arena, "v1/%.*s/v/%s/p/%lld.json", (int)stem, api, p->version,
                                             (long long)i + 1);
        const struct verify_file *f = verify_find(v, paths[i]);
        if (f == NULL)
            verify_fault(v, ODP_V67, "v1/index.json", p->label, paths[i], NULL);
        if (!good(f))
            return;
        bytes += f->f.size;
    }
    add_reading(p->list, ODP_FORM_PAGES, schema, paths, (size_t)pages, bytes);
}

/* ---- one resource of a version ---- */

static void check_files(const struct part *p, const json_t *list, const struct verify_file *schema)
{
    struct list *l = p->list;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = odp_json_text(o, "name");
        const struct verify_file *f =
            check_file(l, odp_arena_printf(l->v->arena, "%s %s", p->label, name != NULL ? name : ""), o);
        enum odp_form form = odp_form_find(name);
        if (!good(f) || form < 0 || schema == NULL)
            continue;
        const char **path = odp_arena_alloc(l->v->arena, sizeof *path);
        *path = f->f.path;
        add_reading(l, form, schema->f.path, path, 1, f->f.size);
    }
}

/* The file of form NAME of this resource in VERSION; NULL: none. */
static const struct verify_file *file_of(const struct part *p, const char *version, const char *name)
{
    const json_t *entry = odp_json_find(p->list->versions, "version", version),
                 *resource = odp_json_find(json_object_get(entry, "resources"), "name", p->name),
                 *file = odp_json_find(json_object_get(resource, "files"), "name", name);
    return file != NULL ? find_file(p->list, p->label, file, "url") : NULL;
}

static void check_delta(const struct part *p, const json_t *o)
{
    struct list *l = p->list;
    struct verify_work *w = l->work;
    const char *name = odp_json_text(o, "name"), *version = odp_json_text(o, "from");
    const struct verify_file *delta = check_file(l, p->label, o);
    if (name == NULL || version == NULL) {
        disagree(l, p->label, "deltas", NULL, name);
        return;
    }
    const struct verify_file *from = file_of(p, version, name), *to = file_of(p, p->version, name);
    if (delta != NULL && (from == NULL || to == NULL))
        disagree(l, p->label, "deltas/from", version, name);
    if (!good(delta) || !good(from) || !good(to))
        return;
    w->deltas = odp_arena_more(l->v->arena, w->deltas, w->ndeltas, sizeof *w->deltas);
    w->deltas[w->ndeltas++] = (struct verify_delta){.path = delta->f.path,
                                                    .from = from->f.path,
                                                    .to = to->f.path,
                                                    .bytes = to->f.size,
                                                    .status = ODP_DONE};
}

/* The addresses of what changed are there. */
static void check_changes(const struct part *p)
{
    static const char *const forms[] = {"json", "csv", "html"};
    const json_t *o = json_object_get(p->json, "changes");
    for (size_t i = 0; i < ODP_COUNT(forms); i++)
        if (json_object_get(o, forms[i]) != NULL)
            (void)find_file(p->list, p->label, o, forms[i]);
}

/* The entry of this resource in the index, if VERSION is the current one there. */
static const json_t *index_resource(const struct part *p)
{
    const json_t *entry = p->list->entry;
    return same(odp_json_text(entry, "version"), p->version)
               ? odp_json_find(json_object_get(entry, "resources"), "name", p->name)
               : NULL;
}

/* What the index says of the current version beside what its list says: the same digest, rows and files;
 * slices are in the index alone. */
static void check_in_index(const struct part *p, const json_t *resource, const struct verify_file *schema)
{
    struct list from_index = *p->list;
    struct part slice = *p;
    size_t i;
    const json_t *o;
    from_index.base = "v1/index.json";
    slice.list = &from_index;
    if (resource != p->json) {
        const char *mine = odp_json_text(p->json, "digest"), *its = odp_json_text(resource, "digest");
        if (!same(mine, its))
            disagree(&from_index, p->label, "digest", mine, its);
        if (!json_equal(json_object_get(p->json, "rows"), json_object_get(resource, "rows")))
            disagree(&from_index, p->label, "rows", p->list->base, NULL);
        check_files(&slice, json_object_get(resource, "files"), NULL);
    }
    json_array_foreach(json_object_get(resource, "slices"), i, o)
    {
        add_group(&slice, json_object_get(o, "rows"), NULL);
        check_files(&slice, json_object_get(o, "files"), schema);
    }
}

static void check_resource(struct part *p, uint8_t digest[ODP_SHA256_SIZE])
{
    struct list *l = p->list;
    const json_t *deltas = json_object_get(p->json, "deltas"), *rows = json_object_get(p->json, "rows");
    if (!odp_doc_read_digest(p->json, "digest", digest) || !json_is_integer(rows) ||
        json_integer_value(rows) < 0) {
        disagree(l, p->label, "digest", "sha256:…", odp_json_text(p->json, "digest"));
        return;
    }
    struct verify_file *schema = find_file(l, p->label, p->json, "schema");
    add_group(p, rows, digest);
    if (!good(schema))
        schema = NULL;
    check_files(p, json_object_get(p->json, "files"), schema);
    const json_t *current = index_resource(p);
    if (current != NULL && schema != NULL && l->v->o->audience == ODP_AUDIENCE_ORIGIN)
        add_pages(p, current, schema->f.path);
    if (current != NULL)
        check_in_index(p, current, schema);
    check_changes(p);
    for (size_t i = 0; i < json_array_size(deltas) && l->v->status == ODP_OK; i++)
        check_delta(p, json_array_get(deltas, i));
}

/* ---- one version ---- */

static void check_digest(const struct list *l, const char *version, const json_t *entry,
                         const uint8_t whole[ODP_SHA256_SIZE])
{
    uint8_t named[ODP_SHA256_SIZE];
    char expected[ODP_DIGEST_TEXT];
    if (odp_doc_read_digest(entry, "digest", named) && memcmp(named, whole, sizeof named) == 0)
        return;
    odp_digest_text(whole, expected);
    disagree(l, version, "digest", expected, odp_json_text(entry, "digest"));
}

static void check_published(struct list *l, const char *version, const json_t *entry)
{
    const json_t *resources = json_object_get(entry, "resources");
    size_t n = json_array_size(resources);
    struct odp_arena *a = l->v->arena;
    const char **names = odp_arena_array(a, n + 1, sizeof *names);
    uint8_t(*digests)[ODP_SHA256_SIZE] = odp_arena_zero(a, n + 1, sizeof *digests), whole[ODP_SHA256_SIZE];
    l->v->result->versions++;
    if (n == 0) {
        disagree(l, version, "resources", NULL, NULL);
        return;
    }
    for (size_t i = 0; i < n && l->v->status == ODP_OK; i++) {
        struct part p = {.list = l, .version = version, .json = json_array_get(resources, i)};
        p.name = names[i] = odp_json_text(p.json, "name");
        if (p.name == NULL) {
            disagree(l, version, "resources/name", NULL, NULL);
            return;
        }
        p.label = odp_arena_printf(a, "%s %s", version, p.name);
        check_resource(&p, digests[i]);
    }
    if (l->v->status == ODP_OK)
        l->v->status = odp_dataset_digest(names, (const uint8_t(*)[ODP_SHA256_SIZE])digests, n, whole);
    if (l->v->status == ODP_OK)
        check_digest(l, version, entry, whole);
}

static bool is_published(const json_t *entry)
{
    const char *state = odp_json_text(entry, "state");
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
static void check_graves(struct list *l)
{
    struct verify *v = l->v;
    char name[80], last[80] = "";
    bool gone = false;
    for (size_t k = 0; k < v->n; k++) {
        const char *path = v->files[k].f.path;
        if (!version_of(path, l->slug, name, sizeof name))
            continue;
        if (strcmp(name, last) != 0) { /* sorted: a version's files are together */
            const json_t *entry = odp_json_find(l->versions, "version", name);
            gone = entry != NULL && !is_published(entry);
            memcpy(last, name, sizeof last);
        }
        if (gone)
            verify_fault(v, ODP_V68, path, name, NULL, NULL);
    }
}

/* The version that replaces one that was thinned out is in the list. */
static void check_tombstone(const struct list *l, const char *version, const json_t *entry)
{
    const char *other = odp_json_text(entry, "stands_in");
    if (other != NULL && odp_json_find(l->versions, "version", other) == NULL)
        disagree(l, version, "stands_in", NULL, other);
}

/* The index's own short list: the newest versions, as this list has them. */
static void check_short_list(const struct list *l)
{
    static const char *const members[] = {"version", "state", "digest"};
    const json_t *total = json_object_get(l->entry, "versions_total"), *entry;
    size_t i;
    if (total != NULL && json_integer_value(total) != (json_int_t)json_array_size(l->versions)) {
        disagree(l, "v1/index.json", "versions_total", NULL, NULL);
        return;
    }
    json_array_foreach(json_object_get(l->entry, "versions"), i, entry)
    {
        for (size_t k = 0; k < ODP_COUNT(members); k++) {
            const char *mine = odp_json_text(json_array_get(l->versions, i), members[k]),
                       *its = odp_json_text(entry, members[k]);
            if (!same(mine, its))
                disagree(l, "v1/index.json versions", members[k], mine, its);
        }
    }
}

/* What the index calls the current version is the newest that is published; a dataset whose newest version
 * was withdrawn has none. */
static void check_current(const struct list *l)
{
    const json_t *entry = NULL;
    const char *named = odp_json_text(l->entry, "version"), *digest = odp_json_text(l->entry, "digest");
    if (named == NULL && !is_published(json_array_get(l->versions, 0)))
        return;
    for (size_t i = 0; i < json_array_size(l->versions) && entry == NULL; i++)
        if (is_published(json_array_get(l->versions, i)) &&
            odp_json_text(json_array_get(l->versions, i), "version") != NULL)
            entry = json_array_get(l->versions, i);
    if (!same(named, odp_json_text(entry, "version")))
        disagree(l, "v1/index.json", "version", odp_json_text(entry, "version"), named);
    else if (!same(digest, odp_json_text(entry, "digest")))
        disagree(l, "v1/index.json", "digest", odp_json_text(entry, "digest"), digest);
}

static void check_list(struct list *l)
{
    const char *newer = NULL;
    for (size_t i = 0; i < json_array_size(l->versions) && l->v->status == ODP_OK; i++) {
        const json_t *entry = json_array_get(l->versions, i);
        const char *version = odp_json_text(entry, "version");
        if (version == NULL || *version == '\0' || strchr(version, '/') != NULL) {
            disagree(l, "", "version", NULL, version);
            continue;
        }
        if (newer != NULL && odp_version_compare(newer, version) <= 0)
            disagree(l, version, "version", newer, version);
        newer = version;
        if (is_published(entry))
            check_published(l, version, entry);
        else
            check_tombstone(l, version, entry);
    }
    check_graves(l);
    if (l->entry == NULL)
        return;
    check_short_list(l);
    check_current(l);
}

/* ---- all datasets ---- */

/* The API's list is the public one, byte for byte. */
static void check_twin_list(struct verify *v, const char *slug, const struct odp_site_file *list)
{
    const char *path = odp_arena_printf(v->arena, "v1/%s/versions.json", slug);
    const struct verify_file *f = verify_find(v, path);
    bool wanted = f != NULL || v->o->audience != ODP_AUDIENCE_PUBLIC;
    if (wanted && (f == NULL || !odp_site_file_same(&f->f, list)))
        verify_fault(v, ODP_V67, path, slug, list->path, NULL);
}

/* From data/<slug>/versions.json. */
static void check_dataset(struct list *l, const struct verify_file *f)
{
    check_twin_list(l->v, l->slug, &f->f);
    json_t *root = good(f) ? verify_json(l->v, f) : NULL;
    l->base = f->f.path;
    l->entry = odp_json_find(json_object_get(l->v->index, "data"), "slug", l->slug);
    l->versions = json_object_get(root, "data");
    if (json_is_array(l->versions))
        check_list(l);
    else if (root != NULL)
        disagree(l, "", "data", NULL, NULL);
    json_decref(root);
}

/* From the index alone: a site from before there were lists of versions. */
static void check_entry(struct list *l)
{
    const char *version = odp_json_text(l->entry, "version");
    l->base = "v1/index.json";
    if (version != NULL)
        check_published(l, version, l->entry);
    else
        disagree(l, l->slug, "version", NULL, NULL);
}

void verify_versions(struct verify *v)
{
    struct verify_work w = {0};
    size_t i;
    const json_t *entry;
    for (size_t k = 0; k < v->n && v->status == ODP_OK; k++) {
        struct list l = {.v = v, .work = &w, .slug = odp_history_slug(v->files[k].f.path, v->arena)};
        if (l.slug != NULL && v->files[k].state != VERIFY_SKIPPED)
            check_dataset(&l, &v->files[k]);
    }
    json_array_foreach(json_object_get(v->index, "data"), i, entry)
    {
        struct list l = {.v = v, .work = &w, .slug = odp_json_text(entry, "slug"), .entry = entry};
        if (l.slug == NULL)
            verify_fault(v, ODP_V67, "v1/index.json", "slug", NULL, NULL);
        else if (verify_find(v, odp_arena_printf(v->arena, "data/%s/versions.json", l.slug)) == NULL)
            check_entry(&l);
    }
    verify_contents(v, &w);
}
