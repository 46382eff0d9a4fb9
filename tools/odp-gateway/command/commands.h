/* The registry of commands: adding one is a file, and a line in commands.def. */
#pragma once

#include "command/invocation.h"

#define COMMAND(name, least, most, more) extern const struct command command_##name;
#include "command/commands.def"
#undef COMMAND
