/* The keys that differ, of all versions that a message tells of. A packed key is, for each part, a mark (0 null, 1 a value) and
 * a value's length and text; numbers are in their shortest form, since 1.50 that became 1.5 is the same record (tools/odp-build/site/differences
 * matches rows so). */
#include "service/webhooks/events/match_internal.h"

#include <stdlib.h>

#include "base/decimal.h"

void match_keys_init(struct match_keys *k, const bool *number, uint32_t nparts)
{
    *k = (struct match_keys){.number = number, .nparts = nparts};
    odp_arena_init(&k->arena);
    odp_buffer_init(&k->packed);
    odp_buffer_init(&k->told);
}

void match_keys_release(struct match_keys *k)
{
    free(k->items);
    free(k->slots);
    odp_arena_release(&k->arena);
    odp_buffer_release(&k->packed);
    odp_buffer_release(&k->told);
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

/* PARTS to k->packed. *EXACT: they can be told from it. */
static enum odp_status pack(struct match_keys *k, const struct odp_slice *parts, bool *exact)
{
    char number[ODP_DECIMAL_SIZE];
    *exact = true;
    odp_buffer_clear(&k->packed);
    for (uint32_t i = 0; i < k->nparts; i++) {
        struct odp_slice s = parts[i];
        odp_buffer_add_char(&k->packed, s.ptr != NULL);
        if (s.ptr == NULL)
            continue;
        if (k->number[i] && is_number(s)) {
            s = (struct odp_slice){number, odp_decimal_normal(s, number)};
            *exact = *exact && odp_slice_eq(s, parts[i]);
        }
        odp_buffer_add(&k->packed, &s.len, sizeof s.len);
        odp_buffer_add_slice(&k->packed, s);
    }
    return odp_buffer_status(&k->packed);
}

const char *match_keys_text(const struct match_keys *k, const struct match_entry *e, struct odp_arena *a)
{
    struct odp_buffer out;
    const char *p = e->key;
    if (e->told != NULL)
        return e->told;
    odp_buffer_init(&out);
    for (uint32_t i = 0; i < k->nparts; i++) {
        struct odp_slice part = {NULL, 0};
        if (*p++ != 0) {
            memcpy(&part.len, p, sizeof part.len);
            part.ptr = p + sizeof part.len;
            p = part.ptr + part.len;
        }
        events_key_add(&out, part, i == 0);
    }
    const char *text = odp_buffer_status(&out) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&out)) : NULL;
    odp_buffer_release(&out);
    return text;
}

/* The literals as they stand. */
static const char *told(struct match_keys *k, const struct odp_slice *parts)
{
    odp_buffer_clear(&k->told);
    for (uint32_t i = 0; i < k->nparts; i++)
        events_key_add(&k->told, parts[i], i == 0);
    return odp_buffer_status(&k->told) == ODP_OK ? odp_arena_str(&k->arena, odp_buffer_cstr(&k->told)) : NULL;
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

/* A change after another, as odp_event_merge has it. */
static enum odp_change_op after(enum odp_change_op first, enum odp_change_op then)
{
    if (first == then || (first == ODP_CHANGE_ADDED && then == ODP_CHANGE_CHANGED))
        return first;
    return first == ODP_CHANGE_CHANGED && then == ODP_CHANGE_REMOVED ? ODP_CHANGE_REMOVED : ODP_CHANGE_CHANGED;
}

enum odp_status match_keys_add(struct match_keys *k, const struct odp_slice *parts, enum odp_change_op op,
                               struct match_entry **out)
{
    bool exact;
    if (pack(k, parts, &exact) != ODP_OK || (k->n == k->cap && grow(k) != ODP_OK))
        return ODP_FAIL;
    struct odp_slice key = odp_buffer_slice(&k->packed);
    uint64_t hash = hash_of(key);
    uint32_t *slot = slot_of(k, key, hash);
    if (*slot != 0) {
        *out = &k->items[*slot - 1];
        (*out)->op = (uint8_t)after((enum odp_change_op)(*out)->op, op);
        return ODP_OK;
    }
    if (k->n >= ODP_EVENT_MATCH_KEYS || key.len > UINT32_MAX)
        return ODP_DONE;
    struct odp_slice copy = odp_arena_copy(&k->arena, key);
    struct match_entry e = {.hash = hash, .key = copy.ptr, .len = (uint32_t)key.len, .op = (uint8_t)op};
    if (copy.ptr == NULL || (!exact && (e.told = told(k, parts)) == NULL))
        return ODP_FAIL;
    k->items[k->n] = e;
    *out = &k->items[k->n++];
    *slot = k->n;
    return ODP_OK;
}

enum odp_status match_keys_find(struct match_keys *k, const struct odp_slice *parts, struct match_entry **out)
{
    bool exact;
    *out = NULL;
    if (k->n == 0)
        return ODP_OK;
    enum odp_status status = pack(k, parts, &exact);
    if (status != ODP_OK)
        return status;
    struct odp_slice key = odp_buffer_slice(&k->packed);
    const uint32_t *slot = slot_of(k, key, hash_of(key));
    if (*slot != 0)
        *out = &k->items[*slot - 1];
    return ODP_OK;
}
