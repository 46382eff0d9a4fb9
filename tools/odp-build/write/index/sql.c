/* SQLite for the writer. It needs no journal: a failed index is thrown away.
 *
 * Temporary files are made next to the index rather than in memory or the system's folder: so memory stays
 * bounded, and the folder's room is needed by the site anyway. A VFS in front of SQLite's default one gives
 * these files a name. They are unlinked as soon as they are open. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "write/index/index_internal.h"

enum {
    PAGE = 4096,       /* a browser reads pages of distant records one by one: by four times less */
    CACHE_KIB = 32768, /* of pages, and what a sort holds in memory */
    NAME_SIZE = 24,
    FILES_MAX = 64 /* names that are in use at the same time; a sort has a few */
};

struct writer_sql {
    sqlite3 *db;
    sqlite3_vfs vfs; /* zName is `name` */
    sqlite3_vfs *real;
    char name[40];
    bool registered;
    const char *path;
    unsigned long long files;
    char *names[FILES_MAX]; /* SQLite keeps a name as long as the file is open */
    size_t name_size;
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    struct writer_sql *s = (struct writer_sql *)((char *)vfs - offsetof(struct writer_sql, vfs));
    if (name == NULL) {
        char *text = s->names[s->files % FILES_MAX];
        (void)snprintf(text, s->name_size, "%s-%llu", s->path, ++s->files);
        text[strlen(text) + 1] = '\0'; /* no parameters of a URI */
        name = text;
    }
    /* Made here: where SQLite may not make a file, it looks for one to read, and keeps that there is none. */
    const int made = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (made < 0)
        return SQLITE_CANTOPEN;
    (void)close(made);
    return s->real->xOpen(s->real, name, file, flags & ~(SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE), out);
}

static void make_vfs(struct odp_search_writer *w)
{
    struct writer_sql *s = w->sql;
    s->path = w->job.path;
    s->real = sqlite3_vfs_find(NULL);
    if (s->real == NULL) {
        writer_fail(w, "write query index (SQLite does not start)", 0);
        return;
    }
    s->name_size = strlen(s->path) + NAME_SIZE;
    for (size_t k = 0; k < FILES_MAX; k++)
        s->names[k] = odp_arena_alloc(&w->arena, s->name_size + 1);
    s->vfs = *s->real;
    s->vfs.pNext = NULL;
    (void)snprintf(s->name, sizeof s->name, "odp-search-%p", (void *)s);
    s->vfs.zName = s->name;
    s->vfs.xOpen = open_file;
    s->registered = sqlite3_vfs_register(&s->vfs, 0) == SQLITE_OK;
    if (!s->registered)
        writer_fail(w, "write query index", ENOMEM);
}

void writer_fail(struct odp_search_writer *w, const char *why, int errnum)
{
    if (w->status == ODP_OK)
        w->status = odp_failure_set(why, w->job.path, errnum);
}

bool writer_check(struct odp_search_writer *w, int rc)
{
    bool good = rc == SQLITE_OK || rc == SQLITE_ROW || rc == SQLITE_DONE;
    if (w->status != ODP_OK || good)
        return w->status == ODP_OK;
    /* Of the call that failed, where SQLite does not keep it (a full quota, a file system become read-only).
     */
    int last = errno;
    int code = w->sql->db != NULL ? sqlite3_extended_errcode(w->sql->db) : rc;
    int errnum = w->sql->db != NULL ? sqlite3_system_errno(w->sql->db) : 0;
    if (errnum == 0 && (code & 0xff) == SQLITE_IOERR)
        errnum = last != 0 ? last : EIO;
    if ((code & 0xff) == SQLITE_FULL || (rc & 0xff) == SQLITE_FULL)
        errnum = ENOSPC;
    if ((code & 0xff) == SQLITE_READONLY) /* what it then opened, for reading, was made just before */
        errnum = EROFS;
    if ((rc & 0xff) == SQLITE_NOMEM)
        errnum = ENOMEM;
    char op[96];
    (void)snprintf(op, sizeof op, "write query index (%s)", sqlite3_errstr(code != SQLITE_OK ? code : rc));
    writer_fail(w, op, errnum);
    return false;
}

void writer_exec(struct odp_search_writer *w, const char *sql)
{
    if (w->status == ODP_OK)
        (void)writer_check(w, sqlite3_exec(w->sql->db, sql, NULL, NULL, NULL));
}

void writer_execf(struct odp_search_writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    if (sql != NULL)
        writer_exec(w, sql);
    else
        (void)writer_check(w, SQLITE_NOMEM);
    sqlite3_free(sql);
}

void writer_exec_text(struct odp_search_writer *w)
{
    if (w->text.failed)
        w->status = ODP_FAIL;
    writer_exec(w, odp_buffer_cstr(&w->text));
    odp_buffer_clear(&w->text);
}

int writer_module(struct odp_search_writer *w, const char *name, const sqlite3_module *module, void *ctx)
{
    return sqlite3_create_module(w->sql->db, name, module, ctx);
}

int writer_function(struct odp_search_writer *w, const char *name,
                    void (*call)(sqlite3_context *to, int n, sqlite3_value **args), void *ctx)
{
    return sqlite3_create_function(w->sql->db, name, 1, SQLITE_UTF8, ctx, call, NULL, NULL);
}

sqlite3_stmt *writer_prepare(struct odp_search_writer *w, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (w->status == ODP_OK)
        (void)writer_check(w, sqlite3_prepare_v3(w->sql->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL));
    return s;
}

sqlite3_stmt *writer_prepare_text(struct odp_search_writer *w)
{
    if (w->text.failed)
        w->status = ODP_FAIL;
    sqlite3_stmt *s = writer_prepare(w, odp_buffer_cstr(&w->text));
    odp_buffer_clear(&w->text);
    return s;
}

void writer_step(struct odp_search_writer *w, sqlite3_stmt *s, int rc)
{
    if (!writer_check(w, rc))
        return;
    (void)writer_check(w, sqlite3_step(s));
    (void)sqlite3_reset(s); /* returns step's failure again */
}

int writer_bind_text(sqlite3_stmt *s, int n, struct odp_slice text)
{
    return text.ptr != NULL ? sqlite3_bind_text64(s, n, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8)
                            : sqlite3_bind_null(s, n);
}

int writer_bind(sqlite3_stmt *s, int n, const struct writer_value *v)
{
    switch (v->tag) {
    case WRITER_INT:
        return sqlite3_bind_int64(s, n, v->i);
    case WRITER_REAL:
        return sqlite3_bind_double(s, n, v->r);
    case WRITER_TEXT:
        return writer_bind_text(s, n, v->text.ptr != NULL ? v->text : ODP_LIT(""));
    case WRITER_BLOB:
        return sqlite3_bind_blob64(s, n, v->text.ptr, v->text.len, SQLITE_STATIC);
    case WRITER_NULL:
        break;
    }
    return sqlite3_bind_null(s, n);
}

void writer_open(struct odp_search_writer *w)
{
    if (w->status != ODP_OK)
        return;
    w->made = odp_file_kind_of(w->job.path) == ODP_FILE_NONE;
    if (!w->made) {
        writer_fail(w, "write query index", EEXIST);
        return;
    }
    odp_sqlite_start();
    w->sql = odp_arena_zero(&w->arena, 1, sizeof *w->sql);
    make_vfs(w);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (w->status == ODP_OK)
        (void)writer_check(w, sqlite3_open_v2(w->job.path, &w->sql->db, flags, w->sql->name));
    /* Deleted content is as public as the rest. */
    writer_execf(w,
                 "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA "
                 "locking_mode=EXCLUSIVE; "
                 "PRAGMA secure_delete=OFF; PRAGMA temp_store=1; PRAGMA cache_size=-%d; BEGIN",
                 PAGE, CACHE_KIB);
}

void writer_close(struct odp_search_writer *w)
{
    if (w->sql == NULL)
        return;
    sqlite3 *db = w->sql->db;
    w->sql->db = NULL;
    int rc = sqlite3_close(db);
    for (size_t k = 0; k < FILES_MAX && k < w->sql->files; k++)
        (void)unlink(w->sql->names[k]); /* mostly gone already */
    if (w->sql->registered)
        (void)sqlite3_vfs_unregister(&w->sql->vfs);
    w->sql->registered = false;
    if (!writer_check(w, rc) && rc != SQLITE_OK)
        (void)sqlite3_close_v2(db);
}
