/* A PDF as a steward might supply it. With a first byte 1 the rest is its objects, "@@" lines between them,
 * and the file around them is made here: otherwise nearly every mutation ends at the table of objects.
 * Checked: no file makes the machine fail, what is found hangs together, and names of documents are the same
 * after a way to the site and back. */
#include <stdlib.h>

#include "fuzz.h"
#include "read/pdf/document.h"

#define OBJECTS 200

static size_t next_object(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i++)
        if (memcmp(data + i, "\n@@\n", 4) == 0)
            return i;
    return size;
}

static void make_file(const uint8_t *data, size_t size, struct odp_buffer *out)
{
    size_t offset[OBJECTS], n = 0;
    odp_buffer_add_str(out, "%PDF-1.7\n");
    while (size > 0 && n < OBJECTS) {
        size_t len = next_object(data, size);
        offset[n++] = out->len;
        odp_buffer_printf(out, "%zu 0 obj\n", n);
        odp_buffer_add(out, data, len);
        odp_buffer_add_str(out, "\nendobj\n");
        size_t taken = len < size ? len + 4 : len;
        data += taken;
        size -= taken;
    }
    size_t table = out->len;
    odp_buffer_printf(out, "xref\n0 %zu\n0000000000 65535 f \n", n + 1);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(out, "%010zu 00000 n \n", offset[i]);
    odp_buffer_printf(out, "trailer\n<< /Size %zu /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", n + 1, table);
}

static void check_file(const uint8_t *data, size_t size)
{
    struct odp_document_info info, again;
    const char *path = fuzz_path("naskah.pdf");
    fuzz_write(path, data, size);
    if (odp_document_inspect(path, &info) != ODP_OK || odp_document_inspect(path, &again) != ODP_OK)
        abort();
    bool sound = info.fault == ODP_DOCUMENT_OK, damaged = info.fault == ODP_DOCUMENT_DAMAGED;
    if (info.bytes != size || sound != (info.pages > 0) || damaged != (info.why[0] != '\0') ||
        info.fault == ODP_DOCUMENT_ABSENT)
        abort();
    for (const char *p = info.why; *p != '\0'; p++)
        if (*p < ' ' || *p > '~')
            abort();
    if (info.fault != again.fault || info.pages != again.pages || info.has_scripts != again.has_scripts ||
        memcmp(info.sha256, again.sha256, sizeof info.sha256) != 0 || strcmp(info.why, again.why) != 0)
        abort();
}

static void check_name(const uint8_t *data, size_t size)
{
    static const uint8_t digest[ODP_SHA256_SIZE] = {1, 2, 3};
    struct odp_arena a;
    odp_arena_init(&a);
    const char *name = odp_arena_copy(&a, (struct odp_slice){(const char *)data, size}).ptr;
    const char *back = odp_document_name(odp_slice_of(name), &a);
    if (back != NULL && !odp_path_is_safe(back))
        abort();
    if (odp_path_is_safe(name)) {
        const char *path = odp_document_path("dokumen", odp_slice_of(name), digest, &a);
        back = path != NULL ? odp_document_name(odp_slice_of(path), &a) : NULL;
        if (back == NULL || strcmp(back, name) != 0 || !odp_path_is_safe(path))
            abort();
    }
    odp_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_buffer made;
    odp_buffer_init(&made);
    if (size > 0 && data[0] == 1) {
        make_file(data + 1, size - 1, &made);
        if (odp_buffer_status(&made) != ODP_OK)
            abort();
        check_file((const uint8_t *)made.ptr, made.len);
    } else {
        check_file(data, size);
    }
    if (size < 400)
        check_name(data, size);
    odp_buffer_release(&made);
    return 0;
}
