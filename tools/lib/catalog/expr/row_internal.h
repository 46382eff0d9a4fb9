/* Inside of row.h, for sql_condition.c. */
#ifndef ODP_CATALOG_EXPR_ROW_INTERNAL_H
#define ODP_CATALOG_EXPR_ROW_INTERNAL_H

#include "catalog/expr/code.h"
#include "catalog/expr/row.h"

struct odp_row_program {
    struct odp_expr expr; /* its fields are numbered from 0 as they are given; expr.fields says which of the schema they are */
    uint8_t *kinds;       /* enum kind, by field */
};
/* PART of E. Prepared geometries stay E's. */
enum odp_status expr_row_program(struct odp_arena *a, const struct odp_expr *e, const struct expr_node *part,
                                 struct odp_row_program **out) ODP_MUST_USE;
/* A datetime of `data` (catalog/index/search.h) as nanoseconds since 1970, null when it is none. */
struct num expr_instant(struct odp_slice text);

#endif
