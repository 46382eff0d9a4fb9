/* feed.xml: Atom (RFC 4287). One entry a release of the API and one a dataset's newest version, newest first. Ids are addresses
 * that never name anything else; `updated` is the day of the release or the data, never of the build. */
#include <stdlib.h>

#include "portal/parts.h"

#define NEVER "1970-01-01T00:00:00Z"

struct feed {
    struct odp_buffer *out;
    const struct odp_catalog *catalog;
    int16_t zone; /* minutes east of UTC: a date is its 00:00 there */
};

struct item {
    struct odp_datetime at;
    const struct odp_release *release; /* or */
    const json_t *entry;
    size_t order;
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

/* Releases before data of the same moment. What has no date that can be read is left out. NULL without memory. */
static struct item *list_items(const struct feed *f, const json_t *const *entries, size_t n, size_t *count)
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
            it->entry = entries[i - c->nreleases];
        if (read_stamp(f, it->release != NULL ? it->release->date : portal_text(it->entry, "last_update"), &it->at))
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

static void dataset(struct feed *f, const struct item *it)
{
    const char *base = f->catalog->portal.base_url, *slug = portal_text(it->entry, "slug"),
               *version = portal_text(it->entry, "version"), *format;
    json_t *url;
    raw(f, "<id>");
    text(f, base);
    raw(f, "data/");
    text(f, slug);
    raw(f, "/");
    text(f, version);
    element(f, "/</id>\n<title>", portal_in(it->entry, "title", ODP_LANG_ID), portal_in(it->entry, "title", ODP_LANG_EN), ": ");
    text(f, version);
    raw(f, "</title>\n<link rel=\"alternate\" type=\"text/html\" href=\"");
    text(f, base);
    raw(f, "rilis.html#versi\"/>\n");
    json_object_foreach((json_t *)(uintptr_t)json_object_get(it->entry, "download"), format, url) /* reads only */
    {
        const char *path = json_string_value(url);
        if (path == NULL || strncmp(path, "../", 3) != 0)
            continue;
        raw(f, "<link rel=\"enclosure\" title=\"");
        text(f, format);
        raw(f, "\" href=\"");
        text(f, base);
        text(f, path + 3);
        raw(f, "\"/>\n");
    }
    raw(f, "<category term=\"dataset\"/>\n<category term=\"");
    text(f, slug);
    raw(f, "\"/>\n");
    const char *id = portal_in(it->entry, "description", ODP_LANG_ID), *en = portal_in(it->entry, "description", ODP_LANG_EN);
    if (*id != '\0' || *en != '\0')
        element(f, "<summary>", id, en, "</summary>\n");
}

void portal_feed(struct odp_buffer *out, const struct odp_catalog *c, const json_t *const *entries, size_t n)
{
    const struct odp_portal *p = &c->portal;
    struct feed f = {out, c, 0};
    size_t count;
    (void)odp_zone_offset(p->time_zone != NULL ? p->time_zone : "UTC",
                          &f.zone); /* the catalogue has refused one that is not known */
    struct item *items = list_items(&f, entries, n, &count);
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
            dataset(&f, &items[i]);
        raw(&f, "<updated>");
        stamp(&f, &items[i].at);
        raw(&f, "</updated>\n</entry>\n");
    }
    raw(&f, "</feed>\n");
    free(items);
}
