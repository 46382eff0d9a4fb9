/* News for feed.xml: the newest version of each dataset, and recent changes in the release log. All from the
 * staged site, so equal sites have equal feeds, whatever they were built from.
 *
 * Limits, so that the feed stays short and an hourly dataset does not push the others out: of the log's last
 * LINES lines as many changes as are asked for, and VERSIONS versions of one dataset. What is over is left
 * out: versions that are no longer published, a deprecation that was taken back, the withdrawal of a dataset
 * that is there again. */
#include "site/model/news.h"

#include "base/json_load.h"

enum { LINES = 1000, VERSIONS = 10, LOG_MAX = 1 << 30 };

struct gather {
    const struct odp_site_job *job;
    struct odp_news *news;
    size_t n, newest; /* newest: how many of them are newest versions, the first */
    json_t *versions; /* by slug: versions.json; null: none */
    struct odp_arena *arena;
    enum odp_status status;
};

/* VERSION of the staged data/<slug>/versions.json, which VERSIONS keeps, or NULL. */
static enum odp_status find_version(json_t *versions, const struct odp_site_job *job, const char *slug,
                                    const char *version, const json_t **out)
{
    enum odp_status status = ODP_OK;
    if (json_object_get(versions, slug) == NULL) {
        json_t *root = NULL, *path = json_sprintf("data/%s/versions.json", slug);
        status = odp_job_read_kept(job, json_string_value(path), &root);
        odp_set(versions, slug, root != NULL ? root : json_null());
        json_decref(path);
    }
    const json_t *list = json_object_get(json_object_get(versions, slug), "data");
    *out = version != NULL ? odp_model_find(list, "version", version) : NULL;
    return status;
}

enum odp_status odp_news_read(struct odp_news_list *news, size_t i, const struct odp_site_job *job)
{
    struct odp_news *w = &news->items[i];
    return w->newest ? find_version(news->versions, job, w->slug, w->version, &w->of) : ODP_OK;
}

/* Whether it is listed already, with a later date: the feed has each change once. *VERSIONS: the dataset's
 * versions so far. */
static bool is_told(const struct gather *g, const struct odp_news *one, size_t *versions)
{
    const char *newest = odp_text_of(one->entry, "version");
    *versions = *newest != '\0';
    if (one->what == ODP_NEWS_VERSION && strcmp(one->version, newest) == 0)
        return true;
    for (size_t i = g->newest; i < g->n; i++) {
        const struct odp_news *other = &g->news[i];
        if (other->what != one->what || strcmp(other->slug, one->slug) != 0)
            continue;
        bool both = other->version != NULL && one->version != NULL;
        if (both ? strcmp(other->version, one->version) == 0 : other->version == one->version)
            return true;
        *versions += other->what == ODP_NEWS_VERSION;
    }
    return false;
}

static bool is_over(const struct odp_news *one)
{
    bool there = *odp_text_of(one->entry, "version") != '\0';
    switch (one->what) {
    case ODP_NEWS_VERSION:
        return strcmp(odp_text_of(one->of, "state"), "published") != 0;
    case ODP_NEWS_DEPRECATED:
        return one->entry != NULL && strcmp(odp_text_of(one->entry, "state"), "deprecated") != 0;
    case ODP_NEWS_WITHDRAWN:
        return one->version == NULL && there;
    default:
        return there;
    }
}

/* The kind of "published" and the like; false: not for the feed. */
static bool find_happening(const char *what, enum odp_happening *happening)
{
    static const struct {
        const char *what;
        enum odp_happening happening;
    } all[] = {{"published", ODP_NEWS_VERSION},
               {"corrected", ODP_NEWS_VERSION},
               {"deprecated", ODP_NEWS_DEPRECATED},
               {"withdrawn", ODP_NEWS_WITHDRAWN},
               {"removed", ODP_NEWS_REMOVED}};
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        if (strcmp(all[i].what, what) == 0) {
            *happening = all[i].happening;
            return true;
        }
    return false;
}

static const char *copy(struct gather *g, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? odp_arena_str(g->arena, s) : NULL;
}

/* One change of a line; DATE is the line's. */
static void take_change(struct gather *g, const json_t *change, const char *date)
{
    size_t told;
    struct odp_news one = {.slug = copy(g, change, "dataset"),
                           .version = copy(g, change, "version"),
                           .date = date,
                           .reason = copy(g, change, "reason")};
    if (!find_happening(odp_text_of(change, "what"), &one.what) || one.slug == NULL ||
        (one.what == ODP_NEWS_VERSION && one.version == NULL))
        return;
    one.entry = odp_job_entry(g->job, one.slug);
    if (is_told(g, &one, &told) || told >= VERSIONS)
        return;
    g->status = find_version(g->versions, g->job, one.slug, one.version, &one.of);
    if (!is_over(&one))
        g->news[g->n++] = one;
}

/* Backwards from the end of LOG; `verify` reports damaged lines. */
static void take_log(struct gather *g, struct odp_slice log, size_t most)
{
    for (size_t k = 0; k < LINES && log.len > 0 && g->n < most && g->status == ODP_OK; k++) {
        size_t start = --log.len; /* without the line feed */
        while (start > 0 && log.ptr[start - 1] != '\n')
            start--;
        json_t *o = odp_json_load(log.ptr + start, log.len - start, JSON_REJECT_DUPLICATES, NULL);
        const json_t *changes = json_object_get(o, "changes");
        const char *date = copy(g, o, "date");
        for (size_t i = json_array_size(changes); i > 0 && g->n < most; i--)
            take_change(g, json_array_get(changes, i - 1), date != NULL ? date : "");
        json_decref(o);
        log.len = start;
    }
}

enum odp_status odp_news_gather(struct odp_news_list *out, const struct odp_site_job *job,
                                const json_t *const *entries, size_t n, size_t events, struct odp_arena *a)
{
    struct gather g = {.job = job, .arena = a, .versions = json_object()};
    struct odp_buffer log = {0};
    g.news = odp_arena_zero(a, n + events, sizeof *g.news);
    for (size_t i = 0; i < n; i++) { /* the newest versions: always listed, and first */
        const json_t *e = entries[i];
        const char *slug = odp_text_of(e, "slug"), *version = odp_text_of(e, "version");
        if (*version != '\0')
            g.news[g.newest++] = (struct odp_news){.what = ODP_NEWS_VERSION,
                                                   .newest = true,
                                                   .slug = slug,
                                                   .version = version,
                                                   .date = odp_text_of(e, "last_update"),
                                                   .entry = e};
    }
    g.n = g.newest;
    if (events > 0)
        g.status = odp_stage_read(job->stage, odp_path(ODP_PATH_release_log, ODP_LANG_ID), LOG_MAX,
                                  job->previous, &log, job->diags);
    if (g.status == ODP_OK)
        take_log(&g, odp_buffer_slice(&log), g.n + events);
    odp_buffer_release(&log);
    *out = (struct odp_news_list){g.news, g.n, g.versions};
    return g.status == ODP_DONE ? ODP_OK : g.status;
}

json_t *odp_news_title(const struct odp_catalog *c, const struct odp_news *news)
{
    const struct odp_dataset *d = odp_catalog_find(c, news->slug);
    if (news->entry != NULL)
        return odp_model_both(news->entry, "title");
    return d != NULL && !odp_text_is_empty(&d->title) ? odp_doc_text(&d->title) : json_string(news->slug);
}
