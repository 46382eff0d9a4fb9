/* rilis.html: what is about to go, the releases of the API, the newest version of each dataset. feed.xml's ids are addresses in it
 * (#rilis-2.5.0): they never change. */
#include <errno.h>

#include "site/pages/pages_internal.h"

struct releases {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc d;
    struct odp_arena arena;
};

static void set(struct releases *r, json_t *o, const char *key, const char *text)
{
    r->d.failed = r->d.failed || text == NULL;
    odp_doc_set_str(&r->d, o, key, text != NULL ? text : "");
}

static void set_date(struct releases *r, json_t *o, const char *key, const char *text_key, const char *date)
{
    set(r, o, key, date);
    set(r, o, text_key, portal_date(date, r->lang, &r->arena));
}

static void set_dataset(struct releases *r, json_t *o, const char *title_key, const json_t *entry)
{
    set(r, o, title_key, portal_in(entry, "title", r->lang));
    set(r, o, "href", odp_arena_printf(&r->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, r->lang), portal_text(entry, "slug")));
}

/* ---- what is about to go ---------------------------------------------------------------------------------------------------- */

/* HEIR: what takes its place, or "". */
static void leaving(struct releases *r, json_t *list, const char *kind, const json_t *entry, const char *name, const char *sunset, const char *heir)
{
    json_t *o = json_object();
    const char *word = odp_templates_word(r->p->templates, kind, r->lang);
    set(r, o, "kind", word != NULL ? word : kind);
    set(r, o, "name", name);
    set_dataset(r, o, "dataset", entry);
    set_date(r, o, "sunset", "sunset_text", sunset);
    if (heir == NULL || *heir != '\0')
        set(r, o, "heir", heir);
    odp_doc_add(&r->d, list, o);
}

static void leaving_of(struct releases *r, json_t *list, const json_t *entry)
{
    const json_t *fields = json_object_get(entry, "deprecated_fields"), *resources = json_object_get(entry, "resources"),
                 *former = json_object_get(entry, "odp:formerSlugs");
    if (strcmp(portal_text(entry, "state"), "deprecated") == 0)
        leaving(r, list, "releases_kind_dataset", entry, portal_text(entry, "slug"), portal_text(entry, "odp:sunset"),
                portal_text(entry, "odp:replacedBy"));
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *table = json_array_get(resources, i);
        if (*portal_text(table, "odp:sunset") != '\0')
            leaving(r, list, "releases_kind_table", entry, portal_text(table, "name"), portal_text(table, "odp:sunset"),
                    portal_text(table, "odp:replacedBy"));
    }
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *f = json_array_get(fields, i);
        leaving(r, list, "releases_kind_field", entry, portal_text(f, "field"), portal_text(f, "sunset"), portal_text(f, "replacedBy"));
    }
    for (size_t i = 0; i < json_array_size(former); i++) {
        const json_t *f = json_array_get(former, i);
        leaving(r, list, "releases_kind_address", entry, odp_arena_printf(&r->arena, "v1/%s", portal_text(f, "slug")), portal_text(f, "sunset"),
                odp_arena_printf(&r->arena, "v1/%s", portal_text(entry, "slug")));
    }
}

static json_t *make_leaving(struct releases *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->p->n; i++)
        leaving_of(r, list, r->p->newest[i]);
    return list;
}

/* ---- releases, versions ----------------------------------------------------------------------------------------------------- */

static json_t *make_releases(struct releases *r)
{
    const struct odp_catalog *c = r->p->catalog;
    json_t *list = json_array();
    for (size_t i = 0; i < c->nreleases; i++) {
        json_t *o = json_object(), *changes = json_array();
        set(r, o, "version", c->releases[i].version);
        set_date(r, o, "date", "date_text", c->releases[i].date);
        for (size_t k = 0; k < c->releases[i].nchanges; k++)
            odp_doc_add(&r->d, changes, json_string(odp_text_get(&c->releases[i].changes[k], r->lang)));
        odp_doc_set(&r->d, o, "changes", changes);
        odp_doc_add(&r->d, list, o);
    }
    return list;
}

/* PATH of the site, where such a file is staged. */
static void set_staged(struct releases *r, json_t *o, const char *key, const char *path)
{
    r->d.failed = r->d.failed || path == NULL;
    if (path != NULL && odp_stage_find(r->p->job->stage, path) != NULL)
        set(r, o, key, path);
}

static json_t *make_version(struct releases *r, const json_t *entry)
{
    const char *slug = portal_text(entry, "slug"), *version = portal_text(entry, "version"), *format;
    json_t *o = json_object(), *downloads = json_array(), *url;
    set_dataset(r, o, "title", entry);
    set(r, o, "version", version);
    set_date(r, o, "date", "date_text", portal_text(entry, "last_update"));
    json_object_foreach((json_t *)(uintptr_t)json_object_get(entry, "download"), format, url) /* reads only */
    {
        const char *path = json_string_value(url);
        if (path == NULL || strncmp(path, "../", 3) != 0)
            continue;
        json_t *download = json_object();
        set(r, download, "format", format);
        set(r, download, "path", path + 3);
        odp_doc_add(&r->d, downloads, download);
    }
    odp_doc_set(&r->d, o, "downloads", downloads);
    set_staged(r, o, "differences", odp_arena_printf(&r->arena, "data/%s/%s/changes.html", slug, version));
    set_staged(r, o, "all", odp_arena_printf(&r->arena, "data/%s/versions.json", slug));
    return o;
}

static json_t *make_versions(struct releases *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->p->n; i++)
        odp_doc_add(&r->d, list, make_version(r, r->p->newest[i]));
    return list;
}

enum odp_status portal_make_releases(struct portal *p, enum odp_lang lang)
{
    struct releases r = {.p = p, .lang = lang};
    json_t *data = json_object();
    odp_arena_init(&r.arena);
    json_t *gone = make_leaving(&r);
    odp_doc_set(&r.d, data, "any_leaving", json_boolean(json_array_size(gone) > 0));
    odp_doc_set(&r.d, data, "leaving", gone);
    odp_doc_set(&r.d, data, "any_releases", json_boolean(p->catalog->nreleases > 0));
    odp_doc_set(&r.d, data, "releases", make_releases(&r));
    odp_doc_set(&r.d, data, "any_versions", json_boolean(p->n > 0));
    odp_doc_set(&r.d, data, "versions", make_versions(&r));
    const struct portal_head head = {.page = "releases", .title = odp_templates_word(p->templates, "releases_title", lang),
                                     .description = odp_templates_word(p->templates, "releases_description", lang), .nav = "releases",
                                     .path = {portal_path(PORTAL_releases, ODP_LANG_ID), portal_path(PORTAL_releases, ODP_LANG_EN)},
                                     .cls = ODP_CLASS_PUBLIC};
    enum odp_status status;
    if (r.d.failed || head.title == NULL)
        status = odp_failure_set("make", portal_path(PORTAL_releases, lang), ENOMEM);
    else
        status = portal_put(p, lang, &head, json_incref(data));
    json_decref(data);
    odp_arena_release(&r.arena);
    return status;
}
