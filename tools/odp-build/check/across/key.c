/* Keys as bytes. Numbers count by value, instants by instant, everything else by its text. */
#include "check/across/across_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/datetime.h"
#include "base/decimal.h"

static void add_part(struct odp_buffer *out, struct odp_slice s)
{
    uint32_t len = (uint32_t)s.len; /* keeps (a, bc) and (ab, c) apart */
    odp_buffer_add(out, &len, sizeof len);
    odp_buffer_add_slice(out, s);
}

static void add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice s)
{
    char room[ODP_DECIMAL_SIZE];
    struct odp_datetime d;
    if ((odp_type_is_number(type) || type == ODP_TYPE_YEAR) && s.len < ODP_DECIMAL_SIZE &&
        num_is_literal(s)) {
        add_part(out, (struct odp_slice){room, odp_decimal_normal(s, room)});
    } else if (type == ODP_TYPE_DATETIME && odp_date_parse(s, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK) {
        const int64_t instant[2] = {
            (odp_date_days(&d) * 1440 + d.hour * 60 + d.minute - d.offset) * 60 + d.second, d.nanos};
        add_part(out, (struct odp_slice){(const char *)instant, sizeof instant});
    } else {
        add_part(out, s);
    }
}

bool cross_key_add(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key,
                   const struct odp_slice *text)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (text[k].ptr == NULL)
            return false;
    for (uint32_t k = 0; k < key->n; k++)
        add_value(out, s->fields[key->fields[k]].type, text[k]);
    return true;
}

uint64_t cross_hash(struct odp_slice key)
{
    return XXH3_64bits(key.ptr, key.len);
}
