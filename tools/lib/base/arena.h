/* Arena: memory that is given back all at once. One a run (catalogue), one a batch; reset keeps the blocks
 * for reuse. Not thread-safe: an arena belongs to one thread at a time. Memory is aligned to 16 bytes.
 *
 * Out of memory latches, as in a buffer: a call never returns NULL. When the system refuses memory, the arena
 * takes it from a reserve of the process (ODP_ARENA_RESERVE bytes that nobody else uses) and remembers that
 * it failed. What it hands out is as good as any, so callers go on and ask odp_arena_status once, where the
 * work ends: at the end of a batch, before a commit, before a site is switched. Work that ignores the latch
 * until the reserve is used up ends the process (odp_failure_end). */
#pragma once

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

struct odp_arena_block;
struct odp_arena {
    struct odp_arena_block *head;  /* the block being filled */
    struct odp_arena_block *spare; /* blocks kept by reset */
    bool failed;
};

#define ODP_ARENA_RESERVE ((size_t)16 << 20)

void odp_arena_init(struct odp_arena *a);
void odp_arena_release(struct odp_arena *a);
/* Gives the contents back; a failure stays. */
void odp_arena_reset(struct odp_arena *a);

/* OK, or FAIL: memory was refused since init (recorded by odp_failure_set). */
enum odp_status odp_arena_status(const struct odp_arena *a) ODP_MUST_USE;
/* FAIL while any arena of the process lives on the reserve: asked between batches and before anything is
 * committed or published. */
enum odp_status odp_arena_status_of_all(void) ODP_MUST_USE;

/* Contents are not set. */
void *odp_arena_alloc(struct odp_arena *a, size_t size) ODP_MUST_USE ODP_NEVER_NULL;
void *odp_arena_array(struct odp_arena *a, size_t n, size_t size) ODP_MUST_USE ODP_NEVER_NULL;
void *odp_arena_zero(struct odp_arena *a, size_t n, size_t size) ODP_MUST_USE ODP_NEVER_NULL;
/* Room for one more item after the N of ITEMS (NULL: none yet), which have come one by one through this
 * function alone. Returns where they are now. */
void *odp_arena_more(struct odp_arena *a, void *items, size_t n, size_t size) ODP_MUST_USE ODP_NEVER_NULL;
/* A copy with a terminator, for use as C string too. */
struct odp_slice odp_arena_copy(struct odp_arena *a, struct odp_slice s) ODP_MUST_USE;
char *odp_arena_str(struct odp_arena *a, const char *s) ODP_MUST_USE ODP_NEVER_NULL;
char *odp_arena_printf(struct odp_arena *a, const char *fmt, ...) ODP_MUST_USE ODP_NEVER_NULL
    __attribute__((format(printf, 2, 3)));
/* V in decimal. */
struct odp_slice odp_arena_number(struct odp_arena *a, uint64_t v) ODP_MUST_USE;

/* The reserve itself, for what else must not fail half way (base/json_load.h). odp_reserve_free: false where
 * P is no piece of it. */
void *odp_reserve_alloc(size_t size) ODP_MUST_USE ODP_NEVER_NULL;
bool odp_reserve_free(const void *p);

/* Checked heap allocation for growable containers: NULL on overflow or no memory, recorded by
 * odp_failure_set. */
void *odp_realloc_array(void *p, size_t n, size_t size) ODP_MUST_USE;
