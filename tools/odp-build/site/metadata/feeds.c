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

enum { EVENTS = 200 }; /* of the log */

struct item {
    struct odp_datetime at;
    const struct odp_release *release; /* or */
    const struct odp_news *news;
    size_t order; /* within one moment: releases, changes of datasets, versions */
};

/* The moment of a date (its 00:00 in the portal's zone) or of an instant; false: it is neither. */
static bool read_instant(const struct odp_metadata *m, const char *date, struct odp_datetime *at)
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
    (void)odp_zone_offset(zone != NULL ? zone : "UTC", &at->offset); /* the catalogue refuses unknown ones */
    return true;
}

/* "2024-03-15T00:00:00+07:00" */
static void set_instant(json_t *o, const char *key, const struct odp_datetime *at)
{
    char text[ODP_DATETIME_SIZE];
    odp_set(o, key, json_stringn(text, odp_date_format(at, ODP_DATETIME, text)));
}

static void set_stamp(const struct odp_metadata *m, json_t *o, const char *key, const char *date)
{
    struct odp_datetime at;
    if (read_instant(m, date, &at))
        set_instant(o, key, &at);
    else
        odp_set_str(o, key, "1970-01-01T00:00:00Z");
}

/* ---- feed.xml ---- */

static int newest_first(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

/* Without those whose date cannot be read. */
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
        if (read_instant(m, date, &it.at))
            items[(*count)++] = it;
    }
    if (*count > 1)
        qsort(items, *count, sizeof *items, newest_first);
    return items;
}

/* The changes of a release in LANG as HTML, which the feed holds as text. */
static json_t *release_changes(const struct odp_release *r, enum odp_lang lang)
{
    json_t *list = json_array();
    for (size_t k = 0; k < r->nchanges; k++) {
        struct odp_buffer html = {0};
        odp_html_text(&html, odp_text_get(&r->changes[k], lang));
        odp_add(list, json_string(odp_buffer_cstr(&html)));
        odp_buffer_release(&html);
    }
    return list;
}

static void add_enclosure(json_t *list, const char *format, const char *url)
{
    odp_add(list, json_pack("{s:s, s:s}", "format", format, "path", odp_model_path(url)));
}

/* The downloads: of the newest version those that the index names; of others the first file of each format.
 */
static json_t *enclosures(const struct odp_news *w)
{
    const json_t *file;
    const char *format, *before = "";
    json_t *url, *list = json_array();
    size_t i;
    json_object_foreach(json_object_get(w->newest ? w->entry : NULL, "download"), format, url)
        add_enclosure(list, format, json_string_value(url));
    json_array_foreach(json_object_get(json_array_get(json_object_get(w->of, "resources"), 0), "files"), i,
                       file)
    {
        format = odp_text_of(file, "format");
        if (!w->newest && strcmp(format, before) != 0) /* files of one format are next to each other */
            add_enclosure(list, format, odp_text_of(file, "url"));
        before = format;
    }
    return list;
}

static void add_sentence(json_t *list, const char *what, json_t *value_take)
{
    bool said = json_is_true(value_take) || json_string_length(value_take) > 0 ||
                *odp_text_of(value_take, "id") != '\0' || *odp_text_of(value_take, "en") != '\0';
    if (said)
        odp_add(list, json_pack("{s:O}", what, value_take));
    json_decref(value_take);
}

/* The sentences of an entry's summary, in order; the template has the words. */
static json_t *sentences(const struct odp_news *w, const char *heir, bool changed)
{
    json_t *list = json_array();
    if (w->what == ODP_NEWS_VERSION) {
        add_sentence(list, "correction", odp_model_both(w->of, "correction"));
        add_sentence(list, "changed", json_boolean(changed));
        add_sentence(list, "description", odp_model_both(w->newest ? w->entry : NULL, "description"));
    } else {
        add_sentence(list, "sunset",
                     json_string(w->what == ODP_NEWS_DEPRECATED ? odp_text_of(w->entry, "odp:sunset") : ""));
        add_sentence(list, "heir", json_string(heir));
        add_sentence(list, "reason", json_string(w->reason != NULL ? w->reason : ""));
        add_sentence(list, "note", odp_model_both(w->of, "note"));
    }
    return list;
}

static json_t *news_entry(struct odp_metadata *m, const struct odp_news *w)
{
    static const char *const flags[] = {"is_version", "is_deprecated", "is_withdrawn", "is_removed"};
    const struct odp_dataset *d = odp_catalog_find(m->catalog, w->slug);
    const char *version = w->version != NULL ? w->version : "",
               *heir = odp_text_of(w->entry, "odp:replacedBy");
    if (w->what != ODP_NEWS_DEPRECATED)
        heir = w->version == NULL && d != NULL && d->replaced_by != NULL ? d->replaced_by : "";
    json_t *changes = odp_model_changes(w->of, w->entry),
           *list = sentences(w, heir, json_array_size(changes) > 0);
    const struct {
        const char *key, *path;
    } staged[] = {{"changes_html", metadata_printf(m, "data/%s/%s/changes.html", w->slug, version)},
                  {"changes_json", metadata_printf(m, "data/%s/%s/changes.json", w->slug, version)},
                  {"versions_json", metadata_printf(m, "data/%s/versions.json", w->slug)}};
    json_t *o = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:b, s:s, s:o, s:o}", "slug", w->slug, "version", version, "title",
        odp_news_title(m->catalog, w), "correction", odp_model_both(w->of, "correction"), "sentences", list,
        "has_summary", (int)(json_array_size(list) > 0), "since",
        odp_text_of(json_array_get(changes, 0), "from"), "changes", changes, "enclosures", enclosures(w));
    for (int i = 0; i < 4; i++)
        odp_set_flag(o, flags[i], (int)w->what == i);
    for (size_t i = 0; i < ODP_COUNT(staged); i++)
        odp_set_str(o, staged[i].key, odp_model_staged(m->job, staged[i].path));
    /* A single sentence from the catalogue appears once if both languages have the same. */
    json_t *only = json_object_iter_value(json_object_iter(json_array_get(list, 0)));
    if (json_array_size(list) == 1 && json_is_object(only))
        odp_set(o, "only", json_incref(only));
    return o;
}

/* Appends the entry of DATA (taken) to OUT. */
static void add_entry_take(struct odp_metadata *m, json_t *data, const struct odp_datetime *at,
                           struct odp_buffer *out)
{
    set_instant(data, "updated", at);
    metadata_render_take(m, "feed-entry", ODP_LANG_ID, data, out);
}

void metadata_feed_make(struct odp_metadata *m, const json_t *entry, struct odp_buffer *texts)
{
    struct odp_news_list news;
    struct odp_datetime at;
    m->status = odp_news_gather(&news, m->job, &entry, 1, 0, &m->arena);
    if (m->status == ODP_OK && news.n > 0 && read_instant(m, news.items[0].date, &at)) {
        m->status = odp_news_read(&news, 0, m->job);
        add_entry_take(m, json_pack("{s:o}", "news", news_entry(m, &news.items[0])), &at, texts);
    }
    odp_buffer_add_char(texts, '\0');
    json_decref(news.versions);
}

static void add_item(struct odp_metadata *m, const struct item *it, const char *const *newest,
                     struct odp_buffer *out)
{
    const struct odp_release *r = it->release;
    if (r != NULL)
        add_entry_take(m,
                       json_pack("{s:{s:s, s:o, s:o}}", "release", "version", r->version, "id",
                                 release_changes(r, ODP_LANG_ID), "en", release_changes(r, ODP_LANG_EN)),
                       &it->at, out);
    else if (it->news->newest)
        odp_buffer_add_str(out, newest[odp_job_number(m->job, it->news->slug)]);
    else
        add_entry_take(m, json_pack("{s:o}", "news", news_entry(m, it->news)), &it->at, out);
}

void metadata_feed(struct odp_metadata *m, const char *const *newest)
{
    static const char end[] = "</feed>\n";
    struct odp_news_list news = {NULL, 0, NULL};
    struct odp_buffer out = {0};
    size_t n, count = 0;
    const json_t **entries = odp_model_by_date(m->job->entries, &n, &m->arena);
    json_t *data = json_object();
    if (m->status == ODP_OK)
        m->status = odp_news_gather(&news, m->job, entries, n, EVENTS, &m->arena);
    struct item *items = list_items(m, &news, &count);
    if (count > 0)
        set_instant(data, "updated", &items[0].at);
    else
        set_stamp(m, data, "updated", "");
    metadata_render_take(m, "feed", ODP_LANG_ID, data, &out);
    out.len -= m->status == ODP_OK ? sizeof end - 1 : 0; /* left open for the entries */
    for (size_t i = 0; i < count && m->status == ODP_OK; i++)
        add_item(m, &items[i], newest, &out);
    odp_buffer_add_str(&out, end);
    if (m->status == ODP_OK)
        m->status = odp_buffer_status(&out);
    if (m->status == ODP_OK)
        m->status = odp_stage_put(m->job->stage, odp_path(ODP_PATH_feed, ODP_LANG_ID), "application/atom+xml",
                                  ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    json_decref(news.versions);
}

/* ---- of one dataset ---- */

void metadata_dataset_feed(struct odp_metadata *m, json_t *document)
{
    json_t *data = json_copy(document), *version;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(data, "versions"), "told"), i, version)
        set_stamp(m, version, "updated", odp_text_of(version, "date"));
    set_stamp(m, data, "stamp", odp_text_of(document, "updated"));
    metadata_put_take(m, "dataset-feed", metadata_beside_page(m, odp_text_of(document, "slug"), ".xml"),
                      "application/atom+xml", data);
}
