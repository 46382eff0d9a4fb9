/* odp:charts: which pictures are made of a resource's records. Whether a chart can be drawn at all is decided
 * here. */
#include "catalog/catalog_internal.h"

#define CHARTS_MAX      200 /* of a dataset: each is compared with those before it */
#define TITLE_MAX       300 /* bytes */
#define DESCRIPTION_MAX 2000

/* Places of the members that other members are compared with. */
struct chart_nodes {
    struct node chart, type, category, series, value, aggregate, top, sort;
};

/* ---- single values ---- */

static const char *read_name(struct node n, const struct entry *e, const struct odp_resource *r)
{
    const char *name = node_string(n);
    size_t len = name != NULL ? strlen(name) : 0;
    if (name == NULL)
        return NULL;
    if (len == 0 || len > 64 || *name == '-' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != len) {
        node_fault(n, ODP_C06, name, "'-' (≤ 64)");
        return NULL;
    }
    for (size_t i = 0; i <= e->dataset.nresources; i++) { /* the last is R itself, which is not counted yet */
        const struct odp_resource *other = i < e->dataset.nresources ? &e->dataset.resources[i] : r;
        for (size_t k = 0; k < other->ncharts; k++)
            if (strcmp(other->charts[k].name, name) == 0) {
                node_fault(n, ODP_C08, name, NULL);
                return NULL;
            }
    }
    return name;
}

/* A category's field: its values are words. */
static int read_category(struct node n, const struct odp_schema *s)
{
    int field = public_field_read(n, s);
    if (field < 0)
        return -1;
    const struct odp_field *f = &s->fields[field];
    if (odp_type_repr(f->type) != ODP_REPR_JSON && !odp_type_is_decimal(f->type))
        return field;
    field_misfit(n, f, "string, integer, boolean, date, year …");
    return -1;
}

static int read_value(struct node n, const struct odp_schema *s)
{
    int field = public_field_read(n, s);
    if (field < 0 || odp_type_is_number(s->fields[field].type))
        return field;
    field_misfit(n, &s->fields[field], "number, integer");
    return -1;
}

/* ---- what goes together ---- */

static void conflict(struct node n, const char *other)
{
    node_fault(n, ODP_C16, n.key, other);
}

/* A line goes from left to right: its categories have an order of their own. */
static void check_axis(struct node n, const struct odp_field *f)
{
    if (odp_type_family(f->type) != ODP_FAMILY_DATE && f->type != ODP_TYPE_INTEGER && !f->categories_ordered)
        field_misfit(n, f, "date, datetime, time, year, yearmonth, integer, categoriesOrdered");
}

static void check_map(const struct chart_nodes *n, const struct odp_resource *r)
{
    static const char others[] = "bar, line, stacked";
    if (!r->geometry.present)
        node_fault(n->type, ODP_C11, "\"map\"", "odp:geometry, .shp");
    (void)node_misplaced(n->series, others);
    (void)node_misplaced(n->aggregate, others);
    (void)node_misplaced(n->top, "bar, stacked");
    (void)node_misplaced(n->sort, others);
    if (n->category.json != NULL && n->value.json != NULL)
        conflict(n->value, "category");
}

static void check_figures(const struct chart_nodes *n, const struct odp_chart *c)
{
    bool counts = c->aggregate == ODP_CHART_COUNT;
    if (counts && n->value.json != NULL)
        conflict(n->aggregate, "value");
    else if (!counts && n->value.json == NULL)
        (void)node_need(n->chart, "value", "fields.name");
    /* The parts of a bar are read as one whole. */
    if (c->type == ODP_CHART_STACKED && !counts && c->aggregate != ODP_CHART_SUM)
        conflict(n->aggregate, "\"type\": \"stacked\"");
}

static void check_bars(const struct chart_nodes *n, const struct odp_chart *c, const struct odp_resource *r)
{
    (void)node_need(n->chart, "category", "fields.name");
    if (c->type == ODP_CHART_STACKED)
        (void)node_need(n->chart, "series", "fields.name");
    if (c->type == ODP_CHART_LINE) {
        (void)node_misplaced(n->top, "bar, stacked");
        if (c->by_value)
            conflict(n->sort, "\"type\": \"line\"");
        if (c->category >= 0)
            check_axis(n->category, &r->schema.fields[c->category]);
    }
    if (c->category >= 0 && c->series == c->category)
        conflict(n->series, "category");
    if (c->value >= 0 && (c->value == c->category || c->value == c->series))
        conflict(n->value, c->value == c->category ? "category" : "series");
    check_figures(n, c);
}

static const char *const aggregates[] = {"count", "sum", "mean", "min", "max", NULL};
static const char *const sorts[] = {"value", "category", NULL};

static void read_defaults(const struct chart_nodes *n, struct odp_chart *c)
{
    bool bars = c->type == ODP_CHART_BAR || c->type == ODP_CHART_STACKED;
    int aggregate = node_choice(n->aggregate, aggregates), sort = node_choice(n->sort, sorts);
    if (aggregate >= 0)
        c->aggregate = (enum odp_chart_aggregate)aggregate;
    else
        c->aggregate = n->value.json != NULL && c->type != ODP_CHART_MAP ? ODP_CHART_SUM : ODP_CHART_COUNT;
    c->by_value = sort >= 0 ? sort == 0 : bars;
    c->top = bars ? 12 : 0;
    (void)node_int(n->top, 0, 60, &c->top);
}

/* ---- a chart ---- */

static const struct key keys[] = {
    {"name", .need = "string"},
    {"title", KEY_LINE, .at = AT(odp_chart, title), .need = "{\"id\", \"en\"}", .most = TITLE_MAX},
    {"type", .need = "bar, line, stacked, map"},
    {"description", KEY_LINE, .at = AT(odp_chart, description), .most = DESCRIPTION_MAX},
    KNOWN("category"),
    KNOWN("series"),
    KNOWN("value"),
    KNOWN("aggregate"),
    KNOWN("top"),
    KNOWN("sort"),
};

static void read_chart(struct node n, const struct entry *e, struct odp_resource *r)
{
    struct odp_chart c = {.where = node_where(n)};
    if (!object_read(n, &TABLE(keys), &c))
        return;
    c.name = read_name(node_get(n, "name"), e, r);
    const struct chart_nodes at = {.chart = n,
                                   .type = node_get(n, "type"),
                                   .category = node_get(n, "category"),
                                   .series = node_get(n, "series"),
                                   .value = node_get(n, "value"),
                                   .aggregate = node_get(n, "aggregate"),
                                   .top = node_get(n, "top"),
                                   .sort = node_get(n, "sort")};
    int type = node_choice(at.type, odp_chart_type_names);
    c.category = read_category(at.category, &r->schema);
    c.series = read_category(at.series, &r->schema);
    c.value = read_value(at.value, &r->schema);
    if (type >= 0) { /* what goes together depends on it */
        c.type = (enum odp_chart_type)type;
        read_defaults(&at, &c);
        if (c.type == ODP_CHART_MAP)
            check_map(&at, r);
        else
            check_bars(&at, &c, r);
    }
    if (c.name != NULL) /* with a fault, too: the next of this name is one too many */
        r->charts[r->ncharts++] = c;
}

void charts_read(struct node resource, const struct entry *e, struct odp_resource *r)
{
    struct node n = node_inherited(resource, "odp:charts", r->primary);
    size_t before = 0;
    if (!node_is_array(n) || r->schema.n == 0)
        return;
    for (size_t i = 0; i < e->dataset.nresources; i++)
        before += e->dataset.resources[i].ncharts;
    if (json_array_size(n.json) > CHARTS_MAX - before) {
        node_fault(n, ODP_C04, NULL, "[…] ≤ 200");
        return;
    }
    r->charts = doc_zero(n.doc, json_array_size(n.json), sizeof *r->charts);
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        read_chart(it.item, e, r);
}
