/* schema.json of each resource: the Table Schema (v2) of what is published. The source's habits (decimal signs, date patterns,
 * missing values) are gone, because published values are in the default forms; fields that are not public are gone, and keys
 * that need them. */
#include "published/doc.h"
#include "site/versions/names.h"

static void set_bound(struct odp_doc *d, json_t *o, const char *key, const struct odp_field *f, struct odp_slice text)
{
    if (text.ptr != NULL)
        odp_doc_set(d, o, key, odp_doc_value(f->type, text));
}

static json_t *make_constraints(struct odp_doc *d, const struct odp_field *f)
{
    const struct odp_constraints *c = &f->constraints;
    json_t *o = json_object();
    if (c->required)
        odp_doc_set(d, o, "required", json_true());
    if (c->unique)
        odp_doc_set(d, o, "unique", json_true());
    if (c->min_length >= 0)
        odp_doc_set(d, o, "minLength", json_integer(c->min_length));
    if (c->max_length >= 0)
        odp_doc_set(d, o, "maxLength", json_integer(c->max_length));
    set_bound(d, o, "minimum", f, c->minimum);
    set_bound(d, o, "maximum", f, c->maximum);
    set_bound(d, o, "exclusiveMinimum", f, c->exclusive_minimum);
    set_bound(d, o, "exclusiveMaximum", f, c->exclusive_maximum);
    if (c->pattern.ptr != NULL)
        odp_doc_set(d, o, "pattern", odp_doc_slice(c->pattern));
    if (c->enumeration.n > 0) {
        json_t *list = json_array();
        for (size_t i = 0; i < c->enumeration.n; i++)
            odp_doc_add(d, list, odp_doc_value(f->type, c->enumeration.item[i]));
        odp_doc_set(d, o, "enum", list);
    }
    if (c->json_schema != NULL)
        odp_doc_set(d, o, "jsonSchema", json_deep_copy(c->json_schema));
    return o;
}

static json_t *make_categories(struct odp_doc *d, const struct odp_field *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->ncategories; i++) {
        const struct odp_category *c = &f->categories[i];
        json_t *value = odp_doc_value(f->type, c->value), *item = value;
        if (!odp_text_is_empty(&c->label)) {
            item = json_object();
            odp_doc_set(d, item, "value", value);
            odp_doc_set_str(d, item, "label", odp_text_get(&c->label, ODP_LANG_ID));
            odp_doc_set(d, item, "odp:label", odp_doc_text(&c->label));
        }
        odp_doc_add(d, list, item);
    }
    return list;
}

static const char *format_of(const struct odp_field *f)
{
    static const char *const strings[] = {NULL, "email", "uri", "binary", "uuid"};
    if (f->type == ODP_TYPE_STRING)
        return strings[f->string_format];
    if (f->type == ODP_TYPE_GEOPOINT)
        return "array"; /* as it is published, whatever the source has */
    return f->type == ODP_TYPE_GEOJSON && f->topojson ? "topojson" : NULL;
}

/* sdi:… members and what else of the field concerns its users. */
static void copy_field_members(struct odp_doc *d, json_t *o, const struct odp_field *f)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)f->json, key, value) /* reads only */
        if (strncmp(key, "sdi:", 4) == 0 || strcmp(key, "rdfType") == 0) odp_doc_set(d, o, key, json_deep_copy(value));
    if (f->nformer > 0)
        odp_doc_copy(d, o, f->json, "odp:formerNames");
    if (f->deprecated == NULL)
        return;
    static const char *const window[] = {"odp:deprecated", "odp:sunset", "odp:replacedBy", "odp:note"};
    for (size_t i = 0; i < sizeof window / sizeof *window; i++)
        odp_doc_copy(d, o, f->json, window[i]);
}

/* What the values of odp:document are once they are published. The folder of the source is nobody's business. */
static json_t *make_document(struct odp_doc *d)
{
    static const struct odp_text text = {
        {"path berkas PDF, relatif terhadap folder versi: data/<dataset>/<versi>/",
         "path of a PDF file, relative to the folder of the version: data/<dataset>/<version>/"}};
    json_t *o = json_object();
    odp_doc_set_str(d, o, "mediaType", "application/pdf");
    odp_doc_set(d, o, "description", odp_doc_text(&text));
    return o;
}

static json_t *make_field(struct odp_doc *d, const struct odp_field *f)
{
    json_t *o = json_object(), *constraints = make_constraints(d, f);
    odp_doc_set_str(d, o, "name", f->name);
    /* A list is a JSON array in every published file; so is its type here. */
    odp_doc_set_str(d, o, "type", f->type == ODP_TYPE_LIST ? "array" : odp_type_name(f->type));
    if (f->type == ODP_TYPE_LIST)
        odp_doc_set_str(d, o, "odp:type", "list");
    if (format_of(f) != NULL)
        odp_doc_set_str(d, o, "format", format_of(f));
    if (!odp_text_is_empty(&f->title)) {
        odp_doc_set_str(d, o, "title", odp_text_get(&f->title, ODP_LANG_ID));
        odp_doc_set(d, o, "odp:title", odp_doc_text(&f->title));
    }
    if (!odp_text_is_empty(&f->description)) {
        odp_doc_set_str(d, o, "description", odp_text_get(&f->description, ODP_LANG_ID));
        odp_doc_set(d, o, "odp:description", odp_doc_text(&f->description));
    }
    if (!odp_text_is_empty(&f->unit))
        odp_doc_set(d, o, "odp:unit", odp_doc_text(&f->unit));
    if (f->document != NULL)
        odp_doc_set(d, o, "odp:document", make_document(d));
    if (f->ncategories > 0)
        odp_doc_set(d, o, "categories", make_categories(d, f));
    if (f->ncategories > 0 && f->categories_ordered)
        odp_doc_set(d, o, "categoriesOrdered", json_true());
    if (json_object_size(constraints) > 0)
        odp_doc_set(d, o, "constraints", constraints);
    else
        json_decref(constraints);
    copy_field_members(d, o, f);
    return o;
}

static bool is_public(const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (!s->fields[key->fields[k]].is_public)
            return false;
    return key->n > 0;
}

static json_t *key_names(struct odp_doc *d, const struct odp_schema *s, const struct odp_key *key)
{
    json_t *names = json_array();
    for (uint32_t k = 0; k < key->n; k++)
        odp_doc_add(d, names, json_string(s->fields[key->fields[k]].name));
    return names;
}

/* foreignKeys: into resources of this site's data package; odp:foreignKeys: into code lists, which are not published. */
static void set_foreign_keys(struct odp_doc *d, json_t *schema, const struct odp_resource *r)
{
    json_t *within = json_array(), *lists = json_array();
    for (size_t i = 0; i < r->nforeign; i++) {
        const struct odp_foreign_key *fk = &r->foreign[i];
        const struct odp_resource *target = fk->target;
        if (!is_public(&r->schema, &fk->local) || !is_public(&target->schema, &fk->remote))
            continue;
        json_t *key = json_object(), *reference = json_object();
        odp_doc_set(d, key, "fields", key_names(d, &r->schema, &fk->local));
        if (target->dataset->reference) {
            odp_doc_set_str(d, reference, "dataset", target->dataset->slug);
            odp_doc_set_str(d, reference, "resource", target->name);
        } else if (target != r) {
            odp_doc_set(d, reference, "resource", json_sprintf(ODP_RESOURCE_NAME, ODP_RESOURCE_NAME_ARGS(target)));
        }
        odp_doc_set(d, reference, "fields", key_names(d, &target->schema, &fk->remote));
        odp_doc_set(d, key, "reference", reference);
        odp_doc_add(d, target->dataset->reference ? lists : within, key);
    }
    if (json_array_size(within) > 0)
        odp_doc_set(d, schema, "foreignKeys", json_incref(within));
    if (json_array_size(lists) > 0)
        odp_doc_set(d, schema, "odp:foreignKeys", json_incref(lists));
    json_decref(within);
    json_decref(lists);
}

static json_t *make_geometry(struct odp_doc *d, const struct odp_published_resource *p)
{
    static const char *const modes[] = {"full", "simplified", "none"};
    const struct odp_geometry_spec *g = &p->resource->geometry;
    json_t *o = json_object(), *types = json_array();
    for (unsigned t = 0; t <= ODP_GEOM_MULTIPOLYGON; t++)
        if (g->types == 0 || (g->types & (1u << t)) != 0)
            odp_doc_add(d, types, json_string(odp_geom_type_name((enum odp_geom_type)t)));
    odp_doc_set(d, o, "types", types);
    odp_doc_set_str(d, o, "crs", "OGC:CRS84");
    odp_doc_set(d, o, "heights", json_boolean(p->has_heights));
    if (p->crs != NULL && p->crs[0] != '\0')
        odp_doc_set_str(d, o, "sourceCrs", p->crs);
    if (p->crs_operation != NULL && p->crs_operation[0] != '\0')
        odp_doc_set_str(d, o, "crsOperation", p->crs_operation);
    if (p->has_bbox)
        odp_doc_set(d, o, "bbox", odp_doc_bbox(p->bbox));
    odp_doc_set_str(d, o, "api", modes[g->api]);
    return o;
}

/* odp:datetime: what `datetime` of a query looks at; start and end, one where they are the same. */
static json_t *make_datetime(struct odp_doc *d, const struct odp_resource *r)
{
    json_t *names = json_array();
    for (int k = 0; k < 2; k++)
        if (r->datetime[k] >= 0 && (k == 0 || r->datetime[1] != r->datetime[0]))
            odp_doc_add(d, names, json_string(r->schema.fields[r->datetime[k]].name));
    return names;
}

/* odp:queryables: by what else records can be filtered. Of a prefix it says of what ("field", a public field or an earlier one of these; "prefix"
 * characters), so that it can be made of published records, too (tools/odp-gateway/service/webhooks/events); how others are made is the catalogue's business. */
static json_t *make_queryables(struct odp_doc *d, const struct odp_resource *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->nqueryables; i++) {
        const struct odp_queryable *q = &r->queryables[i];
        json_t *o = json_object();
        odp_doc_set_str(d, o, "name", q->name);
        if (!odp_text_is_empty(&q->title))
            odp_doc_set(d, o, "title", odp_doc_text(&q->title));
        odp_doc_set_str(d, o, "type", odp_type_name(q->type));
        const struct odp_field *base = q->field >= 0 ? &r->schema.fields[q->field] : NULL;
        if (q->kind == ODP_QUERYABLE_PREFIX && (base == NULL || base->is_public)) {
            odp_doc_set_str(d, o, "field", base != NULL ? base->name : r->queryables[q->queryable].name);
            odp_doc_set(d, o, "prefix", json_integer((json_int_t)q->prefix));
        }
        odp_doc_add(d, list, o);
    }
    return list;
}

static json_t *make_timeline(struct odp_doc *d, const struct odp_resource *r)
{
    const struct odp_timeline *t = r->timeline;
    const struct odp_field *f = r->schema.fields;
    json_t *o = json_object();
    odp_doc_set_str(d, o, "project", f[t->project].name);
    odp_doc_set_str(d, o, "milestone", f[t->milestone].name);
    odp_doc_set_str(d, o, "planned", f[t->planned].name);
    odp_doc_set_str(d, o, "actual", f[t->actual].name);
    odp_doc_set_str(d, o, "date", t->date);
    odp_doc_set_str(d, o, "delay", t->delay);
    return o;
}

static void set_query(struct odp_doc *d, json_t *schema, const struct odp_resource *r)
{
    if (r->no_search)
        return;
    if (r->datetime[0] >= 0)
        odp_doc_set(d, schema, "odp:datetime", make_datetime(d, r));
    if (r->nqueryables > 0)
        odp_doc_set(d, schema, "odp:queryables", make_queryables(d, r));
    if (r->timeline != NULL)
        odp_doc_set(d, schema, "odp:timeline", make_timeline(d, r));
}

static json_t *make_table(struct odp_doc *d, const struct odp_published_resource *r)
{
    const struct odp_schema *s = &r->resource->schema;
    json_t *o = json_object(), *fields = json_array(), *unique = json_array();
    odp_doc_set_str(d, o, "$schema", "https://datapackage.org/profiles/2.0/tableschema.json");
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fields[k].is_public)
            odp_doc_add(d, fields, make_field(d, &s->fields[k]));
    odp_doc_set(d, o, "fields", fields);
    if (r->has_geometry)
        odp_doc_set(d, o, "fieldsMatch", json_pack("[s]", "subset")); /* the CSV has columns for the geometry; a list in the profile 2.0 */
    if (is_public(s, &s->primary))
        odp_doc_set(d, o, "primaryKey", key_names(d, s, &s->primary));
    for (size_t i = 0; i < s->nunique; i++)
        if (is_public(s, &s->unique[i]))
            odp_doc_add(d, unique, key_names(d, s, &s->unique[i]));
    if (json_array_size(unique) > 0)
        odp_doc_set(d, o, "uniqueKeys", json_incref(unique));
    json_decref(unique);
    set_foreign_keys(d, o, r->resource);
    if (r->has_geometry)
        odp_doc_set(d, o, "odp:geometry", make_geometry(d, r));
    set_query(d, o, r->resource);
    return o;
}

json_t *odp_schema_document(const struct odp_resource *r)
{
    const struct odp_published_resource unbuilt = {.resource = r, .has_geometry = r->geometry.present};
    struct odp_doc d = {false};
    json_t *o = make_table(&d, &unbuilt);
    if (d.failed) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *make_schema(struct odp_doc *d, const struct odp_published *p, const struct odp_published_resource *r)
{
    json_t *o = make_table(d, r);
    odp_doc_set_str(d, o, "odp:dataset", p->dataset->slug);
    odp_doc_set_str(d, o, "odp:version", p->version);
    odp_doc_set(d, o, "odp:rows", json_integer((json_int_t)r->rows));
    odp_doc_set(d, o, "odp:content", odp_doc_digest(r->logical));
    return o;
}

char *odp_schema_path(const struct odp_resource *r, const char *version, struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/%s/schema%s%s.json", r->dataset->slug, version, r->primary ? "" : "-",
                            r->primary ? "" : r->name);
}

/* ---- latest/ ------------------------------------------------------------------------------------------------------------- */

static bool is_schema(const char *name)
{
    const char *end = strstr(name, ".json");
    return strncmp(name, "schema", 6) == 0 && (name[6] == '.' || name[6] == '-') && end != NULL && strchr(name, '/') == NULL;
}

/* The same bytes under a name that stays: data/<slug>/latest/…, but for the schemas. */
static enum odp_status link_latest(struct odp_stage *s, const struct odp_published *p, json_t *names, struct odp_doc *d,
                                   struct odp_arena *a)
{
    const char *prefix = odp_arena_printf(a, "data/%s/%s/", p->dataset->slug, p->version);
    size_t n, count = 0;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    /* A copy: linking changes the list. */
    struct odp_site_file *mine = odp_arena_array(a, n + 1, sizeof *mine);
    for (size_t i = 0; i < n; i++)
        if (strncmp(files[i].path, prefix, strlen(prefix)) == 0)
            mine[count++] = files[i];
    for (size_t i = 0; i < count; i++) {
        const char *name = mine[i].path + strlen(prefix);
        bool schema = is_schema(name);
        size_t len = strlen(name);
        if (len > 6 && strcmp(name + len - 6, ".delta") == 0 && strchr(name, '/') == NULL) /* its name says from which version to which */
            continue;
        const char *path = odp_arena_printf(a, "data/%s/latest/%s", p->dataset->slug, name);
        if ((!schema && odp_stage_link_staged(s, &mine[i], path) != ODP_OK))
            return ODP_FAIL;
        if (mine[i].encoding == NULL)
            odp_doc_add(d, names, json_string(name));
    }
    return ODP_OK;
}

static enum odp_status put_latest(struct odp_stage *s, const struct odp_published *p, struct odp_arena *a)
{
    struct odp_doc d = {false};
    json_t *o = json_object(), *names = json_array();
    enum odp_status status = link_latest(s, p, names, &d, a);
    odp_doc_set_str(&d, o, "dataset", p->dataset->slug);
    odp_doc_set_str(&d, o, "version", p->version);
    odp_doc_set(&d, o, "last_update", odp_doc_slice(odp_emit_version_date(p->date != NULL ? p->date : p->version)));
    odp_doc_set(&d, o, "path", json_sprintf("%s/", p->version));
    odp_doc_set(&d, o, "files", names);
    if (status != ODP_OK) {
        json_decref(o);
        return status;
    }
    return odp_doc_put_take(s, odp_arena_printf(a, "data/%s/latest.json", p->dataset->slug), &d, o);
}

/* FOLDER: the version's name, or "latest". */
static enum odp_status put_schemas(struct odp_stage *s, const struct odp_published *p, const char *folder)
{
    struct odp_arena arena;
    enum odp_status status = ODP_OK;
    odp_arena_init(&arena);
    for (size_t i = 0; i < p->dataset->nresources && status == ODP_OK; i++) {
        struct odp_doc d = {false};
        json_t *schema = make_schema(&d, p, &p->resources[i]);
        status = odp_doc_put_take(s, odp_schema_path(p->resources[i].resource, folder, &arena), &d, schema);
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_release_schemas(struct odp_stage *s, const struct odp_published *p)
{
    return put_schemas(s, p, p->version);
}

enum odp_status odp_release_latest(struct odp_stage *s, const struct odp_published *p)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    enum odp_status status = put_latest(s, p, &arena);
    if (status == ODP_OK)
        status = put_schemas(s, p, "latest");
    odp_arena_release(&arena);
    return status;
}
