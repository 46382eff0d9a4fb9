/* Why something was refused, in words for people. Of the system's reasons strerror has English alone. */
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
/* A sentence in both languages, in A: both formats (of a word, W_…) take the same arguments. */
struct odp_text odp_refusal_say(struct odp_arena *a, const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));
/* The same as the reason of what is refused, into *WHY (in A). BAD. */
#define odp_refusal_put(a, why, ...) (*(why) = odp_refusal_say(a, __VA_ARGS__), ODP_BAD)
#define ODP_FAILURE_WORDS            1600 /* bytes */
/* Puts into OUT, and returns, what failed (odp_failure_text; its act and reason in Indonesian as far as they
 * are known) and what to do about it: "write build/x.json: No space left on device; make room there, then run
 * this command again". */
const char *odp_failure_words(enum odp_lang lang, char out[ODP_FAILURE_WORDS]);
/* Appends ": " and the reason to both languages of WHY. Returns BAD. */
enum odp_status odp_refusal_add(struct odp_arena *a, struct odp_text *why, int errnum);
