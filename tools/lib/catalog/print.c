/* odp:print: how the printed document sets the records. */
#include "catalog/catalog_internal.h"

#define RECORDS_MAX     100000
#define RECORDS_DEFAULT 10000

static void read_heading(struct node n, const struct odp_schema *s, struct odp_key *key)
{
    if (n.json == NULL)
        return;
    if (!key_read(n, s, key))
        key->n = 0;
    for (uint32_t i = 0; i < key->n; i++)
        if (!s->fields[key->fields[i]].is_public) {
            node_fault(n, ODP_C16, "heading", "sdi:aksesPublik");
            return;
        }
}

/* What names a record where nothing is said: the key, if readers may see it. */
static bool has_public_key(const struct odp_schema *s)
{
    for (uint32_t i = 0; i < s->primary.n; i++)
        if (!s->fields[s->primary.fields[i]].is_public)
            return false;
    return s->primary.n > 0;
}

static void read_entries(struct node n, const struct odp_schema *s, struct odp_print_spec *p)
{
    static const char *const keys[] = {"heading", "title", "status", "group", NULL};
    if (p->layout != ODP_PRINT_ENTRIES) {
        for (size_t i = 0; keys[i] != NULL; i++)
            if (node_get(n, keys[i]).json != NULL)
                node_fault_key(node_get(n, keys[i]), ODP_C11, keys[i], "\"layout\": \"entries\"");
        return;
    }
    read_heading(node_get(n, "heading"), s, &p->heading);
    p->title = public_field_read(node_get(n, "title"), s);
    p->status = public_field_read(node_get(n, "status"), s);
    p->group = public_field_read(node_get(n, "group"), s);
    if (!has_public_key(s))
        (void)node_need(n, "heading", "[fields.name]");
}

void print_read(struct node resource, const struct entry *e, struct odp_resource *r)
{
    static const char *const known[] = {"layout", "heading", "title", "status", "group", "records", NULL};
    static const char *const layouts[] = {"table", "entries", NULL};
    struct node n = node_inherited(resource, "odp:print", r->primary);
    r->print = (struct odp_print_spec){.title = -1, .status = -1, .group = -1, .records = RECORDS_DEFAULT};
    if (!node_is_object(n))
        return;
    if (e->dataset.reference) { /* code lists are not published */
        node_fault_key(n, ODP_C11, "odp:print", "dataset");
        return;
    }
    node_known(n, known, true);
    struct node layout = node_get(n, "layout");
    int choice = node_choice(layout, layouts);
    r->print.layout = choice == 1 ? ODP_PRINT_ENTRIES : ODP_PRINT_TABLE;
    (void)node_int(node_get(n, "records"), 1, RECORDS_MAX, &r->print.records);
    if (r->schema.n > 0 && (choice >= 0 || layout.json == NULL))
        read_entries(n, &r->schema, &r->print);
}
