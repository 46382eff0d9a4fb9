/* Inside of site/differences: an external merge sort of packed records.
 *
 * A packed record has the form of changes.c; it begins with the number of bytes that follow and the number of
 * bytes of its key (u32 each), then the key, which compares with memcmp. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/slice.h"
#include "base/status.h"

static inline uint32_t record_size(const char *record) /* with its length */
{
    uint32_t n;
    memcpy(&n, record, sizeof n);
    return n + (uint32_t)sizeof n;
}

static inline struct odp_slice record_key(const char *record)
{
    uint32_t n;
    memcpy(&n, record + 4, sizeof n);
    return (struct odp_slice){record + 8, n};
}

struct sorter;
/* MEMORY: bytes it may hold. SCRATCH: folder for what does not fit. */
enum odp_status sorter_new(struct sorter **out, const char *scratch, size_t memory) ODP_MUST_USE;
enum odp_status sorter_add(struct sorter *s, struct odp_slice record) ODP_MUST_USE;
/* Call once, after the last record. */
enum odp_status sorter_end(struct sorter *s) ODP_MUST_USE;
/* The next record by key (equal keys in the order in which they came), valid until the next call. DONE at the
 * end. */
enum odp_status sorter_next(struct sorter *s, const char **record) ODP_MUST_USE;
void sorter_free(struct sorter *s);
