/* Records of an index that an expression is true of, without a query's parameters: for those who compare
 * versions. */
#pragma once

#include "catalog/expr/expr.h"
#include "service/queries/engine/query.h"

struct odp_among {
    const struct odp_expr
        *filter;       /* NULL: true of all. It may name the geometry only where the index has one */
    const int *column; /* by field of the filter's schema: the index's column, or -1: null in every record */
    uint32_t ncolumns;
    const char *ids;  /* a JSON array of record numbers; NULL: all, in the order of the source */
    uint32_t time_ms; /* 0: no limit */
};
/* VISIT gets of each record its place in IDS (from 0; without IDS its number) and its values, by column, as
 * texts as published (ptr NULL: null), until it returns another status than OK, which is returned. BAD: it
 * took too long. What is needed lives in A. */
enum odp_status
odp_index_among(struct odp_index *ix, const struct odp_among *asked, struct odp_arena *a, void *ctx,
                enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *texts)) ODP_MUST_USE;
