/* Two events of a dataset told as one. DATA may be half joined where memory runs out: then it is of no use.
 *
 * Versions and changes follow each other; everything else is the later one's. Resources are those of the later version: one that it has
 * no more is not told. A key is in one list: added and changed is added; changed and removed is removed; added and removed is in none,
 * since neither end has it; removed and added is changed, since nobody compared the two ends. Where the later version follows an earlier
 * one than the last of those that were held (a rollback and another build, a withdrawal), those between are not there any more and are
 * not told. A correction's reason is told only while the corrected version is the newest of those told. */
#include "service/webhooks/events/events_internal.h"

#include "published/doc.h"

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text != NULL ? text : "";
}

static void append(struct odp_doc *d, json_t *to, const json_t *from)
{
    for (size_t i = 0; i < json_array_size(from); i++)
        odp_doc_add(d, to, json_deep_copy(json_array_get(from, i)));
}

/* A list to append to, also where DATA has none. */
static json_t *list_of(struct odp_doc *d, json_t *o, const char *key)
{
    if (!json_is_array(json_object_get(o, key)))
        odp_doc_set(d, o, key, json_array());
    return json_object_get(o, key);
}

/* ---- resources ---- */

static json_t *find(const json_t *resources, const char *name)
{
    for (size_t i = 0; i < json_array_size(resources); i++)
        if (strcmp(odp_doc_read_str(json_array_get(resources, i), "name"), name) == 0)
            return json_array_get(resources, i);
    return NULL;
}

static void join_keys(struct odp_doc *d, json_t *resource, const json_t *later)
{
    json_t *keys = json_object_get(resource, "keys");
    const json_t *more = json_object_get(later, "keys");
    if (!json_is_object(keys) || !json_is_object(more)) {
        odp_doc_set(d, resource, "keys", json_null());
        return;
    }
    for (int op = 0; op < EVENTS_OPS; op++) {
        const json_t *list = json_object_get(more, events_ops[op]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *key = json_string_value(json_array_get(list, i));
            if (key != NULL && events_keys_put(keys, (enum odp_change_op)op, key) != ODP_OK)
                d->failed = true;
        }
    }
}

static void join_resource(struct odp_doc *d, json_t *resource, const json_t *later)
{
    odp_doc_copy(d, resource, later, "rows");
    append(d, list_of(d, resource, "changes"), json_object_get(later, "changes"));
    join_keys(d, resource, later);
}

/* In LATER's order, which is today's. What LATER does not have any more is gone; where it tells nothing (a version that is not
 * there any more), what was told stays, without keys: they are not known of all. */
static void join_resources(struct odp_doc *d, json_t *data, const json_t *later)
{
    const json_t *more = json_object_get(later, "resources");
    json_t *mine = list_of(d, data, "resources"), *joined = json_array();
    size_t keys = 0;
    for (size_t i = 0; i < json_array_size(mine) && json_array_size(more) == 0; i++)
        odp_doc_set(d, json_array_get(mine, i), "keys", json_null());
    for (size_t i = 0; i < json_array_size(more); i++) {
        const json_t *other = json_array_get(more, i);
        json_t *resource = find(mine, odp_doc_read_str(other, "name"));
        if (resource != NULL)
            join_resource(d, resource, other);
        odp_doc_add(d, joined, resource != NULL ? json_incref(resource) : json_deep_copy(other));
    }
    if (json_array_size(more) == 0)
        append(d, joined, mine);
    for (size_t i = 0; i < json_array_size(joined); i++)
        keys += events_keys_count(json_object_get(json_array_get(joined, i), "keys"));
    for (size_t i = 0; i < json_array_size(joined) && keys > ODP_EVENT_KEYS; i++)
        odp_doc_set(d, json_array_get(joined, i), "keys", json_null());
    odp_doc_set(d, data, "resources", joined);
}

/* ---- versions that are gone ---- */

static bool names(const json_t *versions, const char *version)
{
    size_t i;
    const json_t *one;
    json_array_foreach(versions, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), version) == 0)
            return true;
    }
    return false;
}

/* How many of DATA's versions LATER comes after: a rollback, or a withdrawal, may have taken away the others. */
static size_t count_before(const json_t *data, const json_t *later)
{
    const json_t *versions = json_object_get(data, "versions");
    const char *previous = odp_doc_read_str(later, "previous");
    size_t n = json_array_size(versions);
    if (*previous == '\0') /* a first version; or one that is not there any more itself, which tells nothing */
        return json_is_integer(json_object_get(later, "rows")) ? 0 : n;
    for (size_t i = n; i > 0; i--)
        if (strcmp(text_at(versions, i - 1), previous) == 0)
            return i;
    return strcmp(odp_doc_read_str(data, "previous"), previous) == 0 ? 0 : n;
}

/* Only the first KEPT of DATA's versions were before LATER. Which keys were theirs is not known. */
static void forget(struct odp_doc *d, json_t *data, size_t kept)
{
    json_t *versions = json_object_get(data, "versions"), *resources = json_object_get(data, "resources");
    while (json_array_size(versions) > kept)
        (void)json_array_remove(versions, kept);
    for (size_t i = 0; i < json_array_size(resources); i++) {
        json_t *one = json_array_get(resources, i), *changes = json_object_get(one, "changes");
        for (size_t k = json_array_size(changes); k > 0; k--)
            if (!names(versions, odp_doc_read_str(json_array_get(changes, k - 1), "to")))
                (void)json_array_remove(changes, k - 1);
        odp_doc_set(d, one, "keys", json_null());
    }
}

/* ---- all of it ---- */

enum odp_status odp_event_merge(json_t *data, const json_t *later)
{
    static const char *const newest[] = {"title", "version", "release", "rows", "url", "versions_url"};
    struct odp_doc d = {false};
    const json_t *correction = json_object_get(later, "correction");
    if (*odp_doc_read_str(data, "dataset") == '\0' || strcmp(odp_doc_read_str(data, "dataset"), odp_doc_read_str(later, "dataset")) != 0)
        return odp_failure_set("join events of two datasets", odp_doc_read_str(later, "dataset"), 0);
    size_t n = json_array_size(json_object_get(data, "versions")), kept = count_before(data, later);
    if (kept < n)
        forget(&d, data, kept);
    if (kept < n && kept == 0) { /* nothing of DATA is left */
        odp_doc_copy(&d, data, later, "previous");
        (void)json_object_del(data, "resources");
    }
    append(&d, list_of(&d, data, "versions"), json_object_get(later, "versions"));
    for (size_t i = 0; i < sizeof newest / sizeof *newest; i++)
        odp_doc_copy(&d, data, later, newest[i]);
    if (correction != NULL)
        odp_doc_copy(&d, data, later, "correction");
    else /* why another version was corrected */
        (void)json_object_del(data, "correction");
    join_resources(&d, data, later);
    return d.failed ? odp_failure_set("write JSON", "event", 0) : ODP_OK;
}
