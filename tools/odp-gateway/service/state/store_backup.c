/* Copies of the store while it is in use, looking whether one is sound, and putting back what was taken away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "service/state/store_internal.h"

enum { HEADER = 100, APPLICATION_AT = 68 };

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
    int e = sqlite3_backup_step(b, -1); /* one read transaction: one moment, whoever writes meanwhile */
    int f = sqlite3_backup_finish(b);
    if (e != SQLITE_DONE)
        return failed(to, e);
    if (f != SQLITE_OK)
        return failed(to, f);
    e = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL,
                     NULL); /* one file, that any folder can hold */
    return e == SQLITE_OK ? ODP_OK : failed(to, e);
}

/* Of a copy that was not finished, with what SQLite has put beside it. */
static void remove_all(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    char full[4300];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        (void)snprintf(full, sizeof full, "%s%s", path, ends[i]);
        (void)unlink(full);
    }
}

enum odp_status odp_store_copy(sqlite3 *from, const char *path)
{
    sqlite3 *to = NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return odp_failure_set("create", path, errno);
    close(fd);
    enum odp_status st = ODP_OK;
    int e = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (e != SQLITE_OK)
        st = to != NULL ? failed(to, e) : odp_failure_set("create", path, ENOMEM);
    if (st == ODP_OK)
        st = copy_pages(from, to);
    odp_store_close(to);
    if (st == ODP_OK)
        st = odp_file_seal(path, NULL);
    if (st != ODP_OK)
        remove_all(path);
    return st;
}

enum odp_status odp_store_verify(sqlite3 *db, bool quick, char *detail, size_t cap)
{
    sqlite3_stmt *stmt = NULL;
    detail[0] = '\0';
    enum odp_status st =
        odp_store_prepare(db, &stmt, quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)", "");
    if (st == ODP_OK)
        st = odp_store_step(db, stmt);
    if (st == ODP_OK)
        odp_store_text(stmt, 0, detail, cap);
    else
        (void)snprintf(detail, cap, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    if (st == ODP_OK)
        return strcmp(detail, "ok") == 0 ? ODP_OK : ODP_BAD;
    int code = sqlite3_errcode(db) & 0xff;
    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
        return ODP_FAIL;
    odp_failure_clear();
    return ODP_BAD;
}

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
    (void)snprintf(why, ODP_WHY, "%.300s is there already and is not a backup; choose another name", path);
    return ODP_BAD;
}

static enum odp_status usable(const char *path, char why[ODP_WHY])
{
    char dir[4096];
    const char *slash = strrchr(path, '/');
    int n = slash == NULL ? snprintf(dir, sizeof dir, ".")
                          : snprintf(dir, sizeof dir, "%.*s", (int)(slash - path + 1), path);
    if (n < 0 || (size_t)n >= sizeof dir || slash == path + strlen(path) - 1) {
        (void)snprintf(why, ODP_WHY, "%.300s is not a name for a file", path);
        return ODP_BAD;
    }
    if (access(dir, W_OK | X_OK) != 0) {
        (void)snprintf(why, ODP_WHY, "a backup cannot be written into %.300s: %s", dir, strerror(errno));
        return ODP_BAD;
    }
    return replaceable(path, why);
}

enum odp_status odp_store_backup(sqlite3 *db, const char *path, char why[ODP_WHY])
{
    char part[4200];
    sqlite3 *from = NULL;
    why[0] = '\0';
    enum odp_status st = usable(path, why);
    if (st != ODP_OK)
        return st;
    (void)snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    remove_all(part); /* of a process that had our number and died */
    st = odp_store_open_copy(&from, sqlite3_db_filename(db, "main"), why);
    if (st == ODP_OK)
        st = odp_store_copy(from, part);
    odp_store_close(from);
    if (st == ODP_OK && odp_file_rename(part, path) != ODP_OK) {
        (void)unlink(part);
        st = ODP_FAIL;
    }
    return st;
}

/* ---- in its place ---- */

static const char *log_of(const char *path)
{
    return sqlite3_filename_wal(path);
}

enum odp_status odp_store_put_back(sqlite3 *db)
{
    char part[4200];
    const char *path = sqlite3_db_filename(db, "main");
    if (access(path, F_OK) ==
        0) { /* its log alone is gone; of another store nothing is changed, that one counts from now on */
        int e = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_FULL, NULL, NULL);
        return e == SQLITE_OK || e == SQLITE_BUSY ? ODP_OK : failed(db, e); /* closing does it once more */
    }
    (void)snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    remove_all(part);
    enum odp_status st = odp_store_copy(db, part);
    if (st == ODP_OK)
        (void)unlink(log_of(path)); /* all of it is in the copy */
    if (st == ODP_OK && odp_file_rename(part, path) != ODP_OK) {
        (void)unlink(part);
        st = ODP_FAIL;
    }
    return st;
}
