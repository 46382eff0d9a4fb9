/* Inside of core: the key table. The bytes of the file (see keytable.h for the invariants), and what look-up
 * and counting share.
 *
 * Everything is in the machine's own byte order: the file never leaves its machine. All that may change under
 * a reader is an atomic word; the mapping's bounds are copied when it is opened, so that bytes changed by
 * somebody else cannot lead out of it.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "core/keys/keytable.h"

#define TABLE_MAGIC        UINT64_C(0x3162617479656b6f) /* "okeytab1" where the least byte comes first */
#define TABLE_LAYOUT       2u
#define TABLE_PAGE         4096u
#define TABLE_CAPACITY_MAX (UINT32_C(1) << 28)
#define COUNT_BITS         40
#define COUNT_MASK         ((UINT64_C(1) << COUNT_BITS) - 1)
#define SETTINGS_WORDS     (sizeof(struct odp_settings) / sizeof(uint64_t))

typedef _Atomic uint64_t table_word;

struct table_settings {
    table_word words[SETTINGS_WORDS];
    table_word check; /* CRC-32 of the words */
};

struct table_header {
    uint64_t magic;
    uint32_t layout;
    uint32_t capacity; /* records */
    uint64_t slots;    /* a power of two */
    uint64_t size;     /* of the file */
    uint64_t check;    /* CRC-32 of the members above */
    uint64_t pad[3];
    _Atomic uint32_t count; /* records in use */
    _Atomic uint32_t turn;  /* its lowest bit says which copy of the settings holds */
    uint64_t pad2[7];
    struct table_settings settings[2];
};

struct table_record {
    table_word digest[4];
    table_word status; /* check:8, state:8, tier:8, until:40; see status_pack */
    table_word id;
    table_word link; /* account's record number:32, checksum:32 */
    table_word spare;
    table_word shown[2];  /* the second cache line: what counting touches */
    table_word used;      /* day << 40 | count: this machine */
    table_word elsewhere; /* day << 40 | count: all others together */
    table_word burst;     /* nanoseconds since 1970 at which the bucket is full again */
    table_word spare2[3];
};
_Static_assert(sizeof(table_word) == 8 && ATOMIC_LLONG_LOCK_FREE == 2, "words are shared between processes");
_Static_assert(sizeof(struct table_record) == 128, "a record is two cache lines");
_Static_assert(sizeof(struct table_header) <= TABLE_PAGE, "the header is one page");
_Static_assert(sizeof(struct odp_settings) % sizeof(uint64_t) == 0, "settings are copied by words");

struct odp_keytable {
    struct table_header *header; /* the mapping */
    _Atomic uint32_t *slots;
    struct table_record *records;
    uint64_t nslots, size;
    uint32_t capacity;
    int fd;
    dev_t dev;
    ino_t ino;
    pthread_mutex_t lock; /* of what follows: insertion and settings, by several threads of the one writer */
    uint64_t allocated;   /* the file is on the disk up to here, as far as this process knows */
    bool mended;          /* the last record was looked at (keytable_put.c) */
    uint32_t *by_id;      /* open addressing by id, record number + 1; NULL until an account is needed */
    uint64_t nby_id, by_id_used; /* its size; entries in it */
};

/* The fixed part of a record, read. */
struct table_fixed {
    uint64_t digest[4];
    uint64_t id;
    uint64_t shown[2];
    uint32_t account;
    bool whole; /* its checksum is right */
};
void table_fixed_read(const struct odp_keytable *t, uint32_t n, struct table_fixed *f);
/* The word that says account and checksum. */
uint64_t table_link(const struct table_fixed *f, uint32_t n);

/* Frees what only a writer has. */
void table_writer_release(struct odp_keytable *t);

static inline uint64_t table_records_offset(uint64_t slots)
{
    return TABLE_PAGE + slots * sizeof(uint32_t);
}

static inline uint64_t word_get(const table_word *w)
{
    return atomic_load_explicit(w, memory_order_relaxed);
}

static inline void word_set(table_word *w, uint64_t v)
{
    atomic_store_explicit(w, v, memory_order_relaxed);
}

static inline uint32_t table_count(const struct odp_keytable *t)
{
    uint32_t n = atomic_load_explicit(&t->header->count, memory_order_acquire);
    return n < t->capacity ? n : t->capacity;
}

/* The record whose counters count for record N; N's own where the file is torn. */
static inline uint32_t table_account(const struct odp_keytable *t, uint32_t n)
{
    uint32_t account = (uint32_t)word_get(&t->records[n].link);
    return account < table_count(t) ? account : n;
}

/* State, tier and end are one word, so that no reader can see the new tier of a key with its old state, or
 * the reverse. Its lowest byte checks the others: a word that was never written, or torn, is no state at all.
 */
#define STATUS_UNTIL_MAX ((INT64_C(1) << 40) - 1) /* the year 36812 */

static inline uint8_t status_check(uint64_t w)
{
    return (uint8_t)(((w >> 8) * UINT64_C(0x9E3779B97F4A7C15)) >> 56 ^ 0x5A);
}

static inline uint64_t status_pack(uint8_t state, uint8_t tier, int64_t until)
{
    int64_t end = until;
    if (until < 0)
        end = 1;
    else if (until > STATUS_UNTIL_MAX)
        end = STATUS_UNTIL_MAX;
    uint64_t w = (uint64_t)end << 24 | (uint64_t)tier << 16 | (uint64_t)state << 8;
    return w | status_check(w);
}

static inline bool status_ok(uint64_t w)
{
    uint8_t state = (uint8_t)(w >> 8);
    return (uint8_t)w == status_check(w) && state >= ODP_KEY_ACTIVE && state <= ODP_KEY_REVOKED;
}

static inline uint8_t status_state(uint64_t w)
{
    return (uint8_t)(w >> 8);
}

static inline uint8_t status_tier(uint64_t w)
{
    return (uint8_t)(w >> 16);
}

static inline int64_t status_until(uint64_t w)
{
    return (int64_t)(w >> 24);
}

static inline uint64_t count_pack(uint32_t day, uint64_t count)
{
    return (uint64_t)(day & 0xFFFFFF) << COUNT_BITS | (count < COUNT_MASK ? count : COUNT_MASK);
}

static inline uint32_t count_day(uint64_t word)
{
    return (uint32_t)(word >> COUNT_BITS);
}

static inline uint64_t count_of(uint64_t word, uint32_t day)
{
    return count_day(word) == day ? word & COUNT_MASK : 0;
}
