/* Columns with the names of codes, right after the columns of the codes, in the files of records (CSV, JSON,
 * NDJSON, GeoJSON) where the catalogue asks for them (odp:labels): <field>_nama, and <field>_nama_en where an
 * English name differs. Null where a code has no name, as where there is no code. They are no part of the
 * logical content. */
#pragma once

#include "catalog/records/code_lists.h"

struct odp_label_column {
    uint32_t field; /* of the codes */
    enum odp_lang lang;
    const char *name;
};
struct odp_label_columns {
    const struct odp_code_lists *codes;
    uint32_t first; /* column K here is the batch's column FIRST + K, after those of the schema */
    uint32_t n;
    struct odp_label_column *columns; /* by field */
};
/* Of R, once the lists are read; in A. NULL: it has none. */
const struct odp_label_columns *odp_label_columns_of(const struct odp_code_lists *codes,
                                                     const struct odp_resource *r, struct odp_arena *a);
/* Adds them to B, which is checked, in its arena. Any thread. */
void odp_label_columns_fill(const struct odp_label_columns *l, struct odp_batch *b);
/* Numbers into OUT the batch's columns with the names of FIELD, at most ODP_LANGS; returns how many. L may be
 * NULL. */
uint32_t odp_label_columns_after(const struct odp_label_columns *l, uint32_t field, uint32_t out[ODP_LANGS]);
