/* The printed document: records are gathered here, as many as are printed, and set at the end
 * (tools/odp-build/write/pdf). Charts and the number of records are those of all. */
#include <stdlib.h>

#include "published/doc.h"
#include "write/chart_set.h"
#include "write/emitters.h"
#include "write/pdf/pdf.h"
#include "write/summary/summary.h"

enum { CELLS_BYTES_MAX = 64 << 20 }; /* of the records that are kept */

struct pdf_emit {
    struct odp_emit base;
    struct odp_cells_reader reader;
    struct odp_chart_set charts;
    struct odp_summary *summary;
    uint32_t columns; /* cells a row: the schema's fields, then the geometry's */
    bool point;
    uint64_t total;
    struct odp_slice *cells;
    uint64_t rows, rows_cap, bytes;
};

static void pdf_release(struct odp_emit *emit)
{
    struct pdf_emit *e = (struct pdf_emit *)emit;
    odp_chart_set_release(&e->charts);
    odp_summary_free(e->summary);
    free(e->cells);
}

static enum odp_status pdf_begin(struct odp_emit *emit)
{
    struct pdf_emit *e = (struct pdf_emit *)emit;
    const struct odp_resource *r = emit->job->resource;
    e->point = r->geometry.types == ODP_GEOM_BIT_POINT;
    e->columns = r->schema.n;
    if (emit->job->has_geometry)
        e->columns += e->point ? 2 : 3;
    odp_cells_reader_init(&e->reader, emit->job, &emit->arena);
    odp_chart_set_init(&e->charts, r, &emit->arena);
    e->summary = odp_summary_new(r, emit->job->rows);
    return ODP_OK;
}

static bool add_row(struct pdf_emit *e)
{
    if (e->rows < e->rows_cap)
        return true;
    uint64_t cap = e->rows_cap != 0 ? e->rows_cap * 2 : 256;
    struct odp_slice *grown = odp_realloc_array(e->cells, cap * (e->columns + 1), sizeof *grown);
    if (grown == NULL)
        return false;
    e->cells = grown;
    e->rows_cap = cap;
    return true;
}

static struct odp_slice keep(struct pdf_emit *e, struct odp_slice s)
{
    e->bytes += s.len;
    return s.ptr != NULL ? odp_arena_copy(&e->base.arena, s) : s;
}

static void keep_place(struct pdf_emit *e, const struct odp_cells *c, struct odp_slice *row)
{
    char digits[2][40];
    if (!c->has_geometry) {
        for (int k = 0; k < (e->point ? 2 : 3); k++)
            row[k] = (struct odp_slice){NULL, 0};
        return;
    }
    for (int k = 0; k < 2; k++)
        row[k] = keep(e, (struct odp_slice){digits[k], odp_decimal_fixed(c->at[k], 7, digits[k])});
    if (!e->point)
        row[2] = odp_slice_of(odp_geom_type_name(c->type));
}

static enum odp_status keep_record(struct pdf_emit *e)
{
    const struct odp_resource *r = e->base.job->resource;
    const struct odp_cells *c = &e->reader.cells;
    if (e->rows >= (uint64_t)r->print.records || e->bytes >= CELLS_BYTES_MAX)
        return ODP_OK;
    if (!add_row(e))
        return ODP_FAIL;
    struct odp_slice *row = &e->cells[e->rows * e->columns];
    for (uint32_t k = 0; k < r->schema.n; k++)
        row[k] = keep(e, c->field[k]);
    if (e->base.job->has_geometry)
        keep_place(e, c, row + r->schema.n);
    e->rows++;
    return ODP_OK;
}

static enum odp_status pdf_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct pdf_emit *e = (struct pdf_emit *)emit;
    odp_cells_reader_begin(&e->reader, c);
    while (odp_cells_reader_next(&e->reader)) {
        e->total++;
        odp_chart_set_add(&e->charts, &e->reader.cells);
        odp_summary_add(e->summary, e->reader.cells.field);
        if (keep_record(e) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* The permanent address of all records: the first format of this version, or this document itself without
 * other formats. */
static char *permanent_url(struct pdf_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    struct odp_arena *a = &e->base.arena;
    const char *path = odp_emit_data_path(job, e->base.download->file->extension, a);
    return odp_arena_printf(a, "%s%s", job->catalog->portal.base_url, path);
}

/* The version's page for people: the dataset's page (dataset_dir of contract/paths.def), at its line in the
 * list of versions. */
static char *page_url(struct pdf_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    return odp_arena_printf(&e->base.arena, "%skatalog/%s.html#versi-%s", job->catalog->portal.base_url,
                            job->resource->dataset->slug, job->version);
}

/* The summary that the site before publishes of this table, in OUT, and the name of its version; NULL:
 * none. A slice is no version of the whole. */
static enum odp_status read_before(const struct pdf_emit *e, struct odp_buffer *out, const char **version)
{
    const struct odp_emit_job *job = e->base.job;
    const json_t *entry = job->previous != NULL && job->slice == NULL
                              ? odp_site_entry(job->previous, job->resource->dataset->slug)
                              : NULL;
    *version = odp_text_of(entry, "version");
    if (**version == '\0' || strcmp(*version, job->version) == 0)
        return ODP_OK;
    struct odp_arena a;
    odp_arena_init(&a);
    struct odp_emit_job then = *job;
    then.version = *version;
    const struct odp_site_file *f =
        odp_site_find(job->previous, odp_emit_data_path(&then, odp_emitter_summary.file->extension, &a));
    enum odp_status status = f != NULL ? odp_site_read(job->previous, f, out, job->diags) : ODP_OK;
    odp_arena_release(&a);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status print(struct pdf_emit *e, struct odp_buffer *summary, struct odp_buffer *before,
                             const char *before_version, struct odp_buffer *out)
{
    const struct odp_emit_job *job = e->base.job;
    const char *date = job->date != NULL ? job->date : job->version;
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(job->logical, hex);
    struct odp_print_job p = {.catalog = job->catalog,
                              .resource = job->resource,
                              .has_geometry = job->has_geometry,
                              .version = job->version,
                              .date = date,
                              .slice_field = job->slice != NULL ? job->slice_field : NULL,
                              .slice_value = job->slice_value,
                              .codes = job->codes,
                              .page = page_url(e),
                              .url = permanent_url(e),
                              .digest = odp_arena_printf(&e->base.arena, "sha256:%s", hex),
                              .base = odp_arena_printf(&e->base.arena, "%sdata/%s/%s/",
                                                       job->catalog->portal.base_url,
                                                       job->resource->dataset->slug, job->version),
                              .summary = odp_buffer_cstr(summary),
                              .before = before->len > 0 ? odp_buffer_cstr(before) : NULL,
                              .before_version = before_version,
                              .total = e->total,
                              .cells = e->cells,
                              .rows = e->rows,
                              .columns = e->columns,
                              .charts = e->charts.data,
                              .ncharts = e->charts.n};

    enum odp_status status = odp_chart_set_finish(&e->charts, job->codes);
    return status == ODP_OK ? odp_print_pdf(&p, out) : status;
}

static enum odp_status pdf_end(struct odp_emit *emit)
{
    struct pdf_emit *e = (struct pdf_emit *)emit;
    struct odp_buffer bytes = {0}, summary = {0}, before = {0};
    const struct odp_format_file *file = odp_emitter_pdf.file;
    const char *version = NULL;
    enum odp_status status = odp_summary_json(e->summary, emit->job->codes, &summary);
    if (status == ODP_OK)
        status = read_before(e, &before, &version);
    if (status == ODP_OK)
        status = print(e, &summary, &before, version, &bytes);
    if (status == ODP_OK)
        status = odp_emit_put(emit->job, odp_emit_data_path(emit->job, file->extension, &emit->arena),
                              file->media_type, ODP_CLASS_PUBLIC, &bytes);
    odp_buffer_release(&before);
    odp_buffer_release(&summary);
    odp_buffer_release(&bytes);
    return status;
}

const struct odp_emitter odp_emitter_pdf = {
    .file = &odp_format_files[ODP_FILE_pdf],
    .tells_digest = true,
    .form = odp_cells_form,
    .size = sizeof(struct pdf_emit),
    .begin = pdf_begin,
    .format_batch = odp_cells_format,
    .append = pdf_append,
    .end = pdf_end,
    .release = pdf_release,
};
