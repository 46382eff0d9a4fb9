/* A source yields batches of raw records out of a file, whatever its kind: the registry of the kinds
 * (source.c). */
#pragma once

#include "read/kind.h"

/* By the resource's format, mediatype or path: .csv .tsv .txt -> csv, .shp .zip -> shapefile, .xlsx .xlsm ->
 * xlsx. NULL: unknown (ODP-F03). */
const struct odp_source_kind *odp_source_kind_of(const struct odp_resource *r);
/* The same for a file at PATH that replaces R's own (check --as). If its extension differs from R's and
 * names a kind, the extension decides. */
const struct odp_source_kind *odp_source_kind_at(const struct odp_resource *r, const char *path);
const struct odp_source_kind *const *odp_source_kinds(size_t *n);

/* Opens the right kind after checking that PATH is there, is a file, is not too large, and has the bytes and
 * hash that the descriptor states. */
enum odp_status odp_source_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                                const char *file, unsigned workers, struct odp_diags *diags) ODP_MUST_USE;
enum odp_status odp_source_read(struct odp_source *s, struct odp_batch *b) ODP_MUST_USE;
enum odp_status odp_source_slice(const struct odp_source *s, struct odp_batch *b,
                                 unsigned worker) ODP_MUST_USE;
/* N lines more (or less) are counted from here on: whoever made this CSV file left them out in front of its
 * records. */
void odp_source_skip(struct odp_source *s, int64_t n);
void odp_source_close(struct odp_source *s);
