#include "validate/keyset.h"

#include <errno.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "base/datetime.h"
#include "base/decimal.h"
#include "catalog/schema.h"

/* An entry is free while its line is 0. A key whose line is not known has UNKNOWN_LINE. */
struct entry {
    uint64_t hi;
    uint32_t lo;
    uint32_t line;
};
#define UNKNOWN_LINE   UINT32_MAX
#define FIRST_CAPACITY 64u

struct odp_keyset {
    struct entry *entries;
    uint64_t capacity; /* a power of two */
    uint64_t size;
    struct odp_arena arena; /* of texts */
    struct odp_slice *texts;
    size_t ntexts, texts_cap;
    bool no_texts;
};

enum odp_status odp_keyset_new(struct odp_keyset **out)
{
    struct odp_keyset *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    odp_arena_init(&s->arena);
    *out = s;
    return ODP_OK;
}

void odp_keyset_free(struct odp_keyset *s)
{
    if (s == NULL)
        return;
    odp_arena_release(&s->arena);
    free(s->texts);
    free(s->entries);
    free(s);
}

void odp_keyset_clear(struct odp_keyset *s)
{
    if (s->entries != NULL)
        memset(s->entries, 0, (size_t)s->capacity * sizeof *s->entries);
    s->size = 0;
    s->ntexts = 0;
    s->no_texts = false;
    odp_arena_reset(&s->arena);
}

/* The entry of H, or the free one where it would go. There is always a free one: at most 70 % are taken. */
static struct entry *locate(struct entry *entries, uint64_t capacity, struct odp_key_hash h)
{
    uint64_t mask = capacity - 1;
    for (uint64_t i = h.hi & mask;; i = (i + 1) & mask) {
        struct entry *e = &entries[i];
        if (e->line == 0 || (e->hi == h.hi && e->lo == h.lo))
            return e;
    }
}

static enum odp_status grow(struct odp_keyset *s, uint64_t capacity)
{
    if (capacity > SIZE_MAX / sizeof(struct entry))
        return odp_failure_set("malloc", NULL, ENOMEM);
    struct entry *entries = calloc((size_t)capacity, sizeof *entries);
    if (entries == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    for (uint64_t i = 0; i < s->capacity; i++) {
        const struct entry *e = &s->entries[i];
        if (e->line != 0)
            *locate(entries, capacity, (struct odp_key_hash){e->hi, e->lo}) = *e;
    }
    free(s->entries);
    s->entries = entries;
    s->capacity = capacity;
    return ODP_OK;
}

enum odp_status odp_keyset_reserve(struct odp_keyset *s, uint64_t n)
{
    uint64_t capacity = s->capacity > 0 ? s->capacity : FIRST_CAPACITY;
    while (capacity / 10 * 7 <= n) {
        if (capacity > UINT64_MAX / 4)
            return odp_failure_set("malloc", NULL, ENOMEM);
        capacity *= 2;
    }
    return capacity == s->capacity ? ODP_OK : grow(s, capacity);
}

static enum odp_status keep_text(struct odp_keyset *s, struct odp_slice text)
{
    if (text.ptr == NULL || s->ntexts == ODP_KEYSET_TEXTS) {
        s->no_texts = true;
        s->ntexts = 0;
        odp_arena_release(&s->arena);
        odp_arena_init(&s->arena);
        return ODP_OK;
    }
    if (s->ntexts == s->texts_cap) {
        size_t cap = s->texts_cap > 0 ? 2 * s->texts_cap : 64;
        struct odp_slice *texts = odp_realloc_array(s->texts, cap, sizeof *texts);
        if (texts == NULL)
            return ODP_FAIL;
        s->texts = texts;
        s->texts_cap = cap;
    }
    struct odp_slice copy = odp_arena_copy(&s->arena, text);
    if (copy.ptr == NULL)
        return ODP_FAIL;
    s->texts[s->ntexts++] = copy;
    return ODP_OK;
}

enum odp_status odp_keyset_add(struct odp_keyset *s, struct odp_key_hash h, uint64_t line, struct odp_slice text,
                               uint64_t *first_line)
{
    if (s->capacity / 10 * 7 <= s->size && odp_keyset_reserve(s, s->size + 1) != ODP_OK)
        return ODP_FAIL;
    struct entry *e = locate(s->entries, s->capacity, h);
    if (e->line != 0) {
        *first_line = e->line == UNKNOWN_LINE ? 0 : e->line;
        return ODP_DONE;
    }
    if (!s->no_texts && keep_text(s, text) != ODP_OK)
        return ODP_FAIL;
    *e = (struct entry){h.hi, h.lo, line == 0 || line >= UNKNOWN_LINE ? UNKNOWN_LINE : (uint32_t)line};
    s->size++;
    return ODP_OK;
}

void odp_keyset_prefetch(const struct odp_keyset *s, struct odp_key_hash h)
{
    if (s->capacity > 0)
        __builtin_prefetch(&s->entries[h.hi & (s->capacity - 1)], 1);
}

bool odp_keyset_has(const struct odp_keyset *s, struct odp_key_hash h)
{
    return s->capacity > 0 && locate(s->entries, s->capacity, h)->line != 0;
}

uint64_t odp_keyset_size(const struct odp_keyset *s)
{
    return s->size;
}

const struct odp_slice *odp_keyset_texts(const struct odp_keyset *s, size_t *n)
{
    *n = s->no_texts ? 0 : s->ntexts;
    return s->no_texts ? NULL : s->texts;
}

/* ---- hashes ------------------------------------------------------------------------------------------------------------ */

/* A literal of digits alone is its own shortest form: most keys need no more. */
static bool is_plain_integer(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    return s.len > 0;
}

#define PART_SIZE (ODP_DECIMAL_SIZE > ODP_DATETIME_SIZE ? ODP_DECIMAL_SIZE : ODP_DATETIME_SIZE)

/* Equal values get equal bytes: numbers lose their trailing zeros, instants are written in UTC minutes and seconds. */
static struct odp_slice key_form(struct odp_slice part, uint8_t type, char buf[PART_SIZE])
{
    if ((type == ODP_TYPE_NUMBER || type == ODP_TYPE_INTEGER) && !is_plain_integer(part))
        return (struct odp_slice){buf, odp_decimal_normal(part, buf)};
    struct odp_datetime d;
    if (type == ODP_TYPE_DATETIME && odp_date_parse(part, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK) {
        int64_t instant[2] = {(odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset) * 60 + d.second, (int64_t)d.nanos};
        memcpy(buf, instant, sizeof instant);
        return (struct odp_slice){buf, sizeof instant};
    }
    return part;
}

static struct odp_key_hash cut(XXH128_hash_t h)
{
    return (struct odp_key_hash){h.high64, (uint32_t)h.low64};
}

struct odp_key_hash odp_key_hash_of(const struct odp_slice *parts, const uint8_t *types, size_t n)
{
    char form[PART_SIZE];
    if (n == 1 && parts[0].ptr != NULL) {
        struct odp_slice s = key_form(parts[0], types[0], form);
        return cut(XXH3_128bits(s.ptr, s.len));
    }
    char buf[512];
    size_t len = 0;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice s = parts[i].ptr != NULL ? key_form(parts[i], types[i], form) : (struct odp_slice){NULL, 0};
        uint64_t head = s.ptr != NULL ? s.len : UINT64_MAX; /* the length keeps (a, bc) and (ab, c) apart */
        if (len + sizeof head + s.len > sizeof buf) {
            (void)XXH3_128bits_update(&state, buf, len);
            len = 0;
        }
        memcpy(buf + len, &head, sizeof head);
        len += sizeof head;
        if (len + s.len > sizeof buf) {
            (void)XXH3_128bits_update(&state, buf, len);
            (void)XXH3_128bits_update(&state, s.ptr, s.len);
            len = 0;
        } else if (s.len > 0) {
            memcpy(buf + len, s.ptr, s.len);
            len += s.len;
        }
    }
    (void)XXH3_128bits_update(&state, buf, len);
    return cut(XXH3_128bits_digest(&state));
}
