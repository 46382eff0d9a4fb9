/* Delta files: how to make the new file out of the old one. docs/delta.md describes them for clients; vectors
 * are in tests/cases/delta.
 *
 * A delta is a gzip stream of one JSON line (format, sizes and SHA-256 of both files), then operations: copy
 * bytes of the old file, insert bytes that follow. Size and digest prove the result; a delta that does not
 * fit its old file says so. */
#pragma once

#include "base/diag.h"
#include "base/file.h"

struct odp_delta_side {
    const char *path;    /* on the disk */
    const char *version; /* into the header; may be NULL */
    struct odp_file_info info;
};

/* Writes the delta to OUT (not closed). DONE: it would be larger than LIMIT bytes; discard OUT.
 * Deterministic. Memory: at most 32 MiB beside the mapped files. */
enum odp_status odp_delta_make(struct odp_file *out, const struct odp_delta_side *from,
                               const struct odp_delta_side *to, uint64_t limit) ODP_MUST_USE;

/* The header line. Strings in A. */
struct odp_delta_header {
    const char *from_version, *to_version; /* or NULL */
    struct odp_file_info from, to;
};
/* BAD: not a delta or damaged; WHY (in A) says what is wrong. */
enum odp_status odp_delta_header(const char *delta, struct odp_delta_header *h, struct odp_arena *a,
                                 struct odp_text *why) ODP_MUST_USE;
/* Applies DELTA to OLD, writing FRESH, which must not exist and appears only when its size and SHA-256 are
 * those of the header. H gets the header, also when OLD does not fit. BAD: no delta, damaged, not for this
 * old file, or FRESH exists. */
enum odp_status odp_delta_apply(const char *delta, const char *old, const char *fresh,
                                struct odp_delta_header *h, struct odp_arena *a,
                                struct odp_text *why) ODP_MUST_USE;
