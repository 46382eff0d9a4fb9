#include "commands/failure.h"

#include <stdio.h>

#include "base/refusal.h"

void failure_say(const struct invocation *inv, const char *what)
{
    char words[ODP_FAILURE_WORDS];
    fprintf(stderr, "odp-build: %s%s%s\n", what != NULL ? what : "", what != NULL ? ": " : "",
            odp_failure_words(inv->style.lang, words));
}
