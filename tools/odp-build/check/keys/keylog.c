#include "check/keys/keylog.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/room.h"
#include "base/temporary.h"

#define FILE_NAME "odp-keys"
#define SAID      FILE_NAME " (TMPDIR)" /* where it fails */
#define RECORD    12u                   /* hi, lo */
#define BLOCK     256u                  /* records: a page of the file at most */

/* Blocks of BLOCK records are anywhere in the file; the last records of a table are in memory. */
struct table {
    uint32_t *places; /* in the file, counted in blocks; the first NBLOCKS of NPLACES are in use */
    size_t nblocks, nplaces, cap;
    char *tail; /* BLOCK records */
    uint32_t ntail;
    struct odp_key_hash *read; /* BLOCK of them, once it is read */
};

struct keylog {
    int fd;
    _Atomic uint32_t next; /* place of the next block */
    struct table tables[KEYTABLES];
};

enum odp_status keylog_new(struct keylog **out)
{
    struct keylog *l = calloc(1, sizeof *l);
    *out = l;
    if (l == NULL)
        return odp_failure_memory();
    return odp_scratch_open(&l->fd, FILE_NAME);
}

void keylog_free(struct keylog *l)
{
    if (l == NULL)
        return;
    for (unsigned i = 0; i < KEYTABLES; i++) {
        free(l->tables[i].places);
        free(l->tables[i].tail);
        free(l->tables[i].read);
    }
    if (l->fd >= 0)
        (void)close(l->fd); /* gone with it */
    free(l);
}

static enum odp_status add_place(struct keylog *l, struct table *t)
{
    if (!odp_room(t->places, t->nplaces, t->cap))
        return ODP_FAIL;
    uint32_t place = atomic_fetch_add(&l->next, 1);
    if (place == UINT32_MAX)
        return odp_failure_set("write", SAID, EFBIG);
    t->places[t->nplaces++] = place;
    return ODP_OK;
}

/* The full tail becomes a block of the file. */
static enum odp_status flush(struct keylog *l, struct table *t)
{
    if (t->nblocks == t->nplaces && add_place(l, t) != ODP_OK)
        return ODP_FAIL;
    t->ntail = 0;
    return odp_scratch_write(l->fd, t->tail, BLOCK * RECORD,
                             (uint64_t)t->places[t->nblocks++] * BLOCK * RECORD, SAID);
}

enum odp_status keylog_add(struct keylog *l, unsigned table, struct odp_key_hash h)
{
    struct table *t = &l->tables[table];
    if (t->tail == NULL && (t->tail = malloc((size_t)BLOCK * RECORD)) == NULL)
        return odp_failure_memory();
    char *p = t->tail + (size_t)t->ntail * RECORD;
    memcpy(p, &h.hi, sizeof h.hi);
    memcpy(p + sizeof h.hi, &h.lo, sizeof h.lo);
    return ++t->ntail == BLOCK ? flush(l, t) : ODP_OK;
}

static void unpack(const char *from, size_t n, struct odp_key_hash *to)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(&to[i].hi, from + i * RECORD, sizeof to[i].hi);
        memcpy(&to[i].lo, from + i * RECORD + sizeof to[i].hi, sizeof to[i].lo);
    }
}

/* The records of block K, the tail being the last one. */
static enum odp_status load(const struct keylog *l, const struct table *t, size_t k, struct odp_key_hash *out,
                            size_t *n)
{
    char packed[BLOCK * RECORD];
    *n = k < t->nblocks ? BLOCK : k == t->nblocks ? t->ntail : 0;
    if (k < t->nblocks && odp_scratch_read(l->fd, packed, sizeof packed,
                                           (uint64_t)t->places[k] * sizeof packed, SAID) != ODP_OK)
        return ODP_FAIL;
    unpack(k < t->nblocks ? packed : t->tail, *n, out);
    return ODP_OK;
}

enum odp_status keylog_read(struct keylog *l, unsigned table, uint64_t *at, const struct odp_key_hash **out,
                            size_t *n)
{
    struct table *t = &l->tables[table];
    if (t->read == NULL && (t->read = malloc(BLOCK * sizeof *t->read)) == NULL)
        return odp_failure_memory();
    *out = t->read;
    return load(l, t, (size_t)(*at)++, t->read, n);
}

enum odp_status keylog_replace(struct keylog *l, unsigned table, struct keytable *t)
{
    struct table *own = &l->tables[table];
    size_t n = keytable_sort(t);
    own->nblocks = 0; /* its places are written again */
    own->ntail = 0;
    free(own->read);
    own->read = NULL;
    for (size_t i = 0; i < n; i++)
        if (keylog_add(l, table, (struct odp_key_hash){t->entries[i].hi, t->entries[i].lo}) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

static int compare(struct odp_key_hash a, struct odp_key_hash b)
{
    if (a.hi != b.hi)
        return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

static bool holds(const struct odp_key_hash *block, size_t n, struct odp_key_hash h)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = compare(h, block[mid]);
        if (order == 0)
            return true;
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return false;
}

int keylog_search(const struct keylog *l, unsigned table, struct odp_key_hash h)
{
    const struct table *t = &l->tables[table];
    struct odp_key_hash block[BLOCK];
    size_t low = 0, high = t->nblocks + (t->ntail > 0), n;
    size_t look = (size_t)(((h.hi << KEYTABLE_BITS) >> 32) * high >>
                           32); /* hashes are spread evenly: the first look is mostly right */
    while (low < high) {
        if (load(l, t, look, block, &n) != ODP_OK)
            return -1;
        if (compare(h, block[0]) < 0)
            high = look;
        else if (compare(block[n - 1], h) < 0)
            low = look + 1;
        else
            return holds(block, n, h);
        look = low + (high - low) / 2;
    }
    return 0;
}
