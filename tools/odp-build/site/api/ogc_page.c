/* The frame of a page and small pieces. One file, no script, no foreign address; every text that is not ours goes through
 * base/html.h. Links are relative, with full names, so that the pages work from a folder, too. */
#include "site/api/ogc_page.h"

#include <math.h>
#include <stdio.h>

#include "base/html.h"

static const char style[] =
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText;--line:#8886;--soft:#8881}*{box-sizing:border-box}"
    "body{font:1rem/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}"
    "header,footer{display:flex;flex-wrap:wrap;gap:.4rem 1rem;justify-content:space-between;font-size:.9rem}"
    "footer{margin-top:2.5rem;padding-top:.8rem;border-top:1px solid var(--line)}"
    "nav{margin:1rem 0 0;font-size:.9rem}h1{font-size:1.6rem;line-height:1.25;margin:.4rem 0 "
    ".6rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}"
    "h3{font-size:1.05rem;margin:1.4rem 0 .2rem}p,ul,ol{margin:.4rem 0}li{margin:.25rem 0}"
    ".wide{overflow-x:auto;border:1px solid "
    "var(--line);border-radius:.4rem}table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}tbody "
    "tr:last-child>*{border-bottom:0}"
    "thead th{background:var(--soft)}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "code{font-size:.92em;overflow-wrap:anywhere}table code{overflow-wrap:normal}th code,td:first-child "
    "code{white-space:nowrap}"
    "pre{overflow-x:auto;background:var(--soft);border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem}pre "
    "code{overflow-wrap:normal}"
    "dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.25rem 1rem}dt{font-weight:600}dd{margin:0}"
    "@media(max-width:34rem){dl{display:block}dd{margin:0 0 .5rem}}small{opacity:.8}"
    ".skip{position:absolute;left:-99rem}.skip:focus{position:static}a:focus-visible,.wide:focus-visible{outline:2px "
    "solid;outline-offset:2px}";

void api_page_raw(struct api_page *p, const char *html)
{
    odp_buffer_add_str(p->out, html);
}

void api_page_text(struct api_page *p, const char *s)
{
    odp_html_text(p->out, s);
}

void api_page_say(struct api_page *p, const char *id, const char *en)
{
    odp_buffer_add_str(p->out, p->lang == ODP_LANG_ID ? id : en);
}

void api_page_both(struct api_page *p, const struct odp_text *t)
{
    odp_html_text(p->out, odp_text_get(t, p->lang));
}

void api_page_count(struct api_page *p, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            odp_buffer_add_char(p->out, p->lang == ODP_LANG_ID ? '.' : ',');
        odp_buffer_add_char(p->out, digits[i]);
    }
}

static void open_link(struct api_page *p, const char *path, const char *ending)
{
    api_page_raw(p, "<a href=\"");
    api_page_raw(p, p->up);
    api_page_text(p, path);
    api_page_raw(p, ending);
    api_page_raw(p, "\">");
}

void api_page_link(struct api_page *p, const char *stem)
{
    open_link(p, stem, p->lang == ODP_LANG_ID ? ".html" : ".en.html");
}

void api_page_file(struct api_page *p, const char *path)
{
    open_link(p, path, "");
}

/* The same page in the other language. */
static void add_other(struct api_page *p)
{
    api_page_raw(p, p->up);
    api_page_text(p, p->stem);
    api_page_say(p, ".en.html", ".html");
}

void api_page_begin(struct api_page *p, const struct odp_text *title, const struct odp_text *trail, const char *trail_stem)
{
    const struct odp_portal *portal = &p->api->catalog->portal;
    api_page_say(p, "<!doctype html>\n<html lang=\"id\">\n", "<!doctype html>\n<html lang=\"en\">\n");
    api_page_raw(
        p,
        "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>"); /* else browsers ask for /favicon.ico, which is not there */
    api_page_both(p, title);
    api_page_raw(p, " — OGC API — ");
    api_page_both(p, &portal->title);
    api_page_say(p, "</title>\n<link rel=\"alternate\" hreflang=\"en\" href=\"",
                 "</title>\n<link rel=\"alternate\" hreflang=\"id\" href=\"");
    add_other(p);
    api_page_raw(p, "\">\n<style>");
    api_page_raw(p, style);
    api_page_say(p, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#isi\">Langsung ke isi</a>\n",
                 "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#isi\">Skip to content</a>\n");
    api_page_raw(p, "<header><span>");
    api_page_both(p, &portal->title);
    api_page_raw(p, "</span><a href=\"");
    add_other(p);
    api_page_say(p, "\" hreflang=\"en\" lang=\"en\">English</a></header>\n",
                 "\" hreflang=\"id\" lang=\"id\">Bahasa Indonesia</a></header>\n");
    if (strcmp(p->stem, "index") != 0) {
        api_page_say(p, "<nav aria-label=\"Jejak\">", "<nav aria-label=\"Breadcrumb\">");
        api_page_link(p, "index");
        api_page_raw(p, "OGC API</a>");
        if (trail != NULL) {
            api_page_raw(p, " › ");
            api_page_link(p, trail_stem);
            api_page_both(p, trail);
            api_page_raw(p, "</a>");
        }
        api_page_raw(p, "</nav>\n");
    }
    api_page_raw(p, "<main id=\"isi\">\n<h1>");
    api_page_both(p, title);
    api_page_raw(p, "</h1>\n");
}

void api_page_end(struct api_page *p, const char *json)
{
    api_page_raw(p, "</main>\n<footer><span>");
    api_page_both(p, &p->api->catalog->portal.publisher);
    api_page_raw(p, "</span><span>");
    api_page_file(p, json);
    api_page_say(p, "Halaman ini sebagai JSON</a></span></footer>\n</body>\n</html>\n",
                 "This page as JSON</a></span></footer>\n</body>\n</html>\n");
}

void api_page_geometry(struct api_page *p, const struct odp_search_info *info)
{
    static const struct odp_text names[] = {{{"titik", "points"}},     {{"multititik", "multipoints"}},
                                            {{"garis", "lines"}},      {{"multigaris", "multilines"}},
                                            {{"poligon", "polygons"}}, {{"multipoligon", "multipolygons"}}};
    bool any = false;
    if (!info->has_geometry) {
        api_page_say(p, "tanpa geometri", "no geometry");
        return;
    }
    for (unsigned t = 0; t < sizeof names / sizeof *names; t++) {
        if ((info->geometry_types & (1u << t)) == 0)
            continue;
        api_page_raw(p, any ? ", " : "");
        api_page_both(p, &names[t]);
        any = true;
    }
    if (!any)
        api_page_say(p, "geometri", "geometry");
}

void api_page_type(struct api_page *p, enum odp_type type)
{
    api_page_both(p, &odp_field_type(type)->label);
}

void api_page_copy(struct api_page *p, const char *id)
{
    api_page_raw(p, "ogr2ogr -oo PAGE_SIZE=1000 ");
    api_page_text(p, id);
    api_page_raw(p, ".gpkg \\\n  \"OAPIF:");
    api_page_text(p, p->api->base);
    api_page_raw(p, "v1/ogc\" ");
    api_page_text(p, id);
}

/* Three decimals: about a hundred metres. */
static void add_degrees(struct api_page *p, double v)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.3f", fabs(v));
    char *point = strchr(text, '.');
    if (point != NULL && p->lang == ODP_LANG_ID)
        *point = ',';
    api_page_raw(p, v < 0 && strcspn(text, "123456789") < strlen(text) ? "−" : "");
    api_page_raw(p, text);
}

void api_page_extent(struct api_page *p, const struct odp_search_info *info)
{
    static const struct odp_text sides[] = {
        {{"barat", "west"}}, {{"selatan", "south"}}, {{"timur", "east"}}, {{"utara", "north"}}};
    for (int k = 0; k < 4; k++) {
        api_page_raw(p, k > 0 ? " · " : "");
        api_page_both(p, &sides[k]);
        api_page_raw(p, " ");
        add_degrees(p, info->bbox[k]);
        api_page_raw(p, "°");
    }
}

void api_page_interval(struct api_page *p, const struct odp_search_info *info)
{
    for (int k = 0; k < 2; k++) {
        api_page_raw(p, k > 0 ? " – " : "");
        if (info->interval[k] != NULL)
            odp_html_date(p->out, info->interval[k], p->lang);
        else
            api_page_raw(p, "…");
    }
}
