/* No fault: the newest value of the field that odp:lastUpdate names, which becomes the dataset's version. */
#include "base/datetime.h"
#include "check/check_internal.h"

static int watched_field(const struct odp_validator *v)
{
    const struct odp_dataset *d = v->resource->dataset;
    return d->nresources > 0 && v->resource == &d->resources[0] ? d->last_update_field : -1;
}

static bool is_newer(enum odp_type type, struct odp_slice a, struct odp_slice b)
{
    struct odp_datetime x, y;
    if (b.len == 0)
        return true;
    /* With equal length and offset they compare as bytes: "2024-03-15T07:05:00", then "+07:00". */
    bool alike = a.len == b.len && a.len > 19 && memcmp(a.ptr + 19, b.ptr + 19, a.len - 19) == 0;
    if (!alike && type == ODP_TYPE_DATETIME &&
        odp_date_parse(a, ODP_DATETIME, NULL, NULL, &x) == ODP_DATE_OK &&
        odp_date_parse(b, ODP_DATETIME, NULL, NULL, &y) == ODP_DATE_OK)
        return odp_date_cmp(&x, &y) > 0;
    return odp_slice_cmp(a, b) > 0;
}

static void find_newest(struct odp_check *c, void *state, void **part)
{
    int field = watched_field(c->v);
    struct odp_slice *newest = odp_arena_zero(&c->b->arena, 1, sizeof *newest);
    *part = newest;
    for (uint32_t i = 0; field >= 0 && i < c->n; i++)
        if (c->b->columns[field].state[i] == ODP_VALUE_OK &&
            is_newer(odp_check_field(c, (uint32_t)field)->type, c->b->columns[field].text[i], *newest))
            *newest = c->b->columns[field].text[i];
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    const struct odp_slice *newest = part;
    int field = watched_field(v);
    if (field < 0 || newest->len == 0 ||
        !is_newer(v->schema->fields[field].type, *newest, odp_buffer_slice(&v->last_update)))
        return ODP_OK;
    odp_buffer_clear(&v->last_update);
    odp_buffer_add_slice(&v->last_update, *newest);
    return odp_buffer_status(&v->last_update);
}

const struct odp_rule_kind odp_rule_last_update = {
    .name = "last-update", .rows = find_newest, .merge = merge};
