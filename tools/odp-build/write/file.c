/* What the emitters of one download file have in common. */
#include <errno.h>
#include <stdlib.h>

#include "write/file.h"

static void release(struct odp_emit_file *e)
{
    odp_file_discard(e->file);
    odp_arena_release(&e->arena);
    free(e);
}

struct odp_emit_file *odp_emit_file_new(size_t size, const struct odp_emitter *kind, const struct odp_emit_job *job)
{
    struct odp_emit_file *e = calloc(1, size);
    if (e == NULL) {
        (void)odp_failure_set("emit", kind->file->name, ENOMEM);
        return NULL;
    }
    e->base = (struct odp_emit_base){kind, job, NULL};
    odp_arena_init(&e->arena);
    e->path = odp_emit_data_path(job, kind->file->extension, &e->arena);
    if (job->output->create(job->output->ctx, e->path, &e->file) != ODP_OK) {
        release(e);
        return NULL;
    }
    return e;
}

enum odp_status odp_emit_file_end(struct odp_emit_file *e, const struct odp_buffer *tail)
{
    struct odp_output *output = e->base.job->output;
    enum odp_status status = odp_buffer_status(tail);
    if (status == ODP_OK)
        status = odp_file_write(e->file, tail->ptr, tail->len);
    if (status == ODP_OK) {
        struct odp_file *file = e->file;
        e->file = NULL;
        status = output->close(output->ctx, file, e->path, e->base.kind->file->media_type, ODP_CLASS_PUBLIC);
    }
    release(e);
    return status;
}

void odp_emit_file_abort(struct odp_emit *e)
{
    if (e != NULL)
        release((struct odp_emit_file *)e);
}
