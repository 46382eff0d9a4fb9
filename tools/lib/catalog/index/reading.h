/* How a published index is opened, and what it says of itself. */
#pragma once

#include <sqlite3.h>

#include "catalog/index/search.h"

/* Before a program's first use of SQLite: it counts its memory under a lock that all threads share, and
 * nobody asks (of a query's instructions 5 %). Does nothing where SQLite has been used already. */
void odp_sqlite_start(void);

/* PATH for sqlite3_open_v2 with SQLITE_OPEN_URI, in A: read-only and immutable, so that nothing else of
 * SQLite's (journals, locks) is looked for beside a published file. */
const char *odp_search_uri(const char *path, struct odp_arena *a) ODP_MUST_USE;

/* The value NAME of odp_meta, a text, in A; ptr NULL: there is none. BAD: DB, which is the file at PATH, is
 * no index. */
enum odp_status odp_search_meta(sqlite3 *db, const char *name, const char *path, struct odp_arena *a,
                                struct odp_slice *value) ODP_MUST_USE;

/* The texts of I live in A. BAD: PATH is no index, or one of another layout; *WHY gets a literal. FAIL: it
 * cannot be read. */
enum odp_status odp_search_info_open(struct odp_search_info *i, const char *path, struct odp_arena *a,
                                     const char **why) ODP_MUST_USE;
