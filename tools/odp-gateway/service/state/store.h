/* The store: SQLite in WAL mode, synchronous=FULL, opened by one process. Its schema has a version number
 * (user_version); migrations.def lists the steps from each version to the next, each in one transaction.
 *
 *   holder(id, name, email, email_fold, organisation, purpose, email_confirmed, confirm_by, created, erased)
 * one a registration key(id, holder, digest unique, shown, account, tier, state, created, until, ends,
 * changed)      tier by name; state: enum odp_key_state; ends: the operator's term (0: none, -1: for ever),
 * which rotation does not change; changed: a rising number, unique usage_key(account, day, machine, count)
 * absolute; machine: id in machine(id, name) usage_dataset(machine, day, tier, dataset, format, count)
 *   upgrade(id, key, tier, reason, created, state, decided)   state: open, approved, refused
 *   token(digest, purpose, holder, email, created, until)     one-time links; only the SHA-256 is stored
 *   audit(seq, time, actor, act, subject, detail, previous, digest)   each entry's SHA-256 covers the one
 * before setting(name, value)     "change": newest key.changed; "settings": tiers in the table's order;
 * "meter": which file was counted; "audit": number of the newest entry; "sync.generation": of the store, see
 * service/state/generation.h webhook, webhook_line, webhook_event, webhook_message, webhook_delivery,
 * webhook_attempt   see service/webhooks/webhooks.h. Addresses and secrets are sealed
 * (service/webhooks/deliver/seal.h): the store alone does not tell them. webhook_line(digest, n, seen): a row
 * of 32 zero bytes (n 0) says that the first start took what the log had then as known; rows with seen 0 are
 * those lines
 *
 * Numbers of keys and holders are never used twice (AUTOINCREMENT). An address is compared by email_fold
 * (ASCII letters lowered). */
#pragma once

#include <jansson.h>
#include <sqlite3.h>

#include "base/slice.h"
#include "base/status.h"

/* Bytes that a sentence for the operator may have. */
#define ODP_WHY 512

/* Opens or makes the store and migrates it. BAD with WHY: not a store, damaged, or of a newer program. */
enum odp_status odp_store_open(sqlite3 **out, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
void odp_store_close(sqlite3 *db);

/* A statement with its parameters bound by a format: i int64, t const char * (NULL: null), b (const void *,
 * int). FAIL is recorded. */
enum odp_status odp_store_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *types,
                                  ...) ODP_MUST_USE;
/* OK: a row. DONE: no more. */
enum odp_status odp_store_step(sqlite3 *db, sqlite3_stmt *st) ODP_MUST_USE;
/* Prepare, run to the end, finalize. */
enum odp_status odp_store_run(sqlite3 *db, const char *sql, const char *types, ...) ODP_MUST_USE;
enum odp_status odp_store_begin(sqlite3 *db) ODP_MUST_USE;
enum odp_status odp_store_commit(sqlite3 *db) ODP_MUST_USE;
void odp_store_rollback(sqlite3 *db); /* no-op outside a transaction */

/* Appends to the audit chain, inside the caller's transaction. ACTOR: "api", "command:<user>". SUBJECT: a
 * key's shown part or
 * "". DETAIL: JSON text without secrets or personal data (what `forget` could not take back). */
enum odp_status odp_audit_add(sqlite3 *db, int64_t now, const char *actor, const char *act,
                              const char *subject, const char *detail) ODP_MUST_USE;
/* Recomputes the chain. BAD: it breaks at *SEQ. */
enum odp_status odp_audit_check(sqlite3 *db, int64_t *seq) ODP_MUST_USE;

/* A consistent copy while running (SQLite's backup interface), 0600, through a temporary name. */
enum odp_status odp_store_backup(sqlite3 *db, const char *path, char why[ODP_WHY]) ODP_MUST_USE;
