/* data of a version, from versions.json and the index of today. */
#include "service/webhooks/events/events_internal.h"

#include "base/json_load.h"
#include "published/doc.h"
#include "published/version_reading.h"

/* ---- a dataset as it is now ---- */

static bool was_called(const json_t *entry, const char *slug)
{
    const json_t *former = json_object_get(entry, "odp:formerSlugs");
    for (size_t i = 0; i < json_array_size(former); i++) {
        const char *name = odp_json_text(json_array_get(former, i), "slug");
        if (name != NULL && strcmp(name, slug) == 0)
            return true;
    }
    return false;
}

/* Its present name: a dataset that has the name goes before one that had it. */
static const char *slug_today(const struct odp_site *site, const char *slug, struct odp_arena *a)
{
    const json_t *entries = json_object_get(odp_site_index(site), "data");
    const char *own = odp_arena_printf(a, "data/%s/versions.json", slug);
    if (odp_site_entry(site, slug) != NULL || odp_site_find(site, own) != NULL)
        return slug;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const char *now = odp_json_text(json_array_get(entries, i), "slug");
        if (now != NULL && was_called(json_array_get(entries, i), slug))
            return now;
    }
    return slug;
}

enum odp_status events_dataset_open(struct events_dataset *d, const struct odp_site *site, const char *slug,
                                    struct odp_arena *a, struct odp_diags *diags)
{
    *d = (struct events_dataset){.slug = slug_today(site, slug, a)};
    const struct odp_site_file *f =
        odp_site_find(site, odp_arena_printf(a, "data/%s/versions.json", d->slug));
    d->history.slug = d->slug;
    d->entry = odp_site_entry(site, d->slug);
    if (f != NULL && !odp_site_has(site, f)) /* nothing is fetched */
        return ODP_OK;
    enum odp_status status = odp_history_read(&d->history, site, d->slug, a, diags);
    if (status == ODP_BAD)
        d->history.n = 0;
    return status == ODP_DONE ? ODP_OK : status;
}

void events_dataset_release(struct events_dataset *d)
{
    odp_history_release(&d->history);
}

/* ---- values ---- */

json_t *events_text(const json_t *text)
{
    const char *both = json_string_value(text), *id = odp_json_text(text, "id"),
               *en = odp_json_text(text, "en");
    id = both != NULL ? both : id != NULL ? id : en;
    en = both != NULL ? both : en != NULL ? en : id;
    return id != NULL ? json_pack("{s:s, s:s}", "id", id, "en", en) : json_null();
}

json_t *events_url(const char *base_url, const char *path)
{
    return path != NULL ? json_sprintf("%s%s", base_url, path) : json_null();
}

/* Member KEY as it is if it is of TYPE, else null. */
static json_t *copy_of(const json_t *o, const char *key, json_type type)
{
    const json_t *value = json_object_get(o, key);
    return value != NULL && json_typeof(value) == type ? json_deep_copy(value) : json_null();
}

/* ---- a version ---- */

struct version {
    const struct events_reading *r;
    const struct odp_version *v; /* NULL: its entry is gone, or a tombstone */
    const char *name, *base_url;
    size_t keys; /* so far */
    bool many;   /* too many: there are none */
};

static struct events_changes read_changes(const json_t *changes)
{
    struct events_changes c = {.path = odp_version_path(odp_json_text(changes, "json"))};
    for (int op = 0; op < EVENTS_OPS; op++) {
        json_int_t n = json_integer_value(json_object_get(changes, events_ops[op]));
        c.rows[op] = n > 0 ? (uint64_t)n : 0;
    }
    return c;
}

/* The differences from the version before; none of a first version or a new table. */
static json_t *make_changes(const struct version *v, const json_t *changes)
{
    const struct events_changes c = read_changes(changes);
    if (!json_is_object(changes))
        return json_array();
    return json_pack("[{s:o, s:s, s:I, s:I, s:I, s:o}]", "from", copy_of(changes, "from", JSON_STRING), "to",
                     v->name, events_ops[ODP_CHANGE_ADDED], (json_int_t)c.rows[ODP_CHANGE_ADDED],
                     events_ops[ODP_CHANGE_REMOVED], (json_int_t)c.rows[ODP_CHANGE_REMOVED],
                     events_ops[ODP_CHANGE_CHANGED], (json_int_t)c.rows[ODP_CHANGE_CHANGED], "url",
                     events_url(v->base_url, c.path));
}

/* The keys that differ, or null. */
static enum odp_status make_keys(struct version *v, const json_t *changes, json_t **keys)
{
    const struct events_changes c = read_changes(changes);
    enum odp_status status = ODP_OK;
    *keys = NULL;
    if (c.path != NULL && !json_is_true(json_object_get(changes, "counts_only")) && !v->many)
        status = events_keys_read(keys, &v->many, &c, (size_t)ODP_EVENT_KEYS - v->keys, v->r);
    v->keys += events_keys_count(*keys);
    if (*keys == NULL)
        *keys = json_null();
    return status == ODP_FAIL ? status : ODP_OK;
}

static enum odp_status make_resources(struct version *v, json_t *list)
{
    const json_t *from = v->v != NULL ? json_object_get(v->v->json, "resources") : NULL, *one;
    json_t *o, *keys;
    size_t i;
    json_array_foreach(from, i, one)
    {
        const json_t *changes = json_object_get(one, "changes");
        if (make_keys(v, changes, &keys) != ODP_OK)
            return ODP_FAIL;
        (void)json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "name", odp_text_of(one, "name"),
                                                    "rows", copy_of(one, "rows", JSON_INTEGER), "changes",
                                                    make_changes(v, changes), "keys", keys));
    }
    json_array_foreach(list, i, o)
    {
        if (v->many)
            (void)json_object_set_new(o, "keys", json_null());
    }
    return ODP_OK;
}

enum odp_status events_version_data(json_t **data, const struct events_reading *r,
                                    const struct events_dataset *d, const char *version,
                                    const struct events_release *release)
{
    struct version v = {.r = r, .name = version, .base_url = release->base_url};
    const char *base_url = release->base_url;
    const struct odp_version *found = odp_history_find(&d->history, version);
    v.v = found != NULL && found->state == ODP_VERSION_PUBLISHED ? found : NULL;
    const json_t *entry = v.v != NULL ? v.v->json : NULL, *correction = json_object_get(entry, "correction");
    const char *url = odp_arena_printf(r->a, "v1/%s", d->slug),
               *versions = odp_arena_printf(r->a, "v1/%s/versions.json", d->slug);
    bool corrected = json_is_object(correction) || json_is_string(correction);
    json_t *resources = json_array();
    enum odp_status status = make_resources(&v, resources);
    *data = json_pack("{s:s, s:o, s:s, s:o, s:[s], s:s?, s:o, s:o*, s:o, s:o, s:o}", "dataset", d->slug,
                      "title", events_text(json_object_get(d->entry, "title")), "version", version,
                      "previous", copy_of(entry, "previous", JSON_STRING), "versions", version, "release",
                      release->name, "rows", copy_of(entry, "rows", JSON_INTEGER), "correction",
                      corrected ? events_text(correction) : NULL, "resources", resources, "url",
                      events_url(base_url, url), "versions_url",
                      events_url(base_url, odp_site_find(r->site, versions) != NULL ? versions : NULL));
    if (status != ODP_OK) {
        json_decref(*data);
        *data = NULL;
    }
    return status;
}
