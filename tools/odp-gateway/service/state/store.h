/* The store: SQLite in WAL mode, synchronous=FULL, opened by one process. Its schema has a version number
 * (user_version); migrations.def lists the steps from each version to the next, each in one transaction.
 *
 *   holder      one a registration; email_fold: the address as it is compared (ASCII letters lowered)
 *   key         tier by name; state: enum odp_key_state; ends: the operator's term (0: none, -1: for ever),
 *               which rotation does not change; changed: a rising number, unique
 *   usage_key, usage_dataset   absolute counts; usage_key.machine: id in machine(id, name)
 *   upgrade     requests for another tier; state: open, approved, refused
 *   token       one-time links; only the SHA-256 is stored
 *   audit       each entry's SHA-256 covers the one before (audit.c)
 *   setting     "change": newest key.changed; "settings": tiers in the table's order; "meter": which file was
 *               counted; "audit": number of the newest entry; "sync.generation": see generation.h; "scrub"
 *   webhook, webhook_line, …   see service/webhooks/webhooks.h; addresses and secrets are sealed.
 *               webhook_line(digest, n, seen): a row of 32 zero bytes (n 0) says that the first start took
 *               what the log had then as known; rows with seen 0 are those lines
 *
 * Numbers of keys and holders are never used twice (AUTOINCREMENT). */
#pragma once

#include <jansson.h>
#include <sqlite3.h>

#include "base/slice.h"
#include "base/status.h"

/* Bytes that a sentence for the operator may have. */
#define ODP_WHY 512

#define ODP_STORE_APPLICATION 0x6f647067 /* "odpg": bytes 68 to 71 of the file */

/* Opens or makes the store and migrates it. BAD with WHY: not a store, damaged, or of a newer program. */
enum odp_status odp_store_open(sqlite3 **out, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
/* A second connection that only reads: it sees one moment as long as it stays in a transaction, and never
 * waits for the mutex. */
enum odp_status odp_store_open_copy(sqlite3 **out, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
void odp_store_close(sqlite3 *db);
int odp_store_version(void); /* that this program writes */

/* ---- statements ---- */

/* SQL that latches: after a call that fails, later calls do nothing, and rows that they would have read are
 * absent. ST is read once, where the work ends. Callers may latch a status of their own.
 *
 * TYPES are those of the parameters that follow: i int64_t, t const char * (NULL: null), s struct odp_slice,
 * b const void * and int. COLUMNS are those of the pointers that take a row: i int64_t *, f bool *,
 * t char * and size_t (as odp_store_text). */
struct odp_sql {
    sqlite3 *db;
    enum odp_status st;
    sqlite3_stmt *row; /* of the select that is open */
};
void odp_sql_run(struct odp_sql *q, const char *sql, const char *types, ...);
void odp_sql_select(struct odp_sql *q, const char *sql, const char *types, ...);
/* The next row of the select; false, and the select is closed: there is none. */
bool odp_sql_next(struct odp_sql *q, const char *columns, ...);
/* The first row of a statement: parameters, then pointers. */
bool odp_sql_row(struct odp_sql *q, const char *sql, const char *types, const char *columns, ...);
/* The first column of the first row; 0: there is none. */
int64_t odp_sql_number(struct odp_sql *q, const char *sql, const char *types, ...);
/* Runs the same statement many times: made by the first call, kept until odp_sql_end. */
void odp_sql_repeat(struct odp_sql *q, const char *sql, const char *types, ...);
/* Closes what is open. Returns ST. */
enum odp_status odp_sql_end(struct odp_sql *q) ODP_MUST_USE;

/* A transaction: begin, statements, commit. Commit rolls back where ST is not OK, and returns ST. */
struct odp_sql odp_sql_begin(sqlite3 *db);
enum odp_status odp_sql_commit(struct odp_sql *q) ODP_MUST_USE;

/* One statement without a latch. FAIL is recorded. */
enum odp_status odp_store_run(sqlite3 *db, const char *sql, const char *types, ...) ODP_MUST_USE;
void odp_store_text(sqlite3_stmt *st, int column, char *out, size_t cap); /* cut at CAP, between characters */
/* The file that DB has open, and its log, are where they were opened: else all changes are lost with the
 * process. */
bool odp_store_in_place(sqlite3 *db);
void odp_store_rollback(sqlite3 *db); /* no-op outside a transaction */

/* ---- the audit log (audit.c) ---- */

/* Appends to the chain, inside the caller's transaction. ACTOR: "api", "command:<user>". SUBJECT: a key's
 * shown part or "". DETAIL: JSON text without secrets or personal data (`forget` could not take them back).
 */
enum odp_status odp_audit_add(sqlite3 *db, int64_t now, const char *actor, const char *act,
                              const char *subject, const char *detail) ODP_MUST_USE;
/* Recomputes the chain. BAD: it breaks at *SEQ. */
enum odp_status odp_audit_check(sqlite3 *db, int64_t *seq) ODP_MUST_USE;

/* ---- copies (store_backup.c) ---- */

/* A consistent copy while running (SQLite's backup interface), 0600, through a temporary name. */
enum odp_status odp_store_backup(sqlite3 *db, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
/* Copies all of FROM into the new file PATH (0600; it must not exist), synced and without side files. */
enum odp_status odp_store_copy(sqlite3 *from, const char *path) ODP_MUST_USE;
/* Removes the database PATH and the files that SQLite puts next to it, as far as they exist. */
enum odp_status odp_store_remove(const char *path) ODP_MUST_USE;
/* Where they are not: writes all that DB has into the file at its path again, unless another file has that
 * name. To be opened anew after that. */
enum odp_status odp_store_put_back(sqlite3 *db) ODP_MUST_USE;
/* PRAGMA integrity_check (or quick_check). BAD: DETAIL gets the first complaint. */
enum odp_status odp_store_verify(sqlite3 *db, bool quick, char *detail, size_t cap) ODP_MUST_USE;

/* Erasing for good. In the transaction that erases: the store remembers that there is something to scrub. */
enum odp_status odp_store_scrub_later(sqlite3 *db) ODP_MUST_USE;
/* Scrubs, if there is something. DONE: not all of it now, somebody is reading the log. */
enum odp_status odp_store_scrub(sqlite3 *db) ODP_MUST_USE;
#define ODP_STORE_BUSY_MS 5000
