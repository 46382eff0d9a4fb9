/* odp-build template SLUG: the empty entry workbook for whoever fills in the data. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "commands/failure.h"
#include "commands/options.h"

static int usage(const struct invocation *inv)
{
    fputs(say(inv, "odp-build: pemakaian: odp-build template SLUG [--output BERKAS.xlsx]\n", "odp-build: usage: odp-build template SLUG [--output FILE.xlsx]\n"), stderr);
    return EXIT_USAGE;
}

/* What is wrong with catalogue or code lists. */
static void show_faults(const struct invocation *inv, const struct odp_run *run)
{
    struct odp_buffer bytes;
    size_t groups = 0;
    if (run->diags != NULL)
        odp_diags_groups(run->diags, &groups);
    odp_buffer_init(&bytes);
    if (groups > 0 && odp_report_find("human")->render(run->diags, &run->summary, &inv->style, &bytes) == ODP_OK)
        fwrite(bytes.ptr, 1, bytes.len, stderr);
    odp_buffer_release(&bytes);
}

static void show_made(const struct invocation *inv, const struct odp_run *run, const char *path)
{
    const struct odp_dataset *d = odp_catalog_find(run->catalog, inv->words[0]);
    bool shapes = false;
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        shapes = shapes || d->resources[i].geometry.present;
    printf(say(inv, "%s ditulis. Setelah diisi: odp-build check --as %s %s\n", "%s written. Once it is filled in: odp-build check --as %s %s\n"), path,
           inv->words[0], path);
    if (shapes)
        fputs(say(inv, "Sumber dataset ini shapefile: buku kerja hanya mengumpulkan atribut, bentuknya tidak dapat diisi di dalamnya.\n",
                  "The source of this dataset is a shapefile: the workbook collects attributes, shapes cannot be entered in it.\n"),
              stdout);
}

static int run_template(struct invocation *inv)
{
    struct odp_run run = {0};
    bool there = false;
    char *own = NULL;
    if (inv->nwords != 1)
        return usage(inv);
    if (inv->output == NULL && asprintf(&own, "%s.xlsx", inv->words[0]) < 0)
        return EXIT_MACHINE;
    const char *path = inv->output != NULL ? inv->output : own;
    size_t n = strlen(path);
    if (n < 6 || strcasecmp(path + n - 5, ".xlsx") != 0) {
        free(own);
        return usage(inv);
    }
    inv->options.slugs = inv->words;
    inv->options.nslugs = 1;
    enum odp_status status = odp_run_template(&run, &inv->options, path, inv->style.lang, &there);
    int code = status == ODP_OK ? EXIT_CLEAN : status == ODP_BAD ? EXIT_USAGE : EXIT_MACHINE;
    if (status == ODP_OK)
        show_made(inv, &run, path);
    else
        show_faults(inv, &run);
    if (there)
        fprintf(stderr, say(inv, "odp-build: %s sudah ada; tidak ditimpa\n", "odp-build: %s is there already; it is not overwritten\n"), path);
    if (status == ODP_FAIL)
        failure_say(inv, NULL);
    odp_run_release(&run);
    free(own);
    return code;
}

const struct command command_template = {
    "template",
    "SLUG",
    {{"buku kerja kosong untuk mengisi data sebuah dataset", "an empty workbook to fill in a dataset's data"}},
    run_template};
