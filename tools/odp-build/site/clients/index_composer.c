/* packages.json and p2/<vendor>/<name>.json: a Composer repository that is read lazily (metadata-url).
 *
 * p2/<name>~dev.json is not there: it is asked for where development versions are wanted, and a 404 says
 * that there are none. Addresses are absolute, as in npm's documents (both want them so), from baseUrl: a
 * site at another address needs a build, no new release. simple/ is relative. */
#include "site/clients/index_internal.h"

static json_t *make_version(struct client_listing *l, const json_t *package)
{
    json_t *o = json_deep_copy(json_object_get(package, "manifest")), *dist = json_object();
    const char *address = client_index_address(l, package);
    odp_doc_set_str(&l->doc, o, "name", client_index_text(package, "name"));
    odp_doc_set_str(&l->doc, o, "version", client_index_text(package, "version"));
    odp_doc_set(&l->doc, o, "version_normalized",
                json_sprintf("%s.0", client_index_text(package, "version")));
    odp_doc_set_str(&l->doc, dist, "type", "zip");
    odp_doc_set_str(&l->doc, dist, "url", address);
    odp_doc_set_str(&l->doc, dist, "shasum", client_index_text(package, "sha1"));
    odp_doc_set(&l->doc, o, "dist", dist);
    odp_doc_set(&l->doc, o, "time", json_sprintf("%sT00:00:00+00:00", client_index_text(package, "date")));
    return o;
}

static enum odp_status put_package(struct client_listing *l, size_t from, size_t to)
{
    const char *name = client_index_text(l->list[from], "name");
    json_t *o = json_object(), *packages = json_object(), *versions = json_array();
    for (size_t i = from; i < to; i++)
        odp_doc_add(&l->doc, versions, make_version(l, l->list[i]));
    odp_doc_set(&l->doc, packages, name, versions);
    odp_doc_set(&l->doc, o, "packages", packages);
    return client_index_put_take(l, odp_arena_printf(l->arena, "p2/%s.json", name), o);
}

enum odp_status client_index_composer(struct client_listing *l)
{
    json_t *o = json_object(), *available = json_array();
    enum odp_status status = ODP_OK;
    for (size_t i = 0, end; i < l->n && status == ODP_OK; i = end) {
        end = client_index_run(l, i);
        odp_doc_add(&l->doc, available, json_string(client_index_text(l->list[i], "name")));
        status = put_package(l, i, end);
    }
    odp_doc_set(&l->doc, o, "packages", json_array());
    odp_doc_set(&l->doc, o, "metadata-url",
                json_sprintf("%sp2/%%package%%.json", l->job->catalog->portal.base_url));
    odp_doc_set(&l->doc, o, "available-packages", available);
    if (status == ODP_OK)
        return client_index_put_take(l, "packages.json", o);
    json_decref(o);
    return status;
}
