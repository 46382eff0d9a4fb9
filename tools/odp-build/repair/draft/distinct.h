/* Distinct values by 64-bit hash: exact up to a bound, then "more than". All sets of a draft together stay
 * below DISTINCT_BUDGET bytes. With 4 million values, two share a hash with a chance of one in two million.
 */
#pragma once

#include <stdint.h>

#include "base/slice.h"

#define DISTINCT_BUDGET ((size_t)256 * 1024 * 1024)
enum {
    DISTINCT_MOST = 4000000, /* values of a set without repetition: keys */
    DISTINCT_SOME = 100000   /* values of any other set */
};

struct distinct {
    uint64_t *slot; /* 0: free */
    size_t n, cap;
    bool full;     /* a bound or the end of memory was reached: n is a minimum, the set is empty */
    bool repeated; /* a value occurred twice */
};

uint64_t distinct_hash(struct odp_slice s);
/* For records of several cells: H so far, then the next cell. */
uint64_t distinct_mix(uint64_t h, struct odp_slice s);
/* *BUDGET: bytes left for all sets. True: HASH was new. */
bool distinct_add(struct distinct *d, uint64_t hash, size_t most, size_t *budget);
bool distinct_has(const struct distinct *d, uint64_t hash);
/* How many of D's values are in OF. */
size_t distinct_common(const struct distinct *d, const struct distinct *of);
/* Returns its memory to the budget; counts stay. */
void distinct_drop(struct distinct *d, size_t *budget);
