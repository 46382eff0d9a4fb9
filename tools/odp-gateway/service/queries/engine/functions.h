/* SQL functions for conditions (catalog/expr/sql.h), orders and aggregates. All are deterministic, innocuous,
 * and callable from statements only, never from a file's schema.
 *
 *   odp_like(text, pattern)      LIKE as eval.c knows it           odp_casei(text)      CASEI
 *   odp_spatial(?, shape)        ? is a pointer "odp_spatial"      odp_eval(?, x…)      ? is a pointer
 *                                "odp_eval"; its columns and the shape follow
 *   odp_pack(x…)                 values as a pointer "odp_pack": for odp_eval of more columns than a function
 *                                may have arguments
 *   odp_order(x)                 a BLOB whose bytes order any number of the index by value (wide columns)
 *   odp_sum(x, scale)            aggregate: the exact sum, a canonical decimal as TEXT; NULL: no value, or
 *                                more than 38 digits before
 *                                the point. SCALE: struct odp_search_column
 *
 *   odp_extreme(x, fid, sign)    aggregate: the record (fid) of the largest x, or of the least where SIGN is
 *                                -1, of equal ones the first; of nulls alone the first
 *
 * NULL gives NULL. A value of any other kind is an error of the statement, never a crash. */
#pragma once

#include <sqlite3.h>

#include "base/status.h"

/* FAIL: no memory. */
enum odp_status odp_query_functions(sqlite3 *db) ODP_MUST_USE;
