/* The scorecard of Satu Data Indonesia (Peraturan Presiden 39/2019, articles 3 to 10): four principles, each a share of what it asks for that is there, counted
 * from what is published, with what is missing named. Nothing is weighted and nothing is rounded up, so a reader can count again. */
#include "portal/dataset_parts.h"

enum { NAMES = 6 }; /* fields named where an item is missing */

/* One principle in the making. */
struct principle {
    json_t *items;
    uint64_t have, need;
};

/* An item that is there or not; NOTE says what, or what is missing. */
static void add_item(struct dataset_page *g, struct principle *p, const char *label, bool ok, const char *note)
{
    json_t *o = json_object();
    dataset_set(g, o, "label", label);
    odp_doc_set(&g->d, o, "is_ok", json_boolean(ok));
    dataset_set(g, o, "note", note);
    odp_doc_add(&g->d, p->items, o);
}

static void add_check(struct dataset_page *g, struct principle *p, const char *key, bool ok)
{
    const char *missing = odp_arena_printf(g->arena, "%s_missing", key);
    const char *note = missing != NULL ? odp_templates_word(g->p->templates, missing, g->lang) : NULL;
    p->need++;
    p->have += ok;
    add_item(g, p, dataset_word(g, key), ok, ok || note == NULL ? "" : note);
}

static json_t *close_principle(struct dataset_page *g, const char *id, const struct principle *p, unsigned *sum, unsigned *count)
{
    json_t *o = json_object();
    unsigned score = p->need > 0 ? (unsigned)(100 * p->have / p->need) : 0;
    const char *key = odp_arena_printf(g->arena, "ds_s_%s", id), *how = odp_arena_printf(g->arena, "ds_s_%s_how", id);
    dataset_set(g, o, "heading", key != NULL ? dataset_word(g, key) : NULL);
    dataset_set(g, o, "how", how != NULL ? dataset_word(g, how) : NULL);
    odp_doc_set(&g->d, o, "applies", json_boolean(p->need > 0));
    dataset_set(g, o, "score", odp_arena_printf(g->arena, "%u", score));
    dataset_set(g, o, "sum", dataset_phrase(g, "ds_s_sum", portal_number(p->have, g->lang, g->arena), portal_number(p->need, g->lang, g->arena)));
    odp_doc_set(&g->d, o, "items", p->items);
    *sum += p->need > 0 ? score : 0;
    *count += p->need > 0;
    return o;
}

/* ---- standar data ----------------------------------------------------------------------------------------------------------- */

static bool has_text(const json_t *field, const char *key)
{
    const json_t *value = json_object_get(field, key);
    return json_is_object(value) ? *portal_text(value, "id") != '\0' || *portal_text(value, "en") != '\0' : *portal_text(field, key) != '\0';
}

static bool has_key(const json_t *keys, const char *name)
{
    for (size_t i = 0; i < json_array_size(keys); i++)
        if (dataset_has_text(json_object_get(json_array_get(keys, i), "fields"), name))
            return true;
    return false;
}

enum need { EVERY, MEASURED, CLASSED };
/* Whether an element of the standard makes sense for FIELD. */
static bool is_needed(enum need need, const json_t *schema, const json_t *field)
{
    if (need == EVERY)
        return true;
    if (need == MEASURED)
        return dataset_is_number(field);
    return json_array_size(json_object_get(field, "categories")) > 0 || has_key(json_object_get(schema, "odp:foreignKeys"), portal_text(field, "name"));
}

static bool is_there(const char *member, enum need need, const json_t *schema, const json_t *field)
{
    if (strcmp(member, "sdi:satuan") == 0 && has_text(field, "odp:unit"))
        return true;
    /* A code list is a classification by itself. */
    return has_text(field, member) || (need == CLASSED && has_key(json_object_get(schema, "odp:foreignKeys"), portal_text(field, "name")));
}

static json_t *standard(struct dataset_page *g, unsigned *sum, unsigned *count)
{
    static const struct {
        const char *member, *key;
        enum need need;
    } elements[] = {{"sdi:konsep", "ds_s_concept", EVERY},
                    {"sdi:definisi", "ds_s_definition", EVERY},
                    {"sdi:klasifikasi", "ds_s_class", CLASSED},
                    {"sdi:ukuran", "ds_s_measure", MEASURED},
                    {"sdi:satuan", "ds_s_unit", MEASURED}};
    struct principle p = {json_array(), 0, 0};
    size_t most = 0;
    for (size_t i = 0; i < g->dataset->n; i++)
        most += json_array_size(json_object_get(g->dataset->resources[i].schema, "fields"));
    const char **missing = odp_arena_array(g->arena, most + 1, sizeof *missing);
    for (size_t e = 0; missing != NULL && e < sizeof elements / sizeof *elements; e++) {
        size_t need = 0, lacking = 0;
        for (size_t i = 0; i < g->dataset->n; i++) {
            const json_t *schema = g->dataset->resources[i].schema, *fields = json_object_get(schema, "fields");
            for (size_t k = 0; k < json_array_size(fields); k++) {
                const json_t *field = json_array_get(fields, k);
                if (!is_needed(elements[e].need, schema, field))
                    continue;
                need++;
                if (!is_there(elements[e].member, elements[e].need, schema, field))
                    missing[lacking++] = portal_text(field, "name");
            }
        }
        if (need == 0)
            continue;
        p.have += need - lacking;
        p.need += need;
        const char *of = dataset_phrase(g, "ds_s_of", portal_number(need - lacking, g->lang, g->arena), portal_number(need, g->lang, g->arena));
        const char *names = lacking > 0 ? dataset_phrase(g, "ds_s_missing", dataset_list(g, missing, lacking, NAMES), NULL) : "";
        add_item(g, &p, dataset_word(g, elements[e].key), lacking == 0, of != NULL && names != NULL ? odp_arena_printf(g->arena, "%s%s", of, names) : NULL);
    }
    if (missing == NULL)
        g->d.failed = true;
    return close_principle(g, "standard", &p, sum, count);
}

/* ---- metadata --------------------------------------------------------------------------------------------------------------- */

static bool in_both(const json_t *o, const char *key)
{
    const json_t *text = json_object_get(o, key);
    return *portal_text(text, "id") != '\0' && *portal_text(text, "en") != '\0';
}

static bool fields_are_described(struct dataset_page *g)
{
    for (size_t i = 0; i < g->dataset->n; i++) {
        const json_t *fields = json_object_get(g->dataset->resources[i].schema, "fields");
        for (size_t k = 0; k < json_array_size(fields); k++)
            if (!has_text(json_array_get(fields, k), "odp:description") || !has_text(json_array_get(fields, k), "odp:title"))
                return false;
    }
    return true;
}

static bool any_geometry(struct dataset_page *g)
{
    for (size_t i = 0; i < g->dataset->n; i++)
        if (json_is_true(json_object_get(g->dataset->resources[i].entry, "geometry")))
            return true;
    return false;
}

static json_t *metadata(struct dataset_page *g, unsigned *sum, unsigned *count)
{
    static const char *const there[][2] = {{"sdi:produsenData", "ds_s_m_producer"}, {"sdi:walidata", "ds_s_m_walidata"},   {"sdi:pembina", "ds_s_m_pembina"},
                                           {"sdi:kodeSDSN", "ds_s_m_sdsn"},         {"last_update", "ds_s_m_updated"},     {"frequency", "ds_s_m_frequency"}};
    struct principle p = {json_array(), 0, 0};
    const json_t *e = g->entry, *license = json_object_get(e, "license");
    add_check(g, &p, "ds_s_m_title", in_both(e, "title") && in_both(e, "description"));
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        add_check(g, &p, there[i][1], has_text(e, there[i][0]));
    add_check(g, &p, "ds_s_m_license", *portal_text(license, "name") != '\0' || *portal_text(license, "path") != '\0');
    add_check(g, &p, "ds_s_m_keywords", json_array_size(json_object_get(e, "keywords")) > 0);
    add_check(g, &p, "ds_s_m_contact", g->email != NULL);
    add_check(g, &p, "ds_s_m_source", json_array_size(json_object_get(e, "sources")) > 0);
    add_check(g, &p, "ds_s_m_spatial", json_object_get(e, "odp:spatial") != NULL || json_object_get(e, "bbox") != NULL);
    add_check(g, &p, "ds_s_m_temporal", json_object_get(e, "odp:temporal") != NULL);
    add_check(g, &p, "ds_s_m_fields", fields_are_described(g));
    if (any_geometry(g))
        add_check(g, &p, "ds_s_m_iso", dataset_file(g, odp_arena_printf(g->arena, "katalog/%s/iso19139.xml", g->slug)) != NULL);
    return close_principle(g, "metadata", &p, sum, count);
}

/* ---- interoperabilitas ------------------------------------------------------------------------------------------------------ */

static bool has_open_format(const json_t *resource)
{
    const json_t *download = json_object_get(resource, "download");
    return json_object_get(download, "CSV") != NULL || json_object_get(download, "JSON") != NULL || json_object_get(download, "GeoJSON") != NULL;
}

static json_t *interoperability(struct dataset_page *g, unsigned *sum, unsigned *count)
{
    struct principle p = {json_array(), 0, 0};
    bool formats = true, schemas = true, keys = true, api = true, shapes = true;
    for (size_t i = 0; i < g->dataset->n; i++) {
        const struct dataset_resource *r = &g->dataset->resources[i];
        formats = formats && has_open_format(r->entry);
        schemas = schemas && r->schema != NULL;
        keys = keys && json_array_size(json_object_get(r->schema, "primaryKey")) > 0;
        api = api && *portal_text(r->entry, "api") != '\0';
        if (json_is_true(json_object_get(r->entry, "geometry")))
            shapes = shapes && (json_object_get(json_object_get(r->entry, "download"), "GeoJSON") != NULL ||
                                dataset_file(g, odp_arena_printf(g->arena, "v1/ogc/collections/%s%s.json", g->slug, r->suffix)) != NULL);
    }
    add_check(g, &p, "ds_s_i_formats", formats);
    add_check(g, &p, "ds_s_i_schema", schemas);
    add_check(g, &p, "ds_s_i_api", api);
    add_check(g, &p, "ds_s_i_key", keys);
    add_check(g, &p, "ds_s_i_dcat", dataset_file(g, "dcat.jsonld") != NULL);
    if (any_geometry(g))
        add_check(g, &p, "ds_s_i_shapes", shapes);
    return close_principle(g, "interop", &p, sum, count);
}

/* ---- kode referensi dan data induk ------------------------------------------------------------------------------------------ */

static bool is_code(const json_t *field)
{
    const char *name = portal_text(field, "name");
    return json_array_size(json_object_get(field, "categories")) > 0 || (strncmp(name, "kode_", 5) == 0 && strcmp(portal_text(field, "type"), "string") == 0);
}

static json_t *codes(struct dataset_page *g, unsigned *sum, unsigned *count)
{
    struct principle p = {json_array(), 0, 0};
    for (size_t i = 0; i < g->dataset->n; i++) {
        const json_t *schema = g->dataset->resources[i].schema, *fields = json_object_get(schema, "fields");
        for (size_t k = 0; k < json_array_size(fields); k++) {
            const json_t *field = json_array_get(fields, k);
            const char *name = portal_text(field, "name"), *word = NULL;
            bool ok = true;
            if (has_key(json_object_get(schema, "odp:foreignKeys"), name))
                word = "ds_s_c_list";
            else if (has_key(json_object_get(schema, "foreignKeys"), name))
                word = "ds_s_c_master";
            else if (is_code(field) && !dataset_has_text(json_object_get(schema, "primaryKey"), name))
                word = json_array_size(json_object_get(field, "categories")) > 0 ? "ds_s_c_own" : "ds_s_c_none", ok = false;
            if (word == NULL)
                continue;
            p.need++;
            p.have += ok;
            add_item(g, &p, name, ok, dataset_word(g, word));
        }
    }
    return close_principle(g, "codes", &p, sum, count);
}

void dataset_score(struct dataset_page *g, json_t *data)
{
    json_t *o = json_object(), *list = json_array();
    unsigned sum = 0, count = 0;
    odp_doc_add(&g->d, list, standard(g, &sum, &count));
    odp_doc_add(&g->d, list, metadata(g, &sum, &count));
    odp_doc_add(&g->d, list, interoperability(g, &sum, &count));
    odp_doc_add(&g->d, list, codes(g, &sum, &count));
    dataset_set(g, o, "total", odp_arena_printf(g->arena, "%u", count > 0 ? sum / count : 0));
    odp_doc_set(&g->d, o, "principles", list);
    odp_doc_set(&g->d, data, "score", o);
}
