/* Pages of what was: a dataset that was withdrawn, from the tombstones it left; an address that a dataset
 * had, which says where it is now.
 *
 * They are not for search engines. Only for the name of a withdrawn dataset is the catalogue asked: the site
 * has none any more. A dataset whose newest version alone was withdrawn keeps its page (dataset.c), which
 * offers nothing that is gone. */
#include "site/pages/pages_internal.h"

enum { TOMBSTONES_MOST = 100 };

/* The page of SLUG in both languages; DATA, whose "heading" is its title, is taken. */
static void put(struct portal *p, const char *page, const char *slug, json_t *data_take)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const struct portal_head head = {.page = page,
                                         .title = odp_model_in(data_take, "heading", (enum odp_lang)lang),
                                         .noindex = true,
                                         .path = {odp_path_dataset(slug, ODP_LANG_ID, &p->arena),
                                                  odp_path_dataset(slug, ODP_LANG_EN, &p->arena)}};
        portal_put(p, (enum odp_lang)lang, &head, json_incref(data_take));
    }
    json_decref(data_take);
}

static bool is_listed(const struct portal *p, const char *slug)
{
    return odp_job_entry(p->job, slug) != NULL;
}

static void put_moved(struct portal *p, const json_t *entry)
{
    const json_t *old;
    size_t k;
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), k, old)
    {
        const char *slug = odp_text_of(old, "slug");
        if (*slug != '\0' && !is_listed(p, slug)) /* else another dataset has that address now */
            put(p, "dataset_moved", slug,
                json_pack("{s:s, s:s, s:o, s:s}", "old", slug, "slug", odp_text_of(entry, "slug"), "heading",
                          odp_model_both(entry, "title"), "until", odp_text_of(old, "sunset")));
    }
}

static void put_withdrawn(struct portal *p, const char *slug, const json_t *versions)
{
    const struct odp_dataset *d =
        odp_catalog_find(p->catalog, slug); /* for its name alone: the site has it no more */
    const json_t *heir = d != NULL && d->replaced_by != NULL ? odp_job_entry(p->job, d->replaced_by) : NULL,
                 *one;
    json_t *tombstones = json_array();
    size_t i;
    json_array_foreach(json_object_get(versions, "data"), i, one) if (i < TOMBSTONES_MOST)
        odp_add(tombstones, json_pack("{s:s, s:s, s:s, s:o}", "name", odp_text_of(one, "version"), "date",
                                      odp_text_of(one, "date"), "reason", odp_text_of(one, "reason"), "note",
                                      odp_model_both(one, "note")));
    json_t *data =
        json_pack("{s:s, s:o, s:o, s:o}", "slug", slug, "heading",
                  d != NULL && !odp_text_is_empty(&d->title) ? odp_doc_text(&d->title) : json_string(slug),
                  "note", odp_model_both(d != NULL ? d->json : NULL, "odp:note"), "tombstones", tombstones);
    if (heir != NULL)
        odp_set(data, "heir",
                json_pack("{s:o, s:s}", "title", odp_model_both(heir, "title"), "slug", d->replaced_by));
    put(p, "dataset_gone", slug, data);
}

void portal_datasets_gone(struct portal *p)
{
    size_t n;
    const struct odp_site_file *files = odp_stage_histories(p->job->stage, &p->arena, &n);
    for (size_t i = 0; i < p->n; i++)
        put_moved(p, p->newest[i]);
    for (size_t i = 0; i < n && p->status == ODP_OK; i++) {
        const char *slug = odp_arena_copy(&p->arena, odp_site_path_slug(files[i].path)).ptr;
        json_t *versions = NULL;
        if (is_listed(p, slug))
            continue;
        p->status = odp_job_read(p->job, files[i].path, &versions);
        put_withdrawn(p, slug, versions);
        json_decref(versions);
    }
}
