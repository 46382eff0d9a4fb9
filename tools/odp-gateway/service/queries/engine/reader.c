/* Reading records by their numbers: values as they are published, from the table of records and from
 * odp_exact (catalog/index/search.h). */
#include "service/queries/engine/engine_internal.h"

/* Where a column's text lies: the table of records (d), or odp_exact (e). */
void query_add_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                     struct odp_sql *sql)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct odp_search_column *c = &info->columns[columns[i]];
        odp_buffer_printf(&sql->text, ",%s.%s", odp_search_is_exact(c->type) ? "e" : "d", c->sql);
    }
}

void query_join_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                      struct odp_sql *sql)
{
    bool exact = false;
    for (uint32_t i = 0; i < n; i++)
        exact = exact || odp_search_is_exact(info->columns[columns[i]].type);
    odp_buffer_add_str(&sql->text, exact ? " JOIN odp_exact AS e ON e.fid=d.fid" : "");
}

/* By a list of numbers, in its order: a table on the left of CROSS JOIN is the outer loop. */
static enum odp_status make_sql(const struct query_reader *r, struct odp_sql *sql)
{
    const struct odp_search_info *info = r->q->info;
    bool exact = false;
    for (uint32_t i = 0; i < r->n; i++)
        exact = exact || odp_search_is_exact(info->columns[r->columns[i]].type);
    odp_buffer_add_str(&sql->text, "SELECT d.fid");
    query_add_texts(info, r->columns, r->n, sql);
    if (r->parts & QUERY_READ_SHAPE)
        odp_buffer_printf(&sql->text, ",d.%s", info->names.geometry);
    if (r->parts & QUERY_READ_SIMPLE)
        odp_buffer_add_str(&sql->text, ",g.simple");
    if (r->parts & QUERY_READ_LABEL)
        odp_buffer_add_str(&sql->text, ",g.lon,g.lat");
    odp_buffer_add_str(&sql->text, " FROM json_each(");
    enum odp_status status = odp_sql_bind(sql, &(struct odp_sql_value){.kind = ODP_SQL_NULL});
    odp_buffer_printf(&sql->text, ") AS w CROSS JOIN %s AS d ON d.fid=w.value", info->names.table);
    if (exact)
        odp_buffer_add_str(&sql->text, " CROSS JOIN odp_exact AS e ON e.fid=d.fid");
    if (r->parts & (QUERY_READ_SIMPLE | QUERY_READ_LABEL))
        odp_buffer_add_str(&sql->text, " LEFT JOIN odp_geometry AS g ON g.fid=d.fid");
    return status;
}

enum odp_status query_reader_begin(struct query_reader *r, struct odp_query *q, struct query_run *run,
                                   const uint32_t *columns, uint32_t n, unsigned parts)
{
    struct odp_sql sql;
    *r = (struct query_reader){.q = q, .run = run, .columns = columns, .n = n, .parts = parts};
    r->row.values = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *r->row.values);
    if (!odp_search_has_geometry(q->info))
        r->parts &= ~(unsigned)(QUERY_READ_SIMPLE | QUERY_READ_LABEL);
    odp_sql_init(&sql, q->arena);
    enum odp_status status = make_sql(r, &sql);
    if (status == ODP_OK)
        status = query_run_prepare(run, &sql, &r->stmt);
    odp_sql_release(&sql);
    return status;
}

void query_reader_end(struct query_reader *r)
{
    query_run_done(r->run, r->stmt);
    r->stmt = NULL;
}

static struct odp_slice bytes_at(sqlite3_stmt *stmt, int at)
{
    const char *bytes = sqlite3_column_blob(stmt, at); /* of a number its digits */
    int len = sqlite3_column_bytes(stmt, at);
    return (struct odp_slice){bytes != NULL ? bytes : "", (size_t)len};
}

/* The published text of a value of TYPE. */
static struct odp_slice value_at(sqlite3_stmt *stmt, int at, enum odp_type type)
{
    int kind = sqlite3_column_type(stmt, at);
    if (kind == SQLITE_NULL)
        return (struct odp_slice){NULL, 0};
    if (kind == SQLITE_INTEGER && type == ODP_TYPE_BOOLEAN)
        return sqlite3_column_int64(stmt, at) != 0 ? ODP_LIT("true") : ODP_LIT("false");
    return bytes_at(stmt, at);
}

size_t query_put_int(int64_t v, char digits[QUERY_DIGITS])
{
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char back[QUERY_DIGITS], *w = back + QUERY_DIGITS;
    do
        *--w = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (v < 0)
        *--w = '-';
    size_t len = (size_t)(back + QUERY_DIGITS - w);
    memcpy(digits, w, len);
    return len;
}

int query_take_texts(sqlite3_stmt *stmt, int at, const struct odp_search_info *info, const uint32_t *columns,
                     uint32_t n, struct odp_slice *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[columns[i]] = value_at(stmt, at++, info->columns[columns[i]].type);
    return at;
}

static void take_row(struct query_reader *r)
{
    struct query_row *row = &r->row;
    int at = query_take_texts(r->stmt, 1, r->q->info, r->columns, r->n, row->values);
    row->shape = row->simple = (struct odp_slice){NULL, 0};
    row->labelled = false;
    if (r->parts & QUERY_READ_SHAPE && sqlite3_column_type(r->stmt, at) != SQLITE_NULL)
        row->shape = bytes_at(r->stmt, at);
    at += (r->parts & QUERY_READ_SHAPE) != 0;
    if (r->parts & QUERY_READ_SIMPLE && sqlite3_column_type(r->stmt, at) != SQLITE_NULL)
        row->simple = bytes_at(r->stmt, at);
    at += (r->parts & QUERY_READ_SIMPLE) != 0;
    if (!(r->parts & QUERY_READ_LABEL) || sqlite3_column_type(r->stmt, at) == SQLITE_NULL)
        return;
    row->labelled = true;
    row->label[0] = sqlite3_column_double(r->stmt, at);
    row->label[1] = sqlite3_column_double(r->stmt, at + 1);
}

enum odp_status query_reader_take(struct query_reader *r, const int64_t *ids, uint32_t n)
{
    r->ids = ids;
    r->nids = n;
    r->at = 0;
    if (n > r->room) {
        r->list = odp_arena_array(r->q->arena, n, QUERY_DIGITS + 1);
        r->room = n;
    }
    char *p = r->list;
    for (uint32_t i = 0; i < n; i++) {
        *p++ = i > 0 ? ',' : '[';
        p += query_put_int(ids[i], p);
    }
    if (n > 0)
        *p++ = ']';
    (void)sqlite3_reset(r->stmt);
    size_t len = (size_t)(p - r->list);
    if (sqlite3_bind_text64(r->stmt, 1, r->list, len, SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
        return query_connection_failed(r->run->c, r->run->ix->path);
    return ODP_OK;
}

enum odp_status query_reader_next(struct query_reader *r, struct odp_query_fault *fault)
{
    enum odp_status status = query_run_step(r->run, r->stmt, fault);
    bool other = status == ODP_OK && (r->at >= r->nids || sqlite3_column_int64(r->stmt, 0) != r->ids[r->at]);
    if (status == ODP_DONE || other)
        return odp_failure_set("index: a record is missing", r->run->ix->path, 0);
    if (status != ODP_OK)
        return status;
    r->row.id = r->ids[r->at++];
    take_row(r);
    return ODP_OK;
}

enum odp_status query_reader_read(struct query_reader *r, int64_t id, struct odp_query_fault *fault)
{
    r->one = id;
    enum odp_status status = query_reader_take(r, &r->one, 1);
    return status == ODP_OK ? query_reader_next(r, fault) : status;
}
