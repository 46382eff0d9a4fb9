/* Statistics of a resource's published records: what the next version is compared with (drift.h) without
 * reading the old data again. Made while the batches go by, on any thread; kept with each version as
 * data/<slug>/<version>/profile[-<resource>].json (docs/checks.md). Of fields that are not public there is
 * nothing in it. No double: sums are exact, whatever the order. */
#pragma once

#include "catalog/records/batch.h"
#include "check/drift/histogram.h"

enum { ODP_PROFILE_FREQUENT = 10 };

struct odp_profile_value {
    struct odp_slice value; /* canonical text */
    uint64_t count;
};

/* One public field. Texts are canonical; NULL: no such value. */
struct odp_profile_field {
    const char *name;
    enum odp_type type;
    uint64_t nulls;
    uint64_t distinct;                      /* different values; numbers by value: 1.50 is 1.5 */
    bool estimated;                         /* `distinct` is not exact (sketch.h) */
    const char *minimum, *maximum;          /* numbers, dates and times */
    const char *sum, *mean;                 /* numbers; the mean in at most six decimals */
    const struct odp_profile_value *values; /* of fields whose values are from a list (categories, enum,
                                               boolean, foreign keys), by bytes; of other texts the most
                                               frequent, most frequent first */
    size_t nvalues;
    bool listed;                         /* they are there, all of them: at most ODP_SKETCH_LISTED */
    struct odp_histogram_bins histogram; /* of numbers and dates; odp_profile_read leaves it out */
    int64_t changed; /* cells of the records that both have, since the version before; < 0: not known */
};

struct odp_profile {
    uint64_t rows;
    uint64_t shared; /* records that the version before had, too; 0: it was not asked */
    struct odp_profile_field *fields;
    size_t n;
    bool has_geometry;
    uint64_t located, points; /* records with a geometry, and its points altogether */
    bool has_bbox;
    double bbox[4];
};

struct odp_profiler;

enum odp_status odp_profiler_new(struct odp_profiler **out, const struct odp_resource *r, bool has_geometry,
                                 unsigned workers) ODP_MUST_USE;
void odp_profiler_free(struct odp_profiler *p); /* NULL is allowed */
/* The records of B, on thread WORKER. Leaves out bad ones. */
enum odp_status odp_profiler_batch(struct odp_profiler *p, const struct odp_batch *b,
                                   unsigned worker) ODP_MUST_USE;
/* All workers together; OUT lives in A. Once. */
enum odp_status odp_profiler_end(struct odp_profiler *p, struct odp_arena *a,
                                 struct odp_profile *out) ODP_MUST_USE;

/* Whether the values of FIELD come from a list, so that it means something when one of them is gone. */
bool odp_profile_lists(const struct odp_resource *r, uint32_t field);

/* "data/<slug>/<FOLDER>/profile[-<resource>].json" in A; FOLDER: a version, or "latest". NAME: of the
 * resource; NULL: of the first. */
char *odp_profile_path(const char *slug, const char *name, const char *folder,
                       struct odp_arena *a) ODP_MUST_USE;
enum odp_status odp_profile_json(struct odp_buffer *out, const struct odp_profile *p,
                                 const struct odp_resource *r, const char *version) ODP_MUST_USE;
/* What odp_profile_json wrote, in A; VERSION: the version's name. BAD: it is something else. */
enum odp_status odp_profile_read(struct odp_slice text, struct odp_arena *a, struct odp_profile *out,
                                 const char **version) ODP_MUST_USE;
/* The field NAME, or NULL. */
const struct odp_profile_field *odp_profile_find(const struct odp_profile *p, const char *name);
