/* Any texts as the files of a site that is verified: each begins with a line "@@ <path>" (one of PATHS, else
 * it is dropped) and goes to the next such line. A manifest that vouches for them is made, so that everything
 * behind the digests is reached. With a first byte 1 the rest is the manifest itself. */
#include <stdio.h>

#include "fuzz.h"
#include "publish/publish.h"

/* In the order of their paths. */
static const struct {
    const char *path, *cls;
} files[] = {
    {".well-known/odp-keys.json", "public"},
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
    {"v1/index.json", "public"},
};
enum { FILES = ODP_COUNT(files) };

/* The signature is no file of the manifest. */
static void write_site(struct odp_slice text)
{
    struct fuzz_site_file parts[FILES + 1];
    for (size_t i = 0; i < FILES; i++)
        parts[i] = (struct fuzz_site_file){files[i].path, files[i].cls, {NULL, 0}};
    parts[FILES] = (struct fuzz_site_file){"manifest.json.minisig", NULL, {NULL, 0}};
    fuzz_site_parts(text, parts, FILES + 1);
    fuzz_site_write(parts, FILES + 1);
}

static void verify(struct odp_diags *diags)
{
    char site[256], scratch[256];
    struct odp_arena arena;
    struct odp_verify_result result;
    struct odp_public_key key;
    snprintf(site, sizeof site, "%s", fuzz_path("site"));
    snprintf(scratch, sizeof scratch, "%s", fuzz_folder("scratch"));
    NEED(odp_public_key_parse(&key, ODP_LIT("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")) ==
         ODP_OK);
    for (unsigned pass = 0; pass < 2; pass++) {
        struct odp_verify_options o = {
            .address = site,
            .scratch = scratch,
            .keys = &key,
            .nkeys = pass,
            .jobs = 1,
            .audience = ODP_AUDIENCE_ORIGIN,
        };
        odp_arena_init(&arena);
        NEED(odp_verify_site(&result, &o, &arena, diags) != ODP_FAIL);
        odp_arena_release(&arena);
    }
}

void fuzz_one(struct odp_slice in)
{
    struct odp_diags *diags = fuzz_diags();
    NEED(odp_dir_remove(fuzz_path("site")) == ODP_OK);
    (void)fuzz_folder("site");
    if (fuzz_choice(&in, 1) == 1)
        fuzz_write(fuzz_path("site/manifest.json"), in);
    else
        write_site(in);
    verify(diags);
    fuzz_reports(diags);
    odp_diags_free(diags);
}
