/* Signs in a text that its reader does not see, or takes for others: white space at its ends and doubled,
 * no-break and zero-width spaces, tabs, control characters, Cyrillic, Greek and full-width letters among
 * Latin ones, accents apart from their letter, dashes. Lists and names: contract/odd_signs.def. Who refuses a
 * value asks here whether such a sign is why; who shows one, what to mark. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/text.h"

enum odp_odd_class {
    ODP_ODD_SPACE,
    ODP_ODD_UNSEEN,
    ODP_ODD_JOINER,
    ODP_ODD_TURN,
    ODP_ODD_CONTROL,
    ODP_ODD_DASH,
    ODP_ODD_ACCENT,
    ODP_ODD_TWIN
};

struct odp_odd {
    enum odp_odd_class class;
    size_t at, len;       /* bytes of the text; of a run of spaces: all */
    uint32_t sign;        /* its code point */
    char like;            /* of a twin or a dash: what it looks like */
    bool edge;            /* nothing but white space and unseen signs come before it, or after it */
    const char *mark;     /* "NBSP"; "": it is visible; NULL: only its code point names it */
    struct odp_text name; /* "spasi tak terputus" */
};

/* A walk along a text. */
struct odp_odd_scan {
    struct odp_slice text;
    size_t at, start, end; /* start, end: without white space at the ends */
    uint32_t before;       /* the sign before `at` */
    bool foreign;          /* whole words of a writing with twins: they are what they look like */
};
void odp_odd_begin(struct odp_odd_scan *s, struct odp_slice text);
bool odp_odd_next(struct odp_odd_scan *s, struct odp_odd *out);

/* Whether SIGN is one that has no ink. */
bool odp_odd_unseen(uint32_t sign);

/* "spasi tak terputus (U+00A0) setelah ‘Kota’, dan 2 lagi"; false where TEXT has no odd sign. */
struct odp_buffer;
bool odp_odd_say(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
