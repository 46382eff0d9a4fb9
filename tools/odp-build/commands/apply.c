/* odp-build apply WORKBOOK: writes a steward's corrections from the workbook into its sources. */
#include <unistd.h>

#include "base/path.h"
#include "commands/fix_text.h"
#include "commands/metadata.h"
#include "commands/outcome.h"
#include "metadata/metadata.h"
#include "words/commands.h"

struct showing {
    struct invocation *inv;
    struct fix_text text;
    bool tells;
};

static enum odp_status begin(void *ctx, const struct odp_resource *r, const char *path)
{
    struct showing *s = ctx;
    s->text = (struct fix_text){.inv = s->inv, .resource = r, .color = outcome_colors(s->inv, STDOUT_FILENO)};
    if (s->tells)
        printf("%s   %s\n", r->dataset->slug, path);
    return ODP_OK;
}

static enum odp_status show(void *ctx, const struct odp_edit_shown *e)
{
    struct showing *s = ctx;
    return s->tells ? fix_text_show(&s->text, e) : ODP_OK;
}

/* Prints what is still wrong in FRESH, the corrected source, before it replaces the old one. */
static void print_remaining(const struct invocation *inv, const struct odp_diags *diags, struct odp_arena *a)
{
    enum { MOST = 12 };
    uint64_t errors = odp_diags_count(diags, ODP_SEVERITY_ERROR),
             warnings = odp_diags_count(diags, ODP_SEVERITY_WARNING);
    unsigned shown = 0;
    if (errors + warnings == 0) {
        puts(say(inv, W_cmd_after_these_corrections_no_errors));
        return;
    }
    printf(say(inv, W_cmd_after_these_corrections_there), (unsigned long long)errors,
           (unsigned long long)warnings);
    for (int code = 0; code < ODP_CODE_COUNT && shown < MOST; code++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)code);
        uint64_t n = odp_diags_code_count(diags, (enum odp_code)code);
        if (n == 0 || info->severity == ODP_SEVERITY_NOTE)
            continue;
        printf("    %s %s: %llu\n", info->code, outcome_title(inv, (enum odp_code)code, a),
               (unsigned long long)n);
        shown++;
    }
}

static enum odp_status check_fresh(void *ctx, const struct odp_resource *r, const char *fresh)
{
    const struct showing *s = ctx;
    struct odp_options o = s->inv->options;
    struct odp_run run = {0};
    if (!s->tells || !r->primary || r->dataset->reference)
        return ODP_OK;
    o.as_slug = r->dataset->slug;
    o.as_file = fresh;
    o.slugs = &o.as_slug;
    o.nslugs = 1;
    enum odp_status status = odp_run_check(&run, &o);
    if (status != ODP_FAIL && !run.catalog_wrong)
        print_remaining(s->inv, run.diags, &run.arena);
    odp_run_release(&run);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* Prints what was done and what to do next. */
static void print_result(const struct invocation *inv, const struct odp_applied *done, enum odp_status status)
{
    bool dry = inv->dry_run;
    if (done->files == 0) {
        if (status == ODP_OK)
            puts(done->already > 0 ? say(inv, W_cmd_sources_workbook_wants_them)
                                   : say(inv, W_cmd_there_no_corrections_workbook));
        return;
    }
    printf(dry ? say(inv, W_cmd_cells_would_changed_rows_deleted)
               : say(inv, W_cmd_cells_changed_rows_deleted_rows),
           (unsigned long long)done->cells, (unsigned long long)done->deleted,
           (unsigned long long)done->appended, (unsigned long long)done->conflicts);
    for (uint64_t i = 0; i < done->files && !dry; i++) /* the original lies next to the source */
        printf(say(inv, W_cmd_original), done->file[i].path,
               odp_path_last(done->file[i].original != NULL ? done->file[i].original : "—"));
    fputs(dry ? say(inv, W_cmd_nothing_written_dry_run) : say(inv, W_cmd_check_again), stdout);
    bool as = inv->options.as_slug != NULL;
    if (!dry)
        printf(" odp-build check%s", as ? " --as" : "");
    for (uint64_t i = 0; i < done->files && !dry; i++) {
        const char *slug = done->file[i].resource->dataset->slug;
        bool said = false;
        for (uint64_t k = 0; k < i; k++)
            said = said || done->file[k].resource->dataset == done->file[i].resource->dataset;
        if (!said && !done->file[i].resource->dataset->reference)
            printf(" %s", slug);
    }
    printf("%s%s\n", as && !dry ? " " : "", as && !dry ? inv->options.as_file : "");
}

static int run_apply(struct invocation *inv)
{
    struct odp_run *run = &inv->run;
    struct odp_applied done = {0};
    struct showing showing = {.inv = inv, .tells = outcome_prints(inv)};
    const struct odp_correct_watch watch = {begin, show, check_fresh, &showing};
    bool as = inv->options.as_slug != NULL;
    if (inv->nwords != (as ? 2 : 1))
        return outcome_usage(inv, W_cmd_usage_apply);
    if (!as && odp_metadata_is_workbook(inv->words[0]))
        return metadata_apply(inv);
    inv->options.as_file = as ? inv->words[1] : NULL;
    enum odp_status status = odp_run_catalog(run, &inv->options);
    if (status == ODP_OK) {
        const struct odp_correct_options o = {.catalog = run->catalog,
                                              .sources = inv->options.sources,
                                              .as_slug = inv->options.as_slug,
                                              .as_file = inv->options.as_file,
                                              .lang = inv->style.lang,
                                              .version = ODP_VERSION,
                                              .dry = inv->dry_run};
        status = odp_correct_apply(inv->words[0], &o, &watch, &run->arena, &done, run->diags);
        if (status != ODP_FAIL && showing.tells)
            print_result(inv, &done, status);
    }
    fflush(stdout); /* what was done comes before what was not */
    return outcome_end(inv, status);
}

const struct command command_apply = {
    "apply", "WORKBOOK", {{W_cmd_write_corrections_workbook_check}}, run_apply};
