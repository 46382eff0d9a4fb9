/* Facts about a dataset and its columns, collected once for the PDF's cover and appendix and the workbook's
 * "Keterangan". */
#pragma once

#include "catalog/records/code_lists.h"

/* Which version of which resource; what is made is in the arena. */
struct odp_facts_of {
    const struct odp_catalog *catalog;
    const struct odp_resource *resource;
    const char *version, *date; /* date: "2024-03-15…" */
    uint64_t total;
    const char *slice_field; /* or NULL */
    struct odp_slice slice_value;
    const char *url, *digest; /* permanent address; "sha256:…" or NULL */
    struct odp_arena *arena;
};

/* Where a fact is shown. */
enum odp_facts_place {
    ODP_FACTS_COVER = 1,
    ODP_FACTS_APPENDIX = 2,
    ODP_FACTS_WORKBOOK = 4,
    ODP_FACTS_STANDARD = 8 /* the workbook's part of Satu Data */
};
struct odp_fact_told {
    struct odp_text label,
        value;           /* label "" continues the one above; in value `en` is NULL where it says the same */
    const char *address; /* it leads to, or NULL */
    bool is_count;       /* value is that of `total` */
};
/* Those of PLACE that there are, in order; *N: how many. */
struct odp_fact_told *odp_facts_make(const struct odp_facts_of *of, unsigned place, size_t *n);

/* A column of the published tables: a public field, or a column of the geometry (FIELD is NULL). */
struct odp_fact_column {
    const struct odp_field *field;
    const char *name;
    struct odp_text title, meaning, unit;
    enum odp_type type;
    bool required, key;
};
/* Columns FROM the fields on: longitude, latitude and kind of geometry. */
size_t odp_facts_columns(const struct odp_facts_of *of, bool has_geometry, struct odp_fact_column **out);
/* Title of column K (0 … 2) of the geometry. POINT: all are points. */
struct odp_text odp_facts_place_title(bool point, unsigned k);

/* A member of OBJECT that is a text or {"id", "en"}. */
struct odp_text odp_facts_member(const json_t *object, const char *key);
/* The title of what the resource holds: its own where it is not the dataset's first. */
const struct odp_text *odp_facts_title(const struct odp_resource *r);
/* The English text where it is there and says something else; else "". */
const char *odp_facts_english(const struct odp_text *t);
/* The address of the dataset's licence, or the portal's, or NULL. */
const char *odp_facts_licence_path(const struct odp_catalog *c, const struct odp_resource *r);
