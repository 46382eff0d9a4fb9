/* odp-build build and check: run the pipeline, then write the reports that were asked for. */
#include <stdlib.h>
#include <time.h>

#include "base/monotonic.h"
#include "commands/changed.h"
#include "commands/failure.h"
#include "commands/intake.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "commands/rounds.h"
#include "commands/run_pipeline.h"
#include "commands/secret_key.h"
#include "commands/workbook_report.h"
#include "run/idle.h"
#include "words/commands.h"

/* Writes the human report too, unless another report takes its place on the terminal or it was named. If the
 * machine FAILED before an error was found, report files stay as they were: a new one would say that all is
 * well. */
static enum odp_status write_reports(const struct invocation *inv, const struct odp_run *run, bool failed)
{
    bool no_files = failed && odp_diags_count(run->diags, ODP_SEVERITY_ERROR) == 0;
    const struct report_request human = {.report = odp_report_find("human")};
    bool named = false;
    for (size_t i = 0; i < inv->nreports; i++)
        named = named || inv->reports[i].report == human.report;
    enum odp_status status = named ? ODP_OK : outcome_report(inv, &human, run->diags, &run->summary, false);
    for (size_t i = 0; i < inv->nreports && status == ODP_OK; i++)
        if (!inv->reports[i].report->workbook && !(no_files && inv->reports[i].file != NULL))
            status = outcome_report(inv, &inv->reports[i], run->diags, &run->summary, false);
    return status;
}

/* The time of the report; NULL with ODP_NO_TIMES. */
static const char *time_of_report(char *out, size_t size)
{
    struct tm tm;
    time_t now = time(NULL);
    if (getenv("ODP_NO_TIMES") != NULL || gmtime_r(&now, &tm) == NULL ||
        strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        return NULL;
    return out;
}

/* For the next build, if this one found nothing to do and said so in its report alone. */
static void keep_idle(const struct invocation *inv, const struct odp_run *run)
{
    const struct odp_report_style style = outcome_style(inv);
    struct odp_summary summary = run->summary;
    struct odp_buffer text = {0};
    if (inv->idle == NULL || !run->summary.idle || odp_diags_count(run->diags, ODP_SEVERITY_ERROR) > 0)
        return;
    summary.seconds = 0;
    if (odp_report_render(odp_report_find("human"), run->diags, &summary, &style, &text) == ODP_OK)
        odp_idle_keep(inv->idle, run, odp_buffer_slice(&text));
    odp_buffer_release(&text);
}

#define FAILED                                                                                               \
    {                                                                                                        \
        {                                                                                                    \
            W_cmd_machine_failed_published_site                                                              \
        }                                                                                                    \
    }
static const struct pipeline_command building = {odp_run_build, FAILED, keep_idle},
                                     checking = {odp_run_check, FAILED, NULL},
                                     trying = {odp_run_check, FAILED, intake_hint};

int run_pipeline(struct invocation *inv, const struct pipeline_command *command, bool *busy)
{
    struct odp_run run = {0};
    struct progress_bar bar;
    struct odp_faults *faults = NULL;
    progress_bar_init(&bar, inv);
    inv->options.progress = &bar.progress;
    enum odp_status status = workbook_report_begin(inv, &faults);
    if (status == ODP_OK)
        status = command->pipeline(&run, &inv->options);
    progress_bar_finish(&bar);
    run.summary.version = ODP_VERSION;
    run.summary.seconds = getenv("ODP_NO_TIMES") != NULL ? 0 : odp_monotonic_seconds() - bar.started;
    char made[32];
    run.summary.time = time_of_report(made, sizeof made);
    if (run.diags != NULL && write_reports(inv, &run, status == ODP_FAIL) == ODP_FAIL)
        status = ODP_FAIL;
    if (run.diags != NULL && status != ODP_FAIL && workbook_report_write(inv, &run, faults) == ODP_FAIL)
        status = ODP_FAIL;
    if (odp_memory_status() != ODP_OK)
        status = ODP_FAIL;
    if (busy != NULL)
        *busy = run.diags != NULL && odp_diags_code_count(run.diags, ODP_V08) > 0;
    int code = status == ODP_OK ? EXIT_CLEAN : run.catalog_wrong ? EXIT_USAGE : EXIT_REJECTED;
    if (status == ODP_FAIL) {
        bool switched = run.summary.site != NULL && !run.summary.idle;
        failure_say(inv, switched ? say(inv, W_cmd_machine_failed_after_new_site)
                                  : odp_text_get(&command->failed, inv->style.lang));
        code = EXIT_MACHINE;
    } else if (command->print != NULL) {
        command->print(inv, &run);
    }
    odp_run_release(&run);
    odp_faults_free(faults);
    return code;
}

/* ---- --watch ---- */

static int build_again(struct rounds *r, bool *busy)
{
    return run_pipeline(r->inv, &building, busy);
}

/* ---- the commands ---- */

/* Says again what the last build said, if nothing has changed since. */
static int build_once(struct invocation *inv)
{
    const struct odp_options *o = &inv->options;
    const struct odp_report_style style = outcome_style(inv);
    char shown[64]; /* beside the command line */
    struct odp_idle idle;
    struct odp_buffer text = {0};
    int code = EXIT_CLEAN;
    if (inv->nreports > 0 || o->key != NULL || o->previous != NULL || o->nslugs > 0)
        return run_pipeline(inv, &building, NULL);
    (void)snprintf(shown, sizeof shown, "%d %d %u", style.lang, style.color, style.width);
    odp_idle_begin(&idle, o, odp_slice_of(shown));
    inv->idle = &idle;
    if (odp_idle_same(&idle, &text))
        fputs(odp_buffer_cstr(&text), stderr);
    else
        code = run_pipeline(inv, &building, NULL);
    inv->idle = NULL;
    odp_buffer_release(&text);
    return code;
}

static int run_build(struct invocation *inv)
{
    inv->options.slugs = inv->words;
    inv->options.nslugs = inv->nwords;
    struct odp_secret_key *key = NULL;
    int code = inv->key != NULL ? secret_key_open(inv, &key) : EXIT_CLEAN;
    inv->options.key = key;
    if (code == EXIT_CLEAN)
        code = inv->watch ? rounds_run(&(struct rounds){.inv = inv, .round = build_again, .speaks = true})
                          : build_once(inv);
    odp_secret_key_free(key);
    return code;
}

static int check_changed(struct invocation *inv)
{
    struct odp_arena arena = {0};
    if (inv->nwords > 0 || inv->options.as_slug != NULL) {
        fputs(say(inv, W_cmd_changed_chooses_datasets_by_itself), stderr);
        return EXIT_USAGE;
    }
    int code = changed_select(inv, inv->changed, &arena);
    if (code == EXIT_CLEAN)
        code = run_pipeline(inv, &checking, NULL);
    odp_arena_release(&arena);
    return code;
}

/* The file as intake would make it. */
static int check_taken_in(struct invocation *inv)
{
    struct taking *taking = NULL;
    int code = intake_check_open(inv, &taking);
    if (code == EXIT_CLEAN)
        code = run_pipeline(inv, &checking, NULL);
    intake_check_close(taking);
    return code;
}

static int run_check(struct invocation *inv)
{
    if (inv->changed != NULL)
        return check_changed(inv);
    if (inv->options.as_slug != NULL) {
        if (inv->nwords != 1) {
            fputs(say(inv, W_cmd_usage_check), stderr);
            return EXIT_USAGE;
        }
        inv->options.as_file = inv->words[0];
        inv->options.slugs = &inv->options.as_slug;
        inv->options.nslugs = 1;
        return inv->intake ? check_taken_in(inv) : run_pipeline(inv, &trying, NULL);
    } else {
        inv->options.slugs = inv->words;
        inv->options.nslugs = inv->nwords;
    }
    return run_pipeline(inv, &checking, NULL);
}

const struct command command_build = {
    "build", "[SLUG…]", {{W_cmd_validate_emit_all_formats_switch}}, run_build};
const struct command command_check = {
    "check", "[SLUG…]", {{W_cmd_validate_only_writes_nothing_but}}, run_check};
