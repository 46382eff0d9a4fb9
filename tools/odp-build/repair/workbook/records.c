/* Records of a source, one after the other, as the correction workbook shows them. */
#include <stdlib.h>

#include "repair/workbook/records.h"

bool correct_is_shapefile(const struct odp_resource *r, const char *path)
{
    const struct odp_source_kind *kind = odp_source_kind_at(r, path);
    return kind != NULL && strcmp(kind->name, "shapefile") == 0;
}

bool correct_can_rewrite(const struct odp_resource *r, const char *path)
{
    const struct odp_source_kind *kind = odp_source_kind_at(r, path);
    return kind != NULL && (strcmp(kind->name, "csv") == 0 ||
                            (strcmp(kind->name, "shapefile") == 0 && !odp_path_ends(path, ".zip")));
}

char *correct_source(const struct odp_correct_options *o, const struct odp_resource *r, struct odp_arena *a)
{
    if (o->as_file != NULL && o->as_slug != NULL && r->primary && strcmp(r->dataset->slug, o->as_slug) == 0)
        return odp_arena_str(a, o->as_file);
    return odp_resource_source(r, o->sources, a);
}

/* ---- one record ---- */

struct reading {
    const struct odp_source_info *info;
    struct odp_source *source;
    struct odp_batch batch;
    struct correct_record record;
};

static enum odp_status record_init(struct correct_record *r, uint32_t ncolumns)
{
    odp_buffer_init(&r->text);
    odp_buffer_init(&r->scratch);
    size_t n = (size_t)ncolumns + 1;
    r->shown = odp_realloc_array(NULL, n, sizeof *r->shown);
    r->cut = odp_realloc_array(NULL, n, sizeof *r->cut);
    r->at = odp_realloc_array(NULL, n, sizeof *r->at);
    return r->shown != NULL && r->cut != NULL && r->at != NULL ? ODP_OK : ODP_FAIL;
}

static void record_release(struct correct_record *r)
{
    free(r->shown);
    free(r->cut);
    free(r->at);
    odp_buffer_release(&r->text);
    odp_buffer_release(&r->scratch);
}

/* Record I of the batch as shown. One whose cells could not be separated shows those there are, and is known
 * by its text. */
static enum odp_status record_take(struct correct_record *r, const struct odp_batch *b, uint32_t i,
                                   uint32_t ncolumns)
{
    const struct odp_record *raw = &b->records[i];
    r->batch = b;
    r->raw = raw;
    r->row = raw->row;
    r->line = raw->line;
    r->broken = raw->count != ncolumns;
    odp_buffer_clear(&r->text);
    for (uint32_t c = 0; c < ncolumns; c++) {
        r->at[c] = r->text.len;
        r->cut[c] = false;
        if (c < raw->count)
            correct_shown(&r->text,
                          (struct odp_slice){b->cells[raw->first + c].ptr, b->cells[raw->first + c].len},
                          &r->cut[c]);
    }
    r->at[ncolumns] = r->text.len;
    if (r->broken)
        correct_shown(&r->text, raw->source, NULL);
    if (odp_buffer_status(&r->text) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t c = 0; c < ncolumns; c++)
        r->shown[c] = (struct odp_slice){r->text.ptr + r->at[c], r->at[c + 1] - r->at[c]};
    r->shown[ncolumns] = (struct odp_slice){r->text.ptr + r->at[ncolumns], r->text.len - r->at[ncolumns]};
    correct_digest(r->shown, (size_t)ncolumns + r->broken, &r->scratch, r->digest);
    return odp_buffer_status(&r->scratch);
}

static enum odp_status read_all(struct reading *g, const struct odp_resource *r,
                                const struct correct_reading *to)
{
    enum odp_status status = to->begin != NULL ? to->begin(to->ctx, g->info) : ODP_OK;
    while (status == ODP_OK) {
        odp_batch_reset(&g->batch, r);
        status = odp_source_read(g->source, &g->batch);
        if (status == ODP_OK && odp_source_slice(g->source, &g->batch, 0) == ODP_FAIL)
            status = ODP_FAIL;
        for (uint32_t i = 0; status == ODP_OK && i < g->batch.nrecords; i++) {
            status = record_take(&g->record, &g->batch, i, g->info->ncolumns);
            if (status == ODP_OK)
                status = to->take(to->ctx, g->info, &g->record);
        }
    }
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status correct_read(const struct odp_resource *r, const char *path, const struct correct_reading *to,
                             struct odp_diags *diags)
{
    struct reading g = {0};
    enum odp_status status = odp_source_open(&g.source, r, path, path, 1, diags);
    if (status != ODP_OK)
        return status;
    g.info = odp_source_info(g.source);
    status = odp_batch_init(&g.batch, 0);
    if (status == ODP_OK) {
        status = record_init(&g.record, g.info->ncolumns);
        if (status == ODP_OK)
            status = read_all(&g, r, to);
        record_release(&g.record);
    }
    odp_batch_release(&g.batch);
    odp_source_close(g.source);
    return status;
}
