/* Patterns as tables: most patterns of codes ("RHB-[0-9]{6,8}", "(BG|BS)[0-9]{3}") need no backtracking. They become a deterministic automaton,
 * some five instructions a byte; everything else, and every value the automaton does not know about, is PCRE2's as before.
 *
 * What is taken: ASCII literals, classes, '.', \d \w \s and their opposites, groups, alternatives, quantifiers. What is not: anything else that
 * PCRE2 knows (assertions, references, properties, lazy and possessive quantifiers, other letters than ASCII), patterns whose search could
 * branch often (they may reach PCRE2's limit of effort, and a value beyond it is a fault of its own, ODP-B13), large automata.
 * Values that hold other bytes than ASCII, or more than PATTERN_LONGEST, are PCRE2's too.
 *
 * Immutable, shared by threads. tests/unit/check/test_validate_pattern.c holds it against PCRE2. */
#ifndef ODP_CHECK_PATTERN_TABLE_H
#define ODP_CHECK_PATTERN_TABLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

#define PATTERN_LONGEST 96 /* bytes: so that no search of PCRE2's comes near its limits */

#define PATTERN_ROW     24

enum { PATTERN_FAIL = 0, PATTERN_ASK = 1 /* a byte beyond ASCII */, PATTERN_START = 2 };

struct odp_pattern_table {
    uint8_t class_of[256];
    uint16_t *next;        /* by state * classes + class: the next state, already multiplied by `classes` */
    const uint8_t *accepts; /* by state */
    uint32_t classes;
    /* As far as the way through the states does not fork, and every byte has one range ("RHB-[0-9]{6,8}"): the ranges, and the lengths (bits)
     * at which the pattern may end. Eight bytes are compared at a time. */
    uint64_t low[PATTERN_ROW / 8], high[PATTERN_ROW / 8];
    uint32_t lengths;
};

/* A table for PATTERN (as in the schema) in ARENA; *OUT is NULL where it is not of the kind. OK or FAIL. */
enum odp_status odp_pattern_table_new(struct odp_arena *arena, struct odp_slice pattern, const struct odp_pattern_table **out) ODP_MUST_USE;

/* S surely matches; else the states will tell. */
static inline bool odp_pattern_table_fits(const struct odp_pattern_table *t, struct odp_slice s)
{
    if (s.len > PATTERN_ROW || (t->lengths >> s.len & 1) == 0)
        return false;
    for (size_t k = 0; k < s.len; k += 8) {
        size_t n = s.len - k < 8 ? s.len - k : 8;
        uint64_t w = odp_bytes_load(s.ptr + k, n), ends = ODP_BYTES_HIGHS >> (64 - 8 * n);
        uint64_t inside = ((w | ODP_BYTES_HIGHS) - t->low[k / 8]) & ((t->high[k / 8] | ODP_BYTES_HIGHS) - w) & ~w;
        if ((inside & ends) != ends)
            return false;
    }
    return true;
}

/* 1: S matches as a whole, 0: it does not, -1: ask PCRE2. */
static inline int odp_pattern_table_match(const struct odp_pattern_table *t, struct odp_slice s)
{
    uint32_t at = PATTERN_START * t->classes;
    if (odp_pattern_table_fits(t, s))
        return 1;
    if (s.len > PATTERN_LONGEST)
        return -1;
    for (size_t k = 0; k < s.len; k++)
        at = t->next[at + t->class_of[(unsigned char)s.ptr[k]]];
    if (at == PATTERN_ASK * t->classes)
        return -1;
    return t->accepts[at];
}

#endif
