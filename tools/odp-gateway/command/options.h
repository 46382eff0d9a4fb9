/* The command line as data: a table of commands, which is handed in, and one of options; parsing and help read them. */
#ifndef ODP_GATEWAY_COMMAND_OPTIONS_H
#define ODP_GATEWAY_COMMAND_OPTIONS_H

#include <stdio.h>

#include "command/invocation.h"

/* COMMANDS: the table of all, which ends with NULL. Returns EXIT_CLEAN or EXIT_USAGE; in the latter case says on ERR what is wrong.
 * WORDS has room for ARGC entries. */
int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv, const char **words, FILE *err);
/* The help of the program, or of inv->command. */
void options_help(const struct invocation *inv, FILE *out);

#endif
