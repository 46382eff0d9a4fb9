/* Inside of tools/lib/catalog/expr: constants and their values in the query index (constant.c). */
#ifndef ODP_CATALOG_EXPR_CONSTANT_H
#define ODP_CATALOG_EXPR_CONSTANT_H

#include "catalog/expr/code.h"
#include "catalog/expr/sql.h"

/* A date, time, instant or month. BAD: TEXT is none. */
enum odp_status expr_moment(struct odp_arena *a, struct odp_slice text, enum kind kind, struct instr *out) ODP_MUST_USE;
/* The constant IN beside a column of TYPE. False: SQLite has no value that compares with the column's as IN does. */
bool expr_sql_value(const struct instr *in, enum odp_type type, struct odp_sql_value *out);

#endif
