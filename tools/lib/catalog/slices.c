/* odp:slices: fields whose values make downloads of their own. */
#include "catalog/catalog_internal.h"

static bool slices_ok(struct node n, const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t i = 0; i < key->n; i++) {
        const struct odp_field *f = &s->fields[key->fields[i]];
        bool text = odp_type_repr(f->type) != ODP_REPR_JSON && !odp_type_is_decimal(f->type);
        if (!f->is_public)
            node_fault(n, ODP_C16, "odp:slices", "sdi:aksesPublik");
        else if (f->document != NULL) /* a value would be another than in the source */
            node_fault(n, ODP_C16, "odp:slices", "odp:document");
        else if (!text)
            node_fault(n, ODP_C15, doc_printf(n.doc, "%s (%s)", f->name, odp_type_name(f->type)),
                       "string, integer, date, year …");
        if (!f->is_public || f->document != NULL || !text)
            return false;
    }
    return true;
}

void slices_read(struct node resource, bool first, struct odp_resource *r)
{
    struct node own = node_get(resource, "odp:slices"),
                of_dataset = node_get(doc_root(resource.doc), "odp:slices");
    struct odp_key key = {0};
    if (r->schema.n == 0)
        return;
    if (own.json != NULL || first) {
        struct node n = own.json != NULL ? own : of_dataset;
        if (!node_is_array(n) || !key_read(n, &r->schema, &key) || !slices_ok(n, &r->schema, &key))
            return;
    } else if (json_is_array(of_dataset.json)) {
        /* The dataset's: checked with its first resource. The others are sliced by those fields that they
         * have. */
        size_t n = json_array_size(of_dataset.json);
        key.fields = doc_zero(resource.doc, n, sizeof *key.fields);
        for (size_t i = 0; i < n; i++) {
            const char *name = json_string_value(json_array_get(of_dataset.json, i));
            int field = name != NULL ? odp_schema_find(&r->schema, odp_slice_of(name)) : -1;
            if (field >= 0 && r->schema.fields[field].is_public && r->schema.fields[field].document == NULL)
                key.fields[key.n++] = (uint32_t)field;
        }
    }
    r->slices = key.n > 0 ? key.fields : NULL;
    r->nslices = key.n;
}
