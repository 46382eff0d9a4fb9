/* The key table: a sparse file, mapped and shared by nginx's workers, the service and the command line.
 *
 *   header (one page)   magic, layout version, capacity, and the settings below, guarded by a sequence counter
 *   index               2 x capacity slots of 32 bits, open addressing by the digest; 0 empty, else record number + 1
 *   records             128 bytes each, appended, never moved
 *
 * Invariants. One process inserts and changes records (the service, or a command that holds the store's lock); any process looks up
 * and counts. A record is written whole, its pages and its slot's page allocated (posix_fallocate: a full disk is an error here, not a
 * SIGBUS later), before its slot is published with release order. Nothing is ever removed from the index and the file is never
 * truncated or replaced in place: a table that cannot be trusted is built anew beside it and renamed over it, and readers that see
 * another inode map that one. Day and count share one 64-bit word (day << 40 | count) changed by compare-and-swap, so a count can
 * never belong to another day. Keys that follow each other by rotation share the first one's account.
 *
 * kill -9 at any instruction leaves a table that opens: a half-written record has no slot. After a loss of power records may be torn:
 * each carries a checksum of what does not change by itself, and the service compares the whole with its store when it starts. */
#ifndef ODP_GATEWAY_CORE_KEYTABLE_H
#define ODP_GATEWAY_CORE_KEYTABLE_H

#include <stdint.h>

#include "base/digest.h"
#include "base/slice.h"
#include "core/key.h"

#define ODP_KEYTABLE_CAPACITY 4000000u
#define ODP_TIERS_MAX 16
#define ODP_TIER_NAME 32

struct odp_tier_limits {
    char name[ODP_TIER_NAME]; /* "public" */
    int64_t daily;            /* requests a day; -1: unlimited */
    int64_t burst;            /* requests a second; 0: unlimited */
    int64_t concurrent;       /* queries at once; 0: unlimited */
};

/* What all processes must agree on; out of the site's gateway.json, written by the service. */
struct odp_settings {
    struct odp_tier_limits tiers[ODP_TIERS_MAX];
    uint32_t ntiers;
    int32_t zone_minutes;     /* east of UTC: where the day turns */
    char base_url[256];       /* ends in '/' */
};

enum odp_key_state { ODP_KEY_ACTIVE = 1, ODP_KEY_ROTATED, ODP_KEY_SUSPENDED, ODP_KEY_REVOKED };

struct odp_key_record {
    uint8_t digest[ODP_SHA256_SIZE];
    uint64_t id;              /* in the store; the same on every machine */
    uint64_t account;         /* id of the key whose counters count: its own, or that of the first before rotation */
    int64_t until;            /* Unix seconds: end of grace (rotated) or expiry (active); 0: never */
    uint8_t state;            /* enum odp_key_state */
    uint8_t tier;             /* index into settings.tiers */
    char shown[ODP_KEY_SHOWN + 1];
};

struct odp_keytable; /* one mapping; may be used by many threads */

/* Makes a new empty table at PATH (through a temporary file and rename; an existing one is replaced for those who open it next). */
enum odp_status odp_keytable_create(const char *path, uint32_t capacity, const struct odp_settings *settings) ODP_MUST_USE;
/* Maps it. BAD: not there or not a table of this layout; *WHY, if not NULL, gets a literal that says what is wrong. */
enum odp_status odp_keytable_open(struct odp_keytable **out, const char *path, const char **why) ODP_MUST_USE;
void odp_keytable_close(struct odp_keytable *t); /* NULL is allowed */
/* True when PATH is now another file than the one mapped (stat; about a microsecond). */
bool odp_keytable_replaced(const struct odp_keytable *t, const char *path);

/* Inserts, or changes the record of that digest (its counters stay). The account, unless it is the key's own, must be there.
 * Single writer. FAIL: full, no space on the disk. */
enum odp_status odp_keytable_put(struct odp_keytable *t, const struct odp_key_record *r) ODP_MUST_USE;
/* DONE: not there. */
enum odp_status odp_keytable_get(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE], struct odp_key_record *r) ODP_MUST_USE;
uint32_t odp_keytable_count(const struct odp_keytable *t);    /* records */
uint32_t odp_keytable_capacity(const struct odp_keytable *t);
/* Record number N < count. BAD: torn (its checksum is wrong). */
enum odp_status odp_keytable_at(const struct odp_keytable *t, uint32_t n, struct odp_key_record *r) ODP_MUST_USE;

/* Counters of record N's account: requests of DAY on this machine, and on all others together as far as they have told. */
uint64_t odp_keytable_used(const struct odp_keytable *t, uint32_t n, uint32_t day);
uint64_t odp_keytable_used_elsewhere(const struct odp_keytable *t, uint32_t n, uint32_t day);
/* Raises this machine's count to at least COUNT (after a rebuild), or sets what others have counted. */
void odp_keytable_raise(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count);
void odp_keytable_set_elsewhere(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count);
/* Number of the record with that digest, or -1. */
int64_t odp_keytable_find(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE]);

void odp_keytable_settings(const struct odp_keytable *t, struct odp_settings *out); /* a consistent copy */
void odp_keytable_set_settings(struct odp_keytable *t, const struct odp_settings *s); /* single writer */
enum odp_status odp_keytable_sync(struct odp_keytable *t) ODP_MUST_USE; /* msync what is in use */

/* Everything checked: header, that each record has its slot and each slot a record, checksums, accounts. WHY gets one line. */
enum odp_status odp_keytable_check(const struct odp_keytable *t, char why[160]) ODP_MUST_USE;

#endif
