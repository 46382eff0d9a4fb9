/* Finds the records of an index for which an expression is true, without a query's parameters: for comparing
 * versions. */
#pragma once

#include "catalog/expr/expr.h"
#include "service/queries/engine/query.h"

struct odp_selection {
    const struct odp_expr
        *filter;       /* NULL: true of all. It may name the geometry only where the index has one */
    const int *column; /* by field of the filter's schema: the index's column, or -1: null in every record */
    uint32_t ncolumns;
    const char *ids;  /* a JSON array of record numbers; NULL: all, in the order of the source */
    uint32_t time_ms; /* 0: no limit */
};
/* Calls VISIT for each record with its place in IDS (from 0; without IDS its number) and its published texts
 * by column (ptr NULL: null). Stops at the first status that is not OK, and returns it. BAD: out of time.
 * Works in A. */
enum odp_status
odp_index_select(struct odp_index *ix, const struct odp_selection *selection, struct odp_arena *a, void *ctx,
                 enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *texts)) ODP_MUST_USE;
