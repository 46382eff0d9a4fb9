/* <slug>[-<resource>].summary.json: the table's figures, by time and place (write/summary). No part of a
 * version: it is made anew with other words and highlights. */
#include "write/cells.h"
#include "write/emitters.h"
#include "write/summary/summary.h"

struct summary_emit {
    struct odp_emit base;
    struct odp_cells_reader reader;
    struct odp_summary *summary;
};

static bool has_measures(const struct odp_emit_job *job)
{
    return job->resource->measures.n > 0;
}

static void summary_release(struct odp_emit *emit)
{
    odp_summary_free(((struct summary_emit *)emit)->summary);
}

static enum odp_status summary_begin(struct odp_emit *emit)
{
    struct summary_emit *e = (struct summary_emit *)emit;
    odp_cells_reader_init(&e->reader, emit->job, &emit->arena);
    e->summary = odp_summary_new(emit->job->resource, emit->job->rows);
    return ODP_OK;
}

static enum odp_status summary_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct summary_emit *e = (struct summary_emit *)emit;
    odp_cells_reader_begin(&e->reader, c);
    while (odp_cells_reader_next(&e->reader))
        odp_summary_add(e->summary, e->reader.cells.field);
    return ODP_OK;
}

static enum odp_status summary_end(struct odp_emit *emit)
{
    struct summary_emit *e = (struct summary_emit *)emit;
    struct odp_buffer bytes = {0};
    enum odp_status status = odp_summary_json(e->summary, emit->job->codes, &bytes);
    const char *path = odp_emit_data_path(emit->job, emit->kind->file->extension, &emit->arena);
    if (status == ODP_OK)
        status = odp_emit_put(emit->job, path, emit->kind->file->media_type, ODP_CLASS_PUBLIC, &bytes);
    odp_buffer_release(&bytes);
    return status;
}

const struct odp_emitter odp_emitter_summary = {
    .file = &(const struct odp_format_file){.name = "summary",
                                            .extension = ".summary.json",
                                            .media_type = "application/json"},
    .wanted = has_measures,
    .form = odp_cells_form,
    .size = sizeof(struct summary_emit),
    .begin = summary_begin,
    .format_batch = odp_cells_format,
    .append = summary_append,
    .end = summary_end,
    .release = summary_release,
};
