/* A published resource as its schema.json describes it: names, types, units and keys of its fields. A
 * version is always read by its own schema, because the catalogue may have changed since. It takes fields
 * (name, type; odp:type "list" where type is "array"; odp:title or title; sdi:satuan as it was written, else
 * odp:unit; odp:formerNames), primaryKey, uniqueKeys, and odp:geometry, which is there exactly when the
 * logical header says G1 (logical.c). The readers also look at odp:geometry.api (are the pages' geometries
 * whole?), odp:geometry.heights and odp:rows. */
#pragma once

#include "base/arena.h"
#include "catalog/model.h"

struct odp_layout_field {
    const char *name;
    enum odp_type type;          /* lists are ODP_TYPE_LIST (schema.json says type array, odp:type list) */
    struct odp_text title, unit; /* may be empty */
    const char *const *former;   /* odp:formerNames, nformer of them */
    size_t nformer;
    const json_t *json; /* the field as in schema.json */
};

struct odp_layout {
    struct odp_layout_field *fields;
    uint32_t n;
    uint32_t *key; /* primaryKey: indexes into fields; nkey == 0: none */
    uint32_t nkey;
    struct odp_key *unique; /* uniqueKeys (where == NULL) */
    size_t nunique;
    bool has_geometry;  /* odp:geometry is there */
    const json_t *json; /* the whole schema */
};

/* Borrows JSON, the root of a schema.json, for as long as the layout is used; all else lives in A. BAD: not
 * a schema of ours (WHY, in A, says what is wrong in English). */
enum odp_status odp_layout_read(struct odp_layout **out, const json_t *json, struct odp_arena *a,
                                const char **why) ODP_MUST_USE;
/* What the codes of one edition of a code list mean: "data/kabkota/labels-2025.json" of "references/kabkota";
 * in A. Not versioned: {"list", "edition", "title", "labels": {code: {"id", "en"?}}}, "en" where it differs;
 * codes that only other editions have are there with the name they had. */
char *odp_labels_path(const char *list, const char *edition, struct odp_arena *a) ODP_MUST_USE;

/* Whether a column NAME beside F has the names of its codes (odp:labels): "<f>_nama", "<f>_nama_en". */
bool odp_layout_is_label(const struct odp_layout_field *f, struct odp_slice name);

/* Index of the field NAME, or -1. */
int odp_layout_find(const struct odp_layout *l, const char *name);
