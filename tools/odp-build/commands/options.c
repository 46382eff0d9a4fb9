#include "commands/options.h"
#include "commands/share.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "words/commands.h"

#define AT(member) offsetof(struct invocation, member)

static const struct option_row option_rows[] = {
    {"catalog", "DIR", OPTION_TEXT, AT(options.catalog), {{W_cmd_catalogue_folder_catalog}}, NULL},
    {"sources",
     "DIR",
     OPTION_TEXT,
     AT(options.sources),
     {{W_cmd_sources_dir_slug_path_dataset}}, " build check export fix apply "},
    {"out", "DIR", OPTION_TEXT, AT(options.out), {{W_cmd_site_write_build_site_export}}, NULL},
    {"previous",
     "DIR",
     OPTION_TEXT,
     AT(options.previous),
     {{W_cmd_previous_site_current_out}}, " build check export diff "},
    {"keep-good",
     NULL,
     OPTION_FLAG,
     AT(options.keep_good),
     {{W_cmd_publish_datasets_without_errors}}, " build "},
    {"as",
     "SLUG",
     OPTION_AS,
     0,
     {{W_cmd_check_one_file_dataset_slug}}, " check export fix apply "},
    {"jobs", "N", OPTION_JOBS, 0, {{W_cmd_threads_all_cores}}, NULL},
    {"report", "FORMAT[=FILE]", OPTION_REPORT, 0, {{W_cmd_report_repeatable}}, NULL}, /* and the names: print_reports */
    {"examples",
     "N",
     OPTION_COUNT,
     AT(options.examples),
     {{W_cmd_examples_kept_for_each_group}}, " build check export verify "},
    {"lang", "id|en", OPTION_LANG, 0, {{W_cmd_language_messages_id}}, NULL},
    {"strict", NULL, OPTION_FLAG, AT(options.strict), {{W_cmd_warnings_errors}}, " build check export fix verify "},
    {"today",
     "DATE",
     OPTION_DATE,
     AT(options.today),
     {{W_cmd_take_date_today_yyyy_mm}}, " build check export fix "},
#include "commands/options.def"
    {"quiet", NULL, OPTION_FLAG, AT(style.quiet), {{W_cmd_faults_only}}, NULL},
    {"no-color", NULL, OPTION_FLAG, AT(no_color), {{W_cmd_no_colours}}, NULL},
    {"no-progress", NULL, OPTION_FLAG, AT(no_progress), {{W_cmd_no_progress_bar}}, NULL},
    {"version", NULL, OPTION_FLAG, AT(version), {{W_cmd_program_version}}, NULL},
    {"help", NULL, OPTION_FLAG, AT(help), {{W_cmd_this_help}}, NULL},
};
#define OPTION_ROWS (sizeof option_rows / sizeof *option_rows)
static_assert(OPTION_ROWS <= MAX_OPTIONS, "raise MAX_OPTIONS");

const struct option_row *options_rows(size_t *n)
{
    *n = OPTION_ROWS;
    return option_rows;
}

const char *say(const struct invocation *inv, const char *id, const char *en)
{
    return inv->style.lang == ODP_LANG_EN ? en : id;
}

/* The row of that name for COMMAND (NULL: not known), or of another command, for the message. */
static const struct option_row *find_option(const struct command *command, const char *name, size_t len)
{
    const struct option_row *other = NULL;
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        const struct option_row *row = &option_rows[i];
        if (strlen(row->name) != len || memcmp(row->name, name, len) != 0)
            continue;
        if (options_takes(command, row))
            return row;
        other = row;
    }
    return other;
}

static bool parse_number(const char *s, unsigned long max, unsigned long *out)
{
    char *end;
    if (!isdigit((unsigned char)*s))
        return false;
    *out = strtoul(s, &end, 10);
    return *end == '\0' && *out <= max;
}

static bool is_date(const char *s)
{
    struct odp_datetime d;
    return odp_date_parse(odp_slice_of(s), ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK;
}

/* "human, json, …": the registry's names; a workbook is a file. */
static void print_reports(FILE *out)
{
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s%s", i > 0 ? ", " : "", reports[i]->name, reports[i]->workbook ? "=FILE" : "");
}

/* "json" or "json=FILE"; the workbook needs its file. */
static bool add_report(struct invocation *inv, char *value)
{
    char *equals = strchr(value, '=');
    if (equals != NULL)
        *equals = '\0';
    const struct odp_report *report = odp_report_find(value);
    if (equals != NULL)
        *equals = '=';
    if (report == NULL || inv->nreports == MAX_REPORTS || (equals != NULL && equals[1] == '\0') || (equals == NULL && report->workbook))
        return false;
    inv->reports[inv->nreports++] = (struct report_request){report, equals != NULL ? equals + 1 : NULL};
    return true;
}

/* False: VALUE does not fit the option. */
static bool set_option(struct invocation *inv, const struct option_row *row, char *value)
{
    unsigned long n;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)((char *)inv + row->offset) = true;
        return true;
    case OPTION_TEXT:
        *(const char **)((char *)inv + row->offset) = value;
        return *value != '\0';
    case OPTION_DATE:
        *(const char **)((char *)inv + row->offset) = value;
        return is_date(value);
    case OPTION_JOBS:
        if (!parse_number(value, 256, &n) || n == 0)
            return false;
        inv->options.jobs = (unsigned)n;
        return true;
    case OPTION_COUNT:
        if (!parse_number(value, 10000000, &n))
            return false;
        *(size_t *)(void *)((char *)inv + row->offset) = n;
        return true;
    case OPTION_LIST: {
        struct option_list *list = (struct option_list *)(void *)((char *)inv + row->offset);
        if (*value == '\0' || list->n == MAX_LIST)
            return false;
        list->item[list->n++] = value;
        return true;
    }
    case OPTION_LANG:
        inv->style.lang = strcmp(value, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
        return strcmp(value, "en") == 0 || strcmp(value, "id") == 0;
    case OPTION_AS:
        inv->options.as_slug = value;
        return *value != '\0';
    case OPTION_REPORT:
        return add_report(inv, value);
    }
    return false;
}

/* The command that stands behind options, for those that mean another thing to another command. */
static const struct command *coming(const struct invocation *inv, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; inv->commands[k] != NULL; k++)
            if (strcmp(argv[i], inv->commands[k]->name) == 0)
                return inv->commands[k];
    return NULL;
}

/* GIVEN is no option; NAME, where it is told apart from its dashes, may be near one. */
static void say_unknown_option(const struct invocation *inv, const char *given, const char *name, FILE *err)
{
    const char *names[OPTION_ROWS], *near;
    size_t n = 0;
    for (size_t i = 0; i < OPTION_ROWS; i++)
        if (options_takes(inv->command, &option_rows[i]))
            names[n++] = option_rows[i].name;
    near = odp_word_nearest((struct odp_slice){name, strcspn(name, "=")}, names, n);
    fprintf(err, say(inv, W_cmd_unknown_option_see_help),
            given, near == NULL ? "" : say(inv, W_cmd_perhaps_2), near == NULL ? "" : near);
}

/* Takes argv[*i], which begins with --, and its argument where it has one. */
static bool take_option(struct invocation *inv, int argc, char **argv, int *i, FILE *err)
{
    char *name = argv[*i] + 2;
    char *equals = strchr(name, '=');
    const struct option_row *row = find_option(inv->command != NULL ? inv->command : coming(inv, argc, argv), name, equals != NULL ? (size_t)(equals - name) : strlen(name));
    if (row == NULL) {
        say_unknown_option(inv, argv[*i], name, err);
        return false;
    }
    char *value = equals != NULL ? equals + 1 : NULL;
    inv->taken[row - option_rows] = true;
    if (row->argument == NULL && value != NULL) {
        fprintf(err, say(inv, W_cmd_takes_no_value), row->name);
        return false;
    }
    if (row->argument != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            fprintf(err, say(inv, W_cmd_needs), row->name, row->argument);
            return false;
        }
        value = argv[++*i];
    }
    if (!set_option(inv, row, value)) {
        fprintf(err, say(inv, W_cmd_bad_value_for_expected), row->name, value, row->argument);
        if (row->kind == OPTION_REPORT) {
            fputs(say(inv, W_cmd_formats_2), err);
            print_reports(err);
        }
        fputc('\n', err);
        return false;
    }
    return true;
}

static bool take_command(struct invocation *inv, const char *word, FILE *err)
{
    const char *names[64], *near;
    size_t n = 0;
    for (size_t i = 0; inv->commands[i] != NULL; i++)
        if (strcmp(inv->commands[i]->name, word) == 0) {
            inv->command = inv->commands[i];
            return true;
        } else if (n < sizeof names / sizeof *names)
            names[n++] = inv->commands[i]->name;
    near = odp_word_nearest(odp_slice_of(word), names, n);
    fprintf(err, say(inv, W_cmd_unknown_command_see_odp_build),
            word, near == NULL ? "" : say(inv, W_cmd_perhaps), near == NULL ? "" : near);
    return false;
}

/* Whether COMMAND takes the option; without a command nothing is known yet. */
bool options_takes(const struct command *command, const struct option_row *row)
{
    char name[40];
    if (row->only == NULL || command == NULL)
        return true;
    snprintf(name, sizeof name, " %s ", command->name);
    return strstr(row->only, name) != NULL;
}

bool options_given(const struct invocation *inv, const char *name)
{
    bool given = false;
    for (size_t i = 0; i < OPTION_ROWS; i++)
        given = given || (inv->taken[i] && strcmp(option_rows[i].name, name) == 0);
    return given;
}

/* The correction workbook is made of what a check has found. */
static bool check_reports(const struct invocation *inv, FILE *err)
{
    for (size_t i = 0; i < inv->nreports; i++)
        if (inv->reports[i].report->workbook && inv->command != NULL && strcmp(inv->command->name, "check") != 0 && strcmp(inv->command->name, "build") != 0) {
            fprintf(err, say(inv, W_cmd_report_for_build_check_only), inv->reports[i].report->name);
            return false;
        }
    return true;
}

static bool check_taken(const struct invocation *inv, FILE *err)
{
    for (size_t i = 0; i < OPTION_ROWS; i++)
        if (inv->taken[i] && !options_takes(inv->command, &option_rows[i])) {
            fprintf(err, say(inv, W_cmd_does_not_know_option_for),
                    inv->command->name, option_rows[i].name, option_rows[i].only);
            return false;
        }
    return true;
}

int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv, const char **words, FILE *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *lang = getenv("ODP_LANG"), *installed = share_portal();
    *inv = (struct invocation){.commands = commands,
                               .words = words,
                               .options = {.catalog = "catalog",
                                           .out = "build/site",
                                           .share = installed,
                                           .jobs = cores > 0 && cores <= 256 ? (unsigned)cores : 1,
                                           .examples = 1000},
                               .shown = 5,
                               .style = {.lang = lang != NULL && strncmp(lang, "en", 2) == 0 ? ODP_LANG_EN : ODP_LANG_ID}};
    /* The language first, so that messages about the other options are in it. */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--lang=en") == 0 ||
            (strcmp(argv[i], "--lang") == 0 && i + 1 < argc && strcmp(argv[i + 1], "en") == 0))
            inv->style.lang = ODP_LANG_EN;
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && strcmp(argv[i], "-h") == 0)
            inv->help = true;
        else if (!only_words && strncmp(argv[i], "--", 2) == 0) {
            if (!take_option(inv, argc, argv, &i, err))
                return EXIT_USAGE;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0') {
            say_unknown_option(inv, argv[i], argv[i], err);
            return EXIT_USAGE;
        } else if (inv->command == NULL) {
            if (!take_command(inv, argv[i], err))
                return EXIT_USAGE;
        } else
            words[inv->nwords++] = argv[i];
    }
    inv->options.share_named = inv->options.share != installed;
    return check_taken(inv, err) && check_reports(inv, err) ? EXIT_CLEAN : EXIT_USAGE;
}

/* S padded to WIDTH columns (names are ASCII but for the ellipsis). */
static void print_padded(FILE *out, const char *s, size_t width)
{
    size_t w = odp_utf8_width(odp_slice_of(s));
    fprintf(out, "%s%*s", s, (int)(w < width ? width - w : 1), "");
}

void options_help(const struct invocation *inv, FILE *out)
{
    char left[80];
    if (inv->command != NULL) {
        fprintf(out, "odp-build %s %s\n    %s\n\n", inv->command->name, inv->command->words,
                odp_text_get(&inv->command->summary, inv->style.lang));
    } else {
        fprintf(out, "%s\n\n", say(inv, W_cmd_compiler_for_open_data_usage));
        for (size_t i = 0; inv->commands[i] != NULL; i++) {
            snprintf(left, sizeof left, "  %s %s", inv->commands[i]->name, inv->commands[i]->words);
            print_padded(out, left, 30);
            fprintf(out, "%s\n", odp_text_get(&inv->commands[i]->summary, inv->style.lang));
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < OPTION_ROWS; i++) {
        if (!options_takes(inv->command, &option_rows[i]) || (inv->command == NULL && option_rows[i].only != NULL))
            continue;
        snprintf(left, sizeof left, "  --%s%s%s", option_rows[i].name, option_rows[i].argument != NULL ? " " : "",
                 option_rows[i].argument != NULL ? option_rows[i].argument : "");
        print_padded(out, left, 30);
        fputs(odp_text_get(&option_rows[i].summary, inv->style.lang), out);
        if (option_rows[i].kind == OPTION_REPORT)
            print_reports(out);
        fputc('\n', out);
    }
    fprintf(out, "\n%s\n", say(inv, W_cmd_exit_codes_0_clean_1));
}
