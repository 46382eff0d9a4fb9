/* Which files go with a version. Everything of the dataset is looked at by its path:
 *
 *   data/<slug>/<version>/…, v1/<slug>/v/<version>/…, search/<slug>/<version>/…   its own folders: gone
 *   data/<slug>/<next>/changes*, *.from-<version>.delta    made from it: gone, also under latest/
 *   versions.json, latest.json                             written anew
 *
 * Where the current version goes, nothing of the dataset stays but the folders of the versions that are still
 * published. */
#include "publish/withdraw/withdraw_internal.h"

#include "base/json_load.h"
#include "base/privacy.h"
#include "published/stage.h"
#include "site/versions/release.h"

/* ---- which versions ---- */

static enum odp_status complain(const struct withdrawal *w, enum odp_code code, const char *arg0,
                                const char *arg1)
{
    struct odp_diag d = {.code = code,
                         .dataset = w->o->slug,
                         .file = odp_site_shown(w->site),
                         .args = {odp_slice_of(arg0), odp_slice_of(arg1), odp_slice_of(w->o->slug)}};
    return odp_diags_add(w->diags, &d);
}

/* "2024-03-15, 2023-09-15, …": those that could be meant. */
static const char *known_names(const struct withdrawal *w)
{
    enum { SHOWN = 8 };
    struct odp_buffer out = {0};
    size_t shown = 0;
    for (size_t i = 0; i < w->history.n; i++) {
        if (w->history.versions[i].state == ODP_VERSION_WITHDRAWN)
            continue;
        if (shown++ < SHOWN)
            odp_buffer_printf(&out, "%s%s", out.len > 0 ? ", " : "", w->history.versions[i].name);
    }
    if (shown > SHOWN)
        odp_buffer_add_str(&out, ", …");
    const char *names =
        odp_buffer_status(&out) == ODP_OK ? odp_arena_copy(w->arena, odp_buffer_slice(&out)).ptr : NULL;
    odp_buffer_release(&out);
    return names;
}

static enum odp_status choose_one(struct withdrawal *w, const char *name)
{
    struct odp_version *v = odp_history_find(&w->history, name);
    if (v == NULL) {
        const char *names = known_names(w);
        return names != NULL ? complain(w, ODP_V75, name, names) : ODP_FAIL;
    }
    if (v->state == ODP_VERSION_WITHDRAWN) {
        const char *reason = odp_json_text(v->json, "reason");
        return complain(w, ODP_V76, name, reason != NULL ? reason : "");
    }
    bool *going = &w->going[v - w->history.versions];
    w->ngoing += !*going;
    *going = true;
    return ODP_OK;
}

static bool stays(const struct withdrawal *w, const struct odp_version *v)
{
    return v != NULL && v->state == ODP_VERSION_PUBLISHED && !w->going[v - w->history.versions];
}

/* Says which versions that stay have a table of V, record by record. */
static enum odp_status warn_of_copies(const struct withdrawal *w, const struct odp_version *v)
{
    const json_t *resources = json_object_get(v->json, "resources");
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *r = json_array_get(resources, i);
        const char *digest = odp_json_text(r, "digest"), *name = odp_json_text(r, "name");
        for (size_t k = 0; digest != NULL && name != NULL && k < w->history.n; k++) {
            const struct odp_version *other = &w->history.versions[k];
            if (stays(w, other) &&
                odp_json_find(json_object_get(other->json, "resources"), "digest", digest) != NULL &&
                complain(w, ODP_V78, other->name, name) == ODP_FAIL)
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

enum odp_status withdrawal_choose(struct withdrawal *w)
{
    enum odp_status status = ODP_OK;
    size_t start, len;
    w->going = odp_arena_zero(w->arena, w->history.n + 1, sizeof *w->going);
    for (size_t i = 0; i < w->o->nversions && status != ODP_FAIL; i++) {
        enum odp_status one = choose_one(w, w->o->versions[i]);
        status = one == ODP_OK ? status : one; /* goes on: every unknown name is reported */
    }
    if (status != ODP_OK || w->ngoing == 0)
        return status != ODP_OK ? status : ODP_DONE;
    if (odp_privacy_find(odp_slice_of(w->o->note), 0, &start, &len) != ODP_PRIVACY_NONE &&
        complain(w, ODP_V77, "", "") == ODP_FAIL)
        return ODP_FAIL;
    const struct odp_version *current = odp_history_current(&w->history);
    w->newest = current != NULL && w->going[current - w->history.versions];
    for (size_t i = 0; i < w->history.n && status == ODP_OK; i++)
        if (w->going[i])
            status = warn_of_copies(w, &w->history.versions[i]);
    return status;
}

/* ---- differences made from what goes ---- */

static bool is_gone(const struct withdrawal *w, const char *name)
{
    const struct odp_version *v = name != NULL ? odp_history_find(&w->history, name) : NULL;
    return v != NULL && (v->state == ODP_VERSION_WITHDRAWN || w->going[v - w->history.versions]);
}

/* Whether the differences of V were made from a version that goes. */
static bool differs_from_gone(const struct withdrawal *w, const struct odp_version *v)
{
    const json_t *resources = json_object_get(v->json, "resources");
    bool found = is_gone(w, odp_json_text(json_object_get(v->json, "changes"), "from"));
    for (size_t i = 0; i < json_array_size(resources) && !found; i++)
        found = is_gone(w, odp_json_text(json_object_get(json_array_get(resources, i), "changes"), "from"));
    return found || is_gone(w, odp_json_text(v->json, "previous"));
}

/* Only what tells no value stays. */
static void reduce(json_t *changes)
{
    static const char note[] = "the version that this was compared with was withdrawn: counts only";
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(changes, next, key, value)
    {
        bool plain = json_is_integer(value) || json_is_boolean(value) || strcmp(key, "from") == 0 ||
                     strcmp(key, "needs") == 0;
        if (!plain)
            json_object_del(changes, key);
    }
    json_object_set_new(changes, "counts_only", json_true());
    json_object_set_new(changes, "note", json_string(note));
}

/* Takes all differences and deltas from versions that go out of VALUE, however deep: a delta goes,
 * differences keep their counts. */
static void scrub(const struct withdrawal *w, json_t *value)
{
    const char *key;
    json_t *member;
    for (size_t i = json_array_size(value); i > 0; i--) {
        json_t *item = json_array_get(value, i - 1);
        if (json_object_get(item, "url") != NULL && is_gone(w, odp_json_text(item, "from")))
            (void)json_array_remove(value, i - 1);
        else
            scrub(w, item);
    }
    json_object_foreach(value, key, member)
    {
        if (json_is_object(member) && is_gone(w, odp_json_text(member, "from")))
            reduce(member);
        else
            scrub(w, member);
    }
}

/* ---- files ---- */

static void add_prefix(struct withdrawal *w, const char *path, size_t len)
{
    if (w->nprefixes > 0 && strncmp(w->prefixes[w->nprefixes - 1], path, len) == 0 &&
        w->prefixes[w->nprefixes - 1][len] == '\0')
        return; /* sorted: files of one folder follow each other */
    w->prefixes = odp_arena_more(w->arena, w->prefixes, w->nprefixes, sizeof *w->prefixes);
    w->prefixes[w->nprefixes++] = odp_arena_copy(w->arena, (struct odp_slice){path, len}).ptr;
}

/* The part of PATH (a file of SLUG) that names a version, if it has one: data/<slug>/<here>/,
 * search/<slug>/<here>/, v1/<slug>[/<resource>]/v/<here>/.
 */
static struct odp_slice version_part(const char *path, const char *slug)
{
    bool index = strncmp(path, "search/", 7) == 0, data = index || strncmp(path, "data/", 5) == 0;
    const char *p = path + (index ? 7 : data ? 5 : 3) + strlen(slug);
    struct odp_slice none = {NULL, 0};
    if (*p != '/')
        return none;
    p++;
    if (!data && strncmp(p, "v/", 2) != 0) {
        p = strchr(p, '/');
        if (p == NULL || strncmp(p, "/v/", 3) != 0)
            return none;
        p++;
    }
    p += data ? 0 : 2;
    const char *end = strchr(p, '/');
    return end != NULL ? (struct odp_slice){p, (size_t)(end - p)} : none;
}

/* The version named PART; the last answer is kept, because files of one folder follow each other. */
struct finder {
    struct odp_slice part;
    struct odp_version *found;
};

static struct odp_version *find(struct finder *f, const struct withdrawal *w, struct odp_slice part)
{
    if (part.ptr == NULL || (f->part.ptr != NULL && odp_slice_eq(f->part, part)))
        return part.ptr != NULL ? f->found : NULL;
    f->part = part;
    f->found = NULL;
    for (size_t i = 0; i < w->history.n && f->found == NULL; i++)
        if (odp_slice_is(part, w->history.versions[i].name))
            f->found = &w->history.versions[i];
    return f->found;
}

/* NAME, in the folder of a version, is a difference: "changes.json", "changes-timeline.csv.gz". */
static bool is_changes(const char *name)
{
    return strncmp(name, "changes", 7) == 0 && (name[7] == '.' || name[7] == '-') &&
           strchr(name, '/') == NULL;
}

/* "kumuh.csv.from-2023-09-15.delta", of a version that goes. */
static bool is_delta_from_gone(const struct withdrawal *w, const char *name)
{
    const char *from = strstr(name, ".from-"), *end = from != NULL ? strstr(from, ".delta") : NULL;
    if (end == NULL || strchr(name, '/') != NULL)
        return false;
    for (size_t i = 0; i < w->history.n; i++) {
        const struct odp_version *v = &w->history.versions[i];
        if (odp_slice_is((struct odp_slice){from + 6, (size_t)(end - from) - 6}, v->name))
            return v->state == ODP_VERSION_WITHDRAWN || w->going[i];
    }
    return false;
}

/* Differences of V, which stays, that were made from what goes. */
static bool is_made_from_gone(const struct withdrawal *w, const struct odp_version *v, const char *name)
{
    return is_delta_from_gone(w, name) || (is_changes(name) && differs_from_gone(w, v));
}

/* PATH begins with BEFORE, SLUG and AFTER. */
static bool is_named(const char *path, const char *before, const char *slug, const char *after)
{
    size_t a = strlen(before), b = strlen(slug);
    return strncmp(path, before, a) == 0 && strncmp(path + a, slug, b) == 0 &&
           strncmp(path + a + b, after, strlen(after)) == 0;
}

static void plan_file(struct withdrawal *w, struct finder *f, const char *path)
{
    const char *slug = w->o->slug;
    const struct odp_version *current = odp_history_current(&w->history);
    size_t len = strlen(path);
    if (!odp_site_path_is_of(path, slug))
        return;
    if (is_named(path, "data/", slug, "/versions.json") || is_named(path, "v1/", slug, "/versions.json")) {
        add_prefix(w, path, len);
        return;
    }
    struct odp_slice part = version_part(path, slug);
    const struct odp_version *v = find(f, w, part);
    if (stays(w, v) || (!w->newest && v == NULL)) {
        const char *name = part.ptr != NULL ? part.ptr + part.len + 1 : "";
        bool latest = part.ptr != NULL && odp_slice_is(part, "latest") && current != NULL;
        if ((v == NULL && !latest) || !is_made_from_gone(w, v != NULL ? v : current, name))
            return;
        w->touches_current = w->touches_current || latest;
    } else if (part.ptr != NULL) {
        len = (size_t)(part.ptr - path) + part.len + 1;
    }
    w->files++;
    add_prefix(w, path, len);
}

/* Outside of the folders that datasets have, everything is made of all of them together, and made again
 * (odp_site_pages): the portal and what machines read of it; but the keys. */
static bool is_made_of_all(const char *path)
{
    static const char *const not [] = {
        "data/",   "v1/",          "search/",      ".well-known/odp-keys.json", "manifest.json",
        "control", "gateway.json", "releases.log", "datapackage.json"};
    for (size_t i = 0; i < ODP_COUNT(not ); i++)
        if (strncmp(path, not [i], strlen(not [i])) == 0)
            return false;
    return true;
}

void withdrawal_plan(struct withdrawal *w)
{
    static const char *const documents[] = {"search/index.json", "v1/openapi.json", "v1/events/", "v1/ogc/"};
    struct finder f = {{NULL, 0}, NULL};
    size_t n;
    const struct odp_site_file *files = odp_site_files(w->site, &n);
    for (size_t i = 0; i < n; i++)
        plan_file(w, &f, files[i].path);
    if (w->touches_current) {
        const char *latest = odp_arena_printf(w->arena, "data/%s/latest.json", w->o->slug);
        add_prefix(w, latest, strlen(latest));
    }
    if (w->o->pages == NULL)
        return;
    for (size_t i = 0; i < ODP_COUNT(documents); i++)
        add_prefix(w, documents[i], strlen(documents[i]));
    for (size_t i = 0; i < n; i++)
        if (is_made_of_all(files[i].path)) {
            const char *slash =
                strncmp(files[i].path, ".well-known/", 12) != 0 ? strchr(files[i].path, '/') : NULL;
            add_prefix(w, files[i].path,
                       slash != NULL ? (size_t)(slash - files[i].path) + 1 : strlen(files[i].path));
        }
}

/* ---- what stays in its place ---- */

void withdrawal_bury(struct withdrawal *w)
{
    for (size_t i = 0; i < w->history.n; i++)
        scrub(w, w->history.versions[i].json);
    for (size_t i = 0; i < w->history.n; i++)
        if (w->going[i])
            odp_version_withdraw(&w->history.versions[i], w->o->reason,
                                 json_pack("{s:s, s:s}", "id", w->o->note, "en", w->o->note));
}

/* The version that was current and is withdrawn: with newest, the first tombstone of those that went now. */
static const struct odp_version *fallen(const struct withdrawal *w)
{
    for (size_t i = 0; i < w->history.n; i++)
        if (w->going[i])
            return &w->history.versions[i];
    return NULL;
}

/* Of a table stays what the API promises, not what was in it. */
static void reduce_resource(json_t *r, const char *slug)
{
    static const char *const kept[] = {"name", "package_name", "title"};
    const char *name = odp_json_text(r, "package_name"), *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(r, next, key, value)
    {
        bool keep = false;
        for (size_t i = 0; i < ODP_COUNT(kept); i++)
            keep = keep || strcmp(key, kept[i]) == 0;
        if (!keep)
            json_object_del(r, key);
    }
    /* "<slug>" or "<slug>-<resource>" */
    const char *suffix = name != NULL && strncmp(name, slug, strlen(slug)) == 0 ? name + strlen(slug) : "";
    json_object_set_new(r, "schema", json_sprintf("../data/%s/latest/schema%s.json", slug, suffix));
    json_object_set_new(r, "download", json_object());
    json_object_set_new(r, "files", json_array());
}

enum odp_status withdrawal_entry(const struct withdrawal *w, json_t *entry)
{
    static const char *const unknown[] = {"version", "last_update", "api", "rows", "digest"};
    static const char *const dropped[] = {"bbox", "slices", "changes"};
    const struct odp_version *v = fallen(w);
    odp_release_list_versions(entry, &w->history);
    if (!w->newest) {
        scrub(w, entry);
        return ODP_OK;
    }
    json_t *resources = json_object_get(entry, "resources");
    for (size_t i = 0; i < ODP_COUNT(unknown); i++)
        json_object_set_new(entry, unknown[i], json_null());
    for (size_t i = 0; i < ODP_COUNT(dropped); i++)
        (void)json_object_del(entry, dropped[i]);
    for (size_t i = 0; i < json_array_size(resources); i++)
        reduce_resource(json_array_get(resources, i), w->o->slug);
    json_object_set_new(entry, "download", json_object());
    json_object_set_new(entry, "withdrawn",
                        json_pack("{s:s, s:s, s:{s:s, s:s}}", "version", v->name, "reason", w->o->reason,
                                  "note", "id", w->o->note, "en", w->o->note));
    return ODP_OK;
}
