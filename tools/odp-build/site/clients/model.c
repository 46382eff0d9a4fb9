/* The published contract as the libraries see it, from the index's entries and the staged schemas. So a
 * carried dataset counts like one built now, and nothing depends on records, versions or the day. */
#include "site/clients/clients_internal.h"

#include "base/json_load.h"
#include "write/emit.h"

/* OURS ("odp:title") in both languages, else PLAIN. */
static json_t *words_of(const json_t *from, const char *ours, const char *plain)
{
    struct odp_text text = client_both(from, ours);
    if (odp_text_is_empty(&text) && plain != NULL)
        text = client_both(from, plain);
    return odp_doc_text(&text);
}

/* ---- fields ---- */

/* Whether the catalogue refuses records that break rule CODE (odp:severity). */
static bool holds(const struct odp_resource *r, enum odp_code code)
{
    return r == NULL || odp_resource_refuses(r, code);
}

/* A closed list as texts, numbers in JSON's form: every value is one of these (enum, else categories).
 * Empty: the list is open. */
static json_t *make_values(const json_t *field, const struct odp_resource *r)
{
    const json_t *list = json_object_get(json_object_get(field, "constraints"), "enum"), *item;
    enum odp_code code = list != NULL ? ODP_B10 : ODP_B11;
    json_t *out = json_array();
    size_t i;
    if (list == NULL)
        list = json_object_get(field, "categories");
    json_array_foreach(list, i, item)
    {
        const json_t *value = json_object_get(item, "value");
        char *text = NULL;
        if (!holds(r, code))
            break;
        value = value != NULL ? value : item;
        if (!json_is_string(value))
            text = json_dumps(value, JSON_ENCODE_ANY | ODP_DOC_LINE);
        odp_add(out, json_string(text != NULL ? text : json_string_value(value)));
        odp_json_free_text(text);
    }
    return out;
}

static json_t *make_field(const json_t *field, const struct odp_resource *r, const json_t *key)
{
    const char *name = odp_text_of(field, "name"),
               *type = odp_text_of(field, "odp:type"); /* a list is an array in published schemas */
    enum odp_type kind = odp_type_of(odp_slice_of(*type != '\0' ? type : odp_text_of(field, "type"))),
                  item = ODP_TYPE_ANY;
    int at = r != NULL ? odp_schema_find(&r->schema, odp_slice_of(name)) : -1;
    bool required =
        json_is_true(json_object_get(json_object_get(field, "constraints"), "required")) && holds(r, ODP_B01);
    if (kind == ODP_TYPE_COUNT)
        kind = ODP_TYPE_ANY;
    if (kind == ODP_TYPE_LIST && at >= 0)
        item = r->schema.fields[at].list_item;
    return json_pack("{s:s, s:i, s:i, s:b, s:b, s:o, s:o, s:o, s:o}", "name", name, "type", (int)kind, "item",
                     (int)item, "required", (int)(required || (client_has(key, name) && holds(r, ODP_K05))),
                     "deprecated", (int)(json_object_get(field, "odp:deprecated") != NULL), "title",
                     words_of(field, "odp:title", "title"), "description",
                     words_of(field, "odp:description", "description"), "unit",
                     words_of(field, "odp:unit", NULL), "values", make_values(field, r));
}

/* ---- resources ---- */

/* The catalogue's resource, which knows more than a published schema, or NULL. */
static const struct odp_resource *known(const struct odp_catalog *c, const char *slug, const char *name,
                                        bool first)
{
    const struct odp_dataset *d = odp_catalog_find(c, slug);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (first ? d->resources[i].primary : strcmp(d->resources[i].name, name) == 0)
            return &d->resources[i];
    return NULL;
}

/* The formats that the entry offers, even while a version is withdrawn and there are no files: the contract
 * is the same. */
static json_t *make_formats(const json_t *entry, bool geometry)
{
    json_t *out = json_array();
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++) {
        const struct odp_format_file *f = &odp_format_files[i];
        if ((geometry || !f->needs_geometry) && client_has(json_object_get(entry, "formats"), f->format))
            odp_add(out, json_string(f->name));
    }
    return out;
}

static json_t *make_resource(const struct odp_catalog *c, const json_t *entry, const json_t *from,
                             const json_t *schema, bool first)
{
    const json_t *geometry = json_object_get(schema, "odp:geometry"),
                 *key = json_object_get(schema, "primaryKey"), *one;
    const char *slug = odp_text_of(entry, "slug"), *name = odp_text_of(from, "name");
    const struct odp_resource *own = known(c, slug, name, first);
    const struct odp_text title = client_both(from, "title");
    json_t *fields = json_array(), *asked = json_array();
    size_t i;
    json_array_foreach(json_object_get(schema, "fields"), i, one) odp_add(fields, make_field(one, own, key));
    json_array_foreach(json_object_get(schema, "odp:queryables"), i, one)
        odp_add(asked, json_string(odp_text_of(one, "name")));
    json_t *keys = json_is_array(key) ? json_deep_copy(key) : json_array();
    json_t *path = first ? json_string(slug) : json_sprintf("%s/%s", slug, name);
    return json_pack(
        "{s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}", "name", first ? slug : name, "path", path, "title",
        words_of(odp_text_is_empty(&title) ? entry : from, "title", NULL), "geometry",
        (int)(json_is_object(geometry) && strcmp(odp_text_of(geometry, "api"), "none") != 0), "timeline",
        (int)(json_object_get(schema, "odp:timeline") != NULL), "key", keys, "queryables", asked, "formats",
        make_formats(entry, json_is_object(geometry)), "fields", fields);
}

/* A further resource without a schema is left out; without the first one the dataset is. */
static enum odp_status add_dataset(const struct odp_site_job *job, json_t *datasets, const json_t *entry)
{
    const json_t *r;
    json_t *resources = json_array();
    bool there = true;
    enum odp_status status = ODP_OK;
    size_t i;
    json_array_foreach(json_object_get(entry, "resources"), i, r)
    {
        json_t *schema = NULL;
        if (status == ODP_OK && there)
            status = odp_job_schema(job, odp_text_of(entry, "slug"), r, &schema);
        if (schema != NULL)
            odp_add(resources, make_resource(job->catalog, entry, r, schema, i == 0));
        there = there && (i > 0 || schema != NULL);
        json_decref(schema);
    }
    if (json_array_size(resources) > 0)
        odp_add(datasets, json_pack("{s:s, s:o, s:o, s:O}", "slug", odp_text_of(entry, "slug"), "title",
                                    words_of(entry, "title", NULL), "description",
                                    words_of(entry, "description", NULL), "resources", resources));
    json_decref(resources);
    return status;
}

/* ---- what examples show ---- */

/* Whether S can be quoted in any language as it is; a NAME also without quotes, and records have it under
 * that name. */
static bool is_plain(const struct client_model *m, const char *s, bool name)
{
    bool ok = *s != '\0' && !(name && ((*s >= '0' && *s <= '9') || !client_is_free(m, s)));
    for (const char *p = s; *p != '\0' && ok; p++) {
        bool word =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
        ok = word || (!name && (*p == ' ' || *p == '-'));
    }
    return ok;
}

/* The first field that can be sorted and compared as a number; one with decimals before an integer. */
static const char *number_of(const struct client_model *m, const json_t *r)
{
    static const enum odp_type types[] = {ODP_TYPE_NUMBER, ODP_TYPE_INTEGER};
    const json_t *f;
    size_t i;
    for (size_t t = 0; t < ODP_COUNT(types); t++)
        json_array_foreach(json_object_get(r, "fields"), i, f)
        {
            const char *name = odp_text_of(f, "name");
            if (client_type(f, "type") == types[t] && !client_flag(f, "deprecated") &&
                json_array_size(json_object_get(f, "values")) == 0 && is_plain(m, name, true) &&
                !client_has(json_object_get(r, "key"), name))
                return name;
        }
    return NULL;
}

static const char *choice_of(const struct client_model *m, const json_t *r, const char **value)
{
    const json_t *f, *v;
    size_t i, k;
    json_array_foreach(json_object_get(r, "fields"), i, f)
        json_array_foreach(json_object_get(f, "values"), k, v)
    {
        *value = json_string_value(v);
        if (client_type(f, "type") == ODP_TYPE_STRING && !client_flag(f, "deprecated") &&
            is_plain(m, odp_text_of(f, "name"), true) && is_plain(m, *value, false))
            return odp_text_of(f, "name");
    }
    *value = NULL;
    return NULL;
}

static int worth(const struct client_model *m, const json_t *r)
{
    const char *value;
    size_t nkey = json_array_size(json_object_get(r, "key"));
    return (nkey > 0) * 16 + (nkey == 1) * 4 + (number_of(m, r) != NULL) * 16 +
           (choice_of(m, r, &value) != NULL) * 16 + client_has(json_object_get(r, "formats"), "csv") * 8 +
           client_flag(r, "geometry") * 2;
}

static void choose_sample(struct client_model *m)
{
    struct client_sample *s = &m->sample;
    const json_t *datasets = json_object_get(m->json, "datasets"), *d, *r;
    size_t i, k;
    int best = -1;
    *s = (struct client_sample){.dataset = NO_DATASET, .timeline = NO_DATASET};
    json_array_foreach(datasets, i, d)
    {
        const json_t *resources = json_object_get(d, "resources");
        int own = worth(m, json_array_get(resources, 0));
        if (own > best) {
            best = own;
            s->dataset = i;
        }
        json_array_foreach(resources, k, r) if (s->timeline == NO_DATASET && client_flag(r, "timeline"))
            s->timeline = i;
    }
    r = json_array_get(json_object_get(json_array_get(datasets, s->dataset), "resources"), 0);
    const json_t *formats = json_object_get(r, "formats");
    s->number = number_of(m, r);
    s->text = choice_of(m, r, &s->value);
    s->format = client_has(formats, "csv") ? "csv" : json_string_value(json_array_get(formats, 0));
}

/* ---- all of it ---- */

enum odp_status client_model_finish(struct client_model *m, struct odp_diags *diags)
{
    client_read_reserved(m);
    choose_sample(m);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        m->dressed[l] = client_dress(m, (enum odp_client_language)l);
    return client_templates_open(&m->templates, m, m->arena, diags);
}

enum odp_status client_model_make(struct client_model *m, const struct odp_site_job *job, struct odp_arena *a)
{
    const struct odp_catalog *c = job->catalog;
    const struct odp_portal *p = &c->portal;
    const json_t *entry;
    json_t *datasets = json_array();
    enum odp_status status = ODP_OK;
    size_t i;
    *m = (struct client_model){.arena = a};
    if (c->nreleases > 0 && *p->base_url != '\0') {
        m->base_url = p->base_url;
        m->release = c->releases[0].version;
        m->release_date = c->releases[0].date;
        m->names = odp_client_names(c, a);
        json_array_foreach(job->entries, i, entry) if (status == ODP_OK &&
                                                       strcmp(odp_text_of(entry, "state"), "withdrawn") != 0)
            status = add_dataset(job, datasets, entry);
    }
    m->json = json_pack("{s:o, s:o, s:s, s:o}", "title", odp_doc_text(&p->title), "publisher",
                        odp_doc_text(&p->publisher), "license",
                        p->license_name != NULL ? p->license_name : "", "datasets", datasets);
    if (status == ODP_OK)
        status = json_array_size(datasets) > 0 ? client_model_finish(m, job->diags) : ODP_DONE;
    if (status != ODP_OK)
        client_model_release(m);
    return status;
}

void client_model_release(struct client_model *m)
{
    odp_templates_close(m->templates);
    json_decref(m->json);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        json_decref(m->dressed[l]);
        json_decref(m->reserved[l]);
    }
    *m = (struct client_model){.arena = m->arena};
}
