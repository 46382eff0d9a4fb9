/* The table of commands: adding one is a file and a line in commands.c. */
#ifndef ODP_GATEWAY_COMMAND_COMMANDS_H
#define ODP_GATEWAY_COMMAND_COMMANDS_H

#include "command/invocation.h"

extern const struct command *const commands[]; /* ends with NULL */

#endif

