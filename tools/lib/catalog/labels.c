/* odp:labels. Of a code list, how its codes are named; of a dataset, a resource or a field, whether the names
 * stand beside the codes in its files. */
#include "catalog/catalog_internal.h"

/* ---- a code list's ---- */

/* A public text of one edition at least; the others may have come without it. */
static bool name_read(struct node n, const struct odp_dataset *d, const char **out)
{
    const char *name = node_string(n);
    const struct odp_field *f = NULL;
    for (size_t i = 0; name != NULL && f == NULL && i < d->nresources; i++) {
        int at = odp_schema_find(&d->resources[i].schema, odp_slice_of(name));
        f = at >= 0 ? &d->resources[i].schema.fields[at] : NULL;
    }
    if (f != NULL && f->type != ODP_TYPE_STRING)
        field_misfit(n, f, odp_type_name(ODP_TYPE_STRING));
    else if (f != NULL && !f->is_public)
        node_fault(n, ODP_C16, "odp:labels", "sdi:aksesPublik");
    else if (f != NULL)
        *out = f->name;
    else if (name != NULL && d->nresources > 0)
        schema_unknown_field(n, &d->resources[0].schema, odp_slice_of(name));
    return f != NULL;
}

static bool id_read(struct node n, void *into)
{
    struct odp_dataset *d = into;
    return name_read(n, d, &d->labels.name);
}

static bool en_read(struct node n, void *into)
{
    struct odp_dataset *d = into;
    return name_read(n, d, &d->labels.name_en);
}

static bool keep_read(struct node n, void *into)
{
    ((struct odp_dataset *)into)->labels.keep = node_strings(n, true);
    return true;
}

bool dataset_labels_read(struct node n, void *dataset)
{
    static const char *const cases[] = {
        [ODP_LABELS_AS_WRITTEN] = "written", [ODP_LABELS_TITLE] = "title", NULL};
    static const struct key keys[] = {
        {"name", KEY_READ, .read = id_read},
        {"name_en", KEY_READ, .read = en_read},
        {"case", KEY_CHOICE, .at = AT(odp_dataset, labels.casing), .choices = cases},
        {"keep", KEY_READ, .read = keep_read},
    };
    struct odp_dataset *d = dataset;
    if (d->reference)
        return object_read(n, &TABLE(keys), d);
    (void)node_bool(n, false);
    return true;
}

/* ---- columns beside codes ---- */

void labels_read(struct node resource, struct odp_resource *r)
{
    struct node own = node_get(resource, "odp:labels"), fields = node_get(resource, "schema");
    bool all = node_bool(own, json_is_true(node_get(doc_root(resource.doc), "odp:labels").json));
    struct field_iter it = fields_iterate(node_get(fields, "fields"), &r->schema);
    for (struct odp_field *f = field_next(&it); f != NULL; f = field_next(&it))
        f->labelled = node_bool(node_get(it.at.item, "odp:labels"), all);
}

/* Targets have no dataset yet. */
static bool has_names(const struct odp_resource *r, const struct odp_field *f)
{
    const uint32_t field = (uint32_t)(f - r->schema.fields);
    for (size_t i = 0; i < f->ncategories; i++)
        if (!odp_text_is_empty(&f->categories[i].label))
            return true;
    for (size_t k = 0; k < r->nforeign; k++)
        if (r->foreign[k].local.n == 1 && r->foreign[k].local.fields[0] == field &&
            strncmp(r->foreign[k].label, "references/", 11) == 0)
            return true;
    return false;
}

/* A field of the schema would have the name of the column that F gets. */
static void check_names(struct node field, const struct odp_resource *r, const struct odp_field *f)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *name = doc_printf(field.doc, "%s%s", f->name, odp_label_suffix[lang]);
        int taken = odp_schema_find(&r->schema, odp_slice_of(name));
        if (taken >= 0 && r->schema.fields[taken].is_public)
            node_fault(node_get(field, "name"), ODP_C16, "odp:labels", name);
    }
}

static void check_field(struct node field, const struct odp_resource *r, struct odp_field *f)
{
    struct node own = node_get(field, "odp:labels");
    if (f->labelled && has_names(r, f) && f->is_public) {
        check_names(field, r, f);
        return;
    }
    if (json_is_true(own.json) && !f->is_public)
        node_fault(own, ODP_C16, "odp:labels", "sdi:aksesPublik");
    else if (json_is_true(own.json) && !field.doc->bad)
        (void)node_misplaced(own, "categories, odp:foreignKeys → references/…");
    f->labelled = false;
}

void labels_check(struct entry *e)
{
    struct node_iter at = node_iterate(node_get(doc_root(&e->doc), "resources"));
    for (size_t i = 0; node_next(&at) && i < e->dataset.nresources;) {
        struct odp_resource *r = &e->dataset.resources[i];
        if (!json_is_object(at.item.json))
            continue;
        struct field_iter it = fields_iterate(node_get(node_get(at.item, "schema"), "fields"), &r->schema);
        e->doc.resource = r->name;
        for (struct odp_field *f = field_next(&it); f != NULL; f = field_next(&it))
            check_field(it.at.item, r, f);
        e->doc.resource = NULL;
        i++;
    }
}
