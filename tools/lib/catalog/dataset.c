/* dataset.json, the package: what a dataset or a code list says of itself; its resources are read by resource.c. */
#include "catalog/catalog_internal.h"
#include "catalog/frequency.h"

static const char *const properties[] = {"$schema",
                                         "name",
                                         "id",
                                         "title",
                                         "description",
                                         "homepage",
                                         "version",
                                         "created",
                                         "contributors",
                                         "keywords",
                                         "image",
                                         "licenses",
                                         "sources",
                                         "resources",
                                         "profile",
                                         "odp:title",
                                         "odp:description",
                                         "odp:keywords",
                                         "odp:formats",
                                         "odp:order",
                                         "odp:lastUpdate",
                                         "odp:frequency",
                                         "odp:status",
                                         "odp:deprecated",
                                         "odp:sunset",
                                         "odp:replacedBy",
                                         "odp:formerSlugs",
                                         "odp:retention",
                                         "odp:notifyEvery",
                                         "odp:correction",
                                         "odp:severity",
                                         "odp:index",
                                         "odp:datetime",
                                         "odp:queryables",
                                         "odp:timeline",
                                         "odp:charts",
                                         "odp:print",
                                         "odp:slices",
                                         "odp:drift",
                                         "odp:theme",
                                         "odp:subjects",
                                         "odp:spatial",
                                         "odp:temporal",
                                         "odp:contact",
                                         "odp:note",
                                         "sdi:produsenData",
                                         "sdi:walidata",
                                         "sdi:pembina",
                                         "sdi:kodeSDSN",
                                         "sdi:kodeKegiatan",
                                         "sdi:levelEstimasi",
                                         "sdi:kegiatan",
                                         "sdi:indikator",
                                         NULL};

static const char *const texts[] = {"odp:note",     "sdi:produsenData", "sdi:walidata",      "sdi:pembina",
                                    "sdi:kodeSDSN", "sdi:kodeKegiatan", "sdi:levelEstimasi", NULL};

static void read_formats(struct node n, struct odp_dataset *d)
{
    bool seen[ODP_FORMATS] = {false};
    if (!node_is_array(n))
        return;
    if (json_array_size(n.json) == 0)
        node_fault(n, ODP_C04, NULL, "[…] ≥ 1");
    d->formats.item = doc_zero(n.doc, ODP_FORMATS, sizeof *d->formats.item);
    if (d->formats.item == NULL)
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        int format = node_choice(it.item, odp_format_names);
        if (format < 0)
            continue;
        if (seen[format])
            node_fault(it.item, ODP_C08, odp_format_names[format], NULL);
        else
            d->formats.item[d->formats.n++] = odp_slice_of(odp_format_names[format]);
        seen[format] = true;
        if (odp_format_needs_geometry(odp_slice_of(odp_format_names[format])))
            geometry_needed(it.item, d);
    }
}

/* A date or timestamp, or {"field": name}: the newest value of a field of the first resource. */
static void read_last_update(struct node n, struct odp_dataset *d)
{
    static const char *const known[] = {"field", NULL};
    d->last_update_field = -1;
    if (!json_is_object(n.json)) {
        d->last_update = node_date(n, true);
        return;
    }
    node_known(n, known, true);
    struct node field = node_need(n, "field", "string");
    if (node_string(field) == NULL || d->nresources == 0 || d->resources[0].schema.n == 0)
        return;
    struct odp_key key;
    if (!key_read(field, &d->resources[0].schema, &key))
        return;
    enum odp_type type = d->resources[0].schema.fields[key.fields[0]].type;
    if (type == ODP_TYPE_DATE || type == ODP_TYPE_DATETIME)
        d->last_update_field = (int)key.fields[0];
    else
        node_fault(field, ODP_C15, "odp:lastUpdate", "date, datetime");
}

static void read_resources(struct entry *e, const struct odp_portal *portal, struct node n)
{
    struct odp_dataset *d = &e->dataset;
    if (!node_is_array(n))
        return;
    if (json_array_size(n.json) == 0 || json_array_size(n.json) > 1000) {
        node_fault(n, ODP_C04, NULL, "1 ≤ […] ≤ 1000");
        return;
    }
    d->resources = doc_zero(n.doc, json_array_size(n.json), sizeof *d->resources);
    if (d->resources == NULL)
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        if (!node_is_object(it.item))
            continue;
        struct node name = node_need(it.item, "name", "string");
        const char *text = node_string(name);
        struct odp_resource *r = &d->resources[d->nresources];
        r->name = text != NULL ? text : "";
        n.doc->resource = text;
        if (text != NULL)
            name_check(name, text, true);
        for (size_t i = 0; text != NULL && i < d->nresources; i++)
            if (strcmp(d->resources[i].name, text) == 0)
                node_fault(name, ODP_C08, text, NULL);
        r->primary = d->nresources == 0;
        resource_read(it.item, portal, e, r);
        d->nresources++;
        n.doc->resource = NULL;
    }
    resources_lifecycle_check(n, d);
}

static void read_state(struct node n, struct odp_dataset *d)
{
    static const char *const states[] = {"draft", "active", "deprecated", "withdrawn", NULL};
    int state = node_choice(node_get(n, "odp:status"), states);
    d->state = state >= 0 ? (enum odp_dataset_state)state : ODP_STATE_ACTIVE;
    int frequency = node_choice(node_get(n, "odp:frequency"), odp_frequency_codes());
    d->frequency = frequency >= 0 ? odp_frequency_codes()[frequency] : NULL;
    (void)node_date(node_get(n, "created"), true);
    d->order = INT64_MAX;
    if (!node_int(node_get(n, "odp:order"), 0, INT32_MAX, &d->order))
        d->order = INT64_MAX;
    dataset_lifecycle_read(n, d);
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

void dataset_read(struct entry *e, const struct odp_portal *portal, const char *folder)
{
    struct odp_dataset *d = &e->dataset;
    struct node root = doc_root(&e->doc);
    d->json = root.json;
    d->text = e->doc.text;
    d->last_update_field = -1;
    if (!node_is_object(root))
        return;
    e->doc.severity = severity_read(root, portal->severity);
    node_known(root, properties, false);
    addresses_check(root);
    read_name(root, folder);
    node_bilingual(root, "title", "odp:title", &d->title);
    node_bilingual(root, "description", "odp:description", &d->description);
    read_state(root, d);
    dataset_drift_read(root, d);
    read_resources(e, portal, node_need(root, "resources", "[{…}]"));
    struct odp_text ignored;
    for (size_t i = 0; texts[i] != NULL; i++)
        node_text(node_get(root, texts[i]), &ignored);
    if (d->reference)
        return;
    if (d->title.in[ODP_LANG_ID] == NULL && d->title.in[ODP_LANG_EN] == NULL && node_get(root, "title").json == NULL &&
        node_get(root, "odp:title").json == NULL)
        node_fault(root, ODP_C03, "title", "string");
    read_formats(node_need(root, "odp:formats", doc_join(root.doc, odp_format_names, ODP_FORMATS)), d);
    dataset_subjects_read(node_get(root, "odp:subjects"), portal, d);
    activity_read(root, d);
    struct node update = node_need(root, "odp:lastUpdate", "YYYY-MM-DD");
    if (update.json != NULL)
        read_last_update(update, d);
}
