/* The events of a line of the log: after the release its changes in their order. A change without an event
 * keeps its place, so keys stay what they are when a later odp has more events.
 *
 * The log says that something happened, today's site says what. So an event never has the content of what is
 * gone (a version that was withdrawn for reasons of privacy), and is poorer the later it is made. A dataset
 * that was renamed since has its present slug, like its addresses. `withdrawn` without a version, and
 * `removed`, are one event of the dataset, without what the line says of its versions. An unknown `what` is
 * no event: a newer odp may have written it. */
#include "service/webhooks/events/events_internal.h"

#include "base/json_load.h"

struct reading {
    const struct odp_site *site;
    const struct odp_event_line *line;
    const char *base_url;
    struct odp_event_list *list;
    struct odp_arena *a;
    struct odp_diags *diags;
    const json_t *changes;
    const char *release; /* of the line; NULL: none */
    const char *last;    /* the dataset that is open, as the log names it */
    struct events_dataset dataset;
};

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = odp_json_text(o, key);
    return text != NULL && *text != '\0' ? text : NULL;
}

/* PLACE: 0 is the release, then the changes from 1. DATA is taken. */
static void add_take(struct reading *t, enum odp_event_type type, size_t place, const char *dataset,
                     const char *version, json_t *data)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(t->line->digest, hex);
    t->list->items[t->list->n++] =
        (struct odp_event){.type = type,
                           .key = odp_arena_printf(t->a, "%s/%zu", hex, place),
                           .dataset = dataset != NULL ? odp_arena_str(t->a, dataset) : NULL,
                           .version = version != NULL ? odp_arena_str(t->a, version) : NULL,
                           .data = data};
}

/* ---- the kinds ---- */

/* The day of the site's release, if it is still this one. */
static const char *release_date(const struct reading *t)
{
    const json_t *meta = json_object_get(odp_site_index(t->site), "meta");
    const char *release = text_of(meta, "release");
    return release != NULL && strcmp(release, t->release) == 0 ? text_of(meta, "release_date") : NULL;
}

static void add_release(struct reading *t)
{
    const struct odp_slice *line = &t->line->before;
    json_t *before = line->ptr != NULL ? odp_json_load(line->ptr, line->len, 0, NULL) : NULL;
    const char *previous = text_of(before, "release");
    bool known =
        line->ptr == NULL || before != NULL; /* else a release would be announced again, as the first */
    if (known && t->release != NULL && (previous == NULL || strcmp(previous, t->release) != 0))
        add_take(t, ODP_EVENT_RELEASE_PUBLISHED, 0, NULL, NULL,
                 json_pack("{s:s, s:s?, s:s?, s:o, s:o}", "release", t->release, "previous", previous, "date",
                           release_date(t), "url", events_url(t->base_url, "rilis.html"), "openapi_url",
                           events_url(t->base_url, "v1/openapi.json")));
    json_decref(before);
}

static enum odp_status add_version(struct reading *t, enum odp_event_type type, size_t place,
                                   const char *version)
{
    json_t *data = NULL;
    if (version == NULL) /* no line of ours */
        return ODP_OK;
    enum odp_status status =
        events_version_data(&data, &(struct events_reading){t->site, t->a, t->diags}, &t->dataset, version,
                            &(struct events_release){t->release, t->base_url});
    if (status == ODP_OK)
        add_take(t, type, place, t->dataset.slug, version, data);
    return status;
}

static void add_deprecated(struct reading *t, size_t place, const char *version)
{
    const json_t *entry = t->dataset.entry;
    const char *slug = t->dataset.slug;
    version = version != NULL ? version : text_of(entry, "version");
    add_take(t, ODP_EVENT_DEPRECATED, place, slug, version,
             json_pack("{s:s, s:o, s:s?, s:s?, s:s?, s:s?, s:o}", "dataset", slug, "title",
                       events_text(json_object_get(entry, "title")), "version", version, "deprecated",
                       text_of(entry, "odp:deprecated"), "sunset", text_of(entry, "odp:sunset"),
                       "replaced_by", text_of(entry, "odp:replacedBy"), "url",
                       events_url(t->base_url, odp_arena_printf(t->a, "v1/%s", slug))));
}

/* The tombstone of VERSION, or one of a dataset that went as a whole, whose versions have that reason
 * (tools/odp-build/run/stage_datasets.c). NULL: none. */
static const json_t *tombstone(const struct events_dataset *d, const char *version)
{
    for (size_t i = 0; i < d->history.n; i++) {
        const struct odp_version *v = &d->history.versions[i];
        const char *reason = text_of(v->json, "reason");
        bool meant = version != NULL ? strcmp(v->name, version) == 0
                                     : reason != NULL && strcmp(reason, "dataset") == 0;
        if (v->state == ODP_VERSION_WITHDRAWN && meant)
            return v->json;
    }
    return NULL;
}

static void add_withdrawn(struct reading *t, size_t place, const char *version, const char *reason)
{
    const json_t *stone = tombstone(&t->dataset, version);
    const char *slug = t->dataset.slug, *path = odp_arena_printf(t->a, "v1/%s/versions.json", slug);
    add_take(t, ODP_EVENT_WITHDRAWN, place, slug, version,
             json_pack("{s:s, s:o, s:s?, s:s?, s:o, s:o}", "dataset", slug, "title",
                       events_text(json_object_get(t->dataset.entry, "title")), "version", version, "reason",
                       reason != NULL ? reason : text_of(stone, "reason"), "note",
                       events_text(json_object_get(stone, "note")), "versions_url",
                       events_url(t->base_url, odp_site_find(t->site, path) != NULL ? path : NULL)));
}

/* ---- the line ---- */

/* CHANGE takes its dataset away as a whole. */
static bool is_whole(const json_t *change)
{
    const char *what = text_of(change, "what");
    return what != NULL && (strcmp(what, "removed") == 0 ||
                            (strcmp(what, "withdrawn") == 0 && text_of(change, "version") == NULL));
}

/* A dataset that goes is the event of another change than the I-th: once, and its versions go with it. */
static bool is_in_other_change(const struct reading *t, size_t i, const char *dataset)
{
    const json_t *own = json_array_get(t->changes, i);
    for (size_t k = 0; k < json_array_size(t->changes); k++) {
        const json_t *other = json_array_get(t->changes, k);
        const char *name = text_of(other, "dataset");
        if (k != i && name != NULL && strcmp(name, dataset) == 0 && is_whole(other) &&
            (k < i || !is_whole(own)))
            return true;
    }
    return false;
}

static enum odp_status open_dataset(struct reading *t, const char *name)
{
    if (t->last != NULL && strcmp(t->last, name) == 0)
        return ODP_OK;
    if (t->last != NULL)
        events_dataset_release(&t->dataset);
    t->last = name;
    enum odp_status status = events_dataset_open(&t->dataset, t->site, name, t->a, t->diags);
    return status == ODP_BAD ? ODP_OK : status; /* poorer, and reported */
}

static enum odp_status add_change(struct reading *t, size_t i)
{
    const json_t *change = json_array_get(t->changes, i);
    const char *what = text_of(change, "what"), *name = text_of(change, "dataset"),
               *version = text_of(change, "version");
    what = odp_or_empty(what);
    bool published = strcmp(what, "published") == 0, corrected = strcmp(what, "corrected") == 0,
         deprecated = strcmp(what, "deprecated") == 0, whole = is_whole(change),
         withdrawn = whole || strcmp(what, "withdrawn") == 0;
    if (name == NULL || !(published || corrected || deprecated || withdrawn) ||
        (withdrawn && is_in_other_change(t, i, name)))
        return ODP_OK;
    enum odp_status status = open_dataset(t, name);
    if (status != ODP_OK)
        return status;
    if (published || corrected)
        return add_version(t, published ? ODP_EVENT_VERSION_PUBLISHED : ODP_EVENT_CORRECTED, i + 1, version);
    if (deprecated)
        add_deprecated(t, i + 1, version);
    else
        add_withdrawn(t, i + 1, whole ? NULL : version, text_of(change, "reason"));
    return ODP_OK;
}

enum odp_status odp_events_of_line(const struct odp_site *site, const struct odp_event_line *line,
                                   const char *base_url, struct odp_event_list *list, struct odp_arena *a,
                                   struct odp_diags *diags)
{
    struct reading t = {
        .site = site, .line = line, .base_url = base_url, .list = list, .a = a, .diags = diags};
    *list = (struct odp_event_list){NULL, 0};
    json_t *root = odp_json_load(line->text.ptr, line->text.len, 0, NULL);
    t.changes = json_object_get(root, "changes");
    t.release = text_of(root, "release");
    size_t n = json_array_size(t.changes);
    list->items = odp_arena_zero(a, n + 1, sizeof *list->items);
    enum odp_status status = ODP_OK;
    add_release(&t);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = add_change(&t, i);
    if (t.last != NULL)
        events_dataset_release(&t.dataset);
    json_decref(root);
    return status;
}

void odp_events_release(struct odp_event_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        json_decref(list->items[i].data);
    *list = (struct odp_event_list){NULL, 0};
}
