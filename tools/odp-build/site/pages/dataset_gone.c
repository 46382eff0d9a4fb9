/* Pages of what was: a dataset that was withdrawn, from the tombstones it left; an address that a dataset
 * had, which says where it is now.
 *
 * They are not for search engines. Only for the name of a withdrawn dataset is the catalogue asked: the site
 * has none any more. A dataset whose newest version alone was withdrawn keeps its page (dataset.c), which
 * offers nothing that is gone. */
#include "site/pages/pages_internal.h"

enum { TOMBSTONES_MOST = 100 };

/* The page of SLUG in both languages; DATA, whose "heading" is its title, is taken. */
static enum odp_status put(struct portal *p, const char *page, const char *slug, json_t *data_take,
                           struct odp_arena *a)
{
    enum odp_status status = ODP_OK;
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++) {
        const struct portal_head head = {
            .page = page,
            .title = odp_model_in(data_take, "heading", (enum odp_lang)lang),
            .cls = ODP_CLASS_PUBLIC,
            .noindex = true,
            .path = {odp_path_dataset(slug, ODP_LANG_ID, a), odp_path_dataset(slug, ODP_LANG_EN, a)}};
        status = portal_put(p, (enum odp_lang)lang, &head, json_incref(data_take));
    }
    json_decref(data_take);
    return status;
}

static bool is_listed(const struct portal *p, const char *slug)
{
    return odp_model_find(p->job->entries, "slug", slug) != NULL;
}

static enum odp_status put_moved(struct portal *p, struct odp_arena *a)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < p->n; i++) {
        const json_t *entry = p->newest[i], *old;
        size_t k;
        json_array_foreach(json_object_get(entry, "odp:formerSlugs"), k, old) {
            const char *slug = odp_model_text(old, "slug");
            if (*slug == '\0' || is_listed(p, slug) || status != ODP_OK)
                continue; /* another dataset has that address now */
            status = put(p, "dataset_moved", slug,
                         json_pack("{s:s, s:s, s:o, s:s}", "old", slug, "slug", odp_model_text(entry, "slug"),
                                   "heading", odp_model_both(entry, "title"), "until",
                                   odp_model_text(old, "sunset")),
                         a);
        }
    }
    return status;
}

/* ---- withdrawn -------------------------------------------------------------------------------------- */

static enum odp_status put_withdrawn(struct portal *p, const char *slug, const json_t *versions,
                                     struct odp_arena *a)
{
    const struct odp_dataset *d =
        odp_catalog_find(p->catalog, slug); /* for its name alone: the site has it no more */
    const json_t *heir = d != NULL && d->replaced_by != NULL
                             ? odp_model_find(p->job->entries, "slug", d->replaced_by)
                             : NULL,
                 *one;
    json_t *tombstones = json_array(), *heading = d != NULL && !odp_text_is_empty(&d->title)
                                                      ? odp_doc_text(&d->title)
                                                      : json_string(slug);
    struct odp_doc doc = {0};
    size_t i;
    json_array_foreach(json_object_get(versions, "data"), i, one)
        if (i < TOMBSTONES_MOST)
            odp_doc_add(&doc, tombstones,
                        json_pack("{s:s, s:s, s:s, s:o}", "name", odp_model_text(one, "version"), "date",
                                  odp_model_text(one, "date"), "reason", odp_model_text(one, "reason"),
                                  "note", odp_model_both(one, "note")));
    json_t *data =
        json_pack("{s:s, s:o, s:o, s:o}", "slug", slug, "heading", heading, "note",
                  odp_model_both(d != NULL ? d->json : NULL, "odp:note"), "tombstones", tombstones);
    if (heir != NULL)
        odp_doc_set(&doc, data, "heir",
                    json_pack("{s:o, s:s}", "title", odp_model_both(heir, "title"), "slug", d->replaced_by));
    if (!doc.failed && data != NULL)
        return put(p, "dataset_gone", slug, data, a);
    json_decref(data);
    return odp_failure_set("make", slug, 0);
}

/* The slug of "data/<slug>/versions.json", in A; NULL: another file. */
static const char *slug_of(const char *path, struct odp_arena *a)
{
    const char *slash = strncmp(path, "data/", 5) == 0 ? strchr(path + 5, '/') : NULL;
    if (slash == NULL || strcmp(slash, "/versions.json") != 0)
        return NULL;
    return odp_arena_copy(a, (struct odp_slice){path + 5, (size_t)(slash - path) - 5}).ptr;
}

static enum odp_status put_all_withdrawn(struct portal *p, struct odp_arena *a)
{
    size_t n, count = 0;
    const struct odp_site_file *files = odp_stage_files(p->job->stage, &n);
    const char **slugs = odp_arena_array(a, n + 1, sizeof *slugs);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n; i++) { /* first all of them: staging changes the list */
        const char *slug = slug_of(files[i].path, a);
        if (slug != NULL && !is_listed(p, slug))
            slugs[count++] = slug;
    }
    for (size_t i = 0; i < count && status == ODP_OK; i++) {
        json_t *versions = NULL;
        const char *path = odp_arena_printf(a, "data/%s/versions.json", slugs[i]);
        status = odp_model_read(p->job, path, &versions);
        if (status == ODP_OK)
            status = put_withdrawn(p, slugs[i], versions, a);
        json_decref(versions);
    }
    return status;
}

enum odp_status portal_datasets_gone(struct portal *p)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    enum odp_status status = put_moved(p, &arena);
    if (status == ODP_OK)
        status = put_all_withdrawn(p, &arena);
    odp_arena_release(&arena);
    return status;
}
