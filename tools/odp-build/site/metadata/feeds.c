/* feed.xml and katalog/<slug>.xml: Atom (RFC 4287), for those who cannot receive calls (webhooks): releases
 * of the API, versions of datasets and their corrections, deprecations, withdrawals; newest first. Ids are
 * addresses that never name anything else; `updated` is the day of the release or the data, of what is told
 * of a dataset the newest date of the site that first told it; never the day of the build.
 *
 * - Thinned versions are no news. Of the same moment come releases, then what happened to datasets, then
 *   versions.
 * - Ids are rilis.html#rilis-2.5.0, data/<slug>/<version>/, the same with #deprecated or #withdrawn,
 *   data/<slug>/#withdrawn, #removed. What happens twice (deprecated, taken back, deprecated again) is one
 *   entry, of the last time.
 * - `updated` of a day is 00:00 of the portal's time zone, or the version's own instant.
 * - One feed for both languages, each text "Indonesian / English": readers show one feed, and most of our
 *   users read both. */
#include "site/metadata/metadata_internal.h"

#include <stdlib.h>

#include "base/html.h"
#include "site/model/news.h"

struct item {
    struct odp_datetime at;
    const struct odp_release *release; /* or */
    const struct odp_news *news;
    size_t order; /* of what is of one moment: releases, what happened to datasets, versions */
};

bool metadata_instant(const struct odp_metadata *m, const char *date, struct odp_datetime *at)
{
    const char *zone = m->catalog->portal.time_zone;
    if (odp_date_parse(odp_slice_of(date), ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return true;
    if (odp_date_parse(odp_slice_of(date), ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        return false;
    at->hour = at->minute = at->second = 0;
    at->nanos = 0;
    at->has_date = at->has_time = at->has_offset = true;
    at->offset = 0;
    (void)odp_zone_offset(zone != NULL ? zone : "UTC",
                          &at->offset); /* the catalogue has refused one that is not known */
    return true;
}

const char *metadata_stamp(struct odp_metadata *m, const char *date)
{
    struct odp_datetime at;
    char text[ODP_DATETIME_SIZE];
    if (!metadata_instant(m, date, &at))
        return "1970-01-01T00:00:00Z";
    return metadata_printf(m, "%.*s", (int)odp_date_format(&at, ODP_DATETIME, text), text);
}

/* ---- feed.xml --------------------------------------------------------------------------------------- */

static int newest_first(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

/* What has no date that can be read is left out. */
static struct item *list_items(struct odp_metadata *m, const struct odp_news_list *news, size_t *count)
{
    const struct odp_catalog *c = m->catalog;
    struct item *items = odp_arena_array(&m->arena, c->nreleases + news->n + 1, sizeof *items);
    *count = 0;
    for (size_t i = 0; i < c->nreleases + news->n; i++) {
        struct item it = {.order = i};
        const char *date;
        if (i < c->nreleases) {
            it.release = &c->releases[i];
            date = it.release->date;
        } else {
            it.news = &news->items[i - c->nreleases];
            date = it.news->date;
            it.order += it.news->what == ODP_NEWS_VERSION ? news->n : 0;
        }
        if (metadata_instant(m, date, &it.at))
            items[(*count)++] = it;
    }
    if (*count > 1)
        qsort(items, *count, sizeof *items, newest_first);
    return items;
}

/* The changes of a release in LANG; as HTML, since the feed holds them as text of that. */
static json_t *release_changes(struct odp_metadata *m, const struct odp_release *r, enum odp_lang lang)
{
    json_t *list = json_array();
    for (size_t k = 0; k < r->nchanges; k++) {
        struct odp_buffer html;
        odp_buffer_init(&html);
        odp_html_text(&html, odp_text_get(&r->changes[k], lang));
        m->doc.failed = m->doc.failed || odp_buffer_status(&html) != ODP_OK;
        odp_doc_add(&m->doc, list, json_string(odp_buffer_cstr(&html)));
        odp_buffer_release(&html);
    }
    return list;
}

/* The downloads: of the newest version those that the index names; of others the first file of each format.
 */
static json_t *enclosures(struct odp_metadata *m, const struct odp_news *w)
{
    const json_t *file;
    const char *format, *before = "";
    json_t *url, *list = json_array();
    size_t i;
    json_object_foreach(json_object_get(w->newest ? w->entry : NULL, "download"), format, url)
        odp_doc_add(
            &m->doc, list,
            json_pack("{s:s, s:s}", "format", format, "path", odp_model_path(json_string_value(url))));
    json_array_foreach(json_object_get(json_array_get(json_object_get(w->of, "resources"), 0), "files"), i,
                        file) {
        format = odp_model_text(file, "format");
        if (!w->newest && strcmp(format, before) != 0) /* files of one format stand together */
            odp_doc_add(&m->doc, list,
                        json_pack("{s:s, s:s}", "format", format, "path",
                                  odp_model_path(odp_model_text(file, "url"))));
        before = format;
    }
    return list;
}

static void set_staged(struct odp_metadata *m, json_t *o, const char *key, const char *path)
{
    odp_doc_set_str(&m->doc, o, key, odp_model_is_staged(m->job, path) ? path : "");
}

static void add_sentence(struct odp_metadata *m, json_t *list, const char *what, json_t *value_take)
{
    bool said = json_is_true(value_take) || json_string_length(value_take) > 0 ||
                *odp_model_text(value_take, "id") != '\0' || *odp_model_text(value_take, "en") != '\0';
    if (said)
        odp_doc_add(&m->doc, list, json_pack("{s:O}", what, value_take));
    json_decref(value_take);
}

/* What is told of it, one after the other: the template has the words. */
static json_t *sentences(struct odp_metadata *m, const struct odp_news *w, const char *heir)
{
    json_t *list = json_array(), *changes = odp_model_changes(w->of);
    if (w->what == ODP_NEWS_VERSION) {
        add_sentence(m, list, "correction", odp_model_both(w->of, "correction"));
        add_sentence(m, list, "changed", json_boolean(json_array_size(changes) > 0));
        add_sentence(m, list, "description", odp_model_both(w->newest ? w->entry : NULL, "description"));
    } else {
        add_sentence(
            m, list, "sunset",
            json_string(w->what == ODP_NEWS_DEPRECATED ? odp_model_text(w->entry, "odp:sunset") : ""));
        add_sentence(m, list, "heir", json_string(heir));
        add_sentence(m, list, "reason", json_string(w->reason != NULL ? w->reason : ""));
        add_sentence(m, list, "note", odp_model_both(w->of, "note"));
    }
    json_decref(changes);
    return list;
}

/* The one sentence that is told, where it is of the catalogue: once, where both languages say the same. */
static void set_only(struct odp_metadata *m, json_t *o)
{
    const json_t *list = json_object_get(o, "sentences"),
                 *value = json_object_iter_value(json_object_iter(json_array_get(list, 0)));
    if (json_array_size(list) == 1 && json_is_object(value))
        odp_doc_set(&m->doc, o, "only", json_incref((json_t *)(uintptr_t)value));
}

static json_t *news_entry(struct odp_metadata *m, const struct odp_news *w)
{
    static const char *const flags[] = {"is_version", "is_deprecated", "is_withdrawn", "is_removed"};
    const struct odp_dataset *d = odp_catalog_find(m->catalog, w->slug);
    const char *version = w->version != NULL ? w->version : "",
               *heir = odp_model_text(w->entry, "odp:replacedBy");
    json_t *o = json_pack("{s:s, s:s, s:o}", "slug", w->slug, "version", version, "title",
                          odp_news_title(m->catalog, w));
    for (int i = 0; i < 4; i++)
        odp_doc_set(&m->doc, o, flags[i], json_boolean((int)w->what == i));
    if (w->what != ODP_NEWS_DEPRECATED)
        heir = w->version == NULL && d != NULL && d->replaced_by != NULL ? d->replaced_by : "";
    odp_doc_set(&m->doc, o, "correction", odp_model_both(w->of, "correction"));
    odp_doc_set(&m->doc, o, "sentences", sentences(m, w, heir));
    odp_doc_set(&m->doc, o, "has_summary",
                json_boolean(json_array_size(json_object_get(o, "sentences")) > 0));
    set_only(m, o);
    odp_doc_set(&m->doc, o, "changes", odp_model_changes(w->of));
    odp_doc_set_str(&m->doc, o, "since",
                    odp_model_text(json_array_get(json_object_get(o, "changes"), 0), "from"));
    odp_doc_set(&m->doc, o, "enclosures", enclosures(m, w));
    set_staged(m, o, "changes_html", metadata_printf(m, "data/%s/%s/changes.html", w->slug, version));
    set_staged(m, o, "changes_json", metadata_printf(m, "data/%s/%s/changes.json", w->slug, version));
    set_staged(m, o, "versions_json", metadata_printf(m, "data/%s/versions.json", w->slug));
    return o;
}

static json_t *make_entry(struct odp_metadata *m, const struct item *it)
{
    char text[ODP_DATETIME_SIZE];
    json_t *o = json_object();
    if (it->release != NULL)
        odp_doc_set(&m->doc, o, "release",
                    json_pack("{s:s, s:o, s:o}", "version", it->release->version, "id",
                              release_changes(m, it->release, ODP_LANG_ID), "en",
                              release_changes(m, it->release, ODP_LANG_EN)));
    else
        odp_doc_set(&m->doc, o, "news", news_entry(m, it->news));
    odp_doc_set_str(&m->doc, o, "updated",
                    metadata_printf(m, "%.*s", (int)odp_date_format(&it->at, ODP_DATETIME, text), text));
    return o;
}

enum odp_status metadata_feeds(struct odp_metadata *m)
{
    struct odp_news_list news = {NULL, 0, NULL};
    size_t n, count = 0;
    const json_t **newest = odp_model_by_date(m->job->entries, &n, &m->arena);
    enum odp_status status = newest != NULL ? odp_news_gather(&news, m->job, newest, n, &m->arena) : ODP_FAIL;
    struct item *items = status == ODP_OK ? list_items(m, &news, &count) : NULL;
    json_t *data = json_object(), *list = json_array();
    for (size_t i = 0; i < count; i++)
        odp_doc_add(&m->doc, list, make_entry(m, &items[i]));
    odp_doc_set_str(&m->doc, data, "updated",
                    count > 0 ? odp_model_text(json_array_get(list, 0), "updated") : metadata_stamp(m, ""));
    odp_doc_set(&m->doc, data, "entries", list);
    json_decref(news.versions);
    if (status == ODP_OK)
        return metadata_put_take(m, "feed", odp_path(ODP_PATH_feed, ODP_LANG_ID), "application/atom+xml",
                                 data);
    json_decref(data);
    return status;
}

/* ---- of one dataset --------------------------------------------------------------------------------- */

enum odp_status metadata_dataset_feed(struct odp_metadata *m, json_t *document)
{
    json_t *data = json_copy(document), *version;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(data, "versions"), "told"), i, version)
        odp_doc_set_str(&m->doc, version, "updated", metadata_stamp(m, odp_model_text(version, "date")));
    odp_doc_set_str(&m->doc, data, "stamp", metadata_stamp(m, odp_model_text(document, "updated")));
    return metadata_put_take(m, "dataset-feed",
                             metadata_beside_page(m, odp_model_text(document, "slug"), ".xml"),
                             "application/atom+xml", data);
}
