/* Copies of the store while it is in use: whether one is sound, how one is put back; and erasing for good. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "service/state/store.h"
#include "service/state/state_internal.h"
#include "words/state.h"

enum { HEADER = 100, APPLICATION_AT = 68, PATH_SIZE = 4300 };

static enum odp_status failed(sqlite3 *db, int code)
{
    return (code & 0xff) == SQLITE_FULL ? odp_failure_set("copy the store", NULL, ENOSPC)
                                        : odp_failure_set("copy the store:", sqlite3_errmsg(db), 0);
}

static enum odp_status copy_pages(sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
    if (b == NULL)
        return failed(to, sqlite3_errcode(to));
    int e = sqlite3_backup_step(b, -1); /* one read transaction: one moment, whatever is written meanwhile */
    int f = sqlite3_backup_finish(b);
    if (e != SQLITE_DONE || f != SQLITE_OK)
        return failed(to, e != SQLITE_DONE ? e : f);
    e = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL); /* one file, without a log */
    return e == SQLITE_OK ? ODP_OK : failed(to, e);
}

enum odp_status odp_store_remove(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    char full[PATH_SIZE];
    for (size_t i = 0; i < ODP_COUNT(ends); i++) {
        (void)snprintf(full, sizeof full, "%s%s", path, ends[i]);
        if (unlink(full) != 0 && errno != ENOENT)
            return odp_failure_set("remove", full, errno);
    }
    return ODP_OK;
}

enum odp_status odp_store_copy(sqlite3 *from, const char *path)
{
    sqlite3 *to = NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return odp_failure_set("create", path, errno);
    close(fd);
    int e = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    enum odp_status st = to == NULL       ? odp_failure_set("create", path, ENOMEM)
                         : e != SQLITE_OK ? failed(to, e)
                                          : copy_pages(from, to);
    odp_store_close(to);
    if (st == ODP_OK)
        st = odp_file_seal(path, NULL);
    if (st != ODP_OK && odp_store_remove(path) != ODP_OK)
        return ODP_FAIL;
    return st;
}

/* A copy of FROM at PATH, through a temporary name. LOG: a file to remove before the copy gets its name. */
static enum odp_status copy_over(sqlite3 *from, const char *path, const char *log)
{
    char part[PATH_SIZE];
    (void)snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    enum odp_status st = odp_store_remove(part); /* of a process that had our number and died */
    if (st == ODP_OK)
        st = odp_store_copy(from, part);
    if (st == ODP_OK && log != NULL)
        (void)unlink(log);
    if (st == ODP_OK && odp_file_rename(part, path) != ODP_OK) {
        (void)unlink(part);
        st = ODP_FAIL;
    }
    return st;
}

enum odp_status odp_store_verify(sqlite3 *db, bool quick, char *detail, size_t cap)
{
    detail[0] = '\0';
    struct odp_sql q = {.db = db};
    if (odp_sql_row(&q, quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)", "", "t", detail, cap))
        return strcmp(detail, "ok") == 0 ? ODP_OK : ODP_BAD;
    int code = sqlite3_errcode(db) & 0xff;
    (void)snprintf(detail, cap, "%s", sqlite3_errmsg(db));
    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
        return ODP_FAIL;
    odp_failure_clear();
    return ODP_BAD;
}

/* ---- backups ---- */

/* A backup may be replaced by the next one; nothing else may. */
static enum odp_status replaceable(const char *path, char why[ODP_WHY])
{
    struct stat s;
    uint8_t head[HEADER] = {0}, ours[4] = {0x6f, 0x64, 0x70, 0x67};
    if (lstat(path, &s) != 0)
        return ODP_OK;
    if (S_ISREG(s.st_mode)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
        if (fd >= 0)
            close(fd);
        if (n == 0 || (n == HEADER && memcmp(head, "SQLite format 3", 16) == 0 &&
                       memcmp(head + APPLICATION_AT, ours, sizeof ours) == 0))
            return ODP_OK;
    }
    return odp_state_bad(why, W_state_no_backup_there, path);
}

static enum odp_status usable(const char *path, char why[ODP_WHY])
{
    char dir[4096];
    const char *slash = strrchr(path, '/');
    int n = slash == NULL ? snprintf(dir, sizeof dir, ".")
                          : snprintf(dir, sizeof dir, "%.*s", (int)(slash - path + 1), path);
    if (n < 0 || (size_t)n >= sizeof dir || slash == path + strlen(path) - 1)
        return odp_state_bad(why, W_state_no_file_name, path);
    if (access(dir, W_OK | X_OK) != 0)
        return odp_state_bad(why, W_state_backup_not_written, dir, odp_state_reason(errno));
    return replaceable(path, why);
}

enum odp_status odp_store_backup(sqlite3 *db, const char *path, char why[ODP_WHY])
{
    sqlite3 *from = NULL;
    why[0] = '\0';
    enum odp_status st = usable(path, why);
    if (st == ODP_OK)
        st = odp_store_open_copy(&from, sqlite3_db_filename(db, "main"), why);
    if (st == ODP_OK)
        st = copy_over(from, path, NULL);
    odp_store_close(from);
    return st;
}

/* ---- a store whose file was taken away ---- */

enum odp_status odp_store_put_back(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    if (access(path, F_OK) != 0)
        return copy_over(db, path, sqlite3_filename_wal(path)); /* the copy has all of the log */
    /* Its log alone is gone; or another store has its name, of which nothing is changed: that one counts. */
    int e = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_FULL, NULL, NULL);
    return e == SQLITE_OK || e == SQLITE_BUSY ? ODP_OK : failed(db, e); /* closing does it once more */
}

/* ---- erasing for good ----
 *
 * secure_delete overwrites what is deleted, but copies of a row may be in the free space of pages that were
 * split since, and in the log: the file is written anew (VACUUM) and the log cut to nothing. Setting "scrub":
 * 2 both are to be done, 1 the log. */

enum odp_status odp_store_scrub_later(sqlite3 *db)
{
    return odp_store_run(
        db, "INSERT INTO setting(name, value) VALUES('scrub', 2) ON CONFLICT(name) DO UPDATE SET value = 2",
        "");
}

enum odp_status odp_store_scrub(sqlite3 *db)
{
    struct odp_sql q = {.db = db};
    bool busy = true;
    int64_t todo = odp_sql_number(&q, "SELECT value FROM setting WHERE name = 'scrub'", "");
    if (todo == 0)
        return q.st;
    if (todo == 2) {
        odp_sql_run(&q, "VACUUM", "");
        odp_sql_run(&q, "UPDATE setting SET value = 1 WHERE name = 'scrub'", "");
    }
    (void)sqlite3_busy_timeout(db, 0); /* the next try waits for a reader that stays, not this one */
    if (!odp_sql_row(&q, "PRAGMA wal_checkpoint(TRUNCATE)", "", "f", &busy) && q.st == ODP_OK)
        q.st = ODP_FAIL;
    (void)sqlite3_busy_timeout(db, ODP_STORE_BUSY_MS);
    if (q.st == ODP_OK && busy)
        return ODP_DONE;
    odp_sql_run(&q, "DELETE FROM setting WHERE name = 'scrub'", "");
    return q.st;
}
