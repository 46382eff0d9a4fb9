/* Rules across datasets: rules.json (docs/checks.md). Read with the catalogue (cross.c), but for the
 * expressions, which tools/odp-build/check/across compiles. Lives in the catalogue's arena. */
#pragma once

#include "catalog/model.h"

enum odp_cross_function {
    ODP_CROSS_FIELD, /* the one matching record's own value */
    ODP_CROSS_COUNT,
    ODP_CROSS_DISTINCT,
    ODP_CROSS_SUM,
    ODP_CROSS_MIN,
    ODP_CROSS_MAX,
    ODP_CROSS_MEAN
};

/* A value that is gathered by key. */
struct odp_cross_select {
    const char *name; /* in the expression: "tonggak.bobot"; of the rule itself: "pagu" */
    enum odp_cross_function function;
    int field; /* of the side's resource; -1: COUNT() */
};

/* An expression of rules.json; text.ptr NULL: none. */
struct odp_cross_text {
    struct odp_slice text;
    uint32_t line, column; /* of its first character */
};

/* One table that takes part in a rule. */
struct odp_cross_side {
    const char *name; /* of a join; NULL: the rule's own table */
    const struct odp_resource *resource;
    struct odp_key key; /* fields of RESOURCE: of a join those that are looked up; of a rule over groups those
                           that make a group */
    struct odp_key local;        /* of a join: fields of the rule's own table, as many as KEY has */
    struct odp_cross_text where; /* records that count */
    struct odp_cross_select *selects;
    size_t nselects;
    uint32_t first;       /* the first select in the scope */
    const char *geometry; /* the name of its geometry in the expression, where it may be named; else NULL */
};

struct odp_cross_rule {
    const char *code;
    struct odp_text message;
    enum odp_severity severity; /* where SEVERITY_SAID; else that of the code (odp:severity) */
    bool severity_said;
    bool grouped;
    struct odp_cross_side each;
    struct odp_cross_side *joins;
    size_t njoins;
    struct odp_cross_text expr;
    struct odp_schema scope; /* what EXPR names: fields of the table (of groups: of the group, then its
                                selects), then the selects of the joins */
    const struct odp_dataset *owner; /* whose faults these are: the rule's own dataset, or the first joined
                                        one that is no code list */
    const char *file, *where;        /* "rules.json:12" */
    struct odp_slice text;           /* the entry's text */
};

/* Whether R takes part in RULE, in either way. */
bool odp_cross_involves(const struct odp_cross_rule *rule, const struct odp_resource *r);
/* "proyek", "proyek/timeline", "references/kabkota@2025", in A. */
const char *odp_cross_table_name(const struct odp_resource *r, struct odp_arena *a) ODP_MUST_USE;
