/* JSON and NDJSON. JSON is the whole dataset in the envelope, one record a line:
 *
 *   {"data":[
 *   {…},
 *   {…}
 *   ],"status":"success","meta":{…}}
 *
 * The meta follows the data because the total is known only then. A chunk is ",\n{…}" for each record: the
 * first comma of the file is left out while appending. api.c pages the same chunks.
 *
 * NDJSON has a line for each record, the same object as in `data`, without envelope and commas. LF ends every
 * line, the last too; without records the file is empty.
 *
 * The downloads have the full geometry: odp:apiGeometry applies to the API. */
#include "write/json.h"

#include "write/emitters.h"
#include "write/file.h"

struct json_emit {
    struct odp_emit_file file;
    struct odp_json_plan plan;
    uint64_t total;
};

const char *odp_json_form(const struct odp_emit_job *job, enum odp_geometry_mode mode, bool labels)
{
    if (labels && job->labels != NULL)
        return "json-records-labelled";
    if (job->has_geometry && mode == ODP_GEOMETRY_FULL)
        return "json-records-full";
    return job->has_geometry && mode == ODP_GEOMETRY_SIMPLIFIED ? "json-records-simplified" : "json-records";
}

enum odp_status odp_json_format(const struct odp_json_plan *plan, const struct odp_batch *b,
                                struct odp_chunk *out)
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
    return odp_json_form(job, ODP_GEOMETRY_FULL, true);
}

/* HEAD: of the file; LEAD: of each record. */
static enum odp_status begin(struct odp_emit *emit, const char *head, const char *lead)
{
    struct json_emit *e = (struct json_emit *)emit;
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_buffer_add_str(&text, head);
    odp_json_plan_init(&e->plan, emit->job, ODP_GEOMETRY_FULL, emit->job->labels, lead, &emit->arena);
    return odp_emit_file_begin_take(&e->file, &text);
}

static enum odp_status json_begin(struct odp_emit *emit)
{
    return begin(emit, ODP_JSON_HEAD, ",\n");
}

static enum odp_status json_format(const struct odp_emit *e, const struct odp_batch *b, struct odp_chunk *out)
{
    return odp_json_format(&((const struct json_emit *)e)->plan, b, out);
}

static enum odp_status json_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    ((struct json_emit *)emit)->total += c->n;
    return odp_emit_file_append_list(emit, c);
}

static enum odp_status json_end(struct odp_emit *emit)
{
    struct json_emit *e = (struct json_emit *)emit;
    struct odp_buffer tail;
    odp_buffer_init(&tail);
    odp_buffer_add_str(&tail, e->total > 0 ? "\n]" : "]");
    odp_emit_add_meta(&tail, emit->job, e->total, NULL);
    odp_buffer_add_str(&tail, "}\n");
    return odp_emit_file_end_take(&e->file, &tail);
}

const struct odp_emitter odp_emitter_json = {
    .file = &odp_format_files[ODP_FILE_json],
    .no_labels = true,
    .form = json_form,
    .size = sizeof(struct json_emit),
    .begin = json_begin,
    .format_batch = json_format,
    .append = json_append,
    .end = json_end,
    .release = odp_emit_file_release,
};

/* ---- NDJSON ---- */

static enum odp_status ndjson_begin(struct odp_emit *emit)
{
    return begin(emit, "", "");
}

static enum odp_status ndjson_format(const struct odp_emit *emit, const struct odp_batch *b,
                                     struct odp_chunk *out)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        odp_json_plan_record(&((const struct json_emit *)emit)->plan, &out->bytes, b, i);
        odp_buffer_add_char(&out->bytes, '\n');
    }
    return odp_buffer_status(&out->bytes);
}

const struct odp_emitter odp_emitter_ndjson = {
    .file = &odp_format_files[ODP_FILE_ndjson],
    .no_labels = true,
    .size = sizeof(struct json_emit),
    .begin = ndjson_begin,
    .format_batch = ndjson_format,
    .append = odp_emit_file_append,
    .end = odp_emit_file_end,
    .release = odp_emit_file_release,
};
