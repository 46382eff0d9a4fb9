/* The store's door: opening, migrating, statements and transactions. What SQLite says when something fails is
 * kept by odp_failure_set; it names tables and columns, never values. */
#include "service/state/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "catalog/index/reading.h"
#include "service/state/store_internal.h"

static const struct migration {
    int version;
    const char *sql;
} migrations[] = {
#define ODP_MIGRATION(version, sql) {version, sql},
#include "service/state/migrations.def"
#undef ODP_MIGRATION
};

int odp_store_version(void)
{
    return migrations[sizeof migrations / sizeof migrations[0] - 1].version;
}

static enum odp_status failed(sqlite3 *db)
{
    int code = sqlite3_errcode(db), error = sqlite3_system_errno(db);
    if ((code & 0xff) == SQLITE_FULL)
        return odp_failure_set("store", NULL, error == EDQUOT ? EDQUOT : ENOSPC);
    if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY)
        return odp_failure_set("store:", sqlite3_errmsg(db), error);
    return odp_failure_set("store:", sqlite3_errmsg(db), 0);
}

static bool bind(sqlite3_stmt *st, const char *types, va_list *args)
{
    int e = SQLITE_OK;
    for (int i = 1; *types != '\0' && e == SQLITE_OK; types++, i++) {
        if (*types == 'i') {
            e = sqlite3_bind_int64(st, i, va_arg(*args, int64_t));
        } else if (*types == 't') {
            const char *text = va_arg(*args, const char *);
            e = text != NULL ? sqlite3_bind_text(st, i, text, -1, SQLITE_TRANSIENT)
                             : sqlite3_bind_null(st, i);
        } else if (*types == 's') {
            struct odp_slice s = va_arg(*args, struct odp_slice);
            e = sqlite3_bind_text64(st, i, s.len > 0 ? s.ptr : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        } else {
            const void *bytes = va_arg(*args, const void *);
            int n = va_arg(*args, int);
            e = sqlite3_bind_blob(st, i, bytes, n, SQLITE_TRANSIENT);
        }
    }
    return e == SQLITE_OK;
}

enum odp_status odp_store_prepare_list(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *types,
                                       va_list *args)
{
    *out = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK)
        return failed(db);
    if (bind(*out, types, args))
        return ODP_OK;
    enum odp_status st = failed(db);
    sqlite3_finalize(*out);
    *out = NULL;
    return st;
}

enum odp_status odp_store_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    enum odp_status st = odp_store_prepare_list(db, out, sql, types, &args);
    va_end(args);
    return st;
}

enum odp_status odp_store_again(sqlite3 *db, sqlite3_stmt *st, const char *types, ...)
{
    va_list args;
    (void)sqlite3_reset(st); /* says again what step has said */
    va_start(args, types);
    bool ok = bind(st, types, &args);
    va_end(args);
    return ok ? ODP_OK : failed(db);
}

enum odp_status odp_store_step(sqlite3 *db, sqlite3_stmt *st)
{
    int e = sqlite3_step(st);
    return e == SQLITE_ROW ? ODP_OK : e == SQLITE_DONE ? ODP_DONE : failed(db);
}

enum odp_status odp_store_run_of(sqlite3 *db, const char *sql, const char *types, va_list *args)
{
    sqlite3_stmt *stmt = NULL;
    enum odp_status st = odp_store_prepare_list(db, &stmt, sql, types, args);
    while (st == ODP_OK)
        st = odp_store_step(db, stmt);
    sqlite3_finalize(stmt);
    return st == ODP_DONE ? ODP_OK : st;
}

enum odp_status odp_store_run(sqlite3 *db, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    enum odp_status st = odp_store_run_of(db, sql, types, &args);
    va_end(args);
    return st;
}

static void read_columns(sqlite3_stmt *st, const char *columns, va_list *args)
{
    for (int i = 0; columns[i] != '\0'; i++) {
        if (columns[i] == 'i') {
            *va_arg(*args, int64_t *) = sqlite3_column_int64(st, i);
        } else if (columns[i] == 'f') {
            *va_arg(*args, bool *) = sqlite3_column_int(st, i) != 0;
        } else {
            char *out = va_arg(*args, char *);
            odp_store_text(st, i, out, va_arg(*args, size_t));
        }
    }
}

void odp_store_read(sqlite3_stmt *st, const char *columns, ...)
{
    va_list args;
    va_start(args, columns);
    read_columns(st, columns, &args);
    va_end(args);
}

enum odp_status odp_store_row_of(sqlite3 *db, const char *sql, const char *types, const char *columns,
                                 va_list *args)
{
    sqlite3_stmt *stmt = NULL;
    enum odp_status st = odp_store_prepare_list(db, &stmt, sql, types, args);
    if (st == ODP_OK)
        st = odp_store_step(db, stmt);
    if (st == ODP_OK)
        read_columns(stmt, columns, args);
    sqlite3_finalize(stmt);
    return st;
}

enum odp_status odp_store_row(sqlite3 *db, const char *sql, const char *types, const char *columns, ...)
{
    va_list args;
    va_start(args, columns);
    enum odp_status st = odp_store_row_of(db, sql, types, columns, &args);
    va_end(args);
    return st;
}

enum odp_status odp_store_number(sqlite3 *db, int64_t *out, const char *sql, const char *types, ...)
{
    sqlite3_stmt *stmt = NULL;
    va_list args;
    va_start(args, types);
    enum odp_status st = odp_store_prepare_list(db, &stmt, sql, types, &args);
    va_end(args);
    if (st == ODP_OK)
        st = odp_store_step(db, stmt);
    if (st == ODP_OK)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return st;
}

void odp_store_text(sqlite3_stmt *st, int column, char *out, size_t cap)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    size_t n = text != NULL ? strlen(text) : 0;
    if (n >= cap) {
        for (n = cap - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    }
    if (n > 0)
        memcpy(out, text, n);
    out[n] = '\0';
}

/* The statement that undoes, made when the store is opened: where there is no memory to make it, all that
 * follows would be part of what had failed, and lost with it. NULL: there is none. */
static const char undo[] = "ROLLBACK";

static sqlite3_stmt *undo_of(sqlite3 *db)
{
    sqlite3_stmt *st = sqlite3_next_stmt(db, NULL);
    while (st != NULL && strcmp(sqlite3_sql(st), undo) != 0)
        st = sqlite3_next_stmt(db, st);
    return st;
}

enum odp_status odp_store_begin(sqlite3 *db)
{
    odp_store_rollback(db); /* of one that could not be undone when it failed */
    return odp_store_run(db, "BEGIN IMMEDIATE", "");
}

enum odp_status odp_store_commit(sqlite3 *db)
{
    if (!odp_store_stands(db))
        return odp_failure_set("store.sqlite, or its log, was taken away or exchanged by somebody else", NULL,
                               0);
    if (odp_arena_status_of_all() != ODP_OK) /* the caller rolls back; the client tries again */
        return ODP_FAIL;
    return odp_store_run(db, "COMMIT", "");
}

void odp_store_rollback(sqlite3 *db)
{
    if (sqlite3_get_autocommit(db) != 0)
        return;
    sqlite3_stmt *st = undo_of(db);
    if (st != NULL) {
        (void)sqlite3_step(st);
        (void)sqlite3_reset(st);
    }
    if (sqlite3_get_autocommit(db) == 0)
        (void)sqlite3_exec(db, undo, NULL, NULL,
                           NULL); /* what is left to fail here is tried again by begin */
}

static enum odp_status script(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? ODP_OK : failed(db);
}

/* WAL is asked of a file once it is known to be ours. */
static enum odp_status settle(sqlite3 *db)
{
    (void)sqlite3_busy_timeout(db, ODP_STORE_BUSY_MS);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return script(db,
                  "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA "
                  "trusted_schema = OFF;"
                  "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA recursive_triggers = ON;");
}

static enum odp_status pragma(sqlite3 *db, const char *name, int64_t *value)
{
    char sql[64];
    (void)snprintf(sql, sizeof sql, "PRAGMA %s", name);
    return odp_store_number(db, value, sql, "");
}

static enum odp_status migrate_one(sqlite3 *db, const struct migration *m)
{
    char sql[96];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d; PRAGMA application_id = %d;", m->version,
                   ODP_STORE_APPLICATION);
    enum odp_status st = odp_store_begin(db);
    if (st == ODP_OK)
        st = script(db, m->sql);
    if (st == ODP_OK)
        st = script(db, sql);
    if (st == ODP_OK)
        st = odp_store_commit(db);
    if (st != ODP_OK)
        odp_store_rollback(db);
    return st;
}

/* SQLite's own words for a file that is none of its kind, or a damaged one. */
static enum odp_status unreadable(sqlite3 *db, const char *path, enum odp_status st, char why[ODP_WHY])
{
    int code = sqlite3_errcode(db) & 0xff;
    if (st != ODP_FAIL || (code != SQLITE_NOTADB && code != SQLITE_CORRUPT && code != SQLITE_CANTOPEN &&
                           code != SQLITE_READONLY))
        return st;
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)
        (void)snprintf(why, ODP_WHY, "%.300s cannot be opened for writing: %s", path, sqlite3_errmsg(db));
    else
        (void)snprintf(why, ODP_WHY,
                       "%.300s is damaged, or no database (%s); restore a backup: odp-gateway restore FILE",
                       path, sqlite3_errmsg(db));
    odp_failure_clear();
    return ODP_BAD;
}

enum odp_status odp_store_kind(sqlite3 *db, const char *path, int64_t *version, char why[ODP_WHY])
{
    int64_t application = 0, tables = 0;
    enum odp_status st = pragma(db, "user_version", version);
    if (st == ODP_OK)
        st = pragma(db, "application_id", &application);
    if (st == ODP_OK)
        st = odp_store_number(db, &tables, "SELECT count(*) FROM sqlite_schema", "");
    if (st != ODP_OK)
        return unreadable(db, path, st, why);
    if (*version == 0 && application == 0 && tables == 0)
        return ODP_OK;
    if (application != ODP_STORE_APPLICATION || *version < 1) {
        (void)snprintf(why, ODP_WHY, "%.300s is a database, but not a store of odp-gateway", path);
        return ODP_BAD;
    }
    if (*version > odp_store_version()) {
        (void)snprintf(why, ODP_WHY,
                       "%.300s has version %lld and was written by a newer odp-gateway; this one knows "
                       "versions up to %d",
                       path, (long long)*version, odp_store_version());
        return ODP_BAD;
    }
    return ODP_OK;
}

static enum odp_status migrate(sqlite3 *db, const char *path, char why[ODP_WHY])
{
    int64_t version = 0;
    enum odp_status st = odp_store_kind(db, path, &version, why);
    if (st == ODP_OK)
        st = unreadable(db, path, script(db, "PRAGMA journal_mode = WAL;"), why);
    for (size_t i = 0; i < sizeof migrations / sizeof migrations[0] && st == ODP_OK; i++)
        if (migrations[i].version > version)
            st = migrate_one(db, &migrations[i]);
    return st;
}

/* SQLite gives its other files the mode of the first. */
static enum odp_status make_file(const char *path, char why[ODP_WHY])
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        int e = errno;
        (void)snprintf(why, ODP_WHY, "%.300s cannot be opened: %s", path,
                       e == ELOOP ? "it is a symbolic link" : strerror(e));
        return ODP_BAD;
    }
    struct stat s;
    bool open_to_others = fstat(fd, &s) == 0 && (s.st_mode & 077) != 0;
    int e = open_to_others && fchmod(fd, 0600) != 0 ? errno : 0;
    close(fd);
    return e == 0 ? ODP_OK : odp_failure_set("chmod", path, e);
}

enum odp_status odp_store_open(sqlite3 **out, const char *path, char why[ODP_WHY])
{
    *out = NULL;
    why[0] = '\0';
    sqlite3 *db = NULL;
    enum odp_status st = make_file(path, why);
    if (st != ODP_OK)
        return st;
    odp_sqlite_start();
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        st = db != NULL ? unreadable(db, path, failed(db), why) : odp_failure_set("store", path, ENOMEM);
    if (st == ODP_OK)
        st = unreadable(db, path, settle(db), why);
    if (st == ODP_OK)
        st = migrate(db, path, why);
    sqlite3_stmt *kept = NULL; /* closed with the store */
    if (st == ODP_OK && sqlite3_prepare_v3(db, undo, -1, SQLITE_PREPARE_PERSISTENT, &kept, NULL) != SQLITE_OK)
        st = failed(db);
    if (st == ODP_OK)
        *out = db;
    else
        odp_store_close(db);
    return st;
}

enum odp_status odp_store_open_copy(sqlite3 **out, const char *path, char why[ODP_WHY])
{
    *out = NULL;
    why[0] = '\0';
    sqlite3 *db = NULL;
    int64_t version = 0;
    enum odp_status st = ODP_OK;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        st = db != NULL ? unreadable(db, path, failed(db), why) : odp_failure_set("store", path, ENOMEM);
    if (st == ODP_OK) {
        (void)sqlite3_busy_timeout(db, ODP_STORE_BUSY_MS);
        st = unreadable(
            db, path,
            script(db,
                   "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"),
            why);
    }
    if (st == ODP_OK)
        st = odp_store_kind(db, path, &version, why);
    if (st == ODP_OK && version == 0) {
        (void)snprintf(why, ODP_WHY, "%.300s is empty", path);
        st = ODP_BAD;
    }
    if (st == ODP_OK)
        *out = db;
    else
        odp_store_close(db);
    return st;
}

void odp_store_close(sqlite3 *db)
{
    if (db == NULL)
        return;
    sqlite3_finalize(undo_of(db));
    (void)sqlite3_close_v2(db);
}
