/* The command line as data: one table of commands, one of options; parsing, help and shell completion read them. */
#ifndef ODP_COMMANDS_OPTIONS_H
#define ODP_COMMANDS_OPTIONS_H

#include <stdio.h>

#include "run/run.h"

enum { EXIT_CLEAN = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2, EXIT_MACHINE = 3 };

#define MAX_REPORTS 8
#define MAX_OPTIONS 64

struct report_request {
    const struct odp_report *report;
    const char *file; /* NULL: standard output; the human report without a file goes to standard error */
};

/* What a repeatable option was given (OPTION_LIST). */
#define MAX_LIST 64
struct option_list {
    const char *item[MAX_LIST];
    size_t n;
};

struct invocation {
    const struct command *const *commands; /* all there are; ends with NULL */
    const struct command *command;         /* the one that was written, or NULL */
    struct odp_options options;
    struct odp_report_style style;
    struct report_request reports[MAX_REPORTS];
    size_t nreports;
    const char **words; /* what follows the command and is no option; points into argv */
    size_t nwords;
    /* Options of single commands (options.def). */
    const char *reason, *note, *by, *ref, *key, *password_file, *keys, *format, *output, *to, *changed;
    bool yes; /* init */
    bool public_only, origin, dry_run, first, watch, need_signature, unencrypted;
    struct option_list rules; /* fix --yes RULE */
    size_t shown;             /* fix --examples */
    bool taken[MAX_OPTIONS];  /* by option: it was given */
    bool help, version, no_progress, no_color;
};

struct command {
    const char *name;
    const char *words;        /* "[SLUG…]" */
    struct odp_text summary;
    int (*run)(struct invocation *inv); /* returns the exit code */
};

/* Each in a file of its own; main.c has the table of them. */
#define COMMAND(name) extern const struct command command_##name;
#include "commands/commands.def"
#undef COMMAND

/* How an option's argument is taken. */
enum option_kind { OPTION_TEXT, OPTION_FLAG, OPTION_JOBS, OPTION_REPORT, OPTION_LANG, OPTION_DATE, OPTION_AS, OPTION_COUNT, OPTION_LIST };

struct option_row {
    const char *name;     /* without --; two rows may share one, where each is for other commands (--yes) */
    const char *argument; /* shown in the help, or NULL */
    enum option_kind kind;
    size_t offset; /* into struct invocation */
    struct odp_text summary;
    const char *only; /* names of the commands that take it, each with a space before and after; NULL: all */
};

const struct option_row *options_rows(size_t *n);
/* Whether COMMAND takes the option; without a command (NULL) nothing is known yet. */
bool options_takes(const struct command *command, const struct option_row *row);

/* Whether option NAME stood on the command line. */
bool options_given(const struct invocation *inv, const char *name);

/* COMMANDS: the table of all, which ends with NULL. Returns EXIT_CLEAN or EXIT_USAGE; in the latter case says on ERR what is wrong. WORDS has room for
 * ARGC entries. */
int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv, const char **words, FILE *err);
/* The help of the program, or of inv->command. */
void options_help(const struct invocation *inv, FILE *out);

/* The text in the invocation's language. Where both are formats their arguments must be the same. */
const char *say(const struct invocation *inv, const char *id, const char *en) __attribute__((format_arg(2), format_arg(3)));

#endif
