/* Downloads: the files of a version with size, digest and both addresses; the documents that records name;
 * slices; what machines read beside.
 *
 * Slices have no digests here (600 of them would be 40 KB that nothing compresses): v1/index.json has them.
 */
#include "site/model/model_internal.h"

#include "base/format.h"

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

json_t *model_file(struct model *m, const json_t *file)
{
    const char *path = odp_model_path(odp_model_text(file, "url"));
    json_t *o = json_object();
    set_text(m, o, "name", name_of(path));
    set_text(m, o, "path", path);
    set_text(m, o, "format", odp_model_text(file, "format"));
    set_text(m, o, "form", odp_model_text(file, "name"));
    const struct odp_format_file *f = odp_format_file_find(odp_slice_of(odp_model_text(file, "name")));
    set(m, o, "label", f != NULL ? odp_doc_text(&f->label) : json_string(odp_model_text(file, "format")));
    set(m, o, "use", f != NULL ? odp_doc_text(&f->use) : json_string(""));
    set_text(m, o, "file_type", f != NULL ? f->file_type : "");
    set_number(m, o, "bytes", odp_model_number(file, "bytes"));
    set_flag(m, o, "is_other",
             strchr(odp_model_text(file, "name"), '.') != NULL); /* a second form of its format */
    return o;
}

/* The twin that browsers ask for first. */
static const struct odp_site_file *find_twin(struct model *m, const char *path)
{
    const struct odp_site_file *f = odp_stage_find(m->job->stage, model_printf(m, "%s.br", path));
    return f != NULL ? f : odp_stage_find(m->job->stage, model_printf(m, "%s.gz", path));
}

static json_t *make_file(struct model *m, const json_t *file)
{
    json_t *o = model_file(m, file);
    const char *path = odp_model_text(o, "path"), *hash = odp_model_text(file, "hash");
    const struct odp_site_file *twin = find_twin(m, path);
    const char *latest = model_printf(m, "data/%s/latest/%s", m->slug, odp_model_text(o, "name"));
    bool hashed = strncmp(hash, "sha256:", 7) == 0;
    if (twin != NULL)
        set_number(m, o, "twin", (json_int_t)twin->size);
    set_text(m, o, "hash", hash);
    set_text(m, o, "digest", hashed ? hash + 7 : hash);
    const char *media = odp_model_text(file, "media_type");
    set_text(m, o, "media_type", media);
    set_text(m, o, "media", model_printf(m, "%.*s", (int)strcspn(media, ";"), media));
    set_text(m, o, "latest", odp_model_is_staged(m->job, latest) ? latest : "");
    return o;
}

void model_files(struct model *m, struct table *t)
{
    const json_t *file;
    json_t *files = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->entry, "files"), i, file)
        odp_doc_add(&m->doc, files, make_file(m, file));
    set(m, t->o, "files", files);
}

/* The PDF files that records name (odp:document). */
void model_documents(struct model *m, struct table *t)
{
    enum { SHOWN = 100 };
    const char *path = odp_model_path(odp_model_text(t->entry, "documents"));
    json_t *document = *path != '\0' ? model_read(m, path) : NULL;
    const json_t *from = json_object_get(document, "data"), *one;
    const size_t n = json_array_size(from);
    json_t *o = json_object(), *list = json_array();
    size_t i;
    json_array_foreach(from, i, one) {
        if (i == SHOWN)
            break;
        const char *source = odp_model_text(one, "source");
        json_t *d =
            json_pack("{s:s, s:s, s:I}", "title", *source != '\0' ? source : odp_model_text(one, "path"),
                      "path", odp_model_text(one, "path"), "bytes", odp_model_number(one, "bytes"));
        if (json_is_integer(json_object_get(one, "pages")))
            set_number(m, d, "pages", odp_model_number(one, "pages"));
        odp_doc_add(&m->doc, list, d);
    }
    set_number(m, o, "count", (json_int_t)n);
    if (n > SHOWN)
        set_number(m, o, "more", (json_int_t)(n - SHOWN));
    set_text(m, o, "path", path);
    set(m, o, "list", list);
    if (n > 0)
        set(m, t->o, "documents", json_incref(o));
    json_decref(o);
    json_decref(document);
}

/* ---- slices ----------------------------------------------------------------------------------------- */

static json_t *make_slice(struct model *m, const json_t *from)
{
    const json_t *file;
    const char *value = odp_model_text(from, "value");
    json_t *files = json_array(), *label = *odp_model_in(from, "label", ODP_LANG_ID) != '\0'
                                               ? odp_model_both(from, "label")
                                               : json_string(value);
    size_t i;
    json_array_foreach(json_object_get(from, "files"), i, file)
        odp_doc_add(&m->doc, files, model_file(m, file));
    return json_pack("{s:o, s:s, s:I, s:o}", "label", label, "value", value, "rows",
                     odp_model_number(from, "rows"), "files", files);
}

/* One table for each field of odp:slices; the index has them by field. */
void model_slices(struct model *m, struct table *t)
{
    enum { OPEN = 40 }; /* a table that long is shown as it is, a longer one folded */
    const json_t *slice;
    json_t *tables = json_array(), *table = NULL;
    size_t i;
    json_array_foreach(json_object_get(t->entry, "slices"), i, slice) {
        const char *field = odp_model_text(slice, "field");
        if (table == NULL || strcmp(odp_model_text(table, "field"), field) != 0) {
            const json_t *of = model_field(t->schema, field);
            table = json_pack("{s:s, s:o, s:[]}", "field", field, "heading",
                              of != NULL ? odp_model_both(of, "odp:title") : json_string(field), "list");
            odp_doc_add(&m->doc, tables, table);
        }
        odp_doc_add(&m->doc, json_object_get(table, "list"), make_slice(m, slice));
        const size_t n = json_array_size(json_object_get(table, "list"));
        set_number(m, table, "count", (json_int_t)n);
        set_flag(m, table, "few", n <= OPEN);
    }
    set(m, t->o, "slices", tables);
}

/* ---- for machines ----------------------------------------------------------------------------------- */

static void add_link(struct model *m, json_t *list, const char *label, const char *what, const char *path,
                     json_t *of_take)
{
    if (odp_model_is_staged(m->job, path))
        odp_doc_add(
            &m->doc, list,
            json_pack("{s:s, s:s, s:s, s:O}", "label", label, "what", what, "path", path, "of", of_take));
    json_decref(of_take);
}

/* What is staged of these; %s is the slug. */
void model_machines(struct model *m)
{
    static const struct {
        const char *label, *what;
        enum odp_path path;
        const char *file; /* <path><slug><file>; NULL: of the site */
    } links[] = {{"versions.json", "versions", ODP_PATH_data_dir, "/versions.json"},
                 {"profile.json", "profile", ODP_PATH_data_dir, "/latest/profile.json"},
                 {"scorecard.json", "score", ODP_PATH_data_dir, "/scorecard.json"},
                 {"ISO 19139 (XML)", "iso", ODP_PATH_dataset_dir, "/iso19139.xml"},
                 {"MS-Keg (xlsx)", "keg", ODP_PATH_dataset_dir, "/ms-keg.xlsx"},
                 {"MS-Var (xlsx)", "var", ODP_PATH_dataset_dir, "/ms-var.xlsx"},
                 {"MS-Ind (xlsx)", "ind", ODP_PATH_dataset_dir, "/ms-ind.xlsx"},
                 {"Atom", "feed", ODP_PATH_dataset_dir, ".xml"},
                 {"DCAT-AP 3 (JSON-LD)", "dcat", ODP_PATH_dcat, NULL},
                 {"Data Package", "package", ODP_PATH_datapackage, NULL},
                 {"OpenAPI 3.1", "openapi", ODP_PATH_openapi, NULL}};
    const json_t *tables = json_object_get(m->root, "resources"), *t;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(tables, i, t)
        add_link(m, list, model_printf(m, "schema%s.json", odp_model_text(t, "suffix")), "schema",
                 odp_model_text(t, "schema"), json_incref(json_object_get(t, "heading")));
    for (i = 0; i < sizeof links / sizeof *links; i++) {
        const char *path = odp_path(links[i].path, ODP_LANG_ID);
        add_link(m, list, links[i].label, links[i].what,
                 links[i].file != NULL ? model_printf(m, "%s%s%s", path, m->slug, links[i].file) : path,
                 json_string(""));
    }
    json_array_foreach(tables, i, t) {
        const char *path = model_printf(m, "%scollections/%s%s", odp_path(ODP_PATH_ogc, ODP_LANG_ID), m->slug,
                                        odp_model_text(t, "suffix"));
        if (odp_model_is_staged(m->job, model_printf(m, "%s.html", path)))
            odp_doc_add(&m->doc, list,
                        json_pack("{s:s, s:s, s:{s:s, s:s}, s:O}", "label", "OGC API - Features", "what",
                                  "ogc", "path", "id", model_printf(m, "%s.html", path), "en",
                                  model_printf(m, "%s.en.html", path), "of", json_object_get(t, "heading")));
    }
    set(m, m->root, "machines", list);
}
