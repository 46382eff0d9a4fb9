/* Distinct values by 64-bit hash: exact up to a bound, then only "more than". Within a draft all sets
 * together stay below DISTINCT_BUDGET bytes. At 4 million values the chance that two share a hash is about
 * one in two million. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

#define DISTINCT_BUDGET ((size_t)256 * 1024 * 1024)
enum {
    DISTINCT_MOST = 4000000, /* of a set in which nothing has come twice: keys */
    DISTINCT_SOME = 100000   /* of any other */
};

struct distinct {
    uint64_t *slot; /* 0: free */
    size_t n, cap;
    bool full;     /* a bound, or memory's end, was reached: n is only the least; the set is empty */
    bool repeated; /* something has come twice */
};

uint64_t distinct_hash(struct odp_slice s);
/* For records of several cells: H so far, then the next cell. */
uint64_t distinct_mix(uint64_t h, struct odp_slice s);
/* *BUDGET: bytes that all sets may still take. True: it was not there. */
bool distinct_add(struct distinct *d, uint64_t hash, size_t most, size_t *budget);
bool distinct_has(const struct distinct *d, uint64_t hash);
/* How many of D's values are in OF. */
size_t distinct_common(const struct distinct *d, const struct distinct *of);
/* Gives its memory back to the budget; what is known of numbers stays. */
void distinct_drop(struct distinct *d, size_t *budget);
