/* What SQLite is told of the trees, a row each. */
#include "write/index/index_internal.h"

enum odp_status writer_put_schema(struct odp_search_writer *w, const char *type, const char *name, const char *table, uint32_t root)
{
    sqlite3_stmt *s;
    enum odp_status status = odp_buffer_status(&w->text);
    if (status == ODP_OK)
        status = writer_prepare(w, "INSERT INTO sqlite_schema VALUES(?, ?, ?, ?, ?)", &s);
    if (status != ODP_OK)
        return status;
    const char *texts[] = {type, name, table};
    int rc = SQLITE_OK;
    for (int k = 0; k < 3 && rc == SQLITE_OK; k++)
        rc = writer_bind_text(s, k + 1, odp_slice_of(texts[k]));
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(s, 4, root);
    if (rc == SQLITE_OK)
        rc = writer_bind_text(s, 5, odp_buffer_slice(&w->text));
    if (writer_check(w, rc) == ODP_OK)
        (void)!writer_step(w, s);
    (void)sqlite3_finalize(s);
    odp_buffer_clear(&w->text);
    return w->status;
}

enum odp_status writer_put_statistics(struct odp_search_writer *w, const char *table, const char *index)
{
    sqlite3_stmt *s;
    enum odp_status status = odp_buffer_status(&w->text);
    if (status == ODP_OK)
        status = writer_prepare(w, "INSERT INTO sqlite_stat1 VALUES(?, ?, ?)", &s);
    if (status != ODP_OK)
        return status;
    int rc = writer_bind_text(s, 1, odp_slice_of(table));
    if (rc == SQLITE_OK)
        rc = index != NULL ? writer_bind_text(s, 2, odp_slice_of(index)) : sqlite3_bind_null(s, 2);
    if (rc == SQLITE_OK)
        rc = writer_bind_text(s, 3, odp_buffer_slice(&w->text));
    if (writer_check(w, rc) == ODP_OK)
        (void)!writer_step(w, s);
    (void)sqlite3_finalize(s);
    return w->status;
}
