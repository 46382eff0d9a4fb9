/* odp:document: fields whose values name PDF files of the steward. A value as published differs from the one
 * in the source (it holds a digest of the file), so whatever would compare or restrict the value is refused.
 */
#include "base/file.h"
#include "catalog/catalog_internal.h"

#define FOLDER_MAX 100

/* Folders of a version that are the compiler's. */
static const char *const taken[] = {"charts", "slices", NULL};

/* Plain segments: they become part of an address as they are, and without a dot none can be a file of the
 * version. */
static bool folder_ok(const char *folder)
{
    size_t len = strlen(folder);
    if (len > FOLDER_MAX || strspn(folder, "abcdefghijklmnopqrstuvwxyz0123456789-_/") != len)
        return false;
    for (const char *p = folder; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        if (*p == '-' || *p == '_')
            return false;
    }
    for (size_t i = 0; taken[i] != NULL; i++)
        if (strcmp(odp_path_last(folder), taken[i]) == 0)
            return false;
    return true;
}

static const char *read_folder(struct node n)
{
    const char *folder = node_string(n);
    if (folder == NULL)
        return NULL;
    if (!odp_path_is_safe(folder))
        node_fault(n, ODP_C13, NULL, NULL);
    else if (!folder_ok(folder))
        node_fault(n, ODP_C06, folder, "'-', '_', '/'");
    else
        return folder;
    return NULL;
}

static int read_pages(struct node n, const struct odp_schema *s)
{
    const char *name = node_string(n);
    int field = name != NULL ? odp_schema_find(s, odp_slice_of(name)) : -1;
    if (name != NULL && field < 0)
        schema_unknown_field(n, s, odp_slice_of(name));
    else if (field >= 0 && s->fields[field].type != ODP_TYPE_INTEGER) {
        field_misfit(n, &s->fields[field], "integer");
        return -1;
    }
    return field;
}

/* Constraints and lists of values are published: users would hold them against the published value. */
static void check_constraints(struct node field, struct node n)
{
    static const char *const others[] = {"pattern", "enum", "minLength", "maxLength", "jsonSchema", NULL};
    struct node constraints = node_get(field, "constraints");
    for (size_t i = 0; others[i] != NULL; i++)
        if (node_get(constraints, others[i]).json != NULL)
            node_fault_key(n, ODP_C16, "odp:document", others[i]);
    if (node_get(field, "categories").json != NULL)
        node_fault_key(n, ODP_C16, "odp:document", "categories");
}

static void read_document(struct node field, struct node n, const struct odp_schema *s, struct odp_field *f)
{
    static const struct key keys[] = {{"folder", .need = "string"}, KNOWN("pages")};
    struct odp_document_spec *spec = doc_zero(n.doc, 1, sizeof *spec);
    spec->pages = -1;
    if (json_is_string(n.json))
        spec->folder = read_folder(n);
    else if (json_is_object(n.json)) {
        (void)object_read(n, &TABLE(keys), spec);
        spec->folder = read_folder(node_get(n, "folder"));
        spec->pages = read_pages(node_get(n, "pages"), s);
    } else
        node_fault(n, ODP_C04, NULL, "string, {\"folder\", \"pages\"}");
    if (f->type != ODP_TYPE_STRING && node_misplaced(n, "string"))
        return;
    if (f->string_format != ODP_STRING_DEFAULT)
        node_fault_key(n, ODP_C16, "odp:document", "format");
    if (!f->is_public) /* its files would be public */
        node_fault_key(n, ODP_C16, "odp:document", "sdi:aksesPublik");
    if (strncmp(n.doc->slug, "documents", 9) == 0 && (n.doc->slug[9] == '\0' || n.doc->slug[9] == '-'))
        node_fault_key(n, ODP_C16, "odp:document",
                       "name"); /* a version has documents.json, documents-<resource>.json */
    if (odp_key_has(&s->primary, (uint32_t)(f - s->fields)))
        node_fault_key(n, ODP_C16, "odp:document", "primaryKey");
    check_constraints(field, n);
    if (spec->folder != NULL)
        f->document = spec;
}

void documents_read(struct node fields, struct odp_schema *s)
{
    struct odp_field *f;
    for (struct field_iter it = fields_iterate(fields, s); (f = field_next(&it)) != NULL;) {
        struct node n = node_get(it.at.item, "odp:document");
        if (n.json != NULL)
            read_document(it.at.item, n, s, f);
    }
}
