/* odp-build export SLUG… --out DIR: datasets checked, and their distributions written into a plain folder,
 * without a site. */
#include "commands/outcome.h"
#include "commands/run_pipeline.h"
#include "words/commands.h"

/* Prints the written files, a line each, or why nothing was begun. */
static void print_result(const struct invocation *inv, const struct odp_run *run)
{
    char hex[ODP_SHA256_HEX];
    if (!odp_text_is_empty(&run->refused))
        fprintf(stderr, "odp-build: %s\n", odp_text_get(&run->refused, inv->style.lang));
    for (size_t i = 0; i < run->nexported && outcome_prints(inv); i++) {
        odp_digest_hex(run->exported[i].sha256, hex);
        printf("%s   %llu %s   sha256:%s\n", run->exported[i].path, (unsigned long long)run->exported[i].size,
               say(inv, W_cmd_bytes), hex);
    }
}

static int run_export(struct invocation *inv)
{
    static const struct pipeline_command command = {odp_run_export, {{W_cmd_machine_failed}}, print_result};
    bool as = inv->options.as_slug != NULL;
    if (!options_given(inv, "out") || (as ? inv->nwords != 1 : inv->nwords == 0))
        return outcome_usage(inv, W_cmd_usage_export);
    inv->options.formats = inv->format;
    inv->options.as_file = as ? inv->words[0] : NULL;
    inv->options.slugs = as ? &inv->options.as_slug : inv->words;
    inv->options.nslugs = as ? 1 : inv->nwords;
    return run_pipeline(inv, &command, NULL);
}

const struct command command_export = {"export", "SLUG…", {{W_cmd_validate_write_downloads}}, run_export};
