/* Why the system refused, in words for people: strerror has English alone. */
#pragma once

#include "base/arena.h"
#include "base/text.h"

struct odp_refusal {
    int errnum;
    const char *name;       /* "ENOENT" */
    struct odp_text reason; /* a part of a sentence, without a full stop */
    struct odp_text advice; /* after a failure of the machine; empty: a fault that a user mends */
};

/* The row of ERRNUM in templates/words/failures.json; NULL: it is not frequent enough to be there. */
const struct odp_refusal *odp_refusal_find(int errnum);
/* The same of its NAME, as arguments of diagnostics say it: the same in both languages. */
const struct odp_refusal *odp_refusal_named(struct odp_slice name);
/* The reason of any ERRNUM: where it has no row, its name and the system's words. */
struct odp_text odp_refusal_text(int errnum);
/* Appends ": " and the reason to both languages of WHY. Returns BAD. */
enum odp_status odp_refusal_add(struct odp_arena *a, struct odp_text *why, int errnum);
