/* The SQL functions that conditions (catalog/expr/sql.h), orders and aggregates of the query engine need, on
 * one connection. All are deterministic, innocuous and only for statements themselves (never for what a
 * file's schema says).
 *
 *   odp_like(text, pattern)      LIKE as eval.c knows it           odp_casei(text)      CASEI
 *   odp_spatial(?, shape)        ? is a pointer "odp_spatial"      odp_eval(?, x…)      ? is a pointer
 * "odp_eval"; then its columns, then the shape odp_pack(x…)                 values as one BLOB: for odp_eval
 * of more columns than a function may have arguments odp_order(x)                 a BLOB whose bytes order
 * any number of `data` by value (wide columns); equal values, equal bytes odp_sum(x, scale) aggregate: the
 * exact sum of numbers of `data`, a canonical decimal as TEXT; NULL: no value, or more than 38 digits before
 *                                the point. SCALE: struct odp_search_column
 *
 * NULL gives NULL. A value of another kind than these make is an error of the statement, never a crash. */
#pragma once

#include <sqlite3.h>

#include "base/status.h"

/* FAIL: no memory. */
enum odp_status odp_query_functions(sqlite3 *db) ODP_MUST_USE;
