/* Inside of write: an emitter that writes one file of the downloads. A format's own struct begins with struct
 * odp_emit_file. */
#pragma once

#include "write/emit.h"

struct odp_emit_file {
    struct odp_emit base;
    struct odp_file *file;
    const char *path;
    bool started; /* a record is in it */
};
/* Creates the file, which begins with HEAD. */
enum odp_status odp_emit_file_begin_take(struct odp_emit_file *e, struct odp_buffer *head) ODP_MUST_USE;
/* The chunk as it is; and where each record has a comma in front, which the first of the file does not need.
 */
enum odp_status odp_emit_file_append(struct odp_emit *emit, const struct odp_chunk *c) ODP_MUST_USE;
enum odp_status odp_emit_file_append_list(struct odp_emit *emit, const struct odp_chunk *c) ODP_MUST_USE;
/* Writes TAIL and closes the file. */
enum odp_status odp_emit_file_end_take(struct odp_emit_file *e, struct odp_buffer *tail) ODP_MUST_USE;
enum odp_status odp_emit_file_end(struct odp_emit *emit) ODP_MUST_USE; /* without a tail */
void odp_emit_file_release(struct odp_emit *emit);
