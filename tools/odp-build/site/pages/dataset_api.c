/* How a program asks for this dataset: the first page, one filter with a value that occurs, page after page. */
#include "site/pages/dataset_internal.h"

/* "v1/" + this is the resource's address: "kumuh", "proyek/timeline". */
static const char *path_of(struct dataset_page *g, const struct dataset_resource *r)
{
    const char *api = portal_text(r->entry, "api");
    size_t n = strlen(api);
    return odp_arena_printf(g->arena, "%.*s", (int)(n > 5 && strcmp(api + n - 5, ".json") == 0 ? n - 5 : n), api);
}

/* ---- a filter that finds something ------------------------------------------------------------------------------------------ */

struct filter {
    const char *field, *value;
    const json_t *schema;
};

/* The first value that is not null of column I. */
static const char *first_value(const json_t *rows, size_t i)
{
    for (size_t k = 0; k < json_array_size(rows); k++) {
        const char *text = json_string_value(json_array_get(json_array_get(rows, k), i));
        if (text != NULL && *text != '\0')
            return text;
    }
    return NULL;
}

/* How well a field serves as an example: a category says most, then a code of a list, then other texts that are no key. */
static int worth_of(const struct dataset_resource *r, const json_t *field, const char *value)
{
    const char *type = portal_text(field, "type"), *name = portal_text(field, "name");
    const json_t *lists = json_object_get(r->schema, "odp:foreignKeys");
    if (field == NULL || strlen(value) > 60 || strcmp(name, "filter") == 0 || strcmp(name, "limit") == 0 || strcmp(name, "f") == 0 || strcmp(name, "q") == 0)
        return 0;
    if (json_array_size(json_object_get(field, "categories")) > 0 && strcmp(type, "string") == 0)
        return 5;
    for (size_t i = 0; i < json_array_size(lists); i++)
        if (dataset_has_text(json_object_get(json_array_get(lists, i), "fields"), name))
            return 4;
    if (dataset_has_text(json_object_get(r->schema, "primaryKey"), name))
        return 1;
    return strcmp(type, "string") == 0 ? 3 : strcmp(type, "integer") == 0 || strcmp(type, "year") == 0 ? 2 : 0;
}

static bool find_filter(const struct dataset_resource *r, struct filter *out)
{
    const json_t *names = json_object_get(r->preview, "fields"), *rows = json_object_get(r->preview, "rows");
    int best = 0;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i)), *value = first_value(rows, i);
        const json_t *field = name != NULL ? dataset_field(r->schema, name) : NULL;
        int worth = value != NULL ? worth_of(r, field, value) : 0;
        if (worth > best) {
            best = worth;
            *out = (struct filter){name, value, field};
        }
    }
    return best > 0;
}

/* ---- examples --------------------------------------------------------------------------------------------------------------- */

static void add_example(struct dataset_page *g, json_t *list, const char *id, const char *heading, const char *text, const char *path, json_t *code)
{
    json_t *o = json_object();
    dataset_set(g, o, "text", text);
    dataset_set(g, o, "id", id);
    dataset_set(g, o, "heading", heading);
    dataset_set(g, o, "request", path != NULL ? odp_arena_printf(g->arena, "GET /v1/%s", path) : "");
    odp_doc_set(&g->d, o, "tabs", code);
    odp_doc_add(&g->d, list, o);
}

/* What the library of a language says of this resource, with the shortest program that reads it; NULL: it does not know it. */
static const json_t *known(const struct dataset_page *g, const struct dataset_resource *r, const json_t *library)
{
    const json_t *datasets = json_object_get(library, "datasets"), *dataset, *resource;
    size_t i, k;
    json_array_foreach(datasets, i, dataset)
    {
        if (strcmp(portal_text(dataset, "slug"), g->slug) != 0)
            continue;
        if (r == g->dataset->resources)
            return dataset;
        json_array_foreach(json_object_get(dataset, "resources"), k, resource) if (strcmp(portal_text(resource, "name"), r->name) == 0) return resource;
    }
    return NULL;
}

static void add_library_example(struct dataset_page *g, json_t *list, const struct dataset_resource *r)
{
    const json_t *libraries = json_object_get(g->p->clients, "languages"), *library;
    json_t *tabs = json_array();
    size_t i;
    json_array_foreach(libraries, i, library)
    {
        const json_t *of = known(g, r, library);
        if (of == NULL)
            continue;
        json_t *o = json_object();
        odp_doc_set(&g->d, o, "lang", json_sprintf("%s-library", portal_text(library, "language")));
        dataset_set(g, o, "label", portal_text(library, "label"));
        odp_doc_set(&g->d, o, "file", json_sprintf("contoh%s", portal_text(library, "extension")));
        dataset_set(g, o, "code", portal_text(of, "brief"));
        odp_doc_add(&g->d, tabs, o);
    }
    if (json_array_size(tabs) > 0)
        add_example(g, list, "pustaka", dataset_word(g, "ds_api_library"), dataset_word(g, "ds_api_library_text"), NULL, tabs);
    else
        json_decref(tabs);
}

static json_t *make_examples(struct dataset_page *g, const struct dataset_resource *r, const char *path)
{
    enum { FEW = 10 };
    json_t *list = json_array();
    struct filter filter;
    json_int_t rows = json_integer_value(json_object_get(r->entry, "rows"));
    add_library_example(g, list, r);
    add_example(g, list, "pertama", dataset_word(g, "ds_api_first"), "", path,
                portal_examples(g->p, path, dataset_phrase(g, "ds_api_first_note", dataset_title_of(g, r), NULL)));
    if (find_filter(r, &filter)) {
        const char *name = dataset_percent(filter.field, g->arena), *value = dataset_percent(filter.value, g->arena);
        const char *query = name != NULL && value != NULL ? odp_arena_printf(g->arena, "%s?%s=%s", path, name, value) : NULL;
        const char *shown = dataset_shown(g, filter.schema, filter.value), *title = portal_in(filter.schema, "odp:title", g->lang);
        const char *heading = dataset_phrase(g, "ds_api_filter", *title != '\0' ? title : filter.field, shown);
        if (query == NULL || heading == NULL)
            g->d.failed = true;
        else
            add_example(g, list, "saring", heading, "", query, portal_examples(g->p, query, heading));
    }
    if (rows > FEW)
        add_example(g, list, "lanjut", dataset_word(g, "ds_api_next"), dataset_word(g, "ds_api_next_text"), path,
                    portal_examples_all(g->p, path, dataset_phrase(g, "ds_api_next_note", dataset_title_of(g, r), NULL)));
    return list;
}

/* By what else than fields records can be filtered. */
static json_t *make_queryables(struct dataset_page *g, const struct dataset_resource *r)
{
    const json_t *from = json_object_get(r->schema, "odp:queryables");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *q = json_array_get(from, i);
        json_t *o = json_object();
        dataset_set(g, o, "name", portal_text(q, "name"));
        dataset_set(g, o, "label", portal_in(q, "title", g->lang));
        odp_doc_add(&g->d, list, o);
    }
    return list;
}

static json_t *make_resource(struct dataset_page *g, const struct dataset_resource *r, bool with_examples)
{
    const char *path = path_of(g, r);
    json_t *o = json_object();
    if (path == NULL) {
        g->d.failed = true;
        return o;
    }
    dataset_set(g, o, "heading", dataset_title_of(g, r));
    dataset_set(g, o, "name", r->name);
    dataset_set(g, o, "path", odp_arena_printf(g->arena, "/v1/%s", path));
    dataset_set(g, o, "explorer", odp_arena_printf(g->arena, "%s%s#GET/v1/%s", g->root, portal_path(PORTAL_explorer, g->lang), path));
    json_t *queryables = make_queryables(g, r);
    odp_doc_set(&g->d, o, "has_queryables", json_boolean(json_array_size(queryables) > 0));
    odp_doc_set(&g->d, o, "queryables", queryables);
    odp_doc_set(&g->d, o, "examples", with_examples ? make_examples(g, r, path) : json_array());
    return o;
}

/* Geometry in a GIS: the service, and the file that is opened without a key. */
static void set_gis(struct dataset_page *g, json_t *api)
{
    const char *base = g->p->catalog->portal.base_url;
    for (size_t i = 0; i < g->dataset->n; i++) {
        const struct dataset_resource *r = &g->dataset->resources[i];
        if (!json_is_true(json_object_get(r->entry, "geometry")))
            continue;
        const char *file = odp_arena_printf(g->arena, "data/%s/latest/%s%s.geojson", g->slug, g->slug, r->suffix);
        json_t *o = json_object();
        dataset_set(g, o, "service", odp_arena_printf(g->arena, "%sv1/ogc/", base));
        dataset_set(g, o, "collection", odp_arena_printf(g->arena, "%s%s", g->slug, r->suffix));
        dataset_set(g, o, "file", dataset_file(g, file) != NULL ? odp_arena_printf(g->arena, "%s%s", base, file) : "");
        odp_doc_set(&g->d, api, "gis", o);
        return;
    }
}

void dataset_api(struct dataset_page *g, json_t *data)
{
    enum { EXAMPLES = 2 }; /* of so many resources: the others are asked in the same way */
    json_t *api = json_object(), *list = json_array();
    for (size_t i = 0; i < g->dataset->n; i++)
        if (*portal_text(g->dataset->resources[i].entry, "api") != '\0' && *g->version != '\0')
            odp_doc_add(&g->d, list, make_resource(g, &g->dataset->resources[i], i < EXAMPLES));
    odp_doc_set(&g->d, api, "tables", list);
    odp_doc_set(&g->d, api, "libraries", json_boolean(g->p->clients != NULL));
    set_gis(g, api);
    odp_doc_set(&g->d, data, "api", api);
}
