/* sitemap.xml (sitemaps.org): every staged HTML page for everybody, with its other language, and the
 * downloads of current versions. lastmod is the day of the data, or of the newest data. More than 50,000
 * addresses go into files of that many, with sitemap.xml as their index. */
#include "site/metadata/metadata_internal.h"

enum { PER_FILE = 50000 };

struct sitemap {
    struct odp_metadata *m;
    json_t *list; /* all addresses */
    char newest[11];
};

static const char *after(const char *path, const char *prefix)
{
    while (*prefix != '\0' && *path == *prefix) {
        path++;
        prefix++;
    }
    return *prefix == '\0' ? path : NULL;
}

/* The same page in the other language: a page that paths.def names, or one in a folder that it names. */
static const char *other_language(struct odp_metadata *m, const char *path)
{
    for (int i = 0; i < ODP_PATHS; i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *own = odp_path((enum odp_path)i, (enum odp_lang)lang), *rest = after(path, own);
            if (rest != NULL && (*rest == '\0' || own[strlen(own) - 1] == '/'))
                return metadata_printf(m, "%s%s", odp_path((enum odp_path)i, (enum odp_lang)(1 - lang)),
                                       rest);
        }
    return NULL;
}

/* The dataset whose page PATH is, or NULL. */
static const json_t *page_entry(struct odp_metadata *m, const char *path)
{
    const char *name = after(path, odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID));
    name = name != NULL ? name : after(path, odp_path(ODP_PATH_dataset_dir, ODP_LANG_EN));
    const char *dot = name != NULL ? strstr(name, "/index.html") : NULL;
    if (name != NULL && dot == NULL)
        dot = strstr(name, ".html");
    return dot != NULL ? odp_job_entry(m->job, metadata_printf(m, "%.*s", (int)(dot - name), name)) : NULL;
}

/* Pages for readers to find: not those of one's own key, not the gateway's errors, not the API's (they
 * change with every query). */
static bool is_page(const struct odp_site_file *f)
{
    static const enum odp_path not [] = {ODP_PATH_not_found,  ODP_PATH_key,         ODP_PATH_data_dir,
                                         ODP_PATH_api,        ODP_PATH_service_dir, ODP_PATH_search_dir,
                                         ODP_PATH_simple_dir, ODP_PATH_components,  ODP_PATH_embed_dir};
    if (f->cls != ODP_CLASS_PUBLIC || f->encoding != NULL || strncmp(f->media_type, "text/html", 9) != 0)
        return false;
    for (size_t i = 0; i < ODP_COUNT(not ); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++)
            if (after(f->path, odp_path(not [i], (enum odp_lang)lang)) != NULL)
                return false;
    return true;
}

/* A page's canonical address: for index.html its folder. */
static const char *address_of(struct odp_metadata *m, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    return strcmp(file, "index.html") != 0 ? path : metadata_printf(m, "%.*s", (int)(file - path), path);
}

static void add_address(struct sitemap *s, const char *path, const char *day, const char *other)
{
    json_t *o = json_pack("{s:s, s:s}", "path", address_of(s->m, path), "day", day);
    if (other != NULL && odp_model_is_staged(s->m->job, other)) {
        const bool english = after(path, "en/") != NULL;
        odp_set(o, "languages",
                json_pack("{s:s, s:s}", "id", address_of(s->m, english ? other : path), "en",
                          address_of(s->m, english ? path : other)));
    }
    odp_add(s->list, o);
}

static void add_pages(struct sitemap *s)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_files(s->m->job->stage, &n);
    for (size_t i = 0; i < n; i++) {
        char day[11];
        if (!is_page(&files[i]))
            continue;
        const json_t *entry = page_entry(s->m, files[i].path);
        add_address(s, files[i].path,
                    entry != NULL ? odp_model_day(odp_text_of(entry, "last_update"), day) : s->newest,
                    other_language(s->m, files[i].path));
    }
}

static void add_downloads(struct sitemap *s)
{
    const json_t *entry, *table, *file;
    size_t i, k, l;
    json_array_foreach(s->m->job->entries, i, entry)
    {
        char day[11];
        odp_model_day(odp_text_of(entry, "last_update"), day);
        json_array_foreach(json_object_get(entry, "resources"), k, table)
            json_array_foreach(json_object_get(table, "files"), l, file)
                add_address(s, odp_model_path(odp_text_of(file, "url")), day, NULL);
    }
}

/* Writes PER_FILE addresses, those of file K. */
static void put_file(struct sitemap *s, size_t k, const char *path)
{
    json_t *part = json_array();
    for (size_t i = k * PER_FILE; i < json_array_size(s->list) && i < (k + 1) * PER_FILE; i++)
        odp_add(part, json_incref(json_array_get(s->list, i)));
    metadata_put_take(s->m, "sitemap", path, "application/xml", json_pack("{s:o}", "addresses", part));
}

static void put_files(struct sitemap *s)
{
    const char *sitemap = odp_path(ODP_PATH_sitemap, ODP_LANG_ID);
    const size_t n = (json_array_size(s->list) + PER_FILE - 1) / PER_FILE;
    json_t *names = json_array();
    for (size_t k = 0; k < n && n > 1; k++) {
        const char *path = metadata_printf(s->m, "sitemap-%zu.xml", k + 1);
        odp_add(names, json_string(path));
        put_file(s, k, path);
    }
    if (n <= 1)
        put_file(s, 0, sitemap);
    else
        metadata_put_take(s->m, "sitemap-index", sitemap, "application/xml",
                          json_pack("{s:O}", "files", names));
    json_decref(names);
}

enum odp_status odp_metadata_sitemap(struct odp_metadata *m)
{
    struct sitemap s = {.m = m, .list = json_array()};
    odp_model_day(odp_model_newest(m->job), s.newest);
    add_pages(&s);
    add_downloads(&s);
    put_files(&s);
    json_decref(s.list);
    return m->status;
}
