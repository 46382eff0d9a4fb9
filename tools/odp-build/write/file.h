/* Inside of write: an emitter that writes one file of the downloads. A format's own struct begins with struct odp_emit_file. */
#ifndef ODP_WRITE_FILE_H
#define ODP_WRITE_FILE_H

#include "write/emit.h"

struct odp_emit_file {
    struct odp_emit_base base;
    struct odp_arena arena;
    struct odp_file *file;
    const char *path;
};
/* E is zeroed memory, SIZE bytes of it begin with the struct odp_emit_file. NULL: failed, nothing to free. */
struct odp_emit_file *odp_emit_file_new(size_t size, const struct odp_emitter *kind,
                                        const struct odp_emit_job *job) ODP_MUST_USE;
/* Writes TAIL, closes the file (STATUS OK) or drops it, frees E. */
enum odp_status odp_emit_file_end(struct odp_emit_file *e, const struct odp_buffer *tail) ODP_MUST_USE;
void odp_emit_file_abort(struct odp_emit *e);

#endif
