/* A resource of a package: its file and its properties. */
#include "catalog/catalog_internal.h"

#include "base/file.h"

enum {
    FIELDS_MAX = 1848
}; /* with 50 queryables and our own a query index has 1,900 columns: write/index/index_internal.h */

/* ---- odp:rules ---- */

static bool rule_expr_read(struct node n, void *into)
{
    struct odp_rule *rule = into;
    const struct place *place = &n.doc->places[n.place];
    const char *text = node_string(n);
    if (text == NULL)
        return false;
    rule->expr = odp_slice_of(text);
    rule->line = place->line;
    rule->column = place->column + 1; /* behind the quote */
    return true;
}

static bool rule_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"code", KEY_NAME, .at = AT(odp_rule, code), .need = "string"},
        {"expr", KEY_READ, .need = "CQL2", .read = rule_expr_read},
        {"message", KEY_TEXT, .at = AT(odp_rule, message), .need = "{\"id\", \"en\"}"},
        {"severity", KEY_CHOICE, .at = AT(odp_rule, severity), .choices = severity_words},
    };
    struct odp_rule *rule = into;
    const signed char *overrides = n.doc->severity;
    rule->severity = overrides != NULL && overrides[ODP_L01] >= 0 ? (enum odp_severity)overrides[ODP_L01]
                                                                  : ODP_SEVERITY_ERROR;
    rule->file = n.doc->file;
    rule->where = node_where(n);
    return object_read(n, &TABLE(keys), rule) && rule->code != NULL && rule->expr.ptr != NULL;
}

static const struct list rules = {sizeof(struct odp_rule), AT(odp_resource, nrules), 0, 1000,
                                  .unique = "code",        .read = rule_read};

/* ---- foreign keys ---- */

/* Local side and shape of the entries; the target waits in E until every descriptor has been read. */
static void read_keys(struct node n, bool across, struct entry *e, struct odp_resource *r)
{
    static const struct key keys[] = {{"fields", .need = "[string]"}, {"reference", .need = "{…}"}};
    if (!node_is_array(n))
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        if (!object_read(it.item, &OPEN_TABLE(keys), NULL))
            continue;
        struct node fields = node_get(it.item, "fields"), reference = node_get(it.item, "reference");
        struct pending_key *key = doc_zero(n.doc, 1, sizeof *key);
        if (r->schema.n == 0)
            return;
        *key = (struct pending_key){
            .key = it.item, .across = across, .resource = r, .where = node_where(it.item)};
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

/* ---- the file ---- */

static bool path_read(struct node n, void *into)
{
    const char *path = node_string(n);
    if (path != NULL && (!odp_path_is_safe(path) || strstr(path, "://") != NULL))
        node_fault(n, ODP_C13, NULL, NULL);
    if (path != NULL)
        ((struct odp_resource *)into)->path = path;
    return path != NULL;
}

static bool encoding_read(struct node n, void *into)
{
    struct odp_resource *r = into;
    const char *encoding = node_string(n);
    r->encoding_declared = encoding != NULL;
    if (encoding != NULL && *encoding != '\0')
        r->encoding = encoding;
    return encoding != NULL;
}

/* "sha256:<hex>", "md5:…", or bare hexadecimal digits (MD5). */
static bool hash_read(struct node n, void *into)
{
    struct odp_resource *r = into;
    r->hash = node_string(n);
    if (r->hash == NULL)
        return false;
    const char *digits = strchr(r->hash, ':');
    digits = digits != NULL ? digits + 1 : r->hash;
    size_t len = strspn(digits, "0123456789abcdefABCDEF");
    if (len < 32 || digits[len] != '\0')
        node_fault(n, ODP_C05, NULL, "sha256:…");
    return true;
}

/* ---- the whole ---- */

static const char *const table_only[] = {"table", NULL};
static const struct key keys[] = {
    KNOWN("$schema"),
    KNOWN("name"),
    KNOWN("data"),
    KNOWN("homepage"),
    KNOWN("sources"),
    KNOWN("licenses"),
    KNOWN("dialect"),
    KNOWN("profile"),
    KNOWN("odp:geometry"),
    KNOWN("odp:crsOperation"),
    KNOWN("odp:csvGeometry"),
    KNOWN("odp:apiGeometry"),
    KNOWN("odp:foreignKeys"),
    KNOWN("odp:severity"),
    KNOWN("odp:index"),
    KNOWN("odp:datetime"),
    KNOWN("odp:queryables"),
    KNOWN("odp:timeline"),
    KNOWN("odp:charts"),
    KNOWN("odp:highlights"),
    KNOWN("odp:record"),
    KNOWN("odp:recordOne"),
    KNOWN("odp:print"),
    KNOWN("odp:slices"),
    KNOWN("odp:drift"),
    KNOWN("odp:labels"),
    KNOWN("odp:deprecated"),
    KNOWN("odp:sunset"),
    KNOWN("odp:replacedBy"),
    {"title", KEY_TEXT, .at = AT(odp_resource, title)},
    {"odp:title", KEY_TEXT, .at = AT(odp_resource, title)},
    {"description", KEY_TEXT, .at = AT(odp_resource, description)},
    {"odp:description", KEY_TEXT, .at = AT(odp_resource, description)},
    {"type", KEY_CHOICE, .at = NOWHERE, .choices = table_only},
    {"path", KEY_READ, .need = "string", .read = path_read},
    {"encoding", KEY_READ, .read = encoding_read},
    {"format", KEY_STRING, .at = AT(odp_resource, format)},
    {"mediatype", KEY_STRING, .at = NOWHERE},
    {"bytes", KEY_INT, .at = AT(odp_resource, bytes), .most = INT64_MAX},
    {"hash", KEY_READ, .read = hash_read},
    {"schema", .need = "{…}"},
    {"odp:rules", KEY_LIST, .at = AT(odp_resource, rules), .list = &rules},
    {"odp:editionDate", KEY_DATE, .at = AT(odp_resource, edition_date)},
    {"odp:note", KEY_TEXT, .at = NOWHERE},
};

static void read_schema(struct node n, struct entry *e, struct odp_resource *r)
{
    struct node schema = node_get(n, "schema"), fields = node_get(schema, "fields");
    schema_read(schema, &r->schema);
    if (r->schema.n > FIELDS_MAX)
        list_of_size(fields, "[…] ≤ 1848");
    geometry_fields_read(n, e, r);
    documents_read(fields, &r->schema);
    for (uint32_t i = 0; i < r->schema.n; i++)
        r->has_private = r->has_private || !r->schema.fields[i].is_public;
    read_keys(node_get(schema, "foreignKeys"), false, e, r);
    read_keys(node_get(n, "odp:foreignKeys"), true, e, r);
    r->foreign = doc_zero(n.doc, r->nforeign, sizeof *r->foreign);
    r->nforeign = 0;
}

void resource_read(struct node n, struct entry *e, struct odp_resource *r)
{
    const signed char *before = n.doc->severity;
    r->json = n.json;
    r->where = node_where(n);
    r->path = "";
    r->encoding = "utf-8";
    r->bytes = -1;
    r->severity = n.doc->severity = severity_read(n, before);
    addresses_check(n);
    (void)object_read(n, &OPEN_TABLE(keys), r);
    r->title_text = odp_text_get(&r->title, ODP_LANG_ID);
    dialect_read(node_get(n, "dialect"), &r->dialect);
    geometry_read(n, r->path, &r->geometry);
    read_schema(n, e, r);
    search_read(n, r);
    measures_read(n, e, r);
    charts_read(n, e, r);
    print_read(n, r);
    slices_read(n, r->primary, r);
    labels_read(n, r);
    resource_lifecycle_read(n, r);
    resource_drift_read(n, &e->dataset, r);
    if (e->dataset.reference)
        (void)node_need(n, "odp:editionDate", "YYYY-MM-DD");
    n.doc->severity = before;
}
