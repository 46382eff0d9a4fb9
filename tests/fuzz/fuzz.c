#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline.h"

const char *fuzz_path(const char *name)
{
    static char folder[64], paths[2][128];
    static unsigned turn;
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "/tmp/odp-fuzz-XXXXXX");
        if (mkdtemp(folder) == NULL)
            abort();
    }
    char *path = paths[turn++ % 2];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

void fuzz_check(const char *slug, const char *file)
{
    static const char *const names[] = {"human", "json"};
    struct odp_options options = {.catalog = ODP_FUZZ_CATALOG, .out = "unused", .as_slug = slug, .as_file = file,
                                  .slugs = &slug, .nslugs = 1, .jobs = 1, .examples = 5};
    struct odp_run run = {0};
    if (odp_run_check(&run, &options) == ODP_FAIL)
        abort(); /* no input makes the machine fail */
    for (size_t i = 0; i < 2; i++) {
        struct odp_report_style style = {.lang = (enum odp_lang)i};
        struct odp_buffer bytes;
        odp_buffer_init(&bytes);
        if (odp_report_find(names[i])->render(run.diags, &run.summary, &style, &bytes) == ODP_FAIL)
            abort();
        odp_buffer_release(&bytes);
    }
    odp_run_release(&run);
    odp_failure_clear();
}
