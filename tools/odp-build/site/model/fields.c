/* The fields of a table: what they mean, their type and unit, what their values must be, where their codes
 * come from. */
#include "catalog/field_type.h"
#include "site/model/model_internal.h"

enum { CODES_MOST = 200, CODES_OPEN = 8, ENUM_MOST = 20 };

/* ---- what values must be ---- */

/* One end of an interval: of counts and measures "2.010", else the year 2010. */
static void set_end(struct model *m, json_t *o, const char *key, const json_t *field, const json_t *value,
                    bool count)
{
    if (value == NULL)
        return;
    const char *text = model_scalar(m, value);
    json_t *plain = json_pack("{s:s}", "type", count || model_is_number(field) ? "number" : "");
    set(m, o, key, model_shown(m, plain, text != NULL ? text : ""));
    json_decref(plain);
}

static void set_interval(struct model *m, json_t *rules, const char *name, const json_t *field,
                         const char *low, const char *high)
{
    const json_t *c = json_object_get(field, "constraints"), *from = json_object_get(c, low),
                 *to = json_object_get(c, high);
    json_t *o = json_object();
    if (from == NULL && to == NULL) {
        json_decref(o);
        return;
    }
    bool count = strcmp(name, "length") == 0;
    set_end(m, o, "low", field, from, count);
    set_end(m, o, "high", field, to, count);
    set(m, rules, name, o);
}

static json_t *make_rules(struct model *m, const json_t *field)
{
    const json_t *c = json_object_get(field, "constraints"), *list = json_object_get(c, "enum"), *value;
    json_t *rules = json_object(), *one_of = json_array();
    size_t i;
    set_flag(m, rules, "required", json_is_true(json_object_get(c, "required")));
    set_flag(m, rules, "unique", json_is_true(json_object_get(c, "unique")));
    set_flag(m, rules, "json_schema", json_object_get(c, "jsonSchema") != NULL);
    set_interval(m, rules, "bounds", field, "minimum", "maximum");
    set_interval(m, rules, "open", field, "exclusiveMinimum", "exclusiveMaximum");
    set_interval(m, rules, "length", field, "minLength", "maxLength");
    set_text(m, rules, "pattern", odp_model_text(c, "pattern"));
    json_array_foreach(list, i, value)
        if (i < ENUM_MOST)
            odp_doc_add(&m->doc, one_of, model_shown(m, field, model_scalar(m, value)));
    set(m, rules, "one_of", one_of);
    set_flag(m, rules, "is_one_of", json_array_size(list) > 0);
    if (json_array_size(list) > ENUM_MOST)
        set_number(m, rules, "others", (json_int_t)(json_array_size(list) - ENUM_MOST));
    return rules;
}

/* "" where it says no more than the code. */
static const char *label_of(const json_t *category, const char *value, enum odp_lang lang)
{
    const char *label =
        odp_model_in(category, json_object_get(category, "odp:label") != NULL ? "odp:label" : "label", lang);
    return value != NULL && strcmp(label, value) == 0 ? "" : label;
}

static void set_codes(struct model *m, const json_t *field, json_t *o)
{
    const json_t *from = json_object_get(field, "categories"), *c;
    const size_t n = json_array_size(from);
    json_t *codes = json_array();
    size_t i;
    json_array_foreach(from, i, c) {
        if (i == CODES_MOST)
            break;
        const char *value = model_scalar(m, json_is_object(c) ? json_object_get(c, "value") : c);
        odp_doc_add(&m->doc, codes,
                    json_pack("{s:s, s:{s:s, s:s}}", "value", value, "label", "id",
                              label_of(c, value, ODP_LANG_ID), "en", label_of(c, value, ODP_LANG_EN)));
    }
    set(m, o, "codes", codes);
    set_flag(m, o, "many_codes", n > CODES_OPEN);
    set_number(m, o, "ncodes", (json_int_t)n);
    if (n > CODES_MOST)
        set_number(m, o, "more_codes", (json_int_t)(n - CODES_MOST));
}

/* ---- keys into others ---- */

/* A code list: its edition's title, which says who keeps it. The catalogue has it; it is not published. */
static json_t *list_title(struct model *m, const char *slug, const char *edition)
{
    const struct odp_dataset *list = odp_catalog_find(m->catalog, slug);
    const char *name = strncmp(slug, "references/", 11) == 0 ? slug + 11 : slug,
               *end = *edition != '\0' ? ")" : "";
    for (size_t i = 0; list != NULL && i < list->nresources; i++)
        if (strcmp(list->resources[i].name, edition) == 0 && !odp_text_is_empty(&list->resources[i].title))
            return odp_doc_text(&list->resources[i].title);
    bool titled = list != NULL && !odp_text_is_empty(&list->title);
    const char *in[ODP_LANGS];
    for (int lang = 0; lang < ODP_LANGS; lang++)
        in[lang] =
            model_printf(m, "%s%s%s%s", titled ? odp_text_get(&list->title, (enum odp_lang)lang) : name,
                         *edition != '\0' ? " (" : "", edition, end);
    return json_pack("{s:s, s:s}", "id", in[ODP_LANG_ID], "en", in[ODP_LANG_EN]);
}

/* A resource of the site's data package, "kumuh" or "proyek-timeline": the page of its dataset. */
static json_t *package_of(struct model *m, const char *package_name)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(m->job->entries, i, entry) {
        const json_t *r = odp_model_find(json_object_get(entry, "resources"), "package_name", package_name);
        if (r == NULL)
            continue;
        const json_t *titled = *odp_model_in(r, "title", ODP_LANG_ID) != '\0' ? r : entry;
        return json_pack("{s:o, s:s}", "title", odp_model_both(titled, "title"), "slug",
                         odp_model_text(entry, "slug"));
    }
    return json_pack("{s:s, s:s}", "title", package_name, "slug", "");
}

static void add_references(struct model *m, const json_t *keys, const char *name, json_t *list)
{
    const json_t *key;
    size_t i;
    json_array_foreach(keys, i, key) {
        const json_t *to = json_object_get(key, "reference");
        const char *dataset = odp_model_text(to, "dataset"), *resource = odp_model_text(to, "resource");
        if (!odp_model_has(json_object_get(key, "fields"), name))
            continue;
        json_t *o = *dataset != '\0'
                        ? json_pack("{s:o, s:s}", "title", list_title(m, dataset, resource), "slug", "")
                        : package_of(m, resource);
        set_flag(m, o, "is_list", *dataset != '\0');
        set_flag(m, o, "is_self", *dataset == '\0' && *resource == '\0');
        odp_doc_add(&m->doc, list, o);
    }
}

/* ---- one field -------------------------------------------------------------------------------------- */

/* "integer"; of texts with a form of their own "email", "uri"; "document". */
static const char *type_of(const json_t *field)
{
    const char *type = odp_model_text(field, "odp:type"), *format = odp_model_text(field, "format");
    if (json_object_get(field, "odp:document") != NULL)
        return "document";
    type = *type != '\0' ? type : odp_model_text(field, "type");
    return *format != '\0' && strcmp(type, "string") == 0 && strcmp(format, "default") != 0 ? format : type;
}

/* What types.def calls it; of a format the template has the word. */
static json_t *type_title(const char *name)
{
    enum odp_type type = odp_type_of(odp_slice_of(name));
    return type != ODP_TYPE_COUNT ? odp_doc_text(&odp_field_type(type)->label) : json_string("");
}

static json_t *first_of(const json_t *field, const char *a, const char *b)
{
    return odp_model_both(
        field,
        *odp_model_in(field, a, ODP_LANG_ID) != '\0' || *odp_model_in(field, a, ODP_LANG_EN) != '\0' ? a : b);
}

/* Its name, title and what it means. */
static void set_words(struct model *m, const json_t *field, json_t *o)
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
    const char *name = odp_model_text(field, "name");
    json_t *heading = first_of(field, "odp:title", "title");
    const bool titled = *odp_model_text(heading, "id") != '\0';
    set_text(m, o, "name", name);
    set(m, o, "heading", titled ? json_incref(heading) : json_string(name));
    set_flag(m, o, "is_titled", titled);
    json_decref(heading);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        set(m, o, texts[i][0], odp_model_both(field, texts[i][1]));
    set(m, o, "text", first_of(field, "odp:description", "sdi:definisi"));
    bool twice = json_equal(json_object_get(o, "about"), json_object_get(o, "own_definition")) ||
                 *odp_model_in(field, "odp:description", ODP_LANG_ID) == '\0';
    set(m, o, "definition", twice ? json_string("") : odp_model_both(field, "sdi:definisi"));
    set(m, o, "unit", first_of(field, "odp:unit", "sdi:satuan"));
}

static void set_fate(struct model *m, const json_t *field, json_t *o)
{
    const char *sunset = odp_model_text(field, "odp:sunset");
    const json_t *old;
    json_t *former = json_array();
    size_t i;
    json_array_foreach(json_object_get(field, "odp:formerNames"), i, old)
        if (json_is_string(old))
            odp_doc_add(&m->doc, former, json_string(json_string_value(old)));
    set(m, o, "former", former);
    if (*sunset != '\0')
        set(m, o, "leaving",
            json_pack("{s:s, s:s, s:o}", "sunset", sunset, "heir", odp_model_text(field, "odp:replacedBy"),
                      "note", odp_model_both(field, "odp:note")));
}

static json_t *make_field(struct model *m, const struct table *t, const json_t *field)
{
    const char *name = odp_model_text(field, "name");
    json_t *o = json_object(), *refs = json_array();
    set_words(m, field, o);
    set_number(m, o, "number", ++m->nfields);
    set_flag(m, o, "is_key", odp_model_has(json_object_get(t->schema, "primaryKey"), name));
    set_text(m, o, "type", type_of(field));
    set(m, o, "type_title", type_title(type_of(field)));
    set(m, o, "json_type_title", type_title(odp_model_text(field, "type")));
    set_flag(m, o, "is_number", model_is_number(field));
    set(m, o, "rules", make_rules(m, field));
    set_codes(m, field, o);
    add_references(m, json_object_get(t->schema, "odp:foreignKeys"), name, refs);
    add_references(m, json_object_get(t->schema, "foreignKeys"), name, refs);
    set(m, o, "refs", refs);
    set_fate(m, field, o);
    return o;
}

/* ---- geometry --------------------------------------------------------------------------------------- */

static const char *shape_of(const char *type)
{
    static const char *const shapes[][2] = {{"Point", "point"}, {"Line", "curve"}, {"Polygon", "surface"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strstr(type, shapes[i][0]) != NULL)
            return shapes[i][1];
    return "complex";
}

static void set_geometry(struct model *m, struct table *t)
{
    static const char *const sides[] = {"west", "south", "east", "north"};
    const json_t *from = json_object_get(t->schema, "odp:geometry"), *bbox = json_object_get(from, "bbox"),
                 *type;
    json_t *o = json_object(), *types = json_array();
    size_t i;
    json_array_foreach(json_object_get(from, "types"), i, type)
        odp_doc_add(&m->doc, types, json_copy((json_t *)(uintptr_t)type));
    set_text(m, o, "shape",
             shape_of(json_array_size(types) > 0 ? json_string_value(json_array_get(types, 0)) : ""));
    set(m, o, "types", types);
    set_text(m, o, "source", odp_model_text(from, "sourceCrs"));
    set_text(m, o, "operation", odp_model_text(from, "crsOperation"));
    if (json_array_size(bbox) == 4) {
        json_t *box = json_object();
        for (i = 0; i < 4; i++)
            set_text(m, box, sides[i], model_printf(m, "%.4f", json_number_value(json_array_get(bbox, i))));
        set(m, o, "box", box);
    }
    if (from != NULL)
        set(m, t->o, "geometry", json_incref(o));
    json_decref(o);
}

void model_fields(struct model *m, struct table *t)
{
    const json_t *field;
    json_t *fields = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->schema, "fields"), i, field)
        odp_doc_add(&m->doc, fields, make_field(m, t, field));
    set_number(m, t->o, "nfields", (json_int_t)json_array_size(fields));
    set(m, t->o, "fields", fields);
    set_flag(m, t->o, "has_geometry", json_is_true(json_object_get(t->entry, "geometry")));
    set_geometry(m, t);
}
