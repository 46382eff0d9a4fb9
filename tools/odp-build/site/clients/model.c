/* The published contract as the libraries see it: the entries of the index, the schemas as they are staged. So a dataset that is carried over counts like
 * one that was built now, and nothing here depends on records, versions or the day. */
#include "site/clients/clients_internal.h"

#include <errno.h>

#include "base/json_load.h"
#include "published/doc.h"
#include "site/clients/python_internal.h"
#include "write/emit.h"

enum { SCHEMA_MAX = 64 << 20 };

struct making {
    const struct odp_client_job *job;
    struct client_model *m;
    struct odp_arena *a;
};

/* ---- values of JSON in the model's arena -------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

/* Member KEY, a string or {"id", "en"}. */
static enum odp_status copy_text(struct odp_arena *a, const json_t *o, const char *key, struct odp_text *out)
{
    static const char *const langs[ODP_LANGS] = {"id", "en"};
    const json_t *v = json_object_get(o, key);
    for (int l = 0; l < ODP_LANGS; l++) {
        const char *s = json_is_string(v) ? json_string_value(v) : json_string_value(json_object_get(v, langs[l]));
        if (s != NULL && (out->in[l] = odp_arena_str(a, s)) == NULL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* OURS ("odp:title") in both languages, else PLAIN. */
static enum odp_status copy_words(struct odp_arena *a, const json_t *o, const char *ours, const char *plain, struct odp_text *out)
{
    enum odp_status status = copy_text(a, o, ours, out);
    return status == ODP_OK && odp_text_is_empty(out) && plain != NULL ? copy_text(a, o, plain, out) : status;
}

/* The texts of LIST, or the member KEY of its objects. */
static enum odp_status copy_names(struct odp_arena *a, const json_t *list, const char *key, const char ***out, size_t *n)
{
    size_t count = json_array_size(list);
    *n = 0;
    *out = odp_arena_zero(a, count + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *s = json_string_value(key != NULL ? json_object_get(item, key) : item);
        if (s != NULL && ((*out)[(*n)++] = odp_arena_str(a, s)) == NULL)
            return ODP_FAIL;
    }
    return *out != NULL ? ODP_OK : ODP_FAIL;
}

/* A value of a closed list as text; numbers as they stand in JSON. */
static const char *value_text(struct odp_arena *a, const json_t *value)
{
    struct odp_buffer out;
    if (json_is_string(value))
        return odp_arena_str(a, json_string_value(value));
    odp_buffer_init(&out);
    const char *text = odp_doc_print(&out, value, JSON_ENCODE_ANY | ODP_DOC_LINE) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&out)) : NULL;
    odp_buffer_release(&out);
    return text;
}

/* ---- fields ----------------------------------------------------------------------------------------------------------------------- */

static enum odp_type type_of(const json_t *field)
{
    const char *name = json_string_value(json_object_get(field, "odp:type")); /* a list is an array in published schemas */
    if (name == NULL)
        name = text_of(field, "type");
    enum odp_type type = odp_type_of(odp_slice_of(name));
    return type != ODP_TYPE_COUNT ? type : ODP_TYPE_ANY;
}

/* True unless the catalogue lets records through that break rule CODE (odp:severity). */
static bool holds(const struct odp_resource *r, enum odp_code code)
{
    return r == NULL || odp_resource_refuses(r, code);
}

static enum odp_status copy_values(struct odp_arena *a, const json_t *field, const struct odp_resource *r, struct client_field *f)
{
    const json_t *list = json_object_get(json_object_get(field, "constraints"), "enum");
    enum odp_code code = ODP_B10;
    if (list == NULL) {
        list = json_object_get(field, "categories");
        code = ODP_B11;
    }
    size_t n = json_array_size(list);
    if (n == 0 || !holds(r, code))
        return ODP_OK;
    f->values = odp_arena_zero(a, n, sizeof *f->values);
    for (size_t i = 0; f->values != NULL && i < n; i++) {
        const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
        f->values[i] = value_text(a, value != NULL ? value : item);
        if (f->values[i] == NULL)
            return ODP_FAIL;
        f->nvalues++;
    }
    return f->values != NULL ? ODP_OK : ODP_FAIL;
}

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static enum odp_status make_field(struct making *g, const json_t *field, const struct odp_resource *r, const struct client_resource *of, struct client_field *f)
{
    f->name = odp_arena_str(g->a, text_of(field, "name"));
    f->type = type_of(field);
    f->item = ODP_TYPE_ANY;
    int at = r != NULL && f->name != NULL ? odp_schema_find(&r->schema, odp_slice_of(f->name)) : -1;
    if (f->type == ODP_TYPE_LIST && at >= 0)
        f->item = r->schema.fields[at].list_item;
    bool key = f->name != NULL && is_in(f->name, of->key, of->nkey);
    f->required = (key && holds(r, ODP_K05)) || (json_is_true(json_object_get(json_object_get(field, "constraints"), "required")) && holds(r, ODP_B01));
    f->deprecated = json_object_get(field, "odp:deprecated") != NULL;
    if (f->name == NULL || copy_words(g->a, field, "odp:title", "title", &f->title) != ODP_OK ||
        copy_words(g->a, field, "odp:description", "description", &f->description) != ODP_OK || copy_words(g->a, field, "odp:unit", NULL, &f->unit) != ODP_OK)
        return ODP_FAIL;
    return copy_values(g->a, field, r, f);
}

/* ---- resources ------------------------------------------------------------------------------------------------------------------------ */

/* Today's words stand in latest/; a dataset without it has the schema of its version. DONE: it has none. */
static enum odp_status read_schema(struct making *g, const char *slug, const json_t *resource, json_t **out)
{
    const struct odp_client_job *job = g->job;
    const char *url = text_of(resource, "schema"), *name = strrchr(url, '/'); /* "../data/kumuh/2024-03-15/schema.json" */
    struct odp_buffer text;
    *out = NULL;
    if (strncmp(url, "../", 3) != 0 || name == NULL)
        return ODP_DONE;
    const char *latest = odp_arena_printf(g->a, "data/%s/latest%s", slug, name);
    if (latest == NULL)
        return ODP_FAIL;
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(job->stage, latest, SCHEMA_MAX, job->previous, &text, job->diags);
    if (status == ODP_DONE)
        status = odp_stage_read(job->stage, url + 3, SCHEMA_MAX, job->previous, &text, job->diags);
    if (status == ODP_OK) {
        json_error_t error;
        *out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
        if (*out == NULL)
            status = odp_failure_set("read JSON", latest, json_error_code(&error) == json_error_out_of_memory ? ENOMEM : 0);
    }
    odp_buffer_release(&text);
    return status;
}

/* The catalogue's resource, or NULL: it knows what a published schema does not tell. */
static const struct odp_resource *known(const struct odp_catalog *c, const char *slug, const char *name, bool first)
{
    const struct odp_dataset *d = odp_catalog_find(c, slug);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (first ? d->resources[i].primary : strcmp(d->resources[i].name, name) == 0)
            return &d->resources[i];
    return NULL;
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        if (s != NULL && strcmp(s, text) == 0)
            return true;
    }
    return false;
}

/* What is offered by the dataset's entry, not what lies there: while a version is withdrawn there are no files, and the contract is the same. */
static enum odp_status make_formats(struct making *g, const json_t *entry, bool geometry, struct client_resource *r)
{
    r->formats = odp_arena_zero(g->a, ODP_FORMAT_FILES, sizeof *r->formats);
    for (size_t i = 0; r->formats != NULL && i < ODP_FORMAT_FILES; i++) {
        const struct odp_format_file *f = &odp_format_files[i];
        if ((geometry || !f->needs_geometry) && has_text(json_object_get(entry, "formats"), f->format))
            r->formats[r->nformats++] = f->name; /* a literal */
    }
    return r->formats != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status fill_resource(struct making *g, const char *slug, const json_t *entry, const json_t *from, const json_t *schema, bool first,
                                     struct client_resource *r)
{
    const json_t *fields = json_object_get(schema, "fields"), *geometry = json_object_get(schema, "odp:geometry");
    const struct odp_resource *own = known(g->job->catalog, slug, text_of(from, "name"), first);
    r->name = odp_arena_str(g->a, first ? slug : text_of(from, "name"));
    r->path = first ? r->name : odp_arena_printf(g->a, "%s/%s", slug, text_of(from, "name"));
    r->geometry = json_is_object(geometry) && strcmp(text_of(geometry, "api"), "none") != 0;
    r->is_timeline = json_object_get(schema, "odp:timeline") != NULL;
    r->fields = odp_arena_zero(g->a, json_array_size(fields) + 1, sizeof *r->fields);
    if (r->name == NULL || r->path == NULL || r->fields == NULL || copy_words(g->a, from, "title", NULL, &r->title) != ODP_OK)
        return ODP_FAIL;
    if (odp_text_is_empty(&r->title) && copy_words(g->a, entry, "title", NULL, &r->title) != ODP_OK)
        return ODP_FAIL;
    if (copy_names(g->a, json_object_get(schema, "primaryKey"), NULL, &r->key, &r->nkey) != ODP_OK ||
        copy_names(g->a, json_object_get(schema, "odp:queryables"), "name", &r->queryables, &r->nqueryables) != ODP_OK ||
        make_formats(g, entry, json_is_object(geometry), r) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (make_field(g, json_array_get(fields, i), own, r, &r->fields[r->nfields++]) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

static enum odp_status make_dataset(struct making *g, const json_t *entry, struct client_dataset *d)
{
    const json_t *list = json_object_get(entry, "resources");
    size_t n = json_array_size(list);
    enum odp_status status = ODP_OK;
    d->slug = odp_arena_str(g->a, text_of(entry, "slug"));
    d->resources = odp_arena_zero(g->a, n + 1, sizeof *d->resources);
    if (d->slug == NULL || d->resources == NULL || copy_words(g->a, entry, "title", NULL, &d->title) != ODP_OK ||
        copy_words(g->a, entry, "description", NULL, &d->description) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        json_t *schema = NULL;
        status = read_schema(g, d->slug, json_array_get(list, i), &schema);
        if (status == ODP_OK)
            status = fill_resource(g, d->slug, entry, json_array_get(list, i), schema, i == 0, &d->resources[d->nresources++]);
        json_decref(schema);
        if (status == ODP_DONE && i > 0) /* a further resource without a schema is not there; without the first the dataset is not */
            status = ODP_OK;
    }
    return status == ODP_OK && d->nresources == 0 ? ODP_DONE : status;
}

/* ---- what examples show ------------------------------------------------------------------------------------------------------------------ */

/* A field that records have under its own name in every language: no keyword, nothing that records have themselves. */
static bool is_free(const char *name)
{
    static const char *const taken[] = {"get", "keys", "values", "items", "key", "to_dict", "toArray", "geometry", "constructor", "prototype", "__proto__"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(taken[i], name) == 0)
            return false;
    return python_is_plain(name);
}

/* Text that may stand between quotes of any language as it is; a NAME also without them. */
static bool is_plain(const char *s, bool name)
{
    bool ok = *s != '\0' && !(name && ((*s >= '0' && *s <= '9') || !is_free(s)));
    for (const char *p = s; *p != '\0' && ok; p++) {
        bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
        ok = word || (!name && (*p == ' ' || *p == '-'));
    }
    return ok;
}

/* The first field that can be sorted and compared as a number; one with decimals before an integer. */
static const char *number_of(const struct client_resource *r)
{
    static const enum odp_type types[] = {ODP_TYPE_NUMBER, ODP_TYPE_INTEGER};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < r->nfields; i++)
            if (r->fields[i].type == types[t] && !r->fields[i].deprecated && r->fields[i].nvalues == 0 && is_plain(r->fields[i].name, true) &&
                !is_in(r->fields[i].name, r->key, r->nkey))
                return r->fields[i].name;
    return NULL;
}

static const char *choice_of(const struct client_resource *r, const char **value)
{
    for (size_t i = 0; i < r->nfields; i++)
        for (size_t k = 0; r->fields[i].type == ODP_TYPE_STRING && !r->fields[i].deprecated && k < r->fields[i].nvalues; k++)
            if (is_plain(r->fields[i].name, true) && is_plain(r->fields[i].values[k], false)) {
                *value = r->fields[i].values[k];
                return r->fields[i].name;
            }
    return NULL;
}

static int worth(const struct client_resource *r)
{
    const char *value;
    return (r->nkey > 0) * 16 + (r->nkey == 1) * 4 + (number_of(r) != NULL) * 16 + (choice_of(r, &value) != NULL) * 16 +
           is_in("csv", r->formats, r->nformats) * 8 + r->geometry * 2;
}

static void choose_sample(struct client_model *m)
{
    struct client_sample *s = &m->sample;
    int best = -1;
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        if (worth(&d->resources[0]) > best) {
            best = worth(&d->resources[0]);
            s->dataset = d;
        }
        for (size_t k = 0; k < d->nresources && s->timeline == NULL; k++)
            if (d->resources[k].is_timeline)
                s->timeline = d;
    }
    const struct client_resource *r = &s->dataset->resources[0];
    s->number = number_of(r);
    s->text = choice_of(r, &s->value);
    s->format = is_in("csv", r->formats, r->nformats) ? "csv" : r->nformats > 0 ? r->formats[0] : NULL;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------------------- */

enum odp_status client_model_make(struct client_model *m, const struct odp_client_job *job, struct odp_arena *a)
{
    const struct odp_catalog *c = job->catalog;
    struct making g = {job, m, a};
    struct odp_client_names *names = odp_arena_zero(a, 1, sizeof *names);
    size_t n = json_array_size(job->entries);
    *m = (struct client_model){.arena = a, .names = names};
    if (c->nreleases == 0 || *c->portal.base_url == '\0')
        return ODP_DONE;
    m->base_url = c->portal.base_url;
    m->release = c->releases[0].version;
    m->release_date = c->releases[0].date;
    m->title = c->portal.title;
    m->publisher = c->portal.publisher;
    m->license_name = c->portal.license_name != NULL ? c->portal.license_name : "";
    m->datasets = odp_arena_zero(a, n + 1, sizeof *m->datasets);
    enum odp_status status = names != NULL && m->datasets != NULL ? odp_client_names(names, c, a) : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(job->entries, i);
        if (strcmp(text_of(entry, "state"), "withdrawn") == 0)
            continue;
        m->datasets[m->ndatasets] = (struct client_dataset){0};
        status = make_dataset(&g, entry, &m->datasets[m->ndatasets]);
        m->ndatasets += status == ODP_OK;
        status = status == ODP_DONE ? ODP_OK : status;
    }
    if (status == ODP_OK && m->ndatasets == 0)
        status = ODP_DONE;
    if (status == ODP_OK)
        choose_sample(m);
    return status;
}
