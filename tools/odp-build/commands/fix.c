/* odp-build fix SLUG…: checks, shows the proposals rule by rule, and writes those that a person (or --yes)
 * accepts into the source. The original is kept. What an answer makes visible (columns, once title rows are
 * gone) is proposed in the next round. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "commands/failure.h"
#include "commands/fix_text.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "repair/fix.h"
#include "words/commands.h"

enum { ROUNDS_MAX = 8, DECLINED_MAX = 512, KEPT_MAX = 4096 };

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
    bool asks; /* a person answers */
    bool color;
    const char *declined[DECLINED_MAX]; /* "slug/resource ODP-T03" */
    size_t ndeclined;
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
    uint64_t proposed, open; /* open: not asked */
    bool applied;
};

/* ---- --yes ---- */

static bool is_all(const char *rule)
{
    return strcasecmp(rule, "all") == 0 || strcasecmp(rule, "semua") == 0;
}

static bool is_accepted(const struct invocation *inv, const struct odp_fix_group *g)
{
    for (size_t i = 0; i < inv->rules.n; i++) {
        const char *rule = inv->rules.item[i];
        if (is_all(rule) || (g->rule != NULL && strcmp(rule, g->rule) == 0) ||
            odp_code_find(rule) == (int)g->code)
            return true;
    }
    return false;
}

/* Refuses a rule that does not exist: it would never be applied. */
static bool check_rules(const struct invocation *inv, const struct odp_catalog *c)
{
    for (size_t i = 0; i < inv->rules.n; i++) {
        const char *rule = inv->rules.item[i];
        bool known = is_all(rule) || odp_code_find(rule) >= 0;
        for (size_t k = 0; k < c->nresources && !known; k++)
            for (size_t r = 0; r < c->resources[k]->nrules && !known; r++)
                known = strcmp(c->resources[k]->rules[r].code, rule) == 0;
        if (known)
            continue;
        fprintf(stderr, say(inv, W_cmd_yes_there_no_rule_give), rule);
        return false;
    }
    return true;
}

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

/* ---- showing and asking ---- */

static void print_title(struct session *s, const struct odp_fix_group *g)
{
    const struct odp_code_info *info = odp_code_info(g->code);
    static const char *const colors[] = {"", "\033[36m", "\033[33m", "\033[31m"};
    const struct invocation *inv = s->inv;
    const char *word = say(inv, W_cmd_note);
    if (g->severity >= ODP_SEVERITY_WARNING)
        word = g->severity == ODP_SEVERITY_ERROR ? say(inv, W_cmd_error) : say(inv, W_cmd_warning);
    const char *title = g->message != NULL ? odp_text_get(g->message, inv->style.lang)
                                           : outcome_title(inv, g->code, &s->arena);
    printf("  %s%s %s%s: %s%s%s", s->color ? colors[g->severity] : "", word, info->code,
           s->color ? "\033[0m" : "", title, g->rule != NULL ? " — " : "", g->rule != NULL ? g->rule : "");
    printf(say(inv, W_cmd_proposed_found), (unsigned long long)g->proposals, (unsigned long long)g->faults);
    if (g->unfit > 0)
        printf(say(inv, W_cmd_proposals_cannot_written_into_file), (unsigned long long)g->unfit);
}

static enum odp_status show_group(const struct session *s, const struct source *x,
                                  const struct odp_fix_group *g, uint64_t most)
{
    struct fix_text text = {.inv = s->inv,
                            .resource = x->resource,
                            .color = s->color,
                            .whole = most >= g->proposals && most > s->inv->shown};
    enum odp_status status = odp_fix_show(x->fix, g, most, fix_text_show, &text);
    if (status == ODP_OK && g->proposals > most)
        printf(say(s->inv, W_cmd_more_all_examples), (unsigned long long)(g->proposals - most),
               (unsigned long long)g->proposals);
    return status;
}

/* The shapes that change, as a page in the working folder. */
static enum odp_status draw_group(struct session *s, const struct source *x, const struct odp_fix_group *g)
{
    const char *path = odp_arena_printf(&s->arena, "%s.%s.html", x->resource->dataset->slug,
                                        odp_code_info(g->code)->code);
    enum odp_status status = odp_fix_picture(x->fix, g, path, s->inv->style.lang);
    if (status == ODP_OK)
        printf(say(s->inv, W_cmd_picture_of_shapes), path);
    return status;
}

/* "kumuh/kumuh ODP-T03" */
static char *name_group(struct session *s, const struct source *x, const struct odp_fix_group *g)
{
    return odp_arena_printf(&s->arena, "%s/%s %s %s", x->resource->dataset->slug, x->resource->name,
                            odp_code_info(g->code)->code, g->rule != NULL ? g->rule : "");
}

static bool is_declined(struct session *s, const char *name)
{
    for (size_t i = 0; i < s->ndeclined; i++)
        if (strcmp(s->declined[i], name) == 0)
            return true;
    return false;
}

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_ALL, ANSWER_END };

static enum answer ask(const struct session *s, const struct odp_fix_group *g)
{
    char line[64];
    for (;;) {
        printf(say(s->inv, W_cmd_apply_these_changes_y_es), (unsigned long long)g->proposals);
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) == NULL) {
            putchar('\n');
            return ANSWER_END;
        }
        if (strchr(line, '\n') == NULL) /* the rest of a long line does not answer the next question */
            for (int c = getchar(); c != EOF && c != '\n';)
                c = getchar();
        struct odp_slice word = odp_slice_trim(odp_slice_of(line));
        static const struct {
            const char *word;
            enum answer answer;
        } words[] = {{"y", ANSWER_YES},     {"ya", ANSWER_YES},      {"yes", ANSWER_YES},
                     {"t", ANSWER_NO},      {"tidak", ANSWER_NO},    {"n", ANSWER_NO},
                     {"no", ANSWER_NO},     {"l", ANSWER_ALL},       {"s", ANSWER_ALL},
                     {"lihat", ANSWER_ALL}, {"semua", ANSWER_ALL},   {"lihat semua", ANSWER_ALL},
                     {"show", ANSWER_ALL},  {"show all", ANSWER_ALL}};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (word.len == strlen(words[i].word) && strncasecmp(word.ptr, words[i].word, word.len) == 0)
                return words[i].answer;
        puts(say(s->inv, W_cmd_answer_y_n_s));
    }
}

/* Shows one group and asks. DONE: end of input. */
static enum odp_status settle(struct session *s, struct round *r, const struct source *x,
                              struct odp_fix_group *g)
{
    char *name = name_group(s, x, g);
    if (is_declined(s, name))
        return ODP_OK;
    r->proposed += g->proposals;
    g->accepted = is_accepted(s->inv, g);
    print_title(s, g);
    enum odp_status status = show_group(s, x, g, s->inv->shown);
    if (status == ODP_OK && g->draws)
        status = draw_group(s, x, g);
    if (status != ODP_OK || g->accepted || !s->asks) {
        r->open += g->accepted ? 0 : g->proposals;
        putchar('\n');
        return status;
    }
    enum answer answer;
    while ((answer = ask(s, g)) == ANSWER_ALL && status == ODP_OK)
        status = show_group(s, x, g, UINT64_MAX);
    g->accepted = answer == ANSWER_YES;
    if (answer == ANSWER_NO && s->ndeclined < DECLINED_MAX)
        s->declined[s->ndeclined++] = name;
    putchar('\n');
    return status == ODP_OK && answer == ANSWER_END ? ODP_DONE : status;
}

static enum odp_status settle_all(struct session *s, struct round *r)
{
    for (size_t i = 0; i < r->nsources; i++) {
        size_t n;
        if (r->sources[i].fix == NULL)
            continue;
        struct odp_fix_group *const *groups = odp_fix_groups(r->sources[i].fix, &n);
        bool titled = false;
        for (size_t k = 0; k < n; k++) {
            char *name = name_group(s, &r->sources[i], groups[k]);
            if (!titled && !is_declined(s, name)) {
                printf("%s   %s\n", r->sources[i].resource->dataset->slug, r->sources[i].path);
                titled = true;
            }
            enum odp_status status = settle(s, r, &r->sources[i], groups[k]);
            if (status != ODP_OK)
                return status;
        }
    }
    return ODP_OK;
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
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
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

static enum odp_status apply(struct session *s, struct round *r)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < r->nsources; i++) {
        struct odp_rewritten done;
        uint64_t deferred = 0;
        size_t n, accepted = 0;
        if (r->sources[i].fix == NULL)
            continue;
        struct odp_fix_group *const *groups = odp_fix_groups(r->sources[i].fix, &n);
        for (size_t k = 0; k < n; k++)
            accepted += groups[k]->accepted;
        if (accepted == 0)
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
    if (r->open > 0)
        printf(say(inv, W_cmd_proposals_not_applied_apply_them), (unsigned long long)r->open);
    else if (r->proposed == 0 && s->round == 1 && odp_diags_count(r->diags, ODP_SEVERITY_ERROR) == 0)
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
    return checked == ODP_BAD || r->open > 0 || refused || (inv->dry_run && r->proposed > 0) ? EXIT_REJECTED
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
    if (!check_rules(s->inv, r.run.catalog)) {
        code = EXIT_USAGE;
        goto done;
    }
    status = gather(s, &r, paths, looks, n);
    if (status == ODP_OK && s->asks) /* a pipeline gets it at the end, with the rest */
        status = report_misfits(s, &r);
    if (status == ODP_OK)
        status = settle_all(s, &r);
    bool ended = status == ODP_DONE, refused = false;
    if (status == ODP_OK || ended)
        status = apply(s, &r);
    refused = status == ODP_BAD;
    *again = status != ODP_FAIL && r.applied && !refused;
    if (ended)
        s->asks = false;
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
    s.asks = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && inv->rules.n == 0 && !inv->dry_run;
    s.color = outcome_colors(inv, STDOUT_FILENO);
    odp_arena_init(&s.arena);
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
