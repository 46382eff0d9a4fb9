/* All key sets of a run, by resource; the references that wait for a set to be complete; and the codes that
 * proposals look among. */
#pragma once

#include "catalog/catalog.h"
#include "check/codebook.h"
#include "check/keys/keyset.h"

/* State of a resource's keys, for those that refer to it. Indexed by odp_resource.index in odp_keyring. */
enum odp_key_state { ODP_KEYS_ABSENT = 0 /* not read yet */, ODP_KEYS_READY, ODP_KEYS_REJECTED };

/* All key sets of a run: for every resource that is a target of a foreign key, one set for each distinct
 * tuple of target fields. Written by one validator at a time (merge), read by all once READY. */
struct odp_keyring;
enum odp_status odp_keyring_new(struct odp_keyring **out, const struct odp_catalog *c) ODP_MUST_USE;
void odp_keyring_free(struct odp_keyring *k);
/* Bytes that its sets, and those of the resources' own keys, may take in memory before they spill
 * (keyset.h): ODP_KEY_MEMORY by default. SIZE_MAX: they never spill. */
#define ODP_KEY_MEMORY ((size_t)1200 << 20)
void odp_keyring_bind(struct odp_keyring *k, size_t bytes);
/* ABSENT empties the sets of R: it will be read (again). */
void odp_keyring_set(struct odp_keyring *k, const struct odp_resource *r, enum odp_key_state state);
/* True: keys of R occur more than once, and its sets had spilled, so nobody could say where. R is to be read
 * again from its beginning, and what has been reported of it is to be forgotten: it will be said again. Once;
 * asked after odp_validator_finish. */
bool odp_keyring_reread(struct odp_keyring *k, const struct odp_resource *r);
enum odp_key_state odp_keyring_get(const struct odp_keyring *k, const struct odp_resource *r);
/* Adds one record of R from elsewhere (the published site): TEXT[i] is the canonical text of schema field i,
 * ptr NULL for null.
 */
enum odp_status odp_keyring_add(struct odp_keyring *k, const struct odp_resource *r,
                                const struct odp_slice *text) ODP_MUST_USE;

/* Whether the record TEXT (by schema index, ptr NULL for null) of KEY's own resource finds its key; true with
 * a null part, and when the target's keys are not READY. */
bool odp_keyring_resolves(const struct odp_keyring *k, const struct odp_foreign_key *key,
                          const struct odp_slice *text);

/* ---- for the rules and the proposals of check ---- */

/* One tuple of a resource that others refer to. */
struct odp_ring_set {
    struct odp_key key;
    struct odp_keyset *set;
};
/* The sets of R, *N of them. */
struct odp_ring_set *odp_keyring_sets(struct odp_keyring *k, const struct odp_resource *r, size_t *n);
/* The set that FK looks into. */
const struct odp_keyset *odp_keyring_target(const struct odp_keyring *k, const struct odp_foreign_key *fk);

/* What the sets of the run share, and those of a resource's own keys with them. */
struct odp_key_bound *odp_keyring_bound(struct odp_keyring *k);
/* The set of R's KEY had spilled and is settled: TWICE (NULL: none; taken) are the keys that occur more than
 * once. Which records those are only reading R again can tell (odp_keyring_reread); then ..._settled is true
 * of KEY, and *TWICE is what to look out for (borrowed). */
enum odp_status odp_keyring_settled_take(struct odp_keyring *k, const struct odp_resource *r,
                                         const struct odp_key *key, struct odp_keyset *twice) ODP_MUST_USE;
bool odp_keyring_settled(const struct odp_keyring *k, const struct odp_resource *r, const struct odp_key *key,
                         const struct odp_keyset **twice);
bool odp_keyring_rereads(const struct odp_keyring *k,
                         const struct odp_resource *r); /* it is being read again */
bool odp_keyring_repeats(const struct odp_keyring *k, const struct odp_resource *r); /* it will be */

/* Codes and labels of what single fields refer to, for proposals. LEARNS: R's records (texts by schema field,
 * ptr NULL for null) are wanted. */
bool odp_keyring_learns(const struct odp_keyring *k, const struct odp_resource *r);
enum odp_status odp_keyring_learn(struct odp_keyring *k, const struct odp_resource *r,
                                  const struct odp_slice *text) ODP_MUST_USE;
/* Of what FK refers to; NULL: none is kept. */
struct odp_codebook *odp_keyring_book(const struct odp_keyring *k, const struct odp_foreign_key *fk);
/* The code that took CODE's place, by any edition of the list that FK refers to; ptr NULL: none is known. */
struct odp_slice odp_keyring_successor(const struct odp_keyring *k, const struct odp_foreign_key *fk,
                                       struct odp_slice code);

/* A reference that cannot be looked up yet (to the resource itself, or round a cycle) waits for the target's
 * last record. */
struct odp_pending_place {
    struct odp_key_hash hash;
    struct odp_slice text;       /* the key as shown */
    const struct odp_diag *diag; /* place; copied */
};
enum odp_status odp_keyring_wait(struct odp_keyring *k, const struct odp_resource *from,
                                 const struct odp_foreign_key *fk,
                                 const struct odp_pending_place *place) ODP_MUST_USE;
/* R's keys are complete: reports what waited for them in vain; where keys were LOST, only notes that (K04).
 */
void odp_keyring_settle(struct odp_keyring *k, const struct odp_resource *r, bool lost,
                        struct odp_diags *diags);
