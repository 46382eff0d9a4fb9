/* `schema` of a resource (Table Schema v2): its fields, and the keys within it. */
#include "catalog/catalog_internal.h"

static int by_name(const void *a, const void *b)
{
    const struct odp_field *x = *(struct odp_field *const *)a, *y = *(struct odp_field *const *)b;
    int c = strcmp(x->name, y->name);
    return c != 0 ? c : (x > y) - (x < y);
}

static int by_source_name(const void *a, const void *b)
{
    const struct odp_field *x = *(struct odp_field *const *)a, *y = *(struct odp_field *const *)b;
    int c = strcmp(x->source_name, y->source_name);
    return c != 0 ? c : (x > y) - (x < y);
}

static bool names_source(const struct odp_field *f)
{
    return json_object_get(f->json, "odp:sourceName") != NULL;
}

/* Fields are members of a record, and columns of the source: names of both kinds must be different; but for
 * columns of one label, whose fields all say odp:sourceName. */
static void check_names(struct node fields, const struct odp_schema *s)
{
    struct odp_field **sorted = doc_zero(fields.doc, s->n, sizeof *sorted);
    bool *repeated = doc_zero(fields.doc, s->n, sizeof *repeated),
         *column = doc_zero(fields.doc, s->n, sizeof *column);
    for (uint32_t i = 0; i < s->n; i++)
        sorted[i] = &s->fields[i];
    qsort(sorted, s->n, sizeof(struct odp_field *), by_name);
    for (uint32_t i = 1; i < s->n; i++)
        repeated[sorted[i] - s->fields] = strcmp(sorted[i - 1]->name, sorted[i]->name) == 0;
    qsort(sorted, s->n, sizeof(struct odp_field *), by_source_name);
    for (uint32_t i = 1; i < s->n; i++)
        column[sorted[i] - s->fields] = strcmp(sorted[i - 1]->source_name, sorted[i]->source_name) == 0 &&
                                        !(names_source(sorted[i - 1]) && names_source(sorted[i]));
    uint32_t f =
        0; /* the schema's fields are the list's, in its order, without those that were not understood */
    for (struct node_iter it = node_iterate(fields); node_next(&it);) {
        if (f == s->n || it.item.json != s->fields[f].json)
            continue;
        struct node name = node_get(it.item, "name"), ours = node_get(it.item, "odp:sourceName");
        if (repeated[f])
            node_fault(name, ODP_C08, s->fields[f].name, NULL);
        else if (column[f])
            node_fault(ours.json != NULL ? ours : name, ODP_C08, s->fields[f].source_name, NULL);
        f++;
    }
}

static void read_fields(struct node n, struct odp_schema *s)
{
    struct node missing = node_get(n, "missingValues"), fields = node_get(n, "fields");
    struct odp_strings empty = {0};
    if (missing.json != NULL) {
        empty = missing_values_read(missing);
    } else {
        empty = (struct odp_strings){doc_zero(n.doc, 1, sizeof *empty.item), 1};
        empty.item[0] = ODP_LIT("");
    }
    if (!list_fits(fields, 1, 0))
        return;
    s->fields = doc_zero(n.doc, json_array_size(fields.json), sizeof *s->fields);
    for (struct node_iter it = node_iterate(fields); node_next(&it);) {
        if (!node_is_object(it.item))
            continue;
        struct node name = node_need(it.item, "name", "string");
        const char *text = node_string(name);
        if (text == NULL)
            continue;
        struct odp_field *f = &s->fields[s->n++];
        f->name = n.doc->field = text;
        if (*text == '\0')
            node_fault(name, ODP_C04, NULL, "string ≥ 1");
        field_read(it.item, &empty, f);
        n.doc->field = NULL;
    }
    check_names(fields, s);
    schema_lifecycle_check(fields, s);
}

/* One of uniqueKeys: a list of names, or one. */
static bool unique_key_read(struct node n, void *into)
{
    return key_read(n, n.doc->schema, into);
}

void schema_read(struct node n, struct odp_schema *s)
{
    static const struct list unique = {sizeof(struct odp_key), AT(odp_schema, nunique),
                                       .read = unique_key_read};
    static const struct key keys[] = {
        KNOWN("$schema"),    {"fields", .need = "[{…}]"}, KNOWN("fieldsMatch"), KNOWN("missingValues"),
        KNOWN("primaryKey"), KNOWN("uniqueKeys"),         KNOWN("foreignKeys"), KNOWN("name"),
        KNOWN("title"),      KNOWN("description")};
    static const char *const matches[] = {"exact", "equal", "subset", "superset", "partial", NULL};
    s->json = n.json;
    if (!object_read(n, &OPEN_TABLE(keys), s))
        return;
    read_fields(n, s);
    struct node match = node_get(n, "fieldsMatch"), primary = node_get(n, "primaryKey");
    if (json_is_array(match.json) &&
        json_array_size(match.json) == 1) { /* the published profile wants an array of one */
        struct node_iter it = node_iterate(match);
        node_next(&it);
        match = it.item;
    }
    int choice = node_choice(match, matches);
    s->match = choice > 0 ? (enum odp_fields_match)choice : ODP_MATCH_EXACT;
    if (s->n == 0)
        return; /* reported; keys could only be reported again */
    if (primary.json != NULL && !key_read(primary, s, &s->primary))
        s->primary.n = 0;
    n.doc->schema = s;
    s->unique = list_read(node_get(n, "uniqueKeys"), &unique, &s->nunique);
}
