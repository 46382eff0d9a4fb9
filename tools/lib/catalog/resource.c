/* One resource of a package: its file, and everything that stands at it. */
#include "catalog/catalog_internal.h"

#include "base/file.h"

enum { FIELDS_MAX = 1848 }; /* with 50 queryables and what is ours a query index has 1,900 columns: write/index/index_internal.h */

static const char *const properties[] = {"$schema",
                                         "name",
                                         "path",
                                         "data",
                                         "type",
                                         "title",
                                         "description",
                                         "homepage",
                                         "format",
                                         "mediatype",
                                         "encoding",
                                         "bytes",
                                         "hash",
                                         "sources",
                                         "licenses",
                                         "dialect",
                                         "schema",
                                         "profile",
                                         "odp:title",
                                         "odp:description",
                                         "odp:geometry",
                                         "odp:crsOperation",
                                         "odp:csvGeometry",
                                         "odp:apiGeometry",
                                         "odp:foreignKeys",
                                         "odp:rules",
                                         "odp:severity",
                                         "odp:index",
                                         "odp:datetime",
                                         "odp:queryables",
                                         "odp:timeline",
                                         "odp:charts",
                                         "odp:print",
                                         "odp:slices",
                                         "odp:drift",
                                         "odp:editionDate",
                                         "odp:note",
                                         "odp:deprecated",
                                         "odp:sunset",
                                         "odp:replacedBy",
                                         NULL};

/* One odp:rules entry into R->rules; an entry without code or expression is reported and left out. */
static void read_rule(struct node n, struct odp_resource *r)
{
    static const char *const known[] = {"code", "expr", "message", "severity", NULL};
    static const char *const words[] = {"off", "note", "warning", "error", NULL};
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct node code = node_need(n, "code", "string"), expr = node_need(n, "expr", "CQL2"),
                message = node_need(n, "message", "{\"id\", \"en\"}");
    struct odp_rule rule = {
        .code = node_string(code), .severity = ODP_SEVERITY_ERROR, .file = n.doc->file, .where = node_where(n)};
    if (r->severity != NULL && r->severity[ODP_L01] >= 0)
        rule.severity = (enum odp_severity)r->severity[ODP_L01];
    const char *text = node_string(expr);
    node_text(message, &rule.message);
    int severity = node_choice(node_get(n, "severity"), words);
    if (severity >= 0)
        rule.severity = (enum odp_severity)severity;
    if (rule.code == NULL || !name_check(code, rule.code, false) || text == NULL)
        return;
    for (size_t i = 0; i < r->nrules; i++)
        if (strcmp(r->rules[i].code, rule.code) == 0) {
            node_fault(code, ODP_C08, rule.code, NULL);
            return;
        }
    const struct place *place = &n.doc->places[expr.place];
    rule.expr = odp_slice_of(text);
    rule.line = place->line;
    rule.column = place->column + 1; /* behind the quote */
    r->rules[r->nrules++] = rule;
}

void rules_read(struct node n, struct odp_resource *r)
{
    if (!node_is_array(n))
        return;
    if (json_array_size(n.json) > 1000) {
        node_fault(n, ODP_C04, NULL, "[…] ≤ 1000");
        return;
    }
    r->rules = doc_zero(n.doc, json_array_size(n.json), sizeof *r->rules);
    for (struct node_iter it = node_iterate(n); r->rules != NULL && node_next(&it);)
        read_rule(it.item, r);
}

/* Local side and shape of the entries; the target waits in E until every descriptor has been read. */
static void read_keys(struct node n, bool across, struct entry *e, struct odp_resource *r)
{
    static const char *const known[] = {"fields", "reference", NULL};
    if (!node_is_array(n))
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        if (!node_is_object(it.item))
            continue;
        node_known(it.item, known, false);
        struct node fields = node_need(it.item, "fields", "[string]"), reference = node_need(it.item, "reference", "{…}");
        struct pending_key *key = doc_zero(n.doc, 1, sizeof *key);
        if (key == NULL || r->schema.n == 0)
            return;
        *key = (struct pending_key){.key = it.item, .across = across, .resource = r, .where = node_where(it.item)};
        bool ok = fields.json != NULL && key_read(fields, &r->schema, &key->local);
        if (!ok || !node_is_object(reference))
            continue;
        if (e->last != NULL)
            e->last->next = key;
        else
            e->keys = key;
        e->last = key;
        r->nforeign++; /* room; counted again when resolved */
    }
}

static void read_path(struct node n, struct odp_resource *r)
{
    struct node path = node_need(n, "path", "string");
    r->path = node_string(path);
    if (r->path != NULL && (!odp_path_is_safe(r->path) || strstr(r->path, "://") != NULL))
        node_fault(path, ODP_C13, NULL, NULL);
    if (r->path == NULL)
        r->path = "";
}

/* "sha256:<hex>", "md5:…", or bare hexadecimal digits (MD5). */
static void read_hash(struct node n, struct odp_resource *r)
{
    r->hash = node_string(n);
    if (r->hash == NULL)
        return;
    const char *digits = strchr(r->hash, ':');
    digits = digits != NULL ? digits + 1 : r->hash;
    size_t len = strspn(digits, "0123456789abcdefABCDEF");
    if (len < 32 || digits[len] != '\0')
        node_fault(n, ODP_C05, NULL, "sha256:…");
}

static void read_file(struct node n, struct odp_resource *r)
{
    static const char *const table[] = {"table", NULL};
    node_choice(node_get(n, "type"), table);
    read_path(n, r);
    struct node encoding = node_get(n, "encoding");
    r->encoding = node_string(encoding);
    r->encoding_declared = r->encoding != NULL;
    if (r->encoding == NULL || *r->encoding == '\0')
        r->encoding = "utf-8";
    r->format = node_string(node_get(n, "format"));
    node_string(node_get(n, "mediatype"));
    r->bytes = -1;
    if (!node_int(node_get(n, "bytes"), 0, INT64_MAX, &r->bytes))
        r->bytes = -1;
    read_hash(node_get(n, "hash"), r);
    dialect_read(node_get(n, "dialect"), &r->dialect);
}

void resource_read(struct node n, const struct odp_portal *portal, struct entry *e, struct odp_resource *r)
{
    const signed char *before = n.doc->severity;
    r->json = n.json;
    r->where = node_where(n);
    r->severity = n.doc->severity = severity_read(n, before);
    node_known(n, properties, false);
    addresses_check(n);
    node_bilingual(n, "title", "odp:title", &r->title);
    node_bilingual(n, "description", "odp:description", &r->description);
    r->title_text = odp_text_get(&r->title, ODP_LANG_ID);
    read_file(n, r);
    geometry_read(n, portal, r->path, &r->geometry);
    schema_read(node_need(n, "schema", "{…}"), &r->schema);
    if (r->schema.n > FIELDS_MAX)
        node_fault(node_get(node_get(n, "schema"), "fields"), ODP_C04, NULL, "[…] ≤ 1848");
    geometry_fields_read(n, e, r);
    documents_read(node_get(node_get(n, "schema"), "fields"), e, &r->schema);
    for (uint32_t i = 0; i < r->schema.n; i++)
        r->has_private = r->has_private || !r->schema.fields[i].is_public;
    read_keys(node_get(node_get(n, "schema"), "foreignKeys"), false, e, r);
    read_keys(node_get(n, "odp:foreignKeys"), true, e, r);
    r->foreign = doc_zero(n.doc, r->nforeign, sizeof *r->foreign);
    r->nforeign = 0;
    rules_read(node_get(n, "odp:rules"), r);
    search_read(n, e, r);
    charts_read(n, e, r);
    print_read(n, e, r);
    slices_read(n, r->primary, r);
    resource_lifecycle_read(n, r);
    resource_drift_read(n, &e->dataset, r);
    struct node edition = e->dataset.reference ? node_need(n, "odp:editionDate", "YYYY-MM-DD") : node_get(n, "odp:editionDate");
    r->edition_date = node_date(edition, false);
    struct odp_text ignored;
    node_text(node_get(n, "odp:note"), &ignored);
    n.doc->severity = before;
}
