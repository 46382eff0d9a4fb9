/* Inside of catalog/expr: values and records of the query index (constant.c, row.c), for sql_condition.c. */
#pragma once

#include "catalog/expr/expr_internal.h"
#include "catalog/expr/row.h"
#include "catalog/expr/sql.h"

struct odp_row_program {
    struct odp_expr expr; /* its fields are numbered from 0; expr.fields has their numbers in the schema */
    uint8_t *kinds;       /* enum kind, by field */
};
/* row.c: PART of E. Prepared geometries stay E's. */
struct odp_row_program *expr_row_program(struct odp_arena *a, const struct odp_expr *e,
                                         const struct expr_node *part) ODP_MUST_USE;
/* The constant IN next to a column of TYPE. False: SQLite has no value that compares as IN does. */
bool expr_sql_value(const struct instr *in, enum odp_type type, struct odp_sql_value *out);
/* A datetime of the index (catalog/index/search.h) as nanoseconds since 1970; null: not one. */
struct num expr_instant(struct odp_slice text);
