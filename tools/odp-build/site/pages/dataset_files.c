/* Downloads: the files of a version with size, digest and both addresses; the documents that records name; slices; what machines read beside.
 *
 * Slices have no digests here (600 of them would be 40 KB that nothing compresses): v1/index.json has them. */
#include "site/pages/dataset_internal.h"

#include "base/format.h"

/* "CSV untuk Excel": what people call a file. */
static const char *label_of(const struct dataset_page *g, const json_t *file)
{
    const struct odp_format_file *f = odp_format_file_find(odp_slice_of(portal_text(file, "name")));
    return f != NULL ? odp_text_get(&f->label, g->lang) : portal_text(file, "format");
}

static const char *use_of(const struct dataset_page *g, const json_t *file)
{
    const struct odp_format_file *f = odp_format_file_find(odp_slice_of(portal_text(file, "name")));
    return f != NULL ? odp_text_get(&f->use, g->lang) : "";
}

static const char *size_of(struct dataset_page *g, const json_t *file)
{
    return portal_bytes((uint64_t)json_integer_value(json_object_get(file, "bytes")), g->lang, g->arena);
}

/* The twin that browsers ask for first; NULL: there is none. */
static const struct odp_site_file *find_twin(struct dataset_page *g, const char *path)
{
    const char *brotli = odp_arena_printf(g->arena, "%s.br", path), *gzip = odp_arena_printf(g->arena, "%s.gz", path);
    g->d.failed = g->d.failed || brotli == NULL || gzip == NULL;
    const struct odp_site_file *f = dataset_file(g, brotli);
    return f != NULL ? f : dataset_file(g, gzip);
}

const char *dataset_transfer_size(struct dataset_page *g, const char *path)
{
    const struct odp_site_file *twin = path != NULL ? find_twin(g, path) : NULL, *f = twin != NULL ? twin : dataset_file(g, path);
    return f != NULL ? portal_bytes(f->size, g->lang, g->arena) : "";
}

static json_t *make_file(struct dataset_page *g, const json_t *file)
{
    const char *path = dataset_site_path(portal_text(file, "url")), *name = strrchr(path, '/'), *hash = portal_text(file, "hash");
    const char *base = g->p->catalog->portal.base_url;
    name = name != NULL ? name + 1 : path;
    const char *latest = odp_arena_printf(g->arena, "data/%s/latest/%s", g->slug, name);
    g->d.failed = g->d.failed || latest == NULL;
    bool lasting = latest != NULL && dataset_file(g, latest) != NULL;
    json_t *o = json_object();
    const char *label = label_of(g, file), *format = portal_text(file, "format");
    dataset_set(g, o, "label", label);
    dataset_set(g, o, "purpose", use_of(g, file));
    dataset_set(g, o, "format", strcmp(label, format) != 0 ? format : ""); /* said already */
    dataset_set(g, o, "name", name);
    dataset_set(g, o, "href", odp_arena_printf(g->arena, "%s%s", g->root, path));
    dataset_set(g, o, "size", size_of(g, file));
    dataset_set(g, o, "twin", find_twin(g, path) != NULL ? dataset_transfer_size(g, path) : "");
    dataset_set(g, o, "digest", strncmp(hash, "sha256:", 7) == 0 ? hash + 7 : hash);
    dataset_set(g, o, "latest", lasting ? odp_arena_printf(g->arena, "%s%s", base, latest) : "");
    dataset_set(g, o, "pinned", odp_arena_printf(g->arena, "%s%s", base, path));
    return o;
}

static json_t *make_document(struct dataset_page *g, const json_t *from)
{
    const char *path = portal_text(from, "path"), *source = portal_text(from, "source");
    json_t *o = json_object();
    dataset_set(g, o, "label", *source != '\0' ? source : path);
    dataset_set(g, o, "href", odp_arena_printf(g->arena, "%sdata/%s/%s/%s", g->root, g->slug, g->version, path));
    dataset_set(g, o, "size", size_of(g, from));
    const json_t *pages = json_object_get(from, "pages");
    dataset_set(g, o, "pages", json_is_integer(pages) ? dataset_value(g, pages) : "");
    return o;
}

/* The PDF files that records name (odp:document). */
static void set_documents(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    enum { SHOWN = 100 };
    const json_t *from = json_object_get(r->documents, "data");
    size_t n = json_array_size(from);
    if (n == 0)
        return;
    json_t *documents = json_object(), *list = json_array();
    for (size_t i = 0; i < n && i < SHOWN; i++)
        odp_doc_add(&g->d, list, make_document(g, json_array_get(from, i)));
    dataset_set(g, documents, "count", portal_number(n, g->lang, g->arena));
    dataset_set(g, documents, "more", n > SHOWN ? portal_number(n - SHOWN, g->lang, g->arena) : "");
    dataset_set(g, documents, "href", odp_arena_printf(g->arena, "%s%s", g->root, dataset_site_path(portal_text(r->entry, "documents"))));
    odp_doc_set(&g->d, documents, "list", list);
    odp_doc_set(&g->d, o, "documents", documents);
}

void dataset_files(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    const json_t *from = json_object_get(r->entry, "files");
    json_t *files = json_array();
    for (size_t i = 0; i < json_array_size(from); i++)
        odp_doc_add(&g->d, files, make_file(g, json_array_get(from, i)));
    odp_doc_set(&g->d, o, "files", files);
    set_documents(g, r, o);
}

/* ---- slices ----------------------------------------------------------------------------------------------------------------- */

static json_t *make_slice(struct dataset_page *g, const json_t *from)
{
    const json_t *list = json_object_get(from, "files");
    json_t *o = json_object(), *files = json_array();
    const char *label = portal_in(from, "label", g->lang), *value = portal_text(from, "value");
    dataset_set(g, o, "label", *label != '\0' ? label : value);
    dataset_set(g, o, "value", value);
    dataset_set(g, o, "rows", dataset_value(g, json_object_get(from, "rows")));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *file = json_array_get(list, i);
        json_t *one = json_object();
        dataset_set(g, one, "format", label_of(g, file));
        dataset_set(g, one, "href", odp_arena_printf(g->arena, "%s%s", g->root, dataset_site_path(portal_text(file, "url"))));
        dataset_set(g, one, "size", size_of(g, file));
        odp_doc_add(&g->d, files, one);
    }
    odp_doc_set(&g->d, o, "files", files);
    return o;
}

static json_t *open_field(struct dataset_page *g, const struct dataset_resource *r, const char *name)
{
    const char *title = portal_in(dataset_field(r->schema, name), "odp:title", g->lang);
    json_t *o = json_object();
    dataset_set(g, o, "field", name);
    dataset_set(g, o, "heading", *title != '\0' ? title : name);
    odp_doc_set(&g->d, o, "list", json_array());
    return o;
}

/* One table for each field of odp:slices; the index has them by field. */
void dataset_slices(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    enum { OPEN = 40 }; /* a table that long is shown as it is, a longer one folded */
    const json_t *from = json_object_get(r->entry, "slices");
    json_t *tables = json_array(), *table = NULL;
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *slice = json_array_get(from, i);
        const char *field = portal_text(slice, "field");
        if (table == NULL || strcmp(portal_text(table, "field"), field) != 0) {
            table = open_field(g, r, field);
            odp_doc_add(&g->d, tables, table);
        }
        odp_doc_add(&g->d, json_object_get(table, "list"), make_slice(g, slice));
    }
    for (size_t i = 0; i < json_array_size(tables); i++) {
        size_t n = json_array_size(json_object_get(json_array_get(tables, i), "list"));
        dataset_set(g, json_array_get(tables, i), "count", portal_number(n, g->lang, g->arena));
        odp_doc_set(&g->d, json_array_get(tables, i), "few", json_boolean(n <= OPEN));
    }
    odp_doc_set(&g->d, o, "slices", tables);
}

/* ---- for machines ----------------------------------------------------------------------------------------------------------- */

static void add_link(struct dataset_page *g, json_t *list, const char *label, const char *note, const char *path)
{
    if (path == NULL)
        g->d.failed = true;
    if (path == NULL || dataset_file(g, path) == NULL)
        return;
    json_t *o = json_object();
    dataset_set(g, o, "label", label);
    dataset_set(g, o, "note", note);
    dataset_set(g, o, "href", odp_arena_printf(g->arena, "%s%s", g->root, path));
    odp_doc_add(&g->d, list, o);
}

/* What is staged of these; a path's one %s is the slug. */
void dataset_machines(struct dataset_page *g, json_t *data)
{
    static const struct {
        const char *label, *word;
        const char *folder, *file; /* <folder><slug><file> */
    } of_dataset[] = {{"versions.json", "ds_m_versions", "data/", "/versions.json"},
                      {"profile.json", "ds_m_profile", "data/", "/latest/profile.json"},
                      {"scorecard.json", "ds_m_score", "data/", "/scorecard.json"},
                      {"ISO 19139 (XML)", "ds_m_iso", "katalog/", "/iso19139.xml"},
                      {"MS-Keg (xlsx)", "ds_m_keg", "katalog/", "/ms-keg.xlsx"},
                      {"MS-Var (xlsx)", "ds_m_var", "katalog/", "/ms-var.xlsx"},
                      {"MS-Ind (xlsx)", "ds_m_ind", "katalog/", "/ms-ind.xlsx"},
                      {"Atom", "ds_m_feed", "katalog/", ".xml"}};
    static const struct {
        const char *label, *word, *path;
    } of_site[] = {{"DCAT-AP 3 (JSON-LD)", "ds_m_dcat", "dcat.jsonld"},
                   {"Data Package", "ds_m_package", "datapackage.json"},
                   {"OpenAPI 3.1", "ds_m_openapi", "v1/openapi.json"}};
    json_t *list = json_array();
    for (size_t i = 0; i < g->dataset->n; i++) {
        const struct dataset_resource *r = &g->dataset->resources[i];
        const char *label = odp_arena_printf(g->arena, "schema%s.json", r->suffix);
        add_link(g, list, label != NULL ? label : "", dataset_phrase(g, "ds_m_schema", dataset_title_of(g, r), NULL),
                 dataset_site_path(portal_text(r->entry, "schema")));
    }
    for (size_t i = 0; i < sizeof of_dataset / sizeof *of_dataset; i++)
        add_link(g, list, of_dataset[i].label, dataset_word(g, of_dataset[i].word),
                 odp_arena_printf(g->arena, "%s%s%s", of_dataset[i].folder, g->slug, of_dataset[i].file));
    for (size_t i = 0; i < sizeof of_site / sizeof *of_site; i++)
        add_link(g, list, of_site[i].label, dataset_word(g, of_site[i].word), of_site[i].path);
    for (size_t i = 0; i < g->dataset->n; i++)
        add_link(g, list, "OGC API - Features", dataset_phrase(g, "ds_m_ogc", dataset_title_of(g, &g->dataset->resources[i]), NULL),
                 odp_arena_printf(g->arena, "v1/ogc/collections/%s%s%s", g->slug, g->dataset->resources[i].suffix,
                                  g->lang == ODP_LANG_ID ? ".html" : ".en.html"));
    odp_doc_set(&g->d, data, "machines", list);
}
