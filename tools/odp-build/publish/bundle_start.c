/* What is in a bundle; and its start.html, which says so, for somebody who has unpacked it and has no server.
 * One file, no script, nothing fetched. */
#include "publish/bundle_start.h"

#include <stdio.h>

#include "published/stage.h"

/* What is public, without twins. */
bool bundle_takes(const struct odp_site_file *f)
{
    return f->cls == ODP_CLASS_PUBLIC && f->encoding == NULL;
}

bool bundle_has(const struct odp_site *site, const char *path)
{
    const struct odp_site_file *f = odp_site_find(site, path);
    return f != NULL && bundle_takes(f);
}

static const char head[] =
    "<!doctype html>\n<html lang=\"id\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
    "http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<style>\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
    "1rem;color:#1b1b1b;background:#fff}\n"
    "h1{line-height:1.2}h2{margin:2rem 0 0;font-size:1.15rem}p{margin:.3rem 0}.en{color:#555}\n"
    "ul{list-style:none;margin:.5rem 0;padding:0}li{margin:.2rem 0}.size{color:#555}\n"
    "</style>\n";

static void add_html(struct odp_buffer *out, const char *text)
{
    for (const char *p = text != NULL ? text : ""; *p != '\0'; p++) {
        if (*p == '&')
            odp_buffer_add_str(out, "&amp;");
        else if (*p == '<')
            odp_buffer_add_str(out, "&lt;");
        else if (*p == '>')
            odp_buffer_add_str(out, "&gt;");
        else if (*p == '"')
            odp_buffer_add_str(out, "&quot;");
        else if (*p == '\'')
            odp_buffer_add_str(out, "&#39;");
        else
            odp_buffer_add_char(out, *p);
    }
}

/* A path as a relative address: what is not unreserved (RFC 3986) is encoded, '/' stays. */
static void add_address(struct odp_buffer *out, const char *path)
{
    for (const char *p = path; *p != '\0'; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                     strchr("-._~/", *p) != NULL;
        if (plain)
            odp_buffer_add_char(out, *p);
        else
            odp_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*p);
    }
}

/* Text in LANG, or in whatever there is: titles are {"id", "en"}, or one string. */
static const char *text_of(const json_t *o, const char *key, const char *lang)
{
    const json_t *value = json_object_get(o, key);
    const char *text = json_string_value(json_object_get(value, lang));
    if (text == NULL)
        text = json_string_value(value);
    return text != NULL ? text : json_string_value(json_object_get(value, "id"));
}

/* "<p>…</p>" in Indonesian, and in English where that is another text. */
static void add_both(struct odp_buffer *out, const char *tag, const char *id, const char *en)
{
    if (id != NULL && *id != '\0') {
        odp_buffer_printf(out, "<%s>", tag);
        add_html(out, id);
        odp_buffer_printf(out, "</%s>\n", tag);
    }
    if (en != NULL && *en != '\0' && (id == NULL || strcmp(id, en) != 0)) {
        odp_buffer_add_str(out, "<p class=\"en\" lang=\"en\">");
        add_html(out, en);
        odp_buffer_add_str(out, "</p>\n");
    }
}

/* A size as people read it, in both languages' way where they differ: only whole numbers. */
static void add_size(struct odp_buffer *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    size_t unit = 0;
    while (bytes >= 10000 && unit + 1 < sizeof units / sizeof *units) {
        bytes = (bytes + 500) / 1000;
        unit++;
    }
    odp_buffer_add_str(out, " <span class=\"size\">");
    odp_buffer_add_u64(out, bytes);
    odp_buffer_printf(out, " %s</span>", units[unit]);
}

/* One download; its address in the index is relative to v1/. */
static void add_file(struct odp_buffer *out, const struct odp_site *site, const json_t *file)
{
    const char *url = json_string_value(json_object_get(file, "url"));
    const char *path = url != NULL && strncmp(url, "../", 3) == 0 ? url + 3 : NULL;
    if (path == NULL || !bundle_has(site, path))
        return;
    odp_buffer_add_str(out, "<li><a href=\"");
    add_address(out, path);
    odp_buffer_add_str(out, "\">");
    add_html(out, strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path);
    odp_buffer_add_str(out, "</a>");
    add_size(out, odp_site_find(site, path)->size);
    odp_buffer_add_str(out, "</li>\n");
}

/* What describes a dataset beside its data: the schema, the list of versions. */
static void add_link(struct odp_buffer *out, const struct odp_site *site, const char *path, const char *id,
                     const char *en)
{
    if (!bundle_has(site, path))
        return;
    odp_buffer_add_str(out, "<li><a href=\"");
    add_address(out, path);
    odp_buffer_printf(out, "\">%s</a> <span class=\"en\" lang=\"en\">%s</span></li>\n", id, en);
}

static enum odp_status add_dataset(struct odp_buffer *out, const struct odp_site *site, const json_t *entry)
{
    size_t i, k;
    const json_t *resource, *file;
    char versions[512];
    const char *slug = json_string_value(json_object_get(entry, "slug"));
    const char *version = json_string_value(json_object_get(entry, "version"));
    add_both(out, "h2", text_of(entry, "title", "id"), text_of(entry, "title", "en"));
    add_both(out, "p", text_of(entry, "description", "id"), text_of(entry, "description", "en"));
    odp_buffer_add_str(out, "<p>Versi <span class=\"en\" lang=\"en\">(version)</span> ");
    add_html(out, version);
    odp_buffer_add_str(out, "</p>\n<ul>\n");
    json_array_foreach(json_object_get(entry, "resources"), i, resource)
    {
        const char *schema = json_string_value(json_object_get(resource, "schema"));
        json_array_foreach(json_object_get(resource, "files"), k, file) add_file(out, site, file);
        if (schema != NULL && strncmp(schema, "../", 3) == 0)
            add_link(out, site, schema + 3, "Kolom dan arti", "Fields and their meaning");
    }
    int n = snprintf(versions, sizeof versions, "data/%s/versions.json", slug != NULL ? slug : "");
    if (n > 0 && (size_t)n < sizeof versions)
        add_link(out, site, versions, "Daftar versi", "List of versions");
    odp_buffer_add_str(out, "</ul>\n");
    return odp_buffer_status(out);
}

enum odp_status bundle_start(struct odp_buffer *out, const struct odp_site *site)
{
    const json_t *index = odp_site_index(site), *meta = json_object_get(index, "meta"), *entry;
    const char *title = text_of(meta, "title", "id"),
               *updated = json_string_value(json_object_get(meta, "last_update"));
    size_t i;
    odp_buffer_add_str(out, head);
    odp_buffer_add_str(out, "<title>");
    add_html(out, title);
    odp_buffer_add_str(out, "</title>\n</head>\n<body>\n");
    add_both(out, "h1", title, text_of(meta, "title", "en"));
    add_both(out, "p", text_of(meta, "publisher", "id"), text_of(meta, "publisher", "en"));
    odp_buffer_add_str(out, "<p>Rilis <span class=\"en\" lang=\"en\">(release)</span> ");
    add_html(out, json_string_value(json_object_get(meta, "release")));
    odp_buffer_add_str(out, " · pembaruan terakhir <span class=\"en\" lang=\"en\">(last update)</span> ");
    add_html(out, updated != NULL ? updated : "—");
    odp_buffer_add_str(out, "</p>\n");
    enum odp_status status = odp_buffer_status(out);
    json_array_foreach(json_object_get(index, "data"), i, entry)
    {
        if (status == ODP_OK)
            status = add_dataset(out, site, entry);
    }
    odp_buffer_add_str(out, "</body>\n</html>\n");
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
