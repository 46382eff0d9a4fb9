/* Arena: memory that is given back all at once. One a run (catalogue), one a batch; reset keeps the blocks for reuse.
 * Not thread-safe: an arena belongs to one thread at a time. Memory is aligned to 16 bytes. */
#ifndef ODP_BASE_ARENA_H
#define ODP_BASE_ARENA_H

#include "base/slice.h"
#include "base/status.h"

struct odp_arena_block;
struct odp_arena {
    struct odp_arena_block *head;  /* the block being filled */
    struct odp_arena_block *spare; /* blocks kept by reset */
};

void odp_arena_init(struct odp_arena *a);
void odp_arena_release(struct odp_arena *a);
void odp_arena_reset(struct odp_arena *a);

/* NULL when memory is out (recorded by odp_failure_set) or N * SIZE overflows. Contents are not set. */
void *odp_arena_alloc(struct odp_arena *a, size_t size) ODP_MUST_USE;
void *odp_arena_array(struct odp_arena *a, size_t n, size_t size) ODP_MUST_USE;
void *odp_arena_zero(struct odp_arena *a, size_t n, size_t size) ODP_MUST_USE;
/* A copy with a terminator, for use as C string too. ptr is NULL when memory is out. */
struct odp_slice odp_arena_copy(struct odp_arena *a, struct odp_slice s) ODP_MUST_USE;
char *odp_arena_str(struct odp_arena *a, const char *s) ODP_MUST_USE;
char *odp_arena_printf(struct odp_arena *a, const char *fmt, ...) ODP_MUST_USE __attribute__((format(printf, 2, 3)));

/* Checked heap allocation for growable containers: NULL on overflow or no memory, recorded by odp_failure_set. */
void *odp_realloc_array(void *p, size_t n, size_t size) ODP_MUST_USE;

#endif
