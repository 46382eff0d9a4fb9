/* More of the store, for the service's own files. */
#pragma once

#include <stdarg.h>

#include "service/state/store.h"

#define ODP_STORE_APPLICATION 0x6f647067 /* "odpg": bytes 68 to 71 of the file */

#define ODP_STORE_BUSY_MS 5000

int odp_store_version(void); /* that this program writes */
/* OK: a store (or an empty file: version 0). BAD with WHY: something else, damaged, or newer. */
enum odp_status odp_store_kind(sqlite3 *db, const char *path, int64_t *version,
                               char why[ODP_WHY]) ODP_MUST_USE;
/* A second connection that only reads: it sees one moment as long as it stays in a transaction, and never
 * waits for the mutex.
 */
enum odp_status odp_store_open_copy(sqlite3 **out, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
/* As odp_store_prepare, of an argument list. */
enum odp_status odp_store_prepare_list(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *types,
                                       va_list *args) ODP_MUST_USE;
/* Resets ST and binds anew. */
enum odp_status odp_store_again(sqlite3 *db, sqlite3_stmt *st, const char *types, ...) ODP_MUST_USE;
/* The first column of the first row. DONE: no row. */
enum odp_status odp_store_number(sqlite3 *db, int64_t *out, const char *sql, const char *types,
                                 ...) ODP_MUST_USE;
void odp_store_text(sqlite3_stmt *st, int column, char *out, size_t cap); /* cut at CAP, between characters */
/* The columns of a row by a format, a pointer each: i int64_t *, f bool *, t char * and size_t (as
 * odp_store_text). */
void odp_store_read(sqlite3_stmt *st, const char *columns, ...);
/* The first row of a statement: the parameters that TYPES says, then the pointers that COLUMNS says. DONE: no
 * row. */
enum odp_status odp_store_row(sqlite3 *db, const char *sql, const char *types, const char *columns,
                              ...) ODP_MUST_USE;
/* Run and row with their arguments as a list. */
enum odp_status odp_store_run_of(sqlite3 *db, const char *sql, const char *types, va_list *args) ODP_MUST_USE;
enum odp_status odp_store_row_of(sqlite3 *db, const char *sql, const char *types, const char *columns,
                                 va_list *args) ODP_MUST_USE;

/* Copies all of FROM into the new file PATH (0600; it must not exist), synced and without side files. */
enum odp_status odp_store_copy(sqlite3 *from, const char *path) ODP_MUST_USE;
/* The file that DB has open, and its log, are where they were opened: what goes into others is lost with the
 * process. */
bool odp_store_stands(sqlite3 *db);
/* Where they are not: all that DB has is in the file at its path again, unless another stands there. To be
 * opened anew after that. */
enum odp_status odp_store_put_back(sqlite3 *db) ODP_MUST_USE;
/* PRAGMA integrity_check (or quick_check). BAD: DETAIL gets the first complaint. */
enum odp_status odp_store_verify(sqlite3 *db, bool quick, char *detail, size_t cap) ODP_MUST_USE;
/* In the transaction that erases: the store remembers that there is something to scrub. */
enum odp_status odp_store_scrub_later(sqlite3 *db) ODP_MUST_USE;
/* Does it, if there is something: erased bytes also lie in the free space of pages that once were split, and
 * in the log. DONE: not all of it now, somebody is reading the log. */
enum odp_status odp_store_scrub(sqlite3 *db) ODP_MUST_USE;
