#include "check/keys/keytable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/status.h"

enum { FIRST_SLOTS = 8 };

/* The slot of the key, or the free one where it would go. There is always one. */
static struct odp_key_entry *locate(const struct keytable *t, uint64_t hi, uint32_t lo)
{
    size_t i = keytable_slot(hi, t->slots);
    while (t->entries[i].line != 0 && (t->entries[i].hi != hi || t->entries[i].lo != lo))
        i = i + 1 < t->slots ? i + 1 : 0;
    return &t->entries[i];
}

static void give_back(struct keytable *t)
{
    if (t->lent) /* zeros again, and the memory is free */
        (void)madvise(t->entries, t->slots * sizeof *t->entries, MADV_DONTNEED);
    else
        free(t->entries);
}

static void move(struct keytable *t, struct odp_key_entry *room, size_t slots, bool lent)
{
    struct keytable old = *t;
    t->entries = room;
    t->slots = slots;
    t->lent = lent;
    for (size_t i = 0; i < old.slots; i++)
        if (old.entries[i].line != 0)
            *locate(t, old.entries[i].hi, old.entries[i].lo) = old.entries[i];
    give_back(&old);
}

void keytable_borrow(struct keytable *t, struct odp_key_entry *room, size_t slots)
{
    move(t, room, slots, true);
}

static bool grow(struct keytable *t)
{
    size_t slots = t->slots == 0 ? FIRST_SLOTS : 2 * t->slots;
    struct odp_key_entry *entries = calloc(slots, sizeof *entries);
    if (entries == NULL) {
        (void)odp_failure_memory();
        return false;
    }
    move(t, entries, slots, false);
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
    if (keytable_is_full(t) && !grow(t))
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
    give_back(t);
    *t = (struct keytable){0};
}
