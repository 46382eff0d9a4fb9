/* odp-build template SLUG: the empty entry workbook for whoever fills in the data. */
#include <stdlib.h>
#include <string.h>

#include "commands/failure.h"
#include "commands/outcome.h"
#include "words/commands.h"

static void show_made(const struct invocation *inv, const struct odp_run *run, const char *path)
{
    const struct odp_dataset *d = odp_catalog_find(run->catalog, inv->words[0]);
    bool shapes = false;
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        shapes = shapes || d->resources[i].geometry.present;
    printf(say(inv, W_cmd_written_once_filled_odp_build), path, inv->words[0], path);
    if (shapes)
        fputs(say(inv, W_cmd_source_dataset_shapefile_workbook), stdout);
}

static int run_template(struct invocation *inv)
{
    struct odp_run run = {0};
    bool there = false;
    char *own = NULL;
    if (inv->nwords != 1)
        return outcome_usage(inv, W_cmd_usage_template);
    if (inv->output == NULL && asprintf(&own, "%s.xlsx", inv->words[0]) < 0)
        return EXIT_MACHINE;
    const char *path = inv->output != NULL ? inv->output : own;
    size_t n = strlen(path);
    if (n < 6 || strcasecmp(path + n - 5, ".xlsx") != 0) {
        free(own);
        return outcome_usage(inv, W_cmd_usage_template);
    }
    inv->options.slugs = inv->words;
    inv->options.nslugs = 1;
    enum odp_status status = odp_run_template(&run, &inv->options, path, inv->style.lang, &there);
    int code = status == ODP_OK ? EXIT_CLEAN : status == ODP_BAD ? EXIT_USAGE : EXIT_MACHINE;
    if (status == ODP_OK)
        show_made(inv, &run, path);
    else
        outcome_faults(inv, &run); /* of catalogue or code lists */
    if (there)
        fprintf(stderr, say(inv, W_cmd_there_already_not_overwritten), path);
    if (status == ODP_FAIL)
        failure_say(inv, NULL);
    odp_run_release(&run);
    free(own);
    return code;
}

const struct command command_template = {
    "template", "SLUG", {{W_cmd_empty_workbook_fill_dataset_data}}, run_template};
