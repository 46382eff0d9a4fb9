/* odp:charts: which pictures are made of a resource's records. Whether a chart can be drawn at all is decided
 * here. Where a table declares none, some are derived from its schema: by time, by a category, of how a value
 * is spread. */
#include "catalog/catalog_internal.h"
#include "words/charts.h"

#define CHARTS_MAX      200 /* of a dataset: each is compared with those before it */
#define TITLE_MAX       300 /* bytes */
#define DESCRIPTION_MAX 2000

/* The members that not every type has; their places are arrays of this order. */
enum member { CATEGORY, SERIES, VALUE, AGGREGATE, TOP, SORT, PLANNED, ACTUAL, MEMBERS };

#define OF(type) (1U << ODP_CHART_##type)
#define BARS     (OF(BAR) | OF(LINE) | OF(STACKED))
static const struct {
    const char *name;
    unsigned needs, takes; /* the types that do */
    const char *types;     /* that take it, in words */
} members[MEMBERS] = {
    [CATEGORY] = {"category", BARS | OF(GANTT), BARS | OF(GANTT) | OF(MAP), "bar, line, stacked"},
    [SERIES] = {"series", OF(STACKED), BARS | OF(GANTT), "bar, line, stacked"},
    [VALUE] = {"value", OF(HISTOGRAM), BARS | OF(MAP) | OF(HISTOGRAM), "bar, line, stacked"},
    [AGGREGATE] = {"aggregate", 0, BARS, "bar, line, stacked"},
    [TOP] = {"top", 0, OF(BAR) | OF(STACKED), "bar, stacked"},
    [SORT] = {"sort", 0, BARS, "bar, line, stacked"},
    [PLANNED] = {"planned", OF(GANTT), OF(GANTT), "gantt"},
    [ACTUAL] = {"actual", OF(GANTT), OF(GANTT), "gantt"},
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

static int read_day(struct node n, const struct odp_schema *s)
{
    int field = public_field_read(n, s);
    if (field < 0 || s->fields[field].type == ODP_TYPE_DATE)
        return field;
    field_misfit(n, &s->fields[field], "date");
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

static void check_members(struct node chart, const struct node *at, enum odp_chart_type type)
{
    for (size_t m = 0; m < MEMBERS; m++) {
        if ((members[m].needs >> type & 1) != 0)
            (void)node_need(chart, members[m].name, "fields.name");
        if ((members[m].takes >> type & 1) == 0)
            (void)node_misplaced(at[m], members[m].types);
    }
}

static void check_map(struct node type, const struct node *at, const struct odp_resource *r)
{
    if (!r->geometry.present)
        node_fault(type, ODP_C11, "\"map\"", "odp:geometry, .shp");
    if (at[CATEGORY].json != NULL && at[VALUE].json != NULL)
        conflict(at[VALUE], "category");
}

static void check_figures(struct node chart, const struct node *at, const struct odp_chart *c)
{
    bool counts = c->aggregate == ODP_CHART_COUNT;
    if (counts && at[VALUE].json != NULL)
        conflict(at[AGGREGATE], "value");
    else if (!counts && at[VALUE].json == NULL)
        (void)node_need(chart, "value", "fields.name");
    /* The parts of a bar are read as one whole. */
    if (c->type == ODP_CHART_STACKED && !counts && c->aggregate != ODP_CHART_SUM)
        conflict(at[AGGREGATE], "\"type\": \"stacked\"");
}

static void check_bars(struct node chart, const struct node *at, const struct odp_chart *c,
                       const struct odp_resource *r)
{
    if (c->type == ODP_CHART_LINE && c->by_value)
        conflict(at[SORT], "\"type\": \"line\"");
    if (c->type == ODP_CHART_LINE && c->category >= 0)
        check_axis(at[CATEGORY], &r->schema.fields[c->category]);
    if (c->value >= 0 && (c->value == c->category || c->value == c->series))
        conflict(at[VALUE], c->value == c->category ? "category" : "series");
    check_figures(chart, at, c);
}

static const char *const aggregates[] = {"count", "sum", "mean", "min", "max", NULL};
static const char *const sorts[] = {"value", "category", NULL};

static void check_chart(struct node chart, const struct node *at, const struct odp_chart *c,
                        const struct odp_resource *r)
{
    if (c->type == ODP_CHART_MAP)
        check_map(node_get(chart, "type"), at, r);
    check_members(chart, at, c->type);
    if ((BARS >> c->type & 1) != 0)
        check_bars(chart, at, c, r);
    if ((members[SERIES].takes >> c->type & 1) != 0 && c->category >= 0 && c->series == c->category)
        conflict(at[SERIES], "category");
    if (c->planned >= 0 && c->actual == c->planned)
        conflict(at[ACTUAL], "planned");
}

static void read_defaults(const struct node *at, struct odp_chart *c)
{
    bool bars = c->type == ODP_CHART_BAR || c->type == ODP_CHART_STACKED;
    int aggregate = node_choice(at[AGGREGATE], aggregates), sort = node_choice(at[SORT], sorts);
    if (aggregate >= 0)
        c->aggregate = (enum odp_chart_aggregate)aggregate;
    else
        c->aggregate =
            at[VALUE].json != NULL && c->type <= ODP_CHART_STACKED ? ODP_CHART_SUM : ODP_CHART_COUNT;
    c->by_value = sort >= 0 ? sort == 0 : bars;
    c->top = bars ? 12 : 0;
    (void)node_int(at[TOP], 0, 60, &c->top);
}

/* ---- a chart ---- */

static const struct key keys[] = {
    {"name", .need = "string"},
    {"title", KEY_LINE, .at = AT(odp_chart, title), .need = "{\"id\", \"en\"}", .most = TITLE_MAX},
    {"type", .need = "bar, line, stacked, map, histogram, gantt"},
    {"description", KEY_LINE, .at = AT(odp_chart, description), .most = DESCRIPTION_MAX},
    KNOWN("category"),
    KNOWN("series"),
    KNOWN("value"),
    KNOWN("aggregate"),
    KNOWN("top"),
    KNOWN("sort"),
    KNOWN("planned"),
    KNOWN("actual"),
};

static void read_chart(struct node n, const struct entry *e, struct odp_resource *r)
{
    struct odp_chart c = {.where = node_where(n)};
    if (!object_read(n, &TABLE(keys), &c))
        return;
    c.name = read_name(node_get(n, "name"), e, r);
    struct node at[MEMBERS];
    for (size_t m = 0; m < MEMBERS; m++)
        at[m] = node_get(n, members[m].name);
    int type = node_choice(node_get(n, "type"), odp_chart_type_names);
    c.category = read_category(at[CATEGORY], &r->schema);
    c.series = read_category(at[SERIES], &r->schema);
    c.value = read_value(at[VALUE], &r->schema);
    c.planned = read_day(at[PLANNED], &r->schema);
    c.actual = read_day(at[ACTUAL], &r->schema);
    if (type >= 0) { /* what goes together depends on it */
        c.type = (enum odp_chart_type)type;
        read_defaults(at, &c);
        check_chart(n, at, &c, r);
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
        list_of_size(n, "[…] ≤ 200");
        return;
    }
    r->charts = doc_zero(n.doc, json_array_size(n.json), sizeof *r->charts);
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        read_chart(it.item, e, r);
}

/* ---- charts of a table that declares none ---- */

enum { DERIVED_MOST = 3, DERIVED_SERIES = 7, DERIVED_CATEGORIES = 40 };

struct derivation {
    struct entry *e;
    struct odp_resource *r;
};

static bool is_shown(const struct odp_field *f)
{
    return f->is_public && f->sunset == NULL;
}

/* The first of the measures that is a number, or (COUNTED) how many records there are; with ONLY, that is
 * aggregated so. -1: none, or the number of records. */
static int find_figure(const struct odp_resource *r, bool counted, const enum odp_chart_aggregate *only,
                       enum odp_chart_aggregate *out)
{
    for (uint32_t i = 0; i < r->measures.n; i++) {
        const struct odp_measure *m = &r->measures.item[i];
        if (m->category != NULL || (m->field < 0 ? !counted : !is_shown(&r->schema.fields[m->field])) ||
            (only != NULL && m->aggregate != *only))
            continue;
        *out = m->aggregate;
        return m->field;
    }
    *out = ODP_CHART_COUNT;
    return -1;
}

/* A year or a month; one in the primary key first. */
static int find_time(const struct odp_resource *r, bool *panel)
{
    int found = -1;
    *panel = false;
    for (uint32_t i = 0; i < r->schema.n && !*panel; i++) {
        const struct odp_field *f = &r->schema.fields[i];
        if (!is_shown(f) || (f->type != ODP_TYPE_YEAR && f->type != ODP_TYPE_YEARMONTH))
            continue;
        *panel = odp_key_has(&r->schema.primary, i);
        found = found < 0 || *panel ? (int)i : found;
    }
    return found;
}

/* How well FIELD divides the records; 0: not at all. */
static int category_rank(const struct odp_resource *r, uint32_t i)
{
    const struct odp_field *f = &r->schema.fields[i];
    if (!is_shown(f) || odp_type_is_decimal(f->type) || odp_type_repr(f->type) == ODP_REPR_JSON ||
        odp_name_has(f->name, "satuan unit"))
        return 0;
    if (f->ncategories > 1 && f->ncategories <= DERIVED_CATEGORIES)
        return f->categories_ordered ? 4 : 3;
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *key = &r->foreign[k];
        if (key->local.n == 1 && key->local.fields[0] == i && key->target != NULL &&
            key->target->edition != NULL)
            return 2;
    }
    return f->type == ODP_TYPE_BOOLEAN ? 1 : 0;
}

static int find_category(const struct odp_resource *r)
{
    int found = -1, best = 0;
    for (uint32_t i = 0; i < r->schema.n; i++) {
        int rank = category_rank(r, i);
        if (rank > best) {
            best = rank;
            found = (int)i;
        }
    }
    return found;
}

/* A category that is a part of the key: its values are lines of their own. */
static int find_parts(const struct odp_resource *r)
{
    for (uint32_t i = 0; i < r->schema.n; i++) {
        const struct odp_field *f = &r->schema.fields[i];
        if (is_shown(f) && odp_key_has(&r->schema.primary, i) && f->ncategories > 1 &&
            f->ncategories <= DERIVED_SERIES)
            return (int)i;
    }
    return -1;
}

/* The title of a field; AFTER other words: without its capital, unless it is an abbreviation. */
static const char *title_of(const struct derivation *d, int field, enum odp_lang lang, bool after)
{
    const struct odp_field *f = &d->r->schema.fields[field];
    const char *text = odp_text_get(&f->title, lang);
    text = *text != '\0' ? text : f->name;
    bool capital = text[0] >= 'A' && text[0] <= 'Z' && (text[1] < 'A' || text[1] > 'Z');
    return after && capital ? doc_printf(&d->e->doc, "%c%s", text[0] | 0x20, text + 1) : text;
}

static const char *number_of(const struct derivation *d, enum odp_lang lang)
{
    const struct odp_text *record = &d->r->measures.record;
    return doc_printf(&d->e->doc, "%s%s", odp_word(lang, W_charts_number_of),
                      odp_text_is_empty(record) ? odp_word(lang, W_charts_records_2)
                                                : odp_text_get(record, lang));
}

/* "Rata-rata luas menurut tahun dan jenis" */
static void set_title(const struct derivation *d, struct odp_chart *c, const char *const before[ODP_LANGS])
{
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        const char *first = before[lang], *value = "", *by = "", *category = "", *and = "", *series = "";
        if (c->value >= 0)
            value = title_of(d, c->value, lang, *first != '\0');
        else if (c->type != ODP_CHART_GANTT)
            value = number_of(d, lang);
        if (c->category >= 0 && c->type != ODP_CHART_GANTT) {
            by = odp_word(lang, W_charts_title_by);
            category = title_of(d, c->category, lang, true);
        }
        if (c->series >= 0 && c->type != ODP_CHART_GANTT) {
            and = odp_word(lang, W_charts_and);
            series = title_of(d, c->series, lang, true);
        }
        c->title.in[lang] = doc_printf(&d->e->doc, "%s%s%s%s%s%s", first, value, by, category, and, series);
    }
}

static bool is_taken(const struct odp_dataset *of, const char *name)
{
    for (size_t i = 0; i < of->nresources; i++)
        for (size_t k = 0; k < of->resources[i].ncharts; k++)
            if (strcmp(of->resources[i].charts[k].name, name) == 0)
                return true;
    return false;
}

/* "luas-ha-tahun": of what is shown, by what; the table's name before it where another has it. */
static const char *make_name(const struct derivation *d, const struct odp_chart *c, const char *kind)
{
    const int fields[] = {c->value, c->category, c->series};
    char *name = doc_printf(&d->e->doc, "%s", kind);
    for (size_t i = 0; i < 3; i++)
        if (fields[i] >= 0)
            name = doc_printf(&d->e->doc, "%s-%.20s", name, d->r->schema.fields[fields[i]].name);
    if (is_taken(&d->e->dataset, name))
        name = doc_printf(&d->e->doc, "%.30s-%s", d->r->name, name);
    for (char *p = name; *p != '\0'; p++) {
        bool upper = *p >= 'A' && *p <= 'Z',
             fine = upper || (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');
        *p = upper ? (char)(*p | 0x20) : fine ? *p : '-';
    }
    return name;
}

static void add_derived(struct derivation *d, struct odp_chart c, const char *kind,
                        const char *const before[ODP_LANGS])
{
    if (d->r->ncharts == DERIVED_MOST)
        return;
    c.where = d->r->where;
    c.derived = true;
    c.name = make_name(d, &c, kind);
    c.by_value = c.type == ODP_CHART_BAR || c.type == ODP_CHART_STACKED;
    c.top = c.by_value ? 12 : 0;
    set_title(d, &c, before);
    if (!is_taken(&d->e->dataset, c.name))
        d->r->charts[d->r->ncharts++] = c;
}

static const struct odp_chart derived = {
    .category = -1, .series = -1, .value = -1, .planned = -1, .actual = -1};
static const char *const nothing_before[ODP_LANGS] = {"", ""},
                         *const mean_before[ODP_LANGS] = {W_charts_title_mean},
                         *const spread_before[ODP_LANGS] = {W_charts_title_spread},
                         *const late_before[ODP_LANGS] = {W_charts_title_late};

/* The first figure by time; then categories; then how a figure that does not add up is spread. */
static void derive_usual(struct derivation *d)
{
    static const enum odp_chart_aggregate mean = ODP_CHART_MEAN;
    const struct odp_resource *r = d->r;
    enum odp_chart_aggregate of;
    bool panel;
    int time = find_time(r, &panel), category = find_category(r), value;
    struct odp_chart c = derived;
    if (time >= 0) {
        c.type = ODP_CHART_LINE;
        c.category = time;
        c.value = find_figure(r, !panel, NULL, &c.aggregate);
        c.series = panel ? find_parts(r) : -1;
        add_derived(d, c, "garis", c.aggregate == ODP_CHART_MEAN ? mean_before : nothing_before);
    }
    if (category >= 0 && (!panel || r->schema.fields[category].ncategories > 0)) {
        c = derived;
        c.type = panel ? ODP_CHART_STACKED : ODP_CHART_BAR;
        c.category = panel ? time : category;
        c.series = panel ? category : -1;
        add_derived(d, c, "batang", nothing_before);
    }
    value = find_figure(r, false, &mean, &of);
    if (value >= 0) {
        c = derived;
        c.type = ODP_CHART_HISTOGRAM;
        c.value = value;
        add_derived(d, c, "sebaran", spread_before);
    }
}

static void derive(struct derivation *d)
{
    const struct odp_timeline *t = d->r->timeline;
    d->r->charts = doc_zero(&d->e->doc, DERIVED_MOST, sizeof *d->r->charts);
    if (t == NULL) {
        derive_usual(d);
        return;
    }
    struct odp_chart c = derived;
    c.type = ODP_CHART_GANTT;
    c.category = t->milestone;
    c.series = t->project;
    c.planned = t->planned;
    c.actual = t->actual;
    add_derived(d, c, "jadwal", late_before);
}

void charts_derive(struct entry *e)
{
    if (e->left_out || e->doc.root == NULL || e->dataset.reference)
        return;
    for (size_t i = 0; i < e->dataset.nresources; i++) {
        struct odp_resource *r = &e->dataset.resources[i];
        bool declared = json_object_get(r->json, "odp:charts") != NULL ||
                        (r->primary && json_object_get(e->doc.root, "odp:charts") != NULL);
        struct derivation d = {.e = e, .r = r};
        if (!declared && r->schema.n > 0)
            derive(&d);
    }
}
