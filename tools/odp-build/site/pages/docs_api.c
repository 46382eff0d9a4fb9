/* dokumentasi/api/<slug>.html, en/docs/api/<slug>.html: all that v1/openapi.json says of a dataset, as people
 * read it. Each request finds something: its values are those of the first record, which is the example of
 * its answer. Nothing is said here that the document does not say. */
#include "base/json_load.h"
#include "published/parts.h"
#include "site/api/api.h"
#include "site/pages/pages_internal.h"
#include "site/versions/among.h"

struct reference {
    struct portal *p;
    const json_t *document, *entry;
    enum odp_lang lang;
    const char *slug, *title;
    json_t *told;    /* {component of a parameter: true}: it is on the page already */
    json_t *records; /* {path of a table: its first record, parsed} */
    struct odp_arena *a;
};

static const char *in(const struct reference *r, const json_t *o, const char *key)
{
    return openapi_in(odp_text_of(o, key), r->lang, r->a);
}

/* Prose of the document, CommonMark, as HTML; PARAGRAPHS: more than a line. */
static void set_prose(const struct reference *r, json_t *o, const char *member, const char *text,
                      bool paragraphs)
{
    json_t *both = json_pack("{s:s, s:s}", "id", text, "en", text),
           *made = docs_prose(r->p, both, !paragraphs);
    odp_set_str(o, member, odp_text_of(made, odp_lang_code(r->lang)));
    json_decref(both);
    json_decref(made);
}

/* ---- kinds of values ---- */

static bool is_of_type(const json_t *schema, const char *type)
{
    const json_t *types = json_object_get(schema, "type");
    return strcmp(odp_text_of(schema, "type"), type) == 0 || odp_model_has(types, type);
}

/* The end of a word explorer_js_type_…. */
static const char *kind_of(const json_t *schema)
{
    static const char *const formats[] = {"date", "date-time", "uri"}, *const types[] = {"integer", "number",
                                                                                         "boolean"};
    if (json_object_get(schema, "enum") != NULL)
        return "enum";
    if (json_object_get(schema, "oneOf") != NULL && strcmp(odp_text_of(schema, "title"), "GeoJSON") == 0)
        return "geometry";
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(odp_text_of(schema, "format"), formats[i]) == 0)
            return formats[i];
        if (is_of_type(schema, types[i]))
            return types[i];
    }
    return "string";
}

static void set_limit(json_t *o, const json_t *schema, const char *key)
{
    struct odp_buffer text = {0};
    const json_t *value = json_object_get(schema, key);
    if (value != NULL && odp_doc_print(&text, value, ODP_DOC_LINE | JSON_ENCODE_ANY) == ODP_OK)
        odp_set_str(o, key, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

/* [{"value", "label"}]; the label is "" if it only repeats the value. */
static json_t *make_options(const struct reference *r, const json_t *schema)
{
    enum { MOST = 40 };
    json_t *list = json_array(), *value;
    size_t i;
    json_array_foreach(json_object_get(schema, "enum"), i, value)
    {
        if (!json_is_string(value) || i >= MOST)
            continue;
        const char *text = json_string_value(value),
                   *label = odp_model_in(json_object_get(schema, "x-labels"), text, r->lang);
        odp_add(list,
                json_pack("{s:O, s:s}", "value", value, "label", strcmp(label, text) == 0 ? "" : label));
    }
    return list;
}

/* What SCHEMA says of values, as members of O. */
static void set_kind(const struct reference *r, json_t *o, const json_t *schema)
{
    static const char *const limits[] = {"minimum", "maximum", "maxLength", "default"};
    const bool list = is_of_type(schema, "array");
    if (list)
        schema = openapi_resolve(r->document, json_object_get(schema, "items"));
    odp_set_str(o, "type", kind_of(schema));
    odp_set_flag(o, "list", list);
    odp_set(o, "options", make_options(r, schema));
    odp_set_flag(o, "has_options", json_array_size(json_object_get(o, "options")) > 0);
    for (size_t i = 0; i < ODP_COUNT(limits); i++)
        set_limit(o, schema, limits[i]);
    if (*odp_text_of(schema, "pattern") != '\0')
        odp_set_str(o, "pattern", odp_text_of(schema, "pattern"));
}

/* ---- fields of a record ---- */

static void collect(const struct reference *r, const json_t *schema, json_t *fields)
{
    const char *name;
    json_t *one;
    size_t i;
    schema = openapi_resolve(r->document, schema);
    json_array_foreach(json_object_get(schema, "allOf"), i, one) collect(r, one, fields);
    json_object_foreach(json_object_get(schema, "properties"), name, one)
        odp_set(fields, name, json_incref(one));
}

static json_t *make_field(const struct reference *r, const char *name, const json_t *schema)
{
    schema = openapi_resolve(r->document, schema);
    /* Its texts are the catalogue's: never markup. */
    json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "name", name, "title", in(r, schema, "title"), "about",
                          in(r, schema, "description"), "nullable",
                          (int)(is_of_type(schema, "null") || json_object_get(schema, "oneOf") != NULL));
    set_kind(r, o, schema);
    return o;
}

/* The schema of the records that OPERATION answers with, or NULL. */
static const json_t *record_of(const struct reference *r, const json_t *operation)
{
    const json_t *answer =
        openapi_resolve(r->document, json_object_get(json_object_get(operation, "responses"), "200"));
    const json_t *schema =
        json_object_get(json_object_get(json_object_get(answer, "content"), "application/json"), "schema");
    schema = openapi_resolve(r->document, schema);
    const json_t *items =
        json_object_get(json_object_get(json_object_get(schema, "properties"), "data"), "items");
    return openapi_resolve(r->document, items);
}

/* What is named like a table and is one: "/v1/kumuh/id/{key}" of "/v1/kumuh"; in A. */
static const char *table_of(const char *path, struct odp_arena *a)
{
    static const char *const ends[] = {"/search", "/id/{key}", ".json"};
    for (size_t i = 0; i < ODP_COUNT(ends); i++)
        if (openapi_ends(path, ends[i]))
            return odp_arena_printf(a, "%.*s", (int)(strlen(path) - strlen(ends[i])), path);
    return path;
}

static json_t *make_table(struct reference *r, const char *path, const json_t *operation, const char *record)
{
    const json_t *schema = record_of(r, operation);
    json_t *all = json_object(), *fields = json_array(), *one;
    const char *name, *title = in(r, schema, "title");
    collect(r, schema, all);
    json_object_foreach(all, name, one) odp_add(fields, make_field(r, name, one));
    json_t *table = json_pack("{s:s, s:s, s:o, s:s}", "id", path + strspn(path, "/"), "heading",
                              *title != '\0' ? title : path, "fields", fields, "record",
                              docs_json_lines(odp_slice_of(record), 1, r->a));
    json_decref(all);
    return table;
}

/* ---- parameters ---- */

static json_t *make_parameter(const struct reference *r, const json_t *parameter)
{
    json_t *o = json_pack("{s:s, s:b}", "name", odp_text_of(parameter, "name"), "required",
                          (int)json_is_true(json_object_get(parameter, "required")));
    set_prose(r, o, "about", in(r, parameter, "description"), false);
    set_kind(r, o, openapi_resolve(r->document, json_object_get(parameter, "schema")));
    return o;
}

/* Parameters that the page has not told yet, names of those that it has, and how many are columns. */
static void set_parameters(struct reference *r, json_t *o, const json_t *operation)
{
    json_t *fresh = json_array(), *told = json_array();
    const json_t *given;
    size_t i, columns = 0;
    json_array_foreach(json_object_get(operation, "parameters"), i, given)
    {
        const char *ref = odp_text_of(given, "$ref"), *component = strrchr(ref, '/');
        const json_t *parameter = openapi_resolve(r->document, given);
        if (component != NULL && strchr(component, '.') != NULL) {
            columns++;
        } else if (component != NULL && json_object_get(r->told, ref) != NULL) {
            odp_add(told, json_pack("{s:s}", "name", odp_text_of(parameter, "name")));
        } else {
            odp_add(fresh, make_parameter(r, parameter));
            if (component != NULL)
                odp_set_flag(r->told, ref, true);
        }
    }
    odp_set_flag(o, "has_parameters", json_array_size(fresh) > 0);
    odp_set_flag(o, "has_told", json_array_size(told) > 0);
    odp_set_flag(o, "has_columns", columns > 0);
    odp_set(o, "parameters", fresh);
    odp_set(o, "told", told);
}

/* Members of a body of JSON. */
static void set_body(struct reference *r, json_t *o, const json_t *operation)
{
    const json_t *content = json_object_get(json_object_get(operation, "requestBody"), "content"),
                 *schema = openapi_resolve(
                     r->document, json_object_get(json_object_get(content, "application/json"), "schema"));
    json_t *list = json_array(), *member;
    const char *name;
    json_object_foreach(json_object_get(schema, "properties"), name, member)
    {
        json_t *one = json_pack("{s:s}", "name", name);
        member = (json_t *)openapi_resolve(r->document, member);
        set_prose(r, one, "about", in(r, member, "description"), false);
        odp_add(list, one);
    }
    odp_set_flag(o, "has_body", json_array_size(list) > 0);
    set_prose(r, o, "body_about", in(r, schema, "description"), true);
    odp_set(o, "body", list);
}

/* ---- the example ---- */

static const char *percent(const struct reference *r, const char *s)
{
    struct odp_buffer out = {0};
    odp_text_percent(&out, odp_slice_of(s));
    return odp_buffer_keep(&out, r->a);
}

/* The name and value of a column that is a parameter of OPERATION and that RECORD has: a category best. */
static const char *filter_of(const struct reference *r, const json_t *operation, const json_t *record,
                             const char **value)
{
    enum { LONGEST = 40 };
    const json_t *given;
    const char *best = NULL;
    int worth = 0;
    size_t i;
    json_array_foreach(json_object_get(operation, "parameters"), i, given)
    {
        const json_t *parameter = openapi_resolve(r->document, given),
                     *schema = json_object_get(parameter, "schema");
        const char *name = odp_text_of(parameter, "name"), *text = odp_text_of(record, name),
                   *dot = strchr(odp_text_of(given, "$ref"), '.');
        int is = json_object_get(schema, "enum") != NULL ? 3 : best == NULL ? 1 : 2;
        if (dot == NULL || *text == '\0' || strlen(text) > LONGEST || strchr(text, ',') != NULL ||
            is <= worth)
            continue;
        best = name;
        worth = is;
        *value = text;
    }
    return best;
}

/* The primary key of RECORD as a part of an address; NULL: the document does not name it. Its description
 * has the names between backticks. */
static const char *key_of(const struct reference *r, const json_t *operation, const json_t *record)
{
    const char *text = odp_text_of(operation, "description"), *key = NULL, *end = strstr(text, "\n\n");
    for (const char *at = strchr(text, '`'); at != NULL && (end == NULL || at < end);) {
        size_t n = strcspn(at + 1, "`");
        const char *name = odp_arena_printf(r->a, "%.*s", (int)n, at + 1);
        const json_t *value = json_object_get(record, name);
        const char *part = json_is_integer(value)
                               ? odp_arena_printf(r->a, "%" JSON_INTEGER_FORMAT, json_integer_value(value))
                               : json_string_value(value);
        if (part == NULL || strpbrk(part, ",%") != NULL)
            return NULL;
        key = key != NULL ? odp_arena_printf(r->a, "%s,%s", key, percent(r, part)) : percent(r, part);
        at = at[n + 1] == '`' ? strchr(at + n + 2, '`') : NULL;
    }
    return key;
}

/* What is asked, as the page's scripts make programs of it (templates/portal/assets/js/lib/code.js). */
static void set_request(const struct reference *r, json_t *o, const char *path, json_t *query,
                        const char *body)
{
    struct odp_buffer text = {0};
    const char *fragment = path;
    const json_t *one;
    json_t *quoted = json_array();
    size_t i;
    json_t *request =
        json_pack("{s:s, s:s, s:o, s:s?, s:b}", "method", odp_text_of(o, "method"), "path", path, "query",
                  query, "body", body, "isPublic", (int)json_is_true(json_object_get(o, "public")));
    if (odp_doc_print(&text, request, ODP_DOC_LINE) == ODP_OK)
        odp_set_str(o, "request", odp_buffer_cstr(&text));
    json_array_foreach(query, i, one)
    {
        const char *name = odp_text_of(one, "name"), *value = odp_text_of(one, "value");
        odp_add(quoted, docs_sh(odp_arena_printf(r->a, "%s=%s", name, value)));
        fragment = odp_arena_printf(r->a, "%s%c%s=%s", fragment, i == 0 ? '?' : '&', percent(r, name),
                                    percent(r, value));
    }
    odp_set_str(o, "address", path + 1);
    odp_set_str(o, "fragment", fragment);
    odp_set(o, "query", quoted);
    if (body != NULL)
        odp_set(o, "sent", docs_sh(body));
    json_decref(request);
    odp_buffer_release(&text);
}

/* "name = 'value'" of CQL2, in JSON. */
static const char *search_body(const struct reference *r, const char *name, const char *value)
{
    json_t *body =
        name != NULL ? json_pack("{s:s, s:i}", name, value, "limit", 1) : json_pack("{s:i}", "limit", 1);
    struct odp_buffer text = {0};
    const char *made = "{}";
    if (odp_doc_print(&text, body, JSON_REAL_PRECISION(15)) == ODP_OK)
        made = odp_buffer_keep(&text, r->a);
    odp_buffer_release(&text);
    json_decref(body);
    return made;
}

static json_t *name_value(const char *name, const char *value)
{
    return json_pack("{s:s, s:s}", "name", name, "value", value);
}

static void set_example(struct reference *r, json_t *o, const json_t *operation, const json_t *search,
                        const char *record)
{
    const char *path = odp_text_of(o, "path"), *method = odp_text_of(o, "method"), *value = NULL,
               *table = table_of(path, r->a);
    const json_t *parsed = json_object_get(r->records, table);
    const bool finds = openapi_ends(path, "/search"), one = openapi_ends(path, "/id/{key}");
    json_t *query = json_array();
    if (finds && record != NULL) {
        const char *name = filter_of(r, search, parsed, &value);
        const bool posts = strcmp(method, "POST") == 0;
        if (name != NULL && !posts)
            odp_add(query, name_value(name, value));
        if (!posts)
            odp_add(query, name_value("limit", "1"));
        set_request(r, o, path, query, posts ? search_body(r, name, value) : NULL);
        odp_set_str(o, "answer", docs_answer_of(record, r->a));
    } else if (one && record != NULL && key_of(r, operation, parsed) != NULL) {
        set_request(r, o, odp_arena_printf(r->a, "%s/id/%s", table, key_of(r, operation, parsed)), query,
                    NULL);
        odp_set_str(o, "answer", docs_answer_of(record, r->a));
    } else if (strchr(path, '{') == NULL && strcmp(method, "GET") == 0) {
        const char *staged =
            odp_arena_printf(r->a, "%s%s", path + 1, openapi_ends(path, ".json") ? "" : ".json");
        const char *answer = docs_answer(r->p, staged, r->a);
        set_request(r, o, path, query, NULL);
        if (answer != NULL)
            odp_set_str(o, "answer", answer);
    } else {
        json_decref(query);
    }
}

/* ---- one operation ---- */

static json_t *make_errors(const struct reference *r, const json_t *operation)
{
    json_t *list = json_array(), *answer, *example;
    const char *status, *code;
    json_object_foreach(json_object_get(operation, "responses"), status, answer)
    {
        if (status[0] != '4' && status[0] != '5')
            continue;
        json_t *codes = json_array();
        const json_t *whole = openapi_resolve(r->document, answer),
                     *content = json_object_get(whole, "content");
        json_object_foreach(json_object_get(json_object_get(content, "application/problem+json"), "examples"),
                            code, example) odp_add(codes, json_string(code));
        odp_add(list, json_pack("{s:s, s:s, s:o}", "status", status, "title", in(r, whole, "description"),
                                "codes", codes));
    }
    return list;
}

static json_t *make_operation(struct reference *r, const json_t *of, const json_t *search, const char *record)
{
    const json_t *operation = json_object_get(of, "operation");
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "id", odp_text_of(operation, "operationId"),
                          "method", odp_text_of(of, "method"), "path", odp_text_of(of, "path"), "summary",
                          openapi_summary(operation, r->title, r->lang, r->a), "public",
                          (int)openapi_is_public(operation), "errors", make_errors(r, operation));
    set_prose(r, o, "about", in(r, operation, "description"), true);
    set_parameters(r, o, operation);
    set_body(r, o, operation);
    set_example(r, o, operation, search, record);
    return o;
}

/* ---- one page ---- */

/* The first record of the table that PATH is of, parsed once. */
static const char *record_of_path(struct reference *r, const char *path)
{
    const char *table = table_of(path, r->a),
               *record = docs_first_record(r->p, odp_arena_printf(r->a, "%s.json", table + 1), r->a);
    if (record != NULL && json_object_get(r->records, table) == NULL) {
        json_t *parsed = odp_json_load(record, strlen(record), 0, NULL);
        odp_set(r->records, table, parsed != NULL ? parsed : json_object());
    }
    return record;
}

static json_t *make_page(struct reference *r)
{
    json_t *list = json_array(), *tables = json_array();
    const json_t *operations = openapi_operations(r->document, r->slug), *search = NULL, *one;
    size_t i, k;
    json_array_foreach(operations, i, one)
    {
        const char *path = odp_text_of(one, "path"), *record = record_of_path(r, path);
        const json_t *operation = json_object_get(one, "operation"), *other;
        if (record != NULL && i + 1 < json_array_size(operations) && strchr(path, '.') == NULL &&
            strcmp(table_of(path, r->a), path) == 0 && !openapi_ends(path, "/versions"))
            odp_add(tables, make_table(r, path, operation, record));
        json_array_foreach(operations, k, other) if (strcmp(odp_text_of(other, "path"), path) == 0 &&
                                                     strcmp(odp_text_of(other, "method"), "GET") == 0)
            search = json_object_get(other, "operation");
        odp_add(list, make_operation(r, one, search, record));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "slug", r->slug, "title", r->title, "about",
                     odp_model_in(r->entry, "description", r->lang), "page",
                     odp_path_dataset(r->slug, r->lang, r->a), "tables", tables, "operations", list);
}

const char *docs_api_path(struct portal *p, const char *slug, enum odp_lang lang)
{
    return portal_printf(p, "%s%s.html", odp_path(ODP_PATH_docs_api_dir, lang), slug);
}

json_t *docs_api_list(struct portal *p, enum odp_lang lang, bool lists)
{
    json_t *list = json_array();
    const json_t *entry;
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
    {
        const char *slug = odp_text_of(entry, "slug");
        if (odp_model_is_list(entry) == lists)
            odp_add(list,
                    json_pack("{s:s, s:o, s:s, s:b}", "slug", slug, "title", odp_model_both(entry, "title"),
                              "href", docs_api_path(p, slug, lang), "current", 0));
    }
    return list;
}

/* Marks SLUG among the links of ALL. Where they are many, DATA, a page of ALL, has that one alone: a page for
 * each with a link to each would be a site that grows with the square of the catalogue. */
static void mark_current(json_t *all, json_t *data, const char *slug)
{
    static const char *const kinds[] = {"datasets", "lists", "libraries"};
    enum { MANY = 60 };
    json_t *one;
    size_t i;
    for (size_t k = 0; k < 3; k++) {
        json_t *list = json_object_get(all, kinds[k]), *mine = json_array();
        json_array_foreach(list, i, one)
        {
            bool current = strcmp(odp_text_of(one, "slug"), slug) == 0;
            odp_set_flag(one, "current", current);
            if (current)
                odp_add(mine, json_incref(one));
        }
        if (json_array_size(list) > MANY)
            odp_set(data, kinds[k], json_incref(mine));
        json_decref(mine);
    }
}

static void make_reference(struct portal *p, const json_t *document, const json_t *entry, enum odp_lang lang,
                           json_t *all)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    struct reference r = {p,
                          document,
                          entry,
                          lang,
                          odp_text_of(entry, "slug"),
                          odp_model_in(entry, "title", lang),
                          json_object(),
                          json_object(),
                          &arena};
    struct portal_head head = {
        .page = "docs-api",
        .nav = "docs",
        .title = odp_arena_printf(&arena, "%s: %s", portal_word(p, "docs_api", lang), r.title),
        .description = odp_model_in(entry, "description", lang),
        .path = {docs_api_path(p, r.slug, ODP_LANG_ID), docs_api_path(p, r.slug, ODP_LANG_EN)},
        .dataset = r.slug};
    json_t *data = json_copy(all);
    mark_current(all, data, r.slug);
    odp_set(data, "here", json_pack("{s:b}", "api", 1));
    odp_set(data, "api", make_page(&r));
    portal_put(p, lang, &head, data);
    json_decref(r.told);
    json_decref(r.records);
    odp_arena_release(&arena);
}

/* The page of ENTRY is a part of what the document has of it, and of COMMON, digests of what all pages have
 * in common: ALL, and what the document has of no dataset. */
static void put_reference(struct portal *p, const json_t *entry, enum odp_lang lang, json_t *all,
                          const char *common)
{
    static const char *const kinds[] = {[ODP_LANG_ID] = "docs", [ODP_LANG_EN] = "docs.en"};
    const struct odp_site_job *whole = p->job;
    const char *slug = odp_text_of(entry, "slug");
    char own[ODP_SHA256_HEX];
    odp_digest_hex(odp_api_openapi_digest(p->api, slug), own);
    json_t *more = json_pack("{s:s, s:s}", "common", common, "own", own);
    p->status = odp_among_begin(whole, kinds[lang], entry, more);
    if (p->status == ODP_OK) {
        const json_t *document = openapi_document(p, slug);
        p->job = odp_among_job(whole);
        make_reference(p, document, entry, lang, all);
        p->job = whole;
        p->status = odp_part_end(whole->stage, p->status);
    }
    p->status = p->status == ODP_DONE ? ODP_OK : p->status;
    json_decref(more);
}

void docs_put_api(struct portal *p, enum odp_lang lang, json_t *all)
{
    const json_t *entry;
    struct odp_buffer text = {0};
    uint8_t digest[ODP_SHA256_SIZE];
    char common[ODP_SHA256_HEX] = "";
    size_t i;
    odp_doc_key(&text, all);
    odp_buffer_add(&text, odp_api_openapi_digest(p->api, NULL), ODP_SHA256_SIZE);
    if (p->status == ODP_OK)
        p->status = odp_buffer_status(&text);
    if (p->status == ODP_OK)
        p->status = odp_digest_of(text.ptr, text.len, digest);
    if (p->status == ODP_OK)
        odp_digest_hex(digest, common);
    odp_buffer_release(&text);
    json_array_foreach(p->job->entries, i, entry) if (p->status == ODP_OK)
        put_reference(p, entry, lang, all, common);
}
