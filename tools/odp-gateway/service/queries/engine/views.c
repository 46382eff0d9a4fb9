/* What codes mean, for views. */
#include "service/queries/engine/write_internal.h"

static const char *column_text(struct odp_query *q, sqlite3_stmt *stmt, int k)
{
    const char *text = (const char *)sqlite3_column_text(stmt, k);
    return text != NULL ? odp_arena_str(q->arena, text) : "";
}

enum odp_status query_view_label(struct odp_query *q, struct query_run *run, uint32_t k,
                                 struct odp_slice text, struct odp_text *label, struct odp_query_fault *fault)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    if (!q->info->columns[k].labels || text.ptr == NULL)
        return ODP_DONE;
    odp_sql_init(&sql, q->arena);
    odp_buffer_add_str(&sql.text, "SELECT id,en FROM odp_label WHERE \"column\"=");
    enum odp_status status = odp_sql_bind(
        &sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(q->info->columns[k].name)});
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
