/* odp-build rollback and builds: goes back to an earlier build, lists builds. */
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "commands/outcome.h"
#include "commands/person.h"
#include "publish/publish.h"
#include "words/commands.h"

const char *person_name(const struct invocation *inv)
{
    const struct passwd *user = inv->by == NULL ? getpwuid(geteuid()) : NULL;
    const char *name = inv->by != NULL ? inv->by : user != NULL ? user->pw_name : NULL;
    return name != NULL && odp_utf8_is_line(odp_slice_of(name), ODP_LINE_MOST) ? name : NULL;
}

static int run_rollback(struct invocation *inv)
{
    const char *build = NULL;
    if (inv->nwords > 1 || (inv->nwords == 1 && inv->to != NULL))
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_usage_rollback));
    if (inv->by != NULL && person_name(inv) == NULL)
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_by_must_one_line_text));
    const char *to = inv->nwords == 1 ? inv->words[0] : inv->to;
    enum odp_status status = outcome_begin(inv);
    if (status == ODP_OK)
        status =
            odp_rollback(inv->options.out, to, person_name(inv), &inv->run.arena, &build, inv->run.diags);
    int code = outcome_end(inv, status);
    if (status == ODP_OK && !inv->style.quiet)
        printf("%s → %s\n", inv->options.out, build);
    return code;
}

static void print_build(const struct invocation *inv, const struct odp_build_entry *e)
{
    printf("%s %.16s  %-20s  ", e->current ? "*" : " ", e->digest, *e->switched != '\0' ? e->switched : "—");
    if (e->damaged) {
        printf("%s\n", say(inv, W_cmd_damaged));
        return;
    }
    printf("%-8s %-10s  %zu %s  %llu %s%s%s\n", e->release, *e->last_update != '\0' ? e->last_update : "—",
           e->files, say(inv, W_cmd_files), (unsigned long long)e->bytes, say(inv, W_cmd_bytes),
           *e->by != '\0' ? "  " : "", e->by);
}

static int run_builds(struct invocation *inv)
{
    struct odp_build_entry *list = NULL;
    size_t n = 0;
    if (inv->nwords > 0)
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_usage_builds));
    enum odp_status status = outcome_begin(inv);
    if (status == ODP_OK)
        status = odp_builds_list(inv->options.out, &list, &n, &inv->run.arena);
    int code = outcome_end(inv, status);
    if (code == EXIT_CLEAN && n > 0)
        printf("%s\n", say(inv, W_cmd_builds_heading));
    for (size_t i = 0; code == EXIT_CLEAN && i < n; i++)
        print_build(inv, &list[i]);
    if (code == EXIT_CLEAN && n == 0)
        code = outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_there_no_build_yet_build));
    return code;
}

const struct command command_rollback = {
    "rollback", "[--to BUILD]", {{W_cmd_back_earlier_build_one_step}}, run_rollback};
const struct command command_builds = {"builds", "", {{W_cmd_builds_kept_newest_first}}, run_builds};
