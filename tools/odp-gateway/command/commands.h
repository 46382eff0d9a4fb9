/* The registry of commands: adding one is a file, and a line in commands.def. */
#ifndef ODP_GATEWAY_COMMAND_COMMANDS_H
#define ODP_GATEWAY_COMMAND_COMMANDS_H

#include "command/invocation.h"

#define COMMAND(name, least, most, more) extern const struct command command_##name;
#include "command/commands.def"
#undef COMMAND

#endif
