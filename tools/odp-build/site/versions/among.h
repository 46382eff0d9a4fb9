/* What the files of one dataset are made of, so that they are carried over while it is the same
 * (published/parts.h): its own entry in full, of the others what changes seldom, and what is staged.
 *
 * Who makes a part passes odp_among_job() on in place of the site's job: then nothing else can get into the
 * files, and nothing can be missing in the key. */
#pragma once

#include "site/versions/release.h"

struct odp_among;

/* Of JOB, once search/index.json is staged and job->places are open. COMMON: what else all parts depend on
 * (borrowed). */
enum odp_status odp_among_open(struct odp_among **out, const struct odp_site_job *job,
                               const json_t *common) ODP_MUST_USE;
void odp_among_close(struct odp_among *g); /* NULL is allowed */
/* Begins the part KIND of the dataset of ENTRY, in JOB's stage. MORE: what its files say of others and of all
 * (borrowed; NULL: nothing). What odp_part_begin returns; after OK, odp_part_end. */
enum odp_status odp_among_begin(const struct odp_site_job *job, const char *kind, const json_t *entry,
                                const json_t *more) ODP_MUST_USE;
/* The same of a part whose files say nothing of other datasets; they are made of ENTRY, its searches and what
 * is staged. */
enum odp_status odp_among_begin_alone(const struct odp_site_job *job, const char *kind,
                                      const json_t *entry) ODP_MUST_USE;
/* What MAKE says of ENTRY, kept as the text of the part KIND: JSON, there as long as the stage is. */
enum odp_status odp_among_text(const struct odp_site_job *job, const char *kind, const json_t *entry,
                               enum odp_status (*make)(void *ctx, const struct odp_site_job *job,
                                                       const json_t *entry, json_t **out),
                               void *ctx, struct odp_slice *text) ODP_MUST_USE;
/* The same as a value. *OUT: the caller's, unless this fails. */
enum odp_status odp_among_value(const struct odp_site_job *job, const char *kind, const json_t *entry,
                                enum odp_status (*make)(void *ctx, const struct odp_site_job *job,
                                                        const json_t *entry, json_t **out),
                                json_t **out) ODP_MUST_USE;
/* The job for the part that was begun last: "entries" are ENTRY's neighbours by what changes seldom,
 * "searches" its own alone. JOB itself where nobody has opened its among. */
const struct odp_site_job *odp_among_job(const struct odp_site_job *job);
