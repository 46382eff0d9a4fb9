/* Finished answers: kept in memory up to a number of bytes (the one not used for longest leaves), and shared
 * by callers who ask the same at the same time: one makes it, the others wait. A kept answer is counted and
 * never changes. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/digest.h"
#include "catalog/index/search.h"

struct odp_cached {
    int problem;            /* enum odp_problem; -1: BODY is the answer */
    const char *media_type; /* literal */
    struct odp_buffer body;
    char *link;      /* value of a Link header; NULL: none */
    int64_t matched; /* -1: not known */
    uint64_t returned;
    char *parameter, *pointer; /* of a problem; NULL: none */
    uint32_t position, length;
    char *detail[ODP_LANGS];       /* NULL: the general one */
    char index[ODP_SEARCH_ID + 1]; /* that it was made of */
    uint64_t refs;                 /* under the cache's mutex */
};
struct odp_cached *odp_cached_new(void); /* held once; NULL: no memory */

struct odp_cache;
/* BYTES 0: nothing is kept. WAITING: so many may wait for what others make. */
enum odp_status odp_cache_new(struct odp_cache **out, size_t bytes, unsigned waiting) ODP_MUST_USE;
void odp_cache_free(struct odp_cache *c); /* NULL is allowed */

/* The answer under KEY, held for the caller; NULL: none. */
struct odp_cached *odp_cache_get(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE]);
/* OK: *OUT, held for the caller: kept, or just made by another. DONE: the caller makes it; end must follow.
 * BAD: too many wait, WAIT_MS passed, or its maker failed. FAIL: out of memory. */
enum odp_status odp_cache_begin(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE], uint32_t wait_ms,
                                struct odp_cached **out) ODP_MUST_USE;
/* Gives K (NULL: failed) to all who wait, and keeps it if KEEP. The caller still holds it. */
void odp_cache_end(struct odp_cache *c, const uint8_t key[ODP_SHA256_SIZE], struct odp_cached *k, bool keep);
void odp_cache_drop(struct odp_cache *c, struct odp_cached *k); /* the caller's hold; NULL is allowed */
/* Nothing made of that index is kept any more. */
void odp_cache_forget(struct odp_cache *c, const char *index);

struct odp_cache_counts {
    uint64_t hits, misses, shared; /* shared: waited for another's */
    size_t bytes, answers;
    unsigned waiting;
};
void odp_cache_counts(struct odp_cache *c, struct odp_cache_counts *out);
