/* Versions: what is published, what differs between one and the next, and what was taken back and why. */
#include "site/pages/dataset_internal.h"

enum { SHOWN = 24, NEW = 3 }; /* so many are listed; of so many the files and deltas, too */

static const char *href_of(struct dataset_page *g, const json_t *o, const char *key)
{
    const char *url = portal_text(o, key);
    if (*url == '\0')
        return "";
    const char *path = dataset_site_path(url);
    return dataset_file(g, path) != NULL ? odp_arena_printf(g->arena, "%s%s", g->root, path) : "";
}

static const char *count_of(struct dataset_page *g, const json_t *o, const char *key)
{
    return portal_number((uint64_t)json_integer_value(json_object_get(o, key)), g->lang, g->arena);
}

static json_t *make_changes(struct dataset_page *g, const json_t *resource)
{
    static const char *const counts[] = {"added", "removed", "changed"}, *const forms[] = {"html", "json", "csv"};
    const json_t *from = json_object_get(resource, "changes");
    json_t *o = json_object();
    dataset_set(g, o, "table", g->dataset->n > 1 ? portal_text(resource, "name") : "");
    dataset_set(g, o, "from", portal_text(from, "from"));
    for (size_t i = 0; i < 3; i++)
        dataset_set(g, o, counts[i], count_of(g, from, counts[i]));
    for (size_t i = 0; i < 3; i++)
        dataset_set(g, o, forms[i], href_of(g, from, forms[i]));
    json_int_t schema = json_integer_value(json_object_get(from, "schema_changes"));
    dataset_set(g, o, "schema", schema > 0 ? portal_number((uint64_t)schema, g->lang, g->arena) : "");
    return o;
}

static void add_links(struct dataset_page *g, const json_t *from, const char *name, json_t *list)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *file = json_array_get(from, i);
        const char *href = href_of(g, file, "url"), *path = dataset_site_path(portal_text(file, "url"));
        const char *slash = strrchr(path, '/');
        if (href != NULL && *href == '\0')
            continue;
        json_t *o = json_object();
        dataset_set(g, o, "href", href);
        dataset_set(g, o, "label", slash != NULL ? slash + 1 : path);
        dataset_set(g, o, "note", name != NULL ? portal_text(file, name) : "");
        dataset_set(g, o, "size", portal_bytes((uint64_t)json_integer_value(json_object_get(file, "bytes")), g->lang, g->arena));
        odp_doc_add(&g->d, list, o);
    }
}

const char *dataset_reason(const struct dataset_page *g, const char *reason)
{
    char key[64];
    (void)snprintf(key, sizeof key, "ds_reason_%s", reason);
    const char *word = odp_templates_word(g->p->templates, key, g->lang);
    return word != NULL ? word : reason;
}

/* What a tombstone says; empty of a version that is there. */
static void set_gone(struct dataset_page *g, const json_t *from, const char *state, json_t *o)
{
    const char *why = "", *heir = portal_text(from, "stands_in");
    if (strcmp(state, "withdrawn") == 0)
        why = dataset_phrase(g, "ds_v_withdrawn", dataset_reason(g, portal_text(from, "reason")), NULL);
    else if (strcmp(state, "thinned") == 0)
        why = *heir != '\0' ? dataset_phrase(g, "ds_v_thinned", heir, NULL) : dataset_word(g, "ds_v_thinned_alone");
    dataset_set(g, o, "gone", why);
    dataset_set(g, o, "note", portal_in(from, "note", g->lang));
}

static json_t *make_version(struct dataset_page *g, const json_t *from, size_t i)
{
    const json_t *resources = json_object_get(from, "resources");
    const char *name = portal_text(from, "version"), *state = portal_text(from, "state"), *date = portal_text(from, "date");
    json_t *o = json_object(), *files = json_array(), *deltas = json_array(), *changes = json_array();
    dataset_set(g, o, "name", name);
    dataset_set(g, o, "iso", date);
    dataset_set(g, o, "day", *date != '\0' ? portal_date(date, g->lang, g->arena) : "");
    odp_doc_set(&g->d, o, "is_current", json_boolean(strcmp(name, g->version) == 0));
    odp_doc_set(&g->d, o, "is_published", json_boolean(strcmp(state, "published") == 0));
    dataset_set(g, o, "rows", json_object_get(from, "rows") != NULL ? count_of(g, from, "rows") : "");
    odp_doc_set(&g->d, o, "beside", portal_rows_beside(from, g->lang, g->arena));
    dataset_set(g, o, "release", portal_text(from, "release"));
    dataset_set(g, o, "correction", portal_in(from, "correction", g->lang));
    set_gone(g, from, state, o);
    for (size_t k = 0; k < json_array_size(resources); k++) {
        const json_t *r = json_array_get(resources, k);
        if (json_object_get(r, "changes") != NULL)
            odp_doc_add(&g->d, changes, make_changes(g, r));
        if (i < NEW) {
            add_links(g, json_object_get(r, "files"), NULL, files);
            add_links(g, json_object_get(r, "deltas"), "from", deltas);
        }
    }
    odp_doc_set(&g->d, o, "changes", changes);
    odp_doc_set(&g->d, o, "has_files", json_boolean(json_array_size(files) > 0));
    odp_doc_set(&g->d, o, "files", files);
    odp_doc_set(&g->d, o, "has_deltas", json_boolean(json_array_size(deltas) > 0));
    odp_doc_set(&g->d, o, "deltas", deltas);
    return o;
}

/* Of versions.json; without one of what the index tells. */
void dataset_versions(struct dataset_page *g, json_t *data)
{
    const json_t *from = json_object_get(g->dataset->versions != NULL ? g->dataset->versions : g->entry, g->dataset->versions != NULL ? "data" : "versions");
    size_t n = json_array_size(from);
    json_int_t all = json_integer_value(json_object_get(g->entry, "versions_total"));
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < n && i < SHOWN; i++)
        odp_doc_add(&g->d, list, make_version(g, json_array_get(from, i), i));
    uint64_t total = all > (json_int_t)n ? (uint64_t)all : n;
    dataset_set(g, o, "count", portal_number(total, g->lang, g->arena));
    dataset_set(g, o, "more", total > SHOWN ? portal_number(total - SHOWN, g->lang, g->arena) : "");
    dataset_set(g, o, "href", g->dataset->versions != NULL ? odp_arena_printf(g->arena, "%sdata/%s/versions.json", g->root, g->slug) : "");
    odp_doc_set(&g->d, o, "list", list);
    odp_doc_set(&g->d, data, "versions", o);
}
