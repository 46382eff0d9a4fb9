/* The resource as it is known so far, and a pass over its records: the source as the check reads it, on one
 * thread.
 *
 * Totals and notes among the records (a total word in the first cell, with gaps) are ignored; the check
 * reports them. */

#include "base/path.h"
#include "read/source.h"
#include "read/total.h"
#include "repair/draft/draft_internal.h"

void draft_resource_text(struct odp_draft *d)
{
    struct odp_resource *r = &d->resource;
    r->dataset = &d->dataset;
    d->dataset.slug = d->slug;
    r->name = d->slug;
    r->path = d->basename;
    static const char *const formats[] = {
        [ODP_DRAFT_CSV] = "csv", [ODP_DRAFT_SHAPEFILE] = "shp", [ODP_DRAFT_WORKBOOK] = "xlsx"};
    bool packed = d->kind == ODP_DRAFT_SHAPEFILE && odp_path_ends(d->basename, ".zip");
    r->format = packed ? "zip" : formats[d->kind];
    r->encoding = d->encoding != NULL ? d->encoding : "utf-8";
    r->encoding_declared = d->kind == ODP_DRAFT_CSV;
    r->bytes = -1;
    r->where = "dataset.json";
    r->dialect = (struct odp_dialect){.delimiter = d->delimiter != 0 ? d->delimiter : ',',
                                      .quote = d->quote,
                                      .double_quote = d->escape == 0,
                                      .escape = d->escape,
                                      .comment = d->comment,
                                      .header = d->header,
                                      .header_rows = d->header_rows,
                                      .nheader_rows = d->header ? d->nheader_rows : 0,
                                      .header_join = " ",
                                      .comment_rows = d->comment_rows,
                                      .ncomment_rows = d->ncomment_rows,
                                      .skip_initial_space = d->skip_space,
                                      .sheet_name = d->sheet,
                                      .declared = true};
}

/* Counts faults of reading, with the line of the first of each kind. */
static void count_faults(struct odp_draft *d, const struct odp_diags *diags)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    for (size_t i = 0; i < n; i++) {
        if (d->faults[groups[i]->code] == 0 && groups[i]->examples != NULL)
            d->fault_line[groups[i]->code] = groups[i]->examples->diag.line;
        d->faults[groups[i]->code] += groups[i]->count;
    }
}

static enum odp_status read_all(struct odp_draft *d, struct odp_source *source, struct odp_batch *b,
                                draft_record *take)
{
    enum odp_status status;
    for (;;) {
        odp_batch_reset(b, &d->resource);
        status = odp_source_read(source, b);
        if (status == ODP_DONE) {
            count_faults(d, b->diags);
            return ODP_OK;
        }
        if (status == ODP_OK)
            status = odp_source_slice(source, b, 0);
        for (uint32_t i = 0; i < b->nrecords && status == ODP_OK; i++) {
            if ((b->records[i].flags & ODP_RECORD_SKIP) != 0)
                d->skipped++;
            else
                take(d, b, i);
        }
        count_faults(d, b->diags);
        if (status == ODP_OK)
            status = draft_status(d);
        if (status != ODP_OK)
            return status;
    }
}

enum odp_status draft_each(struct odp_draft *d, draft_record *take, struct odp_diags *diags)
{
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    struct odp_batch b;
    d->skipped = 0;
    memset(d->faults, 0, sizeof d->faults);
    if (odp_batch_init(&b, 1) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_diags_new(&own, 10);
    if (status == ODP_OK)
        status = odp_source_open(&source, &d->resource, d->options.path, d->options.file, 1, own);
    if (status == ODP_BAD && odp_diags_merge(diags, own) == ODP_FAIL)
        status = ODP_FAIL;
    if (status == ODP_OK) {
        count_faults(d, own);
        status = read_all(d, source, &b, take);
    }
    odp_source_close(source);
    odp_diags_free(own);
    odp_batch_release(&b);
    return status;
}

bool draft_cell(const struct odp_batch *b, uint32_t i, uint32_t c, struct odp_cell *out)
{
    if (c >= b->records[i].count)
        return false;
    *out = b->cells[b->records[i].first + c];
    return true;
}

/* A total or a note among the records, which would spoil the counts. The check looks more closely
 * (read/total.h). */
bool draft_suspect(const struct odp_draft *d, const struct odp_batch *b, uint32_t i)
{
    const struct odp_record *r = &b->records[i];
    const struct odp_cell *cell = b->cells + r->first;
    uint32_t at = 0, filled = 0;
    if (d->kind == ODP_DRAFT_SHAPEFILE || r->count < 2)
        return false;
    while (at < r->count && cell[at].len == 0)
        at++;
    if (at == r->count)
        return false;
    struct odp_slice s = {cell[at].ptr, cell[at].len};
    bool total = s.len < 40 && odp_is_total_word(s), note = !total && odp_begins_note(odp_slice_trim(s));
    if (!total && !note)
        return false;
    for (uint32_t k = 0; k < r->count && k < d->n; k++)
        filled += cell[k].len > 0;
    return total ? filled < d->n || (b->last && i + 1 == b->nrecords) : filled == 1;
}
