/* Inside of site/differences: a delta being read. Nothing in it is believed: every number is checked before
 * it is used. */
#pragma once

#include "site/differences/delta.h"

/* Sizes, offsets and lengths end here, so that JavaScript can hold them. */
#define DELTA_MOST (((uint64_t)1 << 53) - 1)

/* Why a delta is refused, in both languages; all in A. Returns BAD, or FAIL without memory. */
struct delta_refusal {
    struct odp_arena *arena;
    struct odp_text *why;
};
enum odp_status delta_refuse(const struct delta_refusal *r, const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));

struct delta_reader;
enum odp_status delta_reader_open(struct delta_reader **out, const char *path,
                                  const struct delta_refusal *r) ODP_MUST_USE;
void delta_reader_close(struct delta_reader *d);

enum odp_status delta_read_header(struct delta_reader *d, struct odp_delta_header *h) ODP_MUST_USE;

struct delta_operation {
    char kind; /* 'C', 'I', 'E' */
    uint64_t offset, length;
};
enum odp_status delta_read_operation(struct delta_reader *d, struct delta_operation *op) ODP_MUST_USE;
/* Up to MOST of the bytes that follow an 'I'; *GOT is at least 1. Borrowed until the next call. */
enum odp_status delta_read_bytes(struct delta_reader *d, uint64_t most, const uint8_t **bytes,
                                 size_t *got) ODP_MUST_USE;
/* After 'E': nothing may follow, neither in the stream nor behind it. */
enum odp_status delta_read_end(struct delta_reader *d) ODP_MUST_USE;
