/* Inside of service/queries/engine: the SQL functions. */
#ifndef ODP_SERVICE_QUERIES_ENGINE_FUNCTIONS_INTERNAL_H
#define ODP_SERVICE_QUERIES_ENGINE_FUNCTIONS_INTERNAL_H

#include "base/slice.h"
#include "service/queries/engine/functions.h"

/* The bytes of a TEXT or BLOB, borrowed; ptr NULL only without memory. */
static inline struct odp_slice query_value_slice(sqlite3_value *v)
{
    bool text = sqlite3_value_type(v) == SQLITE_TEXT;
    const char *ptr = text ? (const char *)sqlite3_value_text(v) : sqlite3_value_blob(v);
    int len = sqlite3_value_bytes(v);
    return (struct odp_slice){ptr == NULL && len == 0 ? "" : ptr, (size_t)len};
}

void query_order(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void query_sum_step(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void query_sum_final(sqlite3_context *ctx);

#endif
