/* odp-build withdraw SLUG VERSION… --reason privacy|legal|error --note TEXT: removes a version from the site
 * and this machine for good. */
#include <string.h>

#include "base/utf8.h"
#include "commands/outcome.h"
#include "commands/person.h"
#include "run/site_pages.h"
#include "publish/publish.h"
#include "words/commands.h"

static bool is_complete(const struct invocation *inv)
{
    static const char *const reasons[] = {"privacy", "legal", "error"};
    bool known = false;
    for (size_t i = 0; inv->reason != NULL && i < ODP_COUNT(reasons); i++)
        known = known || strcmp(inv->reason, reasons[i]) == 0;
    return inv->nwords >= 2 && known && inv->note != NULL &&
           odp_utf8_is_line(odp_slice_of(inv->note), ODP_LINE_MOST);
}

static void print_result(const struct invocation *inv, const struct odp_withdrawn *done)
{
    printf(say(inv, W_cmd_versions_withdrawn_files_removed), inv->words[0], done->versions, done->files,
           done->builds);
    printf("%s → %s\n", inv->options.out, done->build);
    if (done->newest)
        fputs(say(inv, W_cmd_newest_version_withdrawn_api), stdout);
    fputs(say(inv, W_cmd_still_do_odp_build_publish), stdout);
}

static enum odp_status withdraw(struct invocation *inv, struct odp_withdrawn *done)
{
    struct odp_pool *pool = NULL;
    enum odp_status status = odp_pool_new(&pool, inv->options.jobs);
    const struct odp_withdraw_options o = {.catalog = inv->run.catalog,
                                           .out = inv->options.out,
                                           .slug = inv->words[0],
                                           .versions = inv->words + 1,
                                           .nversions = inv->nwords - 1,
                                           .reason = inv->reason,
                                           .note = inv->note,
                                           .by = person_name(inv),
                                           .pool = pool,
                                           .pages = odp_site_pages};
    if (status == ODP_OK)
        status = odp_withdraw(&o, &inv->run.arena, done, inv->run.diags);
    odp_pool_free(pool);
    return status;
}

static int run_withdraw(struct invocation *inv)
{
    struct odp_withdrawn done = {0};
    if (!is_complete(inv))
        return outcome_usage(inv, W_cmd_usage_withdraw);
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    if (status == ODP_OK)
        status = withdraw(inv, &done);
    int code = outcome_end(inv, status);
    if (status == ODP_OK && !inv->style.quiet)
        print_result(inv, &done);
    else if (status == ODP_DONE && done.builds > 0 && !inv->style.quiet)
        printf(say(inv, W_cmd_earlier_builds_still_held_removed), done.builds);
    return code;
}

const struct command command_withdraw = {
    "withdraw", "SLUG VERSION…", {{W_cmd_take_back_versions_may_not}}, run_withdraw};
