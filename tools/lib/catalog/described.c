/* What a dataset does not say of itself, in one warning: its description, what its columns mean, in which
 * unit its figures are. */
#include "catalog/catalog_internal.h"

enum { NAMED = 6 /* fields, of each kind */ };

struct missing_words {
    struct odp_buffer names;
    size_t n;
};

static void add_name(struct missing_words *l, const struct odp_resource *r, const struct odp_field *f)
{
    if (l->n++ >= NAMED)
        return;
    odp_buffer_add_str(&l->names, l->n > 1 ? ", " : "");
    if (!r->primary)
        odp_buffer_printf(&l->names, "%s.", r->name);
    odp_buffer_add_str(&l->names, f->name);
}

static bool has_text(const struct odp_field *f, const char *key)
{
    struct odp_text t = {{0}};
    const json_t *v = json_object_get(f->json, key);
    t.in[ODP_LANG_ID] = json_string_value(json_is_string(v) ? v : json_object_get(v, "id"));
    t.in[ODP_LANG_EN] = json_string_value(json_object_get(v, "en"));
    return !odp_text_is_empty(&t);
}

/* A column that holds the units of others, record by record: "satuan", "satuan_nilai", "unit". */
static bool has_units(const struct odp_schema *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (strncmp(s->fields[i].name, "satuan", 6) == 0 || strcmp(s->fields[i].name, "unit") == 0)
            return true;
    return false;
}

static bool refers(const struct odp_resource *r, uint32_t field)
{
    for (size_t i = 0; i < r->nforeign; i++)
        for (uint32_t k = 0; k < r->foreign[i].local.n; k++)
            if (r->foreign[i].local.fields[k] == field)
                return true;
    return false;
}

/* A figure without a unit; one that is bound on both sides is a score on a scale. */
static bool lacks_unit(const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    return odp_schema_is_figure(&r->schema, field) && odp_text_is_empty(&f->unit) &&
           !has_text(f, "sdi:ukuran") && f->ncategories == 0 &&
           (f->constraints.minimum.len == 0 || f->constraints.maximum.len == 0) && !refers(r, field);
}

static void collect(const struct odp_resource *r, struct missing_words *meaning, struct missing_words *unit)
{
    bool units = has_units(&r->schema);
    for (uint32_t i = 0; i < r->schema.n; i++) {
        const struct odp_field *f = &r->schema.fields[i];
        if (!f->is_public)
            continue;
        if (odp_text_is_empty(&f->description) && !has_text(f, "sdi:definisi") && !has_text(f, "sdi:konsep"))
            add_name(meaning, r, f);
        if (!units && lacks_unit(r, i))
            add_name(unit, r, f);
    }
}

static void add_list(struct odp_buffer *out, const char *what, struct missing_words *l)
{
    if (l->n == 0)
        return;
    odp_buffer_printf(out, "%s%s (%s", out->len > 0 ? "; " : "", what, odp_buffer_cstr(&l->names));
    if (l->n > NAMED)
        odp_buffer_printf(out, ", … +%zu", l->n - NAMED);
    odp_buffer_add_char(out, ')');
}

void described_check(struct entry *e)
{
    const struct odp_dataset *d = &e->dataset;
    struct missing_words meaning = {0}, unit = {0};
    struct odp_buffer out;
    if (d->reference || e->left_out || e->doc.bad || e->doc.root == NULL || d->state == ODP_STATE_DRAFT ||
        d->state == ODP_STATE_WITHDRAWN)
        return;
    odp_buffer_init(&out);
    odp_buffer_init(&meaning.names);
    odp_buffer_init(&unit.names);
    for (size_t i = 0; i < d->nresources; i++)
        collect(&d->resources[i], &meaning, &unit);
    if (odp_text_is_empty(&d->description))
        odp_buffer_add_str(&out, "description");
    add_list(&out, "sdi:definisi", &meaning);
    add_list(&out, "sdi:satuan", &unit);
    const struct node title = node_get(doc_root(&e->doc), "title");
    if (odp_buffer_status(&out) != ODP_OK || odp_buffer_status(&meaning.names) != ODP_OK ||
        odp_buffer_status(&unit.names) != ODP_OK)
        e->doc.failed = true;
    else if (out.len > 0)
        node_fault_key(title, ODP_C39, doc_copy(&e->doc, odp_buffer_slice(&out)).ptr, NULL);
    odp_buffer_release(&out);
    odp_buffer_release(&meaning.names);
    odp_buffer_release(&unit.names);
}
