/* The person for the history of a site: --by, or the user's name on this machine; NULL if neither is a line
 * of text. */
#pragma once

#include "commands/options.h"

const char *person_name(const struct invocation *inv);
