/* Any bytes as the index and the schema of a published site, divided by a NUL byte, before the release gate:
 * it never fails, its findings are whole and in order, and it refuses exactly when it says an error. With a
 * first byte 1 the day is late, and all windows are over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fuzz.h"
#include "site/versions/release_gate/gate.h"

enum { PARTS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void write_site(const uint8_t *data, size_t size)
{
    static const char *const paths[PARTS] = {"data/texts/latest/schema.json", "v1/index.json"};
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    size_t n = nul != NULL ? (size_t)(nul - data) : size;
    const struct odp_slice parts[PARTS] = {
        {nul != NULL ? (const char *)nul + 1 : "", nul != NULL ? size - n - 1 : 0}, {(const char *)data, n}};
    struct odp_buffer manifest;
    odp_buffer_init(&manifest);
    odp_buffer_add_str(&manifest, "{\"files\":[");
    for (size_t i = 0; i < PARTS; i++) {
        uint8_t sha256[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX], path[64];
        snprintf(path, sizeof path, "site/%s", paths[i]);
        fuzz_write(fuzz_path(path), (const uint8_t *)parts[i].ptr, parts[i].len);
        require(odp_digest_of(parts[i].ptr, parts[i].len, sha256) == ODP_OK);
        odp_digest_hex(sha256, hex);
        odp_buffer_printf(&manifest,
                          "%s{\"path\":\"%s\",\"size\":%zu,\"sha256\":\"%s\",\"class\":\"public\",\"type\":"
                          "\"application/json\"}",
                          i > 0 ? "," : "", paths[i], parts[i].len, hex);
    }
    odp_buffer_add_str(&manifest, "]}");
    require(odp_buffer_status(&manifest) == ODP_OK);
    fuzz_write(fuzz_path("site/manifest.json"), (const uint8_t *)manifest.ptr, manifest.len);
    odp_buffer_release(&manifest);
}

static void check_findings(const struct odp_gate *g)
{
    enum odp_level highest = ODP_LEVEL_NONE;
    for (size_t i = 0; i < g->n; i++) {
        const struct odp_gate_finding *f = &g->findings[i];
        require(f->dataset != NULL && f->kind != NULL && f->text.in[ODP_LANG_ID] != NULL &&
                f->text.in[ODP_LANG_EN] != NULL);
        require(i == 0 || g->findings[i - 1].level >= f->level);
        highest = f->level > highest ? f->level : highest;
    }
    require(highest == g->needed);
}

static const struct odp_catalog *catalogue(void)
{
    static struct odp_catalog *c;
    struct odp_diags *diags = NULL;
    if (c != NULL)
        return c;
    require(odp_diags_new(&diags, 5) == ODP_OK && odp_catalog_open(&c, ODP_FUZZ_CATALOG, diags) == ODP_OK);
    odp_diags_free(diags);
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_diags *diags = NULL;
    struct odp_site *site = NULL;
    struct odp_arena arena;
    struct odp_gate gate;
    bool late = size > 0 && data[0] == 1;
    odp_arena_init(&arena);
    require(odp_dir_make(fuzz_path("site/v1")) == ODP_OK &&
            odp_dir_make(fuzz_path("site/data/texts/latest")) == ODP_OK);
    require(odp_diags_new(&diags, 5) == ODP_OK);
    write_site(data + late, size - late);
    enum odp_status status = odp_site_open(&site, fuzz_path("site"), diags);
    require(status != ODP_FAIL);
    if (status == ODP_OK) {
        uint64_t before = odp_diags_count(diags, ODP_SEVERITY_ERROR);
        status = odp_gate_check(&gate, site, catalogue(), late ? "2999-12-31" : "2024-05-01", &arena, diags);
        require(status == ODP_OK || status == ODP_BAD);
        require((status == ODP_BAD) == (odp_diags_count(diags, ODP_SEVERITY_ERROR) > before));
        if (gate.least != NULL)
            check_findings(&gate);
    }
    fuzz_reports(diags);
    odp_site_close(site);
    odp_diags_free(diags);
    odp_arena_release(&arena);
    odp_failure_clear();
    return 0;
}
