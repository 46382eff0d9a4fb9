/* The key table: a sparse file, mapped and shared by nginx's workers, the service and the command line.
 *
 *   header (one page)   magic, layout version, capacity, and two copies of the settings below; a counter says
 *                       which one holds
 *   index               2 x capacity slots of 32 bits, rounded up to a power of two; open addressing by the
 *                       digest; 0 empty,
 *                       else record number + 1
 *   records             128 bytes each, appended, never moved
 *
 * Invariants. One process inserts and changes records (the service, or a command that holds the store's
 * lock); any process looks up and counts. A record is written whole, its pages allocated (posix_fallocate: a
 * full disk is an error here, not a SIGBUS later; the index is allocated when the table is made), before its
 * slot is published with release order. Nothing is ever removed from the index and the file is never
 * truncated or replaced in place: a table that cannot be trusted is built anew next to it and renamed over
 * it, and readers that see another inode map that one. Day and count share one 64-bit word (day << 40 |
 * count) changed by compare-and-swap, so a count can never belong to another day. Keys that follow each other
 * by rotation share the first one's account.
 *
 * Settings are two copies with a checksum each, and a counter whose lowest bit says which one holds: a writer
 * that dies in the middle leaves the old ones, where a sequence lock would leave readers waiting for ever.
 * The index is laid out for the full capacity from the beginning: with few keys that costs cache misses, and
 * saves ever having to move anything under readers.
 *
 * kill -9 at any instruction leaves a table that opens and that check calls right: a half-written record is
 * not counted and has no slot. A record is counted just before its slot is published, so the last one may
 * lack its slot; the next writer's first put gives it one. After a loss of power records may be torn: each
 * carries a checksum of its fixed part, a record's state, tier and end are one word that checks itself (a
 * torn record lets nobody in), and the service compares the whole with its store when it starts. */
#pragma once

#include <stdint.h>

#include "base/digest.h"
#include "base/slice.h"
#include "core/keys/key.h"

#define ODP_KEYTABLE_CAPACITY 4000000u
#define ODP_TIERS_MAX         16
#define ODP_TIER_NAME         32

struct odp_tier_limits {
    char name[ODP_TIER_NAME]; /* "public" */
    int64_t daily;            /* requests a day; -1: unlimited */
    int64_t burst;            /* requests a second; 0: unlimited */
    int64_t concurrent;       /* queries at once; 0: unlimited */
};

/* The settings that all processes share; from the site's gateway.json, written by the service. */
struct odp_settings {
    struct odp_tier_limits tiers[ODP_TIERS_MAX];
    uint32_t ntiers;
    int32_t zone_minutes; /* east of UTC: where the day turns */
    char base_url[256];   /* ends in '/' */
};

enum odp_key_state { ODP_KEY_ACTIVE = 1, ODP_KEY_ROTATED, ODP_KEY_SUSPENDED, ODP_KEY_REVOKED };

struct odp_key_record {
    uint8_t digest[ODP_SHA256_SIZE];
    uint64_t id;      /* in the store; the same on every machine */
    uint64_t account; /* id of the key whose counters count: its own, or that of the first before rotation */
    int64_t until; /* Unix seconds: end of grace (rotated; 0: none) or expiry (active; 0: never); up to 2^40 -
                      1 */
    uint8_t state; /* enum odp_key_state */
    uint8_t tier;  /* index into settings.tiers */
    char shown[ODP_KEY_SHOWN + 1];
};

struct odp_keytable; /* one mapping; may be used by many threads */

/* Makes a new empty table at PATH (through PATH.new and rename; an existing one is replaced for those that
 * open it next), mode 0600. SETTINGS NULL: no tiers, nothing passes. */
enum odp_status odp_keytable_create(const char *path, uint32_t capacity,
                                    const struct odp_settings *settings) ODP_MUST_USE;
/* Maps it. BAD: not there or not a table of this layout; *WHY, if not NULL, gets a literal that says what is
 * wrong. */
enum odp_status odp_keytable_open(struct odp_keytable **out, const char *path, const char **why) ODP_MUST_USE;
void odp_keytable_close(struct odp_keytable *t); /* NULL is allowed */
/* True when PATH is now another file than the one mapped (stat; about a microsecond). False when there is
 * none. */
bool odp_keytable_replaced(const struct odp_keytable *t, const char *path);
/* True while PATH is the mapped file with its length: it was not taken away, exchanged or cut it. Where PATH
 * cannot be looked at, nothing is known against it. */
bool odp_keytable_is_current(const struct odp_keytable *t, const char *path);
/* True when the mapped file was cut, wherever it is now: reading the rest would be a SIGBUS. */
bool odp_keytable_cut(const struct odp_keytable *t);

/* Inserts, or changes the record of that digest (its counters stay; readers see state, tier and end change at
 * once). The account, unless it is the key's own, must be there. One process at a time, any of its threads.
 * FAIL: full, no space on the disk, no such account, an unknown state or tier; the table is then as it was.
 */
enum odp_status odp_keytable_put(struct odp_keytable *t, const struct odp_key_record *r) ODP_MUST_USE;
/* Makes sure that the N records of LIST can be put, in their order, without anything that could still fail:
 * room on the disk and in memory, accounts that are there or in the list. FAIL: the table is as it was. */
enum odp_status odp_keytable_reserve(struct odp_keytable *t, const struct odp_key_record *list,
                                     size_t n) ODP_MUST_USE;
/* DONE: not there. BAD: torn. */
enum odp_status odp_keytable_get(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE],
                                 struct odp_key_record *r) ODP_MUST_USE;
uint32_t odp_keytable_count(const struct odp_keytable *t); /* records */
uint32_t odp_keytable_capacity(const struct odp_keytable *t);
/* Record number N. DONE: N is not below count. BAD: torn (a checksum is wrong); R then has what can be read.
 */
enum odp_status odp_keytable_at(const struct odp_keytable *t, uint32_t n,
                                struct odp_key_record *r) ODP_MUST_USE;

/* Counters of record N's account: requests of DAY on this machine, and on all others together as far as they
 * have reported. */
uint64_t odp_keytable_used(const struct odp_keytable *t, uint32_t n, uint32_t day);
uint64_t odp_keytable_used_elsewhere(const struct odp_keytable *t, uint32_t n, uint32_t day);
/* Raises this machine's count to at least COUNT (after a rebuild), or sets what others have counted. A count
 * of a past day is ignored: where the word is of a later day, or, for others' counts, of the next one. */
void odp_keytable_raise(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count);
void odp_keytable_set_elsewhere(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count);
/* Number of the record with that digest, or -1. */
int64_t odp_keytable_find(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE]);

void odp_keytable_settings(const struct odp_keytable *t, struct odp_settings *out);   /* a consistent copy */
void odp_keytable_set_settings(struct odp_keytable *t, const struct odp_settings *s); /* single writer */
/* Writes the used part to the disk, and waits for it. */
enum odp_status odp_keytable_sync(struct odp_keytable *t) ODP_MUST_USE;

/* Everything checked: that each record has its slot and each slot a record, checksums, accounts (the header
 * was, by open). WHY gets one line. May run while others insert and count. */
enum odp_status odp_keytable_check(const struct odp_keytable *t, char why[160]) ODP_MUST_USE;
