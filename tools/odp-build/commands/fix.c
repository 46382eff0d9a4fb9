/* odp-build fix SLUG…: checks, shows the proposals rule by rule, and writes those that a person (or --yes)
 * accepts into the source. The original is kept. What an answer makes visible (columns, once title rows are
 * gone) is proposed in the next round. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "commands/failure.h"
#include "commands/fix_choose.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "repair/fix.h"
#include "words/commands.h"

enum { ROUNDS_MAX = 8, KEPT_MAX = 4096 };

/* A source of this session. */
struct source {
    const struct odp_resource *resource; /* of this round's catalogue */
    const char *path;
    struct odp_file_state began;
    struct odp_fix *fix;
};

/* What lasts longer than a round. */
struct session {
    struct invocation *inv;
    struct odp_arena arena;
    struct fix_choice choice;
    const char **kept_path, **kept_name; /* the source and its first original */
    size_t nkept;
    uint64_t applied;
    unsigned round;
};

/* The results of a round. */
struct round {
    struct odp_run run;
    struct odp_faults *faults;
    struct source *sources;
    size_t nsources;
    struct odp_diags *diags; /* of the edits */
    struct fix_offered offered;
    bool applied;
};

/* ---- one round: what is proposed ---- */

static bool is_named(const struct invocation *inv, const struct odp_resource *r)
{
    const struct odp_options *o = &inv->options;
    if (o->as_file != NULL && !r->primary)
        return false;
    for (size_t i = 0; i < o->nslugs; i++)
        if (strcmp(o->slugs[i], r->dataset->slug) == 0)
            return true;
    return false;
}

/* Notes the state of the sources before the check reads them. By path, because the check opens its own
 * catalogue. */
static enum odp_status note_states(const struct session *s, struct odp_arena *a, const char ***paths,
                                   struct odp_file_state **looks, size_t *n)
{
    struct odp_run run = {0};
    struct odp_options quiet = s->inv->options;
    quiet.progress = NULL;
    *n = 0;
    enum odp_status status = odp_run_catalog(&run, &quiet);
    size_t most = run.catalog != NULL ? run.catalog->nresources : 0;
    *paths = odp_arena_zero(a, most + 1, sizeof(const char *));
    *looks = odp_arena_zero(a, most + 1, sizeof **looks);
    for (size_t i = 0; i < most && status == ODP_OK; i++) {
        const struct odp_resource *r = run.catalog->resources[i];
        if (!is_named(s->inv, r))
            continue;
        const char *path = quiet.as_file != NULL ? odp_arena_str(a, quiet.as_file)
                                                 : odp_resource_source(r, quiet.sources, a);
        (*paths)[*n] = path;
        (*looks)[(*n)++] = odp_file_state_source(path);
    }
    odp_run_release(&run);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK; /* the check reports what is wrong with the catalogue */
}

static enum odp_status check(struct session *s, struct round *r)
{
    struct progress_bar bar;
    progress_bar_init(&bar, s->inv);
    s->inv->options.progress = &bar.progress;
    s->inv->options.sink = odp_faults_sink(r->faults);
    enum odp_status status = odp_run_check(&r->run, &s->inv->options);
    progress_bar_finish(&bar);
    s->inv->options.progress = NULL;
    s->inv->options.sink = NULL;
    return status;
}

static enum odp_status gather(struct session *s, struct round *r, const char *const *paths,
                              const struct odp_file_state *looks, size_t n)
{
    const struct odp_catalog *c = r->run.catalog;
    r->sources = odp_arena_zero(&s->arena, c->nresources + 1, sizeof *r->sources);
    for (size_t i = 0; i < c->nresources; i++) {
        if (!is_named(s->inv, c->resources[i]))
            continue;
        struct source *x = &r->sources[r->nsources++];
        x->resource = c->resources[i];
        x->path = s->inv->options.as_file != NULL
                      ? s->inv->options.as_file
                      : odp_resource_source(x->resource, s->inv->options.sources, &s->arena);
        if (x->path == NULL)
            return ODP_FAIL;
        for (size_t k = 0; k < n; k++)
            if (strcmp(paths[k], x->path) == 0)
                x->began = looks[k];
        enum odp_status status = odp_fix_new(&x->fix, r->faults, x->resource, x->path, &x->began, r->diags);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status == ODP_BAD) { /* nothing can be applied to it, as reported */
            odp_fix_free(x->fix);
            x->fix = NULL;
            continue;
        }
        if (odp_fix_dropped(x->fix) > 0) {
            char number[24];
            snprintf(number, sizeof number, "%llu", (unsigned long long)odp_fix_dropped(x->fix));
            struct odp_diag d = {.code = ODP_A08,
                                 .dataset = x->resource->dataset->slug,
                                 .resource = x->resource->name,
                                 .file = x->path};
            d.args[0] = odp_slice_of(number);
            if (odp_diags_add(r->diags, &d) == ODP_FAIL)
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

/* ---- choosing ---- */

static enum odp_status settle_all(struct session *s, struct round *r)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < r->nsources && status == ODP_OK; i++) {
        const struct source *x = &r->sources[i];
        if (x->fix != NULL)
            status = fix_choose(&s->choice, x->fix, x->resource, x->path, &r->offered);
    }
    return status;
}

/* ---- applying ---- */

/* A file that is rewritten in several rounds keeps only its first original. */
static enum odp_status keep_first_original(struct session *s, const char *original)
{
    const char *end = strstr(original, ".asli"), *last = end;
    while (last != NULL && (last = strstr(last + 1, ".asli")) != NULL)
        end = last;
    const char *part = odp_arena_printf(&s->arena, "%.*s", (int)(end - original), original);
    for (size_t i = 0; i < s->nkept; i++)
        if (strcmp(s->kept_path[i], part) == 0) {
            odp_original_drop(original);
            return ODP_OK;
        }
    if (s->nkept == KEPT_MAX)
        return ODP_OK;
    s->kept_path[s->nkept] = part;
    s->kept_name[s->nkept] = odp_arena_str(&s->arena, original);
    s->nkept++;
    return ODP_OK;
}

static void print_result(const struct session *s, const struct source *x, const struct odp_rewritten *done,
                         uint64_t deferred)
{
    const struct invocation *inv = s->inv;
    if (!outcome_prints(inv))
        return;
    printf("%s: ", x->path);
    const struct {
        uint64_t n;
        const char *id, *en;
    } parts[] = {{done->cells, W_cmd_changed_cells},      {done->deleted, W_cmd_removed_records},
                 {done->lines, W_cmd_removed_lines_file}, {done->labels, W_cmd_renamed_column_labels},
                 {done->shapes, W_cmd_mended_shapes},     {done->parts, W_cmd_written_parts}};
    const char *comma = "";
    for (size_t i = 0; i < ODP_COUNT(parts); i++)
        if (parts[i].n > 0) {
            printf("%s%s: %llu", comma, say(inv, parts[i].id, parts[i].en), (unsigned long long)parts[i].n);
            comma = ", ";
        }
    if (*comma == '\0')
        fputs(say(inv, W_cmd_nothing_changed), stdout);
    if (inv->dry_run)
        fputs(say(inv, W_cmd_not_written_dry_run), stdout);
    else if (done->original != NULL && s->round == 1)
        printf(say(inv, W_cmd_the_original), done->original);
    putchar('\n');
    if (deferred > 0)
        printf(say(inv, W_cmd_other_proposals_for_same_cells), (unsigned long long)deferred);
}

static bool any_accepted(struct odp_fix *x)
{
    size_t n;
    struct odp_fix_group *const *groups = odp_fix_groups(x, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < groups[i]->nvalues; k++)
            if (groups[i]->values[k]->accepted)
                return true;
    return false;
}

static enum odp_status apply(struct session *s, struct round *r)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < r->nsources; i++) {
        struct odp_rewritten done;
        uint64_t deferred = 0;
        if (r->sources[i].fix == NULL || !any_accepted(r->sources[i].fix))
            continue;
        enum odp_status status =
            odp_fix_apply(r->sources[i].fix, s->inv->dry_run, &s->arena, &done, &deferred, r->diags);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status == ODP_BAD) {
            worst = ODP_BAD;
            continue;
        }
        print_result(s, &r->sources[i], &done, deferred);
        if (done.original != NULL || (done.parts > 0 && !s->inv->dry_run)) {
            r->applied = true;
            s->applied += done.cells + done.deleted + done.lines + done.labels + done.shapes + done.parts;
        }
        if (done.original != NULL)
            keep_first_original(s, done.original);
    }
    return worst;
}

/* ---- rounds ---- */

static void hint(const struct session *s, const struct round *r)
{
    const struct invocation *inv = s->inv;
    if (!outcome_prints(inv))
        return;
    if (r->offered.open > 0)
        printf(say(inv, W_cmd_proposals_not_applied_apply_them), (unsigned long long)r->offered.open);
    else if (r->offered.proposed == 0 && s->round == 1 && odp_diags_count(r->diags, ODP_SEVERITY_ERROR) == 0)
        puts(say(inv, W_cmd_there_nothing_propose));
}

/* Prints what is left after the last round. */
static int finish(const struct session *s, const struct round *r, enum odp_status checked, bool refused)
{
    const struct invocation *inv = s->inv;
    uint64_t errors = odp_diags_count(r->run.diags, ODP_SEVERITY_ERROR),
             warnings = odp_diags_count(r->run.diags, ODP_SEVERITY_WARNING);
    bool all = s->applied > 0 || inv->nreports > 0; /* the faults, or only what prevented edits */
    hint(s, r);
    if (all && odp_diags_merge(r->run.diags, r->diags) != ODP_OK)
        return EXIT_MACHINE;
    if (outcome_show(inv, all ? r->run.diags : r->diags, checked) == EXIT_MACHINE)
        return EXIT_MACHINE;
    if (outcome_prints(inv) && errors + warnings > 0)
        printf(say(inv, W_cmd_left_errors_warnings), (unsigned long long)errors, (unsigned long long)warnings,
               s->applied > 0 ? "" : say(inv, W_cmd_for_details_odp_build_check));
    else if (outcome_prints(inv))
        puts(say(inv, W_cmd_clean_no_errors));
    for (size_t i = 0; i < s->nkept && outcome_prints(inv); i++)
        printf(say(inv, W_cmd_original_kept), s->kept_name[i]);
    return checked == ODP_BAD || r->offered.open > 0 || refused || (inv->dry_run && r->offered.proposed > 0)
               ? EXIT_REJECTED
               : EXIT_CLEAN;
}

static void close_round(struct round *r)
{
    for (size_t i = 0; i < r->nsources; i++)
        odp_fix_free(r->sources[i].fix);
    odp_faults_free(r->faults);
    odp_diags_free(r->diags);
    odp_run_release(&r->run);
}

/* Reports what cannot be written before questions are asked. */
static enum odp_status report_misfits(const struct session *s, const struct round *r)
{
    struct invocation plain = *s->inv;
    plain.nreports = 0;
    enum odp_status status = outcome_show(&plain, r->diags, ODP_OK) != EXIT_MACHINE ? ODP_OK : ODP_FAIL;
    odp_diags_clear(r->diags);
    return status;
}

/* *AGAIN: something was written, so another round follows. Else returns the exit code. */
static int one_round(struct session *s, bool *again)
{
    struct round r = {0};
    const char **paths;
    struct odp_file_state *looks;
    size_t n = 0;
    int code = EXIT_MACHINE;
    *again = false;
    s->round++;
    enum odp_status checked = ODP_FAIL, status = note_states(s, &s->arena, &paths, &looks, &n);
    if (status == ODP_OK && (odp_faults_new(&r.faults) != ODP_OK || odp_diags_new(&r.diags, 1000) != ODP_OK))
        status = ODP_FAIL;
    if (status == ODP_OK)
        status = checked = check(s, &r);
    if (status == ODP_FAIL)
        goto done;
    if (r.run.catalog_wrong) {
        (void)outcome_show(s->inv, r.run.diags, status);
        code = EXIT_USAGE;
        goto done;
    }
    if (!fix_choice_known(s->inv, r.run.catalog)) {
        code = EXIT_USAGE;
        goto done;
    }
    status = gather(s, &r, paths, looks, n);
    if (status == ODP_OK && s->choice.asks) /* a pipeline gets it at the end, with the rest */
        status = report_misfits(s, &r);
    if (status == ODP_OK)
        status = settle_all(s, &r);
    bool ended = status == ODP_DONE, refused = false;
    if (status == ODP_OK || ended)
        status = apply(s, &r);
    refused = status == ODP_BAD;
    *again = status != ODP_FAIL && r.applied && !refused;
    if (ended)
        s->choice.asks = false;
    if (!*again && status != ODP_FAIL)
        code = finish(s, &r, checked, refused);
done:
    if (status == ODP_FAIL) {
        failure_say(s->inv, say(s->inv, W_cmd_machine_failed_no_source_changed));
        code = EXIT_MACHINE;
    }
    close_round(&r);
    return code;
}

static int run_fix(struct invocation *inv)
{
    struct session s = {.inv = inv};
    if (inv->options.as_slug != NULL ? inv->nwords != 1 : inv->nwords == 0)
        return outcome_usage(inv, W_cmd_usage_fix);
    inv->options.slugs = inv->options.as_slug != NULL ? &inv->options.as_slug : inv->words;
    inv->options.nslugs = inv->options.as_slug != NULL ? 1 : inv->nwords;
    inv->options.as_file = inv->options.as_slug != NULL ? inv->words[0] : NULL;
    s.choice.asks =
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && inv->rules.n == 0 && !inv->dry_run;
    s.choice.inv = inv;
    s.choice.arena = &s.arena;
    s.choice.color = outcome_colors(inv, STDOUT_FILENO);
    int code = EXIT_MACHINE;
    s.kept_path = odp_arena_zero(&s.arena, KEPT_MAX, sizeof(const char *));
    s.kept_name = odp_arena_zero(&s.arena, KEPT_MAX, sizeof(const char *));
    bool again = true;
    while (again) {
        if (s.round == ROUNDS_MAX - 1)
            inv->rules.n = 0; /* proposals that never end: the last round only lists them */
        code = one_round(&s, &again);
    }
    odp_arena_release(&s.arena);
    return code;
}

const struct command command_fix = {W_cmd_slug, {{W_cmd_show_proposed_corrections_apply}}, run_fix};
