#include "catalog/index/reading.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>

static void do_not_count(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void odp_sqlite_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, do_not_count);
}

/* "file:" and the path, so that no character of it means anything else; "file://" before an absolute one,
 * whose beginning is no host then. */
const char *odp_search_uri(const char *path, struct odp_arena *a)
{
    struct odp_buffer b = {0};
    odp_buffer_add_str(&b, path[0] == '/' ? "file://" : "file:");
    odp_text_percent_but(&b, odp_slice_of(path), "/");
    odp_buffer_add_str(&b, "?mode=ro&immutable=1");
    return odp_buffer_keep(&b, a);
}

/* BAD: not an index. FAIL: it cannot be read. */
static enum odp_status no_index(sqlite3 *db, int rc, const char *path)
{
    int kind = rc & 0xff, errnum = kind == SQLITE_NOMEM ? ENOMEM : db != NULL ? sqlite3_system_errno(db) : 0;
    if (kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT || kind == SQLITE_ERROR)
        return ODP_BAD;
    return odp_failure_set("read a query index", path, errnum);
}

enum odp_status odp_search_meta(sqlite3 *db, const char *name, const char *path, struct odp_arena *a,
                                struct odp_slice *value)
{
    sqlite3_stmt *stmt = NULL;
    *value = (struct odp_slice){NULL, 0};
    int rc = sqlite3_prepare_v2(db, "SELECT value FROM odp_meta WHERE name = ?", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        bool text = sqlite3_column_type(stmt, 0) == SQLITE_TEXT;
        const char *ptr = text ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
        if (ptr != NULL)
            *value = odp_arena_copy(a, (struct odp_slice){ptr, (size_t)sqlite3_column_bytes(stmt, 0)});
        rc = text && ptr == NULL ? SQLITE_NOMEM : SQLITE_DONE;
    }
    enum odp_status status = rc == SQLITE_DONE ? ODP_OK : no_index(db, rc, path);
    (void)sqlite3_finalize(stmt);
    return status;
}

enum odp_status odp_search_info_open(struct odp_search_info *i, const char *path, struct odp_arena *a,
                                     const char **why)
{
    sqlite3 *db = NULL;
    struct odp_slice layout, info;
    const char *uri = odp_search_uri(path, a);
    *why = "it is not a query index";
    int rc = sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    enum odp_status status =
        rc == SQLITE_OK ? odp_search_meta(db, "layout", path, a, &layout) : no_index(db, rc, path);
    if (status == ODP_OK && !odp_slice_is(layout, ODP_SEARCH_LAYOUT)) {
        *why = "it is a query index of another layout";
        status = ODP_BAD;
    }
    if (status == ODP_OK)
        status = odp_search_meta(db, "info", path, a, &info);
    if (status == ODP_OK)
        status = info.ptr != NULL ? odp_search_info_read(i, info, a) : ODP_BAD;
    (void)sqlite3_close(db);
    return status;
}
