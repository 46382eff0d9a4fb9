/* Which fields a feature of the map has: its key, what names it, what colours it, where it is, and further
 * short ones so that a popup is worth opening. */
#include "write/map/map_internal.h"

/* A field that names records: what the PDF takes as title, else the first text whose name says so. */
static uint32_t find_label(const struct odp_emit_job *job)
{
    static const char *const names[] = {"nama", "name", "judul", "title", "lokasi", "label"};
    const struct odp_resource *r = job->resource;
    const struct odp_schema *s = &r->schema;
    if (r->print.title > 0 &&
        s->fields[r->print.title].is_public) /* 0 is also what a resource without odp:print may have */
        return (uint32_t)r->print.title;
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        for (uint32_t k = 0; k < s->n; k++) {
            size_t len = strlen(names[i]);
            const struct odp_field *f = &s->fields[k];
            if (f->is_public && f->type == ODP_TYPE_STRING && strncmp(f->name, names[i], len) == 0 &&
                (f->name[len] == '\0' || f->name[len] == '_'))
                return k;
        }
    return MAP_NONE;
}

/* The colour field of the first map among the charts, else the first public field with few categories. */
static uint32_t find_category(const struct odp_emit_job *job)
{
    const struct odp_resource *r = job->resource;
    for (size_t i = 0; i < r->ncharts; i++)
        if (r->charts[i].type == ODP_CHART_MAP && r->charts[i].category >= 0)
            return (uint32_t)r->charts[i].category;
    for (uint32_t k = 0; k < r->schema.n; k++)
        if (r->schema.fields[k].is_public && r->schema.fields[k].ncategories > 0 &&
            r->schema.fields[k].ncategories <= MAP_VALUES)
            return k;
    return MAP_NONE;
}

/* A code of the lists of regions. */
static uint32_t find_place(const struct odp_emit_job *job)
{
    static const char *const lists[] = {"kabkota", "kecamatan", "desa", "provinsi"};
    const struct odp_resource *r = job->resource;
    for (size_t i = 0; i < ODP_COUNT(lists); i++)
        for (size_t k = 0; k < r->nforeign; k++) {
            const struct odp_foreign_key *f = &r->foreign[k];
            if (f->local.n == 1 && f->target->dataset->reference &&
                strcmp(f->target->dataset->slug, lists[i]) == 0 &&
                r->schema.fields[f->local.fields[0]].is_public)
                return f->local.fields[0];
        }
    return MAP_NONE;
}

/* Position of FIELD in the plan; adds it if need be. */
static uint32_t put(struct map_plan *p, uint32_t field)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->field[i] == field)
            return i;
    if (field == MAP_NONE || p->n == ODP_COUNT(p->field))
        return MAP_NONE;
    p->field[p->n] = field;
    return p->n++;
}

static bool is_short(const struct odp_field *f)
{
    return odp_field_type(f->type)->plain ||
           (f->type == ODP_TYPE_STRING && f->string_format == ODP_STRING_DEFAULT && f->document == NULL &&
            f->constraints.max_length <= 120);
}

void map_plan_make(struct map_plan *p, const struct odp_emit_job *job)
{
    const struct odp_schema *s = &job->resource->schema;
    *p = (struct map_plan){.key = odp_feature_key(s)};
    for (uint32_t k = 0; p->key != NULL && k < p->key->n && k < MAP_FIELDS; k++)
        (void)put(p, p->key->fields[k]);
    p->label = put(p, find_label(job));
    p->category = put(p, find_category(job));
    p->must = p->n;
    p->place = put(p, find_place(job));
    for (uint32_t k = 0; k < s->n && p->n < MAP_FIELDS; k++)
        if (s->fields[k].is_public && s->fields[k].deprecated == NULL && is_short(&s->fields[k]))
            (void)put(p, k);
}
