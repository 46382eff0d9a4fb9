/* Cursors of pages of records (query_cursor_make and _read are in query_internal.h). */
#ifndef ODP_SERVICE_QUERIES_ENGINE_CURSOR_H
#define ODP_SERVICE_QUERIES_ENGINE_CURSOR_H

#include "service/queries/engine/query_internal.h"

/* Where RECORD stands in Q's order: what comes after it, or before it. In Q's arena; NULL: no memory. */
const char *query_cursor_of(struct odp_query *q, int64_t record, bool backward) ODP_MUST_USE;

#endif
