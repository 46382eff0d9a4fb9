/* The keys that differ, of all versions that a message tells of. A packed key is the version it belongs to
 * (of whole rows) and, for each part, a mark (0 null, 1 a value) and a value's length and text; numbers of a
 * key are in their shortest form, since 1.50 that became 1.5 is the same record
 * (tools/odp-build/site/differences matches rows so). */
#include "service/webhooks/events/match_internal.h"

#include <stdlib.h>

void match_keys_init(struct match_keys *k, const bool *number, uint32_t nparts)
{
    *k = (struct match_keys){.number = number, .nparts = nparts};
    odp_arena_init(&k->arena);
    odp_buffer_init(&k->packed);
}

void match_keys_release(struct match_keys *k)
{
    free(k->items);
    free(k->slots);
    odp_arena_release(&k->arena);
    odp_buffer_release(&k->packed);
}

/* ---- packing ---- */

/* What an older version has as text where a number is now need be none. */
static bool is_number(struct odp_slice s)
{
    size_t i = s.len > 0 && s.ptr[0] == '-', digits = i;
    while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
        i++;
    if (i == digits || s.len >= ODP_DECIMAL_SIZE)
        return false;
    if (i < s.len && s.ptr[i] == '.')
        for (digits = ++i; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';)
            i++;
    if (i == digits)
        return false;
    if (i < s.len && (s.ptr[i] | 0x20) == 'e') {
        i += i + 1 < s.len && (s.ptr[i + 1] == '-' || s.ptr[i + 1] == '+') ? 2 : 1;
        for (digits = i; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';)
            i++;
    }
    return i == s.len && i > digits;
}

struct odp_slice match_keys_part(const struct match_keys *k, size_t i, struct odp_slice part,
                                 char room[ODP_DECIMAL_SIZE])
{
    if (i >= k->nparts || !k->number[i] || part.ptr == NULL || !is_number(part))
        return part;
    return (struct odp_slice){room, odp_decimal_normal(part, room)};
}

/* PARTS to k->packed. *EXACT: they are as they were given. */
static enum odp_status pack(struct match_keys *k, size_t side, const struct odp_slice *parts, size_t n,
                            bool *exact)
{
    char number[ODP_DECIMAL_SIZE];
    *exact = true;
    odp_buffer_clear(&k->packed);
    odp_buffer_add(&k->packed, &side, sizeof side);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice s = side == MATCH_KEYED ? match_keys_part(k, i, parts[i], number) : parts[i];
        odp_buffer_add_char(&k->packed, s.ptr != NULL);
        if (s.ptr == NULL)
            continue;
        *exact = *exact && odp_slice_eq(s, parts[i]);
        odp_buffer_add(&k->packed, &s.len, sizeof s.len);
        odp_buffer_add_slice(&k->packed, s);
    }
    return odp_buffer_status(&k->packed);
}

/* The literals as they stand. */
static enum odp_status set_told(struct match_keys *k, struct match_entry *e, const struct odp_slice *parts,
                                size_t n)
{
    odp_buffer_clear(&k->packed);
    for (size_t i = 0; i < n; i++)
        events_key_add(&k->packed, parts[i], i == 0);
    e->told = odp_arena_str(&k->arena, odp_buffer_cstr(&k->packed));
    return odp_buffer_status(&k->packed);
}

/* ---- the table ---- */

/* FNV-1a, then mixed so that the low bits depend on all. */
static uint64_t hash_of(struct odp_slice s)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

/* The slot of KEY, or the free one where it belongs. There is always a free one. */
static uint32_t *slot_of(const struct match_keys *k, struct odp_slice key, uint64_t hash)
{
    for (uint64_t at = hash;; at++) {
        uint32_t *slot = &k->slots[at & (k->nslots - 1)];
        if (*slot == 0)
            return slot;
        const struct match_entry *e = &k->items[*slot - 1];
        if (e->hash == hash && odp_slice_eq((struct odp_slice){e->key, e->len}, key))
            return slot;
    }
}

static enum odp_status grow(struct match_keys *k)
{
    uint32_t cap = k->cap == 0 ? 256 : k->cap * 2; /* at most the limit's next power of two */
    struct match_entry *items = odp_realloc_array(k->items, cap, sizeof *items);
    if (items == NULL)
        return ODP_FAIL;
    k->items = items;
    uint32_t *slots = odp_realloc_array(NULL, (size_t)cap * 2, sizeof *slots);
    if (slots == NULL)
        return ODP_FAIL;
    memset(slots, 0, (size_t)cap * 2 * sizeof *slots);
    free(k->slots);
    k->slots = slots;
    k->nslots = cap * 2;
    k->cap = cap;
    for (uint32_t i = 0; i < k->n; i++)
        *slot_of(k, (struct odp_slice){items[i].key, items[i].len}, items[i].hash) = i + 1;
    return ODP_OK;
}

/* A key has one change, whatever happened to it on the way; a whole row counts as often as it is told. */
static void count(struct match_entry *e, bool keyed, enum odp_change_op op)
{
    for (int before = 0; keyed && before < EVENTS_OPS; before++)
        if (e->times[before] > 0) {
            op = events_op_join((enum odp_change_op)before, op);
            e->times[before] = 0;
        }
    e->times[op]++;
}

enum odp_status match_keys_add(struct match_keys *k, size_t side, const struct odp_slice *parts, size_t n,
                               enum odp_change_op op)
{
    bool exact;
    if (pack(k, side, parts, n, &exact) != ODP_OK || (k->n == k->cap && grow(k) != ODP_OK))
        return ODP_FAIL;
    struct odp_slice key = odp_buffer_slice(&k->packed);
    uint64_t hash = hash_of(key);
    uint32_t *slot = slot_of(k, key, hash);
    enum odp_status status = ODP_OK;
    if (*slot == 0) {
        if (k->n >= ODP_EVENT_MATCH_KEYS || key.len > UINT32_MAX)
            return ODP_DONE;
        k->items[k->n++] = (struct match_entry){
            .hash = hash, .key = odp_arena_copy(&k->arena, key).ptr, .len = (uint32_t)key.len};
        *slot = k->n;
        if (!exact)
            status = set_told(k, &k->items[k->n - 1], parts, n);
    }
    count(&k->items[*slot - 1], side == MATCH_KEYED, op);
    return status == ODP_OK ? odp_arena_status(&k->arena) : status;
}

enum odp_status match_keys_find(struct match_keys *k, size_t side, const struct odp_slice *parts, size_t n,
                                uint32_t *at)
{
    bool exact;
    enum odp_status status = pack(k, side, parts, n, &exact);
    struct odp_slice key = odp_buffer_slice(&k->packed);
    uint32_t slot = status == ODP_OK && k->n > 0 ? *slot_of(k, key, hash_of(key)) : 0;
    *at = slot > 0 ? slot - 1 : MATCH_NO_ENTRY;
    return status;
}
