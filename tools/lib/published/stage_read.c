/* What is staged already, read back: documents are made of one another. */
#include "published/stage_internal.h"

enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max,
                               const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags)
{
    const struct odp_site_file *f = odp_stage_find(s, path);
    struct odp_arena arena;
    int errnum = 0;
    if (f == NULL)
        return ODP_DONE;
    if (f->absent) {
        const struct odp_site_file *theirs = previous != NULL ? odp_site_find(previous, path) : NULL;
        return theirs != NULL ? odp_site_read(previous, theirs, out, diags) : ODP_DONE;
    }
    odp_arena_init(&arena);
    const char *disk = odp_stage_place(s, path, &arena);
    enum odp_status status = disk != NULL ? odp_file_read(disk, max, out, &errnum) : ODP_FAIL;
    odp_arena_release(&arena);
    return status == ODP_BAD ? odp_failure_set("read", path, errnum) : status;
}
