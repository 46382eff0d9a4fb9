/* The command line as data: one table of commands, one of options; parsing, help and shell completion read them. */
#ifndef ODP_TOOL_OPTIONS_H
#define ODP_TOOL_OPTIONS_H

#include <stdio.h>

#include "pipeline.h"

enum { EXIT_CLEAN = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2, EXIT_MACHINE = 3 };

#define MAX_REPORTS 8
#define MAX_OPTIONS 64

struct report_request {
    const struct odp_report *report;
    const char *file; /* NULL: standard output; the human report without a file goes to standard error */
};

struct invocation {
    const struct command *command;
    struct odp_options options;
    struct odp_report_style style;
    struct report_request reports[MAX_REPORTS];
    size_t nreports;
    const char **words; /* what follows the command and is no option; points into argv */
    size_t nwords;
    /* Options of single commands (options.def). */
    const char *reason, *note, *by, *ref, *key, *password_file, *keys, *format, *output, *to;
    bool public_only, origin, dry_run, first, watch, need_signature, unencrypted;
    bool taken[MAX_OPTIONS];  /* by option: it was given */
    bool help, version, no_progress, no_color;
};

struct command {
    const char *name;
    const char *words;        /* "[SLUG…]" */
    struct odp_text summary;
    int (*run)(struct invocation *inv); /* returns the exit code */
};

extern const struct command *const commands[]; /* commands.def; ends with NULL */
#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

/* Returns EXIT_CLEAN or EXIT_USAGE; in the latter case says on ERR what is wrong. WORDS has room for ARGC entries. */
int options_parse(struct invocation *inv, int argc, char **argv, const char **words, FILE *err);
/* The help of the program, or of inv->command. */
void options_help(const struct invocation *inv, FILE *out);

/* The text in the invocation's language. Where both are formats their arguments must be the same. */
const char *say(const struct invocation *inv, const char *id, const char *en) __attribute__((format_arg(2), format_arg(3)));

#endif
