#include "check/keys/keytable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { FIRST_SLOTS = 8 };

/* The slot of the key, or the free one where it would go. There is always one. */
static struct odp_key_entry *locate(struct odp_key_entry *entries, size_t slots, uint64_t hi, uint32_t lo)
{
    size_t i = keytable_slot(hi, slots);
    while (entries[i].line != 0 && (entries[i].hi != hi || entries[i].lo != lo))
        i = i + 1 < slots ? i + 1 : 0;
    return &entries[i];
}

static bool grow(struct keytable *t)
{
    size_t slots = t->slots == 0 ? FIRST_SLOTS : t->slots + t->slots / 2;
    struct odp_key_entry *entries = slots < UINT32_MAX ? calloc(slots, sizeof *entries) : NULL;
    if (entries == NULL) {
        (void)odp_failure_set("allocate memory", NULL, ENOMEM);
        return false;
    }
    for (size_t i = 0; i < t->slots; i++)
        if (t->entries[i].line != 0)
            *locate(entries, slots, t->entries[i].hi, t->entries[i].lo) = t->entries[i];
    free(t->entries);
    t->entries = entries;
    t->slots = slots;
    return true;
}

struct odp_key_entry *keytable_find(const struct keytable *t, struct odp_key_hash h)
{
    struct odp_key_entry *e = t->size > 0 ? locate(t->entries, t->slots, h.hi, h.lo) : NULL;
    return e != NULL && e->line != 0 ? e : NULL;
}

struct odp_key_entry *keytable_put(struct keytable *t, const struct odp_key_entry *key, bool *new)
{
    *new = false;
    if (4 * (t->size + 1) > 3 * t->slots && !grow(t))
        return NULL;
    struct odp_key_entry *e = locate(t->entries, t->slots, key->hi, key->lo);
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
