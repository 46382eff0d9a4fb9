#include "check/keys/keyset.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/buffer.h"
#include "base/room.h"
#include "check/keys/keylog.h"
#include "check/keys/keytable.h"

#define MANY       131072u /* keys that are worth large pages */
#define SMALL      65536u  /* keys of a set that keeps its memory when it is emptied */
#define STEP       4096u   /* slots of a table are lent by so many: whole pages on any machine */
#define LARGE_PAGE ((size_t)2 << 20)
#define OWN_SHARE  64u /* of the bound: what a set may take whatever the others have */

/* A table and its lock in a cache line of their own. */
struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct keytable table; /* empty in a spilled set, once somebody was at it */
};

/* Room for all tables, which each of them borrows a part of when it is full. */
struct lent {
    void *mapped;
    size_t len, slots; /* of each table */
    struct odp_key_entry *entries;
};

struct odp_keyset {
    struct shard *shards; /* KEYTABLES */
    struct lent lent;     /* under `lock` until `expected` */
    atomic_bool expected;
    struct odp_key_bound *bound;
    atomic_size_t bytes;
    atomic_uint_least64_t size;
    struct odp_buffer listed; /* entries that are in no table yet */
    /* keys that gave way to those of a line before, by line */
    pthread_mutex_t lock; /* also of the making of `log` */
    atomic_size_t novertaken;
    uint32_t *overtaken;
    size_t overtaken_cap;
    /* beyond the bound */
    _Atomic(struct keylog *) log;
    atomic_bool failed;
    bool settled;
};

enum odp_status odp_keyset_new(struct odp_keyset **out)
{
    struct odp_keyset *s = calloc(1, sizeof *s);
    *out = s;
    if (s != NULL)
        s->shards = aligned_alloc(64, KEYTABLES * sizeof *s->shards);
    if (s == NULL || s->shards == NULL) {
        free(s);
        *out = NULL;
        return odp_failure_memory();
    }
    for (unsigned i = 0; i < KEYTABLES; i++) {
        s->shards[i].table = (struct keytable){0};
        pthread_mutex_init(&s->shards[i].lock, NULL); /* cannot fail with default attributes */
    }
    pthread_mutex_init(&s->lock, NULL);
    return ODP_OK;
}

static void count_bytes(struct odp_keyset *s, size_t before, size_t after)
{
    atomic_fetch_add_explicit(&s->bytes, after - before,
                              memory_order_relaxed); /* modulo 2^64 where it shrinks */
    if (s->bound != NULL)
        atomic_fetch_add_explicit(&s->bound->used, after - before, memory_order_relaxed);
}

static void release_table(struct odp_keyset *s, struct keytable *t)
{
    count_bytes(s, t->slots * sizeof *t->entries, 0);
    keytable_release(t);
}

void odp_keyset_expect(struct odp_keyset *s, uint64_t n)
{
    const size_t free_bytes = s->bound == NULL                   ? SIZE_MAX
                              : s->bound->limit > s->bound->used ? s->bound->limit - s->bound->used
                                                                 : 0;
    if (n < MANY || s->expected || n > SIZE_MAX / 64)
        return;
    size_t slots = (size_t)(n + n / 2) / KEYTABLES / STEP * STEP + STEP; /* N take two thirds of them */
    size_t bytes = slots * KEYTABLES * sizeof(struct odp_key_entry);
    pthread_mutex_lock(&s->lock);
    if (!s->expected && bytes <= free_bytes) {
        void *p = mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p != MAP_FAILED) { /* else the tables grow one by one */
            char *from = (char *)p + (0 - (uintptr_t)p) % LARGE_PAGE;
            (void)madvise(from, bytes, MADV_HUGEPAGE);
            s->lent = (struct lent){p, bytes + LARGE_PAGE, slots, (struct odp_key_entry *)(void *)from};
            s->expected = true;
        }
    }
    pthread_mutex_unlock(&s->lock);
}

void odp_keyset_free(struct odp_keyset *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; i < KEYTABLES; i++) {
        struct keytable *t = &s->shards[i].table;
        count_bytes(s, t->slots * sizeof *t->entries, 0);
        if (!t->lent) /* those go with the mapping: given back one by one, they would split its large pages */
            keytable_release(t);
        pthread_mutex_destroy(&s->shards[i].lock);
    }
    if (s->lent.mapped != NULL)
        (void)munmap(s->lent.mapped, s->lent.len);
    pthread_mutex_destroy(&s->lock);
    keylog_free(s->log);
    count_bytes(s, s->listed.len, 0);
    odp_buffer_release(&s->listed);
    free(s->overtaken);
    free(s->shards);
    free(s);
}

void odp_keyset_share(struct odp_keyset *s, struct odp_key_bound *bound)
{
    size_t bytes = s->bytes;
    count_bytes(s, bytes, 0);
    s->bound = bound;
    count_bytes(s, 0, bytes);
}

void odp_keyset_clear(struct odp_keyset *s)
{
    for (unsigned i = 0; i < KEYTABLES; i++) {
        if (s->shards[i].table.size > 0 && s->size > SMALL)
            release_table(s, &s->shards[i].table);
        else
            keytable_clear(&s->shards[i].table);
    }
    keylog_free(s->log);
    s->log = NULL;
    s->failed = s->settled = false;
    s->size = 0;
    s->novertaken = 0;
}

/* ---- spilling ---- */

static bool is_beyond(const struct odp_keyset *s)
{
    const struct odp_key_bound *b = s->bound;
    return b != NULL && s->bytes > b->limit / OWN_SHARE && b->used > b->limit;
}

/* Asked when a table has grown: from then on the set is in its file, each table when somebody is next at it.
 */
static enum odp_status look_at_bound(struct odp_keyset *s)
{
    if (!is_beyond(s))
        return ODP_OK;
    enum odp_status status = ODP_OK;
    pthread_mutex_lock(&s->lock);
    if (s->log == NULL) {
        struct keylog *log;
        status = keylog_new(&log);
        if (status == ODP_OK)
            s->log = log;
        else
            keylog_free(log);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* What table K has in memory goes to the file; what came more than once goes twice, so that it is found. */
static enum odp_status log_table(struct odp_keyset *s, struct keylog *log, unsigned k)
{
    struct keytable *t = &s->shards[k].table;
    for (size_t i = 0; i < t->slots; i++) {
        const struct odp_key_entry *e = &t->entries[i];
        for (unsigned n = 0; e->line != 0 && n <= e->again; n++)
            if (keylog_add(log, k, (struct odp_key_hash){e->hi, e->lo}) != ODP_OK)
                return ODP_FAIL;
    }
    release_table(s, t);
    return ODP_OK;
}

bool odp_keyset_spilled(const struct odp_keyset *s)
{
    return s->log != NULL;
}

bool odp_keyset_failed(const struct odp_keyset *s)
{
    return s->failed;
}

/* One table of the file as a set: in memory for as long as it is looked at. */
static enum odp_status settle_table(struct odp_keyset *s, unsigned k, bool searched,
                                    struct odp_keyset **twice)
{
    struct keylog *log = s->log;
    struct keytable t = {0};
    uint64_t at = 0, first;
    size_t n;
    bool new;
    const struct odp_key_hash *h;
    enum odp_status status = keylog_read(log, k, &at, &h, &n);
    while (status == ODP_OK && n > 0) {
        for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
            const struct odp_key_entry key = {
                .hi = h[i].hi, .lo = h[i].lo & 0x7FFFFFFFu, .line = ODP_KEY_LINES};
            if (keytable_put(&t, &key, &new) == NULL)
                status = ODP_FAIL;
            else if (!new &&*twice == NULL)
                status = odp_keyset_new(twice);
            if (status != ODP_FAIL && !new)
                status = odp_keyset_add(*twice, h[i], 0, &first);
        }
        if (status != ODP_FAIL)
            status = keylog_read(log, k, &at, &h, &n);
    }
    if (status == ODP_OK && searched)
        status = keylog_replace(log, k, &t);
    keytable_release(&t);
    return status;
}

enum odp_status odp_keyset_settle(struct odp_keyset *s, bool searched, struct odp_keyset **twice)
{
    *twice = NULL;
    if (s->settled)
        return ODP_OK;
    s->settled = true;
    for (unsigned k = 0; k < KEYTABLES; k++)
        if (log_table(s, s->log, k) != ODP_OK || settle_table(s, k, searched, twice) != ODP_OK) {
            s->failed = true;
            return ODP_FAIL;
        }
    return ODP_OK;
}

/* ---- filling ---- */

/* The shard is locked. *OLD: what was there; line 0: it is new. A key of a line before takes the place. */
static enum odp_status put(struct odp_keyset *s, unsigned k, const struct odp_key_entry *key,
                           struct odp_key_entry *old)
{
    struct keytable *t = &s->shards[k].table;
    struct keylog *log = atomic_load_explicit(&s->log, memory_order_acquire);
    *old = (struct odp_key_entry){0};
    if (log != NULL) {
        if (t->slots > 0 && log_table(s, log, k) != ODP_OK)
            return ODP_FAIL;
        return keylog_add(log, k, (struct odp_key_hash){key->hi, key->lo});
    }
    size_t slots = t->slots;
    bool new;
    if (keytable_is_full(t) && atomic_load_explicit(&s->expected, memory_order_acquire) &&
        slots < s->lent.slots && !t->lent)
        keytable_borrow(t, s->lent.entries + k * s->lent.slots, s->lent.slots);
    struct odp_key_entry *e = keytable_put(t, key, &new);
    if (e == NULL)
        return ODP_FAIL;
    if (!new) {
        *old = *e;
        e->again = 1;
        if (key->line < e->line)
            e->line = key->line;
    }
    if (t->slots == slots)
        return ODP_OK;
    count_bytes(s, slots * sizeof *t->entries, t->slots * sizeof *t->entries);
    return look_at_bound(s);
}

enum odp_status odp_keyset_add(struct odp_keyset *s, struct odp_key_hash h, uint64_t line,
                               uint64_t *first_line)
{
    const struct odp_key_entry key = {.hi = h.hi,
                                      .lo = h.lo & 0x7FFFFFFFu,
                                      .line = line == 0 || line >= ODP_KEY_LINES ? ODP_KEY_LINES
                                                                                 : (uint32_t)line};
    struct odp_key_entry old;
    unsigned k = keytable_of(h.hi);
    pthread_mutex_lock(&s->shards[k].lock);
    enum odp_status status = put(s, k, &key, &old);
    pthread_mutex_unlock(&s->shards[k].lock);
    if (status == ODP_OK && old.line != 0) {
        *first_line = old.line == ODP_KEY_LINES ? 0 : old.line;
        return ODP_DONE;
    }
    s->size += status == ODP_OK;
    return status;
}

static enum odp_status overtake(struct odp_keyset *s, uint32_t line)
{
    pthread_mutex_lock(&s->lock);
    enum odp_status status = odp_room(s->overtaken, s->novertaken, s->overtaken_cap) ? ODP_OK : ODP_FAIL;
    if (status == ODP_OK)
        s->overtaken[s->novertaken++] = line;
    pthread_mutex_unlock(&s->lock);
    return status;
}

size_t odp_keyset_overtaken(struct odp_keyset *s, uint32_t last, uint32_t *lines, size_t max)
{
    size_t n = 0;
    if (s->novertaken == 0)
        return 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->novertaken && n < max;) {
        if (s->overtaken[i] > last) {
            i++;
            continue;
        }
        lines[n++] = s->overtaken[i];
        s->overtaken[i] = s->overtaken[--s->novertaken];
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

uint64_t odp_keyset_line(struct odp_keyset *s, struct odp_key_hash h)
{
    struct shard *shard = &s->shards[keytable_of(h.hi)];
    pthread_mutex_lock(&shard->lock);
    const struct odp_key_entry *e = keytable_find(&shard->table, h);
    uint64_t line = e == NULL || e->line == ODP_KEY_LINES ? 0 : e->line;
    pthread_mutex_unlock(&shard->lock);
    return line;
}

/* N keys, all of table K; the cache is asked for their places before the first is put in. */
static enum odp_status take_table(struct odp_keyset *s, unsigned k, const struct odp_key_entry *keys,
                                  const uint32_t *order, uint32_t n, uint8_t *seen)
{
    struct shard *shard = &s->shards[k];
    enum odp_status status = ODP_OK;
    uint64_t added = 0;
    pthread_mutex_lock(&shard->lock);
    for (uint32_t i = 0; i < n; i++)
        keytable_prefetch(&shard->table, keys[order[i]].hi);
    for (uint32_t i = 0; i < n && status == ODP_OK; i++) {
        const struct odp_key_entry *key = &keys[order[i]];
        struct odp_key_entry old;
        status = put(s, k, key, &old);
        added += old.line == 0;
        if (status != ODP_OK || old.line == 0)
            continue;
        if (old.line > key->line)
            status = overtake(s, old.line);
        else
            seen[order[i]] = 1;
    }
    pthread_mutex_unlock(&shard->lock);
    atomic_fetch_add_explicit(&s->size, added, memory_order_relaxed);
    return status;
}

enum odp_status odp_keyset_take(struct odp_keyset *s, const struct odp_key_entry *keys, uint32_t n,
                                uint32_t *order, uint8_t *seen)
{
    uint32_t at[KEYTABLES + 1] = {0};
    for (uint32_t i = 0; i < n; i++)
        if (keys[i].line != 0)
            at[keytable_of(keys[i].hi) + 1]++;
    for (unsigned k = 0; k < KEYTABLES; k++)
        at[k + 1] += at[k];
    for (uint32_t i = 0; i < n; i++)
        if (keys[i].line != 0)
            order[at[keytable_of(keys[i].hi)]++] = i;
    for (unsigned k = 0; k < KEYTABLES; k++) { /* at[k] is now where table k ends */
        uint32_t from = k > 0 ? at[k - 1] : 0;
        if (at[k] > from && take_table(s, k, keys, order + from, at[k] - from, seen) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

enum odp_status odp_keyset_list(struct odp_keyset *s, const struct odp_key_entry *keys, uint32_t n)
{
    odp_buffer_add(&s->listed, (const char *)keys, n * sizeof *keys);
    count_bytes(s, 0, n * sizeof *keys);
    return odp_buffer_status(&s->listed) != ODP_OK ? ODP_FAIL : is_beyond(s) ? ODP_DONE : ODP_OK;
}

enum odp_status odp_keyset_spread(struct odp_keyset *s)
{
    /* The list counts to its end: where the bound is passed its keys go to the file at once. */
    const struct odp_buffer *listed = &s->listed;
    enum odp_status status = ODP_OK;
    for (size_t at = 0; at < listed->len && status != ODP_FAIL; at += sizeof(struct odp_key_entry)) {
        struct odp_key_entry e;
        uint64_t first;
        memcpy(&e, listed->ptr + at, sizeof e);
        if (e.line != 0)
            status = odp_keyset_add(s, (struct odp_key_hash){e.hi, e.lo}, e.line, &first);
    }
    count_bytes(s, listed->len, 0);
    odp_buffer_release(&s->listed);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- asking ---- */

void odp_keyset_prefetch(const struct odp_keyset *s, struct odp_key_hash h)
{
    keytable_prefetch(&s->shards[keytable_of(h.hi)].table, h.hi);
}

bool odp_keyset_has(const struct odp_keyset *s, struct odp_key_hash h)
{
    unsigned k = keytable_of(h.hi);
    if (s->log == NULL)
        return keytable_find(&s->shards[k].table, h) != NULL;
    int found = keylog_search(s->log, k, h);
    if (found < 0) /* the set is only looked at: that it could not be is all it keeps */
        atomic_store(&((struct odp_keyset *)(uintptr_t)s)->failed, true);
    return found != 0;
}

bool odp_keyset_had(const struct odp_keyset *s, struct odp_key_hash h, uint64_t line)
{
    struct shard *shard = &s->shards[keytable_of(h.hi)];
    if (s->settled)
        return odp_keyset_has(s, h);
    pthread_mutex_lock(&shard->lock);
    const struct odp_key_entry *e = s->log == NULL ? keytable_find(&shard->table, h) : NULL;
    bool had = e != NULL && (e->line == ODP_KEY_LINES || e->line <= line);
    pthread_mutex_unlock(&shard->lock);
    return had;
}

uint64_t odp_keyset_size(const struct odp_keyset *s)
{
    return s->size;
}
