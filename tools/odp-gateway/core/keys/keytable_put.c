/* Insertion and change: one process at a time.
 *
 * A new record is written whole, then `count` is raised, then its slot is published. A writer that is killed
 * before `count` leaves nothing; one killed between the two leaves a last record that no slot leads to, which
 * the next writer's first put mends. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "core/keys/keytable_internal.h"

enum { CHUNK = 16384 }; /* of the file, allocated at once: 128 records */

static enum odp_status fail(const char *what, int error)
{
    return odp_failure_set(what, "the key table", error);
}

void table_writer_release(struct odp_keytable *t)
{
    free(t->by_id);
    t->by_id = NULL;
}

/* The disk has room for record N, now and for ever: storing there cannot fail. (Where a file system has no
 * such call, the C library reads and writes each block's last byte; that is in no counter.) */
static enum odp_status allocate(struct odp_keytable *t, uint32_t n)
{
    uint64_t end = table_records_offset(t->nslots) + ((uint64_t)n + 1) * sizeof(struct table_record);
    if (end <= t->allocated)
        return ODP_OK;
    uint64_t from = (end - 1) / CHUNK * CHUNK, to = from + CHUNK <= t->size ? from + CHUNK : t->size;
    int error;
    do
        error = posix_fallocate(t->fd, (off_t)from, (off_t)(to - from));
    while (error == EINTR);
    if (error != 0)
        return fail("make room in", error);
    t->allocated = to;
    return ODP_OK;
}

/* Makes slot and record visible. */
static enum odp_status publish(struct odp_keytable *t, uint32_t n, uint64_t first)
{
    uint64_t mask = t->nslots - 1;
    for (uint64_t i = 0; i <= mask; i++) {
        _Atomic uint32_t *slot = &t->slots[(first + i) & mask];
        if (atomic_load_explicit(slot, memory_order_relaxed) != 0)
            continue;
        if (n == table_count(t))
            atomic_store_explicit(&t->header->count, n + 1, memory_order_release);
        atomic_store_explicit(slot, n + 1, memory_order_release);
        return ODP_OK;
    }
    return fail("find a free slot in", ENOSPC); /* the index holds other bytes */
}

/* The first put of a process: see the top. */
static enum odp_status mend_last(struct odp_keytable *t)
{
    struct table_fixed f;
    uint8_t digest[ODP_SHA256_SIZE];
    uint32_t count = table_count(t);
    if (t->mended || count == 0)
        return ODP_OK;
    table_fixed_read(t, count - 1, &f);
    memcpy(digest, f.digest, sizeof digest);
    if (f.whole && odp_keytable_find(t, digest) < 0 && publish(t, count - 1, f.digest[0]) != ODP_OK)
        return ODP_FAIL;
    t->mended = true;
    return ODP_OK;
}

/* ---- accounts ---- */

static void by_id_add(struct odp_keytable *t, uint64_t id, uint32_t n)
{
    uint64_t i = id * UINT64_C(0x9E3779B97F4A7C15) >> 16;
    while (t->by_id[i & (t->nby_id - 1)] != 0)
        i++;
    t->by_id[i & (t->nby_id - 1)] = n + 1;
    t->by_id_used++;
}

/* Room for MORE records, half of it empty. Made when an account is first needed, from then on kept up to
 * date: a table with many rotated keys is built in linear time, and one without them pays nothing. */
static enum odp_status by_id_grow(struct odp_keytable *t, size_t more_records)
{
    uint32_t count = table_count(t);
    uint64_t size = 1024;
    if (t->by_id != NULL && 2 * (t->by_id_used + more_records) <= t->nby_id)
        return ODP_OK;
    while (size < 4 * ((uint64_t)count + more_records))
        size *= 2;
    uint32_t *more = calloc(size, sizeof *more);
    if (more == NULL)
        return fail("allocate memory for", ENOMEM);
    free(t->by_id);
    t->by_id = more;
    t->nby_id = size;
    t->by_id_used = 0;
    for (uint32_t n = 0; n < count; n++)
        by_id_add(t, word_get(&t->records[n].id), n);
    return ODP_OK;
}

static int64_t by_id_find(const struct odp_keytable *t, uint64_t id)
{
    for (uint64_t i = id * UINT64_C(0x9E3779B97F4A7C15) >> 16;; i++) {
        uint32_t v = t->by_id[i & (t->nby_id - 1)];
        if (v == 0)
            return -1;
        if (word_get(&t->records[v - 1].id) == id)
            return (int64_t)v - 1;
    }
}

/* The number of the record that counts for R, which is or will be number N. */
static enum odp_status account_of(struct odp_keytable *t, const struct odp_key_record *r, uint32_t n,
                                  uint32_t *account)
{
    *account = n;
    if (r->account == r->id)
        return ODP_OK;
    if (by_id_grow(t, 1) != ODP_OK)
        return ODP_FAIL;
    int64_t found = by_id_find(t, r->account);
    if (found < 0)
        return fail("find the account of a key in", ENOENT);
    *account = (uint32_t)found;
    return ODP_OK;
}

/* ---- put ---- */

static void fixed_of(const struct odp_key_record *r, uint32_t account, struct table_fixed *f)
{
    memset(f, 0, sizeof *f);
    memcpy(f->digest, r->digest, sizeof f->digest);
    memcpy(f->shown, r->shown, strnlen(r->shown, ODP_KEY_SHOWN));
    f->id = r->id;
    f->account = account;
}

static enum odp_status insert(struct odp_keytable *t, const struct odp_key_record *r)
{
    struct table_fixed f;
    uint32_t n = table_count(t), account;
    if (n >= t->capacity)
        return fail("add a key: no room in", ENOSPC);
    if (account_of(t, r, n, &account) != ODP_OK || (t->by_id != NULL && by_id_grow(t, 1) != ODP_OK) ||
        allocate(t, n) != ODP_OK)
        return ODP_FAIL;
    struct table_record *to = &t->records[n];
    fixed_of(r, account, &f);
    for (int i = 0; i < 4; i++)
        word_set(&to->digest[i], f.digest[i]);
    word_set(&to->id, f.id);
    word_set(&to->shown[0], f.shown[0]);
    word_set(&to->shown[1], f.shown[1]);
    word_set(&to->used, 0); /* what a killed writer, or lost power, may have left here */
    word_set(&to->elsewhere, 0);
    word_set(&to->burst, 0);
    word_set(&to->status, status_pack(r->state, r->tier, r->until));
    word_set(&to->link, table_link(&f, n));
    if (publish(t, n, f.digest[0]) != ODP_OK)
        return ODP_FAIL;
    if (t->by_id != NULL)
        by_id_add(t, f.id, n);
    return ODP_OK;
}

/* Id and shown text are those of the first put, unless a torn record is being mended; then readers that check
 * the sum read again. */
static enum odp_status change(struct odp_keytable *t, const struct odp_key_record *r, uint32_t n)
{
    struct table_fixed old, f;
    struct table_record *to = &t->records[n];
    uint32_t account;
    if (account_of(t, r, n, &account) != ODP_OK || (t->by_id != NULL && by_id_grow(t, 1) != ODP_OK))
        return ODP_FAIL;
    table_fixed_read(t, n, &old);
    fixed_of(r, account, &f);
    if (old.id != f.id || memcmp(old.shown, f.shown, sizeof f.shown) != 0) {
        word_set(&to->shown[0], f.shown[0]);
        word_set(&to->shown[1], f.shown[1]);
        word_set(&to->id, f.id);
        if (t->by_id != NULL)
            by_id_add(t, f.id, n);
    }
    atomic_store_explicit(&to->link, table_link(&f, n), memory_order_release);
    atomic_store_explicit(&to->status, status_pack(r->state, r->tier, r->until), memory_order_release);
    return ODP_OK;
}

enum odp_status odp_keytable_put(struct odp_keytable *t, const struct odp_key_record *r)
{
    if (r->state < ODP_KEY_ACTIVE || r->state > ODP_KEY_REVOKED || r->tier >= ODP_TIERS_MAX)
        return fail("put a key of no known state or tier into", EINVAL);
    pthread_mutex_lock(&t->lock);
    enum odp_status status = mend_last(t);
    if (status == ODP_OK) {
        int64_t n = odp_keytable_find(t, r->digest);
        status = n < 0 ? insert(t, r) : change(t, r, (uint32_t)n);
    }
    pthread_mutex_unlock(&t->lock);
    return status;
}

static bool in_list(const struct odp_key_record *list, size_t n, uint64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id)
            return true;
    return false;
}

static enum odp_status reserve(struct odp_keytable *t, const struct odp_key_record *list, size_t n)
{
    uint32_t next = table_count(t), account;
    for (size_t i = 0; i < n; i++) {
        const struct odp_key_record *r = &list[i];
        if (r->account != r->id && by_id_grow(t, n) != ODP_OK)
            return ODP_FAIL;
        if (r->account != r->id && !in_list(list, i, r->account) && account_of(t, r, 0, &account) != ODP_OK)
            return ODP_FAIL;
        if (odp_keytable_find(t, r->digest) >= 0)
            continue;
        if (next >= t->capacity)
            return fail("add a key: no room in", ENOSPC);
        if (allocate(t, next++) != ODP_OK)
            return ODP_FAIL;
    }
    return t->by_id != NULL ? by_id_grow(t, n) : ODP_OK;
}

enum odp_status odp_keytable_reserve(struct odp_keytable *t, const struct odp_key_record *list, size_t n)
{
    pthread_mutex_lock(&t->lock);
    enum odp_status status = mend_last(t);
    if (status == ODP_OK)
        status = reserve(t, list, n);
    pthread_mutex_unlock(&t->lock);
    return status;
}
