/* rilis.html: what is about to go, the releases of the API, the newest version of each dataset. feed.xml's
 * ids are addresses in it
 * (#rilis-2.5.0): they never change. */
#include <errno.h>

#include "site/pages/pages_internal.h"

/* ONE is what goes: the entry, or what it lists. */
static void add_leaving(struct odp_doc *d, json_t *list, const char *kind, const json_t *entry, const json_t *one)
{
    static const struct {
        const char *kind, *name, *sunset, *heir;
    } members[] = {{"dataset", "slug", "odp:sunset", "odp:replacedBy"},
                   {"table", "name", "odp:sunset", "odp:replacedBy"},
                   {"field", "field", "sunset", "replacedBy"},
                   {"address", "slug", "sunset", NULL}};
    size_t i = 0;
    while (strcmp(members[i].kind, kind) != 0)
        i++;
    const char *slug = odp_model_text(entry, "slug");
    const char *heir = members[i].heir != NULL ? odp_model_text(one, members[i].heir) : slug;
    odp_doc_add(d, list,
                json_pack("{s:s, s:b, s:s, s:o, s:s, s:s, s:s}", "kind", kind, "is_address", members[i].heir == NULL,
                          "name", odp_model_text(one, members[i].name), "title", odp_model_both(entry, "title"),
                          "slug", slug, "sunset", odp_model_text(one, members[i].sunset), "heir", heir));
}

static void leaving_of(struct odp_doc *d, json_t *list, const json_t *entry)
{
    const json_t *one;
    size_t i;
    if (strcmp(odp_model_text(entry, "state"), "deprecated") == 0)
        add_leaving(d, list, "dataset", entry, entry);
    json_array_foreach(json_object_get(entry, "resources"), i, one)
        if (*odp_model_text(one, "odp:sunset") != '\0')
            add_leaving(d, list, "table", entry, one);
    json_array_foreach(json_object_get(entry, "deprecated_fields"), i, one) add_leaving(d, list, "field", entry, one);
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), i, one) add_leaving(d, list, "address", entry, one);
}

static json_t *make_releases(struct odp_doc *d, const struct odp_catalog *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->nreleases; i++) {
        json_t *changes = json_array();
        for (size_t k = 0; k < c->releases[i].nchanges; k++)
            odp_doc_add(d, changes, odp_doc_text(&c->releases[i].changes[k]));
        odp_doc_add(d, list,
                    json_pack("{s:s, s:s, s:o}", "version", c->releases[i].version, "date",
                              c->releases[i].date, "changes", changes));
    }
    return list;
}

enum odp_status portal_make_releases(struct portal *p, enum odp_lang lang)
{
    struct odp_doc d = {0};
    json_t *data = json_object(), *leaving = json_array(), *versions = json_array();
    for (size_t i = 0; i < p->n; i++) {
        leaving_of(&d, leaving, p->newest[i]);
        odp_doc_add(&d, versions, portal_card(p, p->newest[i]));
    }
    odp_doc_set(&d, data, "any_leaving", json_boolean(json_array_size(leaving) > 0));
    odp_doc_set(&d, data, "leaving", leaving);
    odp_doc_set(&d, data, "any_releases", json_boolean(p->catalog->nreleases > 0));
    odp_doc_set(&d, data, "releases", make_releases(&d, p->catalog));
    odp_doc_set(&d, data, "any_versions", json_boolean(p->n > 0));
    odp_doc_set(&d, data, "versions", versions);
    const struct portal_head head = {
        .page = "releases",
        .title = portal_word(p, "releases_title", lang),
        .description = portal_word(p, "releases_description", lang),
        .nav = "releases",
        .path = {odp_path(ODP_PATH_releases, ODP_LANG_ID), odp_path(ODP_PATH_releases, ODP_LANG_EN)},
        .cls = ODP_CLASS_PUBLIC};
    if (!d.failed)
        return portal_put(p, lang, &head, data);
    json_decref(data);
    return odp_failure_set("make", head.path[lang], ENOMEM);
}
