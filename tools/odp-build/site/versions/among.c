#include "site/versions/among.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_load.h"
#include "published/parts.h"

struct odp_among {
    const struct odp_site_job *whole;
    struct odp_site_job job;
    json_t *entries;  /* the projection of all */
    json_t *searches; /* by slug: {"resources": […]} */
    json_t *nothing;  /* the searches of a dataset that has none */
    json_t *own;      /* by slug: the digest of its entry and its searches */
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer key;
};

static void copy_all(json_t *to, const json_t *from, const char *const *members)
{
    for (; *members != NULL; members++)
        if (json_object_get(from, *members) != NULL)
            odp_set(to, *members, json_incref(json_object_get(from, *members)));
}

/* A table of another dataset: what it is called. Of a code list's edition, where its files are. */
static json_t *make_table(const json_t *table)
{
    static const char *const members[] = {"name", "title", "package_name", "edition", NULL},
                             *const of_file[] = {"name", "url", NULL};
    const json_t *file;
    json_t *o = json_object(), *files = json_array();
    size_t i;
    copy_all(o, table, members);
    json_array_foreach(json_object_get(table, "files"), i, file)
    {
        json_t *one = json_object();
        copy_all(one, file, of_file);
        odp_add(files, one);
    }
    if (json_object_get(table, "edition") != NULL)
        odp_set(o, "files", json_incref(files));
    json_decref(files);
    return o;
}

/* What files of other datasets say of the one of ENTRY. */
static json_t *make_neighbour(const json_t *entry)
{
    static const char *const members[] = {"slug", "title", "kind", "producer", "boundaries_of", NULL},
                             *const of_boundaries[] = {"version", NULL};
    const json_t *table;
    json_t *o = json_object(), *tables = json_array();
    size_t i;
    copy_all(o, entry, members);
    if (json_object_get(entry, "boundaries_of") != NULL)
        copy_all(o, entry, of_boundaries);
    json_array_foreach(json_object_get(entry, "resources"), i, table) odp_add(tables, make_table(table));
    odp_set(o, "resources", tables);
    return o;
}

static void sort_searches(struct odp_among *g)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(g->whole->searches, "resources"), i, one)
    {
        const char *slug = odp_text_of(one, "slug");
        if (json_object_get(g->searches, slug) == NULL)
            odp_set(g->searches, slug, json_pack("{s:[]}", "resources"));
        odp_add(json_object_get(json_object_get(g->searches, slug), "resources"),
                json_incref((json_t *)(uintptr_t)one));
    }
}

enum odp_status odp_among_open(struct odp_among **out, const struct odp_site_job *job, const json_t *common)
{
    struct odp_among *g = *out = calloc(1, sizeof *g);
    const json_t *entry;
    size_t i;
    if (g == NULL)
        return odp_failure_set("make", "parts", ENOMEM);
    *g = (struct odp_among){.whole = job,
                            .job = *job,
                            .entries = json_array(),
                            .searches = json_object(),
                            .own = json_object(),
                            .nothing = json_pack("{s:[]}", "resources")};
    json_array_foreach(job->entries, i, entry) odp_add(g->entries, make_neighbour(entry));
    sort_searches(g);
    g->job.entries = g->entries;
    odp_doc_key(&g->key, g->entries);
    odp_doc_key(&g->key, common);
    enum odp_status status = odp_buffer_status(&g->key);
    return status == ODP_OK ? odp_digest_of(g->key.ptr, g->key.len, g->digest) : status;
}

void odp_among_close(struct odp_among *g)
{
    if (g == NULL)
        return;
    json_decref(g->entries);
    json_decref(g->searches);
    json_decref(g->nothing);
    json_decref(g->own);
    odp_buffer_release(&g->key);
    free(g);
}

/* Appends the digest of ENTRY and its searches, made once for all its parts, to KEY. */
static enum odp_status add_own(struct odp_among *g, const char *slug, const json_t *entry)
{
    const json_t *known = json_object_get(g->own, slug);
    if (known == NULL) {
        struct odp_buffer text = {0};
        uint8_t digest[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX];
        odp_doc_key(&text, entry);
        odp_doc_key(&text, g->job.searches);
        enum odp_status status = odp_buffer_status(&text);
        if (status == ODP_OK)
            status = odp_digest_of(text.ptr, text.len, digest);
        odp_buffer_release(&text);
        if (status != ODP_OK)
            return status;
        odp_digest_hex(digest, hex);
        odp_set_str(g->own, slug, hex);
        known = json_object_get(g->own, slug);
    }
    odp_buffer_add_str(&g->key, json_string_value(known));
    return ODP_OK;
}

/* Begins the part of what COMMON (a digest; NULL: nothing), ENTRY and MORE are. */
static enum odp_status begin(struct odp_among *g, const char *kind, const uint8_t *common,
                             const json_t *entry, const json_t *more)
{
    const char *slug = odp_text_of(entry, "slug");
    const struct odp_dataset *d = odp_catalog_find(g->whole->catalog, slug);
    struct odp_buffer name = {0};
    json_t *own = json_object_get(g->searches, slug);
    g->job.searches = own != NULL ? own : g->nothing;
    odp_buffer_clear(&g->key);
    odp_buffer_printf(&g->key, "%d%d", g->whole->catalog->preview, d != NULL && d->draft);
    if (common != NULL)
        odp_buffer_add(&g->key, common, ODP_SHA256_SIZE);
    odp_buffer_printf(&name, "%s/%s", kind, slug);
    enum odp_status status = add_own(g, slug, entry);
    odp_doc_key(&g->key, more);
    if (status == ODP_OK)
        status = odp_buffer_status(&g->key);
    if (status == ODP_OK)
        status = odp_part_begin(g->whole->stage, odp_buffer_cstr(&name), odp_buffer_slice(&g->key));
    odp_buffer_release(&name);
    return status;
}

enum odp_status odp_among_begin(const struct odp_site_job *job, const char *kind, const json_t *entry,
                                const json_t *more)
{
    return job->among != NULL ? begin(job->among, kind, job->among->digest, entry, more) : ODP_OK;
}

enum odp_status odp_among_begin_alone(const struct odp_site_job *job, const char *kind, const json_t *entry)
{
    return job->among != NULL ? begin(job->among, kind, NULL, entry, NULL) : ODP_OK;
}

const struct odp_site_job *odp_among_job(const struct odp_site_job *job)
{
    return job->among != NULL ? &job->among->job : job;
}

enum odp_status odp_among_text(const struct odp_site_job *job, const char *kind, const json_t *entry,
                               enum odp_status (*make)(void *ctx, const struct odp_site_job *job,
                                                       const json_t *entry, json_t **out),
                               void *ctx, struct odp_slice *text)
{
    enum odp_status status = odp_among_begin(job, kind, entry, NULL);
    if (status == ODP_OK) {
        struct odp_buffer out = {0};
        json_t *value = NULL;
        status = make(ctx, odp_among_job(job), entry, &value);
        if (status == ODP_OK) /* numbers as they are */
            status = odp_doc_print(&out, value, JSON_COMPACT | JSON_REAL_PRECISION(17));
        odp_part_set_text(job->stage, odp_buffer_slice(&out));
        odp_buffer_release(&out);
        json_decref(value);
        status = odp_part_end(job->stage, status);
    }
    *text = odp_part_text(job->stage);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_among_value(const struct odp_site_job *job, const char *kind, const json_t *entry,
                                enum odp_status (*make)(void *ctx, const struct odp_site_job *job,
                                                        const json_t *entry, json_t **out),
                                json_t **out)
{
    struct odp_slice text;
    enum odp_status status = odp_among_text(job, kind, entry, make, NULL, &text);
    *out = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    return status == ODP_OK && *out == NULL ? odp_failure_set("read what is kept of", kind, 0) : status;
}
