/* The command line of a program as data: a table of its commands and one of its options; parsing, help, and
 * what completes a line in a shell (odp-build completion) read them. The programs differ in their tables
 * alone.
 *
 * `struct invocation` is the program's own: what was written, as its commands see it. It holds a struct
 * odp_command_line, and an option goes to the member whose offset is in its row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

enum { EXIT_CLEAN = 0, EXIT_USAGE = 2, EXIT_MACHINE = 3 }; /* 1 is the program's own */

struct invocation;

struct command {
    const char *name;
    const char *words; /* what may follow, as the help says it: "[SLUG…]" */
    struct odp_text summary;
    int (*run)(struct invocation *inv); /* returns the exit code */
};

/* How a VALUE is taken to where it goes (AT); false: it does not fit. */
typedef bool odp_option_take(void *at, char *value);

struct option_row {
    const char *name;      /* without --; two rows may share one, where each is for other commands */
    const char *argument;  /* as the help shows it; NULL: a flag, which becomes a true bool */
    odp_option_take *take; /* NULL: a text that is not empty (const char *) */
    size_t offset;         /* into struct invocation */
    struct odp_text summary;
    const char *only; /* names of the commands that take it, each with a space before and after; NULL: all */
};

struct odp_program {
    const char *name, *version;
    const struct command *const *commands; /* ends with NULL */
    const struct option_row *options;
    size_t noptions;
    /* The option whose argument is one of a registry's names, and what writes them; may be NULL. */
    odp_option_take *chosen;
    void (*choices)(FILE *out, const char *between);
    struct odp_text usage, exit_codes; /* the first and the last line of the help */
    size_t column;                     /* of the list of commands: where summaries begin */
    bool strict;                       /* an option follows its command */
    const struct odp_text *(*more)(
        const struct command *command); /* more for a command's own help; may be NULL */
};

#define MAX_OPTIONS 96
struct odp_command_line {
    const struct odp_program *program;
    const struct command *command; /* the one that was written, or NULL */
    enum odp_lang lang;
    const char **words; /* what follows the command and is no option; points into argv */
    size_t nwords;
    bool help, version;
    bool taken[MAX_OPTIONS]; /* by row: it was given */
};

/* Fills LINE, which is within INV, and by the rows INV itself, which has its defaults already. WORDS has room
 * for ARGC entries. Returns EXIT_CLEAN or EXIT_USAGE; in the latter case it has reported the fault on ERR. */
int odp_options_parse(struct odp_command_line *line, struct invocation *inv, int argc, char **argv,
                      FILE *err);
/* CODE of the parsing; when it is clean: version, help, or the command. Returns the exit code. */
int odp_options_run(const struct odp_command_line *line, struct invocation *inv, int code);
/* The end of a run that comes to CODE: a full disk or a closed pipe after standard output is a failure like
 * any other. */
int odp_options_end(const struct odp_command_line *line, int code);
/* Whether the help of COMMAND (NULL: of the program) shows the option. */
bool odp_options_shows(const struct odp_program *program, const struct command *command,
                       const struct option_row *row);
bool odp_options_given(const struct odp_command_line *line, const char *name);

/* An option that may be repeated; a full list takes no more. */
#define MAX_LIST 64
struct option_list {
    const char *item[MAX_LIST];
    size_t n;
};

odp_option_take odp_option_list; /* struct option_list */

struct odp_buffer;
/* Adds WORDS, which follow an option or a command ("SLUG FILE", "FORMAT[=FILE]"), in the language of LANG. */
void odp_option_arguments(struct odp_buffer *out, const char *words, enum odp_lang lang);
odp_option_take odp_option_lang; /* enum odp_lang */
odp_option_take odp_option_date; /* const char *: YYYY-MM-DD */
