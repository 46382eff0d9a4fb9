/* Any bytes as dataset.json. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "catalog/catalog.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[256];
    struct odp_catalog *catalog = NULL;
    struct odp_diags *diags = NULL;

    snprintf(path, sizeof path, "%s", fuzz_path("data"));
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s", fuzz_path("data/dataset.json"));
    fuzz_write(path, data, size);
    fuzz_write(fuzz_path("portal.json"), (const uint8_t *)"{}", 2);
    fuzz_write(fuzz_path("changes.json"), (const uint8_t *)"{}", 2);
    snprintf(path, sizeof path, "%s", fuzz_path(""));
    if (odp_diags_new(&diags, 5) != ODP_OK || odp_catalog_open(&catalog, path, diags) == ODP_FAIL)
        abort();
    odp_catalog_close(catalog);
    odp_diags_free(diags);
    odp_failure_clear();
    return 0;
}
