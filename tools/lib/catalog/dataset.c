/* dataset.json: the package of a dataset or a code list; resource.c reads its resources. */
#include "base/json_load.h"
#include "catalog/catalog_internal.h"
#include "catalog/frequency.h"

#define FORM_DATE "YYYY-MM-DD"

static bool formats_read(struct node n, void *into)
{
    struct odp_dataset *d = into;
    bool seen[ODP_FORMATS] = {false};
    if (!list_fits(n, 1, 0))
        return false;
    d->formats.item = doc_zero(n.doc, ODP_FORMATS, sizeof *d->formats.item);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        int format = node_choice(it.item, odp_format_names);
        if (format < 0)
            continue;
        const struct odp_slice name = odp_slice_of(odp_format_names[format]);
        if (seen[format])
            node_fault(it.item, ODP_C08, name.ptr, NULL);
        else
            d->formats.item[d->formats.n++] = name;
        seen[format] = true;
        if (odp_format_needs_geometry(name))
            geometry_needed(it.item, d);
    }
    return true;
}

/* Only published. */
static bool keywords_read(struct node n, void *into)
{
    (void)node_strings(n, false);
    return into != NULL;
}

/* A date or timestamp, or {"field": name}: the newest value of a field of the first resource. */
static bool last_update_read(struct node n, void *into)
{
    static const struct key keys[] = {{"field", KEY_STRING, .at = NOWHERE, .need = "string"}};
    struct odp_dataset *d = into;
    if (!json_is_object(n.json)) {
        d->last_update = node_date(n, true);
        return true;
    }
    (void)object_read(n, &TABLE(keys), NULL);
    struct node field = node_get(n, "field");
    struct odp_key key;
    if (!json_is_string(field.json) || d->nresources == 0 || d->resources[0].schema.n == 0 ||
        !key_read(field, &d->resources[0].schema, &key))
        return false;
    enum odp_type type = d->resources[0].schema.fields[key.fields[0]].type;
    if (type == ODP_TYPE_DATE || type == ODP_TYPE_DATETIME)
        d->last_update_field = (int)key.fields[0];
    else
        node_fault(field, ODP_C15, "odp:lastUpdate", "date, datetime");
    return true;
}

static const char *date_of(struct node edition)
{
    const char *date = odp_json_text(edition.json, "odp:editionDate");
    return date != NULL ? date : "";
}

/* The objects of the list N, of a code list the newest edition first. */
static struct node *sort_resources(struct node n, bool by_date, size_t *count)
{
    struct node *out = doc_zero(n.doc, json_array_size(n.json), sizeof *out);
    *count = 0;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        size_t at = *count;
        if (!node_is_object(it.item))
            continue;
        for (; by_date && at > 0 && strcmp(date_of(out[at - 1]), date_of(it.item)) < 0; at--)
            out[at] = out[at - 1];
        out[at] = it.item;
        *count += 1;
    }
    return out;
}

static void read_resource(struct node n, struct odp_dataset *d)
{
    struct node name = node_need(n, "name", "string");
    const char *text = node_string(name);
    struct odp_resource *r = &d->resources[d->nresources];
    bool own = d->reference && d->nresources > 0; /* the newest edition has the list's name */
    r->name = text != NULL ? text : "";
    r->edition = d->reference ? r->name : NULL;
    n.doc->resource = text;
    if (text != NULL)
        name_check(name, text, true);
    for (size_t i = 0; text != NULL && i < d->nresources; i++)
        if (strcmp(odp_resource_said(&d->resources[i]), text) == 0 || (own && strcmp(text, d->slug) == 0))
            node_fault(name, ODP_C08, text, NULL);
    r->primary = d->nresources == 0;
    resource_read(n, (struct entry *)(void *)n.doc, r);
    if (d->reference && r->primary)
        r->name = d->slug;
    d->nresources++;
    n.doc->resource = NULL;
}

static bool resources_read(struct node n, void *into)
{
    struct odp_dataset *d = into;
    size_t count;
    if (!list_fits(n, 1, 1000))
        return false;
    struct node *list = sort_resources(n, d->reference, &count);
    d->resources = doc_zero(n.doc, count, sizeof *d->resources);
    for (size_t i = 0; i < count; i++)
        read_resource(list[i], d);
    resources_lifecycle_check(n, d);
    return true;
}

static void read_name(struct node root, const char *folder)
{
    struct node name = node_need(root, "name", folder);
    const char *text = node_string(name);
    if (text != NULL && strcmp(text, folder) != 0)
        node_fault_near(name, ODP_C05, NULL, folder, folder);
    else if (text != NULL)
        name_check(name, text, true);
}

/* In this order: formats and the rest look at resources. */
static const struct key keys[] = {
    KNOWN("$schema"),
    KNOWN("name"),
    KNOWN("id"),
    KNOWN("homepage"),
    KNOWN("version"),
    KNOWN("contributors"),
    {"keywords", KEY_READ, .read = keywords_read},
    KNOWN("image"),
    KNOWN("licenses"),
    KNOWN("sources"),
    KNOWN("profile"),
    KNOWN("odp:keywords"),
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
    KNOWN("odp:theme"),
    KNOWN("odp:spatial"),
    KNOWN("odp:temporal"),
    KNOWN("odp:contact"),
    KNOWN("odp:replacedBy"),
    KNOWN("odp:deprecated"),
    KNOWN("odp:sunset"),
    {"title", KEY_TEXT, .at = AT(odp_dataset, title)},
    {"odp:title", KEY_TEXT, .at = AT(odp_dataset, title)},
    {"description", KEY_TEXT, .at = AT(odp_dataset, description)},
    {"odp:description", KEY_TEXT, .at = AT(odp_dataset, description)},
    {"odp:status", KEY_CHOICE, .at = AT(odp_dataset, state), .choices = odp_dataset_states},
    KNOWN("odp:frequency"),
    {"created", KEY_STAMP, .at = NOWHERE},
    {"odp:order", KEY_INT, .at = AT(odp_dataset, order), .most = INT32_MAX},
    {"odp:correction", KEY_TEXT, .at = AT(odp_dataset, correction)},
    {"odp:retention", KEY_READ, .read = retention_read},
    {"odp:notifyEvery", KEY_READ, .read = notify_every_read},
    {"odp:formerSlugs", KEY_READ, .read = former_slugs_read},
    {"odp:drift", KEY_READ, .read = dataset_drift_read},
    {"resources", KEY_READ, .need = "[{…}]", .read = resources_read},
    {"odp:labels", KEY_READ, .read = dataset_labels_read},
    {"odp:places", KEY_BOOL, .at = AT(odp_dataset, places)},
    {"odp:boundaries", KEY_BOOL, .at = AT(odp_dataset, boundaries)},
    {"odp:note", KEY_TEXT, .at = NOWHERE},
    {"sdi:produsenData", KEY_TEXT, .at = NOWHERE},
    {"sdi:walidata", KEY_TEXT, .at = NOWHERE},
    {"sdi:pembina", KEY_TEXT, .at = NOWHERE},
    {"sdi:kodeSDSN", KEY_TEXT, .at = NOWHERE},
    {"sdi:kodeKegiatan", KEY_TEXT, .at = NOWHERE},
    {"sdi:levelEstimasi", KEY_TEXT, .at = NOWHERE},
    {"odp:formats", KEY_READ, .read = formats_read},
    {"odp:subjects", KEY_READ, .read = dataset_subjects_read},
    {"sdi:kegiatan", KEY_READ, .read = activity_read},
    {"sdi:indikator", KEY_READ, .read = indicators_read},
    {"odp:lastUpdate", KEY_READ, .read = last_update_read},
};

/* Fills in what a code list may leave out: its name is its title, it is offered as CSV and JSON, and it is as
 * new as its newest edition. */
static void assume_all(struct node root, struct odp_dataset *d)
{
    static const struct odp_slice usual[] = {{"CSV", 3}, {"JSON", 4}};
    if (odp_text_is_empty(&d->title))
        d->title = (struct odp_text){{d->slug, d->slug}};
    if (node_get(root, "odp:formats").json == NULL)
        d->formats = (struct odp_strings){(struct odp_slice *)(uintptr_t)usual, 2}; /* read only */
    if (node_get(root, "odp:lastUpdate").json == NULL && d->nresources > 0)
        d->last_update = d->resources[0].edition_date;
}

/* Reports members that a dataset must have and lacks. */
static void need_all(struct node root)
{
    if (node_get(root, "title").json == NULL && node_get(root, "odp:title").json == NULL)
        node_fault(root, ODP_C03, "title", "string");
    (void)node_need(root, "odp:formats", doc_join(root.doc, odp_format_names, ODP_FORMATS));
    (void)node_need(root, "odp:lastUpdate", FORM_DATE);
}

void dataset_read(struct entry *e, const char *folder)
{
    struct odp_dataset *d = &e->dataset;
    struct node root = doc_root(&e->doc);
    d->json = root.json;
    d->text = e->doc.text;
    d->last_update_field = -1;
    d->state = ODP_STATE_ACTIVE;
    d->order = INT64_MAX;
    d->drift = odp_drift_usual;
    if (!node_is_object(root))
        return;
    e->doc.severity = severity_read(root, e->doc.portal->severity);
    addresses_check(root);
    read_name(root, folder);
    const struct node often = node_get(root, "odp:frequency");
    int frequency =
        node_choice_meant(often, odp_frequency_codes(), odp_frequency_meant(json_string_value(often.json)));
    if (frequency >= 0 && *odp_frequency_known(odp_frequency_codes()[frequency]) != '\0')
        d->frequency = odp_frequency_codes()[frequency];
    (void)object_read(root, &OPEN_TABLE(keys), d);
    dataset_lifecycle_read(root, d);
    if (d->reference)
        assume_all(root, d);
    else
        need_all(root);
}
