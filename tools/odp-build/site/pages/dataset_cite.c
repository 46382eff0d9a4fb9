/* How a dataset is cited: in words, after the manner of APA, and as BibTeX; always one version, at the address whose bytes never change. */
#include "site/pages/dataset_internal.h"

/* BibTeX's own signs; what is left is UTF-8, which biber and today's BibTeX read. */
static const char *bibtex(struct dataset_page *g, const char *s)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    for (; *s != '\0'; s++) {
        if (strchr("&%$#_", *s) != NULL)
            odp_buffer_add_char(&out, '\\');
        if (*s == '\\')
            odp_buffer_add_str(&out, "\\textbackslash{}");
        else if (*s == '~' || *s == '^')
            odp_buffer_printf(&out, "\\%c{}", *s);
        else if (*s == '{' || *s == '}')
            odp_buffer_printf(&out, "\\%c", *s);
        else
            odp_buffer_add_char(&out, (unsigned char)*s < 0x20 ? ' ' : *s);
    }
    const char *text = odp_buffer_status(&out) == ODP_OK ? odp_arena_copy(g->arena, odp_buffer_slice(&out)).ptr : NULL;
    odp_buffer_release(&out);
    return text;
}

/* The first file of the first resource, where it stays for ever; else the page. */
static const char *pinned(struct dataset_page *g)
{
    const json_t *files = g->dataset->n > 0 ? json_object_get(g->dataset->resources[0].entry, "files") : NULL;
    const char *url = portal_text(json_array_get(files, 0), "url"), *path = *url != '\0' ? dataset_site_path(url) : g->path[g->lang];
    return odp_arena_printf(g->arena, "%s%s", g->p->catalog->portal.base_url, path);
}

static const char *author(struct dataset_page *g)
{
    const char *publisher = odp_text_get(&g->p->catalog->portal.publisher, g->lang);
    return *publisher != '\0' ? publisher : odp_text_get(&g->p->catalog->portal.title, g->lang);
}

/* "2024, 15 Maret", "2024, March 15": as APA writes a day. */
static const char *day_of(struct dataset_page *g, const char *date)
{
    const char *text = portal_date(date, g->lang, g->arena), *month = text != NULL ? strchr(text, ' ') : NULL;
    const char *year = month != NULL ? strrchr(text, ' ') : NULL;
    if (text == NULL)
        g->d.failed = true;
    if (year == NULL || year == month)
        return text != NULL ? text : "";
    int day = (int)(month - text), name = (int)(year - month) - 1;
    const char *out = g->lang == ODP_LANG_ID ? odp_arena_printf(g->arena, "%s, %.*s %.*s", year + 1, day, text, name, month + 1)
                                             : odp_arena_printf(g->arena, "%s, %.*s %.*s", year + 1, name, month + 1, day, text);
    return out != NULL ? out : text;
}

void dataset_cite(struct dataset_page *g, json_t *data)
{
    const char *date = portal_text(g->entry, "last_update"), *title = portal_in(g->entry, "title", g->lang), *url = pinned(g);
    const char *portal = odp_text_get(&g->p->catalog->portal.title, g->lang);
    int year = strspn(date, "0123456789") == 4 ? 4 : 0;
    bool id = g->lang == ODP_LANG_ID;
    json_t *o = json_object();
    dataset_set(g, o, "text", odp_arena_printf(g->arena, "%s. (%s). ", author(g), day_of(g, date)));
    dataset_set(g, o, "what", title);
    dataset_set(g, o, "rest", odp_arena_printf(g->arena, id ? " (Versi %s) [Himpunan data]. %s. " : " (Version %s) [Data set]. %s. ", g->version, portal));
    dataset_set(g, o, "address", url);
    const char *who = bibtex(g, author(g)), *what = bibtex(g, title), *where = bibtex(g, portal);
    const char *license = bibtex(g, portal_text(json_object_get(g->entry, "license"), "name"));
    const char *digest = portal_text(json_array_get(json_object_get(g->dataset->n > 0 ? g->dataset->resources[0].entry : NULL, "files"), 0), "hash");
    if (who == NULL || what == NULL || where == NULL || license == NULL || url == NULL)
        g->d.failed = true;
    else
        dataset_set(g, o, "bibtex",
                    odp_arena_printf(g->arena,
                                     "@misc{%s-%s,\n  author = {{%s}},\n  title = {{%s}},\n  year = {%.*s},\n  version = {%s},\n  publisher = {%s},\n"
                                     "  url = {%s},\n  note = {%s%s%s}\n}",
                                     g->slug, g->version, who, what, year, date, g->version, where, url, license, *digest != '\0' ? ", " : "", digest));
    odp_doc_set(&g->d, data, "cite", o);
}
