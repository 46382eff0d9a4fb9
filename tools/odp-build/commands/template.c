/* odp-build template SLUG: the empty entry workbook of a dataset. */
#include <string.h>

#include "base/path.h"
#include "commands/failure.h"
#include "commands/metadata.h"
#include "commands/outcome.h"
#include "words/commands.h"

/* How the workbook at PATH, once it is filled in, becomes the source of R. */
static void show_way(struct invocation *inv, const struct odp_resource *r, const char *path)
{
    const char *source = odp_resource_source(r, inv->options.sources, &inv->run.arena);
    if (r->geometry.present)
        fputs(say(inv, W_cmd_source_dataset_shapefile_workbook), stdout);
    else if (odp_path_ends(source, ".xlsx"))
        printf(say(inv, W_cmd_workbook_takes_place_of_source), path, source);
    else if (r->primary)
        printf(say(inv, W_cmd_workbook_becomes_source), inv->words[0], path);
    else
        printf(say(inv, W_cmd_workbook_becomes_table), inv->words[0], odp_resource_said(r), path);
}

static void show_made(struct invocation *inv, const char *path)
{
    const struct odp_dataset *d = odp_catalog_find(inv->run.catalog, inv->words[0]);
    printf(say(inv, W_cmd_written_once_filled_odp_build), path, inv->words[0], path);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        show_way(inv, &d->resources[i], path);
}

static int run_template(struct invocation *inv)
{
    bool there = false;
    struct odp_arena a = {0};
    size_t n = inv->output != NULL ? strlen(inv->output) : 0;
    if ((inv->nwords != 1 && !inv->metadata) ||
        (n > 0 && (n < 6 || strcasecmp(inv->output + n - 5, ".xlsx") != 0)))
        return outcome_usage(inv, W_cmd_usage_template);
    if (inv->metadata)
        return metadata_template(inv);
    const char *path = inv->output != NULL ? inv->output : odp_arena_printf(&a, "%s.xlsx", inv->words[0]);
    inv->options.slugs = inv->words;
    inv->options.nslugs = 1;
    enum odp_status status = odp_run_template(&inv->run, &inv->options, path, inv->style.lang, &there);
    int code = status == ODP_OK ? EXIT_CLEAN : status == ODP_BAD ? EXIT_USAGE : EXIT_MACHINE;
    if (status == ODP_OK)
        show_made(inv, path);
    else
        outcome_faults(inv, &inv->run); /* of the catalogue or code lists */
    if (there)
        fprintf(stderr, say(inv, W_cmd_there_already_not_overwritten), path);
    if (status == ODP_FAIL)
        failure_say(inv, NULL);
    odp_arena_release(&a);
    return code;
}

const struct command command_template = {
    "template", "SLUG", {{W_cmd_empty_workbook_fill_dataset_data}}, run_template};
