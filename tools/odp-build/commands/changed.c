#include "commands/changed.h"

#include <errno.h>
#include <string.h>

#include "base/child.h"
#include "base/refusal.h"
#include "catalog/cross.h"
#include "commands/failure.h"
#include "words/commands.h"

enum { ANSWER_MAX = 64 << 20, NOT_FOUND = 127 /* exit code of env */ };

/* What git printed, and its exit code. */
struct answer {
    const char *out, *err; /* in the arena, each with a NUL at its end */
    size_t nout;
    int code; /* NOT_FOUND: git is not installed */
};

/* git -C DIR WORDS…; false: the machine failed. */
static bool git(struct answer *answer, const char *dir, const char *const *words, struct odp_arena *a)
{
    enum { WORDS = 16 };
    const char *argv[WORDS + 5] = {"/usr/bin/env", "git", "-C", dir};
    struct odp_buffer out = {0};
    struct odp_child child = {.argv = argv, .out = &out, .max = ANSWER_MAX};
    for (size_t n = 0; n < WORDS && words[n] != NULL; n++)
        argv[n + 4] = words[n];
    bool ok = odp_child_run(&child) == ODP_OK && !child.too_large;
    struct odp_slice text = odp_arena_copy(a, odp_buffer_slice(&out));
    *answer = (struct answer){.out = text.ptr,
                              .err = odp_arena_str(a, odp_buffer_cstr(&child.errors)),
                              .nout = text.len,
                              .code = child.code};
    odp_buffer_release(&child.errors);
    odp_buffer_release(&out);
    return ok;
}

/* The first line of what git printed. */
static const char *first_line(const struct answer *answer, struct odp_arena *a)
{
    return odp_arena_printf(a, "%.*s", (int)strcspn(answer->out, "\n"), answer->out);
}

static int failed(const struct invocation *inv)
{
    const struct odp_text why = odp_refusal_text(errno);
    fprintf(stderr, "odp-build: --changed: %s: %s\n", say(inv, W_cmd_git_cannot_run),
            odp_text_get(&why, inv->style.lang));
    return EXIT_MACHINE;
}

/* The commit where this branch left BASE; without one (a shallow clone) BASE itself. */
static int find_commit(const struct invocation *inv, const char *base, struct odp_arena *a, const char **out)
{
    const char *spec = odp_arena_printf(a, "%s^{commit}", base), *dir = inv->options.catalog;
    struct answer answer, fork;
    if (!git(&answer, dir,
             (const char *[]){"rev-parse", "--verify", "--quiet", "--end-of-options", spec, NULL}, a))
        return failed(inv);
    if (answer.code == NOT_FOUND) {
        fputs(say(inv, W_cmd_changed_needs_git_which_not), stderr);
        return EXIT_MACHINE;
    }
    if (answer.code != 0 && strstr(answer.err, "not a git repository") != NULL) {
        fprintf(stderr, say(inv, W_cmd_changed_not_inside_git_repository), dir);
        return EXIT_USAGE;
    }
    if (answer.code != 0) {
        fprintf(stderr, say(inv, W_cmd_changed_there_no_commit_here), base, *answer.err != '\0' ? ": " : "",
                answer.err);
        return EXIT_USAGE;
    }
    *out = first_line(&answer, a);
    if (!git(&fork, dir, (const char *[]){"merge-base", "HEAD", *out, NULL}, a))
        return failed(inv);
    if (fork.code == 0 && *first_line(&fork, a) != '\0')
        *out = first_line(&fork, a);
    return EXIT_CLEAN;
}

/* ---- which datasets ---- */

struct touched {
    const struct odp_catalog *catalog;
    bool *dataset; /* by place in the catalogue */
    bool all;
    size_t files;
};

static bool first_is(const char *path, const char *name)
{
    size_t n = strlen(name);
    return strncmp(path, name, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* PATH below the catalogue's folder, or below that of the sources. */
static void touch(struct touched *t, const char *path, bool sources)
{
    const struct odp_catalog *c = t->catalog;
    t->files++;
    if (!sources && (first_is(path, "portal.json") || first_is(path, "rules.json")))
        t->all = true;
    for (size_t i = 0; i < c->ndatasets; i++)
        if (first_is(path, c->datasets[i].path) && !(sources && c->datasets[i].reference))
            t->dataset[i] = true;
}

/* Asks git for files committed or changed since COMMIT, and for new ones. */
static int touch_folder(const struct invocation *inv, struct touched *t, const char *dir, const char *commit,
                        bool sources, struct odp_arena *a)
{
    const char *const diff[] = {
        "diff", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--relative", commit, "--", ".", NULL};
    const char *const fresh[] = {"ls-files", "-z", "--others", "--exclude-standard", "--", ".", NULL};
    const char *const *const asked[] = {diff, fresh};
    for (size_t i = 0; i < 2; i++) {
        struct answer answer;
        if (!git(&answer, dir, asked[i], a))
            return failed(inv);
        if (answer.code != 0) {
            fprintf(stderr, "odp-build: --changed: git %s: %s", dir,
                    *answer.err != '\0' ? answer.err : "?\n");
            return EXIT_USAGE;
        }
        for (size_t at = 0; at < answer.nout; at += strlen(answer.out + at) + 1)
            touch(t, answer.out + at, sources);
    }
    return EXIT_CLEAN;
}

static bool is_touched(const struct touched *t, const struct odp_dataset *d)
{
    return t->dataset[d - t->catalog->datasets];
}

/* Whether D refers to a touched dataset, by a key or by a rule across datasets that D answers for. */
static bool refers(const struct touched *t, const struct odp_dataset *d)
{
    const struct odp_catalog *c = t->catalog;
    for (size_t r = 0; r < d->nresources; r++)
        for (size_t k = 0; k < d->resources[r].nforeign; k++)
            if (is_touched(t, d->resources[r].foreign[k].target->dataset))
                return true;
    for (size_t i = 0; i < c->ncross; i++) {
        const struct odp_cross_rule *rule = &c->cross[i];
        bool any = is_touched(t, rule->each.resource->dataset);
        for (size_t k = 0; k < rule->njoins; k++)
            any = any || is_touched(t, rule->joins[k].resource->dataset);
        if (any && rule->owner == d)
            return true;
    }
    return false;
}

/* Code lists may refer to each other; references of datasets are not followed further, because their own
 * keys have not changed. */
static void spread(struct touched *t, bool *chosen)
{
    const struct odp_catalog *c = t->catalog;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = c->ndatasets - c->nlists; i < c->ndatasets; i++)
            if (!t->dataset[i] && refers(t, &c->datasets[i]))
                more = t->dataset[i] = true;
    }
    for (size_t i = 0; i < c->ndatasets; i++)
        chosen[i] = t->all || t->dataset[i] || refers(t, &c->datasets[i]);
}

static void print_selection(const struct invocation *inv, const struct touched *t, const char *commit,
                            const char *const *slugs, size_t n)
{
    if (inv->style.quiet)
        return;
    fprintf(stderr, say(inv, W_cmd_git_files_changed_since_datasets), commit, t->files);
    if (n == t->catalog->ndatasets)
        fputs(say(inv, W_cmd_all), stderr);
    for (size_t i = 0; i < n && n < t->catalog->ndatasets; i++)
        fprintf(stderr, " %s", slugs[i]);
    fputs(n == 0 ? say(inv, W_cmd_none) : "\n", stderr);
}

static int select_from(struct invocation *inv, const struct odp_catalog *c, const char *base,
                       struct odp_arena *a)
{
    const char *commit = NULL;
    struct touched t = {.catalog = c, .dataset = odp_arena_zero(a, c->ndatasets + 1, sizeof(bool))};
    bool *chosen = odp_arena_zero(a, c->ndatasets + 1, sizeof(bool));
    const char **slugs = odp_arena_array(a, c->ndatasets + 1, sizeof *slugs);
    size_t n = 0;
    if (t.dataset == NULL)
        return failed(inv);
    int code = find_commit(inv, base, a, &commit);
    if (code == EXIT_CLEAN)
        code = touch_folder(inv, &t, inv->options.catalog, commit, false, a);
    if (code == EXIT_CLEAN && inv->options.sources != NULL)
        code = touch_folder(inv, &t, inv->options.sources, commit, true, a);
    if (code != EXIT_CLEAN)
        return code;
    spread(&t, chosen);
    for (size_t i = 0; i < c->ndatasets; i++)
        if (chosen[i])
            slugs[n++] = odp_arena_str(a, c->datasets[i].slug);
    inv->options.slugs = slugs;
    inv->options.nslugs = n;
    inv->options.chosen = true;
    print_selection(inv, &t, commit, slugs, n);
    return EXIT_CLEAN;
}

int changed_select(struct invocation *inv, const char *base, struct odp_arena *arena)
{
    struct odp_run run = {0};
    /* The check itself reports a wrong catalogue; it then looks at all datasets. */
    enum odp_status status = odp_run_catalog(&run, &inv->options);
    int code = status == ODP_OK ? select_from(inv, run.catalog, base, arena) : EXIT_CLEAN;
    if (status == ODP_FAIL) {
        failure_say(inv, NULL);
        code = EXIT_MACHINE;
    }
    odp_run_release(&run);
    return code;
}
