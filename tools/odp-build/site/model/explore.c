/* What the page that explores a table must know of it: columns with their labels, where its records are read
 * (one published file, or the query index by parts), what else can be downloaded. One object in each
 * language; tests/portal_js and assets/js/explore-worker.js read it. */
#include "published/layout.h"
#include "site/model/model_internal.h"
#include "site/model/places.h"
#include "site/versions/search.h"

enum {
    LABELS = 1000 /* with more categories the page shows codes: it would be megabytes */
};

/* ---- columns ---- */

/* {code: {"id", "en"}}: both languages are searched. In one pass: a field may have a hundred thousand. */
static json_t *labels_of(struct model *m, const json_t *field)
{
    const json_t *c;
    json_t *labels = json_object();
    size_t i;
    json_array_foreach(json_object_get(field, "categories"), i, c)
    {
        const char *value = model_scalar(m, json_is_object(c) ? json_object_get(c, "value") : c);
        json_t *label = json_object_get(c, "odp:label");
        odp_set(labels, value, label != NULL ? odp_model_both(c, "odp:label") : json_string(value));
    }
    return labels;
}

/* The file with the names of the codes of REFERENCE ({"dataset", "resource"}), or "". */
static const char *list_of(struct model *m, const json_t *reference)
{
    return odp_model_staged(m->job, odp_labels_path(odp_text_of(reference, "dataset"),
                                                    odp_text_of(reference, "resource"), &m->arena));
}

static void set_list(struct model *m, json_t *o, const json_t *reference, enum odp_lang lang)
{
    const char *path = list_of(m, reference);
    if (*path != '\0')
        odp_set_str(o, "list", path);
    if (*path != '\0' && odp_places_has(m->job->places, odp_text_of(reference, "dataset")))
        odp_set_str(o, "place", odp_path(ODP_PATH_place_dir, lang)); /* where its codes have pages */
}

/* What the index says of column NAME: {"indexed", "text", "scale"}. */
static void set_indexed(json_t *o, const json_t *index, const char *name)
{
    const json_t *column =
        odp_model_find(json_object_get(json_object_get(index, "info"), "columns"), "name", name);
    odp_set_flag(o, "text", json_is_true(json_object_get(column, "text")));
    odp_set_flag(o, "indexed", json_is_true(json_object_get(column, "indexed")));
    if (json_is_integer(json_object_get(column, "scale")))
        odp_set_copy(o, column, "scale");
}

/* The columns that published files have after NAME, with names of its codes. */
static void set_label_columns(const struct table *t, json_t *o, const char *name)
{
    const json_t *one;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->schema, "odp:labelColumns"), i, one)
    {
        if (strcmp(odp_text_of(one, "odp:labelOf"), name) == 0)
            odp_add(list, json_pack("{s:s, s:s}", "name", odp_text_of(one, "name"), "lang",
                                    odp_text_of(one, "odp:language")));
    }
    if (json_array_size(list) > 0)
        odp_set(o, "labelColumns", json_incref(list));
    json_decref(list);
}

static json_t *make_field(struct model *m, const struct table *t, const char *name, enum odp_lang lang)
{
    const json_t *field = model_field(t->schema, name);
    const char *title = odp_model_in(field, "odp:title", lang);
    const size_t n = json_array_size(json_object_get(field, "categories"));
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", name, "title", *title != '\0' ? title : name,
                          "unit", odp_model_in(field, "odp:unit", lang), "type", odp_text_of(field, "type"),
                          "about", odp_model_in(field, "odp:description", lang));
    if (json_object_get(field, "odp:document") != NULL)
        odp_set(o, "folder", json_sprintf("data/%s/%s/", m->slug, m->version));
    if (strcmp(odp_text_of(field, "format"), "uri") == 0)
        odp_set_flag(o, "uri", true);
    if (n > 0 && n <= LABELS)
        odp_set(o, "labels", labels_of(m, field));
    if (n > 0 && n <= LABELS && json_is_true(json_object_get(field, "categoriesOrdered")))
        odp_set_flag(o, "ordered", true);
    set_list(m, o, model_list_of(t->schema, name), lang);
    set_label_columns(t, o, name);
    return o;
}

static bool is_prefix(const json_t *queryable)
{
    return json_is_integer(json_object_get(queryable, "prefix"));
}

/* A column that the query index has beside the fields: the beginning of a code, or one of another table. */
static json_t *make_queryable(struct model *m, const json_t *q, const json_t *index, enum odp_lang lang)
{
    const char *name = odp_text_of(q, "name"), *title = odp_model_in(q, "title", lang);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", name, "title", *title != '\0' ? title : name,
                          "unit", "", "type", odp_text_of(q, "type"), "beside", 1);
    if (is_prefix(q))
        odp_set(o, "derived",
                json_pack("{s:s, s:O}", "field", odp_text_of(q, "field"), "prefix",
                          json_object_get(q, "prefix")));
    set_list(m, o, json_object_get(q, "reference"), lang);
    set_indexed(o, index, name);
    return o;
}

/* WHOLE: what another table has is not in the file that is read. */
static json_t *make_fields(struct model *m, const struct table *t, const json_t *index, bool whole,
                           enum odp_lang lang)
{
    const json_t *one;
    json_t *fields = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->preview, "fields"), i, one)
    {
        const char *name = json_is_string(one) ? json_string_value(one) : "";
        json_t *o = make_field(m, t, name, lang);
        set_indexed(o, index, name);
        odp_add(fields, o);
    }
    json_array_foreach(json_object_get(t->schema, "odp:queryables"), i, one)
    {
        const bool of_field = model_field(t->schema, odp_text_of(one, "field")) != NULL;
        if (!whole || (is_prefix(one) && of_field))
            odp_add(fields, make_queryable(m, one, index, lang));
    }
    return fields;
}

/* ---- files ---- */

static json_int_t on_the_way(const json_t *file)
{
    const json_t *twin = json_object_get(file, "twin");
    return twin != NULL ? json_integer_value(twin) : odp_model_number(file, "bytes");
}

static json_t *make_file(const json_t *file)
{
    const char *form = odp_text_of(file, "form");
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "kind", form, "name", form, "file",
                     odp_text_of(file, "name"), "path", odp_text_of(file, "path"), "bytes",
                     odp_model_number(file, "bytes"), "compressed", on_the_way(file));
}

/* The smallest file of the forms in READABLE (of lib/records.js) that may be read whole, or NULL. */
static const json_t *whole_of(const struct table *t, const char *const *readable)
{
    const json_t *best = NULL, *file;
    size_t i;
    json_array_foreach(json_object_get(t->o, "files"), i, file)
    {
        bool known = false;
        for (size_t k = 0; readable[k] != NULL; k++)
            known = known || strcmp(odp_text_of(file, "form"), readable[k]) == 0;
        if (known && (best == NULL || on_the_way(file) < on_the_way(best)))
            best = file;
    }
    return best != NULL && on_the_way(best) <= ODP_READ_WHOLE ? best : NULL;
}

static json_t *make_files(const struct table *t)
{
    const json_t *file;
    json_t *files = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->o, "files"), i, file) odp_add(files, make_file(file));
    return files;
}

/* This table's entry of search/index.json, or NULL. */
static const json_t *index_of(struct model *m, const struct table *t)
{
    const json_t *one;
    size_t i;
    if (m->search == NULL)
        m->search =
            m->job->searches != NULL ? json_incref(m->job->searches) : model_read(m, "search/index.json");
    json_array_foreach(json_object_get(m->search, "resources"), i,
                       one) if (strcmp(odp_text_of(one, "slug"), m->slug) == 0 &&
                                strcmp(odp_text_of(one, "resource"), t->index > 0 ? t->name : "") ==
                                    0) return one;
    return NULL;
}

/* The query index, where browsers may read it by parts. */
static void set_index(struct model *m, json_t *o, const json_t *index)
{
    const char *path = odp_text_of(index, "file");
    const struct odp_site_file *f = *path != '\0' ? odp_stage_find(m->job->stage, path) : NULL;
    if (f != NULL && f->cls == ODP_CLASS_PUBLIC)
        odp_set(o, "index", json_pack("{s:s, s:I}", "path", path, "bytes", (json_int_t)f->size));
}

/* ---- all of it ---- */

/* Records are read of the smallest file; where there is a geometry, of one that has it once the map, a box or
 * a download wants it ("shapes"). */
static void set_files(json_t *o, const struct table *t)
{
    static const char *const readable[] = {"csv", "json", "geojson", NULL};
    const json_t *whole = whole_of(t, readable), *shapes = whole_of(t, readable + 2);
    if (whole != NULL)
        odp_set(o, "file", make_file(whole));
    if (whole != NULL && shapes != NULL && shapes != whole)
        odp_set(o, "shapes", make_file(shapes));
    odp_set(o, "files", make_files(t));
}

static json_t *make_config(struct model *m, const struct table *t, const json_t *index, enum odp_lang lang)
{
    const json_t *key = json_object_get(t->schema, "primaryKey"),
                 *geometry = json_object_get(t->schema, "odp:geometry");
    const char *api = odp_text_of(json_object_get(t->o, "api"), "path"),
               *base = m->catalog->portal.base_url != NULL ? m->catalog->portal.base_url : "";
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:o}", "lang",
                          odp_lang_code(lang), "slug", m->slug, "name", t->name, "version", m->version,
                          "release", m->catalog->nreleases > 0 ? m->catalog->releases[0].version : "",
                          "lastUpdate", odp_text_of(m->entry, "last_update"), "license",
                          odp_text_of(json_object_get(m->entry, "license"), "name"), "page",
                          model_printf(m, "%s%s", base, odp_path_explore(m->slug, lang, &m->arena)), "title",
                          odp_model_in(t->o, "heading", lang), "total", json_object_get(t->preview, "total"),
                          "key", key != NULL ? json_deep_copy(key) : json_array());
    if (t->index > 0)
        odp_set_str(o, "resource", t->name);
    if (*api != '\0')
        odp_set_str(o, "api", model_printf(m, "%sv1/%s", base, api));
    set_files(o, t);
    odp_set(o, "fields", make_fields(m, t, index, json_object_get(o, "file") != NULL, lang));
    if (json_is_object(geometry))
        odp_set(o, "geometry", json_pack("{s:O}", "types", json_object_get(geometry, "types")));
    const char *profile = odp_model_staged(
        m->job, model_printf(m, "data/%s/%s/profile%s.json", m->slug, m->version, t->suffix));
    if (*profile != '\0')
        odp_set_str(o, "profile", profile);
    set_index(m, o, index);
    return o;
}

void model_explore(struct model *m, struct table *t)
{
    json_t *o = json_object();
    if (json_object_get(t->o, "preview") != NULL)
        for (int lang = 0; lang < ODP_LANGS; lang++)
            odp_set(o, odp_lang_code((enum odp_lang)lang),
                    make_config(m, t, index_of(m, t), (enum odp_lang)lang));
    if (json_object_size(o) > 0)
        odp_set(t->o, "explore", json_incref(o));
    json_decref(o);
}
