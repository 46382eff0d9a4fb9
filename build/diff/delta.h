/* Delta files: how to make the new file out of the old one. Documented for clients in build/diff/DELTA.md; vectors in
 * tests/cases/delta.
 *
 * A delta is a gzip stream of one JSON line (format, sizes and SHA-256 of both files), then operations: copy bytes of the old file,
 * insert bytes that follow. Applying proves the result by size and digest; a delta that does not fit its old file says so. */
#ifndef ODP_DIFF_DELTA_H
#define ODP_DIFF_DELTA_H

#include "base/file.h"

struct odp_delta_side {
    const char *path;      /* on the disk */
    const char *version;   /* into the header; may be NULL */
    struct odp_file_info info;
};

/* Writes the delta to OUT (not closed). DONE: it would be larger than LIMIT bytes; OUT is to be discarded. Deterministic. Memory: at
 * most 32 MiB beside the mapped files. */
enum odp_status odp_delta_make(struct odp_file *out, const struct odp_delta_side *from, const struct odp_delta_side *to,
                               uint64_t limit) ODP_MUST_USE;

/* What the header line says. Strings in A. */
struct odp_delta_header {
    const char *from_version, *to_version; /* or NULL */
    struct odp_file_info from, to;
};
/* BAD: not a delta, damaged, or not for this old file; WHY (in A, English) says which. */
enum odp_status odp_delta_header(const char *delta, struct odp_delta_header *h, struct odp_arena *a, const char **why) ODP_MUST_USE;
/* Applies DELTA to OLD, writing NEW (which must not exist; removed when BAD). */
enum odp_status odp_delta_apply(const char *delta, const char *old, const char *fresh, struct odp_arena *a, const char **why) ODP_MUST_USE;

#endif
