/* Raw batches in, typed batches out, by the schema alone; nothing is guessed, nothing is repaired.
 *
 * A validator serves one resource. batch runs on any thread: cells (types, constraints, white space, control
 * characters, spreadsheet damage, privacy), geometry (GEOS), row rules, foreign keys into finished key sets,
 * and the digests of the keys. merge runs on one thread in order: uniqueness, keys that refer to the resource
 * itself. finish says what is only known at the end. One rule a file, one registry (rules.c). */
#pragma once

#include "catalog/expr/expr.h"
#include "catalog/records/source_info.h"
#include "check/keys/keyring.h"

struct odp_validator;

/* Rules are compiled here; their faults (ODP-C09) go to DIAGS with the place in the descriptor. WORKERS:
 * threads to come. */
enum odp_status odp_validator_new(struct odp_validator **out, const struct odp_resource *r,
                                  const struct odp_source_info *info, struct odp_keyring *keys,
                                  unsigned workers, struct odp_diags *diags) ODP_MUST_USE;
/* Nobody will read the label points of geometries. */
void odp_validator_leave_labels(struct odp_validator *v);
void odp_validator_free(struct odp_validator *v);

/* A sliced batch becomes a typed one: b->columns, b->record_bad, faults in b->diags. OK (also with faults) or
 * FAIL. */
enum odp_status odp_validator_batch(struct odp_validator *v, struct odp_batch *b,
                                    unsigned worker) ODP_MUST_USE;
/* In order: keys across batches. Adds to b->diags. */
enum odp_status odp_validator_merge(struct odp_validator *v, struct odp_batch *b) ODP_MUST_USE;
/* After the last batch: references to the resource itself, foreign-key-unchecked, no rows. */
enum odp_status odp_validator_finish(struct odp_validator *v, struct odp_diags *diags) ODP_MUST_USE;

/* Checks all rules of the catalogue without data (ODP-C09): OK or BAD. */
enum odp_status odp_validate_rules(const struct odp_catalog *c, struct odp_diags *diags) ODP_MUST_USE;

uint64_t odp_validator_rows(const struct odp_validator *v);
/* The newest canonical value of odp:lastUpdate's field so far, or an empty slice. Borrowed. */
struct odp_slice odp_validator_last_update(const struct odp_validator *v);
