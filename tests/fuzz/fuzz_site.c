/* Any bytes as the previous site, which a build reads back: parts divided by a NUL byte are page 1 of the
 * dataset "texts", page 2, and the index; a manifest that vouches for them is made. With a first byte 1 the
 * rest is the manifest itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fuzz.h"
#include "site/versions/release.h"

enum { PARTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In the order of their paths, as a manifest wants them. */
static const char *const paths[PARTS] = {"v1/index.json", "v1/texts.json", "v1/texts/v/1/p/2.json"};

static void write_parts(const uint8_t *data, size_t size, struct odp_buffer *manifest)
{
    static const size_t part_of[PARTS] = {2, 0, 1};
    struct odp_slice parts[PARTS] = {ODP_LIT(""), ODP_LIT(""), ODP_LIT("{\"data\":[{\"slug\":\"texts\"}]}")};
    for (size_t i = 0; i < PARTS && data != NULL; i++) {
        const uint8_t *end = memchr(data, 0, size);
        size_t n = end != NULL ? (size_t)(end - data) : size;
        parts[i] = (struct odp_slice){(const char *)data, n};
        size -= n + (end != NULL);
        data = end != NULL ? end + 1 : NULL;
    }
    odp_buffer_add_str(manifest, "{\"files\":[");
    for (size_t i = 0; i < PARTS; i++) {
        uint8_t sha256[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX], path[64];
        struct odp_slice part = parts[part_of[i]];
        snprintf(path, sizeof path, "site/%s", paths[i]);
        fuzz_write(fuzz_path(path), (const uint8_t *)part.ptr, part.len);
        if (odp_digest_of(part.ptr, part.len, sha256) != ODP_OK)
            abort();
        odp_digest_hex(sha256, hex);
        odp_buffer_printf(manifest,
                          "%s{\"path\":\"%s\",\"size\":%zu,\"sha256\":\"%s\",\"class\":\"public\",\"type\":"
                          "\"application/json\"}",
                          i > 0 ? "," : "", paths[i], part.len, hex);
    }
    odp_buffer_add_str(manifest, "]}");
}

/* Reads every byte it is given. */
static enum odp_status count(void *ctx, const struct odp_slice *text)
{
    size_t *sum = ctx;
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < text[f].len; i++)
            *sum += (unsigned char)text[f].ptr[i];
    return ODP_OK;
}

static void read_site(struct odp_diags *diags)
{
    static struct odp_field fields[] = {
        {.name = "lon", .source_name = "lon", .is_public = true},
        {.name = "nama", .source_name = "nama", .is_public = true, .type = ODP_TYPE_NUMBER}};
    struct odp_dataset d = {.slug = "texts"};
    struct odp_resource r = {
        .dataset = &d, .name = "texts", .primary = true, .schema = {.fields = fields, .n = 2}};
    struct odp_site *site = NULL;
    size_t sum = 0;
    enum odp_status status = odp_site_open(&site, fuzz_path("site"), diags);
    if (status == ODP_OK) {
        (void)odp_site_entry(site, "texts");
        status = odp_site_records(site, &r, diags, &sum, count);
    }
    if (status == ODP_FAIL)
        abort();
    odp_site_close(site);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_buffer manifest;
    struct odp_diags *diags = NULL;
    odp_buffer_init(&manifest);
    if (odp_dir_make(fuzz_path("site/v1/texts/v/1/p")) != ODP_OK || odp_diags_new(&diags, 5) != ODP_OK)
        abort();
    if (size > 0 && data[0] == 1)
        odp_buffer_add(&manifest, data + 1, size - 1);
    else
        write_parts(data, size, &manifest);
    if (odp_buffer_status(&manifest) != ODP_OK)
        abort();
    fuzz_write(fuzz_path("site/manifest.json"), (const uint8_t *)manifest.ptr, manifest.len);
    read_site(diags);
    fuzz_reports(diags);
    odp_buffer_release(&manifest);
    odp_diags_free(diags);
    odp_failure_clear();
    return 0;
}
