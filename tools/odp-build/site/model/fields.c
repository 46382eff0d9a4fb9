/* The fields of a table: meaning, type, unit, rules of their values, and the lists that their codes come
 * from. */
#include "catalog/field_type.h"
#include "site/model/model_internal.h"

enum { CODES_MOST = 200, ENUM_MOST = 20 };

/* ---- what values must be ---- */

/* An interval of counts and measures has numbers as people write them ("2.010"), of years plain ones (2010).
 */
static void set_interval(struct model *m, json_t *rules, const char *name, const json_t *field,
                         const char *const ends[2])
{
    static const char *const members[] = {"low", "high"};
    const json_t *c = json_object_get(field, "constraints");
    const bool number = strcmp(name, "length") == 0 || model_is_number(field);
    json_t *o = json_object();
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_object_get(c, ends[i]);
        const char *text = model_scalar(m, value);
        if (value != NULL)
            odp_set(o, members[i], number ? model_decimal(text) : json_string(text));
    }
    if (json_object_size(o) > 0)
        odp_set(rules, name, json_incref(o));
    json_decref(o);
}

static json_t *make_rules(struct model *m, const json_t *field)
{
    static const struct {
        const char *name, *ends[2];
    } intervals[] = {{"bounds", {"minimum", "maximum"}},
                     {"open", {"exclusiveMinimum", "exclusiveMaximum"}},
                     {"length", {"minLength", "maxLength"}}};
    const json_t *c = json_object_get(field, "constraints"), *list = json_object_get(c, "enum"), *value;
    const size_t n = json_array_size(list);
    json_t *one_of = json_array(),
           *rules = json_pack("{s:b, s:b, s:b, s:s, s:o, s:b}", "required",
                              json_is_true(json_object_get(c, "required")), "unique",
                              json_is_true(json_object_get(c, "unique")), "json_schema",
                              json_object_get(c, "jsonSchema") != NULL, "pattern", odp_text_of(c, "pattern"),
                              "one_of", one_of, "is_one_of", n > 0);
    size_t i;
    for (i = 0; i < ODP_COUNT(intervals); i++)
        set_interval(m, rules, intervals[i].name, field, intervals[i].ends);
    json_array_foreach(list, i, value) if (i < ENUM_MOST)
        odp_add(one_of, model_shown(m, field, model_scalar(m, value)));
    if (n > ENUM_MOST)
        odp_set_number(rules, "others", (json_int_t)(n - ENUM_MOST));
    return rules;
}

/* "" if it only repeats the code. */
static const char *label_of(const json_t *category, const char *value, enum odp_lang lang)
{
    const char *label =
        odp_model_in(category, json_object_get(category, "odp:label") != NULL ? "odp:label" : "label", lang);
    return strcmp(label, value) == 0 ? "" : label;
}

static void set_codes(struct model *m, const json_t *field, json_t *o)
{
    const json_t *from = json_object_get(field, "categories"), *c;
    const size_t n = json_array_size(from);
    json_t *codes = json_array();
    size_t i;
    json_array_foreach(from, i, c)
    {
        const char *value = model_scalar(m, json_is_object(c) ? json_object_get(c, "value") : c);
        if (i < CODES_MOST)
            odp_add(codes, json_pack("{s:s, s:{s:s, s:s}}", "value", value, "label", "id",
                                     label_of(c, value, ODP_LANG_ID), "en", label_of(c, value, ODP_LANG_EN)));
    }
    odp_set(o, "codes", codes);
    odp_set_flag(o, "has_codes", n > 0);
    odp_set_number(o, "ncodes", (json_int_t)n);
    if (n > CODES_MOST)
        odp_set_number(o, "more_codes", (json_int_t)(n - CODES_MOST));
}

/* ---- keys into others ---- */

/* The edition that PATH ("references/kabkota") has under this name: its title, the list's page, and the
 * file of the published version. Of a list that is not published, its name. */
static json_t *edition_of(const struct model *m, const char *path, const char *edition)
{
    const char *slash = strrchr(path, '/'), *slug = slash != NULL ? slash + 1 : path;
    const json_t *entry = odp_job_entry(m->job, slug),
                 *r = odp_model_find(json_object_get(entry, "resources"), "edition", edition),
                 *files = json_object_get(r, "files"), *csv = odp_model_find(files, "name", "csv");
    const char *url = odp_text_of(csv != NULL ? csv : json_array_get(files, 0), "url");
    if (r == NULL)
        return json_pack("{s:o, s:s, s:s, s:s, s:s}", "title", json_sprintf("%s (%s)", slug, edition), "slug",
                         "", "list", slug, "edition", edition, "file", "");
    const json_t *titled = *odp_model_in(r, "title", ODP_LANG_ID) != '\0' ? r : entry;
    return json_pack("{s:o, s:s, s:s, s:s, s:s}", "title", odp_model_both(titled, "title"), "slug", slug,
                     "list", slug, "edition", edition, "file", strncmp(url, "../", 3) == 0 ? url + 3 : url);
}

/* Once in the document, whichever fields have its codes. */
static void note_list(const struct model *m, json_t *ref)
{
    json_t *lists = json_object_get(m->root, "lists"), *known;
    size_t i;
    if (*odp_text_of(ref, "slug") == '\0')
        return;
    json_array_foreach(lists, i, known) if (json_equal(known, ref)) return;
    odp_add(lists, json_incref(ref));
}

/* The page of the dataset that has this resource of the site's data package ("kumuh", "proyek-timeline"). */
static json_t *package_of(const struct model *m, const char *package_name)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(m->job->entries, i, entry)
    {
        const json_t *r = odp_model_find(json_object_get(entry, "resources"), "package_name", package_name);
        if (r == NULL)
            continue;
        const json_t *titled = *odp_model_in(r, "title", ODP_LANG_ID) != '\0' ? r : entry;
        return json_pack("{s:o, s:s}", "title", odp_model_both(titled, "title"), "slug",
                         odp_text_of(entry, "slug"));
    }
    return json_pack("{s:s, s:s}", "title", package_name, "slug", "");
}

static void add_references(const struct model *m, const json_t *keys, const char *name, json_t *list)
{
    const json_t *key;
    size_t i;
    json_array_foreach(keys, i, key)
    {
        const json_t *to = json_object_get(key, "reference");
        const char *dataset = odp_text_of(to, "dataset"), *resource = odp_text_of(to, "resource");
        if (!odp_model_has(json_object_get(key, "fields"), name))
            continue;
        json_t *o = *dataset != '\0' ? edition_of(m, dataset, resource) : package_of(m, resource);
        odp_set_flag(o, "is_list", *dataset != '\0');
        odp_set_flag(o, "is_self", *dataset == '\0' && *resource == '\0');
        if (*dataset != '\0')
            note_list(m, o);
        odp_add(list, o);
    }
}

/* ---- one field ---- */

/* "integer"; for texts with a format "email", "uri"; "document". */
static const char *type_of(const json_t *field)
{
    const char *type = odp_text_of(field, "odp:type"), *format = odp_text_of(field, "format");
    if (json_object_get(field, "odp:document") != NULL)
        return "document";
    type = *type != '\0' ? type : odp_text_of(field, "type");
    return *format != '\0' && strcmp(type, "string") == 0 && strcmp(format, "default") != 0 ? format : type;
}

/* The label in types.def; the template has the word for a format. */
static json_t *type_title(const char *name)
{
    enum odp_type type = odp_type_of(odp_slice_of(name));
    return type != ODP_TYPE_COUNT ? odp_doc_text(&odp_field_type(type)->label) : json_string("");
}

static json_t *first_of(const json_t *field, const char *a, const char *b)
{
    bool has = *odp_model_in(field, a, ODP_LANG_ID) != '\0' || *odp_model_in(field, a, ODP_LANG_EN) != '\0';
    return odp_model_both(field, has ? a : b);
}

/* Name, title and meaning. */
static void set_words(const json_t *field, json_t *o)
{
    static const char *const texts[][2] = {{"concept", "sdi:konsep"},
                                           {"measure", "sdi:ukuran"},
                                           {"classification", "sdi:klasifikasi"},
                                           {"alias", "sdi:alias"},
                                           {"reference", "sdi:referensiPemilihan"},
                                           {"time", "sdi:referensiWaktu"},
                                           {"question", "sdi:kalimatPertanyaan"},
                                           {"sdsn", "sdi:kodeSDSN"},
                                           {"about", "odp:description"},
                                           {"own_definition", "sdi:definisi"}};
    const char *name = odp_text_of(field, "name");
    json_t *heading = first_of(field, "odp:title", "title");
    const bool titled = *odp_text_of(heading, "id") != '\0';
    odp_set_str(o, "name", name);
    odp_set(o, "heading", titled ? json_incref(heading) : json_string(name));
    odp_set_flag(o, "is_titled", titled);
    json_decref(heading);
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        odp_set(o, texts[i][0], odp_model_both(field, texts[i][1]));
    odp_set(o, "text", first_of(field, "odp:description", "sdi:definisi"));
    bool twice = json_equal(json_object_get(o, "about"), json_object_get(o, "own_definition")) ||
                 *odp_model_in(field, "odp:description", ODP_LANG_ID) == '\0';
    odp_set(o, "definition", twice ? json_string("") : odp_model_both(field, "sdi:definisi"));
    odp_set(o, "unit", first_of(field, "odp:unit", "sdi:satuan"));
}

static void set_fate(const json_t *field, json_t *o)
{
    const char *sunset = odp_text_of(field, "odp:sunset");
    json_t *old, *former = json_array();
    size_t i;
    json_array_foreach(json_object_get(field, "odp:formerNames"), i, old) if (json_is_string(old))
        odp_add(former, json_incref(old));
    odp_set(o, "former", former);
    if (*sunset != '\0')
        odp_set(o, "leaving",
                json_pack("{s:s, s:s, s:o}", "sunset", sunset, "heir", odp_text_of(field, "odp:replacedBy"),
                          "note", odp_model_both(field, "odp:note")));
}

static json_t *make_field(struct model *m, const struct table *t, const json_t *field)
{
    const char *name = odp_text_of(field, "name"), *type = type_of(field);
    json_t *o = json_object(), *refs = json_array();
    set_words(field, o);
    odp_set(o, "anchor", json_sprintf("kolom:%s:%s", t->name, name));
    odp_set_number(o, "number", ++m->nfields);
    odp_set_flag(o, "is_key", odp_model_has(json_object_get(t->schema, "primaryKey"), name));
    odp_set_str(o, "type", type);
    odp_set(o, "type_title", type_title(type));
    odp_set(o, "json_type_title", type_title(odp_text_of(field, "type")));
    odp_set_flag(o, "is_number", model_is_number(field));
    odp_set(o, "rules", make_rules(m, field));
    set_codes(m, field, o);
    add_references(m, json_object_get(t->schema, "odp:foreignKeys"), name, refs);
    add_references(m, json_object_get(t->schema, "foreignKeys"), name, refs);
    odp_set(o, "refs", refs);
    set_fate(field, o);
    return o;
}

/* ---- geometry ---- */

static const char *shape_of(const char *type)
{
    static const char *const shapes[][2] = {{"Point", "point"}, {"Line", "curve"}, {"Polygon", "surface"}};
    for (size_t i = 0; i < ODP_COUNT(shapes); i++)
        if (type != NULL && strstr(type, shapes[i][0]) != NULL)
            return shapes[i][1];
    return "complex";
}

static json_t *make_geometry(const json_t *from)
{
    const json_t *types = json_object_get(from, "types");
    return json_pack("{s:s, s:o, s:s, s:s, s:o*}", "shape",
                     shape_of(json_string_value(json_array_get(types, 0))), "types",
                     types != NULL ? json_deep_copy(types) : json_array(), "source",
                     odp_text_of(from, "sourceCrs"), "operation", odp_text_of(from, "crsOperation"), "box",
                     model_box(json_object_get(from, "bbox"), true));
}

void model_fields(struct model *m, struct table *t)
{
    const json_t *field, *geometry = json_object_get(t->schema, "odp:geometry");
    json_t *fields = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->schema, "fields"), i, field)
        odp_add(fields, make_field(m, t, field));
    odp_set_number(t->o, "nfields", (json_int_t)json_array_size(fields));
    odp_set(t->o, "fields", fields);
    odp_set_flag(t->o, "has_geometry", json_is_true(json_object_get(t->entry, "geometry")));
    if (geometry != NULL)
        odp_set(t->o, "geometry", make_geometry(geometry));
}
