/* See among.h. An index is seen as if it had the filter's columns: SQLite takes the inner SELECT apart, so
 * nothing is copied. */
#include "service/queries/engine/among.h"

#include "service/queries/engine/engine_internal.h"

struct among {
    struct odp_index *ix;
    const struct odp_among *asked;
    struct odp_arena *arena;
    uint32_t *columns, n; /* of the index: all */
    struct odp_slice *texts;
};

/* " FROM …": the records looked at as `f`, with the filter's columns, and as `d`. */
static enum odp_status add_from(struct odp_sql *sql, const struct among *w)
{
    const struct odp_among *asked = w->asked;
    const struct odp_search_info *info = &w->ix->info;
    struct odp_buffer *b = &sql->text;
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(b, " FROM ");
    if (asked->ids != NULL) {
        odp_buffer_add_str(b, "json_each(");
        status = odp_sql_bind(
            sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(asked->ids)});
        odp_buffer_add_str(b, ") AS k CROSS JOIN ");
    }
    odp_buffer_add_str(b, "(SELECT fid");
    for (uint32_t k = 0; k < asked->ncolumns; k++)
        odp_buffer_printf(b, ", %s AS c%u",
                          asked->column[k] >= 0 ? info->columns[asked->column[k]].sql : "NULL", (unsigned)k);
    if (info->has_geometry)
        odp_buffer_printf(b, ", %s", info->names.geometry);
    odp_buffer_printf(b, " FROM %s) AS f CROSS JOIN %s AS d", info->names.table, info->names.table);
    query_join_texts(info, w->columns, w->n, sql);
    odp_buffer_add_str(b, asked->ids != NULL ? " WHERE d.fid = f.fid AND f.fid = k.value"
                                             : " WHERE d.fid = f.fid");
    return status;
}

static enum odp_status add_filter(struct odp_sql *sql, const struct among *w)
{
    const struct odp_among *asked = w->asked;
    const char **names = odp_arena_array(w->arena, (size_t)asked->ncolumns + 1, sizeof *names);
    bool *wide = odp_arena_zero(w->arena, (size_t)asked->ncolumns + 1, sizeof *wide);
    struct odp_sql_table table = w->ix->table;
    for (uint32_t k = 0; k < asked->ncolumns; k++) {
        names[k] = odp_arena_printf(w->arena, "c%u", (unsigned)k);
        wide[k] = asked->column[k] >= 0 && w->ix->table.wide[asked->column[k]];
    }
    table.alias = "f";
    table.columns = names;
    table.wide = wide;
    table.no_box = asked->ids != NULL;
    odp_buffer_add_str(&sql->text, " AND (");
    enum odp_status status = odp_expr_sql(asked->filter, &table, sql);
    odp_buffer_add_char(&sql->text, ')');
    return status;
}

static enum odp_status write_sql(struct odp_sql *sql, const struct among *w)
{
    const struct odp_among *asked = w->asked;
    odp_buffer_add_str(&sql->text, asked->ids != NULL ? "SELECT k.key" : "SELECT d.fid");
    query_add_texts(&w->ix->info, w->columns, w->n, sql);
    enum odp_status status = add_from(sql, w);
    if (status == ODP_OK && asked->filter != NULL)
        status = add_filter(sql, w);
    odp_buffer_add_str(&sql->text, asked->ids == NULL ? " ORDER BY d.fid" : "");
    return status;
}

enum odp_status
odp_index_among(struct odp_index *ix, const struct odp_among *asked, struct odp_arena *a, void *ctx,
                enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *texts))
{
    const struct odp_query_limits limits = {.time_ms = asked->time_ms};
    const struct odp_query_call call = {.index = ix, .limits = &limits};
    struct odp_query q = {.call = &call, .info = &ix->info, .arena = a};
    struct among w = {.ix = ix, .asked = asked, .arena = a, .n = ix->info.ncolumns};
    struct odp_query_fault fault;
    struct query_run *run = NULL;
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, a);
    w.columns = odp_arena_array(a, (size_t)w.n + 1, sizeof *w.columns);
    w.texts = odp_arena_array(a, (size_t)w.n + 1, sizeof *w.texts);
    for (uint32_t k = 0; k < w.n; k++)
        w.columns[k] = k;
    enum odp_status status = write_sql(&sql, &w);
    if (status == ODP_OK)
        status = query_run_begin(&run, &q);
    if (status == ODP_OK)
        status = query_run_prepare(run, &sql, &stmt);
    while (status == ODP_OK && (status = query_run_step(run, stmt, &fault)) == ODP_OK) {
        (void)query_take_texts(stmt, 1, &ix->info, w.columns, w.n, w.texts);
        status = visit(ctx, sqlite3_column_int64(stmt, 0), w.texts);
    }
    if (run != NULL)
        query_run_done(run, stmt);
    query_run_end(run);
    odp_sql_release(&sql);
    return status == ODP_DONE ? ODP_OK : status;
}
