#include "commands/metadata.h"

#include <stdlib.h>

#include "commands/failure.h"
#include "commands/outcome.h"
#include "metadata/metadata.h"
#include "words/commands.h"

/* Every word is a dataset. */
static bool check_slugs(struct invocation *inv)
{
    bool all = true;
    for (size_t i = 0; i < inv->nwords; i++) {
        const struct odp_dataset *d = odp_catalog_find(inv->run.catalog, inv->words[i]);
        struct odp_diag q = {.code = ODP_C14, .args = {odp_slice_of(inv->words[i])}};
        const char *near = odp_catalog_nearest(inv->run.catalog, inv->words[i]);
        if (d != NULL && !d->reference)
            continue;
        if (near != NULL)
            q.proposal = odp_slice_of(near);
        all = odp_diags_add(inv->run.diags, &q) == ODP_OK && false;
    }
    return all;
}

int metadata_template(struct invocation *inv)
{
    const char *path = inv->output;
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    if (status == ODP_OK && !check_slugs(inv))
        status = ODP_BAD;
    if (status != ODP_OK)
        return outcome_end(inv, status) == EXIT_MACHINE ? EXIT_MACHINE : EXIT_USAGE;
    if (path == NULL)
        path = inv->nwords == 1 ? odp_arena_printf(&inv->run.arena, "%s-metadata.xlsx", inv->words[0])
                                : "metadata.xlsx";
    status = odp_metadata_workbook(path, inv->run.catalog, inv->words, inv->nwords, inv->style.lang);
    if (status == ODP_FAIL)
        failure_say(inv, NULL);
    else if (status == ODP_BAD)
        fprintf(stderr, say(inv, W_cmd_there_already_not_overwritten), path);
    else
        printf(say(inv, W_cmd_metadata_workbook_written), path, path);
    return status == ODP_OK ? EXIT_CLEAN : status == ODP_BAD ? EXIT_USAGE : EXIT_MACHINE;
}

static void show(void *ctx, const struct odp_metadata_change *change)
{
    struct invocation *inv = ctx;
    if (!outcome_prints(inv))
        return;
    printf("%s  %s\n", change->file, change->where);
    if (*change->before != '\0')
        printf("  - %s\n", change->before);
    printf("  + %s\n", change->after);
}

int metadata_apply(struct invocation *inv)
{
    struct odp_metadata_apply a = {.dry = inv->dry_run, .show = show, .ctx = inv};
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    if (status == ODP_OK) {
        a.catalog = inv->run.catalog;
        status = odp_metadata_apply(inv->words[0], &a, &inv->run.arena, inv->run.diags);
        if (status != ODP_FAIL && outcome_prints(inv)) {
            printf(say(inv, W_cmd_metadata_changed), (unsigned long long)a.changes,
                   (unsigned long long)a.files);
            if (a.dry)
                puts(say(inv, W_cmd_nothing_written_dry_run));
        }
    }
    fflush(stdout); /* what was done comes before what was not */
    return outcome_end(inv, status);
}
