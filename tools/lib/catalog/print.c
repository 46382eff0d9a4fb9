/* odp:print: how the printed document sets the records. */
#include "catalog/catalog_internal.h"

enum { RECORDS_MAX = 100000, RECORDS_DEFAULT = 10000 };

/* What names a record by default: the key, if public. */
static bool has_public_key(const struct odp_schema *s)
{
    return s->primary.n > 0 && key_is_public(s, &s->primary);
}

static void read_heading(struct node n, const struct odp_schema *s, struct odp_key *key)
{
    if (n.json != NULL && !key_read(n, s, key))
        key->n = 0;
    if (!key_is_public(s, key))
        node_fault(n, ODP_C16, "heading", "sdi:aksesPublik");
}

static void read_entries(struct node n, const struct odp_schema *s, struct odp_print_spec *p)
{
    static const char *const keys[] = {"heading", "title", "status", "group"};
    for (size_t i = 0; p->layout != ODP_PRINT_ENTRIES && i < ODP_COUNT(keys); i++)
        node_misplaced(node_get(n, keys[i]), "\"layout\": \"entries\"");
    if (p->layout != ODP_PRINT_ENTRIES)
        return;
    read_heading(node_get(n, "heading"), s, &p->heading);
    p->title = public_field_read(node_get(n, "title"), s);
    p->status = public_field_read(node_get(n, "status"), s);
    p->group = public_field_read(node_get(n, "group"), s);
    if (!has_public_key(s))
        (void)node_need(n, "heading", "[fields.name]");
}

void print_read(struct node resource, struct odp_resource *r)
{
    static const char *const layouts[] = {"table", "entries", NULL};
    static const struct key keys[] = {
        {"layout", KEY_CHOICE, .at = AT(odp_print_spec, layout), .choices = layouts},
        KNOWN("heading"),
        KNOWN("title"),
        KNOWN("status"),
        KNOWN("group"),
        {"records", KEY_INT, .at = AT(odp_print_spec, records), .least = 1, .most = RECORDS_MAX},
    };
    struct node n = node_inherited(resource, "odp:print", r->primary);
    r->print = (struct odp_print_spec){.layout = (enum odp_print_layout) - 1,
                                       .title = -1,
                                       .status = -1,
                                       .group = -1,
                                       .records = RECORDS_DEFAULT};
    if (object_read(n, &TABLE(keys), &r->print) && r->schema.n > 0 &&
        ((int)r->print.layout >= 0 || node_get(n, "layout").json == NULL))
        read_entries(n, &r->schema, &r->print);
    if ((int)r->print.layout < 0)
        r->print.layout = ODP_PRINT_TABLE;
}
