/* See among.h. An index is seen as if it had the filter's columns: SQLite takes the inner SELECT apart, so nothing is copied. */
#include "service/queries/engine/among.h"

#include "catalog/index/cells.h"
#include "service/queries/engine/engine_internal.h"

/* " FROM …": the records looked at as `d`, with the filter's columns, and their cells as `r`. */
static enum odp_status add_from(struct odp_sql *sql, const struct odp_among *asked)
{
    struct odp_buffer *b = &sql->text;
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(b, " FROM ");
    if (asked->ids != NULL) {
        odp_buffer_add_str(b, "json_each(");
        status = odp_sql_bind(sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(asked->ids)});
        odp_buffer_add_str(b, ") AS k CROSS JOIN ");
    }
    odp_buffer_add_str(b, "(SELECT id");
    for (uint32_t k = 0; k < asked->ncolumns; k++) {
        if (asked->column[k] >= 0)
            odp_buffer_printf(b, ", c%d AS c%u", asked->column[k], (unsigned)k);
        else
            odp_buffer_printf(b, ", NULL AS c%u", (unsigned)k);
    }
    odp_buffer_add_str(b, " FROM data) AS d CROSS JOIN record AS r WHERE r.id = d.id");
    if (asked->ids != NULL)
        odp_buffer_add_str(b, " AND d.id = k.value");
    return status;
}

static enum odp_status write_sql(struct odp_sql *sql, const struct odp_index *ix, const struct odp_among *asked)
{
    bool *wide = odp_arena_zero(sql->arena, (size_t)asked->ncolumns + 1, sizeof *wide);
    for (uint32_t k = 0; k < asked->ncolumns; k++)
        wide[k] = asked->column[k] >= 0 && ix->wide[asked->column[k]];
    odp_buffer_printf(&sql->text, "SELECT %s, r.cells", asked->ids != NULL ? "k.key" : "d.id");
    enum odp_status status = add_from(sql, asked);
    if (status == ODP_OK && asked->filter != NULL) {
        odp_buffer_add_str(&sql->text, " AND (");
        status = odp_expr_sql(asked->filter, &(struct odp_sql_table){"d", wide, asked->ids != NULL}, sql);
        odp_buffer_add_char(&sql->text, ')');
    }
    if (asked->ids == NULL)
        odp_buffer_add_str(&sql->text, " ORDER BY d.id");
    return status;
}

static enum odp_status visit_row(const struct query_run *run, sqlite3_stmt *stmt, struct odp_slice *cells, void *ctx,
                                 enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *cells))
{
    const char *bytes = sqlite3_column_blob(stmt, 1);
    const struct odp_slice packed = {bytes, bytes != NULL ? (size_t)sqlite3_column_bytes(stmt, 1) : 0};
    if (!odp_cells_split(packed, cells, run->ix->info.ncolumns))
        return odp_failure_set("index: a record is damaged", run->ix->path, 0);
    return visit(ctx, sqlite3_column_int64(stmt, 0), cells);
}

enum odp_status odp_index_among(struct odp_index *ix, const struct odp_among *asked, struct odp_arena *a, void *ctx,
                                enum odp_status (*visit)(void *ctx, int64_t at, const struct odp_slice *cells))
{
    const struct odp_query_limits limits = {.time_ms = asked->time_ms};
    const struct odp_query_call call = {.index = ix, .limits = &limits};
    struct odp_query q = {.call = &call, .info = &ix->info, .arena = a};
    struct odp_query_fault fault;
    struct query_run *run = NULL;
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, a);
    struct odp_slice *cells = odp_arena_array(a, (size_t)ix->info.ncolumns + 1, sizeof *cells);
    enum odp_status status = write_sql(&sql, ix, asked);
    if (status == ODP_OK)
        status = query_run_begin(&run, &q);
    if (status == ODP_OK)
        status = query_run_prepare(run, &sql, &stmt);
    while (status == ODP_OK && (status = query_run_step(run, stmt, &fault)) == ODP_OK)
        status = visit_row(run, stmt, cells, ctx, visit);
    if (run != NULL)
        query_run_done(run, stmt);
    query_run_end(run);
    odp_sql_release(&sql);
    return status == ODP_DONE ? ODP_OK : status;
}
