#include "check/keys/keytable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_BUCKETS 8u
#define SMALL         4096u /* buckets, 64 KiB: below, a table doubles */
#define ROOM_BEHIND   8u   /* slots behind the last bucket, and a 64th of them */

static bool is_full(size_t size, size_t buckets)
{
    return size >= buckets / 5 * 4;
}

/* All entries to the end of SLOTS, in order; where the first of them is then. Without a branch for what cannot be foreseen. */
static size_t gather(struct odp_key_entry *entries, size_t old_slots, size_t slots)
{
    size_t to = slots;
    for (size_t i = old_slots; i-- > 0;) {
        const struct odp_key_entry e = entries[i];
        if (to > 0) /* always: there are never more entries than slots */
            entries[to - 1] = e;
        to -= e.line != 0;
    }
    return to;
}

/* Puts the entries, which stand in order from FROM on, to their places. False: there is no room at the end for what is pushed on; all of them are in
 * the table then, in order. */
static bool spread(struct odp_key_entry *entries, size_t slots, size_t buckets, size_t from)
{
    size_t at = 0; /* the first slot that is not settled */
    memset(entries, 0, from * sizeof *entries);
    for (size_t i = from; i < slots; i++) {
        const struct odp_key_entry e = entries[i];
        size_t place = keytable_place(e.hi, buckets);
        place = place > at ? place : at;
        if (place > i || place + 1 >= slots) /* else nothing is overwritten before it is read */
            return false;
        entries[i] = (struct odp_key_entry){0};
        entries[place] = e;
        at = place + 1;
    }
    return true;
}

/* That many buckets, and at least so much room behind them. False: no memory. */
static bool resize(struct keytable *t, size_t buckets, size_t behind)
{
    for (;; behind *= 2) {
        size_t slots = buckets + behind;
        if (buckets >= UINT32_MAX || slots >= UINT32_MAX) {
            (void)odp_failure_set("allocate memory", NULL, ENOMEM);
            return false;
        }
        struct odp_key_entry *entries = odp_realloc_array(t->entries, slots, sizeof *entries);
        if (entries == NULL)
            return false;
        size_t from = gather(entries, t->slots, slots);
        t->entries = entries;
        t->slots = slots;
        t->buckets = buckets;
        if (spread(entries, slots, buckets, from))
            return true;
    }
}

bool keytable_reserve(struct keytable *t, size_t n)
{
    size_t buckets = n + n / 4 + FIRST_BUCKETS;
    return resize(t, buckets, ROOM_BEHIND + buckets / 64);
}

/* More buckets where it is full; else it was the room behind them that was too small, which hashes made on purpose could do. */
static bool grow(struct keytable *t)
{
    size_t behind = t->slots - t->buckets, buckets = t->buckets;
    if (t->slots == 0 || t->size >= buckets / 2) {
        buckets = buckets == 0 ? FIRST_BUCKETS : buckets < SMALL ? 2 * buckets : buckets + buckets / 4;
        behind = behind > ROOM_BEHIND + buckets / 64 ? behind : ROOM_BEHIND + buckets / 64;
    } else {
        behind *= 2;
    }
    return resize(t, buckets, behind);
}

/* The slot of H, or the one where it would go. */
static size_t locate(const struct keytable *t, uint64_t hi, uint32_t lo)
{
    size_t i = keytable_place(hi, t->buckets);
    while (t->entries[i].line != 0 && (t->entries[i].hi < hi || (t->entries[i].hi == hi && t->entries[i].lo < lo)))
        i++;
    return i;
}

static bool is_at(const struct keytable *t, size_t i, uint64_t hi, uint32_t lo)
{
    return t->entries[i].line != 0 && t->entries[i].hi == hi && t->entries[i].lo == lo;
}

struct odp_key_entry *keytable_find(const struct keytable *t, struct odp_key_hash h)
{
    if (t->size == 0)
        return NULL;
    size_t i = locate(t, h.hi, h.lo);
    return is_at(t, i, h.hi, h.lo) ? &t->entries[i] : NULL;
}

struct odp_key_entry *keytable_put(struct keytable *t, const struct odp_key_entry *key, bool *new)
{
    *new = false;
    if (is_full(t->size, t->buckets) && !grow(t))
        return NULL;
    for (;;) {
        size_t i = locate(t, key->hi, key->lo), free_one = i;
        if (is_at(t, i, key->hi, key->lo))
            return &t->entries[i];
        while (t->entries[free_one].line != 0)
            free_one++;
        if (free_one + 1 < t->slots) {
            memmove(&t->entries[i + 1], &t->entries[i], (free_one - i) * sizeof *t->entries);
            t->entries[i] = *key;
            t->size++;
            *new = true;
            return &t->entries[i];
        }
        if (!grow(t))
            return NULL;
    }
}

void keytable_clear(struct keytable *t)
{
    if (t->slots > 0)
        memset(t->entries, 0, t->slots * sizeof *t->entries);
    t->size = 0;
}

void keytable_release(struct keytable *t)
{
    free(t->entries);
    *t = (struct keytable){0};
}
