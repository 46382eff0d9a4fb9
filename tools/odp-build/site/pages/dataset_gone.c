/* Pages of what was: a dataset that was withdrawn, from the tombstones it left; an address that a dataset had, which says where it is now.
 *
 * They are not for search engines. Only for the name of a withdrawn dataset is the catalogue asked: the site
 * has none any more. A dataset whose newest version alone was withdrawn keeps its page (dataset.c), which
 * offers nothing that is gone. */
#include "site/pages/dataset_internal.h"

static bool is_listed(const struct portal *p, const char *slug)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(portal_text(p->newest[i], "slug"), slug) == 0)
            return true;
    return false;
}

static enum odp_status set_paths(struct dataset_page *g, struct portal_head *head)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        g->path[lang] = head->path[lang] = odp_arena_printf(g->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, (enum odp_lang)lang), g->slug);
        if (head->path[lang] == NULL)
            return ODP_FAIL;
    }
    g->root = portal_root(g->path[g->lang], g->arena);
    return g->root != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status put(struct portal *p, struct dataset_page *g, const struct portal_head *head, json_t *data_take)
{
    if (!g->d.failed)
        return portal_put(p, g->lang, head, data_take);
    json_decref(data_take);
    return odp_failure_set("make", head->path[g->lang], 0);
}

/* ---- moved ------------------------------------------------------------------------------------------------------------------ */

static enum odp_status put_moved(struct portal *p, enum odp_lang lang, const json_t *entry, const json_t *former, struct odp_arena *a)
{
    struct dataset_page g = {.p = p, .lang = lang, .entry = entry, .slug = portal_text(former, "slug"), .arena = a};
    struct portal_head head = {.page = "dataset_moved", .cls = ODP_CLASS_PUBLIC, .noindex = true};
    const char *title = "", *sunset = portal_text(former, "sunset");
    if (set_paths(&g, &head) != ODP_OK)
        return ODP_FAIL;
    const char *href = dataset_page_of(&g, portal_text(entry, "slug"), &title);
    json_t *data = json_object();
    head.title = dataset_phrase(&g, "ds_moved_title", title, NULL);
    dataset_set(&g, data, "old", g.slug);
    dataset_set(&g, data, "slug", portal_text(entry, "slug"));
    dataset_set(&g, data, "heading", title);
    dataset_set(&g, data, "href", href);
    dataset_set(&g, data, "until_iso", sunset);
    dataset_set(&g, data, "until", *sunset != '\0' ? portal_date(sunset, lang, a) : "");
    if (head.title == NULL)
        g.d.failed = true;
    return put(p, &g, &head, data);
}

static enum odp_status moved(struct portal *p, struct odp_arena *a)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < p->n; i++) {
        const json_t *former = json_object_get(p->newest[i], "odp:formerSlugs");
        for (size_t k = 0; k < json_array_size(former); k++) {
            const json_t *one = json_array_get(former, k);
            if (*portal_text(one, "slug") == '\0' || is_listed(p, portal_text(one, "slug")))
                continue; /* another dataset has that address now */
            for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
                status = put_moved(p, (enum odp_lang)lang, p->newest[i], one, a);
        }
    }
    return status;
}

/* ---- withdrawn -------------------------------------------------------------------------------------------------------------- */

static json_t *make_tombstone(struct dataset_page *g, const json_t *from)
{
    const char *date = portal_text(from, "date"), *reason = portal_text(from, "reason");
    json_t *o = json_object();
    dataset_set(g, o, "name", portal_text(from, "version"));
    dataset_set(g, o, "iso", date);
    dataset_set(g, o, "day", *date != '\0' ? portal_date(date, g->lang, g->arena) : "");
    dataset_set(g, o, "reason", *reason != '\0' ? dataset_reason(g, reason) : "");
    dataset_set(g, o, "note", portal_in(from, "note", g->lang));
    return o;
}

static enum odp_status put_withdrawn(struct portal *p, enum odp_lang lang, const char *slug, const json_t *versions, struct odp_arena *a)
{
    enum { MOST = 100 };
    struct dataset_page g = {.p = p, .lang = lang, .slug = slug, .arena = a};
    struct portal_head head = {.page = "dataset_gone", .cls = ODP_CLASS_PUBLIC, .noindex = true};
    const struct odp_dataset *d = odp_catalog_find(p->catalog, slug); /* for its name alone: the site has it no more */
    const char *title = d != NULL && !odp_text_is_empty(&d->title) ? odp_text_get(&d->title, lang) : slug, *heir = "";
    const json_t *list = json_object_get(versions, "data");
    if (set_paths(&g, &head) != ODP_OK)
        return ODP_FAIL;
    json_t *data = json_object(), *tombstones = json_array();
    head.title = title;
    for (size_t i = 0; i < json_array_size(list) && i < MOST; i++)
        odp_doc_add(&g.d, tombstones, make_tombstone(&g, json_array_get(list, i)));
    const char *href = d != NULL && d->replaced_by != NULL ? dataset_page_of(&g, d->replaced_by, &heir) : NULL;
    dataset_set(&g, data, "slug", slug);
    dataset_set(&g, data, "heading", title);
    dataset_set(&g, data, "heir", heir);
    dataset_set(&g, data, "heir_href", href != NULL ? href : "");
    const char *note = d != NULL ? portal_in(d->json, "odp:note", lang) : "";
    dataset_set(&g, data, "note", note);
    odp_doc_set(&g.d, data, "tombstones", tombstones);
    dataset_set(&g, data, "versions_href", odp_arena_printf(a, "%sdata/%s/versions.json", g.root, slug));
    return put(p, &g, &head, data);
}

/* The slug of "data/<slug>/versions.json", in A; *SLUG NULL: another file. */
static enum odp_status slug_of(const char *path, struct odp_arena *a, const char **slug)
{
    const char *slash = strncmp(path, "data/", 5) == 0 ? strchr(path + 5, '/') : NULL;
    *slug = NULL;
    if (slash == NULL || strcmp(slash, "/versions.json") != 0)
        return ODP_OK;
    *slug = odp_arena_copy(a, (struct odp_slice){path + 5, (size_t)(slash - path) - 5}).ptr;
    return *slug != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status withdrawn(struct portal *p, struct odp_arena *a)
{
    size_t n, count = 0;
    const struct odp_site_file *files = odp_stage_files(p->job->stage, &n);
    const char **slugs = odp_arena_array(a, n + 1, sizeof *slugs);
    enum odp_status status = slugs != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) { /* first all of them: staging changes the list */
        const char *slug;
        status = slug_of(files[i].path, a, &slug);
        if (slug != NULL && !is_listed(p, slug))
            slugs[count++] = slug;
    }
    for (size_t i = 0; i < count && status == ODP_OK; i++) {
        json_t *versions = NULL;
        const char *path = odp_arena_printf(a, "data/%s/versions.json", slugs[i]);
        status = path != NULL ? portal_read_json(p, path, &versions) : ODP_FAIL;
        for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
            status = put_withdrawn(p, (enum odp_lang)lang, slugs[i], versions, a);
        json_decref(versions);
    }
    return status;
}

enum odp_status dataset_gone(struct portal *p)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    enum odp_status status = moved(p, &arena);
    if (status == ODP_OK)
        status = withdrawn(p, &arena);
    odp_arena_release(&arena);
    return status;
}
