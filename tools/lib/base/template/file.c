/* One file of a set: its bytes, checked. */
#include "base/template/template_internal.h"

#include <errno.h>

#include "base/file.h"
#include "base/path.h"
#include "base/utf8.h"

static enum odp_status read_bytes(struct odp_templates *t, struct template_file *file)
{
    struct odp_buffer buffer;
    int errnum = 0;
    /* The last folder is the program's own, which a package may have made of links. */
    if (file->folder + 1 < t->options->nfolders &&
        !odp_path_is_inside(t->options->folders[file->folder], file->path)) {
        template_fault(t, file, 0, 0, TEMPLATE_LINK_OUT, NULL);
        return ODP_BAD;
    }
    odp_buffer_init(&buffer);
    enum odp_status status = odp_file_read(file->path, TEMPLATE_FILE_MAX, &buffer, &errnum);
    if (status == ODP_BAD) {
        const struct fault_more more = {.a = errnum == EFBIG    ? "1 MiB"
                                             : errnum == EINVAL ? "not a regular file"
                                                                : strerror(errnum)};
        template_fault(t, file, 0, 0, errnum == EFBIG ? TEMPLATE_TOO_LARGE : TEMPLATE_UNREADABLE, &more);
    }
    if (status == ODP_OK) {
        struct odp_slice s = odp_buffer_slice(&buffer);
        bool mark = s.len >= 3 && memcmp(s.ptr, "\xef\xbb\xbf", 3) == 0; /* Windows editors write one */
        s = mark ? (struct odp_slice){s.ptr + 3, s.len - 3} : s;
        file->text = odp_arena_copy(&t->arena, s.len > 0 ? s : ODP_LIT(""));
    }
    odp_buffer_release(&buffer);
    return status;
}

enum odp_status template_read_file(struct odp_templates *t, struct template_file *file)
{
    file->text = odp_slice_of((const char *)file->compiled_in);
    enum odp_status status = file->compiled_in != NULL ? ODP_OK : read_bytes(t, file);
    if (status != ODP_OK)
        return status;
    size_t valid = odp_utf8_valid(file->text);
    const char *nul = memchr(file->text.ptr, '\0', valid);
    if (nul != NULL || valid < file->text.len) {
        template_fault(t, file, nul != NULL ? (size_t)(nul - file->text.ptr) : valid, 1,
                       nul != NULL ? TEMPLATE_NUL : TEMPLATE_ENCODING, NULL);
        return ODP_BAD;
    }
    t->bytes += file->text.len;
    if (t->bytes <= TEMPLATE_SET_MAX)
        return ODP_OK;
    template_fault(t, file, 0, 0, TEMPLATE_SET_TOO_LARGE, &(struct fault_more){.a = "32 MiB"});
    return ODP_BAD;
}
