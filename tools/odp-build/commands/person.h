/* Who does it, for the history of a site: --by, or the user's name on this machine; NULL when neither is a line of text. */
#ifndef ODP_COMMANDS_PERSON_H
#define ODP_COMMANDS_PERSON_H

#include "commands/options.h"

const char *person_name(const struct invocation *inv);

#endif
