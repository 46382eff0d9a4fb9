/* Tries every cell of every column as everything it could be. */

#include "repair/draft/draft_internal.h"

static void take_geometry(struct odp_draft *d, const struct odp_geom *g)
{
    if (g == NULL) {
        d->geometry_null++;
        return;
    }
    d->geometry_count++;
    d->geometry_types |= 1U << g->type; /* bits in this order */
    odp_bbox_extend(d->box, &d->has_box, g->bbox);
}

static void take_record(struct odp_draft *d, const struct odp_batch *b, uint32_t i)
{
    const struct odp_record *r = &b->records[i];
    struct odp_cell cell;
    if (draft_suspect(d, b, i)) {
        if (d->suspects < EXAMPLES)
            d->suspect[d->suspects] = (struct example){
                draft_shown(d, r->source.len > 0
                                   ? r->source
                                   : (struct odp_slice){b->cells[r->first].ptr, b->cells[r->first].len}),
                r->line};
        d->suspects++;
        return;
    }
    d->rows++;
    for (uint32_t c = 0; c < d->n; c++)
        if (draft_cell(b, i, c, &cell)) {
            d->columns[c].stored[0] += cell.oddity == ODP_ODD_NUMBER;
            d->columns[c].stored[1] += cell.oddity == ODP_ODD_DATE;
            column_take(d, &d->columns[c], &cell, r->line, d->rows);
        }
    for (uint32_t c = d->n; c < r->count; c++)
        d->beyond += b->cells[r->first + c].len > 0;
    if (d->kind == ODP_DRAFT_SHAPEFILE)
        take_geometry(d, b->geometry != NULL ? b->geometry[i] : NULL);
}

/* The schema so far: texts in the survey, the decided types after it. */
void draft_resource(struct odp_draft *d)
{
    static struct odp_slice empty = {"", 0};
    draft_resource_text(d);
    d->header_names = d->kind == ODP_DRAFT_SHAPEFILE || d->header;
    d->resource.dialect.header = d->header;
    d->resource.schema.n = d->n;
    d->resource.schema.match = d->trailing ? ODP_MATCH_SUBSET : ODP_MATCH_EXACT;
    d->resource.geometry.present = d->kind == ODP_DRAFT_SHAPEFILE;
    d->resource.geometry.crs = d->crs_assumed ? d->crs : NULL;
    for (uint32_t i = 0; i < d->n; i++) {
        struct odp_field *f = &d->resource.schema.fields[i];
        const struct column *c = &d->columns[i];
        *f = (struct odp_field){.name = c->name,
                                .type = c->type,
                                .is_public = true,
                                .where = "dataset.json",
                                .list_delimiter = ','};
        f->unlabelled = d->header_names && c->label.len == 0;
        f->source_name = d->header_names && c->label.len > 0 ? c->label.ptr : c->name;
        f->missing = (struct odp_strings){&empty, 1};
        f->constraints.required = c->required;
        f->constraints.min_length = f->constraints.max_length = -1;
        f->decimal =
            (struct odp_decimal_form){.decimal = '.', .bare = true, .integer = c->type == ODP_TYPE_INTEGER};
    }
    d->resource.schema.primary = d->primary;
}

static void make_columns(struct odp_draft *d, uint32_t n)
{
    d->n = n;
    d->columns = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *d->columns);
    d->resource.schema.fields = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *d->resource.schema.fields);
    for (uint32_t i = 0; i < n; i++) {
        struct column *c = &d->columns[i];
        c->label = odp_arena_copy(&d->arena, odp_slice_trim(d->labels[i]));
        c->title = d->titles != NULL ? odp_arena_copy(&d->arena, odp_slice_trim(d->titles[i])) : c->label;
        if (d->units != NULL)
            c->unit = odp_arena_copy(&d->arena, draft_unbracketed(d->units[i]));
        c->form_index = -1;
        if (d->native != NULL) {
            c->native = d->native[i] == 'C' ? 0 : d->native[i];
            c->width = d->native_width[i];
        }
    }
    draft_names(d);
}

/* A column whose cells a workbook has all as numbers, or as days, is one. */
static void take_stored(struct column *c)
{
    if (c->stored[0] > 0 && c->stored[0] + c->tokens == c->cells)
        c->native = 'N';
    if (c->stored[1] > 0 && c->stored[1] + c->tokens == c->cells && c->longest <= 10)
        c->native = 'D';
}

enum odp_status odp_draft_survey(struct odp_draft *d, struct odp_diags *diags)
{
    for (uint32_t i = 0; i < d->n; i++)
        distinct_drop(&d->columns[i].distinct, &d->budget);
    d->rows = d->suspects = d->beyond = d->geometry_null = d->geometry_count = 0;
    d->geometry_types = 0;
    d->has_box = false;
    d->primary.n = 0;
    d->ndoubts = d->doubts_file;
    d->facts_end = d->facts_file;
    *d->facts_end = NULL;
    make_columns(d, d->ncolumns);
    draft_resource(d);
    enum odp_status status = draft_each(d, take_record, diags);
    if (status == ODP_OK && d->rows + d->skipped + d->suspects == 0)
        status = draft_fault(d, diags, ODP_I05, NULL, NULL);
    if (status == ODP_OK)
        status = draft_targets(d);
    for (uint32_t i = 0; i < d->n; i++)
        take_stored(&d->columns[i]);
    if (status == ODP_OK) {
        draft_compare(d);
        draft_decide(d);
    }
    return status == ODP_OK ? draft_status(d) : status;
}
