/* The measures of a resource: how many records, the sums and means of its numbers, how many records each
 * category of a field has. odp:aggregate says of a field whether its numbers add up, odp:highlights which
 * figures matter; without a word unit and title tell. odp:places and odp:boundaries say of a code list what
 * its codes are. */
#include "catalog/catalog_internal.h"

enum { MEASURES_MAX = 40, HIGHLIGHTS_MAX = 4, CATEGORIES_MAX = 8 };

/* ---- what adds up ---- */

/* In either language. */
static bool text_has(const struct odp_text *t, const char *words)
{
    return odp_name_has(odp_text_get(t, ODP_LANG_ID), words) ||
           odp_name_has(odp_text_get(t, ODP_LANG_EN), words);
}

/* Percentages, indices, rates and means do not add up; a number without a unit may be anything. */
static enum odp_aggregate assume(const struct odp_field *f)
{
    static const char units[] = "persen % percent indeks index skor score tahun years per",
                      titles[] = "rata rerata rataan median mean average";
    if (odp_text_is_empty(&f->unit))
        return ODP_AGGREGATE_NONE;
    bool rate = text_has(&f->unit, units) || strchr(odp_text_get(&f->unit, ODP_LANG_ID), '/') != NULL ||
                text_has(&f->title, titles) || odp_name_has(f->name, titles);
    return rate ? ODP_AGGREGATE_MEAN : ODP_AGGREGATE_SUM;
}

static bool is_of_key(const struct entry *e, const struct odp_resource *r, uint32_t field)
{
    bool is = odp_key_has(&r->schema.primary, field);
    for (const struct pending_key *k = e->keys; k != NULL && !is; k = k->next)
        is = k->resource == r && odp_key_has(&k->local, field);
    return is;
}

/* Codes and coordinates are numbers, too, but nothing is counted or measured by them. */
static bool is_figure(const struct entry *e, const struct odp_resource *r, uint32_t field)
{
    const struct odp_geometry_spec *g = &r->geometry;
    return odp_schema_is_figure(&r->schema, field) && !is_of_key(e, r, field) && g->lon != field + 1 &&
           g->lat != field + 1 && r->schema.fields[field].ncategories == 0;
}

static void aggregates_read(struct node resource, const struct entry *e, struct odp_resource *r)
{
    struct field_iter it = fields_iterate(node_get(node_get(resource, "schema"), "fields"), &r->schema);
    for (struct odp_field *f = field_next(&it); f != NULL; f = field_next(&it)) {
        struct node own = node_get(it.at.item, "odp:aggregate");
        bool said = f->aggregate != ODP_AGGREGATE_UNSAID, number = odp_type_is_number(f->type);
        if (said && f->aggregate != ODP_AGGREGATE_NONE && !f->is_public)
            node_fault(own, ODP_C16, "odp:aggregate", "sdi:aksesPublik");
        else if (said && !number && f->type != ODP_TYPE_ANY)
            (void)node_misplaced(own, "number, integer");
        if (!number || !f->is_public)
            f->aggregate = ODP_AGGREGATE_NONE;
        else if (!said)
            f->aggregate = is_figure(e, r, it.next - 1) ? assume(f) : ODP_AGGREGATE_NONE;
    }
    resource.doc->field = NULL;
}

/* ---- the figures ---- */

struct figures {
    struct odp_measure *item;
    uint32_t n;
};

static void add_categories(struct doc *d, const struct odp_field *f, int field, struct figures *out)
{
    for (size_t i = 0; i < f->ncategories; i++)
        out->item[out->n++] =
            (struct odp_measure){.name = doc_printf(d, "%s=%.*s", f->name, (int)f->categories[i].value.len,
                                                    f->categories[i].value.ptr),
                                 .field = field,
                                 .category = &f->categories[i],
                                 .aggregate = ODP_CHART_COUNT};
}

/* All there are: of records, of numbers, of categories. */
static struct figures list_figures(struct doc *d, const struct entry *e, const struct odp_resource *r)
{
    const struct odp_schema *s = &r->schema;
    struct figures out = {doc_zero(d, 1 + (size_t)s->n * (1 + CATEGORIES_MAX), sizeof *out.item), 1};
    out.item[0] = (struct odp_measure){.name = "count", .field = -1, .aggregate = ODP_CHART_COUNT};
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fields[k].aggregate != ODP_AGGREGATE_NONE)
            out.item[out.n++] = (struct odp_measure){
                .name = s->fields[k].name,
                .field = (int)k,
                .aggregate = s->fields[k].aggregate == ODP_AGGREGATE_SUM ? ODP_CHART_SUM : ODP_CHART_MEAN};
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fields[k].is_public && s->fields[k].ncategories <= CATEGORIES_MAX && !is_of_key(e, r, k))
            add_categories(d, &s->fields[k], (int)k, &out);
    return out;
}

static bool is_chosen(const struct odp_measures *m, const struct odp_measure *one)
{
    bool is = false;
    for (uint32_t i = 0; i < m->n; i++)
        is = is || (m->item[i].field == one->field && m->item[i].category == one->category);
    return is;
}

static void choose(struct odp_measures *m, const struct odp_measure *one)
{
    if (m->n < MEASURES_MAX && !is_chosen(m, one))
        m->item[m->n++] = *one;
}

/* ---- which of them matter ---- */

static void unknown_figure(struct node n, const struct figures *all, const char *name)
{
    const uint32_t count = all->n < NODE_SEARCHED ? all->n : NODE_SEARCHED;
    const char **names = doc_zero(n.doc, count, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = all->item[i].name;
    node_unknown(n, odp_slice_of(name), names, count);
}

static void read_highlight(struct node n, const struct figures *all, struct odp_measures *m)
{
    const char *name = node_string(n);
    uint32_t i = 0;
    while (name != NULL && i < all->n && strcmp(all->item[i].name, name) != 0)
        i++;
    if (name == NULL)
        return;
    if (i == all->n)
        unknown_figure(n, all, name);
    else if (is_chosen(m, &all->item[i]))
        node_fault(n, ODP_C08, name, NULL);
    else
        choose(m, &all->item[i]);
}

/* The worst of an ordered field's categories comes last, as a rule. */
static bool is_last_step(const struct odp_schema *s, const struct odp_measure *m)
{
    if (m->category == NULL || !s->fields[m->field].categories_ordered)
        return false;
    const struct odp_field *f = &s->fields[m->field];
    return m->category == &f->categories[f->ncategories - 1];
}

/* How many records there are, sums, means, last steps. */
static void assume_highlights(const struct odp_schema *s, const struct figures *all, struct odp_measures *m)
{
    for (int turn = 0; turn < 4; turn++)
        for (uint32_t i = 0; i < all->n && m->n < HIGHLIGHTS_MAX; i++) {
            const struct odp_measure *one = &all->item[i];
            const bool wanted[] = {one->field < 0 && !m->panel, one->aggregate == ODP_CHART_SUM,
                                   one->aggregate == ODP_CHART_MEAN, is_last_step(s, one)};
            if (wanted[turn])
                choose(m, one);
        }
}

/* ---- time ---- */

static bool is_time(const struct odp_field *f, bool exact)
{
    bool date = f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME;
    return f->is_public && (f->type == ODP_TYPE_YEAR || f->type == ODP_TYPE_YEARMONTH || (date && !exact));
}

/* Part of the key, else a year, else odp:datetime, else the first date. */
static int find_time(const struct odp_resource *r)
{
    const struct odp_schema *s = &r->schema;
    for (uint32_t i = 0; i < s->primary.n; i++)
        if (is_time(&s->fields[s->primary.fields[i]], false))
            return (int)s->primary.fields[i];
    for (int exact = 1; exact >= 0; exact--) {
        if (!exact && r->datetime[0] >= 0)
            return r->datetime[0];
        for (uint32_t k = 0; k < s->n; k++)
            if (is_time(&s->fields[k], exact))
                return (int)k;
    }
    return -1;
}

/* ---- the whole ---- */

void measures_read(struct node resource, const struct entry *e, struct odp_resource *r)
{
    struct odp_measures *m = &r->measures;
    struct node highlights = node_inherited(resource, "odp:highlights", r->primary);
    m->time = -1;
    node_line(node_inherited(resource, "odp:record", r->primary), 60, &m->record);
    node_line(node_inherited(resource, "odp:recordOne", r->primary), 60, &m->one);
    if (r->schema.n == 0)
        return;
    aggregates_read(resource, e, r);
    m->time = find_time(r);
    m->panel = m->time >= 0 && odp_key_has(&r->schema.primary, (uint32_t)m->time);
    struct figures all = list_figures(resource.doc, e, r);
    m->item = doc_zero(resource.doc, MEASURES_MAX, sizeof *m->item);
    if (highlights.json == NULL)
        assume_highlights(&r->schema, &all, m);
    else if (list_fits(highlights, 0, HIGHLIGHTS_MAX))
        for (struct node_iter it = node_iterate(highlights); node_next(&it);)
            read_highlight(it.item, &all, m);
    m->nhighlights = m->n;
    for (uint32_t i = 0; i < all.n; i++)
        choose(m, &all.item[i]);
}

/* ---- code lists of places, and of their boundaries ---- */

static bool has_code(const struct odp_resource *r)
{
    const struct odp_key *key = &r->schema.primary;
    return key->n == 1 && r->schema.fields[key->fields[0]].type == ODP_TYPE_STRING &&
           r->schema.fields[key->fields[0]].is_public;
}

/* Its key leads into another list. (Targets have no dataset yet: odp_boundaries_of comes later.) */
static bool draws_others(const struct odp_dataset *d, const struct odp_resource *r)
{
    bool any = false;
    for (size_t i = 0; i < r->nforeign; i++) {
        const struct odp_foreign_key *k = &r->foreign[i];
        bool own = k->target >= d->resources && k->target < d->resources + d->nresources;
        any = any || (!own && r->schema.primary.n == 1 && k->local.n == 1 &&
                      k->local.fields[0] == r->schema.primary.fields[0] &&
                      strncmp(k->label, "references/", 11) == 0);
    }
    return any;
}

void places_check(struct entry *e)
{
    const struct odp_dataset *d = &e->dataset;
    struct node places = node_get(doc_root(&e->doc), "odp:places"),
                boundaries = node_get(doc_root(&e->doc), "odp:boundaries");
    if (!d->reference) {
        (void)node_misplaced(places, "references/…");
        (void)node_misplaced(boundaries, "references/…");
        return;
    }
    for (size_t i = 0; i < d->nresources && !e->doc.bad; i++) {
        const struct odp_resource *r = &d->resources[i];
        e->doc.resource = odp_resource_said(r);
        if (d->places && !has_code(r))
            (void)node_misplaced(places, "primaryKey: [string]");
        if (d->boundaries && !r->geometry.present)
            (void)node_misplaced(boundaries, "odp:geometry, .shp");
        else if (d->boundaries && !draws_others(d, r))
            (void)node_misplaced(boundaries, "primaryKey → odp:foreignKeys → references/…");
    }
    e->doc.resource = NULL;
}
