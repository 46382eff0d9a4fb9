/* odp-build serve: a preview on this machine, drafts included. It is built again at every change, and pages
 * that are open load themselves again; a build that fails shows its report in their place.
 *
 * --out names the site that is published, as everywhere: what is shown is compared with it, and its place is
 * not touched. The preview goes next to it, to "pratinjau". */
#include "serve/server.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/monotonic.h"
#include "commands/failure.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "commands/rounds.h"
#include "words/serve.h"

enum { NAMED = 3 }; /* datasets that a line names; of more their number */

struct preview {
    struct odp_arena arena;
    const char *published; /* the site that the preview is compared with: --previous, or --out */
    struct serve_server *server;
    bool shown; /* at least one build is */
};

/* "10:14:02  ", in the zone of who reads it; nothing with ODP_NO_TIMES. */
static void print_clock(void)
{
    char text[16];
    struct tm tm;
    time_t now = time(NULL);
    if (getenv("ODP_NO_TIMES") == NULL && localtime_r(&now, &tm) != NULL &&
        strftime(text, sizeof text, "%H:%M:%S", &tm) > 0)
        printf("%s  ", text);
}

/* What has changed since the published site. */
static void print_datasets(const struct invocation *inv, const struct odp_summary *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->ndatasets; i++)
        n += s->datasets[i].outcome == ODP_OUTCOME_PUBLISHED;
    for (size_t i = 0; i < s->ndatasets && n <= NAMED; i++)
        if (s->datasets[i].outcome == ODP_OUTCOME_PUBLISHED)
            printf("%s  ", s->datasets[i].slug);
    if (n > NAMED || n == 0)
        printf(say(inv, W_serve_datasets), s->ndatasets);
    outcome_number(inv, s->rows);
    fputs(say(inv, W_serve_rows), stdout);
}

static void print_build(const struct invocation *inv, struct preview *p, const struct odp_run *run,
                        double begun)
{
    unsigned long long errors = odp_diags_count(run->diags, ODP_SEVERITY_ERROR),
                       warnings = odp_diags_count(run->diags, ODP_SEVERITY_WARNING);
    if (inv->style.quiet)
        return;
    print_clock();
    if (errors > 0) {
        printf(say(inv, W_serve_failed), errors, warnings, serve_port(p->server));
        return;
    }
    print_datasets(inv, &run->summary);
    if (warnings > 0)
        printf(say(inv, W_serve_warnings), warnings);
    if (getenv("ODP_NO_TIMES") == NULL) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.2f", odp_monotonic_seconds() - begun);
        if (inv->style.lang == ODP_LANG_ID)
            *strchr(seconds, '.') = ',';
        printf(say(inv, W_serve_seconds), seconds);
    }
    puts(p->shown ? say(inv, W_serve_again) : "");
    if (run->summary.ndatasets == 0)
        puts(say(inv, W_serve_empty));
}

/* The report of a build that failed, as the page that is shown in the place of others. */
static enum odp_status show_report(const struct invocation *inv, struct preview *p, const struct odp_run *run)
{
    const struct odp_report_style style = {.lang = inv->style.lang, .served = true};
    struct odp_buffer page = {0};
    enum odp_status status =
        odp_report_render(odp_report_find("html"), run->diags, &run->summary, &style, &page);
    if (status == ODP_OK)
        status = serve_show(p->server, NULL, odp_buffer_slice(&page));
    odp_buffer_release(&page);
    return status;
}

static int build_preview(struct rounds *r, bool *busy)
{
    struct invocation *inv = r->inv;
    struct preview *p = r->ctx;
    struct odp_run run = {0};
    double begun = odp_monotonic_seconds();
    inv->options.previous = odp_file_kind_of(p->published) != ODP_FILE_NONE ? p->published : NULL;
    enum odp_status status = odp_run_build(&run, &inv->options);
    run.summary.version = ODP_VERSION;
    if (run.diags != NULL && (status == ODP_OK || status == ODP_BAD)) {
        *busy = odp_diags_code_count(run.diags, ODP_V08) > 0;
        bool good = status == ODP_OK;
        status = good ? serve_show(p->server, inv->options.out, (struct odp_slice){NULL, 0})
                      : show_report(inv, p, &run);
        print_build(inv, p, &run, begun);
        p->shown = true;
    }
    if (status == ODP_FAIL)
        failure_say(inv, say(inv, W_serve_machine_failed));
    odp_run_release(&run);
    return EXIT_CLEAN;
}

/* Where the preview goes: next to the published site. */
static const char *place_of(const char *out, struct odp_arena *a)
{
    size_t len = strlen(out);
    while (len > 1 && out[len - 1] == '/')
        len--;
    while (len > 0 && out[len - 1] != '/')
        len--;
    return odp_arena_printf(a, "%.*spratinjau", (int)len, out);
}

static int start(struct invocation *inv, struct preview *p)
{
    const struct serve_options o = {.catalog = inv->options.catalog,
                                    .port = inv->port > 0 ? inv->port : 8000,
                                    .named = inv->port > 0,
                                    .lang = inv->style.lang};
    if (odp_file_kind_of(inv->options.catalog) != ODP_FILE_FOLDER)
        return outcome_refuse(EXIT_USAGE, say(inv, W_serve_no_catalogue), inv->options.catalog);
    enum odp_status status = serve_start(&p->server, &o);
    if (status == ODP_BAD)
        return outcome_refuse(EXIT_MACHINE, say(inv, W_serve_port_taken), o.port);
    if (status == ODP_FAIL) {
        failure_say(inv, NULL);
        return EXIT_MACHINE;
    }
    if (!inv->style.quiet)
        printf(say(inv, W_serve_address), serve_port(p->server), inv->options.catalog);
    return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_MACHINE;
}

static int run_serve(struct invocation *inv)
{
    struct preview p = {.published =
                            inv->options.previous != NULL ? inv->options.previous : inv->options.out};
    if (inv->nwords > 0)
        return outcome_usage(inv, W_serve_usage);
    inv->options.out = place_of(inv->options.out, &p.arena);
    inv->options.preview = true;
    int code = start(inv, &p);
    if (code == EXIT_CLEAN)
        code = rounds_run(&(struct rounds){.inv = inv, .round = build_preview, .ctx = &p});
    serve_stop(p.server);
    odp_arena_release(&p.arena);
    return code;
}

const struct command command_serve = {"serve", "", {{W_serve_preview_of_catalogue}}, run_serve};
