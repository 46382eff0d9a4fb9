/* npm/<name>: the registry document of a package (https://github.com/npm/registry, package metadata), full
 * form. It is asked for as /npm/@scope%2fname. */
#include "site/clients/index_internal.h"

static json_t *make_version(struct client_listing *l, const json_t *package)
{
    json_t *o = json_deep_copy(json_object_get(package, "manifest")), *dist = json_object();
    const char *address = client_index_address(l, package);
    odp_doc_set_str(&l->doc, o, "name", client_index_text(package, "name"));
    odp_doc_set_str(&l->doc, o, "version", client_index_text(package, "version"));
    odp_doc_set(
        &l->doc, o, "_id",
        json_sprintf("%s@%s", client_index_text(package, "name"), client_index_text(package, "version")));
    odp_doc_set_str(&l->doc, dist, "integrity", client_index_text(package, "integrity"));
    odp_doc_set_str(&l->doc, dist, "shasum", client_index_text(package, "sha1"));
    odp_doc_set_str(&l->doc, dist, "tarball", address);
    odp_doc_set(&l->doc, o, "dist", dist);
    return o;
}

static json_t *make_time(struct client_listing *l, size_t from, size_t to)
{
    json_t *o = json_object();
    odp_doc_set(&l->doc, o, "created",
                json_sprintf("%sT00:00:00.000Z", client_index_text(l->list[to - 1], "date")));
    odp_doc_set(&l->doc, o, "modified",
                json_sprintf("%sT00:00:00.000Z", client_index_text(l->list[from], "date")));
    for (size_t i = to; i-- > from;)
        odp_doc_set(&l->doc, o, client_index_text(l->list[i], "version"),
                    json_sprintf("%sT00:00:00.000Z", client_index_text(l->list[i], "date")));
    return o;
}

enum odp_status client_index_npm(struct client_listing *l)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0, end; i < l->n && status == ODP_OK; i = end) {
        const json_t *newest = l->list[i];
        const char *name = client_index_text(newest, "name");
        json_t *o = json_object(), *tags = json_object(), *versions = json_object();
        end = client_index_run(l, i);
        odp_doc_set_str(&l->doc, o, "_id", name);
        odp_doc_set_str(&l->doc, o, "name", name);
        odp_doc_copy(&l->doc, o, json_object_get(newest, "manifest"), "description");
        odp_doc_set_str(&l->doc, tags, "latest", client_index_text(newest, "version"));
        odp_doc_set(&l->doc, o, "dist-tags", tags);
        for (size_t k = end; k-- > i;)
            odp_doc_set(&l->doc, versions, client_index_text(l->list[k], "version"),
                        make_version(l, l->list[k]));
        odp_doc_set(&l->doc, o, "versions", versions);
        odp_doc_set(&l->doc, o, "time", make_time(l, i, end));
        odp_doc_copy(&l->doc, o, json_object_get(newest, "manifest"), "license");
        status = client_index_put_take(l, odp_arena_printf(l->arena, "npm/%s", name), o);
    }
    return status;
}
