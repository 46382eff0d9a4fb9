/* odp-build rollback and builds: back to an earlier build, and which there are. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
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

static int usage(const struct invocation *inv, const char *id, const char *en)
{
    fprintf(stderr, "odp-build: %s\n", say(inv, id, en));
    return EXIT_USAGE;
}

static int run_rollback(struct invocation *inv)
{
    struct odp_arena arena;
    struct odp_diags *diags = NULL;
    const char *build = NULL;
    if (inv->nwords > 1 || (inv->nwords == 1 && inv->to != NULL))
        return usage(inv, W_cmd_usage_rollback);
    if (inv->by != NULL && person_name(inv) == NULL)
        return usage(inv, W_cmd_by_must_one_line_text);
    const char *to = inv->nwords == 1 ? inv->words[0] : inv->to;
    odp_arena_init(&arena);
    enum odp_status status = odp_diags_new(&diags, inv->options.examples);
    if (status == ODP_OK)
        status = odp_rollback(inv->options.out, to, person_name(inv), &arena, &build, diags);
    int code = outcome_show(inv, diags, status);
    if (status == ODP_OK && !inv->style.quiet)
        printf("%s → %s\n", inv->options.out, build);
    odp_diags_free(diags);
    odp_arena_release(&arena);
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
    struct odp_arena arena;
    struct odp_build_entry *list = NULL;
    size_t n = 0;
    if (inv->nwords > 0)
        return usage(inv, W_cmd_usage_builds);
    odp_arena_init(&arena);
    enum odp_status status = odp_builds_list(inv->options.out, &list, &n, &arena);
    int code = outcome_show(inv, NULL, status);
    for (size_t i = 0; code == EXIT_CLEAN && i < n; i++)
        print_build(inv, &list[i]);
    if (code == EXIT_CLEAN && n == 0)
        code = usage(inv, W_cmd_there_no_build_yet_build);
    odp_arena_release(&arena);
    return code;
}

const struct command command_rollback = {
    "rollback", "[--to BUILD]", {{W_cmd_back_earlier_build_one_step}}, run_rollback};
const struct command command_builds = {"builds", "", {{W_cmd_builds_kept_newest_first}}, run_builds};
