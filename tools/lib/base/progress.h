/* Progress of long work. The library only counts; the program decides whether and how to show it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum odp_phase { ODP_PHASE_CATALOG, ODP_PHASE_CHECK, ODP_PHASE_PUBLISH, ODP_PHASE_SWITCH };

struct odp_progress {
    void *ctx;
    /* BYTES of TOTAL source bytes done (total 0: unknown), ROWS read so far, in NAME (a dataset, or "").
     * Called on the main thread only, as often as a batch: the callee limits how often it draws. */
    void (*update)(void *ctx, enum odp_phase phase, const char *name, uint64_t done, uint64_t total,
                   uint64_t rows);
};

/* Does nothing when P is NULL. */
static inline void odp_progress_update(const struct odp_progress *p, enum odp_phase phase, const char *name,
                                       uint64_t done, uint64_t total, uint64_t rows)
{
    if (p != NULL && p->update != NULL)
        p->update(p->ctx, phase, name, done, total, rows);
}
