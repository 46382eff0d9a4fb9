#include "commands/options.h"
#include "commands/share.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words/commands.h"
#include "words/intake.h"

#define AT(member) offsetof(struct invocation, member)

enum { JOBS_MAX = 256, COUNT_MAX = 10000000 };

static bool parse_number(const char *s, unsigned long max, unsigned long *out)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return false;
    *out = strtoul(s, &end, 10);
    return *end == '\0' && *out <= max;
}

static bool take_jobs(void *at, char *value)
{
    unsigned long n;
    if (!parse_number(value, JOBS_MAX, &n) || n == 0)
        return false;
    *(unsigned *)at = (unsigned)n;
    return true;
}

static bool take_port(void *at, char *value)
{
    unsigned long n;
    if (!parse_number(value, 65535, &n) || n == 0)
        return false;
    *(unsigned *)at = (unsigned)n;
    return true;
}

static bool take_count(void *at, char *value)
{
    unsigned long n;
    if (!parse_number(value, COUNT_MAX, &n))
        return false;
    *(size_t *)at = n;
    return true;
}

/* "json" or "json=FILE"; a workbook needs a file. */
static bool take_report(void *at, char *value)
{
    struct invocation *inv = at;
    char *equals = strchr(value, '=');
    if (equals != NULL)
        *equals = '\0';
    const struct odp_report *report = odp_report_find(value);
    if (equals != NULL)
        *equals = '=';
    if (report == NULL || inv->nreports == MAX_REPORTS || (equals != NULL && equals[1] == '\0') ||
        (equals == NULL && report->workbook))
        return false;
    inv->reports[inv->nreports++] = (struct report_request){report, equals != NULL ? equals + 1 : NULL};
    return true;
}

/* "human, json, …, xlsx=…" */
static void print_reports(FILE *out, const char *between)
{
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s%s", i > 0 ? between : "", reports[i]->name, reports[i]->workbook ? "=…" : "");
}

static const struct option_row option_rows[] = {
#include "commands/options.def"
};
#define OPTION_ROWS ODP_COUNT(option_rows)
static_assert(OPTION_ROWS <= MAX_OPTIONS, "raise MAX_OPTIONS");

const char *say(const struct invocation *inv, const char *id, const char *en)
{
    return odp_word(inv->style.lang, id, en);
}

bool options_given(const struct invocation *inv, const char *name)
{
    return odp_options_given(&inv->line, name);
}

/* Only build and check make the correction workbook. */
static bool check_reports(const struct invocation *inv, FILE *err)
{
    for (size_t i = 0; i < inv->nreports; i++)
        if (inv->reports[i].report->workbook && inv->command != NULL &&
            strcmp(inv->command->name, "check") != 0 && strcmp(inv->command->name, "build") != 0) {
            fprintf(err, say(inv, W_cmd_report_for_build_check_only), inv->reports[i].report->name);
            return false;
        }
    return true;
}

int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv,
                  const char **words, FILE *err)
{
    static struct odp_program program = {.name = "odp-build",
                                         .version = ODP_VERSION,
                                         .options = option_rows,
                                         .noptions = OPTION_ROWS,
                                         .chosen = take_report,
                                         .choices = print_reports,
                                         .usage = {{W_cmd_compiler_for_open_data_usage}},
                                         .exit_codes = {{W_cmd_exit_codes_0_clean_1}},
                                         .column = 30};
    const char *installed = share_portal();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    program.commands = commands;
    *inv = (struct invocation){.line = {.program = &program, .words = words},
                               .options = {.catalog = "catalog",
                                           .out = "build/site",
                                           .share = installed,
                                           .jobs = cores > 0 && cores <= JOBS_MAX ? (unsigned)cores : 1,
                                           .examples = 1000},
                               .shown = 5};
    int code = odp_options_parse(&inv->line, inv, argc, argv, err);
    inv->options.share_named = inv->options.share != installed;
    inv->command = inv->line.command;
    inv->words = inv->line.words;
    inv->nwords = inv->line.nwords;
    inv->style.lang = inv->line.lang;
    return code == EXIT_CLEAN && check_reports(inv, err) ? EXIT_CLEAN : EXIT_USAGE;
}
