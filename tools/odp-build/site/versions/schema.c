/* schema.json of each resource: the Table Schema (v2) of what is published. The source's habits (decimal
 * signs, date patterns, missing values) are gone, because published values are in the default forms; fields
 * that are not public are gone, and keys that need them. And latest/, which has the version's files under
 * names that stay. */
#include "base/json_load.h"
#include "published/paths.h"
#include "site/versions/versions_internal.h"

/* VALUE where it says anything. */
static void set_some(json_t *o, const char *key, json_t *value_take)
{
    if (json_array_size(value_take) > 0 || json_object_size(value_take) > 0)
        odp_set(o, key, value_take);
    else
        json_decref(value_take);
}

/* ---- fields ---- */

static json_t *make_constraints(const struct odp_field *f)
{
    const struct odp_constraints *c = &f->constraints;
    const struct {
        const char *key;
        struct odp_slice text;
    } bounds[] = {{"minimum", c->minimum},
                  {"maximum", c->maximum},
                  {"exclusiveMinimum", c->exclusive_minimum},
                  {"exclusiveMaximum", c->exclusive_maximum}};
    json_t *o = json_object(), *list = json_array();
    if (c->required)
        odp_set_flag(o, "required", true);
    if (c->unique)
        odp_set_flag(o, "unique", true);
    if (c->min_length >= 0)
        odp_set_number(o, "minLength", c->min_length);
    if (c->max_length >= 0)
        odp_set_number(o, "maxLength", c->max_length);
    for (size_t i = 0; i < ODP_COUNT(bounds); i++)
        if (bounds[i].text.ptr != NULL)
            odp_set(o, bounds[i].key, odp_doc_value(f->type, bounds[i].text));
    if (c->pattern.ptr != NULL)
        odp_set(o, "pattern", odp_doc_slice(c->pattern));
    for (size_t i = 0; i < c->enumeration.n; i++)
        odp_add(list, odp_doc_value(f->type, c->enumeration.item[i]));
    set_some(o, "enum", list);
    if (c->json_schema != NULL)
        odp_set(o, "jsonSchema", json_deep_copy(c->json_schema));
    return o;
}

static json_t *make_categories(const struct odp_field *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->ncategories; i++) {
        const struct odp_category *c = &f->categories[i];
        json_t *value = odp_doc_value(f->type, c->value);
        odp_add(list, odp_text_is_empty(&c->label) ? value
                                                   : json_pack("{s:o, s:s, s:o}", "value", value, "label",
                                                               odp_text_get(&c->label, ODP_LANG_ID),
                                                               "odp:label", odp_doc_text(&c->label)));
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
static void copy_field_members(json_t *o, const struct odp_field *f)
{
    static const char *const window[] = {"odp:deprecated", "odp:sunset", "odp:replacedBy", "odp:note"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)f->json, key, value) /* reads only */
        if (strncmp(key, "sdi:", 4) == 0 || strcmp(key, "rdfType") == 0)
            odp_set(o, key, json_deep_copy(value));
    if (f->nformer > 0)
        odp_set_copy(o, f->json, "odp:formerNames");
    for (size_t i = 0; f->deprecated != NULL && i < ODP_COUNT(window); i++)
        odp_set_copy(o, f->json, window[i]);
}

/* KEY in Indonesian, and OURS in both languages. */
static void set_words(json_t *o, const char *key, const char *ours, const struct odp_text *text)
{
    if (odp_text_is_empty(text))
        return;
    odp_set_str(o, key, odp_text_get(text, ODP_LANG_ID));
    odp_set(o, ours, odp_doc_text(text));
}

static json_t *make_field(const struct odp_field *f)
{
    /* What the values of odp:document are once they are published. The folder of the source is nobody's
     * business. */
    static const struct odp_text document = {
        {"path berkas PDF, relatif terhadap folder versi: data/<dataset>/<versi>/",
         "path of a PDF file, relative to the folder of the version: data/<dataset>/<version>/"}};
    const bool list = f->type == ODP_TYPE_LIST; /* an array in every published file; so is its type here */
    json_t *o =
        json_pack("{s:s, s:s, s:s*, s:s*}", "name", f->name, "type", list ? "array" : odp_type_name(f->type),
                  "odp:type", list ? "list" : NULL, "format", format_of(f));
    set_words(o, "title", "odp:title", &f->title);
    set_words(o, "description", "odp:description", &f->description);
    if (!odp_text_is_empty(&f->unit))
        odp_set(o, "odp:unit", odp_doc_text(&f->unit));
    if (f->document != NULL)
        odp_set(
            o, "odp:document",
            json_pack("{s:s, s:o}", "mediaType", "application/pdf", "description", odp_doc_text(&document)));
    set_some(o, "categories", make_categories(f));
    if (f->ncategories > 0 && f->categories_ordered)
        odp_set_flag(o, "categoriesOrdered", true);
    set_some(o, "constraints", make_constraints(f));
    copy_field_members(o, f);
    return o;
}

/* ---- keys ---- */

static bool is_public(const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (!s->fields[key->fields[k]].is_public)
            return false;
    return key->n > 0;
}

static json_t *key_names(const struct odp_schema *s, const struct odp_key *key)
{
    json_t *names = json_array();
    for (uint32_t k = 0; k < key->n; k++)
        odp_add(names, json_string(s->fields[key->fields[k]].name));
    return names;
}

/* The file of the edition that the codes were checked with, of the version that is in the site: the exact
 * CSV, else the first. Relative to the schema's folder. */
static const char *edition_file(const struct odp_resource *edition, const char *version, struct odp_arena *a)
{
    const struct odp_emit_job job = {.resource = edition, .version = version};
    const struct odp_strings *formats = &edition->dataset->formats;
    const char *first = NULL;
    for (size_t k = 0; k < ODP_FORMAT_FILES; k++)
        for (size_t i = 0; i < formats->n; i++)
            if (odp_slice_is(formats->item[i], odp_format_files[k].format) &&
                (first == NULL || strcmp(odp_format_files[k].name, "csv") == 0))
                first = odp_format_files[k].extension;
    return odp_arena_printf(a, "../../%s", odp_emit_data_path(&job, first, a) + strlen("data/"));
}

/* A code list as dataset.json refers to it; P (or NULL): with its page and its file in the site. */
static void set_list(json_t *reference, const struct odp_resource *edition, const struct odp_published *p)
{
    const struct odp_dataset *list = edition->dataset;
    const char *version = p != NULL && p->versions != NULL ? p->versions[list - p->dataset] : NULL;
    struct odp_arena arena = {0};
    odp_set_str(reference, "dataset", list->path);
    odp_set_str(reference, "resource", edition->edition);
    if (version == NULL || list->formats.n == 0)
        return;
    odp_set_str(reference, "version", version);
    odp_set(reference, "page",
            json_sprintf("../../../%s%s.html", odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID), list->slug));
    odp_set_str(reference, "path", edition_file(edition, version, &arena));
    odp_arena_release(&arena);
}

/* foreignKeys: into resources of this site's data package; odp:foreignKeys: into code lists, of which an
 * edition is meant. */
static void set_foreign_keys(json_t *schema, const struct odp_resource *r, const struct odp_published *p)
{
    json_t *within = json_array(), *lists = json_array();
    for (size_t i = 0; i < r->nforeign; i++) {
        const struct odp_foreign_key *fk = &r->foreign[i];
        const struct odp_resource *target = fk->target;
        if (!is_public(&r->schema, &fk->local) || !is_public(&target->schema, &fk->remote))
            continue;
        json_t *reference = json_object();
        if (target->dataset->reference)
            set_list(reference, target, p);
        else if (target != r)
            odp_set(reference, "resource", json_sprintf(ODP_RESOURCE_NAME, ODP_RESOURCE_NAME_ARGS(target)));
        odp_set(reference, "fields", key_names(&target->schema, &fk->remote));
        odp_add(target->dataset->reference ? lists : within,
                json_pack("{s:o, s:o}", "fields", key_names(&r->schema, &fk->local), "reference", reference));
    }
    set_some(schema, "foreignKeys", within);
    set_some(schema, "odp:foreignKeys", lists);
}

/* odp:labelColumns: what CSV, JSON and their like have beside the fields. */
static json_t *make_labels(const struct odp_published_resource *p)
{
    const struct odp_resource *r = p->resource;
    const struct odp_label_columns *l = p->labels;
    json_t *all = json_array();
    for (uint32_t k = 0; l != NULL && k < l->n; k++) {
        const struct odp_label_column *c = &l->columns[k];
        const struct odp_code_list *list = odp_code_lists_of(l->codes, r, c->field);
        const struct odp_dataset *d = list != NULL ? list->resource->dataset : NULL;
        json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "type", "string", "odp:labelOf",
                              r->schema.fields[c->field].name, "odp:language", odp_lang_code(c->lang));
        set_words(o, "title", "odp:title", d != NULL ? &d->title : &r->schema.fields[c->field].title);
        if (d != NULL)
            odp_set(o, "odp:list",
                    json_pack("{s:s, s:s}", "dataset", d->path, "resource", list->resource->edition));
        odp_add(all, o);
    }
    return all;
}

/* ---- geometry, queries ---- */

static json_t *make_geometry(const struct odp_published_resource *p)
{
    static const char *const modes[] = {"full", "simplified", "none"};
    const struct odp_geometry_spec *g = &p->resource->geometry;
    json_t *types = json_array();
    for (unsigned t = 0; t <= ODP_GEOM_MULTIPOLYGON; t++)
        if (g->types == 0 || (g->types & (1u << t)) != 0)
            odp_add(types, json_string(odp_geom_type_name((enum odp_geom_type)t)));
    json_t *o = json_pack("{s:o, s:s, s:b, s:s*, s:s*}", "types", types, "crs", "OGC:CRS84", "heights",
                          (int)p->has_heights, "sourceCrs",
                          p->crs != NULL && p->crs[0] != '\0' ? p->crs : NULL, "crsOperation",
                          p->crs_operation != NULL && p->crs_operation[0] != '\0' ? p->crs_operation : NULL);
    if (p->has_bbox)
        odp_set(o, "bbox", odp_doc_bbox(p->bbox));
    odp_set_str(o, "api", modes[g->api]);
    return o;
}

/* odp:datetime: what `datetime` of a query looks at; start and end, one where they are the same. */
static json_t *make_datetime(const struct odp_resource *r)
{
    json_t *names = json_array();
    for (int k = 0; k < 2; k++)
        if (r->datetime[k] >= 0 && (k == 0 || r->datetime[1] != r->datetime[0]))
            odp_add(names, json_string(r->schema.fields[r->datetime[k]].name));
    return names;
}

/* odp:queryables: by what else records can be filtered. Of a prefix it says of what ("field", a public field
 * or an earlier one of these; "prefix" characters), so that it can be made of published records, too
 * (tools/odp-gateway/service/webhooks/events); how others are made is the catalogue's business. */
static json_t *make_queryables(const struct odp_resource *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->nqueryables; i++) {
        const struct odp_queryable *q = &r->queryables[i];
        const struct odp_field *base = q->field >= 0 ? &r->schema.fields[q->field] : NULL;
        json_t *o = json_pack("{s:s, s:o*, s:s}", "name", q->name, "title",
                              odp_text_is_empty(&q->title) ? NULL : odp_doc_text(&q->title), "type",
                              odp_type_name(q->type));
        if (q->kind == ODP_QUERYABLE_PREFIX && (base == NULL || base->is_public)) {
            odp_set_str(o, "field", base != NULL ? base->name : r->queryables[q->queryable].name);
            odp_set_number(o, "prefix", (json_int_t)q->prefix);
        }
        const struct odp_foreign_key *key = odp_queryable_key(r, q);
        if (key != NULL)
            odp_set(o, "reference",
                    json_pack("{s:s, s:s}", "dataset", key->target->dataset->path, "resource",
                              odp_resource_said(key->target)));
        odp_add(list, o);
    }
    return list;
}

static void set_query(json_t *schema, const struct odp_resource *r)
{
    const struct odp_timeline *t = r->timeline;
    const struct odp_field *f = r->schema.fields;
    if (r->no_search)
        return;
    if (r->datetime[0] >= 0)
        odp_set(schema, "odp:datetime", make_datetime(r));
    set_some(schema, "odp:queryables", make_queryables(r));
    if (t != NULL)
        odp_set(schema, "odp:timeline",
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "project", f[t->project].name, "milestone",
                          f[t->milestone].name, "planned", f[t->planned].name, "actual", f[t->actual].name,
                          "date", t->date, "delay", t->delay));
}

/* ---- the whole ---- */

static json_t *make_table(const struct odp_published_resource *r, const struct odp_published *p)
{
    const struct odp_schema *s = &r->resource->schema;
    json_t *fields = json_array(), *unique = json_array(),
           *o = json_pack("{s:s, s:o}", "$schema", "https://datapackage.org/profiles/2.0/tableschema.json",
                          "fields", fields);
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fields[k].is_public)
            odp_add(fields, make_field(&s->fields[k]));
    set_some(o, "odp:labelColumns", make_labels(r));
    if (r->has_geometry || r->labels != NULL) /* columns that are no fields; a list in the profile 2.0 */
        odp_set(o, "fieldsMatch", json_pack("[s]", "subset"));
    if (is_public(s, &s->primary))
        odp_set(o, "primaryKey", key_names(s, &s->primary));
    for (size_t i = 0; i < s->nunique; i++)
        if (is_public(s, &s->unique[i]))
            odp_add(unique, key_names(s, &s->unique[i]));
    set_some(o, "uniqueKeys", unique);
    set_foreign_keys(o, r->resource, p);
    if (r->has_geometry)
        odp_set(o, "odp:geometry", make_geometry(r));
    set_query(o, r->resource);
    return o;
}

json_t *odp_schema_document(const struct odp_resource *r)
{
    const struct odp_published_resource unbuilt = {.resource = r, .has_geometry = r->geometry.present};
    return make_table(&unbuilt, NULL);
}

char *odp_schema_path(const struct odp_resource *r, const char *version, struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/%s/schema%s%s.json", r->dataset->slug, version, r->primary ? "" : "-",
                            r->primary ? "" : r->name);
}

/* The columns with names of codes are those that the files of the version have, whatever the catalogue says
 * by now. A schema that a sparse build does not hold says nothing. */
static enum odp_status keep_labels(const struct odp_stage *s, const char *path, json_t *o)
{
    static const char *const members[] = {"odp:labelColumns", "fieldsMatch"};
    struct odp_buffer text = {0};
    enum odp_status status = odp_stage_read(s, path, 64 << 20, NULL, &text, NULL);
    json_t *was = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    for (size_t i = 0; was != NULL && i < ODP_COUNT(members); i++) {
        json_object_del(o, members[i]);
        odp_set_copy(o, was, members[i]);
    }
    json_decref(was);
    odp_buffer_release(&text);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* FOLDER: the version's name, or "latest". */
static enum odp_status put_schemas(struct odp_stage *s, const struct odp_published *p, const char *folder)
{
    struct odp_arena arena = {0};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < p->dataset->nresources && status == ODP_OK; i++) {
        const struct odp_published_resource *r = &p->resources[i];
        json_t *o = make_table(r, p);
        odp_set_str(o, "odp:dataset", p->dataset->slug);
        odp_set_str(o, "odp:version", p->version);
        odp_set_number(o, "odp:rows", (json_int_t)r->rows);
        odp_set(o, "odp:content", odp_doc_digest(r->logical));
        if (strcmp(folder, p->version) != 0)
            status = keep_labels(s, odp_schema_path(r->resource, p->version, &arena), o);
        if (status != ODP_OK)
            json_decref(o);
        else
            status = odp_doc_put_take(s, odp_schema_path(r->resource, folder, &arena), o);
    }
    odp_arena_release(&arena);
    return status;
}

enum odp_status odp_release_schemas(struct odp_stage *s, const struct odp_published *p)
{
    return put_schemas(s, p, p->version);
}

/* ---- latest/ ---- */

static bool is_schema(const char *name)
{
    const char *end = strstr(name, ".json");
    return strncmp(name, "schema", 6) == 0 && (name[6] == '.' || name[6] == '-') && end != NULL &&
           strchr(name, '/') == NULL;
}

/* Its name says from which version to which. */
static bool is_delta(const char *name)
{
    size_t len = strlen(name);
    return len > 6 && strcmp(name + len - 6, ".delta") == 0 && strchr(name, '/') == NULL;
}

/* The same bytes under a name that stays: data/<slug>/latest/…, but for the schemas. NAMES gets all of them.
 */
static enum odp_status link_latest(struct odp_stage *s, const struct odp_published *p, json_t *names,
                                   struct odp_arena *a)
{
    const char *prefix = odp_arena_printf(a, "data/%s/%s/", p->dataset->slug, p->version);
    size_t n;
    const struct odp_site_file *mine = odp_stage_below(s, prefix, a, &n);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *name = mine[i].path + strlen(prefix);
        if (is_delta(name))
            continue;
        if (!is_schema(name))
            status = odp_stage_link_staged(s, &mine[i],
                                           odp_arena_printf(a, "data/%s/latest/%s", p->dataset->slug, name));
        if (mine[i].encoding == NULL)
            odp_add(names, json_string(name));
    }
    return status;
}

enum odp_status odp_release_latest(struct odp_stage *s, const struct odp_published *p)
{
    struct odp_arena arena = {0};
    json_t *names = json_array();
    enum odp_status status = link_latest(s, p, names, &arena);
    json_t *o =
        json_pack("{s:s, s:s, s:o, s:s+, s:o}", "dataset", p->dataset->slug, "version", p->version,
                  "last_update", odp_doc_slice(odp_emit_version_date(p->date != NULL ? p->date : p->version)),
                  "path", p->version, "/", "files", names);
    if (status == ODP_OK)
        status = odp_doc_put_take(s, odp_arena_printf(&arena, "data/%s/latest.json", p->dataset->slug),
                                  json_incref(o));
    json_decref(o);
    if (status == ODP_OK)
        status = put_schemas(s, p, "latest");
    odp_arena_release(&arena);
    return status;
}
