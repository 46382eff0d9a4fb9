#include "check/keys/keytable.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FIRST_SLOTS = 8 };

/* The slot of the key, or the free one where it would go. There is always one. */
static struct odp_key_entry *locate(const struct keytable *t, uint64_t hi, uint32_t lo)
{
    size_t i = keytable_slot(hi, t->slots);
    while (t->entries[i].line != 0 && (t->entries[i].hi != hi || t->entries[i].lo != lo))
        i = (i + 1) & (t->slots - 1);
    return &t->entries[i];
}

/* Twice the slots, in place: realloc moves no page that is there already, where a new table would have all of
 * its pages faulted in anew, and the other threads stopped each time the old one is given back.
 *
 * Each entry's new place is its old one or SLOTS further on. Taken in their order from a free slot on, all
 * that are before an entry in its run have been placed anew when its turn comes, so what it is put behind
 * stays there. */
static bool grow(struct keytable *t)
{
    size_t old = t->slots, free_one = 0, slots = old == 0 ? FIRST_SLOTS : 2 * old;
    struct odp_key_entry *entries = odp_realloc_array(t->entries, slots, sizeof *entries);
    if (entries == NULL)
        return false;
    memset(entries + old, 0, (slots - old) * sizeof *entries);
    t->entries = entries;
    t->slots = slots;
    while (free_one < old && entries[free_one].line != 0)
        free_one++;
    for (size_t i = 1; i < old; i++) {
        struct odp_key_entry *at = &entries[(free_one + i) & (old - 1)], entry = *at;
        if (entry.line != 0) {
            *at = (struct odp_key_entry){0};
            *locate(t, entry.hi, entry.lo) = entry;
        }
    }
    return true;
}

struct odp_key_entry *keytable_find(const struct keytable *t, struct odp_key_hash h)
{
    struct odp_key_entry *e = t->size > 0 ? locate(t, h.hi, h.lo) : NULL;
    return e != NULL && e->line != 0 ? e : NULL;
}

struct odp_key_entry *keytable_put(struct keytable *t, const struct odp_key_entry *key, bool *new)
{
    *new = false;
    if (4 * (t->size + 1) > 3 * t->slots && !grow(t))
        return NULL;
    struct odp_key_entry *e = locate(t, key->hi, key->lo);
    if (e->line != 0)
        return e;
    *e = *key;
    t->size++;
    *new = true;
    return e;
}

static int by_hash(const void *a, const void *b)
{
    const struct odp_key_entry *x = a, *y = b;
    if (x->hi != y->hi)
        return x->hi < y->hi ? -1 : 1;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

size_t keytable_sort(struct keytable *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->slots; i++)
        if (t->entries[i].line != 0)
            t->entries[n++] = t->entries[i];
    if (n > 1)
        qsort(t->entries, n, sizeof *t->entries, by_hash);
    return n;
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
