/* datapackage.json: the site as a Data Package (v2), for tools that read such things. One resource a downloaded file: the first
 * of a table has the table's name (foreign keys refer to it), the others that name and the format's. Only the exact CSV is a
 * table with a schema: the envelope and GeoJSON are documents to Data Package, excel.csv is for people. */
#include "site/versions/datapackage.h"

/* The path from the site's root of a link in the index. */
static const char *from_root(const char *url)
{
    return strncmp(url, "../", 3) == 0 ? url + 3 : url;
}

static json_t *make_resource(struct odp_doc *d, const json_t *entry, const json_t *resource, const json_t *file, bool first)
{
    const char *name = odp_doc_read_str(resource, "package_name"), *kind = odp_doc_read_str(file, "name");
    const json_t *title = json_object_get(resource, "title");
    json_t *o = json_object();
    odp_doc_set(d, o, "name", first ? json_string(name) : json_sprintf("%s.%s", name, kind));
    if (strcmp(kind, "csv") == 0) {
        odp_doc_set_str(d, o, "type", "table");
        odp_doc_set_str(d, o, "schema", from_root(odp_doc_read_str(resource, "schema")));
    }
    odp_doc_set_str(d, o, "path", from_root(odp_doc_read_str(file, "url")));
    odp_doc_set_str(d, o, "title", odp_doc_read_str(title, "id"));
    odp_doc_set_str(d, o, "format", kind);
    odp_doc_set_str(d, o, "mediatype", odp_doc_read_str(file, "media_type"));
    odp_doc_set_str(d, o, "encoding", "utf-8");
    odp_doc_copy(d, o, file, "bytes");
    odp_doc_copy(d, o, file, "hash");
    odp_doc_set_str(d, o, "odp:dataset", odp_doc_read_str(entry, "slug"));
    odp_doc_set_str(d, o, "odp:version", odp_doc_read_str(entry, "version"));
    return o;
}

/* The exact CSV comes first, if there is one. */
static void add_files(struct odp_doc *d, json_t *list, const json_t *entry, const json_t *resource)
{
    const json_t *files = json_object_get(resource, "files");
    size_t n = json_array_size(files), head = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(odp_doc_read_str(json_array_get(files, i), "name"), "csv") == 0)
            head = i;
    for (size_t i = 0; i < n; i++) {
        size_t k = i == 0 ? head : i <= head ? i - 1 : i;
        odp_doc_add(d, list, make_resource(d, entry, resource, json_array_get(files, k), i == 0));
    }
}

enum odp_status odp_release_package(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries)
{
    struct odp_doc d = {false};
    const struct odp_portal *portal = &c->portal;
    json_t *o = json_object(), *list = json_array(), *licenses = json_array(), *license = json_object();
    odp_doc_set_str(&d, o, "$schema", "https://datapackage.org/profiles/2.0/datapackage.json");
    odp_doc_set_str(&d, o, "name", "portal");
    odp_doc_set_str(&d, o, "title", odp_text_get(&portal->title, ODP_LANG_ID));
    odp_doc_set(&d, o, "odp:title", odp_doc_text(&portal->title));
    if (portal->base_url != NULL && portal->base_url[0] != '\0')
        odp_doc_set_str(&d, o, "homepage", portal->base_url);
    if (c->nreleases > 0)
        odp_doc_set_str(&d, o, "version", c->releases[0].version);
    if (portal->license_name != NULL || portal->license_path != NULL) {
        if (portal->license_name != NULL)
            odp_doc_set_str(&d, license, "name", portal->license_name);
        if (portal->license_path != NULL)
            odp_doc_set_str(&d, license, "path", portal->license_path);
        odp_doc_set_str(&d, license, "title", odp_text_get(&portal->license_title, ODP_LANG_ID));
        odp_doc_add(&d, licenses, json_incref(license));
        odp_doc_set(&d, o, "licenses", json_incref(licenses));
    }
    json_decref(license);
    json_decref(licenses);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i), *resources = json_object_get(entry, "resources");
        for (size_t k = 0; k < json_array_size(resources); k++)
            add_files(&d, list, entry, json_array_get(resources, k));
    }
    odp_doc_set(&d, o, "resources", list);
    return odp_doc_put_take(s, "datapackage.json", &d, o);
}
