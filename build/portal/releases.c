/* rilis.html and en/releases.html: what is about to go, the releases of the API, the newest version of each dataset. One file
 * without scripts or foreign addresses: it is read on a telephone, from a folder, and printed. */
#include "portal/parts.h"

struct page {
    struct odp_buffer *out;
    const struct odp_stage *stage;
    const struct odp_catalog *catalog;
    const json_t *const *entries;
    size_t n;
    enum odp_lang lang;
    const char *root; /* the site's root, from here */
    struct odp_arena *arena;
};

static const char style[] =
    ":root{color-scheme:light dark}*{box-sizing:border-box}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:0 "
    "auto;padding:1rem}"
    "header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between}h1{font-size:1.5rem;margin:1rem 0 .5rem}"
    "h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .2rem}ul{margin:.2rem 0;padding-left:1.2rem}"
    "li{margin:.2rem 0}time{white-space:nowrap}article time,li "
    "small{opacity:.75}code{overflow-wrap:anywhere}a{overflow-wrap:anywhere}";

static void raw(struct page *p, const char *html)
{
    odp_buffer_add_str(p->out, html);
}

static void text(struct page *p, const char *s)
{
    odp_html_text(p->out, s);
}

/* Words of our own: markup in them is meant. */
static void say(struct page *p, const char *id, const char *en)
{
    raw(p, p->lang == ODP_LANG_ID ? id : en);
}

static void date(struct page *p, const char *s)
{
    odp_html_date(p->out, s, p->lang);
}

static void link_open(struct page *p, const char *path)
{
    raw(p, "<a href=\"");
    raw(p, p->root);
    text(p, path);
    raw(p, "\">");
}

static void head(struct page *p)
{
    const struct odp_portal *portal = &p->catalog->portal;
    raw(p, "<!doctype html>\n<html lang=\"");
    say(p, "id", "en");
    raw(p, "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<title>");
    say(p, "Rilis dan perubahan", "Releases and changes");
    raw(p, " — ");
    text(p, odp_text_get(&portal->title, p->lang));
    raw(p, "</title>\n<link rel=\"alternate\" type=\"application/atom+xml\" href=\"");
    raw(p, p->root);
    raw(p, "feed.xml\">\n<link rel=\"alternate\" ");
    say(p, "hreflang=\"en\" href=\"en/releases.html\"", "hreflang=\"id\" href=\"../rilis.html\"");
    raw(p, ">\n<style>");
    raw(p, style);
    raw(p, "</style>\n</head>\n<body>\n<header><span>");
    text(p, odp_text_get(&portal->title, p->lang));
    raw(p, "</span><span>");
    say(p, "<a href=\"en/releases.html\" hreflang=\"en\" lang=\"en\">English</a>",
        "<a href=\"../rilis.html\" hreflang=\"id\" lang=\"id\">Bahasa Indonesia</a>");
    raw(p, " · ");
    link_open(p, "feed.xml");
    raw(p, "Atom</a></span></header>\n<main>\n<h1>");
    say(p, "Rilis dan perubahan", "Releases and changes");
    raw(p, "</h1>\n");
}

/* ---- what is about to go -------------------------------------------------------------------------------------------------
 */

/* One line; the section is opened by the first. NAME is code unless it is a title. HEIR: what takes its place, or "". */
static void leaving(struct page *p, size_t *count, const char *id, const char *en, const json_t *entry, const char *name,
                    const char *sunset, const char *heir)
{
    if ((*count)++ == 0) {
        raw(p, "<section id=\"akan-dihapus\">\n<h2>");
        say(p, "Akan dihapus", "About to be removed");
        raw(p, "</h2>\n<ul>\n");
    }
    raw(p, "<li>");
    say(p, id, en);
    if (*name != '\0') {
        raw(p, " <code>");
        text(p, name);
        raw(p, "</code>");
    }
    raw(p, " — ");
    text(p, portal_in(entry, "title", p->lang));
    say(p, ", paling cepat ", ", on ");
    date(p, sunset);
    say(p, "", " at the earliest");
    if (*heir != '\0') {
        say(p, "; penggantinya ", "; use ");
        raw(p, "<code>");
        text(p, heir);
        raw(p, "</code>");
        say(p, "", " instead");
    }
    raw(p, "</li>\n");
}

static void leaving_of(struct page *p, const json_t *entry, size_t *count)
{
    const json_t *fields = json_object_get(entry, "deprecated_fields"), *resources = json_object_get(entry, "resources"),
                 *former = json_object_get(entry, "odp:formerSlugs");
    if (strcmp(portal_text(entry, "state"), "deprecated") == 0)
        leaving(p, count, "Dataset", "Dataset", entry, portal_text(entry, "slug"), portal_text(entry, "odp:sunset"),
                portal_text(entry, "odp:replacedBy"));
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *r = json_array_get(resources, i);
        if (*portal_text(r, "odp:sunset") != '\0')
            leaving(p, count, "Tabel", "Table", entry, portal_text(r, "name"), portal_text(r, "odp:sunset"),
                    portal_text(r, "odp:replacedBy"));
    }
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *f = json_array_get(fields, i);
        leaving(p, count, "Kolom", "Field", entry, portal_text(f, "field"), portal_text(f, "sunset"),
                portal_text(f, "replacedBy"));
    }
    for (size_t i = 0; i < json_array_size(former); i++) {
        const json_t *f = json_array_get(former, i);
        const char *old = odp_arena_printf(p->arena, "v1/%s", portal_text(f, "slug"));
        const char *now = odp_arena_printf(p->arena, "v1/%s", portal_text(entry, "slug"));
        leaving(p, count, "Alamat lama", "Old address", entry, old != NULL ? old : "", portal_text(f, "sunset"),
                now != NULL ? now : "");
        p->out->failed = p->out->failed || old == NULL || now == NULL;
    }
}

static void leaving_section(struct page *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        leaving_of(p, p->entries[i], &count);
    if (count > 0)
        raw(p, "</ul>\n</section>\n");
}

/* ---- releases ------------------------------------------------------------------------------------------------------------
 */

static void releases_section(struct page *p)
{
    const struct odp_catalog *c = p->catalog;
    raw(p, "<section id=\"rilis\">\n<h2>");
    say(p, "Rilis API", "Releases of the API");
    raw(p, "</h2>\n");
    if (c->nreleases == 0)
        say(p, "<p>Belum ada rilis.</p>\n", "<p>No release yet.</p>\n");
    for (size_t i = 0; i < c->nreleases; i++) {
        const struct odp_release *r = &c->releases[i];
        raw(p, "<article id=\"rilis-");
        text(p, r->version);
        raw(p, "\">\n<h3>");
        text(p, r->version);
        raw(p, " · ");
        date(p, r->date);
        raw(p, "</h3>\n<ul>\n");
        for (size_t k = 0; k < r->nchanges; k++) {
            raw(p, "<li>");
            text(p, odp_text_get(&r->changes[k], p->lang));
            raw(p, "</li>\n");
        }
        raw(p, "</ul>\n</article>\n");
    }
    raw(p, "</section>\n");
}

/* ---- versions ------------------------------------------------------------------------------------------------------------
 */

/* A link to PATH of the site where such a file is staged. */
static void link_staged(struct page *p, const char *path, const char *id, const char *en)
{
    if (path == NULL) {
        p->out->failed = true;
        return;
    }
    if (odp_stage_find(p->stage, path) == NULL)
        return;
    raw(p, " · ");
    link_open(p, path);
    say(p, id, en);
    raw(p, "</a>");
}

static void version(struct page *p, const json_t *entry)
{
    const char *slug = portal_text(entry, "slug"), *name = portal_text(entry, "version"), *format;
    json_t *url;
    raw(p, "<li><b>");
    text(p, portal_in(entry, "title", p->lang));
    raw(p, "</b> <small>");
    date(p, portal_text(entry, "last_update"));
    raw(p, " · <code>");
    text(p, name);
    raw(p, "</code></small><br>");
    const char *comma = "";
    json_object_foreach((json_t *)(uintptr_t)json_object_get(entry, "download"), format, url) /* reads only */
    {
        const char *path = json_string_value(url);
        if (path == NULL || strncmp(path, "../", 3) != 0)
            continue;
        raw(p, comma);
        link_open(p, path + 3);
        text(p, format);
        raw(p, "</a>");
        comma = " · ";
    }
    link_staged(p, odp_arena_printf(p->arena, "data/%s/%s/changes.html", slug, name), "perubahan", "changes");
    link_staged(p, odp_arena_printf(p->arena, "data/%s/versions.json", slug), "semua versi", "all versions");
    raw(p, "</li>\n");
}

static void versions_section(struct page *p)
{
    if (p->n == 0)
        return;
    raw(p, "<section id=\"versi\">\n<h2>");
    say(p, "Versi terbaru setiap dataset", "Newest version of each dataset");
    raw(p, "</h2>\n<ul>\n");
    for (size_t i = 0; i < p->n; i++)
        version(p, p->entries[i]);
    raw(p, "</ul>\n</section>\n");
}

void portal_releases_page(struct odp_buffer *out, const struct odp_stage *s, const struct odp_catalog *c,
                          const json_t *const *entries, size_t n, enum odp_lang lang, struct odp_arena *a)
{
    struct page p = {.out = out, .stage = s, .catalog = c, .entries = entries, .n = n, .lang = lang, .arena = a};
    p.root = lang == ODP_LANG_ID ? "" : "../";
    head(&p);
    leaving_section(&p);
    releases_section(&p);
    versions_section(&p);
    raw(&p, "</main>\n</body>\n</html>\n");
}
