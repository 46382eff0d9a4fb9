/* Parts common to all emitters of one download file. */
#include "write/file.h"

enum odp_status odp_emit_file_begin_take(struct odp_emit_file *e, struct odp_buffer *head)
{
    const struct odp_emit_job *job = e->base.job;
    e->path = odp_emit_data_path(job, e->base.kind->file->extension, &e->base.arena);
    enum odp_status status = odp_buffer_status(head);
    if (status == ODP_OK)
        status = job->output->create(job->output->ctx, e->path, &e->file);
    if (status == ODP_OK)
        status = odp_file_write(e->file, head->ptr, head->len);
    odp_buffer_release(head);
    return status;
}

enum odp_status odp_emit_file_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    return odp_file_write(((struct odp_emit_file *)emit)->file, c->bytes.ptr, c->bytes.len);
}

enum odp_status odp_emit_file_append_list(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct odp_emit_file *e = (struct odp_emit_file *)emit;
    if (c->bytes.len == 0)
        return ODP_OK;
    size_t skip = !e->started; /* the first comma */
    e->started = true;
    return odp_file_write(e->file, c->bytes.ptr + skip, c->bytes.len - skip);
}

enum odp_status odp_emit_file_end_take(struct odp_emit_file *e, struct odp_buffer *tail)
{
    struct odp_output *output = e->base.job->output;
    struct odp_file *file = e->file;
    enum odp_status status = odp_buffer_status(tail);
    if (status == ODP_OK)
        status = odp_file_write(file, tail->ptr, tail->len);
    odp_buffer_release(tail);
    if (status != ODP_OK)
        return status;
    e->file = NULL;
    return output->close(output->ctx, file, e->path, e->base.kind->file->media_type, ODP_CLASS_PUBLIC);
}

enum odp_status odp_emit_file_end(struct odp_emit *emit)
{
    struct odp_buffer nothing = {0};
    return odp_emit_file_end_take((struct odp_emit_file *)emit, &nothing);
}

void odp_emit_file_release(struct odp_emit *emit)
{
    odp_file_discard(((struct odp_emit_file *)emit)->file);
}

enum odp_status odp_emit_put(const struct odp_emit_job *job, const char *path, const char *media_type,
                             enum odp_class cls, const struct odp_buffer *bytes)
{
    struct odp_output *output = job->output;
    struct odp_file *file = NULL;
    if (odp_buffer_status(bytes) != ODP_OK || output->create(output->ctx, path, &file) != ODP_OK)
        return ODP_FAIL;
    if (odp_file_write(file, bytes->ptr, bytes->len) == ODP_OK)
        return output->close(output->ctx, file, path, media_type, cls);
    odp_file_discard(file);
    return ODP_FAIL;
}
