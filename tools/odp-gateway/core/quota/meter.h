/* Counters of requests next to the keys' quotas: a second mapped file shared by all processes, so that a
 * crash loses nothing.
 *
 * Totals (requests by status, refusals by reason, bytes, time histogram, answers from memory) are striped by
 * worker, so that workers do not fight for cache lines. Usage by (dataset, format, tier) lies in slots found
 * by name; a slot has one word (day << 40 | count) for even days and one for odd ones, so that yesterday's
 * count stays readable for a day. Names come from the site, never from a request. */
#pragma once

#include "core/problem.h"

#define ODP_METER_STRIPES 16
#define ODP_METER_BUCKETS 12
#define ODP_METER_SLOTS   8192u
#define ODP_METER_NAME    48

extern const uint32_t
    odp_meter_bounds_us[ODP_METER_BUCKETS]; /* upper bounds in microseconds; the last is UINT32_MAX */

struct odp_meter_totals {
    uint64_t status[600];                /* by HTTP status */
    uint64_t refused[ODP_PROBLEM_COUNT]; /* by problem */
    uint64_t bucket[ODP_METER_BUCKETS];  /* requests by duration */
    uint64_t micros;                     /* sum of durations */
    uint64_t bytes;                      /* sent */
    uint64_t from_memory, from_disk, not_modified;
    uint64_t table_missing; /* requests answered 503 because no table could be mapped */
};

struct odp_meter_usage {                                           /* one slot, read */
    char dataset[ODP_METER_NAME], format[16], tier[ODP_TIER_NAME]; /* tier "-": no key (public downloads) */
    uint32_t day;
    uint64_t count;
};

struct odp_meter;
/* Creates the file if it is not there or not of this layout (the old one is renamed over: its totals start
 * again). */
enum odp_status odp_meter_open(struct odp_meter **out, const char *path) ODP_MUST_USE;
void odp_meter_close(struct odp_meter *m);
bool odp_meter_replaced(const struct odp_meter *m, const char *path);

void odp_meter_request(struct odp_meter *m, unsigned stripe, int status, uint64_t micros, uint64_t bytes);
void odp_meter_refusal(struct odp_meter *m, unsigned stripe, enum odp_problem p);
enum odp_meter_source { ODP_METER_MEMORY, ODP_METER_DISK, ODP_METER_NOT_MODIFIED, ODP_METER_NO_TABLE };
void odp_meter_source(struct odp_meter *m, unsigned stripe, enum odp_meter_source source);
void odp_meter_totals(const struct odp_meter *m, struct odp_meter_totals *out); /* sum over the stripes */

/* The slot's number for odp_meter_use, found or made; the caller keeps it. -1: no slot is free (the request
 * goes uncounted here). */
int32_t odp_meter_slot(struct odp_meter *m, struct odp_slice dataset, struct odp_slice format,
                       const char *tier);
void odp_meter_use(struct odp_meter *m, int32_t slot, uint32_t day);
/* The request did not count after all. */
void odp_meter_unuse(struct odp_meter *m, int32_t slot, uint32_t day);
/* Calls F for each (dataset, format, tier, day) with a count, sorted by them; stops at the first that is not
 * OK. FAIL: out of memory. */
enum odp_status odp_meter_each(const struct odp_meter *m, void *ctx,
                               enum odp_status (*f)(void *ctx, const struct odp_meter_usage *u)) ODP_MUST_USE;
