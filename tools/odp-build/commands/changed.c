#include "commands/changed.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "catalog/cross.h"
#include "commands/failure.h"
#include "words/commands.h"

extern char **environ;

enum { ANSWER_MAX = 64 << 20 };

/* What git printed, and its exit code. */
struct answer {
    char *out, *err; /* in the arena, each with a NUL at its end */
    size_t nout;
    int code; /* exit code; -1: it could not be started */
};

static char *whole(int fd, size_t *n, struct odp_arena *a)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size < 0 || info.st_size > ANSWER_MAX)
        return NULL;
    size_t size = (size_t)info.st_size, done = 0;
    char *text = odp_arena_alloc(a, size + 1);
    while (done < size) {
        ssize_t got = pread(fd, text + done, size - done, (off_t)done);
        if (got <= 0)
            return NULL;
        done += (size_t)got;
    }
    text[size] = '\0';
    *n = size;
    return text;
}

/* Output and errors go into memory files, so neither side ever waits for the other. */
static bool run_to(char *const argv[], int out, int err, int *code)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool ok = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, out, 1) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, err, 2) == 0;
    *code = -1;
    int started = ok ? posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    if (!ok)
        return false;
    if (started != 0)
        return started == ENOENT || started == EACCES; /* git is not installed: the caller reports it */
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return true;
}

/* git -C DIR WORDS…; false: the machine failed. */
static bool git(struct answer *answer, const char *dir, const char *const *words, struct odp_arena *a)
{
    enum { WORDS = 16 };
    char *argv[WORDS + 4] = {odp_arena_str(a, "git"), odp_arena_str(a, "-C"), odp_arena_str(a, dir)};
    size_t n = 3, nerr;
    for (; n < WORDS + 3 && words[n - 3] != NULL; n++)
        argv[n] = odp_arena_str(a, words[n - 3]);
    for (size_t i = 0; i < n; i++)
        if (argv[i] == NULL)
            return false;
    int out = memfd_create("git-out", MFD_CLOEXEC), err = memfd_create("git-err", MFD_CLOEXEC);
    *answer = (struct answer){0};
    bool ok = out >= 0 && err >= 0 && run_to(argv, out, err, &answer->code);
    answer->out = ok ? whole(out, &answer->nout, a) : NULL;
    answer->err = ok ? whole(err, &nerr, a) : NULL;
    if (out >= 0)
        (void)close(out);
    if (err >= 0)
        (void)close(err);
    return answer->out != NULL && answer->err != NULL;
}

static int failed(const struct invocation *inv)
{
    fprintf(stderr, "odp-build: --changed: %s: %s\n", say(inv, W_cmd_git_cannot_run), strerror(errno));
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
    if (answer.code == -1) {
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
    answer.out[strcspn(answer.out, "\n")] = '\0';
    if (!git(&fork, dir, (const char *[]){"merge-base", "HEAD", answer.out, NULL}, a))
        return failed(inv);
    fork.out[strcspn(fork.out, "\n")] = '\0';
    *out = fork.code == 0 && *fork.out != '\0' ? fork.out : answer.out;
    return EXIT_CLEAN;
}

/* ---- which datasets ---- */

struct touched {
    const struct odp_catalog *catalog;
    bool *dataset, *list; /* by place in the catalogue */
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
        if (first_is(path, c->datasets[i].slug))
            t->dataset[i] = true;
    for (size_t i = 0; i < c->nreferences && !sources; i++)
        if (first_is(path, c->references[i].slug))
            t->list[i] = true;
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
    return d->reference ? t->list[d - t->catalog->references] : t->dataset[d - t->catalog->datasets];
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
        for (size_t i = 0; i < c->nreferences; i++)
            if (!t->list[i] && refers(t, &c->references[i]))
                more = t->list[i] = true;
    }
    for (size_t i = 0; i < c->ndatasets; i++)
        chosen[i] = t->all || t->dataset[i] || refers(t, &c->datasets[i]);
}

static void tell(const struct invocation *inv, const struct touched *t, const char *commit,
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
    struct touched t = {.catalog = c,
                        .dataset = odp_arena_zero(a, c->ndatasets + 1, sizeof(bool)),
                        .list = odp_arena_zero(a, c->nreferences + 1, sizeof(bool))};
    bool *chosen = odp_arena_zero(a, c->ndatasets + 1, sizeof(bool));
    const char **slugs = odp_arena_array(a, c->ndatasets + 1, sizeof *slugs);
    size_t n = 0;
    if (t.dataset == NULL || t.list == NULL)
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
    tell(inv, &t, commit, slugs, n);
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
