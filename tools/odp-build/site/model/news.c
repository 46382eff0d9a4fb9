/* What has happened, for feed.xml: the newest version of each dataset, and what the release log tells of the
 * last times. Everything is read from the staged site, so equal sites have equal feeds, whatever they were
 * built from.
 *
 * Limits, so that the feed does not grow for ever and a dataset of every hour does not push the others out:
 * of the log's last LINES lines the newest EVENTS happenings, and of one dataset VERSIONS versions. What is
 * over by now is left out: versions that are not published any more, a deprecation that was taken back, the
 * withdrawal of a dataset that is there again. */
#include <errno.h>

#include "site/model/news.h"
#include "base/json_load.h"
#include "published/stage.h"

enum { LINES = 1000, EVENTS = 200, VERSIONS = 10, LOG_MAX = 1 << 30 };

struct gather {
    const struct odp_site_job *job;
    const json_t *const *entries;
    size_t nentries;
    struct odp_news *news;
    size_t n;
    json_t *versions; /* by slug: versions.json; null: none */
    struct odp_arena *arena;
};

static const json_t *entry_of(const struct gather *g, const char *slug)
{
    return odp_model_find(g->job->entries, "slug", slug);
}

/* data/<slug>/versions.json as it is staged, kept in g->versions; JSON null: there is none. */
static enum odp_status read_versions(struct gather *g, const char *slug)
{
    const char *path = odp_arena_printf(g->arena, "data/%s/versions.json", slug);
    json_t *root = NULL;
    if (json_object_get(g->versions, slug) != NULL)
        return ODP_OK;
    enum odp_status status = odp_model_read(g->job, path, &root);
    if (status == ODP_OK && json_object_set_new(g->versions, slug, root != NULL ? root : json_null()) != 0)
        status = odp_failure_set("read JSON", path, ENOMEM);
    return status;
}

static const json_t *version_of(const struct gather *g, const char *slug, const char *version)
{
    const json_t *list = json_object_get(json_object_get(g->versions, slug), "data");
    for (size_t i = 0; version != NULL && i < json_array_size(list); i++)
        if (strcmp(odp_model_text(json_array_get(list, i), "version"), version) == 0)
            return json_array_get(list, i);
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* It is told already, of a later time: an entry of the feed is known by what happened, not by how often.
 * VERSIONS told so far of the dataset are counted. */
static bool is_told(const struct gather *g, const struct odp_news *one, size_t *versions)
{
    *versions = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct odp_news *other = &g->news[i];
        if (other->what != one->what || strcmp(other->slug, one->slug) != 0)
            continue;
        if (same_text(other->version, one->version))
            return true;
        *versions += other->what == ODP_NEWS_VERSION;
    }
    return false;
}

static bool is_over(const struct odp_news *one)
{
    bool there = one->entry != NULL && *odp_model_text(one->entry, "version") != '\0';
    switch (one->what) {
    case ODP_NEWS_VERSION:
        return strcmp(odp_model_text(one->of, "state"), "published") != 0;
    case ODP_NEWS_DEPRECATED:
        return one->entry != NULL && strcmp(odp_model_text(one->entry, "state"), "deprecated") != 0;
    case ODP_NEWS_WITHDRAWN:
        return one->version == NULL && there;
    default:
        return there;
    }
}

/* "published" and its like; -1: nothing that is told here. */
static int happening(const char *what)
{
    static const struct {
        const char *what;
        enum odp_happening happening;
    } all[] = {{"published", ODP_NEWS_VERSION},
               {"corrected", ODP_NEWS_VERSION},
               {"deprecated", ODP_NEWS_DEPRECATED},
               {"withdrawn", ODP_NEWS_WITHDRAWN},
               {"removed", ODP_NEWS_REMOVED}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].what, what) == 0)
            return (int)all[i].happening;
    return -1;
}

static const char *copy(struct gather *g, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? odp_arena_str(g->arena, s) : NULL;
}

static enum odp_status tell(struct gather *g, struct odp_news one)
{
    enum odp_status status = read_versions(g, one.slug);
    one.of = version_of(g, one.slug, one.version);
    if (status == ODP_OK && !is_over(&one))
        g->news[g->n++] = one;
    return status;
}

/* The newest versions: always told, and first. */
static enum odp_status take_newest(struct gather *g)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < g->nentries && status == ODP_OK; i++) {
        const json_t *e = g->entries[i];
        status = read_versions(g, odp_model_text(e, "slug"));
        if (*odp_model_text(e, "version") == '\0')
            continue;
        g->news[g->n++] =
            (struct odp_news){.what = ODP_NEWS_VERSION,
                              .newest = true,
                              .slug = odp_model_text(e, "slug"),
                              .version = odp_model_text(e, "version"),
                              .date = odp_model_text(e, "last_update"),
                              .entry = e,
                              .of = version_of(g, odp_model_text(e, "slug"), odp_model_text(e, "version"))};
    }
    return status;
}

/* One change of a line; DATE is the line's. */
static enum odp_status take_change(struct gather *g, const json_t *change, const char *date)
{
    size_t told;
    int what = happening(odp_model_text(change, "what"));
    struct odp_news one = {
        .slug = copy(g, change, "dataset"), .version = copy(g, change, "version"), .date = date};
    if (what < 0 || one.slug == NULL || (what == ODP_NEWS_VERSION && one.version == NULL))
        return ODP_OK;
    one.what = (enum odp_happening)what;
    one.reason = copy(g, change, "reason");
    one.entry = entry_of(g, one.slug);
    if (is_told(g, &one, &told) || told >= VERSIONS)
        return ODP_OK;
    return tell(g, one);
}

static enum odp_status take_line(struct gather *g, struct odp_slice line, size_t most)
{
    json_error_t error;
    json_t *o = odp_json_load(line.ptr, line.len, JSON_REJECT_DUPLICATES, &error);
    const json_t *changes = json_object_get(o, "changes");
    const char *date = copy(g, o, "date");
    enum odp_status status = ODP_OK; /* a damaged log is for `verify` to tell of */
    if (o == NULL && json_error_code(&error) == json_error_out_of_memory)
        status = odp_failure_set("read JSON", "releases.log", ENOMEM);
    for (size_t i = json_array_size(changes); i > 0 && g->n < most && status == ODP_OK; i--)
        status = take_change(g, json_array_get(changes, i - 1), date != NULL ? date : "");
    json_decref(o);
    return status;
}

/* Back from the end of LOG. */
static enum odp_status take_log(struct gather *g, struct odp_slice log, size_t most)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < LINES && log.len > 0 && g->n < most && status == ODP_OK; k++) {
        size_t start = --log.len; /* without the line feed */
        while (start > 0 && log.ptr[start - 1] != '\n')
            start--;
        status = take_line(g, (struct odp_slice){log.ptr + start, log.len - start}, most);
        log.len = start;
    }
    return status;
}

enum odp_status odp_news_gather(struct odp_news_list *out, const struct odp_site_job *job,
                                const json_t *const *entries, size_t n, struct odp_arena *a)
{
    struct gather g = {.job = job, .entries = entries, .nentries = n, .arena = a};
    struct odp_buffer log;
    odp_buffer_init(&log);
    g.versions = json_object();
    g.news = odp_arena_zero(a, n + EVENTS, sizeof *g.news);
    enum odp_status status = take_newest(&g);
    if (status == ODP_OK)
        status = odp_stage_read(job->stage, odp_path(ODP_PATH_release_log, ODP_LANG_ID), LOG_MAX,
                                job->previous, &log, job->diags);
    if (status == ODP_OK)
        status = take_log(&g, odp_buffer_slice(&log), g.n + EVENTS);
    odp_buffer_release(&log);
    *out = (struct odp_news_list){g.news, g.n, g.versions};
    return status == ODP_DONE ? ODP_OK : status;
}

json_t *odp_news_title(const struct odp_catalog *c, const struct odp_news *news)
{
    const struct odp_dataset *d = odp_catalog_find(c, news->slug);
    if (news->entry != NULL)
        return odp_model_both(news->entry, "title");
    return d != NULL && !odp_text_is_empty(&d->title) ? odp_doc_text(&d->title) : json_string(news->slug);
}
