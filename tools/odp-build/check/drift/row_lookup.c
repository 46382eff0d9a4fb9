/* Hashes of cells and keys, and what is found by them. */
#include "base/decimal_small.h"
#include "check/drift/rows_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t rows_hash(struct odp_slice text, bool number)
{
    int64_t m = 0;
    unsigned scale = 0;
    char normal[ODP_DECIMAL_SIZE];
    if (text.ptr == NULL)
        return 0;
    if (number && text.len < ODP_DECIMAL_SIZE) {
        text = (struct odp_slice){normal, odp_decimal_normal(text, normal)};
        if (odp_decimal_small(text, &m, &scale)) {
            int power = -(int)scale;
            for (; m != 0 && m % 10 == 0; power++)
                m /= 10;
            const uint64_t h = (uint64_t)m * 0x9E3779B97F4A7C15u;
            const uint32_t digits = (uint32_t)(h >> 40);
            return (uint32_t)(uint8_t)(power + 64) << 24 | (digits + (digits == 0));
        }
    }
    const uint32_t h = (uint32_t)XXH3_64bits(text.ptr, text.len);
    return h + (h == 0);
}

static uint64_t hash_part(struct odp_slice text, bool number)
{
    char normal[ODP_DECIMAL_SIZE];
    if (number && text.len < ODP_DECIMAL_SIZE)
        text = (struct odp_slice){normal, odp_decimal_normal(text, normal)};
    return XXH3_64bits(text.ptr, text.len);
}

/* 0: a part of the key is null. */
static uint64_t hash_key(const struct odp_drift_rows *w, const struct odp_slice *text, bool old)
{
    uint64_t h = 1;
    for (uint32_t k = 0; k < w->nparts; k++) {
        const struct odp_slice s = text[old ? w->part_old[k] : w->resource->schema.primary.fields[k]];
        if (s.ptr == NULL)
            return 0;
        h = (h ^ hash_part(s, w->part_number[k])) * 0x9E3779B97F4A7C15u;
        h ^= h >> 31;
    }
    return h + (h == 0);
}

uint32_t rows_find(const struct odp_drift_rows *w, const struct odp_slice *text, bool old, uint64_t *hash)
{
    *hash = hash_key(w, text, old);
    for (size_t at = *hash & (w->nslots - 1); w->slots[at] != 0; at = (at + 1) & (w->nslots - 1))
        if (w->keys[w->slots[at] - 1] == *hash)
            return w->slots[at] - 1;
    return NOWHERE;
}

int rows_old(const struct odp_drift_columns *before, const struct odp_field *f)
{
    for (size_t name = 0; name <= f->nformer; name++)
        for (uint32_t k = 0; k < before->n; k++)
            if (strcmp(before->names[k], name == 0 ? f->name : f->former[name - 1]) == 0)
                return (int)k;
    return -1;
}

const struct row_column *rows_column(const struct odp_drift_rows *w, uint32_t field)
{
    for (uint32_t k = 0; k < w->ncolumns; k++)
        if (w->columns[k].field == field)
            return &w->columns[k];
    return NULL;
}
