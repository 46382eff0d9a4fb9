/* datapackage.json: the site as a Data Package (v2), for tools that read such things. One resource a
 * downloaded file: the first of a table has the table's name (foreign keys refer to it), the others that name
 * and the format's. Only the exact CSV is a table with a schema: the envelope and GeoJSON are documents to
 * Data Package, excel.csv is for people. */
#include "site/versions/versions_internal.h"

/* The path from the site's root of a link in the index. */
static const char *from_root(const char *url)
{
    return strncmp(url, "../", 3) == 0 ? url + 3 : url;
}

static json_t *make_resource(const json_t *entry, const json_t *resource, const json_t *file, bool first)
{
    const char *name = odp_text_of(resource, "package_name"), *kind = odp_text_of(file, "name");
    bool table = strcmp(kind, "csv") == 0;
    const char *schema = table ? from_root(odp_text_of(resource, "schema")) : NULL;
    json_t *o =
        json_pack("{s:o, s:s*, s:s*, s:s, s:s, s:s, s:s, s:s}", "name",
                  first ? json_string(name) : json_sprintf("%s.%s", name, kind), "type",
                  table ? "table" : NULL, "schema", schema, "path", from_root(odp_text_of(file, "url")),
                  "title", odp_text_of(json_object_get(resource, "title"), "id"), "format", kind, "mediatype",
                  odp_text_of(file, "media_type"), "encoding", "utf-8");
    odp_set_copy(o, file, "bytes");
    odp_set_copy(o, file, "hash");
    odp_set_str(o, "odp:dataset", odp_text_of(entry, "slug"));
    odp_set_str(o, "odp:version", odp_text_of(entry, "version"));
    return o;
}

/* The exact CSV comes first, if there is one. */
static void add_files(json_t *list, const json_t *entry, const json_t *resource)
{
    const json_t *files = json_object_get(resource, "files");
    size_t n = json_array_size(files), head = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(odp_text_of(json_array_get(files, i), "name"), "csv") == 0)
            head = i;
    for (size_t i = 0; i < n; i++) {
        size_t k = i == 0 ? head : i <= head ? i - 1 : i;
        odp_add(list, make_resource(entry, resource, json_array_get(files, k), i == 0));
    }
}

enum odp_status odp_release_package(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries)
{
    const struct odp_portal *p = &c->portal;
    const json_t *entry, *resource;
    json_t *list = json_array();
    size_t i, k;
    json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:s*, s:s*}", "$schema",
                          "https://datapackage.org/profiles/2.0/datapackage.json", "name", "portal", "title",
                          odp_text_get(&p->title, ODP_LANG_ID), "odp:title", odp_doc_text(&p->title),
                          "homepage", p->base_url != NULL && p->base_url[0] != '\0' ? p->base_url : NULL,
                          "version", c->nreleases > 0 ? c->releases[0].version : NULL);
    if (p->license_name != NULL || p->license_path != NULL)
        odp_set(o, "licenses",
                json_pack("[{s:s*, s:s*, s:s}]", "name", p->license_name, "path", p->license_path, "title",
                          odp_text_get(&p->license_title, ODP_LANG_ID)));
    json_array_foreach(entries, i, entry) json_array_foreach(json_object_get(entry, "resources"), k, resource)
        add_files(list, entry, resource);
    odp_set(o, "resources", list);
    return odp_doc_put_take(s, "datapackage.json", o);
}
