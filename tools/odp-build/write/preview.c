/* <slug>[-<resource>].preview.json: the first records of a version, for the table on the portal's page of the
 * dataset (docs/formats.md has its form).
 *
 * Values are their canonical text, null is null; a record is never cut. Of each batch no more records are
 * formatted than fit, and none once the file is full. So batches in the making on other threads decide how
 * much work is lost, never the result. */
#include <stdatomic.h>

#include "write/emitters.h"
#include "write/file.h"

#include "base/json.h"

enum { RECORDS_MAX = 50, BYTES_MAX = 256 * 1024, TAIL_ROOM = 96 };

struct preview_emit {
    struct odp_emit_file file;
    struct odp_buffer bytes; /* the file up to the last record */
    uint64_t total, shown;
    _Atomic(bool) full; /* set in order, read by any thread */
};

static void preview_release(struct odp_emit *emit)
{
    odp_buffer_release(&((struct preview_emit *)emit)->bytes);
    odp_emit_file_release(emit);
}

static enum odp_status preview_begin(struct odp_emit *emit)
{
    struct preview_emit *e = (struct preview_emit *)emit;
    const struct odp_schema *s = &emit->job->resource->schema;
    const char *before = "";
    struct odp_buffer nothing = {0};
    atomic_init(&e->full, false);
    odp_buffer_add_str(&e->bytes, "{\"fields\":[");
    for (uint32_t k = 0; k < s->n; k++) {
        if (!s->fields[k].is_public)
            continue;
        odp_json_add_str(&e->bytes, before, s->fields[k].name);
        before = ",";
    }
    odp_buffer_add_str(&e->bytes, "],\"rows\":[");
    return odp_emit_file_begin_take(&e->file, &nothing);
}

static void add_record(struct odp_buffer *out, const struct odp_batch *b, uint32_t i)
{
    const struct odp_schema *s = &b->resource->schema;
    const char *before = "[";
    for (uint32_t k = 0; k < s->n; k++) {
        if (!s->fields[k].is_public)
            continue;
        odp_buffer_add_str(out, before);
        if (b->columns[k].state[i] == ODP_VALUE_OK)
            odp_json_add_string(out, b->columns[k].text[i]);
        else
            odp_buffer_add_str(out, "null");
        before = ",";
    }
    odp_buffer_add_str(out, *before == '[' ? "[]" : "]"); /* no public field at all */
}

/* A chunk: how many good records the batch has (64 bits, like the machine), then the first of them. */
static enum odp_status preview_format(const struct odp_emit *emit, const struct odp_batch *b,
                                      struct odp_chunk *out)
{
    const struct preview_emit *e = (const struct preview_emit *)emit;
    bool full = atomic_load_explicit(&e->full, memory_order_relaxed);
    uint64_t good = 0;
    odp_buffer_add(&out->bytes, &good, sizeof good);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        good++;
        if (full || good > RECORDS_MAX || out->bytes.len > BYTES_MAX)
            continue;
        add_record(&out->bytes, b, i);
        if (odp_chunk_end_record(out) != ODP_OK)
            return ODP_FAIL;
    }
    if (odp_buffer_status(&out->bytes) == ODP_OK)
        memcpy(out->bytes.ptr, &good, sizeof good);
    return odp_buffer_status(&out->bytes);
}

static enum odp_status preview_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct preview_emit *e = (struct preview_emit *)emit;
    uint64_t good;
    memcpy(&good, c->bytes.ptr, sizeof good);
    e->total += good;
    size_t at = sizeof good;
    for (uint32_t i = 0; i < c->n && !atomic_load_explicit(&e->full, memory_order_relaxed); i++) {
        size_t len = c->ends[i] - at;
        if (e->shown == RECORDS_MAX || e->bytes.len + len + TAIL_ROOM > BYTES_MAX) {
            atomic_store_explicit(&e->full, true, memory_order_relaxed);
            break;
        }
        odp_buffer_add_str(&e->bytes, e->shown > 0 ? ",\n" : "\n");
        odp_buffer_add(&e->bytes, c->bytes.ptr + at, len);
        e->shown++;
        at = c->ends[i];
    }
    return odp_buffer_status(&e->bytes);
}

static enum odp_status preview_end(struct odp_emit *emit)
{
    struct preview_emit *e = (struct preview_emit *)emit;
    odp_buffer_printf(&e->bytes, "%s],\"total\":%llu,\"shown\":%llu}\n", e->shown > 0 ? "\n" : "",
                      (unsigned long long)e->total, (unsigned long long)e->shown);
    return odp_emit_file_end_take(&e->file, &e->bytes);
}

const struct odp_emitter odp_emitter_preview = {
    .file = &(const struct odp_format_file){.name = "preview",
                                            .extension = ".preview.json",
                                            .media_type = "application/json"},
    .size = sizeof(struct preview_emit),
    .begin = preview_begin,
    .format_batch = preview_format,
    .append = preview_append,
    .end = preview_end,
    .release = preview_release,
};
