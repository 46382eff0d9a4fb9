/* Acts on keys and webhooks: the word after the command chooses a verb, and the verb makes the request. */
#pragma once

#include "command/control_client.h"

struct admin_verb {
    const char *name, *command; /* of the request */
    const char *usage;          /* what follows the name */
    const char *words[2];       /* members of the request, filled by the words that follow */
    size_t least;               /* how many of them must be there */
    const char *options; /* members filled by options, each with a space before and after; NULL: none */
    bool asks;           /* cannot be taken back */
    bool number;         /* the first word is a request's number */
    bool strict;         /* refuses an option of another verb */
    bool sends;          /* something goes out if the service runs */
    bool (*fits)(const struct invocation *inv); /* the options go together; NULL: always */
};

/* Runs that of the N verbs of a command which its first word names, then PRINT on the rows. Returns an exit
 * code and has reported the fault. */
int admin_verb_run(struct invocation *inv, const struct admin_verb *verbs, size_t n,
                   int (*print)(const struct invocation *inv, const struct admin_verb *v, json_t *rows));
