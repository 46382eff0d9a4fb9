/* The command line as all commands see it; the tables of commands and options (base/options.h). */
#pragma once

#include <stdio.h>

#include "base/options.h"
#include "run/run.h"

enum { EXIT_REJECTED = 1 };

#define MAX_REPORTS 8

struct report_request {
    const struct odp_report *report;
    const char *file; /* NULL: standard output; the human report without a file goes to standard error */
};

struct invocation {
    struct odp_command_line line;
    const struct command *command; /* or NULL */
    struct odp_options options;
    struct odp_report_style style;
    struct report_request reports[MAX_REPORTS];
    size_t nreports;
    const char **words; /* the words after the command; points into argv */
    size_t nwords;
    /* Options of single commands (options.def). */
    const char *reason, *note, *by, *ref, *key, *password_file, *keys, *format, *output, *to, *changed;
    bool yes;                                                      /* init, intake, new */
    const char *publisher, *address, *license, *languages, *title; /* new */
    unsigned port; /* serve; 0: the usual one, or the next that is free */
    bool intake;
    bool public_only, origin, dry_run, first, watch, need_signature, unencrypted, metadata;
    struct option_list rules; /* fix --yes RULE */
    size_t shown;             /* fix --examples */
    bool no_progress, no_color;
    const struct odp_idle *idle; /* build: for the next one, if this finds nothing to do; or NULL */
    /* What the command works with: its catalogue (odp_run_catalog), or only diagnostics and arena
     * (outcome_begin). main.c releases it. */
    struct odp_run run;
};

/* Each in its own file; main.c has the table of them. */
#define COMMAND(name) extern const struct command command_##name;
#include "commands/commands.def"
#undef COMMAND

/* Whether option NAME was given. */
bool options_given(const struct invocation *inv, const char *name);
/* COMMANDS: the table of all, ended by NULL. WORDS has room for ARGC entries. Returns EXIT_CLEAN, or
 * EXIT_USAGE after reporting the error on ERR. */
int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv,
                  const char **words, FILE *err);

/* The text in the invocation's language. Two formats must take the same arguments. */
const char *say(const struct invocation *inv, const char *id, const char *en)
    __attribute__((format_arg(2), format_arg(3)));
