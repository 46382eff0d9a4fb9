/* feed.xml: Atom (RFC 4287), for those who cannot receive calls (webhooks): releases of the API, versions of datasets and their
 * corrections, deprecations, withdrawals; newest first. Ids are addresses that never name anything else; `updated` is the day
 * of the release or the data, of what is told of a dataset the newest date of the site that first told it; never the day of the
 * build.
 *
 * - Thinned versions are no news. Of the same moment come releases, then what happened to datasets, then
 *   versions.
 * - Ids are rilis.html#rilis-2.5.0, data/<slug>/<version>/, the same with #deprecated or #withdrawn,
 *   data/<slug>/#withdrawn, #removed. What happens twice (deprecated, taken back, deprecated again) is one
 *   entry, of the last time.
 * - `updated` of a day is 00:00 of the portal's time zone, or the version's own instant.
 * - One feed for both languages, each text "Indonesian / English": readers show one feed, and most of our
 *   users read both. */
#include <stdlib.h>

#include "site/metadata/metadata.h"
#include "site/pages/pages_internal.h"

#define NEVER "1970-01-01T00:00:00Z"

struct feed {
    struct odp_buffer *out;
    const struct odp_stage *stage;
    const struct odp_catalog *catalog;
    struct odp_arena *arena;
    int16_t zone; /* minutes east of UTC: a date is its 00:00 there */
};

struct item {
    struct odp_datetime at;
    const struct odp_release *release; /* or */
    const struct portal_news *news;
    size_t order; /* of what is of one moment: releases, what happened to datasets, versions */
};

struct words {
    struct odp_buffer in[ODP_LANGS]; /* zeroed is empty */
};

static void text(struct feed *f, const char *s)
{
    odp_html_text(f->out, s);
}

static void raw(struct feed *f, const char *s)
{
    odp_buffer_add_str(f->out, s);
}

/* RFC 3339. */
static void stamp(struct feed *f, const struct odp_datetime *at)
{
    char text_of[ODP_DATETIME_SIZE];
    odp_buffer_add(f->out, text_of, odp_date_format(at, ODP_DATETIME, text_of));
}

static bool read_stamp(const struct feed *f, const char *s, struct odp_datetime *at)
{
    if (odp_date_parse(odp_slice_of(s), ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return true;
    if (odp_date_parse(odp_slice_of(s), ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        return false;
    at->hour = at->minute = at->second = 0;
    at->nanos = 0;
    at->has_date = at->has_time = at->has_offset = true;
    at->offset = f->zone;
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

/* What has no date that can be read is left out. NULL without memory. */
static struct item *list_items(const struct feed *f, const struct portal_news *news, size_t n, size_t *count)
{
    const struct odp_catalog *c = f->catalog;
    struct item *items = odp_realloc_array(NULL, c->nreleases + n + 1, sizeof *items);
    *count = 0;
    for (size_t i = 0; items != NULL && i < c->nreleases + n; i++) {
        struct item *it = &items[*count];
        *it = (struct item){.order = i};
        if (i < c->nreleases)
            it->release = &c->releases[i];
        else
            it->news = &news[i - c->nreleases];
        if (it->news != NULL && it->news->what == PORTAL_VERSION)
            it->order += n;
        if (read_stamp(f, it->release != NULL ? it->release->date : it->news->date, &it->at))
            *count += 1;
    }
    if (items != NULL && *count > 1)
        qsort(items, *count, sizeof *items, newest_first);
    return items;
}

static void element(struct feed *f, const char *open, const char *id, const char *en, const char *close)
{
    raw(f, open);
    text(f, id);
    if (strcmp(id, en) != 0) {
        raw(f, " / ");
        text(f, en);
    }
    raw(f, close);
}

/* The changes as two lists, one a language; HTML that is text here. */
static void release_content(struct feed *f, const struct odp_release *r)
{
    struct odp_buffer html;
    odp_buffer_init(&html);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_printf(&html, "<ul lang=\"%s\">", lang == ODP_LANG_ID ? "id" : "en");
        for (size_t k = 0; k < r->nchanges; k++) {
            odp_buffer_add_str(&html, "<li>");
            odp_html_text(&html, odp_text_get(&r->changes[k], (enum odp_lang)lang));
            odp_buffer_add_str(&html, "</li>");
        }
        odp_buffer_add_str(&html, "</ul>");
    }
    raw(f, "<content type=\"html\">");
    odp_html_twice(f->out, odp_buffer_slice(&html));
    raw(f, "</content>\n");
    f->out->failed = f->out->failed || html.failed;
    odp_buffer_release(&html);
}

static void release(struct feed *f, const struct item *it)
{
    const char *base = f->catalog->portal.base_url, *version = it->release->version;
    raw(f, "<id>");
    text(f, base);
    raw(f, "rilis.html#rilis-");
    text(f, version);
    raw(f, "</id>\n<title>Rilis API ");
    text(f, version);
    raw(f, " / API release ");
    text(f, version);
    raw(f, "</title>\n<link rel=\"alternate\" type=\"text/html\" href=\"");
    text(f, base);
    raw(f, "rilis.html#rilis-");
    text(f, version);
    raw(f, "\"/>\n<category term=\"release\"/>\n");
    release_content(f, it->release);
}

/* ---- datasets --------------------------------------------------------------------------------------------------------------
 */

/* The title by which people know it; where nobody tells it any more, its address. */
static struct odp_text title_of(const struct feed *f, const struct portal_news *w)
{
    const struct odp_dataset *d = odp_catalog_find(f->catalog, w->slug);
    struct odp_text t = {{w->slug, w->slug}};
    if (w->entry != NULL)
        t = (struct odp_text){{portal_in(w->entry, "title", ODP_LANG_ID), portal_in(w->entry, "title", ODP_LANG_EN)}};
    else if (d != NULL && !odp_text_is_empty(&d->title))
        t = (struct odp_text){{odp_text_get(&d->title, ODP_LANG_ID), odp_text_get(&d->title, ODP_LANG_EN)}};
    return t;
}

static void identify(struct feed *f, const struct portal_news *w)
{
    static const char *const marks[] = {"", "#deprecated", "#withdrawn", "#removed"};
    raw(f, "<id>");
    text(f, f->catalog->portal.base_url);
    raw(f, "data/");
    text(f, w->slug);
    raw(f, "/");
    if (w->version != NULL) {
        text(f, w->version);
        raw(f, "/");
    }
    raw(f, marks[w->what]);
    raw(f, "</id>\n");
}

/* A link to PATH of the site where such a file is staged. */
static void related(struct feed *f, const char *path, const char *type, const char *title)
{
    f->out->failed = f->out->failed || path == NULL;
    if (path == NULL || odp_stage_find(f->stage, path) == NULL)
        return;
    odp_buffer_printf(f->out, "<link rel=\"related\" type=\"%s\" title=\"%s\" href=\"", type, title);
    text(f, f->catalog->portal.base_url);
    text(f, path);
    raw(f, "\"/>\n");
}

static void alternate(struct feed *f, const char *path)
{
    raw(f, "<link rel=\"alternate\" type=\"text/html\" href=\"");
    text(f, f->catalog->portal.base_url);
    raw(f, path);
    raw(f, "\"/>\n");
}

static void categories(struct feed *f, const struct portal_news *w, const char *what)
{
    raw(f, "<category term=\"dataset\"/>\n<category term=\"");
    raw(f, what);
    raw(f, "\"/>\n<category term=\"");
    text(f, w->slug);
    raw(f, "\"/>\n");
}

static void enclosure(struct feed *f, const char *format, const char *path)
{
    raw(f, "<link rel=\"enclosure\" title=\"");
    text(f, format);
    raw(f, "\" href=\"");
    text(f, f->catalog->portal.base_url);
    text(f, path);
    raw(f, "\"/>\n");
}

/* The downloads: of the newest version those that the index names; of others the first file of each format. */
static void enclosures(struct feed *f, const struct portal_news *w)
{
    const json_t *files = json_object_get(json_array_get(json_object_get(w->of, "resources"), 0), "files");
    const char *format, *before = "";
    json_t *url;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(w->newest ? w->entry : NULL, "download"), format,
                        url) /* reads only */
    {
        const char *path = json_string_value(url);
        if (path != NULL && strncmp(path, "../", 3) == 0)
            enclosure(f, format, path + 3);
    }
    for (size_t i = 0; !w->newest && i < json_array_size(files); i++) { /* files of one format stand together */
        const json_t *file = json_array_get(files, i);
        const char *path = portal_text(file, "url");
        if (strcmp(portal_text(file, "format"), before) != 0 && strncmp(path, "../../", 6) == 0)
            enclosure(f, portal_text(file, "format"), path + 6);
        before = portal_text(file, "format");
    }
}

/* Appends a sentence in both languages. */
static void add(struct words *w, const char *id, const char *en)
{
    const char *const in[ODP_LANGS] = {[ODP_LANG_ID] = id, [ODP_LANG_EN] = en};
    for (int k = 0; k < ODP_LANGS; k++)
        if (in[k] != NULL && *in[k] != '\0')
            odp_buffer_printf(&w->in[k], "%s%s", w->in[k].len > 0 ? " " : "", in[k]);
}

static void summary_take(struct feed *f, struct words *w)
{
    if (w->in[0].len > 0 || w->in[1].len > 0)
        element(f, "<summary>", odp_buffer_cstr(&w->in[ODP_LANG_ID]), odp_buffer_cstr(&w->in[ODP_LANG_EN]), "</summary>\n");
    for (int k = 0; k < ODP_LANGS; k++) {
        f->out->failed = f->out->failed || odp_buffer_status(&w->in[k]) != ODP_OK;
        odp_buffer_release(&w->in[k]);
    }
}

static void version(struct feed *f, const struct portal_news *w)
{
    const struct odp_text title = title_of(f, w);
    const json_t *correction = json_object_get(w->of, "correction");
    struct words said = {0};
    element(f, "<title>", title.in[ODP_LANG_ID], title.in[ODP_LANG_EN], ": ");
    text(f, w->version);
    raw(f, correction != NULL ? " (koreksi / correction)</title>\n" : "</title>\n");
    alternate(f, "rilis.html#versi");
    enclosures(f, w);
    related(f, odp_arena_printf(f->arena, "data/%s/%s/changes.html", w->slug, w->version), "text/html", "perubahan / changes");
    related(f, odp_arena_printf(f->arena, "data/%s/%s/changes.json", w->slug, w->version), "application/json",
            "perubahan / changes");
    categories(f, w, correction != NULL ? "correction" : "version");
    if (correction != NULL)
        add(&said, portal_in(w->of, "correction", ODP_LANG_ID), portal_in(w->of, "correction", ODP_LANG_EN));
    const struct odp_text changes = odp_metadata_changes(w->of, f->arena);
    f->out->failed = f->out->failed || changes.in[ODP_LANG_ID] == NULL || changes.in[ODP_LANG_EN] == NULL;
    add(&said, changes.in[ODP_LANG_ID], changes.in[ODP_LANG_EN]);
    if (w->newest)
        add(&said, portal_in(w->entry, "description", ODP_LANG_ID), portal_in(w->entry, "description", ODP_LANG_EN));
    summary_take(f, &said);
}

/* What takes its place, and from when on it may be gone, as far as anybody says. */
static void add_heir(struct feed *f, struct words *w, const char *sunset, const char *heir)
{
    if (*sunset != '\0')
        add(w, odp_arena_printf(f->arena, "Paling cepat dihapus %s.", sunset),
            odp_arena_printf(f->arena, "Removed on %s at the earliest.", sunset));
    if (*heir != '\0')
        add(w, odp_arena_printf(f->arena, "Penggantinya: %s.", heir), odp_arena_printf(f->arena, "Use %s instead.", heir));
}

static void happening(struct feed *f, const struct portal_news *w)
{
    static const struct {
        const char *category;
        struct odp_text words;
    } kinds[] = {[PORTAL_VERSION] = {"version", {{"versi baru", "new version"}}},
                 [PORTAL_DEPRECATED] = {"deprecated", {{"akan dihentikan", "deprecated"}}},
                 [PORTAL_WITHDRAWN] = {"withdrawn", {{"ditarik", "withdrawn"}}},
                 [PORTAL_REMOVED] = {"removed", {{"tidak ada lagi dalam katalog", "no longer in the catalogue"}}}};
    const struct odp_text title = title_of(f, w);
    const struct odp_dataset *d = odp_catalog_find(f->catalog, w->slug);
    struct words said = {0};
    element(f, "<title>", title.in[ODP_LANG_ID], title.in[ODP_LANG_EN], ": ");
    if (w->what == PORTAL_WITHDRAWN && w->version != NULL) {
        text(f, w->version);
        raw(f, " ");
    }
    element(f, "", kinds[w->what].words.in[ODP_LANG_ID], kinds[w->what].words.in[ODP_LANG_EN], "</title>\n");
    alternate(f, "rilis.html");
    related(f, odp_arena_printf(f->arena, "data/%s/versions.json", w->slug), "application/json", "semua versi / all versions");
    categories(f, w, kinds[w->what].category);
    if (w->what == PORTAL_DEPRECATED)
        add_heir(f, &said, portal_text(w->entry, "odp:sunset"), portal_text(w->entry, "odp:replacedBy"));
    else if (w->version == NULL && d != NULL)
        add_heir(f, &said, "", d->replaced_by != NULL ? d->replaced_by : "");
    if (w->reason != NULL)
        add(&said, odp_arena_printf(f->arena, "Alasan: %s.", w->reason), odp_arena_printf(f->arena, "Reason: %s.", w->reason));
    add(&said, portal_in(w->of, "note", ODP_LANG_ID), portal_in(w->of, "note", ODP_LANG_EN));
    summary_take(f, &said);
}

static void news(struct feed *f, const struct portal_news *w)
{
    identify(f, w);
    if (w->what == PORTAL_VERSION)
        version(f, w);
    else
        happening(f, w);
}

void portal_feed(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c, const struct portal_news *list,
                 size_t n, struct odp_arena *a)
{
    const struct odp_portal *p = &c->portal;
    struct feed f = {out, s, c, a, 0};
    size_t count;
    (void)odp_zone_offset(p->time_zone != NULL ? p->time_zone : "UTC",
                          &f.zone); /* the catalogue has refused one that is not known */
    struct item *items = list_items(&f, list, n, &count);
    if (items == NULL) {
        out->failed = true;
        return;
    }
    raw(&f, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"id\">\n<id>");
    text(&f, p->base_url);
    raw(&f, "feed.xml</id>\n");
    element(&f, "<title>", odp_text_get(&p->title, ODP_LANG_ID), odp_text_get(&p->title, ODP_LANG_EN), "</title>\n<updated>");
    if (count > 0)
        stamp(&f, &items[0].at);
    else
        raw(&f, NEVER);
    raw(&f, "</updated>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"");
    text(&f, p->base_url);
    raw(&f, "feed.xml\"/>\n<link rel=\"alternate\" type=\"text/html\" href=\"");
    text(&f, p->base_url);
    raw(&f, "rilis.html\"/>\n");
    element(&f, "<author><name>", odp_text_get(&p->publisher, ODP_LANG_ID), odp_text_get(&p->publisher, ODP_LANG_EN),
            "</name></author>\n");
    for (size_t i = 0; i < count; i++) {
        raw(&f, "<entry>\n");
        if (items[i].release != NULL)
            release(&f, &items[i]);
        else
            news(&f, items[i].news);
        raw(&f, "<updated>");
        stamp(&f, &items[i].at);
        raw(&f, "</updated>\n</entry>\n");
    }
    raw(&f, "</feed>\n");
    free(items);
}
