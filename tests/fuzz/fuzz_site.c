/* Any bytes as the previous site, which a build reads back: parts divided by a NUL byte are page 1 of the
 * dataset "texts", page 2, and the index; a manifest that vouches for them is made. With a first byte 1 the
 * rest is the manifest itself. */
#include <stdio.h>

#include "fuzz.h"
#include "site/versions/release.h"

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
    NEED(status != ODP_FAIL);
    odp_site_close(site);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_diags *diags = fuzz_diags();
    struct fuzz_site_file files[] = {
        {"v1/index.json", "public", ODP_LIT("{\"data\":[{\"slug\":\"texts\"}]}")},
        {"v1/texts.json", "public", ODP_LIT("")},
        {"v1/texts/v/1/p/2.json", "public", ODP_LIT("")}};
    static const size_t order[] = {1, 2, 0};
    if (fuzz_choice(&in, 1) == 1) {
        (void)fuzz_folder("site");
        fuzz_write(fuzz_path("site/manifest.json"), in);
    } else {
        for (size_t i = 0; i < 3 && (i == 0 || in.len > 0); i++)
            files[order[i]].bytes = fuzz_cut(&in, ODP_LIT("\0"));
        fuzz_site_write(files, 3);
    }
    read_site(diags);
    fuzz_reports(diags);
    odp_diags_free(diags);
}
