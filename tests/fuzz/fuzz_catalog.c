/* Any bytes as a catalogue. Parts divided by a NUL byte: dataset.json, portal.json, changes.json, a code
 * list's dataset.json, rules.json; a part that is not there is a good one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "catalog/catalog.h"
#include "check/across/cross.h"
#include "check/validator.h"
#include "fuzz.h"

enum { PARTS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_good(const char *path, const char *name)
{
    struct odp_buffer bytes;
    char from[1024];
    odp_buffer_init(&bytes);
    snprintf(from, sizeof from, "%s/%s", ODP_FUZZ_CATALOG, name);
    if (odp_file_read(from, 1 << 20, &bytes, NULL) != ODP_OK)
        abort();
    fuzz_write(path, (const uint8_t *)bytes.ptr, bytes.len);
    odp_buffer_release(&bytes);
}

static void write_catalogue(const uint8_t *data, size_t size)
{
    static const char *const files[PARTS] = {"c/csv/dataset.json", "c/portal.json", "c/changes.json",
                                             "c/references/daftar/dataset.json", "c/rules.json"};
    static bool good[PARTS];
    if (odp_dir_make(fuzz_path("c/csv")) != ODP_OK ||
        odp_dir_make(fuzz_path("c/references/daftar")) != ODP_OK)
        abort();
    for (size_t i = 0; i < PARTS; i++) {
        const uint8_t *end = data != NULL ? memchr(data, 0, size) : NULL;
        size_t n = end != NULL && i + 1 < PARTS ? (size_t)(end - data) : size;
        if (data != NULL)
            fuzz_write(fuzz_path(files[i]), data, n);
        else if (!good[i])
            write_good(fuzz_path(files[i]), files[i] + 2);
        good[i] = data == NULL;
        size -= n + (end != NULL && i + 1 < PARTS);
        data = end != NULL && i + 1 < PARTS ? end + 1 : NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_catalog *catalog = NULL;
    struct odp_diags *diags = NULL;

    write_catalogue(data, size);
    enum odp_status status = odp_diags_new(&diags, 5);
    if (status == ODP_OK)
        status = odp_catalog_open(&catalog, fuzz_path("c"), diags);
    if (status == ODP_OK)
        status = odp_validate_rules(catalog, diags);
    if (status == ODP_OK)
        status = odp_cross_check(catalog, diags);
    if (status == ODP_FAIL || (status == ODP_BAD && odp_diags_count(diags, ODP_SEVERITY_ERROR) == 0))
        abort();
    fuzz_reports(diags);
    odp_catalog_close(catalog);
    odp_diags_free(diags);
    odp_failure_clear();
    return 0;
}
