/* NDJSON: a record a line, the object that stands in `data` of the JSON download, and nothing else: no envelope, no commas. LF ends every line, the last
 * too; no record is an empty file. The geometry is full. */
#include "write/emitters.h"
#include "write/file.h"
#include "write/record.h"

struct ndjson_emit {
    struct odp_emit_file file;
    struct odp_json_plan plan;
};

static enum odp_status ndjson_begin(struct odp_emit **out, const struct odp_emit_job *job)
{
    *out = NULL;
    struct ndjson_emit *e = (struct ndjson_emit *)odp_emit_file_new(sizeof *e, &odp_emitter_ndjson, job);
    if (e == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_json_plan_init(&e->plan, job->resource, job->has_geometry, ODP_GEOMETRY_FULL, "", &e->file.arena);
    if (status != ODP_OK)
        odp_emit_file_abort((struct odp_emit *)e);
    else
        *out = (struct odp_emit *)e;
    return status;
}

static enum odp_status ndjson_format(const struct odp_emit *emit, const struct odp_batch *b, struct odp_chunk *out)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        odp_json_plan_record(&((const struct ndjson_emit *)emit)->plan, &out->bytes, b, i);
        odp_buffer_add_char(&out->bytes, '\n');
    }
    return odp_buffer_status(&out->bytes);
}

static enum odp_status ndjson_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    return odp_file_write(((struct ndjson_emit *)emit)->file.file, c->bytes.ptr, c->bytes.len);
}

static enum odp_status ndjson_end(struct odp_emit *emit)
{
    const struct odp_buffer nothing = {0};
    return odp_emit_file_end((struct odp_emit_file *)emit, &nothing);
}

const struct odp_emitter odp_emitter_ndjson = {
    .file = &odp_format_files[ODP_FILE_ndjson],
    .begin = ndjson_begin,
    .format_batch = ndjson_format,
    .append = ndjson_append,
    .end = ndjson_end,
    .abort = odp_emit_file_abort,
};
