/* Any texts as the files of a site that is verified: each begins with a line "@@ <path>" (one of PATHS, else
 * it is dropped) and goes to the next such line. A manifest that vouches for them is made, so that everything
 * behind the digests is reached. With a first byte 1 the rest is the manifest itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "publish/publish.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sorted, as a manifest wants them. */
static const struct {
    const char *path, *cls;
} files[] = {{".well-known/odp-keys.json", "public"},
             {"control", "internal"},
             {"data/air/2024-03-15/air.csv", "public"},
             {"data/air/2024-03-15/air.json", "public"},
             {"data/air/2024-03-15/schema.json", "public"},
             {"data/air/2024-04-01/air.csv", "public"},
             {"data/air/2024-04-01/air.csv.from-2024-03-15.delta", "public"},
             {"data/air/2024-04-01/air.csv.gz", "public"},
             {"data/air/2024-04-01/air.geojson", "public"},
             {"data/air/2024-04-01/air.json", "public"},
             {"data/air/2024-04-01/schema.json", "public"},
             {"data/air/latest.json", "public"},
             {"data/air/latest/air.csv", "public"},
             {"data/air/versions.json", "public"},
             {"releases.log", "public"},
             {"v1/air.json", "keyed"},
             {"v1/air/v/2024-04-01/p/2.json", "keyed"},
             {"v1/air/versions.json", "keyed"},
             {"v1/index.json", "public"}};
enum { FILES = sizeof files / sizeof *files };

static const char *place(const char *path)
{
    char name[128];
    snprintf(name, sizeof name, "site/%s", path);
    return fuzz_path(name);
}

static void put(const char *path, struct odp_slice bytes)
{
    char folder[128];
    snprintf(folder, sizeof folder, "site/%s", path);
    *strrchr(folder, '/') = '\0';
    if (odp_dir_make(fuzz_path(folder)) != ODP_OK)
        abort();
    fuzz_write(place(path), (const uint8_t *)bytes.ptr, bytes.len);
}

static struct odp_slice next_line(struct odp_slice *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    struct odp_slice line = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->ptr += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}

/* PARTS by file; a ptr of NULL: not given. The signature is no file of the manifest. */
static void divide(struct odp_slice text, struct odp_slice *parts, struct odp_slice *signature)
{
    struct odp_slice *part = NULL;
    while (text.len > 0) {
        struct odp_slice line = next_line(&text);
        if (line.len > 3 && memcmp(line.ptr, "@@ ", 3) == 0) {
            struct odp_slice name = {line.ptr + 3, line.len - 3};
            part = odp_slice_is(name, "manifest.json.minisig") ? signature : NULL;
            for (size_t i = 0; i < FILES; i++)
                if (odp_slice_is(name, files[i].path))
                    part = &parts[i];
            if (part != NULL)
                *part = (struct odp_slice){text.ptr, 0};
        } else if (part != NULL) {
            part->len = (size_t)(text.ptr - part->ptr);
        }
    }
}

static void write_site(struct odp_slice text, struct odp_buffer *manifest)
{
    struct odp_slice parts[FILES] = {{NULL, 0}}, signature = {NULL, 0};
    bool first = true;
    divide(text, parts, &signature);
    odp_buffer_add_str(manifest, "{\"files\":[");
    for (size_t i = 0; i < FILES; i++) {
        uint8_t sha256[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX];
        if (parts[i].ptr == NULL)
            continue;
        put(files[i].path, parts[i]);
        if (odp_digest_of(parts[i].ptr, parts[i].len, sha256) != ODP_OK)
            abort();
        odp_digest_hex(sha256, hex);
        const char *end = strrchr(files[i].path, '.');
        odp_buffer_printf(
            manifest,
            "%s{\"path\":\"%s\",\"size\":%zu,\"sha256\":\"%s\",\"class\":\"%s\",\"type\":\"text/plain\"%s}",
            first ? "" : ",", files[i].path, parts[i].len, hex, files[i].cls,
            end != NULL && strcmp(end, ".gz") == 0 ? ",\"encoding\":\"gzip\"" : "");
        first = false;
    }
    odp_buffer_add_str(manifest, "]}");
    if (signature.ptr != NULL)
        put("manifest.json.minisig", signature);
}

static void verify(struct odp_diags *diags)
{
    char site[256], scratch[256];
    struct odp_arena arena;
    struct odp_verify_result result;
    snprintf(site, sizeof site, "%s", fuzz_path("site"));
    snprintf(scratch, sizeof scratch, "%s", fuzz_path("scratch"));
    struct odp_public_key key;
    if (odp_dir_make(scratch) != ODP_OK ||
        odp_public_key_parse(&key, ODP_LIT("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")) !=
            ODP_OK)
        abort();
    for (unsigned pass = 0; pass < 2; pass++) {
        struct odp_verify_options o = {
            .address = site, .scratch = scratch, .keys = &key, .nkeys = pass, .jobs = 1};
        o.audience = ODP_AUDIENCE_ORIGIN;
        odp_arena_init(&arena);
        if (odp_verify_site(&result, &o, &arena, diags) == ODP_FAIL)
            abort();
        odp_arena_release(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_buffer manifest;
    struct odp_diags *diags = NULL;
    odp_buffer_init(&manifest);
    if (odp_dir_remove(fuzz_path("site")) != ODP_OK || odp_dir_make(fuzz_path("site")) != ODP_OK ||
        odp_diags_new(&diags, 5) != ODP_OK)
        abort();
    if (size > 0 && data[0] == 1)
        odp_buffer_add(&manifest, data + 1, size - 1);
    else
        write_site((struct odp_slice){(const char *)data, size}, &manifest);
    if (odp_buffer_status(&manifest) != ODP_OK)
        abort();
    put("manifest.json", odp_buffer_slice(&manifest));
    verify(diags);
    fuzz_reports(diags);
    odp_buffer_release(&manifest);
    odp_diags_free(diags);
    odp_failure_clear();
    return 0;
}
