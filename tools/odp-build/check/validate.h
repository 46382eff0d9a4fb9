/* Raw batches in, typed batches out, by the schema alone; nothing is guessed, nothing is repaired.
 *
 * A validator serves one resource. batch runs on any thread: cells (types, constraints, white space, control characters,
 * spreadsheet damage, privacy), geometry (GEOS), row rules, foreign keys into finished key sets, and the digests of the keys.
 * merge runs on one thread in order: uniqueness, keys that refer to the resource itself. finish says what is only known at
 * the end. One rule a file, one registry (rules.c). */
#ifndef ODP_CHECK_VALIDATE_H
#define ODP_CHECK_VALIDATE_H

#include "catalog/expr/expr.h"
#include "catalog/records/source_info.h"
#include "check/keys/keyset.h"

/* State of a resource's keys, for those that refer to it. Indexed by odp_resource.index in odp_keyring. */
enum odp_key_state { ODP_KEYS_ABSENT = 0 /* not read yet */, ODP_KEYS_READY, ODP_KEYS_REJECTED };

/* All key sets of a run: for every resource that is a target of a foreign key, one set for each distinct tuple of target
 * fields. Written by one validator at a time (merge), read by all once READY. */
struct odp_keyring;
enum odp_status odp_keyring_new(struct odp_keyring **out, const struct odp_catalog *c) ODP_MUST_USE;
void odp_keyring_free(struct odp_keyring *k);
/* Bytes that its sets, and those of the resources' own keys, may take in memory before they spill (keyset.h): ODP_KEY_MEMORY unless it is said here.
 * SIZE_MAX: they never do. */
#define ODP_KEY_MEMORY ((size_t)1200 << 20)
void odp_keyring_bind(struct odp_keyring *k, size_t bytes);
/* ABSENT empties the sets of R: it will be read (again). */
void odp_keyring_set(struct odp_keyring *k, const struct odp_resource *r, enum odp_key_state state);
/* True: keys of R occur more than once, and its sets had spilled, so nobody could say where. R is to be read again from its beginning, and what has been
 * reported of it is to be forgotten: it will be said again. Once; asked after odp_validator_finish. */
bool odp_keyring_reread(struct odp_keyring *k, const struct odp_resource *r);
enum odp_key_state odp_keyring_get(const struct odp_keyring *k, const struct odp_resource *r);
/* Adds one record of R from elsewhere (the published site): TEXT[i] is the canonical text of schema field i, ptr NULL for null.
 */
enum odp_status odp_keyring_add(struct odp_keyring *k, const struct odp_resource *r, const struct odp_slice *text) ODP_MUST_USE;

/* Whether the record TEXT (by schema index, ptr NULL for null) of KEY's own resource finds its key; true with a null part, and
 * when the target's keys are not READY. */
bool odp_keyring_resolves(const struct odp_keyring *k, const struct odp_foreign_key *key, const struct odp_slice *text);

struct odp_validator;

/* Rules are compiled here; their faults (ODP-C09) go to DIAGS with the place in the descriptor. WORKERS: threads to come. */
enum odp_status odp_validator_new(struct odp_validator **out, const struct odp_resource *r, const struct odp_source_info *info,
                                  struct odp_keyring *keys, unsigned workers, struct odp_diags *diags) ODP_MUST_USE;
void odp_validator_free(struct odp_validator *v);

/* A sliced batch becomes a typed one: b->columns, b->record_bad, faults in b->diags. OK (also with faults) or FAIL. */
enum odp_status odp_validator_batch(struct odp_validator *v, struct odp_batch *b, unsigned worker) ODP_MUST_USE;
/* In order: keys across batches. Adds to b->diags. */
enum odp_status odp_validator_merge(struct odp_validator *v, struct odp_batch *b) ODP_MUST_USE;
/* After the last batch: references to the resource itself, foreign-key-unchecked, no rows. */
enum odp_status odp_validator_finish(struct odp_validator *v, struct odp_diags *diags) ODP_MUST_USE;

/* Checks all rules of the catalogue without data (ODP-C09): OK or BAD. */
enum odp_status odp_validate_rules(const struct odp_catalog *c, struct odp_diags *diags) ODP_MUST_USE;

uint64_t odp_validator_rows(const struct odp_validator *v);
/* The newest canonical value of odp:lastUpdate's field so far, or an empty slice. Borrowed. */
struct odp_slice odp_validator_last_update(const struct odp_validator *v);

#endif
