/* sitemap.xml (sitemaps.org): every staged page of HTML that is for everybody, with its other language, and the downloads of current versions.
 * lastmod is the day of the data, or of the newest data. More than 50,000 addresses: files of that many, and sitemap.xml is their index. */
#include "site/metadata/metadata_internal.h"

#include <stdlib.h>

enum { PER_FILE = 50000 };

struct sitemap {
    struct metadata *m;
    struct odp_buffer out;
    size_t n, files; /* addresses in `out`; files that are full */
    const char *newest;
};

/* ---- which day, which language ------------------------------------------------------------------------------------------------ */

static const json_t *entry_of(const struct metadata *m, const char *slug, size_t len)
{
    for (size_t i = 0; i < json_array_size(m->job->entries); i++) {
        const json_t *entry = json_array_get(m->job->entries, i);
        const char *s = metadata_text(entry, "slug");
        if (strlen(s) == len && strncmp(s, slug, len) == 0)
            return entry;
    }
    return NULL;
}

static const char *after(const char *path, const char *prefix)
{
    size_t len = strlen(prefix);
    return strncmp(path, prefix, len) == 0 ? path + len : NULL;
}

/* The dataset whose page PATH is, or NULL. */
static const json_t *page_entry(const struct metadata *m, const char *path)
{
    const char *name = after(path, "katalog/");
    name = name != NULL ? name : after(path, "en/catalog/");
    const char *dot = name != NULL ? strstr(name, ".html") : NULL;
    return dot != NULL ? entry_of(m, name, (size_t)(dot - name)) : NULL;
}

/* The same page in the other language; the file that has the English one links both itself, too. */
static const char *other_language(struct metadata *m, const char *path)
{
    static const char *const pairs[][2] = {
#define PORTAL_PATH(name, id, en) {id, en},
#include "contract/paths.def"
#undef PORTAL_PATH
    };
    const char *name;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < 2; k++)
            if (strcmp(pairs[i][k], path) == 0)
                return pairs[i][1 - k];
    if ((name = after(path, "katalog/")) != NULL)
        return metadata_printf(m, "en/catalog/%s", name);
    if ((name = after(path, "en/catalog/")) != NULL)
        return metadata_printf(m, "katalog/%s", name);
    return NULL;
}

/* Pages that are for readers to come upon: not those of one's own key, not what the gateway's errors look like, not the API's (they change with
 * every query). */
static bool is_page(const struct odp_site_file *f)
{
    static const char *const not [] = {"404.html", "en/404.html", "kunci-saya.html", "en/my-key.html"};
    static const char *const folders[] = {"data/", "v1/", "service/", "search/", "simple/"};
    if (f->cls != ODP_CLASS_PUBLIC || f->encoding != NULL || strncmp(f->media_type, "text/html", 9) != 0)
        return false;
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (strcmp(f->path, not [i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (after(f->path, folders[i]) != NULL)
            return false;
    return true;
}

/* ---- the file -------------------------------------------------------------------------------------------------------------------- */

static void begin_file(struct sitemap *s)
{
    odp_buffer_clear(&s->out);
    odp_buffer_add_str(&s->out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
                                "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n");
    s->n = 0;
}

static enum odp_status end_file(struct sitemap *s, const char *path)
{
    odp_buffer_add_str(&s->out, "</urlset>\n");
    return metadata_put(s->m, path, "application/xml", &s->out);
}

/* A page's one address, as its own canonical link says it: of index.html its folder's. */
static const char *address_of(struct sitemap *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    if (strcmp(file, "index.html") != 0)
        return metadata_url(s->m, path);
    return metadata_printf(s->m, "%s%.*s", s->m->base, (int)(file - path), path);
}

static void put_alternate(struct sitemap *s, const char *lang, const char *path)
{
    odp_buffer_printf(&s->out, "<xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"", lang);
    odp_html_text(&s->out, address_of(s, path));
    odp_buffer_add_str(&s->out, "\"/>");
}

static enum odp_status put_address(struct sitemap *s, const char *path, const char *day, const char *other)
{
    if (s->n == PER_FILE) {
        s->files++;
        enum odp_status status = end_file(s, metadata_printf(s->m, "sitemap-%zu.xml", s->files));
        if (status != ODP_OK)
            return status;
        begin_file(s);
    }
    s->n++;
    odp_buffer_add_str(&s->out, "<url><loc>");
    odp_html_text(&s->out, address_of(s, path));
    odp_buffer_add_str(&s->out, "</loc>");
    if (*day != '\0')
        odp_buffer_printf(&s->out, "<lastmod>%s</lastmod>", day);
    if (other != NULL && odp_stage_find(s->m->job->stage, other) != NULL) {
        const bool english = after(path, "en/") != NULL;
        const char *id = english ? other : path;
        put_alternate(s, "id", id);
        put_alternate(s, "en", english ? path : other);
        put_alternate(s, "x-default", id);
    }
    odp_buffer_add_str(&s->out, "</url>\n");
    return ODP_OK;
}

static enum odp_status put_pages(struct sitemap *s)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(s->m->job->stage, &n);
    enum odp_status status = ODP_OK;
    struct odp_site_file *pages =
        odp_arena_array(&s->m->arena, n + 1, sizeof *pages); /* a full file is staged on the way, which moves the list */
    size_t count = 0;
    for (size_t i = 0; pages != NULL && i < n; i++)
        if (is_page(&files[i]))
            pages[count++] = files[i];
    for (size_t i = 0; i < count && status == ODP_OK; i++) {
        const json_t *entry = page_entry(s->m, pages[i].path);
        status = put_address(s, pages[i].path, entry != NULL ? metadata_day(s->m, metadata_text(entry, "last_update")) : s->newest,
                             other_language(s->m, pages[i].path));
    }
    return pages != NULL ? status : ODP_FAIL;
}

static enum odp_status put_downloads(struct sitemap *s, const json_t *entry)
{
    const json_t *resources = json_object_get(entry, "resources");
    const char *day = metadata_day(s->m, metadata_text(entry, "last_update"));
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *files = json_object_get(json_array_get(resources, i), "files");
        for (size_t k = 0; k < json_array_size(files) && status == ODP_OK; k++)
            status = put_address(s, metadata_path(metadata_text(json_array_get(files, k), "url")), day, NULL);
    }
    return status;
}

static enum odp_status put_index(struct sitemap *s)
{
    odp_buffer_clear(&s->out);
    odp_buffer_add_str(&s->out,
                       "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (size_t i = 1; i <= s->files; i++) {
        odp_buffer_add_str(&s->out, "<sitemap><loc>");
        odp_html_text(&s->out, metadata_url(s->m, metadata_printf(s->m, "sitemap-%zu.xml", i)));
        odp_buffer_add_str(&s->out, "</loc></sitemap>\n");
    }
    odp_buffer_add_str(&s->out, "</sitemapindex>\n");
    return metadata_put(s->m, "sitemap.xml", "application/xml", &s->out);
}

enum odp_status odp_metadata_sitemap(const struct odp_metadata_job *job)
{
    struct metadata m;
    metadata_open(&m, job);
    struct sitemap s = {.m = &m};
    odp_buffer_init(&s.out);
    s.newest = metadata_day(&m, metadata_newest(&m));
    begin_file(&s);
    enum odp_status status = put_pages(&s);
    for (size_t i = 0; i < json_array_size(job->entries) && status == ODP_OK; i++)
        status = put_downloads(&s, json_array_get(job->entries, i));
    if (status == ODP_OK && s.files == 0) {
        status = end_file(&s, "sitemap.xml");
    } else if (status == ODP_OK) {
        s.files++;
        status = end_file(&s, metadata_printf(&m, "sitemap-%zu.xml", s.files));
        if (status == ODP_OK)
            status = put_index(&s);
    }
    odp_buffer_release(&s.out);
    return metadata_close(&m, status);
}
