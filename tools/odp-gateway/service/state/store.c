/* Opening and migrating the store, statements and transactions. odp_failure_set records what SQLite says when
 * something fails; it names tables and columns, never values. */
#include "service/state/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "catalog/index/reading.h"
#include "service/state/state_internal.h"
#include "words/state.h"

static const struct migration {
    int version;
    const char *sql;
} migrations[] = {
#define ODP_MIGRATION(version, sql) {version, sql},
#include "service/state/migrations.def"
#undef ODP_MIGRATION
};
enum { MIGRATIONS = ODP_COUNT(migrations) };

int odp_store_version(void)
{
    return migrations[MIGRATIONS - 1].version;
}

static enum odp_status failed(sqlite3 *db)
{
    int code = sqlite3_errcode(db) & 0xff, error = sqlite3_system_errno(db);
    if (code == SQLITE_FULL)
        return odp_failure_set("store", NULL, error == EDQUOT ? EDQUOT : ENOSPC);
    bool file = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    return odp_failure_set("store:", sqlite3_errmsg(db), file ? error : 0);
}

/* ---- one statement ---- */

static bool bind(sqlite3_stmt *st, const char *types, va_list *args)
{
    int e = SQLITE_OK;
    for (int i = 1; *types != '\0' && e == SQLITE_OK; types++, i++) {
        if (*types == 'i') {
            e = sqlite3_bind_int64(st, i, va_arg(*args, int64_t));
        } else if (*types == 't') {
            e = sqlite3_bind_text(st, i, va_arg(*args, const char *), -1, SQLITE_TRANSIENT);
        } else if (*types == 's') {
            struct odp_slice s = va_arg(*args, struct odp_slice);
            e = sqlite3_bind_text64(st, i, s.len > 0 ? s.ptr : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        } else {
            const void *bytes = va_arg(*args, const void *);
            e = sqlite3_bind_blob(st, i, bytes, va_arg(*args, int), SQLITE_TRANSIENT);
        }
    }
    return e == SQLITE_OK;
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

static enum odp_status step(const struct odp_sql *q)
{
    int e = sqlite3_step(q->row);
    return e == SQLITE_ROW ? ODP_OK : e == SQLITE_DONE ? ODP_DONE : failed(q->db);
}

static void select_list(struct odp_sql *q, const char *sql, const char *types, va_list *args)
{
    if (q->st != ODP_OK)
        return;
    if (sqlite3_prepare_v2(q->db, sql, -1, &q->row, NULL) == SQLITE_OK && bind(q->row, types, args))
        return;
    q->st = failed(q->db);
    (void)!odp_sql_end(q);
}

static bool next_list(struct odp_sql *q, const char *columns, va_list *args)
{
    enum odp_status st = q->st == ODP_OK && q->row != NULL ? step(q) : ODP_DONE;
    if (st == ODP_OK && columns != NULL)
        read_columns(q->row, columns, args);
    if (st == ODP_OK)
        return true;
    q->st = st == ODP_FAIL ? st : q->st;
    sqlite3_finalize(q->row);
    q->row = NULL;
    return false;
}

enum odp_status odp_sql_end(struct odp_sql *q)
{
    sqlite3_finalize(q->row);
    q->row = NULL;
    return q->st;
}

void odp_sql_select(struct odp_sql *q, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    select_list(q, sql, types, &args);
    va_end(args);
}

bool odp_sql_next(struct odp_sql *q, const char *columns, ...)
{
    va_list args;
    va_start(args, columns);
    bool found = next_list(q, columns, &args);
    va_end(args);
    return found;
}

/* A statement of its own, while a select of Q may be open. */
bool odp_sql_row(struct odp_sql *q, const char *sql, const char *types, const char *columns, ...)
{
    struct odp_sql one = {.db = q->db, .st = q->st};
    va_list args;
    va_start(args, columns);
    select_list(&one, sql, types, &args);
    bool found = next_list(&one, columns, &args);
    va_end(args);
    q->st = odp_sql_end(&one);
    return found;
}

static void run_list(struct odp_sql *q, const char *sql, const char *types, va_list *args)
{
    struct odp_sql one = {.db = q->db, .st = q->st};
    select_list(&one, sql, types, args);
    while (next_list(&one, NULL, args))
        continue;
    q->st = one.st;
}

void odp_sql_run(struct odp_sql *q, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    run_list(q, sql, types, &args);
    va_end(args);
}

void odp_sql_repeat(struct odp_sql *q, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    if (q->row == NULL)
        select_list(q, sql, types, &args);
    else if (q->st == ODP_OK && (sqlite3_reset(q->row) != SQLITE_OK || !bind(q->row, types, &args)))
        q->st = failed(q->db);
    va_end(args);
    enum odp_status st = q->st;
    while (st == ODP_OK)
        st = step(q);
    q->st = st == ODP_DONE ? ODP_OK : st;
}

int64_t odp_sql_number(struct odp_sql *q, const char *sql, const char *types, ...)
{
    struct odp_sql one = {.db = q->db, .st = q->st};
    va_list args;
    va_start(args, types);
    select_list(&one, sql, types, &args);
    int64_t n = next_list(&one, NULL, &args) ? sqlite3_column_int64(one.row, 0) : 0;
    va_end(args);
    q->st = odp_sql_end(&one);
    return n;
}

enum odp_status odp_store_run(sqlite3 *db, const char *sql, const char *types, ...)
{
    struct odp_sql q = {.db = db};
    va_list args;
    va_start(args, types);
    run_list(&q, sql, types, &args);
    va_end(args);
    return q.st;
}

/* ---- transactions ---- */

/* The statement that undoes, made when the store is opened: if there were no memory to make it, all that
 * follows would be part of what had failed, and lost with it. */
static const char undo[] = "ROLLBACK";

static sqlite3_stmt *undo_of(sqlite3 *db)
{
    sqlite3_stmt *st = sqlite3_next_stmt(db, NULL);
    while (st != NULL && strcmp(sqlite3_sql(st), undo) != 0)
        st = sqlite3_next_stmt(db, st);
    return st;
}

bool odp_store_in_place(sqlite3 *db)
{
    int moved = 0;
    const char *path = sqlite3_db_filename(db, "main");
    if (path == NULL || *path == '\0')
        return true;
    (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved == 0 && access(sqlite3_filename_wal(path), F_OK) == 0;
}

static enum odp_status commit(sqlite3 *db)
{
    if (!odp_store_in_place(db))
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
    if (sqlite3_get_autocommit(db) == 0) /* begin tries again what fails here */
        (void)sqlite3_exec(db, undo, NULL, NULL, NULL);
}

struct odp_sql odp_sql_begin(sqlite3 *db)
{
    odp_store_rollback(db); /* of one that could not be undone when it failed */
    return (struct odp_sql){.db = db, .st = odp_store_run(db, "BEGIN IMMEDIATE", "")};
}

enum odp_status odp_sql_commit(struct odp_sql *q)
{
    if (odp_sql_end(q) == ODP_OK)
        q->st = commit(q->db);
    if (q->st != ODP_OK)
        odp_store_rollback(q->db);
    return q->st;
}

/* ---- opening ---- */

static enum odp_status script(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? ODP_OK : failed(db);
}

static enum odp_status migrate_one(sqlite3 *db, const struct migration *m)
{
    char sql[96];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d; PRAGMA application_id = %d;", m->version,
                   ODP_STORE_APPLICATION);
    struct odp_sql q = odp_sql_begin(db);
    if (q.st == ODP_OK)
        q.st = script(db, m->sql);
    if (q.st == ODP_OK)
        q.st = script(db, sql);
    return odp_sql_commit(&q);
}

/* The operator's sentence for a failure that is the file's own. */
static enum odp_status unreadable(sqlite3 *db, const char *path, enum odp_status st, char why[ODP_WHY])
{
    int code = sqlite3_errcode(db) & 0xff;
    bool closed = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if (st != ODP_FAIL || (!closed && code != SQLITE_NOTADB && code != SQLITE_CORRUPT))
        return st;
    odp_failure_clear();
    return closed ? odp_state_bad(why, W_state_store_closed, path, sqlite3_errmsg(db))
                  : odp_state_bad(why, W_state_store_damaged, path, sqlite3_errmsg(db));
}

/* OK: a store (or an empty file: version 0). BAD with WHY: something else, damaged, or newer. */
static enum odp_status check_kind(sqlite3 *db, const char *path, int64_t *version, char why[ODP_WHY])
{
    struct odp_sql q = {.db = db};
    *version = odp_sql_number(&q, "PRAGMA user_version", "");
    int64_t application = odp_sql_number(&q, "PRAGMA application_id", "");
    int64_t tables = odp_sql_number(&q, "SELECT count(*) FROM sqlite_schema", "");
    if (q.st != ODP_OK)
        return unreadable(db, path, q.st, why);
    if (*version == 0 && application == 0 && tables == 0)
        return ODP_OK;
    if (application != ODP_STORE_APPLICATION || *version < 1)
        return odp_state_bad(why, W_state_other_store, path);
    if (*version <= odp_store_version())
        return ODP_OK;
    return odp_state_bad(why, W_state_newer_store, path, (long long)*version, odp_store_version());
}

/* Asks for WAL only after the file is known to be ours. */
static enum odp_status migrate(sqlite3 *db, const char *path, char why[ODP_WHY])
{
    int64_t version = 0;
    enum odp_status st = check_kind(db, path, &version, why);
    if (st == ODP_OK)
        st = unreadable(db, path, script(db, "PRAGMA journal_mode = WAL;"), why);
    for (size_t i = 0; i < MIGRATIONS && st == ODP_OK; i++)
        if (migrations[i].version > version)
            st = migrate_one(db, &migrations[i]);
    return st;
}

/* SQLite gives its other files the mode of the first. */
static enum odp_status make_file(const char *path, char why[ODP_WHY])
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno == ELOOP ? odp_state_bad(why, W_state_store_link, path)
                              : odp_state_bad(why, W_state_not_opened, path, odp_state_reason(errno));
    struct stat s;
    bool open_to_others = fstat(fd, &s) == 0 && (s.st_mode & 077) != 0;
    int e = open_to_others && fchmod(fd, 0600) != 0 ? errno : 0;
    close(fd);
    return e == 0 ? ODP_OK : odp_failure_set("chmod", path, e);
}

/* *DB must be closed in every case. */
static enum odp_status connect(sqlite3 **db, const char *path, int flags, const char *pragmas,
                               char why[ODP_WHY])
{
    if (sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return *db != NULL ? unreadable(*db, path, failed(*db), why) : odp_failure_set("store", path, ENOMEM);
    (void)sqlite3_busy_timeout(*db, ODP_STORE_BUSY_MS);
    return unreadable(*db, path, script(*db, pragmas), why);
}

static enum odp_status opened(sqlite3 **out, sqlite3 *db, enum odp_status st)
{
    if (st == ODP_OK)
        *out = db;
    else
        odp_store_close(db);
    return st;
}

#define CAREFUL "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"

enum odp_status odp_store_open(sqlite3 **out, const char *path, char why[ODP_WHY])
{
    *out = NULL;
    why[0] = '\0';
    sqlite3 *db = NULL;
    enum odp_status st = make_file(path, why);
    if (st != ODP_OK)
        return st;
    odp_sqlite_start();
    st = connect(&db, path, SQLITE_OPEN_READWRITE,
                 "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;"
                 "PRAGMA recursive_triggers = ON;" CAREFUL,
                 why);
    if (st == ODP_OK) {
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        st = migrate(db, path, why);
    }
    sqlite3_stmt *kept = NULL; /* closed with the store */
    if (st == ODP_OK && sqlite3_prepare_v3(db, undo, -1, SQLITE_PREPARE_PERSISTENT, &kept, NULL) != SQLITE_OK)
        st = failed(db);
    return opened(out, db, st);
}

enum odp_status odp_store_open_copy(sqlite3 **out, const char *path, char why[ODP_WHY])
{
    *out = NULL;
    why[0] = '\0';
    sqlite3 *db = NULL;
    int64_t version = 0;
    enum odp_status st = connect(&db, path, SQLITE_OPEN_READONLY, CAREFUL, why);
    if (st == ODP_OK)
        st = check_kind(db, path, &version, why);
    if (st == ODP_OK && version == 0)
        st = odp_state_bad(why, W_state_store_empty, path);
    return opened(out, db, st);
}

void odp_store_close(sqlite3 *db)
{
    if (db == NULL)
        return;
    sqlite3_finalize(undo_of(db));
    (void)sqlite3_close_v2(db);
}
