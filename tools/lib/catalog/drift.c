/* odp:drift of a package, a resource or a field: how far a new version may differ from the published one
 * without a warning. */
#include "catalog/catalog_internal.h"

static const char *const names[] = {"rows",  "nulls", "distinct", "sum",  "range", "share", "box",
                                    "moved", "cells", "group",    "keys", NULL}; /* by enum odp_drift_kind */

/* Wide enough for data that grows and changes as data does; small tables are spared on top (docs/checks.md).
 */
const struct odp_drift odp_drift_usual = {.bound = {[ODP_DRIFT_ROWS] = 0.3,
                                                    [ODP_DRIFT_NULLS] = 0.1,
                                                    [ODP_DRIFT_DISTINCT] = 0.5,
                                                    [ODP_DRIFT_SUM] = 0.5,
                                                    [ODP_DRIFT_RANGE] = 3,
                                                    [ODP_DRIFT_SHARE] = 0.2,
                                                    [ODP_DRIFT_BOX] = 0.5,
                                                    [ODP_DRIFT_MOVED] = 0,
                                                    [ODP_DRIFT_CELLS] = 0.5,
                                                    [ODP_DRIFT_GROUP] = 4,
                                                    [ODP_DRIFT_KEYS] = 0}};

const char *odp_drift_name(enum odp_drift_kind kind)
{
    return names[kind];
}

static void read_bound(struct node n, struct odp_drift *d, int kind)
{
    double value = -1;
    if (!json_is_false(n.json) && !node_number(n, 0, 1000000, &value))
        return;
    d->bound[kind] = value;
    d->where[kind] = node_where(n);
}

static bool is_of_tables(int kind)
{
    return kind == ODP_DRIFT_ROWS || kind == ODP_DRIFT_BOX || kind == ODP_DRIFT_KEYS;
}

/* Reads N over what is inherited into OUT. FIELD: without the bounds of whole tables. */
static void read_drift(struct node n, bool field, struct odp_drift *out)
{
    struct key keys[ODP_DRIFT_KINDS] = {{0}};
    size_t known = 0;
    for (int k = 0; json_is_false(n.json) && k < ODP_DRIFT_KINDS; k++) {
        out->bound[k] = -1;
        out->where[k] = node_where(n);
    }
    for (int k = 0; k < ODP_DRIFT_KINDS; k++)
        if (!field || !is_of_tables(k))
            keys[known++].name = names[k];
    if (json_is_false(n.json) || !object_read(n, &(const struct table){keys, known, false}, out))
        return;
    for (int k = 0; k < ODP_DRIFT_KINDS; k++) {
        struct node bound = node_get(n, names[k]);
        if (bound.json != NULL && (!field || !is_of_tables(k)))
            read_bound(bound, out, k);
    }
}

bool dataset_drift_read(struct node n, void *into)
{
    read_drift(n, false, &((struct odp_dataset *)into)->drift);
    return true;
}

void resource_drift_read(struct node n, const struct odp_dataset *d, struct odp_resource *r)
{
    r->drift = d->drift;
    read_drift(node_get(n, "odp:drift"), false, &r->drift);
    struct odp_field *f;
    for (struct field_iter it = fields_iterate(node_get(node_get(n, "schema"), "fields"), &r->schema);
         (f = field_next(&it)) != NULL;) {
        struct node own = node_get(it.at.item, "odp:drift");
        struct odp_drift *drift = own.json != NULL ? doc_zero(n.doc, 1, sizeof *drift) : NULL;
        if (drift == NULL)
            continue;
        *drift = r->drift;
        read_drift(own, true, drift);
        f->drift = drift;
    }
}
