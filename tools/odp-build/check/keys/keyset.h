/* A set of keys in compact form: 95 bits of XXH3-128 of the canonical tuple and the line where it was first
 * seen, 16 bytes an entry. For 50,000,000 keys the chance that two different ones collide is under 10^-13.
 *
 * A set is 64 tables by the first bits of the hash, each with a lock: workers fill one set together
 * (odp_keyset_take), and what is first is decided by the line, not by who comes first. Sets that share a
 * bound and outgrow it go on in a scratch file (keylog.h); what occurs twice is then known when
 * odp_keyset_settle has looked at table by table. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/slice.h"
#include "base/status.h"
#include "check/keys/key_hash.h"

/* Bytes that the sets of a run may take in memory together. */
struct odp_key_bound {
    size_t limit;
    atomic_size_t used;
};

struct odp_keyset;
enum odp_status odp_keyset_new(struct odp_keyset **out) ODP_MUST_USE;
void odp_keyset_free(struct odp_keyset *s);
/* Before it is filled: S counts against BOUND (borrowed) and spills where that is passed; NULL: it never
 * does. A set may always take a 64th of the bound: one that fills it does not send all others to the disk. */
void odp_keyset_share(struct odp_keyset *s, struct odp_key_bound *bound);
/* Some N keys will come, by any thread: room for many is made at once, in large pages, where the bound has
 * it. (A key of a million costs 25 ns in `check`, not 70.) */
void odp_keyset_expect(struct odp_keyset *s, uint64_t n);
/* OK: new. DONE: was there, *FIRST_LINE tells where (0: its line is not known). FAIL: no memory. LINE is
 * kept in 32 bits. Once it has spilled every key is OK. */
enum odp_status odp_keyset_add(struct odp_keyset *s, struct odp_key_hash h, uint64_t line,
                               uint64_t *first_line) ODP_MUST_USE;
/* The same for N keys of one batch, by any thread, in any order of batches; those with line 0 are left out,
 * the lines of the others rise and are below ODP_KEY_LINES. SEEN[i] becomes 1 if the set has the key from an
 * earlier line. A key from a later line is replaced, and that line is kept for odp_keyset_overtaken. ORDER:
 * room for N. */
enum odp_status odp_keyset_take(struct odp_keyset *s, const struct odp_key_entry *keys, uint32_t n,
                                uint32_t *order, uint8_t *seen) ODP_MUST_USE;
/* Keys that are known to differ, from each other and from all before, need no table: they are only kept, in
 * case one comes that is not, before which odp_keyset_spread puts them into the tables; until then nobody
 * asks for one. By one thread; those with line 0 are left out. DONE: listed, but the bound is passed. */
enum odp_status odp_keyset_list(struct odp_keyset *s, const struct odp_key_entry *keys,
                                uint32_t n) ODP_MUST_USE;
enum odp_status odp_keyset_spread(struct odp_keyset *s) ODP_MUST_USE;
/* Lines up to LAST whose keys gave way and that were not asked for yet; at most MAX of them. */
size_t odp_keyset_overtaken(struct odp_keyset *s, uint32_t last, uint32_t *lines, size_t max);
/* The line of H's first record, of all that were taken. 0: not known. */
uint64_t odp_keyset_line(struct odp_keyset *s, struct odp_key_hash h);

/* Empties; keeps the memory of a small set. */
void odp_keyset_clear(struct odp_keyset *s);
/* Not while it is filled. In a spilled set it reads from the file, where it was settled. */
bool odp_keyset_has(const struct odp_keyset *s, struct odp_key_hash h);
/* Whether a record up to LINE has H; while others fill it, too, who have taken all keys up to LINE. In a
 * spilled set: not before it is settled. */
bool odp_keyset_had(const struct odp_keyset *s, struct odp_key_hash h, uint64_t line);
/* Reading a scratch file failed. */
bool odp_keyset_failed(const struct odp_keyset *s);
/* The place of H to the cache; for sets that one thread fills. */
void odp_keyset_prefetch(const struct odp_keyset *s, struct odp_key_hash h);
uint64_t odp_keyset_size(const struct odp_keyset *s); /* in a spilled set: keys taken, before it is settled */

bool odp_keyset_spilled(const struct odp_keyset *s);
/* A spilled set, when all is taken: what came more than once goes to TWICE (made here; NULL where nothing
 * did). SEARCHED: it will be asked with odp_keyset_has. */
enum odp_status odp_keyset_settle(struct odp_keyset *s, bool searched,
                                  struct odp_keyset **twice) ODP_MUST_USE;
