/* Opens a published index and reads its description. */
#pragma once

#include <sqlite3.h>

#include "catalog/index/search.h"

/* Call before SQLite's first use: switches off counting of memory, which all threads share a lock for (5 % of
 * a query). No effect after SQLite was used. */
void odp_sqlite_start(void);

/* PATH for sqlite3_open_v2 with SQLITE_OPEN_URI, in A: read-only and immutable, so that SQLite looks for no
 * journals or locks. */
const char *odp_search_uri(const char *path, struct odp_arena *a) ODP_MUST_USE;

/* The text NAME of odp_meta, in A; ptr NULL: none. BAD: DB, the file at PATH, is no index. */
enum odp_status odp_search_meta(sqlite3 *db, const char *name, const char *path, struct odp_arena *a,
                                struct odp_slice *value) ODP_MUST_USE;

/* The texts of I live in A. BAD: PATH is no index, or one of another layout; *WHY gets a literal. FAIL: it
 * cannot be read. */
enum odp_status odp_search_info_open(struct odp_search_info *i, const char *path, struct odp_arena *a,
                                     const char **why) ODP_MUST_USE;
