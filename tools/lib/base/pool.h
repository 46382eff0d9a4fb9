/* Work spread over threads with results in order: what makes the output the same on any number of threads.
 *
 * odp_pool_ordered runs three callbacks over a ring of SLOTS (indices of reusable batches, 0 .. slots-1):
 *
 *   produce(ctx, slot)        on any thread, one at a time, in order; DONE ends
 *   work(ctx, slot, worker)   on the thread that produced it; worker is 0 .. jobs-1, for per-thread state
 *   consume(ctx, slot)        on the calling thread, one at a time, in the order of produce
 *   append(ctx, slot, lane)   where there are lanes, each of them a file or a digest: on any thread, for each
 *                             lane one at a time and in the order of produce, once the slot was consumed;
 *                             lanes run next to each other, and next to the calling thread
 *
 * The first FAIL stops the run and is returned; BAD goes on (only OK or FAIL is returned). With one job
 * everything runs on the calling thread. */
#pragma once

#include <stddef.h>

#include "base/status.h"

struct odp_pool;

/* JOBS >= 1 threads, the calling one included; fewer where the system gives no more. */
enum odp_status odp_pool_new(struct odp_pool **out, unsigned jobs) ODP_MUST_USE;
void odp_pool_free(struct odp_pool *p);
unsigned odp_pool_jobs(const struct odp_pool *p); /* as many as there are */
/* Slots a run uses at most: 1 with one job, else 2 * jobs. */
size_t odp_pool_slots(const struct odp_pool *p);

struct odp_ordered {
    void *ctx;
    enum odp_status (*produce)(void *ctx, size_t slot);
    enum odp_status (*work)(void *ctx, size_t slot, unsigned worker);
    enum odp_status (*consume)(void *ctx, size_t slot);
};
enum odp_status odp_pool_ordered(struct odp_pool *p, const struct odp_ordered *run) ODP_MUST_USE;

#define ODP_POOL_LANES 20
struct odp_lanes {
    size_t n; /* at most ODP_POOL_LANES */
    enum odp_status (*append)(void *ctx, size_t slot, size_t lane);
};
enum odp_status odp_pool_ordered_lanes(struct odp_pool *p, const struct odp_ordered *run,
                                       const struct odp_lanes *lanes) ODP_MUST_USE;

/* work(ctx, i, worker) for i in 0 .. n-1 on all threads, in no order; returns FAIL if one failed. */
enum odp_status odp_pool_each(struct odp_pool *p, size_t n, void *ctx,
                              enum odp_status (*work)(void *ctx, size_t i, unsigned worker)) ODP_MUST_USE;
