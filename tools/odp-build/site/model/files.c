/* Downloads: the files of a version with size, digest and both addresses; documents that records name;
 * slices; files for machines.
 *
 * Slices have no digests here (600 of them would be 40 KB that nothing compresses): v1/index.json has them.
 */
#include "site/model/model_internal.h"

#include "base/format.h"

json_t *model_file(const json_t *file)
{
    const char *path = odp_model_path(odp_text_of(file, "url")), *slash = strrchr(path, '/'),
               *form = odp_text_of(file, "name"), *format = odp_text_of(file, "format");
    const struct odp_format_file *f = odp_format_file_find(odp_slice_of(form));
    json_t *label = f != NULL ? odp_doc_text(&f->label) : json_string(format),
           *use = f != NULL ? odp_doc_text(&f->use) : json_string("");
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:b}", "name",
                     slash != NULL ? slash + 1 : path, "path", path, "format", format, "form", form, "label",
                     label, "use", use, "file_type", f != NULL ? f->file_type : "", "bytes",
                     odp_model_number(file, "bytes"), "is_other",
                     (int)(strchr(form, '.') != NULL)); /* a second form of its format */
}

void model_files(struct model *m, struct table *t)
{
    const json_t *file;
    json_t *files = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->entry, "files"), i, file)
    {
        json_t *o = model_file(file);
        const char *hash = odp_text_of(file, "hash"), *media = odp_text_of(file, "media_type");
        const struct odp_site_file *twin = model_twin(m, odp_text_of(o, "path"));
        bool hashed = strncmp(hash, "sha256:", 7) == 0;
        if (twin != NULL)
            odp_set_number(o, "twin", (json_int_t)twin->size);
        odp_set_str(o, "hash", hash);
        odp_set_str(o, "digest", hashed ? hash + 7 : hash);
        odp_set_str(o, "media_type", media);
        odp_set(o, "media", json_stringn(media, strcspn(media, ";")));
        odp_set_str(
            o, "latest",
            odp_model_staged(m->job, model_printf(m, "data/%s/latest/%s", m->slug, odp_text_of(o, "name"))));
        odp_add(files, o);
    }
    odp_set(t->o, "files", files);
}

/* PDF files that records name (odp:document). */
void model_documents(struct model *m, struct table *t)
{
    enum { SHOWN = 100 };
    const char *path = odp_model_path(odp_text_of(t->entry, "documents"));
    json_t *document = *path != '\0' ? model_read(m, path) : NULL, *list = json_array();
    const json_t *from = json_object_get(document, "data"), *one;
    const size_t n = json_array_size(from);
    size_t i;
    json_array_foreach(from, i, one)
    {
        const char *source = odp_text_of(one, "source"), *file = odp_text_of(one, "path");
        if (i == SHOWN)
            break;
        json_t *o = json_pack("{s:s, s:s, s:I}", "title", *source != '\0' ? source : file, "path", file,
                              "bytes", odp_model_number(one, "bytes"));
        if (json_is_integer(json_object_get(one, "pages")))
            odp_set_copy(o, one, "pages");
        odp_add(list, o);
    }
    json_t *o = json_pack("{s:I, s:s, s:o}", "count", (json_int_t)n, "path", path, "list", list);
    if (n > SHOWN)
        odp_set_number(o, "more", (json_int_t)(n - SHOWN));
    if (n > 0)
        odp_set(t->o, "documents", json_incref(o));
    json_decref(o);
    json_decref(document);
}

/* ---- slices ---- */

static json_t *make_slice(const json_t *from)
{
    const json_t *file;
    const char *value = odp_text_of(from, "value");
    json_t *files = json_array();
    size_t i;
    json_array_foreach(json_object_get(from, "files"), i, file) odp_add(files, model_file(file));
    return json_pack("{s:o, s:s, s:I, s:o}", "label", odp_model_both_or(from, "label", value), "value", value,
                     "rows", odp_model_number(from, "rows"), "files", files);
}

/* One table for each field of odp:slices; the index has them by field. */
void model_slices(struct model *m, struct table *t)
{
    enum { OPEN = 40 }; /* longer tables are folded */
    const json_t *slice;
    json_t *tables = json_array(), *table = NULL;
    size_t i;
    json_array_foreach(json_object_get(t->entry, "slices"), i, slice)
    {
        const char *field = odp_text_of(slice, "field");
        if (table == NULL || strcmp(odp_text_of(table, "field"), field) != 0) {
            const json_t *of = model_field(t->schema, field);
            table = json_pack("{s:s, s:o, s:[]}", "field", field, "heading",
                              of != NULL ? odp_model_both(of, "odp:title") : json_string(field), "list");
            odp_add(tables, table);
        }
        json_t *list = json_object_get(table, "list");
        odp_add(list, make_slice(slice));
        odp_set_number(table, "count", (json_int_t)json_array_size(list));
        odp_set_flag(table, "few", json_array_size(list) <= OPEN);
    }
    odp_set(t->o, "slices", tables);
}

/* ---- for machines ---- */

/* Those of these that are staged. */
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
    json_array_foreach(tables, i, t) if (odp_model_is_staged(m->job, odp_text_of(t, "schema")))
        odp_add(list, json_pack("{s:s++, s:s, s:s, s:O}", "label", "schema", odp_text_of(t, "suffix"),
                                ".json", "what", "schema", "path", odp_text_of(t, "schema"), "of",
                                json_object_get(t, "heading")));
    for (i = 0; i < ODP_COUNT(links); i++) {
        const char *path = odp_path(links[i].path, ODP_LANG_ID);
        if (links[i].file != NULL)
            path = model_printf(m, "%s%s%s", path, m->slug, links[i].file);
        if (odp_model_is_staged(m->job, path))
            odp_add(list, json_pack("{s:s, s:s, s:s, s:s}", "label", links[i].label, "what", links[i].what,
                                    "path", path, "of", ""));
    }
    json_array_foreach(tables, i, t)
    {
        const char *path = model_printf(m, "%scollections/%s%s", odp_path(ODP_PATH_ogc, ODP_LANG_ID), m->slug,
                                        odp_text_of(t, "suffix"));
        if (odp_model_is_staged(m->job, model_printf(m, "%s.html", path)))
            odp_add(list, json_pack("{s:s, s:s, s:{s:s+, s:s+}, s:O}", "label", "OGC API - Features", "what",
                                    "ogc", "path", "id", path, ".html", "en", path, ".en.html", "of",
                                    json_object_get(t, "heading")));
    }
    odp_set(m->root, "machines", list);
}
