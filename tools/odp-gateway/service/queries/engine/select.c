/* An index is seen as if it had the filter's columns: SQLite takes the inner SELECT apart, so
 * nothing is copied. */
#include "service/queries/engine/select.h"

#include "service/queries/engine/engine_internal.h"

/* "SELECT … FROM …": the records looked at as `f`, with the filter's columns, and as `d`. */
static void add_from(struct odp_query *q, struct odp_sql *sql, const struct odp_selection *selection,
                     const uint32_t *columns)
{
    const struct odp_search_info *info = q->info;
    odp_buffer_add_str(&sql->text, selection->ids != NULL ? "SELECT k.key" : "SELECT d.fid");
    query_add_texts(info, columns, info->ncolumns, sql);
    odp_buffer_add_str(&sql->text, " FROM ");
    if (selection->ids != NULL)
        query_sql(q, sql, "json_each(%x) AS k CROSS JOIN ", selection->ids);
    odp_buffer_add_str(&sql->text, "(SELECT fid");
    for (uint32_t k = 0; k < selection->ncolumns; k++)
        odp_buffer_printf(&sql->text, ", %s AS c%u",
                          selection->column[k] >= 0 ? info->columns[selection->column[k]].sql : "NULL",
                          (unsigned)k);
    query_sql(q, sql,
              info->has_geometry ? ", %g FROM %t) AS f CROSS JOIN %t AS d"
                                 : " FROM %t) AS f CROSS JOIN %t AS d");
    query_join_texts(info, columns, info->ncolumns, sql);
    odp_buffer_add_str(&sql->text, selection->ids != NULL ? " WHERE d.fid = f.fid AND f.fid = k.value"
                                                          : " WHERE d.fid = f.fid");
}

static void add_filter(struct odp_query *q, struct odp_sql *sql, const struct odp_selection *selection)
{
    const struct odp_sql_table *own = &q->call->index->table;
    const char **names = odp_arena_array(q->arena, (size_t)selection->ncolumns + 1, sizeof *names);
    bool *wide = odp_arena_zero(q->arena, (size_t)selection->ncolumns + 1, sizeof *wide);
    struct odp_sql_table table = *own;
    for (uint32_t k = 0; k < selection->ncolumns; k++) {
        names[k] = odp_arena_printf(q->arena, "c%u", (unsigned)k);
        wide[k] = selection->column[k] >= 0 && own->wide[selection->column[k]];
    }
    table.alias = "f";
    table.columns = names;
    table.wide = wide;
    table.no_box = selection->ids != NULL;
    odp_buffer_add_str(&sql->text, " AND (");
    if (odp_expr_sql(selection->filter, &table, sql) != ODP_OK)
        sql->text.failed = true;
    odp_buffer_add_char(&sql->text, ')');
}

enum odp_status
odp_index_select(struct odp_index *ix, const struct odp_selection *selection, struct odp_arena *a, void *ctx,
                 enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *texts))
{
    const struct odp_query_limits limits = {.time_ms = selection->time_ms};
    const struct odp_query_call call = {.index = ix, .limits = &limits};
    struct odp_query q = {.call = &call, .info = &ix->info, .arena = a};
    const uint32_t n = ix->info.ncolumns;
    uint32_t *columns = odp_arena_array(a, (size_t)n + 1, sizeof *columns);
    struct odp_slice *texts = odp_arena_array(a, (size_t)n + 1, sizeof *texts);
    struct query_rows rows;
    for (uint32_t k = 0; k < n; k++)
        columns[k] = k;
    enum odp_status status = query_run_begin(&q);
    if (status != ODP_OK)
        return status;
    query_rows_begin(&rows, &q);
    add_from(&q, &rows.sql, selection, columns);
    if (selection->filter != NULL)
        add_filter(&q, &rows.sql, selection);
    odp_buffer_add_str(&rows.sql.text, selection->ids == NULL ? " ORDER BY d.fid" : "");
    while (query_rows_next(&rows)) {
        (void)query_take_texts(rows.stmt, 1, &ix->info, columns, n, texts);
        status = visit(ctx, sqlite3_column_int64(rows.stmt, 0), texts);
        if (status != ODP_OK)
            break;
    }
    enum odp_status read = query_rows_end(&rows);
    query_run_end(&q);
    return status == ODP_OK ? read : status;
}
