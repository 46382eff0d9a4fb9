#include "portal/parts.h"

#include <stdlib.h>

const char *portal_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

const char *portal_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const json_t *text = json_object_get(o, key);
    if (!json_is_object(text))
        return portal_text(o, key);
    const char *mine = portal_text(text, lang == ODP_LANG_ID ? "id" : "en"),
               *other = portal_text(text, lang == ODP_LANG_ID ? "en" : "id");
    return *mine != '\0' ? mine : other;
}

struct dated {
    const json_t *entry;
    struct odp_datetime at;
    size_t order;
};

/* A date is its 00:00 UTC here: the order need not be finer. */
static void read_date(const json_t *entry, struct odp_datetime *at)
{
    struct odp_slice text = odp_slice_of(portal_text(entry, "last_update"));
    if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return;
    if (odp_date_parse(text, ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        *at = (struct odp_datetime){.year = 1, .month = 1, .day = 1};
    at->has_date = at->has_time = at->has_offset = true;
}

static int newest_first(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

const json_t **portal_newest(const json_t *entries, size_t *n, struct odp_arena *a)
{
    *n = json_array_size(entries);
    struct dated *dated = odp_arena_zero(a, *n + 1, sizeof *dated);
    const json_t **out = odp_arena_array(a, *n + 1, sizeof *out);
    if (dated == NULL || out == NULL)
        return NULL;
    for (size_t i = 0; i < *n; i++) {
        dated[i].entry = json_array_get(entries, i);
        dated[i].order = i;
        read_date(dated[i].entry, &dated[i].at);
    }
    if (*n > 1)
        qsort(dated, *n, sizeof *dated, newest_first);
    for (size_t i = 0; i < *n; i++)
        out[i] = dated[i].entry;
    return out;
}

static enum odp_status put(struct odp_stage *s, const char *path, const char *type, struct odp_buffer *out)
{
    enum odp_status status = odp_buffer_status(out);
    if (status == ODP_OK)
        status = odp_stage_put(s, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(out));
    odp_buffer_clear(out);
    return status;
}

enum odp_status odp_portal_releases(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                                    const struct odp_site *previous, struct odp_diags *diags)
{
    static const char *const paths[ODP_LANGS] = {"rilis.html", "en/releases.html"};
    struct odp_arena arena;
    struct odp_buffer out;
    struct portal_news_list news = {NULL, 0, NULL};
    size_t n;
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    const json_t **newest = portal_newest(entries, &n, &arena);
    enum odp_status status = newest != NULL ? ODP_OK : ODP_FAIL;
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++) {
        portal_releases_page(&out, s, c, newest, n, (enum odp_lang)lang, &arena);
        status = put(s, paths[lang], "text/html; charset=utf-8", &out);
    }
    if (status == ODP_OK)
        status = portal_news(&news, s, newest, n, previous, &arena, diags);
    if (status == ODP_OK) {
        portal_feed(&out, s, c, news.items, news.n, &arena);
        status = put(s, "feed.xml", "application/atom+xml", &out);
    }
    json_decref(news.versions);
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return status;
}
