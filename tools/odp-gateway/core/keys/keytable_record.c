/* Look-up, reading of records, and counters: what any process does, without locks. */
#include <zlib.h>

#include "core/keys/keytable_internal.h"

uint32_t odp_keytable_count(const struct odp_keytable *t)
{
    return table_count(t);
}

/* ---- look-up ---- */

static bool same_digest(const struct table_record *r, const uint64_t d[4])
{
    return word_get(&r->digest[0]) == d[0] && word_get(&r->digest[1]) == d[1] &&
           word_get(&r->digest[2]) == d[2] && word_get(&r->digest[3]) == d[3];
}

int64_t odp_keytable_find(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE])
{
    uint64_t d[4], mask = t->nslots - 1;
    memcpy(d, digest, sizeof d);
    /* A digest is as even as a hash can be: its first bits are the slot. Half of the slots stay empty, so the
     * loop is short; its bound is for a file filled with other bytes. */
    for (uint64_t i = 0; i <= mask; i++) {
        uint32_t v = atomic_load_explicit(&t->slots[(d[0] + i) & mask], memory_order_acquire);
        if (v == 0)
            return -1;
        if (v > table_count(t))
            continue;
        if (same_digest(&t->records[v - 1], d))
            return (int64_t)v - 1;
    }
    return -1;
}

/* ---- records ---- */

uint64_t table_link(const struct table_fixed *f, uint32_t n)
{
    uint64_t words[8];
    memcpy(words, f->digest, sizeof f->digest);
    words[4] = f->id;
    words[5] = f->shown[0];
    words[6] = f->shown[1];
    words[7] = (uint64_t)f->account << 32 | n; /* the number, so that a page in the wrong place is noticed */
    return (uint64_t)crc32(0, (const Bytef *)words, sizeof words) << 32 | f->account;
}

static void read_once(const struct table_record *r, uint32_t n, struct table_fixed *f)
{
    uint64_t link = atomic_load_explicit(&r->link, memory_order_acquire);
    for (int i = 0; i < 4; i++)
        f->digest[i] = word_get(&r->digest[i]);
    f->id = word_get(&r->id);
    f->shown[0] = word_get(&r->shown[0]);
    f->shown[1] = word_get(&r->shown[1]);
    f->account = (uint32_t)link;
    f->whole = link == table_link(f, n);
}

/* A writer may be giving the record another id or shown text at this moment: then it is read again. */
void table_fixed_read(const struct odp_keytable *t, uint32_t n, struct table_fixed *f)
{
    for (int tries = 0; tries < 64; tries++) {
        read_once(&t->records[n], n, f);
        if (f->whole)
            return;
    }
}

enum odp_status odp_keytable_at(const struct odp_keytable *t, uint32_t n, struct odp_key_record *r)
{
    struct table_fixed f;
    memset(r, 0, sizeof *r);
    if (n >= table_count(t))
        return ODP_DONE;
    uint64_t status = atomic_load_explicit(&t->records[n].status, memory_order_acquire);
    table_fixed_read(t, n, &f);
    memcpy(r->digest, f.digest, sizeof r->digest);
    memcpy(r->shown, f.shown, ODP_KEY_SHOWN);
    r->id = f.id;
    r->until = status_until(status);
    r->state = status_state(status);
    r->tier = status_tier(status);
    if (!f.whole || !status_ok(status) || f.account >= table_count(t))
        return ODP_BAD;
    r->account = word_get(&t->records[f.account].id);
    return ODP_OK;
}

enum odp_status odp_keytable_get(const struct odp_keytable *t, const uint8_t digest[ODP_SHA256_SIZE],
                                 struct odp_key_record *r)
{
    int64_t n = odp_keytable_find(t, digest);
    return n < 0 ? ODP_DONE : odp_keytable_at(t, (uint32_t)n, r);
}

/* ---- counters ---- */

uint64_t odp_keytable_used(const struct odp_keytable *t, uint32_t n, uint32_t day)
{
    return n < table_count(t) ? count_of(word_get(&t->records[table_account(t, n)].used), day) : 0;
}

uint64_t odp_keytable_used_elsewhere(const struct odp_keytable *t, uint32_t n, uint32_t day)
{
    return n < table_count(t) ? count_of(word_get(&t->records[table_account(t, n)].elsewhere), day) : 0;
}

void odp_keytable_raise(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count)
{
    if (n >= table_count(t))
        return;
    table_word *used = &t->records[table_account(t, n)].used;
    uint64_t old = word_get(used), raised = count_pack(day, count);
    while (old < raised) /* day and count in one: a later day is more than any count of an earlier one */
        if (atomic_compare_exchange_weak_explicit(used, &old, raised, memory_order_relaxed,
                                                  memory_order_relaxed))
            return;
}

void odp_keytable_set_elsewhere(struct odp_keytable *t, uint32_t n, uint32_t day, uint64_t count)
{
    if (n >= table_count(t))
        return;
    table_word *elsewhere = &t->records[table_account(t, n)].elsewhere;
    uint64_t old = word_get(elsewhere);
    /* News of yesterday may come late, and must not wipe today's count. A day further off is a clock that was
     * wrong (quota.c has the same rule). */
    if (count_day(old) != day + 1)
        word_set(elsewhere, count_pack(day, count));
}
