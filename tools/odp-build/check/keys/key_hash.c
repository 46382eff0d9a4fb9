/* The hash of a key. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "catalog/schema.h"
#include "check/keys/key_hash.h"

/* A literal of digits alone is its own shortest form: most keys need no more. */
static bool is_plain_integer(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    return s.len > 0;
}

#define PART_SIZE (ODP_DECIMAL_SIZE > ODP_DATETIME_SIZE ? ODP_DECIMAL_SIZE : ODP_DATETIME_SIZE)

/* Equal values get equal bytes: numbers lose their trailing zeros, instants are written in UTC minutes and
 * seconds. */
static struct odp_slice key_form(struct odp_slice part, uint8_t type, char buf[PART_SIZE])
{
    if (odp_type_is_number(type) && !is_plain_integer(part))
        return (struct odp_slice){buf, odp_decimal_normal(part, buf)};
    struct odp_datetime d;
    if (type == ODP_TYPE_DATETIME && odp_date_parse(part, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK) {
        int64_t instant[2] = {(odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset) * 60 + d.second,
                              (int64_t)d.nanos};
        memcpy(buf, instant, sizeof instant);
        return (struct odp_slice){buf, sizeof instant};
    }
    return part;
}

static struct odp_key_hash cut(XXH128_hash_t h)
{
    return (struct odp_key_hash){h.high64, (uint32_t)h.low64 & 0x7FFFFFFFu};
}

/* A tuple longer than what fits on the stack goes to the hash in pieces. FIRST .. parts[n-1], after LEN bytes
 * in BUF. */
static struct odp_key_hash hash_long(const char *buf, size_t len, const struct odp_slice *parts,
                                     const uint8_t *types, size_t n)
{
    char form[PART_SIZE];
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    (void)XXH3_128bits_update(&state, buf, len);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice s =
            parts[i].ptr != NULL ? key_form(parts[i], types[i], form) : (struct odp_slice){NULL, 0};
        uint64_t head = s.ptr != NULL ? s.len : UINT64_MAX;
        (void)XXH3_128bits_update(&state, &head, sizeof head);
        if (s.len > 0)
            (void)XXH3_128bits_update(&state, s.ptr, s.len);
    }
    return cut(XXH3_128bits_digest(&state));
}

struct odp_key_hash odp_key_hash_of(const struct odp_slice *parts, const uint8_t *types, size_t n)
{
    char form[PART_SIZE], buf[512];
    if (n == 1 && parts[0].ptr != NULL) {
        struct odp_slice s = key_form(parts[0], types[0], form);
        return cut(XXH3_128bits(s.ptr, s.len));
    }
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        struct odp_slice s =
            parts[i].ptr != NULL ? key_form(parts[i], types[i], form) : (struct odp_slice){NULL, 0};
        uint64_t head = s.ptr != NULL ? s.len : UINT64_MAX; /* the length keeps (a, bc) and (ab, c) apart */
        if (s.len > sizeof buf - sizeof head || len > sizeof buf - sizeof head - s.len)
            return hash_long(buf, len, parts + i, types + i, n - i);
        memcpy(buf + len, &head, sizeof head);
        if (s.len > 0)
            memcpy(buf + len + sizeof head, s.ptr, s.len);
        len += sizeof head + s.len;
    }
    return cut(XXH3_128bits(buf, len));
}

void odp_key_hash_texts(const struct odp_slice *texts, uint32_t n, struct odp_key_entry *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (out[i].line == 0)
            continue;
        struct odp_key_hash h = cut(XXH3_128bits(texts[i].ptr, texts[i].len));
        out[i] = (struct odp_key_entry){.hi = h.hi, .lo = h.lo & 0x7FFFFFFFu, .line = out[i].line};
    }
}
