/* Eight bytes at a time: so long equal beginnings are read once, and what is compared or counted is a number beside its key, not somewhere in memory. */
#include "write/index/keys_sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

/* By PART, those of equal ones in the order in which they were; what is in order already is not touched. */
static void merge_sort(struct writer_key *e, struct writer_key *spare, size_t n)
{
    if (n <= 8) {
        for (size_t i = 1; i < n; i++) {
            struct writer_key x = e[i];
            size_t k = i;
            for (; k > 0 && e[k - 1].part > x.part; k--)
                e[k] = e[k - 1];
            e[k] = x;
        }
        return;
    }
    size_t half = n / 2, i = 0, j = half, w = 0;
    merge_sort(e, spare, half);
    merge_sort(e + half, spare, n - half);
    if (e[half - 1].part <= e[half].part)
        return;
    memcpy(spare, e, half * sizeof *e);
    while (i < half && j < n)
        e[w++] = spare[i].part <= e[j].part ? spare[i++] : e[j++];
    memcpy(e + w, spare + i, (half - i) * sizeof *e);
}

/* By PART, byte by byte from the last one that differs anywhere (DIFFERENT has the bits that do); those of equal ones in the order in which they were. */
static void radix_sort(struct writer_key *e, struct writer_key *spare, size_t n, uint64_t different)
{
    struct writer_key *from = e, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t at[256] = {0}, sum = 0;
        if ((different >> shift & 0xff) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            at[from[i].part >> shift & 0xff]++;
        for (size_t b = 0; b < 256; b++) {
            size_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[at[from[i].part >> shift & 0xff]++] = from[i];
        struct writer_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != e)
        memcpy(e, from, n * sizeof *e);
}

/* Sets what is looked at: eight bytes from DEPTH on; of a key that ends before, zeros. *DIFFERENT: the bits that are not the same in all.
 * Whether they are in order. */
static bool load_parts(const char *base, struct writer_key *e, size_t n, uint32_t depth, uint64_t *different)
{
    uint64_t least = 0, all = 0;
    bool ordered = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t left = e[i].n > depth ? e[i].n - depth : 0;
        const char *p = base + e[i].at + depth;
        e[i].part = __builtin_bswap64(odp_bytes_load(p, left));
        ordered = ordered && e[i].part >= least;
        least = e[i].part;
        all |= e[i].part ^ e[0].part;
    }
    *different = all;
    return ordered;
}

enum { FEW = 256 }; /* where counting 256 buckets costs more than it wins */

/* Keys that are equal up to DEPTH, by their next eight bytes, and so on. No key is a beginning of another one: each value and the rowid tell their end. */
static void sort(const char *base, struct writer_key *e, struct writer_key *spare, size_t n, uint32_t depth)
{
    while (n > 1) {
        uint64_t different;
        bool ordered = load_parts(base, e, n, depth, &different);
        depth += 8;
        if (different == 0)
            continue;
        if (!ordered && n < FEW)
            merge_sort(e, spare, n);
        else if (!ordered)
            radix_sort(e, spare, n, different);
        size_t from = 0, largest_at = 0, largest = 0;
        for (size_t i = 1; i <= n; i++) { /* all but the largest group by recursion, so that it never goes deeper than the logarithm of n */
            if (i < n && e[i].part == e[from].part)
                continue;
            size_t group = i - from;
            if (group > largest) {
                if (largest > 1)
                    sort(base, e + largest_at, spare, largest, depth);
                largest = group;
                largest_at = from;
            } else if (group > 1) {
                sort(base, e + from, spare, group, depth);
            }
            from = i;
        }
        e += largest_at;
        n = largest;
    }
}

void writer_keys_sort(const char *base, struct writer_key *keys, struct writer_key *spare, size_t n)
{
    sort(base, keys, spare, n, 0);
}
