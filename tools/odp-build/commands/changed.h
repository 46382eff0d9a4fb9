/* check --changed BASE: which datasets a git diff touches. */
#pragma once

#include "commands/options.h"

/* Sets the invocation's slugs to the datasets whose folder (in the catalogue, or in --sources) differs from
 * commit BASE, committed or not, and to those that refer to them: by a key, or by a rule of rules.json.
 * Compared is with the commit where this branch left BASE, so that what others have published since is not
 * counted. A change of portal.json or rules.json touches all. The texts live in ARENA. Returns EXIT_CLEAN, or
 * the exit code after saying on standard error what is wrong. */
int changed_select(struct invocation *inv, const char *base, struct odp_arena *arena);
