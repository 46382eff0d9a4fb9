/* Joins two events of a dataset.
 *
 * Versions and changes follow each other; all else is the later one's. Resources are those of the later
 * version. A key is in one list: added and changed is added; changed and removed is removed; added and
 * removed is in none, since neither end has it; removed and added is changed, since nobody compared the two
 * ends. If the later version follows an earlier one than the last that waits (a rollback and another build, a
 * withdrawal), those between are gone and not announced. A correction's reason stays only while the corrected
 * version is the newest. */
#include "service/webhooks/events/events_internal.h"

#include "published/doc.h"

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return odp_or_empty(text);
}

/* Appends LATER's member KEY to that of O. */
static void append(json_t *o, const char *key, const json_t *later)
{
    json_t *more = json_deep_copy(json_object_get(later, key));
    if (!json_is_array(json_object_get(o, key)))
        (void)json_object_set_new(o, key, json_array());
    (void)json_array_extend(json_object_get(o, key), more);
    json_decref(more);
}

static void copy(json_t *o, const char *key, const json_t *later)
{
    const json_t *value = json_object_get(later, key);
    if (value != NULL)
        (void)json_object_set_new(o, key, json_deep_copy(value));
}

/* ---- resources ---- */

static json_t *find(json_t *resources, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(resources, i, one)
    {
        if (strcmp(odp_text_of(one, "name"), name) == 0)
            return one;
    }
    return NULL;
}

static void join_keys(json_t *resource, const json_t *later)
{
    json_t *keys = json_object_get(resource, "keys");
    const json_t *more = json_object_get(later, "keys"), *one;
    size_t i;
    if (!json_is_object(keys) || !json_is_object(more)) {
        (void)json_object_set_new(resource, "keys", json_null());
        return;
    }
    for (int op = 0; op < EVENTS_OPS; op++)
        json_array_foreach(json_object_get(more, events_ops[op]), i, one)
        {
            if (json_is_string(one))
                events_keys_put(keys, (enum odp_change_op)op, json_string_value(one));
        }
}

static void drop_keys(json_t *resources)
{
    size_t i;
    json_t *one;
    json_array_foreach(resources, i, one)(void) json_object_set_new(one, "keys", json_null());
}

/* In LATER's order, which is today's. If LATER has no resources (its version is gone), the earlier ones stay,
 * without keys, which are not known of all. */
static void join_resources(json_t *data, const json_t *later)
{
    const json_t *more = json_object_get(later, "resources"), *other;
    json_t *mine = json_object_get(data, "resources"), *joined = json_array(), *one;
    size_t keys = 0, i;
    json_array_foreach(more, i, other)
    {
        json_t *resource = json_incref(find(mine, odp_text_of(other, "name")));
        if (resource == NULL) {
            resource = json_deep_copy(other);
        } else {
            copy(resource, "rows", other);
            append(resource, "changes", other);
            join_keys(resource, other);
        }
        (void)json_array_append_new(joined, resource);
    }
    if (json_array_size(more) == 0) {
        (void)json_array_extend(joined, mine);
        drop_keys(joined);
    }
    json_array_foreach(joined, i, one) keys += events_keys_count(json_object_get(one, "keys"));
    if (keys > ODP_EVENT_KEYS)
        drop_keys(joined);
    (void)json_object_set_new(data, "resources", joined);
}

/* ---- versions that are gone ---- */

static bool names(const json_t *versions, const char *version)
{
    for (size_t i = 0; i < json_array_size(versions); i++)
        if (strcmp(text_at(versions, i), version) == 0)
            return true;
    return false;
}

/* How many of DATA's versions are before LATER: a rollback, or a withdrawal, may have taken the others. */
static size_t count_before(const json_t *data, const json_t *later)
{
    const json_t *versions = json_object_get(data, "versions");
    const char *previous = odp_text_of(later, "previous");
    size_t n = json_array_size(versions);
    if (*previous == '\0') /* a first version; or one that is gone itself */
        return json_is_integer(json_object_get(later, "rows")) ? 0 : n;
    for (size_t i = n; i > 0; i--)
        if (strcmp(text_at(versions, i - 1), previous) == 0)
            return i;
    return strcmp(odp_text_of(data, "previous"), previous) == 0 ? 0 : n;
}

/* Only the first KEPT of DATA's versions were before LATER; which keys were theirs is not known. */
static void forget(json_t *data, size_t kept)
{
    json_t *versions = json_object_get(data, "versions"), *one;
    size_t i;
    while (json_array_size(versions) > kept)
        (void)json_array_remove(versions, kept);
    json_array_foreach(json_object_get(data, "resources"), i, one)
    {
        json_t *changes = json_object_get(one, "changes");
        for (size_t k = json_array_size(changes); k > 0; k--)
            if (!names(versions, odp_text_of(json_array_get(changes, k - 1), "to")))
                (void)json_array_remove(changes, k - 1);
    }
    drop_keys(json_object_get(data, "resources"));
}

/* ---- all of it ---- */

enum odp_status odp_event_merge(json_t *data, const json_t *later)
{
    static const char *const newest[] = {"title", "version", "release", "rows", "url", "versions_url"};
    const char *dataset = odp_text_of(data, "dataset");
    if (*dataset == '\0' || strcmp(dataset, odp_text_of(later, "dataset")) != 0)
        return odp_failure_set("join events of two datasets", odp_text_of(later, "dataset"), 0);
    size_t n = json_array_size(json_object_get(data, "versions")), kept = count_before(data, later);
    if (kept < n)
        forget(data, kept);
    if (kept < n && kept == 0) { /* nothing of DATA is left */
        copy(data, "previous", later);
        (void)json_object_del(data, "resources");
    }
    append(data, "versions", later);
    for (size_t i = 0; i < ODP_COUNT(newest); i++)
        copy(data, newest[i], later);
    if (json_object_get(later, "correction") == NULL) /* it was the reason of another version */
        (void)json_object_del(data, "correction");
    copy(data, "correction", later);
    join_resources(data, later);
    return ODP_OK;
}
