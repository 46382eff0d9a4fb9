/* What a resource's records must be: Table Schema v2 and what odp adds (DESIGN: "The catalogue"). Built once
 * when the catalogue is read, in the run's arena, read-only ever after and shared by all threads. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/diag.h"
#include "base/privacy.h"
#include "base/slice.h"
#include "catalog/field_type.h"

struct odp_strings { /* a list of texts */
    struct odp_slice *item;
    size_t n;
};

struct odp_category {
    struct odp_slice value; /* canonical text */
    struct odp_text label;  /* may be empty */
};

/* Constraints; a bound is canonical text of the field's type, ptr NULL when absent. Lengths are -1 when
 * absent. */
struct odp_constraints {
    bool required, unique;
    int64_t min_length, max_length;
    struct odp_slice minimum, maximum, exclusive_minimum, exclusive_maximum;
    struct odp_slice pattern;       /* as written */
    void *pattern_code;             /* pcre2_code *, anchored at both ends, JIT; NULL when absent */
    struct odp_strings enumeration; /* canonical texts; n == 0: absent */
    const json_t *json_schema;      /* or NULL */
};

/* odp:drift: how far a new version may be from the published one (tools/odp-build/check/drift/drift.h): parts
 * of what was, but NULLS and SHARE, which are differences of shares, RANGE, which is a multiple of the old
 * range, and GROUP, which is one of the old mean. */
enum odp_drift_kind {
    ODP_DRIFT_ROWS,
    ODP_DRIFT_NULLS,
    ODP_DRIFT_DISTINCT,
    ODP_DRIFT_SUM,
    ODP_DRIFT_RANGE,
    ODP_DRIFT_SHARE,
    ODP_DRIFT_BOX,
    ODP_DRIFT_MOVED,
    ODP_DRIFT_CELLS,
    ODP_DRIFT_GROUP,
    ODP_DRIFT_KEYS,
    ODP_DRIFT_KINDS
};
struct odp_drift {
    double bound[ODP_DRIFT_KINDS];      /* < 0: not compared */
    const char *where[ODP_DRIFT_KINDS]; /* "dataset.json:58": where the bound is declared; NULL: the default,
                                           which spares small tables */
};
const char *odp_drift_name(enum odp_drift_kind kind); /* "rows": the member of odp:drift */

enum odp_string_format {
    ODP_STRING_DEFAULT,
    ODP_STRING_EMAIL,
    ODP_STRING_URI,
    ODP_STRING_BINARY,
    ODP_STRING_UUID
};
enum odp_geopoint_format { ODP_GEOPOINT_DEFAULT, ODP_GEOPOINT_ARRAY, ODP_GEOPOINT_OBJECT };

/* odp:document {"folder", "pages"}: the field's values name PDF files that the steward supplies. In the
 * source a value is the file's path below FOLDER (of the dataset's folder of sources); as published it is
 * odp_document_path: below the version's own folder. */
struct odp_document_spec {
    const char *folder; /* "dokumen": relative, safe */
    int pages;          /* field (integer) that must say how many pages it has, or -1 */
};

/* odp:aggregate: what may be said of the numbers of many records together. */
enum odp_aggregate { ODP_AGGREGATE_SUM, ODP_AGGREGATE_MEAN, ODP_AGGREGATE_NONE, ODP_AGGREGATE_UNSAID };

extern const char *const odp_aggregate_names[]; /* "sum", "mean", "none"; ended by NULL */

struct odp_field {
    const char *name;
    const char *source_name; /* odp:sourceName: the column's name in the source; else == name */
    bool unlabelled;         /* odp:sourceName is "": a column without a label is this one, too */
    enum odp_type type;
    struct odp_text title, description;
    struct odp_text unit; /* sdi:satuan; may be empty */
    enum odp_aggregate
        aggregate; /* odp:aggregate, else what its unit and its title tell; NONE of what is no figure */
    enum odp_string_format string_format;
    enum odp_geopoint_format geopoint_format;
    bool topojson;
    const char *date_pattern; /* NULL: default */
    const char *time_zone;    /* odp:timeZone or NULL */
    struct odp_decimal_form decimal;
    struct odp_strings true_values, false_values;
    struct odp_strings missing; /* in force for this field (its own, else the schema's) */
    char list_delimiter;
    enum odp_type list_item;
    struct odp_category *categories;
    size_t ncategories;
    bool categories_ordered;
    struct odp_constraints constraints;
    bool is_public;                           /* sdi:aksesPublik is not false */
    bool privacy_allowed[ODP_PRIVACY_KINDS];  /* odp:privacy: kinds that this public field may have */
    const struct odp_document_spec *document; /* odp:document, or NULL */
    bool labelled;                            /* odp:labels: files have the names of its codes beside them */
    bool trim;                       /* odp:trim: white space around the value is dropped without a word */
    const char *deprecated, *sunset; /* dates; both or neither: the field may go once its sunset has come */
    const char *replaced_by; /* odp:replacedBy: a field of this schema; NULL: none (odp:note says why), or not
                                deprecated */
    const char *const *former; /* odp:formerNames, nformer of them: names this field had */
    size_t nformer;
    const struct odp_drift *drift; /* odp:drift of its own, with what it inherits; NULL: the resource's */
    const char *where;             /* "dataset.json:58" */
    const json_t *json;            /* the field as written */
};

enum odp_fields_match {
    ODP_MATCH_EXACT,
    ODP_MATCH_EQUAL,
    ODP_MATCH_SUBSET,
    ODP_MATCH_SUPERSET,
    ODP_MATCH_PARTIAL
};

/* A set of fields by index into the schema. */
struct odp_key {
    uint32_t *fields;
    uint32_t n;
    const char *where;
};

static inline bool odp_key_same(const struct odp_key *a, const struct odp_key *b)
{
    return a->n == b->n && memcmp(a->fields, b->fields, a->n * sizeof *a->fields) == 0;
}

static inline bool odp_key_has(const struct odp_key *key, uint32_t field)
{
    for (uint32_t i = 0; i < key->n; i++)
        if (key->fields[i] == field)
            return true;
    return false;
}

struct odp_schema {
    struct odp_field *fields;
    uint32_t n;
    enum odp_fields_match match;
    struct odp_key primary; /* n == 0: none */
    struct odp_key *unique; /* uniqueKeys */
    size_t nunique;
    const json_t *json;
};

/* Index of the field NAME, or -1. */
int odp_schema_find(const struct odp_schema *s, struct odp_slice name);
/* Whether NAME has one of WORDS (separated by spaces) as a part, in any case. */
bool odp_name_has(const char *name, const char *words);
/* Whether numbers of FIELD are counted or measured, so that they have a unit, are grouped and right-aligned:
 * not years, not parts of keys. */
bool odp_schema_is_figure(const struct odp_schema *s, uint32_t field);
