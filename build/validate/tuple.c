/* Tuples of fields: their hash and how they are shown. */
#include "validate/rule.h"

#define MAX_PARTS 64

int odp_tuple_hash(const struct odp_validator *v, const struct odp_column *columns, uint32_t i, const struct odp_key *key,
                   bool *bad, struct odp_key_hash *hash)
{
    struct odp_slice parts[MAX_PARTS];
    uint8_t types[MAX_PARTS];
    uint32_t n = key->n < MAX_PARTS ? key->n : MAX_PARTS;
    bool null = false;
    *bad = false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t f = key->fields[k];
        uint8_t state = columns[f].state[i];
        parts[k] = columns[f].text[i];
        types[k] = (uint8_t)v->schema->fields[f].type;
        if (state == ODP_VALUE_BAD && parts[k].ptr == NULL)
            return -1;
        *bad = *bad || state == ODP_VALUE_BAD;
        null = null || state == ODP_VALUE_NULL;
    }
    if (null)
        return 0;
    *hash = odp_key_hash_of(parts, types, n);
    return 1;
}

void odp_tuple_text(const struct odp_column *columns, uint32_t i, const struct odp_key *key, struct odp_buffer *out)
{
    for (uint32_t k = 0; k < key->n; k++) {
        if (k > 0)
            odp_buffer_add_str(out, ", ");
        odp_buffer_add_slice(out, columns[key->fields[k]].text[i]);
    }
}
