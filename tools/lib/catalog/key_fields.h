/* The fields of a key. */
#ifndef ODP_CATALOG_KEY_FIELDS_H
#define ODP_CATALOG_KEY_FIELDS_H

#include "catalog/schema.h"

static inline bool odp_key_has(const struct odp_key *key, uint32_t field)
{
    for (uint32_t i = 0; i < key->n; i++)
        if (key->fields[i] == field)
            return true;
    return false;
}

#endif
