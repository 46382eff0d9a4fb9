/* The name that was meant: the nearest of those there are. */
#pragma once

#include "base/slice.h"

/* Which of N names S is; -1: none of them. */
static inline int odp_word_index(struct odp_slice s, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (odp_slice_is(s, names[i]))
            return (int)i;
    return -1;
}

/* Text with the smallest edit distance (Damerau-Levenshtein, code points) to S among N, within MAX; index or
 * -1. */
int odp_nearest(struct odp_slice s, const struct odp_slice *among, size_t n, size_t max);

/* How far a suggestion may be from a name of LEN bytes: for short ones everything is near. */
size_t odp_nearest_limit(size_t len);

/* "Did you mean", for messages only: the one of N names (of the first 500) that S was meant to be: the
 * nearest, letter case and _ - between words ignored; where none is near, the shortest that S is a part of,
 * or that is a part of S. Index, or -1. */
int odp_meant(struct odp_slice s, const struct odp_slice *names, size_t n);
/* The same of words; NULL: none. */
const char *odp_word_nearest(struct odp_slice s, const char *const *words, size_t n);
/* The same of one name: 0 is S itself, less is nearer; SIZE_MAX: it is not meant. */
size_t odp_meant_far(struct odp_slice s, struct odp_slice name);
/* Whether A and B have the same digits in the same order: jumlah_2023 is no slip for jumlah_2024. */
bool odp_same_digits(struct odp_slice a, struct odp_slice b);
