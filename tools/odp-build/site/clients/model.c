/* The published contract as the libraries see it: the entries of the index, the schemas as they are staged.
 * So a dataset that is carried over counts like one that was built now, and nothing here depends on records,
 * versions or the day. */
#include "site/clients/clients_internal.h"

#include <errno.h>

#include "base/json_load.h"
#include "write/emit.h"

enum { SCHEMA_MAX = 64 << 20 };

struct making {
    const struct odp_client_job *job;
    struct odp_arena *a;
    struct odp_doc doc;
};

/* Sets KEY to OURS ("odp:title") in both languages, else to PLAIN. */
static void set_words(struct making *g, json_t *o, const char *key, const json_t *from, const char *ours,
                      const char *plain)
{
    struct odp_text text = client_both(from, ours);
    if (odp_text_is_empty(&text) && plain != NULL)
        text = client_both(from, plain);
    odp_doc_set(&g->doc, o, key, odp_doc_text(&text));
}

/* ---- fields ---- */

/* True unless the catalogue lets records through that break rule CODE (odp:severity). */
static bool holds(const struct odp_resource *r, enum odp_code code)
{
    return r == NULL || odp_resource_refuses(r, code);
}

/* A closed list as texts, numbers as they stand in JSON: every value is one of these (enum, else categories).
 * Empty: the list is open. */
static json_t *make_values(struct making *g, const json_t *field, const struct odp_resource *r)
{
    const json_t *list = json_object_get(json_object_get(field, "constraints"), "enum");
    enum odp_code code = list != NULL ? ODP_B10 : ODP_B11;
    json_t *out = json_array();
    if (list == NULL)
        list = json_object_get(field, "categories");
    for (size_t i = 0; holds(r, code) && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        struct odp_buffer text;
        value = value != NULL ? value : item;
        odp_buffer_init(&text);
        if (json_is_string(value))
            odp_buffer_add_str(&text, json_string_value(value));
        else if (odp_doc_print(&text, value, JSON_ENCODE_ANY | ODP_DOC_LINE) != ODP_OK)
            text.failed = true;
        odp_doc_add(&g->doc, out, text.failed ? NULL : json_string(odp_buffer_cstr(&text)));
        odp_buffer_release(&text);
    }
    return out;
}

static json_t *make_field(struct making *g, const json_t *field, const struct odp_resource *r,
                          const json_t *key)
{
    const char *name = client_text(field, "name"),
               *type = client_text(field, "odp:type"); /* a list is an array in published schemas */
    enum odp_type kind = odp_type_of(odp_slice_of(*type != '\0' ? type : client_text(field, "type")));
    int at = r != NULL ? odp_schema_find(&r->schema, odp_slice_of(name)) : -1;
    bool required =
        json_is_true(json_object_get(json_object_get(field, "constraints"), "required")) && holds(r, ODP_B01);
    json_t *o = json_object();
    kind = kind != ODP_TYPE_COUNT ? kind : ODP_TYPE_ANY;
    odp_doc_set_str(&g->doc, o, "name", name);
    odp_doc_set(&g->doc, o, "type", json_integer(kind));
    odp_doc_set(
        &g->doc, o, "item",
        json_integer(kind == ODP_TYPE_LIST && at >= 0 ? r->schema.fields[at].list_item : ODP_TYPE_ANY));
    odp_doc_set(&g->doc, o, "required",
                json_boolean(required || (client_has(key, name) && holds(r, ODP_K05))));
    odp_doc_set(&g->doc, o, "deprecated", json_boolean(json_object_get(field, "odp:deprecated") != NULL));
    set_words(g, o, "title", field, "odp:title", "title");
    set_words(g, o, "description", field, "odp:description", "description");
    set_words(g, o, "unit", field, "odp:unit", NULL);
    odp_doc_set(&g->doc, o, "values", make_values(g, field, r));
    return o;
}

/* ---- resources ---- */

/* Today's words stand in latest/; a dataset without it has the schema of its version. DONE: it has none. */
static enum odp_status read_schema(struct making *g, const char *slug, const json_t *resource, json_t **out)
{
    const struct odp_client_job *job = g->job;
    const char *url = client_text(resource, "schema"),
               *name = strrchr(url, '/'); /* "../data/kumuh/2024-03-15/schema.json" */
    struct odp_buffer text;
    *out = NULL;
    if (strncmp(url, "../", 3) != 0 || name == NULL)
        return ODP_DONE;
    const char *latest = odp_arena_printf(g->a, "data/%s/latest%s", slug, name);
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(job->stage, latest, SCHEMA_MAX, job->previous, &text, job->diags);
    if (status == ODP_DONE)
        status = odp_stage_read(job->stage, url + 3, SCHEMA_MAX, job->previous, &text, job->diags);
    if (status == ODP_OK) {
        json_error_t error;
        *out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
        if (*out == NULL)
            status = odp_failure_set("read JSON", latest,
                                     json_error_code(&error) == json_error_out_of_memory ? ENOMEM : 0);
    }
    odp_buffer_release(&text);
    return status;
}

/* The catalogue's resource, or NULL: it knows what a published schema does not tell. */
static const struct odp_resource *known(const struct odp_catalog *c, const char *slug, const char *name,
                                        bool first)
{
    const struct odp_dataset *d = odp_catalog_find(c, slug);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (first ? d->resources[i].primary : strcmp(d->resources[i].name, name) == 0)
            return &d->resources[i];
    return NULL;
}

/* What is offered by the dataset's entry, not what lies there: while a version is withdrawn there are no
 * files, and the contract is the same. */
static json_t *make_formats(struct making *g, const json_t *entry, bool geometry)
{
    json_t *out = json_array();
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++) {
        const struct odp_format_file *f = &odp_format_files[i];
        if ((geometry || !f->needs_geometry) && client_has(json_object_get(entry, "formats"), f->format))
            odp_doc_add(&g->doc, out, json_string(f->name));
    }
    return out;
}

static json_t *make_resource(struct making *g, const json_t *entry, const json_t *from, const json_t *schema,
                             bool first)
{
    const json_t *fields = json_object_get(schema, "fields"),
                 *geometry = json_object_get(schema, "odp:geometry"),
                 *key = json_object_get(schema, "primaryKey");
    const char *slug = client_text(entry, "slug"), *name = client_text(from, "name");
    const struct odp_resource *own = known(g->job->catalog, slug, name, first);
    struct odp_text title = client_both(from, "title");
    json_t *o = json_object(), *list = json_array(), *asked = json_array();
    for (size_t i = 0; i < json_array_size(fields); i++)
        odp_doc_add(&g->doc, list, make_field(g, json_array_get(fields, i), own, key));
    for (size_t i = 0; i < json_array_size(json_object_get(schema, "odp:queryables")); i++)
        odp_doc_add(
            &g->doc, asked,
            json_string(client_text(json_array_get(json_object_get(schema, "odp:queryables"), i), "name")));
    odp_doc_set_str(&g->doc, o, "name", first ? slug : name);
    odp_doc_set_str(&g->doc, o, "path", first ? slug : odp_arena_printf(g->a, "%s/%s", slug, name));
    set_words(g, o, "title", odp_text_is_empty(&title) ? entry : from, "title", NULL);
    odp_doc_set(&g->doc, o, "geometry",
                json_boolean(json_is_object(geometry) && strcmp(client_text(geometry, "api"), "none") != 0));
    odp_doc_set(&g->doc, o, "timeline", json_boolean(json_object_get(schema, "odp:timeline") != NULL));
    odp_doc_set(&g->doc, o, "key", json_is_array(key) ? json_deep_copy(key) : json_array());
    odp_doc_set(&g->doc, o, "queryables", asked);
    odp_doc_set(&g->doc, o, "formats", make_formats(g, entry, json_is_object(geometry)));
    odp_doc_set(&g->doc, o, "fields", list);
    return o;
}

/* DONE: it has no schema. */
static enum odp_status add_dataset(struct making *g, json_t *datasets, const json_t *entry)
{
    const json_t *list = json_object_get(entry, "resources");
    json_t *o = json_object(), *resources = json_array();
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        json_t *schema = NULL;
        status = read_schema(g, client_text(entry, "slug"), json_array_get(list, i), &schema);
        if (status == ODP_OK)
            odp_doc_add(&g->doc, resources, make_resource(g, entry, json_array_get(list, i), schema, i == 0));
        json_decref(schema);
        if (status == ODP_DONE && i > 0) /* a further resource without a schema is not there; without the
                                            first the dataset is not */
            status = ODP_OK;
    }
    odp_doc_set_str(&g->doc, o, "slug", client_text(entry, "slug"));
    set_words(g, o, "title", entry, "title", NULL);
    set_words(g, o, "description", entry, "description", NULL);
    odp_doc_set(&g->doc, o, "resources", resources);
    if (status == ODP_OK && json_array_size(resources) > 0)
        odp_doc_add(&g->doc, datasets, json_incref(o));
    json_decref(o);
    return status == ODP_DONE ? ODP_OK : status;
}

/* ---- what examples show ---- */

/* Text that may stand between quotes of any language as it is; a NAME also without them, and records have it
 * under its own name. */
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
    const json_t *fields = json_object_get(r, "fields"), *f;
    size_t i;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        json_array_foreach(fields, i,
                           f) if (client_type(f, "type") == types[t] && !client_flag(f, "deprecated") &&
                                  json_array_size(json_object_get(f, "values")) == 0 &&
                                  is_plain(m, client_text(f, "name"), true) &&
                                  !client_has(json_object_get(r, "key"),
                                              client_text(f, "name"))) return client_text(f, "name");
    return NULL;
}

static const char *choice_of(const struct client_model *m, const json_t *r, const char **value)
{
    const json_t *fields = json_object_get(r, "fields"), *f, *v;
    size_t i, k;
    json_array_foreach(fields, i, f) json_array_foreach(
        json_object_get(f, "values"), k,
        v) if (client_type(f, "type") == ODP_TYPE_STRING && !client_flag(f, "deprecated") &&
               is_plain(m, client_text(f, "name"), true) && is_plain(m, json_string_value(v), false))
    {
        *value = json_string_value(v);
        return client_text(f, "name");
    }
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
        if (worth(m, json_array_get(resources, 0)) > best) {
            best = worth(m, json_array_get(resources, 0));
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
    enum odp_status status = client_read_reserved(m);
    if (status == ODP_OK)
        choose_sample(m);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++)
        status = client_dress(&m->dressed[l], m, (enum odp_client_language)l);
    return status == ODP_OK ? client_templates_open(&m->templates, m, m->arena, diags) : status;
}

enum odp_status client_model_make(struct client_model *m, const struct odp_client_job *job,
                                  struct odp_arena *a)
{
    const struct odp_catalog *c = job->catalog;
    struct making g = {.job = job, .a = a};
    *m = (struct client_model){.arena = a};
    if (c->nreleases == 0 || *c->portal.base_url == '\0')
        return ODP_DONE;
    m->json = json_object();
    m->base_url = c->portal.base_url;
    m->release = c->releases[0].version;
    m->release_date = c->releases[0].date;
    json_t *datasets = json_array();
    enum odp_status status = odp_client_names(&m->names, c, a);
    odp_doc_set(&g.doc, m->json, "title", odp_doc_text(&c->portal.title));
    odp_doc_set(&g.doc, m->json, "publisher", odp_doc_text(&c->portal.publisher));
    odp_doc_set_str(&g.doc, m->json, "license", c->portal.license_name != NULL ? c->portal.license_name : "");
    for (size_t i = 0; i < json_array_size(job->entries) && status == ODP_OK; i++)
        if (strcmp(client_text(json_array_get(job->entries, i), "state"), "withdrawn") != 0)
            status = add_dataset(&g, datasets, json_array_get(job->entries, i));
    odp_doc_set(&g.doc, m->json, "datasets", datasets);
    if (status == ODP_OK && g.doc.failed)
        status = odp_failure_set("make the model of", "packages", ENOMEM);
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
