/* What facets, aggregates and the gantt view have in common: they count in `data` and show values as they are published, which
 * is in `record`. */
#include <errno.h>

#include "base/json.h"
#include "catalog/index/cells.h"
#include "service/queries/engine/write_internal.h"

enum odp_status query_view_text(struct odp_query *q, struct odp_slice cell, struct odp_slice *text)
{
    size_t len = 0;
    *text = cell;
    if (cell.ptr == NULL || cell.len < 2 || cell.ptr[0] != '"')
        return ODP_OK;
    struct odp_slice raw = {cell.ptr + 1, cell.len - 2};
    *text = raw;
    if (memchr(raw.ptr, '\\', raw.len) == NULL)
        return ODP_OK;
    char *plain = odp_arena_alloc(q->arena, raw.len);
    if (plain == NULL)
        return ODP_FAIL;
    if (!odp_json_unescape(raw, plain, &len))
        return odp_failure_set("index", "cells", EIO);
    *text = (struct odp_slice){plain, len};
    return ODP_OK;
}

void query_view_column(const struct odp_query *q, uint32_t k, struct odp_sql *sql)
{
    bool wide = q->info->columns[k].wide;
    odp_buffer_add_str(&sql->text, wide ? "odp_order(d.c" : "d.c");
    odp_buffer_add_u64(&sql->text, k);
    if (wide)
        odp_buffer_add_char(&sql->text, ')');
}

enum odp_status query_view_cells_begin(struct query_view_cells *v, struct odp_query *q, struct query_run *run)
{
    *v = (struct query_view_cells){.q = q, .run = run};
    odp_buffer_init(&v->bytes);
    v->cells = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *v->cells);
    return v->cells != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status query_view_cells_find(struct query_view_cells *v, int64_t id, struct odp_query_fault *fault)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, v->q->arena);
    odp_buffer_add_str(&sql.text, "SELECT cells FROM record WHERE id=");
    enum odp_status status = odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = id});
    if (status == ODP_OK)
        status = query_run_prepare(v->run, &sql, &stmt);
    if (status == ODP_OK)
        status = query_run_step(v->run, stmt, fault);
    if (status == ODP_OK) {
        odp_buffer_clear(&v->bytes);
        odp_buffer_add(&v->bytes, sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
        status = odp_buffer_status(&v->bytes);
        if (status == ODP_OK && !odp_cells_split(odp_buffer_slice(&v->bytes), v->cells, v->q->info->ncolumns))
            status = odp_failure_set("index", "cells", EIO);
    } else if (status == ODP_DONE) {
        status = odp_failure_set("index", "record", EIO);
    }
    if (stmt != NULL)
        query_run_done(v->run, stmt);
    odp_sql_release(&sql);
    return status;
}

void query_view_cells_end(struct query_view_cells *v)
{
    odp_buffer_release(&v->bytes);
}

static const char *column_text(struct odp_query *q, sqlite3_stmt *stmt, int k)
{
    const char *text = (const char *)sqlite3_column_text(stmt, k);
    return text != NULL ? odp_arena_str(q->arena, text) : "";
}

enum odp_status query_view_label(struct odp_query *q, struct query_run *run, uint32_t k, struct odp_slice text,
                                 struct odp_text *label, struct odp_query_fault *fault)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    if (!q->info->columns[k].labels || text.ptr == NULL)
        return ODP_DONE;
    odp_sql_init(&sql, q->arena);
    odp_buffer_add_str(&sql.text, "SELECT id,en FROM label WHERE \"column\"=");
    enum odp_status status =
        odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(q->info->columns[k].name)});
    odp_buffer_add_str(&sql.text, " AND code=");
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = text});
    if (status == ODP_OK)
        status = query_run_prepare(run, &sql, &stmt);
    if (status == ODP_OK)
        status = query_run_step(run, stmt, fault);
    if (status == ODP_OK) {
        label->in[ODP_LANG_ID] = column_text(q, stmt, 0);
        label->in[ODP_LANG_EN] = column_text(q, stmt, 1);
        status = label->in[ODP_LANG_ID] != NULL && label->in[ODP_LANG_EN] != NULL ? ODP_OK : ODP_FAIL;
    }
    if (stmt != NULL)
        query_run_done(run, stmt);
    odp_sql_release(&sql);
    return status;
}
