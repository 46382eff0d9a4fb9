/* JSON: the whole dataset in the envelope, one record a line:
 *
 *   {"data":[
 *   {…},
 *   {…}
 *   ],"status":"success","meta":{…}}
 *
 * The meta follows the data because the total is known only then. A chunk is ",\n{…}" for each record: the first comma of the
 * file is left out while appending. api.c pages the same chunks. The download has the full geometry: odp:apiGeometry is about
 * the API. */
#include "write/json.h"

#include "write/emitters.h"
#include "write/file.h"

struct json_emit {
    struct odp_emit_file file;
    struct odp_json_plan plan;
    uint64_t total;
};

const char *odp_json_form(bool has_geometry, enum odp_geometry_mode mode)
{
    if (!has_geometry)
        return "json-records";
    return mode == ODP_GEOMETRY_FULL         ? "json-records-full"
           : mode == ODP_GEOMETRY_SIMPLIFIED ? "json-records-simplified"
                                             : "json-records";
}

enum odp_status odp_json_format(const struct odp_json_plan *plan, const struct odp_batch *b, struct odp_chunk *out)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        odp_json_plan_record(plan, &out->bytes, b, i);
        if (odp_chunk_end_record(out) != ODP_OK)
            return ODP_FAIL;
    }
    return odp_buffer_status(&out->bytes);
}

static const char *json_form(const struct odp_emit_job *job)
{
    return odp_json_form(job->has_geometry, ODP_GEOMETRY_FULL);
}

static enum odp_status json_begin(struct odp_emit **out, const struct odp_emit_job *job)
{
    *out = NULL;
    struct json_emit *e = (struct json_emit *)odp_emit_file_new(sizeof *e, &odp_emitter_json, job);
    if (e == NULL)
        return ODP_FAIL;
    enum odp_status status =
        odp_json_plan_init(&e->plan, job->resource, job->has_geometry, ODP_GEOMETRY_FULL, ",\n", &e->file.arena);
    if (status == ODP_OK)
        status = odp_file_write(e->file.file, ODP_JSON_HEAD, sizeof ODP_JSON_HEAD - 1);
    if (status != ODP_OK)
        odp_emit_file_abort((struct odp_emit *)e);
    else
        *out = (struct odp_emit *)e;
    return status;
}

static enum odp_status json_format(const struct odp_emit *e, const struct odp_batch *b, struct odp_chunk *out)
{
    return odp_json_format(&((const struct json_emit *)e)->plan, b, out);
}

static enum odp_status json_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct json_emit *e = (struct json_emit *)emit;
    if (c->n == 0)
        return ODP_OK;
    size_t skip = e->total == 0; /* the first comma */
    e->total += c->n;
    return odp_file_write(e->file.file, c->bytes.ptr + skip, c->bytes.len - skip);
}

static enum odp_status json_end(struct odp_emit *emit)
{
    struct json_emit *e = (struct json_emit *)emit;
    struct odp_buffer tail;
    odp_buffer_init(&tail);
    odp_buffer_add_str(&tail, e->total > 0 ? "\n]" : "]");
    odp_emit_add_meta(&tail, e->file.base.job, e->total, NULL);
    odp_buffer_add_str(&tail, "}\n");
    enum odp_status status = odp_emit_file_end(&e->file, &tail);
    odp_buffer_release(&tail);
    return status;
}

const struct odp_emitter odp_emitter_json = {
    .file = &odp_format_files[ODP_FILE_json],
    .form = json_form,
    .begin = json_begin,
    .format_batch = json_format,
    .append = json_append,
    .end = json_end,
    .abort = odp_emit_file_abort,
};
