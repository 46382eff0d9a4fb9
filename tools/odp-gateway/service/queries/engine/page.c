/* A page of records: their numbers (ids.c), then each record by its number. A page ends after `limit`
 * records, or when its body has the bytes allowed; one record more than that is asked for, to know whether
 * there is a next page. */
#include "service/queries/engine/cursor.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

struct page {
    struct odp_query *q;
    struct query_run *run;
    struct odp_query_result *r;
    struct odp_query_fault *fault;
    const struct query_writer *writer;
    int64_t *ids; /* in the order of reading */
    uint32_t n;   /* of them; one more than the limit where more follow */
    struct query_reader reader;
};

/* ---- the records ---- */

/* What is shown, and the key, each once. */
static enum odp_status columns_of(struct odp_query *q, uint32_t **out, uint32_t *n)
{
    const struct odp_search_info *info = q->info;
    bool *wanted = odp_arena_zero(q->arena, (size_t)info->ncolumns + 1, sizeof *wanted);
    *out = odp_arena_array(q->arena, (size_t)info->ncolumns + 1, sizeof **out);
    *n = 0;
    if (*out == NULL)
        return ODP_FAIL;
    for (uint32_t k = 0; k < q->nselect; k++)
        wanted[q->select[k]] = true;
    for (uint32_t k = 0; k < info->nkey; k++)
        wanted[info->key[k]] = true;
    for (uint32_t k = 0; k < info->ncolumns; k++)
        if (wanted[k])
            (*out)[(*n)++] = k;
    return ODP_OK;
}

static enum odp_status begin_records(struct page *p)
{
    struct odp_query *q = p->q;
    uint32_t *columns, n;
    unsigned parts = q->show_geometry && q->info->has_geometry ? p->writer->parts : 0;
    if (q->info->mode != ODP_GEOMETRY_SIMPLIFIED)
        parts &= ~(unsigned)QUERY_READ_SIMPLE;
    if (q->info->csv_points)
        parts &= ~(unsigned)QUERY_READ_LABEL;
    if (columns_of(q, &columns, &n) != ODP_OK)
        return ODP_FAIL;
    return query_reader_begin(&p->reader, q, p->run, columns, n, parts);
}

/* How many of a backward page's records fit: sizes are known only when bodies are made, and those come
 * from the other end. About what the forms take. */
static enum odp_status fit_backward(struct page *p, uint32_t *count)
{
    size_t bytes = 0;
    enum odp_status status = query_reader_take(&p->reader, p->ids, *count);
    uint32_t n = 0;
    while (n < *count && status == ODP_OK && (n == 0 || bytes < p->q->call->limits->bytes)) {
        status = query_reader_next(&p->reader, p->fault);
        for (uint32_t k = 0; k < p->reader.n; k++)
            bytes += p->reader.row.values[p->reader.columns[k]].len + 2;
        bytes +=
            p->reader.row.simple.ptr != NULL ? p->reader.row.simple.len : p->reader.row.shape.len * 5 / 4;
        n++;
    }
    *count = n;
    return status;
}

/* The first COUNT, in the order in which they are shown. */
static enum odp_status take_records(struct page *p, uint32_t count)
{
    if (!p->q->backward)
        return query_reader_take(&p->reader, p->ids, count);
    int64_t *ids = odp_arena_array(p->q->arena, count + 1u, sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = p->ids[count - 1 - i];
    return query_reader_take(&p->reader, ids, count);
}

static enum odp_status write_records(struct page *p, uint32_t count, uint32_t *written)
{
    size_t start = p->r->body.len, most = p->q->call->limits->bytes;
    enum odp_status status = take_records(p, count);
    *written = 0;
    while (*written < count && status == ODP_OK) {
        if (*written > 0 && most > 0 && !p->q->backward && p->r->body.len - start >= most)
            break;
        status = query_reader_next(&p->reader, p->fault);
        if (status == ODP_OK)
            status = p->writer->row(p->q, &p->reader.row, p->r);
        if (status == ODP_OK)
            status = odp_buffer_status(&p->r->body);
        p->r->returned += status == ODP_OK;
        *written += status == ODP_OK;
    }
    return status;
}

/* WRITTEN of the records, which were COUNT at most, stand in the body. */
static enum odp_status make_links(struct page *p, uint32_t written)
{
    struct odp_query *q = p->q;
    const char *cursor;
    bool more = written < p->n, from_cursor = q->after != NULL || q->offset > 0;
    if (written == 0)
        return ODP_OK;
    int64_t first = q->backward ? p->ids[written - 1] : p->ids[0],
            last = q->backward ? p->ids[0] : p->ids[written - 1];
    if (q->backward || more) {
        cursor = query_cursor_of(q, last, false);
        p->r->next = cursor != NULL ? query_link(q, cursor) : NULL;
        if (p->r->next == NULL)
            return ODP_FAIL;
    }
    if (q->backward ? more : from_cursor) {
        cursor = query_cursor_of(q, first, true);
        p->r->previous = cursor != NULL ? query_link(q, cursor) : NULL;
        if (p->r->previous == NULL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status write_page(struct page *p)
{
    uint32_t count = p->n > p->q->limit ? p->q->limit : p->n, written = 0;
    enum odp_status status = begin_records(p);
    p->r->looked_at = query_run_looked(p->run);
    if (status == ODP_OK && p->q->backward && p->q->call->limits->bytes > 0)
        status = fit_backward(p, &count);
    if (status == ODP_OK)
        status = p->writer->begin(p->q, p->r);
    if (status == ODP_OK)
        status = write_records(p, count, &written);
    query_reader_end(&p->reader);
    if (status == ODP_OK)
        status = make_links(p, written);
    bool all = p->q->after == NULL && p->q->offset == 0 && written == p->n;
    p->r->total = (int64_t)written;
    if (status == ODP_OK && !all)
        status = query_count(p->run, &p->r->total);
    return status == ODP_OK ? p->writer->end(p->q, p->r) : status;
}

enum odp_status query_page(struct odp_query *q, struct query_run *run, struct odp_query_result *r,
                           struct odp_query_fault *fault)
{
    struct page p = {.q = q, .run = run, .r = r, .fault = fault, .writer = query_writer_of(q->call->form)};
    enum odp_status status = query_find_ids(q, run, &p.ids, &p.n, fault);
    return status == ODP_OK ? write_page(&p) : status;
}

/* ---- one record ---- */

/* The next part of a composite key, up to its comma, with %25 and %2C decoded. BAD: there is no comma
 * behind it, and it is not the last one. */
static enum odp_status next_part(struct odp_query *q, struct odp_slice *rest, bool last,
                                 struct odp_slice *part)
{
    size_t end = 0, n = 0;
    while (end < rest->len && rest->ptr[end] != ',')
        end++;
    char *out = odp_arena_alloc(q->arena, end + 1);
    for (size_t i = 0; i < end; i++) {
        bool percent = rest->ptr[i] == '%' && end - i > 2 && rest->ptr[i + 1] == '2';
        if (percent && (rest->ptr[i + 2] == '5' || (rest->ptr[i + 2] | 0x20) == 'c')) {
            out[n++] = rest->ptr[i + 2] == '5' ? '%' : ',';
            i += 2;
        } else {
            out[n++] = rest->ptr[i];
        }
    }
    *part = (struct odp_slice){out, n};
    if ((end == rest->len) != last)
        return ODP_BAD;
    size_t used = last ? end : end + 1;
    *rest = (struct odp_slice){rest->ptr + used, rest->len - used};
    return ODP_OK;
}

/* " WHERE d."kode" = ? AND …". BAD: no record can have that key. */
static enum odp_status key_condition(struct odp_query *q, struct odp_sql *sql)
{
    const struct odp_search_info *info = q->info;
    struct odp_slice rest = q->call->key, part;
    struct odp_sql_value v;
    struct odp_text expected;
    enum odp_status status = ODP_OK;
    odp_buffer_printf(&sql->text, "SELECT d.fid FROM %s AS d WHERE ", info->names.table);
    if (info->nkey == 0) {
        odp_buffer_add_str(&sql->text, "d.fid = ");
        status = odp_sql_literal(rest, ODP_TYPE_INTEGER, q->arena, &v, &expected);
        if (status == ODP_OK && v.kind != ODP_SQL_INT)
            status = ODP_BAD;
        return status == ODP_OK ? odp_sql_bind(sql, &v) : status;
    }
    for (uint32_t i = 0; i < info->nkey && status == ODP_OK; i++) {
        const struct odp_search_column *c = &info->columns[info->key[i]];
        part = rest; /* a key of one field is its value, as it is */
        if (info->nkey > 1)
            status = next_part(q, &rest, i + 1 == info->nkey, &part);
        if (status == ODP_OK)
            status = odp_sql_literal(part, c->type, q->arena, &v, &expected);
        if (status != ODP_OK)
            break;
        odp_buffer_add_str(&sql->text, i > 0 ? " AND " : "");
        query_sql_key(q, info->key[i], sql);
        odp_buffer_add_str(&sql->text, c->wide ? " = odp_order(" : " = ");
        status = odp_sql_bind(sql, &v);
        odp_buffer_add_str(&sql->text, c->wide ? ")" : "");
    }
    return status;
}

static enum odp_status find_key(struct page *p)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, p->q->arena);
    enum odp_status status = key_condition(p->q, &sql);
    if (status == ODP_OK)
        status = query_run_prepare(p->run, &sql, &stmt);
    if (status == ODP_OK && (status = query_run_step(p->run, stmt, p->fault)) == ODP_OK)
        p->ids[p->n++] = sqlite3_column_int64(stmt, 0);
    else if (status == ODP_BAD && stmt != NULL)
        goto done; /* a limit */
    if (status == ODP_DONE || status == ODP_BAD)
        status = query_fault(p->q, p->fault, ODP_QUERY_NOT_FOUND, NULL, W_queries_there_no_record_with_key,
                             p->q->call->key, (struct odp_slice){NULL, 0});
done:
    query_run_done(p->run, stmt);
    odp_sql_release(&sql);
    return status;
}

enum odp_status query_item(struct odp_query *q, struct query_run *run, struct odp_query_result *r,
                           struct odp_query_fault *fault)
{
    int64_t id;
    struct page p = {
        .q = q, .run = run, .r = r, .fault = fault, .writer = query_writer_of(q->call->form), .ids = &id};
    enum odp_status status = find_key(&p);
    if (status != ODP_OK)
        return status;
    status = begin_records(&p);
    if (status == ODP_OK)
        status = p.writer->begin(q, r);
    if (status == ODP_OK)
        status = query_reader_read(&p.reader, id, fault);
    if (status == ODP_OK)
        status = p.writer->row(q, &p.reader.row, r);
    query_reader_end(&p.reader);
    if (status != ODP_OK)
        return status;
    r->returned = 1;
    r->total = 1;
    r->looked_at = query_run_looked(run);
    return p.writer->end(q, r);
}
