/* The files of a dataset by the values of a field (odp:slices):
 * data/<slug>/<version>/slices/<field>/<value>/…, all formats but the API's, made in the pass that makes the
 * whole.
 *
 *   format  (any thread)            takes a batch apart: records by value, each value's formatted by
 *                                   themselves
 *   append  (one thread, in order)  puts the parts to their slices; finds fields with too many or too long
 *                                   values
 *   end     (one thread)            makes the files
 *
 * Until the end a slice is held as the chunks its emitters will append, in memory while all together are
 * small, then in one scratch file; the files are made some at a time. So open files are bounded by threads x
 * formats, and memory by ODP_SLICES_HOLD (and 80 bytes a value for each ODP_SLICES_HOLD spilled), whatever
 * the number of values. A slice's records have the source's order: its bytes depend on nothing else. Records
 * without a value (null, or the empty text) are in no slice.
 *
 * Records of other values are masked by a private copy of record_bad; formats, and what they share, are
 * those of the whole. A value's folder is the value where it is letters, digits, '-', '_', '.'; other bytes
 * (and a '.' at either end) are ~XX: a file with '%' in its name is asked for as %25, on which servers and
 * object stores disagree; like this path and address are the same. The index lists slices with rows, sizes,
 * digests and, where the field has categories or a key into a code list, a label (`nama`, `nama_en` of the
 * list; else its first text). Too many or too long values are ODP-V90 and ODP-V91, in a check too; the field
 * then has no slices. Slices are no part of a version's identity; those that are listed later are added next
 * to what is published. */
#pragma once

#include "base/pool.h"
#include "catalog/records/source_info.h"
#include "site/versions/release.h"

enum {
    ODP_SLICES_VALUES = 600,
    ODP_SLICES_BYTES = 64,
    ODP_SLICES_HOLD = 32 << 20
}; /* values a field, bytes a value */

struct odp_slices;

/* What one batch gives; one a slot of the pool. */
struct odp_slice_parts;
enum odp_status odp_slice_parts_new(struct odp_slice_parts **out) ODP_MUST_USE;
void odp_slice_parts_free(struct odp_slice_parts *p); /* NULL is allowed */

/* EMITS: of the whole resource, begun; borrowed for odp_slices_format. NULL: values are only counted (a
 * check). JOB: with EMITS. LABELS: borrowed. *OUT is NULL where the resource has no odp:slices; all functions
 * take that as nothing to do. */
enum odp_status odp_slices_new(struct odp_slices **out, const struct odp_resource *r,
                               const struct odp_emit_set *emits, const struct odp_emit_job *job,
                               const struct odp_code_lists *codes) ODP_MUST_USE;
/* Drops what was not ended. */
void odp_slices_free(struct odp_slices *s);
/* EMIT false: the batch's values are noted, nothing is formatted (the resource is rejected already). */
enum odp_status odp_slices_format(const struct odp_slices *s, const struct odp_batch *b, bool emit,
                                  struct odp_slice_parts *out) ODP_MUST_USE;
/* INFO: of the source, for messages. Faults (V90, V91) go to DIAGS; the field then has no slices. */
enum odp_status odp_slices_append(struct odp_slices *s, const struct odp_batch *b,
                                  const struct odp_slice_parts *parts, const struct odp_source_info *info,
                                  struct odp_diags *diags) ODP_MUST_USE;
/* Makes the files on POOL. *LIST (in A): the slices by field in the catalogue's order, then by value in byte
 * order. */
enum odp_status odp_slices_end(struct odp_slices *s, struct odp_pool *pool, struct odp_arena *a,
                               const struct odp_slice_result **list, size_t *n) ODP_MUST_USE;
