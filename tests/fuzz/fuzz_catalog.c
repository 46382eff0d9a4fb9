/* Any bytes as a catalogue. Parts divided by a NUL byte: dataset.json, portal.json, changes.json, a code
 * list's dataset.json, rules.json; a part that is not there is a good one. */
#include <stdio.h>

#include "catalog/catalog.h"
#include "check/across/cross.h"
#include "check/validator.h"
#include "fuzz.h"

enum { PARTS = 5 };

static void write_catalogue(struct odp_slice in)
{
    static const char *const files[PARTS] = {"csv/dataset.json", "portal.json", "changes.json",
                                             "references/daftar/dataset.json", "rules.json"};
    bool given = true; /* the first part always is */
    (void)fuzz_folder("c/csv");
    (void)fuzz_folder("c/references/daftar");
    for (size_t i = 0; i < PARTS; i++) {
        char path[64], good[1024];
        struct odp_slice before = in, part = i + 1 < PARTS ? fuzz_cut(&in, ODP_LIT("\0")) : in;
        snprintf(path, sizeof path, "c/%s", files[i]);
        snprintf(good, sizeof good, "%s/%s", ODP_FUZZ_CATALOG, files[i]);
        struct odp_buffer own = given ? (struct odp_buffer){0} : fuzz_read(good);
        fuzz_write(fuzz_path(path), given ? part : odp_buffer_slice(&own));
        odp_buffer_release(&own);
        given = given && part.len < before.len; /* a NUL came after it */
    }
}

void fuzz_one(struct odp_slice in)
{
    struct odp_catalog *catalog = NULL;
    struct odp_diags *diags = fuzz_diags();
    write_catalogue(in);
    enum odp_status status = odp_catalog_open(&catalog, fuzz_path("c"), diags);
    if (status == ODP_OK)
        status = odp_validate_rules(catalog, diags);
    if (status == ODP_OK)
        status = odp_cross_check(catalog, diags);
    NEED(status == ODP_OK || (status == ODP_BAD && odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0));
    fuzz_reports(diags);
    odp_catalog_close(catalog);
    odp_diags_free(diags);
}
