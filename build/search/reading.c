#include "search/reading.h"

#include <sqlite3.h>
#include <string.h>

/* "file:<path>?immutable=1": nothing else of SQLite's (journals, locks) is looked for beside a published file. */
static char *uri_of(const char *path, struct odp_arena *a)
{
    char *out = odp_arena_array(a, strlen(path) * 3 + sizeof "file:?immutable=1", 1), *w = out;
    if (out == NULL)
        return NULL;
    memcpy(w, "file:", 5);
    w += 5;
    for (const char *p = path; *p != '\0'; p++) {
        if (strchr("?#%", *p) == NULL) {
            *w++ = *p;
            continue;
        }
        static const char hex[] = "0123456789ABCDEF";
        *w++ = '%';
        *w++ = hex[(unsigned char)*p >> 4];
        *w++ = hex[(unsigned char)*p & 15];
    }
    memcpy(w, "?immutable=1", sizeof "?immutable=1");
    return out;
}

/* The value NAME of meta, in A; ptr NULL: none. */
static enum odp_status meta_value(sqlite3 *db, const char *name, struct odp_slice *value, struct odp_arena *a)
{
    sqlite3_stmt *stmt = NULL;
    *value = (struct odp_slice){NULL, 0};
    int rc = sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE name = ?", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);
        *value = text != NULL ? odp_arena_copy(a, (struct odp_slice){text, (size_t)sqlite3_column_bytes(stmt, 0)}) : *value;
        rc = text != NULL && value->ptr == NULL ? SQLITE_NOMEM : SQLITE_DONE;
    }
    (void)sqlite3_finalize(stmt);
    if (rc == SQLITE_NOMEM)
        return odp_failure_set("read a query index", name, 0);
    return rc == SQLITE_DONE ? ODP_OK : ODP_BAD;
}

enum odp_status odp_search_info_open(struct odp_search_info *i, const char *path, struct odp_arena *a, const char **why)
{
    sqlite3 *db = NULL;
    struct odp_slice layout, info;
    const char *uri = uri_of(path, a);
    *why = "it is not a query index";
    if (uri == NULL)
        return ODP_FAIL;
    int rc = sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    enum odp_status status = rc == SQLITE_OK ? meta_value(db, "layout", &layout, a) : rc == SQLITE_NOMEM ? ODP_FAIL : ODP_BAD;
    if (status == ODP_OK && !odp_slice_is(layout, ODP_SEARCH_LAYOUT)) {
        *why = "it is a query index of another layout";
        status = ODP_BAD;
    }
    if (status == ODP_OK)
        status = meta_value(db, "info", &info, a);
    if (status == ODP_OK)
        status = info.ptr != NULL ? odp_search_info_read(i, info, a) : ODP_BAD;
    (void)sqlite3_close(db);
    return status;
}
