/* How a column's values are spread: exact counts of at most ODP_HISTOGRAM_BINS intervals with round bounds,
 * though least and greatest are known only at the end. While values come they are counted in fine bins, as
 * narrow as ODP_HISTOGRAM_FINE of them can be that reach from the least to the greatest so far: a power of
 * ten (numbers), or days, months, years, decades … (dates). A bin is made wider by putting whole bins
 * together, so every value stays counted where it belongs, and the width depends on the values alone: neither
 * on their order nor on how they were split over threads. */
#pragma once

#include "base/arena.h"
#include "base/datetime.h"
#include "base/decimal_small.h"

enum { ODP_HISTOGRAM_FINE = 1024, ODP_HISTOGRAM_BINS = 20 };

/* Initialize with odp_histogram_init. A bin has a number k: of numbers it reaches from k * 10^level to
 * (k + 1) * 10^level; of dates it is the k-th day, month, year or 10^n years. */
struct odp_histogram {
    uint64_t *bins; /* of k at k modulo ODP_HISTOGRAM_FINE; NULL: nothing is counted */
    int64_t low, high;
    int level;
    bool is_date;
    bool any;   /* of a value: low and high are set */
    bool exact; /* every bin has one value alone, so that it can be made narrower */
};

/* Bounds are one more than counts: a value of the i-th is not less than bounds[i], and less than
 * bounds[i + 1]. */
struct odp_histogram_bins {
    const char **bounds;
    uint64_t *counts;
    size_t n; /* 0: there is nothing to show */
};

void odp_histogram_init(struct odp_histogram *h, bool is_date, struct odp_arena *a);
/* Nothing more is counted, and nothing will be shown: of a column with a number that is too long. */
static inline void odp_histogram_stop(struct odp_histogram *h)
{
    h->bins = NULL;
}
/* N values M * 10^-SCALE (base/decimal_small.h), of which no bin is there yet. */
void odp_histogram_meet(struct odp_histogram *h, int64_t m, unsigned scale);
/* A date that is there as canonical text: KIND is that of all values of the column, no time of day. */
void odp_histogram_date(struct odp_histogram *h, const char *text, enum odp_date_kind kind);
void odp_histogram_merge(struct odp_histogram *h, const struct odp_histogram *other);
/* KIND: of dates. */
struct odp_histogram_bins odp_histogram_end(const struct odp_histogram *h, enum odp_date_kind kind,
                                            struct odp_arena *a);

static const int64_t odp_histogram_powers[ODP_DECIMAL_SMALL + 1] = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/* K / BY, rounded down. */
static inline int64_t odp_histogram_floor(int64_t k, int64_t by)
{
    return k / by - (k % by < 0);
}

/* One more value M * 10^-SCALE. */
static inline void odp_histogram_number(struct odp_histogram *h, int64_t m, unsigned scale)
{
    unsigned wider = (unsigned)(h->level + (int)scale);
    if (wider <= ODP_DECIMAL_SMALL && h->any && h->bins != NULL) {
        int64_t k = wider == 0 ? m : odp_histogram_floor(m, odp_histogram_powers[wider]);
        if (k >= h->low && k <= h->high && (wider == 0 || !h->exact)) {
            h->bins[k & (ODP_HISTOGRAM_FINE - 1)]++;
            return;
        }
    }
    odp_histogram_meet(h, m, scale);
}
