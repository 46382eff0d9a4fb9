/* The fields of a resource in words: what they mean, their kind and unit, what their values must be, where their codes come from. */
#include "site/pages/dataset_internal.h"

/* ---- kind ------------------------------------------------------------------------------------------------------------------- */

/* "bilangan bulat"; of texts with a form of their own "surel", "alamat web". */
static const char *type_of(struct dataset_page *g, const json_t *field)
{
    const char *type = portal_text(field, "odp:type"), *format = portal_text(field, "format");
    if (*type == '\0')
        type = portal_text(field, "type");
    if (json_object_get(field, "odp:document") != NULL)
        return dataset_word(g, "ds_type_document");
    if (*format != '\0' && strcmp(type, "string") == 0) {
        const char *key = odp_arena_printf(g->arena, "ds_type_%s", format);
        const char *word = key != NULL ? odp_templates_word(g->p->templates, key, g->lang) : NULL;
        if (word != NULL || key == NULL)
            return word;
    }
    enum odp_type known = odp_type_of(odp_slice_of(type));
    return known != ODP_TYPE_COUNT ? odp_text_get(&odp_field_type(known)->label, g->lang) : type;
}

/* ---- what values must be ---------------------------------------------------------------------------------------------------- */

static void add_rule(struct dataset_page *g, json_t *rules, const char *text, const char *code)
{
    json_t *o = json_object();
    dataset_set(g, o, "text", text);
    dataset_set(g, o, "code", code);
    odp_doc_add(&g->d, rules, o);
}

/* One or both ends of an interval, in one phrase where both are there. GROUPED: they are counts or measures, "2.010"; else the year 2010. */
static void add_ends(struct dataset_page *g, json_t *rules, const json_t *c, const char *const keys[2], const char *const words[3], bool grouped)
{
    const json_t *low = json_object_get(c, keys[0]), *high = json_object_get(c, keys[1]);
    const char *from = grouped ? dataset_value(g, low) : dataset_scalar(low, g->arena), *to = grouped ? dataset_value(g, high) : dataset_scalar(high, g->arena);
    if (low != NULL && high != NULL)
        add_rule(g, rules, dataset_phrase(g, words[2], from, to), "");
    else if (low != NULL)
        add_rule(g, rules, dataset_phrase(g, words[0], from, NULL), "");
    else if (high != NULL)
        add_rule(g, rules, dataset_phrase(g, words[1], to, NULL), "");
}

static const char *enumeration(struct dataset_page *g, const json_t *field, const json_t *list)
{
    enum { MOST = 20 };
    size_t n = json_array_size(list);
    const char **names = odp_arena_array(g->arena, n + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < n && i < MOST; i++) {
        const char *text = dataset_scalar(json_array_get(list, i), g->arena);
        names[i] = text != NULL ? dataset_shown(g, field, text) : NULL;
        if (names[i] == NULL)
            return NULL;
    }
    return names != NULL ? dataset_list(g, names, n, MOST) : NULL;
}

static json_t *make_rules(struct dataset_page *g, const json_t *field)
{
    static const char *const bounds[2] = {"minimum", "maximum"}, *const bound_words[3] = {"ds_r_min", "ds_r_max", "ds_r_between"};
    static const char *const open[2] = {"exclusiveMinimum", "exclusiveMaximum"}, *const open_words[3] = {"ds_r_above", "ds_r_below", "ds_r_inside"};
    static const char *const sizes[2] = {"minLength", "maxLength"}, *const size_words[3] = {"ds_r_long", "ds_r_short", "ds_r_length"};
    const json_t *c = json_object_get(field, "constraints"), *list = json_object_get(c, "enum");
    json_t *rules = json_array();
    add_rule(g, rules, dataset_word(g, json_is_true(json_object_get(c, "required")) ? "ds_r_required" : "ds_r_optional"), "");
    if (json_is_true(json_object_get(c, "unique")))
        add_rule(g, rules, dataset_word(g, "ds_r_unique"), "");
    add_ends(g, rules, c, bounds, bound_words, dataset_is_number(field));
    add_ends(g, rules, c, open, open_words, dataset_is_number(field));
    add_ends(g, rules, c, sizes, size_words, true);
    if (*portal_text(c, "pattern") != '\0')
        add_rule(g, rules, dataset_word(g, "ds_r_pattern"), portal_text(c, "pattern"));
    if (list != NULL)
        add_rule(g, rules, dataset_phrase(g, "ds_r_enum", enumeration(g, field, list), NULL), "");
    if (json_object_get(c, "jsonSchema") != NULL)
        add_rule(g, rules, dataset_word(g, "ds_r_schema"), "");
    return rules;
}

static void set_codes(struct dataset_page *g, const json_t *field, json_t *o)
{
    enum { MOST = 200, OPEN = 8 };
    const json_t *from = json_object_get(field, "categories");
    size_t n = json_array_size(from);
    json_t *codes = json_array();
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *c = json_array_get(from, i);
        const char *value = dataset_scalar(json_is_object(c) ? json_object_get(c, "value") : c, g->arena);
        const char *label = json_is_object(c) ? portal_in(c, "odp:label", g->lang) : "";
        if (json_is_object(c) && *label == '\0')
            label = portal_text(c, "label");
        json_t *one = json_object();
        dataset_set(g, one, "value", value);
        dataset_set(g, one, "label", value != NULL && strcmp(value, label) == 0 ? "" : label);
        odp_doc_add(&g->d, codes, one);
    }
    odp_doc_set(&g->d, o, "codes", codes);
    odp_doc_set(&g->d, o, "many_codes", json_boolean(n > OPEN));
    dataset_set(g, o, "ncodes", portal_number(n, g->lang, g->arena));
    dataset_set(g, o, "codes_more", n > MOST ? portal_number(n - MOST, g->lang, g->arena) : "");
    odp_doc_set(&g->d, o, "ordered", json_boolean(json_is_true(json_object_get(field, "categoriesOrdered"))));
}

/* ---- keys into others ------------------------------------------------------------------------------------------------------- */

/* A code list: its edition's title, which says who keeps it. The catalogue has it; it is not published. */
static const char *list_title(struct dataset_page *g, const char *slug, const char *edition)
{
    const struct odp_dataset *list = odp_catalog_find(g->p->catalog, slug);
    const char *name = strncmp(slug, "references/", 11) == 0 ? slug + 11 : slug;
    for (size_t i = 0; list != NULL && i < list->nresources; i++)
        if (strcmp(list->resources[i].name, edition) == 0 && !odp_text_is_empty(&list->resources[i].title))
            return odp_text_get(&list->resources[i].title, g->lang);
    if (list != NULL && !odp_text_is_empty(&list->title))
        name = odp_text_get(&list->title, g->lang);
    return *edition != '\0' ? odp_arena_printf(g->arena, "%s (%s)", name, edition) : name;
}

/* A resource of the site's data package, "kumuh" or "proyek-timeline": the page of its dataset. */
static const char *package_title(struct dataset_page *g, const char *package_name, const char **href)
{
    for (size_t i = 0; i < g->p->n; i++) {
        const json_t *entry = g->p->newest[i], *resources = json_object_get(entry, "resources");
        for (size_t k = 0; k < json_array_size(resources); k++) {
            const json_t *r = json_array_get(resources, k);
            if (strcmp(portal_text(r, "package_name"), package_name) != 0)
                continue;
            const char *title = portal_text(entry, "slug"), *page = dataset_page_of(g, title, &title);
            const char *own = portal_in(r, "title", g->lang);
            *href = page;
            return *own != '\0' ? own : title;
        }
    }
    return package_name;
}

static void add_references(struct dataset_page *g, const json_t *keys, const char *name, json_t *list)
{
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *key = json_array_get(keys, i), *fields = json_object_get(key, "fields"), *to = json_object_get(key, "reference");
        if (!dataset_has_text(fields, name))
            continue;
        const char *href = "", *dataset = portal_text(to, "dataset"), *resource = portal_text(to, "resource");
        const char *title = *dataset != '\0'    ? list_title(g, dataset, resource)
                            : *resource != '\0' ? package_title(g, resource, &href)
                                                : dataset_word(g, "ds_this_table");
        json_t *o = json_object();
        odp_doc_set(&g->d, o, "is_list", json_boolean(*dataset != '\0'));
        dataset_set(g, o, "label", title);
        dataset_set(g, o, "href", href);
        odp_doc_add(&g->d, list, o);
    }
}

/* ---- one field -------------------------------------------------------------------------------------------------------------- */

static void set_leaving(struct dataset_page *g, const json_t *field, json_t *o)
{
    const char *sunset = portal_text(field, "odp:sunset");
    if (*sunset == '\0')
        return;
    json_t *leaving = json_object();
    dataset_set(g, leaving, "sunset", portal_date(sunset, g->lang, g->arena));
    dataset_set(g, leaving, "heir", portal_text(field, "odp:replacedBy"));
    dataset_set(g, leaving, "note", portal_in(field, "odp:note", g->lang));
    odp_doc_set(&g->d, o, "leaving", leaving);
}

static json_t *make_field(struct dataset_page *g, const struct dataset_resource *r, const json_t *field)
{
    const char *name = portal_text(field, "name"), *title = portal_in(field, "odp:title", g->lang);
    const char *about = portal_in(field, "odp:description", g->lang), *definition = portal_in(field, "sdi:definisi", g->lang);
    const char *unit = portal_in(field, "odp:unit", g->lang), *concept = portal_in(field, "sdi:konsep", g->lang);
    json_t *o = json_object(), *refs = json_array(), *former = json_array();
    const json_t *old = json_object_get(field, "odp:formerNames");
    dataset_set(g, o, "name", name);
    dataset_set(g, o, "heading", *title != '\0' ? title : name);
    odp_doc_set(&g->d, o, "is_key", json_boolean(dataset_has_text(json_object_get(r->schema, "primaryKey"), name)));
    dataset_set(g, o, "text", *about != '\0' ? about : definition);
    dataset_set(g, o, "definition", strcmp(about, definition) != 0 && *about != '\0' ? definition : "");
    dataset_set(g, o, "concept", concept);
    dataset_set(g, o, "measure", portal_in(field, "sdi:ukuran", g->lang));
    dataset_set(g, o, "classification", portal_in(field, "sdi:klasifikasi", g->lang));
    dataset_set(g, o, "unit", *unit != '\0' ? unit : portal_in(field, "sdi:satuan", g->lang));
    dataset_set(g, o, "type", type_of(g, field));
    odp_doc_set(&g->d, o, "rules", make_rules(g, field));
    set_codes(g, field, o);
    add_references(g, json_object_get(r->schema, "odp:foreignKeys"), name, refs);
    add_references(g, json_object_get(r->schema, "foreignKeys"), name, refs);
    odp_doc_set(&g->d, o, "refs", refs);
    for (size_t i = 0; i < json_array_size(old); i++)
        if (json_is_string(json_array_get(old, i)))
            odp_doc_add(&g->d, former, json_string(json_string_value(json_array_get(old, i))));
    odp_doc_set(&g->d, o, "former", former);
    set_leaving(g, field, o);
    return o;
}

/* "poligon, multipoligon", coordinates, the box. */
static void set_geometry(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    enum { TYPES = 8 };
    const json_t *from = json_object_get(r->schema, "odp:geometry"), *types = json_object_get(from, "types"), *bbox = json_object_get(from, "bbox");
    const char *names[TYPES], *box[4] = {"", "", "", ""};
    size_t n = 0;
    if (from == NULL)
        return;
    for (size_t i = 0; i < json_array_size(types) && n < TYPES; i++) {
        const char *type = json_string_value(json_array_get(types, i)), *key = odp_arena_printf(g->arena, "ds_geom_%s", type != NULL ? type : "");
        if (key == NULL)
            g->d.failed = true;
        else
            names[n++] = dataset_word(g, key);
    }
    for (size_t i = 0; i < 4 && json_array_size(bbox) == 4; i++) {
        const char *text = odp_arena_printf(g->arena, "%.4f", json_number_value(json_array_get(bbox, i)));
        const char *number = text != NULL ? dataset_decimal(text, g->lang, g->arena) : NULL;
        g->d.failed = g->d.failed || number == NULL;
        box[i] = number != NULL ? number : "";
    }
    json_t *geometry = json_object();
    dataset_set(g, geometry, "types", dataset_list(g, names, n, TYPES));
    dataset_set(g, geometry, "source", portal_text(from, "sourceCrs"));
    dataset_set(g, geometry, "operation", portal_text(from, "crsOperation"));
    const char *between = g->lang == ODP_LANG_ID ? ";" : ","; /* a comma is in the numbers already */
    bool has_box = json_array_size(bbox) == 4;
    dataset_set(g, geometry, "box", has_box ? odp_arena_printf(g->arena, "%s%s %s%s %s%s %s", box[0], between, box[1], between, box[2], between, box[3]) : "");
    odp_doc_set(&g->d, o, "geometry", geometry);
}

void dataset_fields(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    const json_t *from = json_object_get(r->schema, "fields");
    json_t *fields = json_array();
    for (size_t i = 0; i < json_array_size(from); i++)
        odp_doc_add(&g->d, fields, make_field(g, r, json_array_get(from, i)));
    odp_doc_set(&g->d, o, "fields", fields);
    dataset_set(g, o, "nfields", portal_number(json_array_size(from), g->lang, g->arena));
    set_geometry(g, r, o);
}
