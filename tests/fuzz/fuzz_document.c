/* A PDF as a steward might supply it. With a first byte 1 the rest is its objects, "@@" lines between them,
 * and the file around them is made here: otherwise nearly every mutation ends at the table of objects.
 * Checked: no file makes the machine fail, what is found hangs together, and the published path of a safe
 * name is safe. */
#include "fuzz.h"
#include "read/pdf/document.h"

#define OBJECTS 200

static void make_file(struct odp_slice objects, struct odp_buffer *out)
{
    size_t offset[OBJECTS], n = 0;
    odp_buffer_add_str(out, "%PDF-1.7\n");
    while (objects.len > 0 && n < OBJECTS) {
        struct odp_slice object = fuzz_cut(&objects, ODP_LIT("\n@@\n"));
        offset[n++] = out->len;
        odp_buffer_printf(out, "%zu 0 obj\n", n);
        odp_buffer_add_slice(out, object);
        odp_buffer_add_str(out, "\nendobj\n");
    }
    size_t table = out->len;
    odp_buffer_printf(out, "xref\n0 %zu\n0000000000 65535 f \n", n + 1);
    for (size_t i = 0; i < n; i++)
        odp_buffer_printf(out, "%010zu 00000 n \n", offset[i]);
    odp_buffer_printf(out, "trailer\n<< /Size %zu /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", n + 1, table);
}

static void check_file(struct odp_slice bytes)
{
    struct odp_document_info info, again;
    const char *path = fuzz_path("naskah.pdf");
    fuzz_write(path, bytes);
    NEED(odp_document_inspect(path, &info) == ODP_OK && odp_document_inspect(path, &again) == ODP_OK);
    bool sound = info.fault == ODP_DOCUMENT_OK, damaged = info.fault == ODP_DOCUMENT_DAMAGED;
    NEED(info.bytes == bytes.len && info.fault != ODP_DOCUMENT_ABSENT);
    NEED(sound == (info.pages > 0) && damaged == (info.why[0] != '\0'));
    for (const char *p = info.why; *p != '\0'; p++)
        NEED(*p >= ' ' && *p <= '~');
    NEED(info.fault == again.fault && info.pages == again.pages && info.has_scripts == again.has_scripts);
    NEED(memcmp(info.sha256, again.sha256, sizeof info.sha256) == 0 && strcmp(info.why, again.why) == 0);
}

static void check_name(struct odp_slice text)
{
    static const uint8_t digest[ODP_SHA256_SIZE] = {1, 2, 3};
    struct odp_arena a;
    odp_arena_init(&a);
    const char *name = odp_arena_copy(&a, text).ptr;
    NEED(!odp_path_is_safe(name) ||
         odp_path_is_safe(odp_document_path("dokumen", odp_slice_of(name), digest, &a)));
    odp_arena_release(&a);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_buffer made = {0};
    struct odp_slice name = in;
    if (fuzz_choice(&in, 1) == 1) {
        make_file(in, &made);
        NEED(odp_buffer_status(&made) == ODP_OK);
        in = odp_buffer_slice(&made);
    }
    check_file(in);
    if (name.len < 400)
        check_name(name);
    odp_buffer_release(&made);
}
