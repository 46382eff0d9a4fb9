/* Writes an index (catalog/index/search.h). Rows come as packed chunks, made on any thread; one thread
 * appends them in order. */
#pragma once

#include "catalog/index/search.h"
#include "catalog/records/code_lists.h"

struct odp_search_job {
    const struct odp_resource *resource;
    bool has_geometry;
    const char *version, *last_update;
    const char *geometry_name;          /* NULL without geometry */
    const struct odp_code_lists *codes; /* NULL: not known */
    /* By odp_resource.index: for queryables that are taken from another resource; may be NULL. */
    const struct odp_search_file *searches;
    const char *path; /* on the disk; the file is not there yet */
    /* The geometry that the envelope shows where the mode is "simplified", as GeoJSON. */
    void (*simplify)(struct odp_buffer *out, const struct odp_geom *g);
};

struct odp_search_writer;
enum odp_status odp_search_writer_new(struct odp_search_writer **out,
                                      const struct odp_search_job *job) ODP_MUST_USE;
/* Good records of B, packed, appended to OUT. Any thread. */
enum odp_status odp_search_writer_pack(const struct odp_search_writer *w, const struct odp_batch *b,
                                       struct odp_buffer *out) ODP_MUST_USE;
enum odp_status odp_search_writer_append(struct odp_search_writer *w, struct odp_slice packed) ODP_MUST_USE;
/* Makes indexes, words and statistics, closes the file; *ROWS. Frees W in every case; after FAIL the file
 * may be there in part. */
enum odp_status odp_search_writer_end(struct odp_search_writer *w, uint64_t *rows) ODP_MUST_USE;
void odp_search_writer_abort(
    struct odp_search_writer *w); /* frees W; removes what was written. NULL is allowed */
