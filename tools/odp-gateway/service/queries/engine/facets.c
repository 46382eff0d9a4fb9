/* facets=a,b: how often each value of a column occurs among the records that match. Records are counted by what they are in
 * the index (equal numbers are one value however they are written) and shown as the first of them is published. Null is a value
 * like others. Most frequent first, then by value, null last among equals; at most 100 of a column.
 *
 *   {"data":[{"facet":"tingkat","title":{"id":…,"en":…},"values":[{"value":"Ringan","label":{"id":…,"en":…},"count":12},…],"more":false}],…}
 *   CSV: facet,value,label_id,label_en,count
 *
 * "label" is there where the column's codes or categories have labels; null where this one has none. */
#include "base/json.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/write_internal.h"

enum { VALUES_MAX = 100 };

struct facets {
    struct odp_query *q;
    struct query_run *run;
    struct odp_query_result *r;
    struct odp_query_fault *fault;
    struct query_reader reader; /* of the column that is counted */
    bool csv;
};

struct counted {
    int64_t id, count;
};

static enum odp_status make_sql(const struct odp_query *q, uint32_t k, struct odp_sql *sql)
{
    odp_buffer_add_str(&sql->text, "SELECT min(d.fid),count(*)");
    enum odp_status status = query_sql_where(q, sql, false);
    odp_buffer_add_str(&sql->text, " GROUP BY ");
    query_sql_key(q, k, sql);
    odp_buffer_add_str(&sql->text, " ORDER BY count(*) DESC,");
    query_sql_key(q, k, sql);
    odp_buffer_add_str(&sql->text, " NULLS LAST LIMIT ");
    odp_buffer_add_u64(&sql->text, VALUES_MAX + 1);
    return status;
}

/* The values of column K; *N of them, one more than are shown where there are more. */
static enum odp_status count_values(struct facets *f, uint32_t k, struct counted *out, uint32_t *n)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    *n = 0;
    odp_sql_init(&sql, f->q->arena);
    enum odp_status status = make_sql(f->q, k, &sql);
    if (status == ODP_OK)
        status = query_run_prepare(f->run, &sql, &stmt);
    while (status == ODP_OK && (status = query_run_step(f->run, stmt, f->fault)) == ODP_OK)
        out[(*n)++] = (struct counted){sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1)};
    if (stmt != NULL)
        query_run_done(f->run, stmt);
    odp_sql_release(&sql);
    return status == ODP_DONE ? ODP_OK : status;
}

static void add_value(const struct facets *f, uint32_t k, const struct counted *c,
                      const struct odp_text *label)
{
    const struct odp_search_column *column = &f->q->info->columns[k];
    struct odp_slice text = f->reader.row.values[k];
    struct odp_buffer *out = &f->r->body;
    if (f->csv) {
        query_csv_add_text(out, odp_slice_of(column->name));
        odp_buffer_add_char(out, ',');
        query_csv_add_value(out, column->type, text);
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            odp_buffer_add_char(out, ',');
            if (label != NULL)
                query_csv_add_text(out, odp_slice_of(odp_text_get(label, (enum odp_lang)lang)));
        }
        odp_buffer_add_char(out, ',');
        odp_buffer_add_u64(out, (uint64_t)c->count);
        odp_buffer_add_str(out, "\r\n");
        return;
    }
    odp_buffer_add_str(out, "{\"value\":");
    query_add_value(out, column->type, text);
    if (column->labels)
        odp_buffer_add_str(out, ",\"label\":");
    if (label != NULL)
        query_add_text(label, "", out);
    else if (column->labels)
        odp_buffer_add_str(out, "null");
    odp_buffer_add_str(out, ",\"count\":");
    odp_buffer_add_u64(out, (uint64_t)c->count);
    odp_buffer_add_char(out, '}');
}

static enum odp_status add_values(struct facets *f, uint32_t k, const struct counted *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct odp_text label;
        enum odp_status status = query_reader_read(&f->reader, values[i].id, f->fault);
        if (status == ODP_OK)
            status = query_view_label(f->q, f->run, k, f->reader.row.values[k], &label, f->fault);
        if (status == ODP_BAD || status == ODP_FAIL)
            return status;
        if (i > 0 && !f->csv)
            odp_buffer_add_char(&f->r->body, ',');
        add_value(f, k, &values[i], status == ODP_OK ? &label : NULL);
    }
    return ODP_OK;
}

/* SUM: how many records were counted; -1: not all. */
static enum odp_status add_facet(struct facets *f, uint32_t k, int64_t *sum)
{
    const struct odp_search_column *column = &f->q->info->columns[k];
    struct odp_buffer *out = &f->r->body;
    struct counted values[VALUES_MAX + 1];
    uint32_t n;
    enum odp_status status = count_values(f, k, values, &n);
    bool more = n > VALUES_MAX;
    if (status != ODP_OK)
        return status;
    *sum = more ? -1 : 0;
    for (uint32_t i = 0; i < n && !more; i++)
        *sum += values[i].count;
    if (!f->csv) {
        query_add_between(out);
        odp_buffer_add_str(out, "{\"facet\":");
        odp_json_add_string(out, odp_slice_of(column->name));
        odp_buffer_add_str(out, ",\"title\":");
        query_add_text(&column->title, column->name, out);
        odp_buffer_add_str(out, ",\"values\":[");
    }
    status = query_reader_begin(&f->reader, f->q, f->run, &k, 1, 0);
    if (status == ODP_OK)
        status = add_values(f, k, values, more ? VALUES_MAX : n);
    query_reader_end(&f->reader);
    if (!f->csv)
        odp_buffer_add_str(out, more ? "],\"more\":true}" : "],\"more\":false}");
    return status;
}

enum odp_status query_facets(struct odp_query *q, struct query_run *run, struct odp_query_result *r,
                             struct odp_query_fault *fault)
{
    struct facets f = {.q = q, .run = run, .r = r, .fault = fault, .csv = q->call->form == ODP_QUERY_CSV};
    enum odp_status status = ODP_OK;
    r->total = -1;
    r->returned = 0;
    odp_buffer_add_str(&r->body, f.csv ? "facet,value,label_id,label_en,count\r\n" : "{\"data\":[");
    for (uint32_t k = 0; k < q->nfacets && status == ODP_OK; k++) {
        int64_t sum = -1; /* what it stays without an answer */
        status = add_facet(&f, q->facets[k], &sum);
        r->total = sum >= 0 ? sum : r->total;
        r->returned++;
    }
    if (status == ODP_OK && r->total < 0)
        status = query_count(run, &r->total);
    if (status != ODP_OK)
        return status;
    if (!f.csv) {
        odp_buffer_add_str(&r->body,
                           r->returned > 0 ? "\n],\"status\":\"success\"" : "],\"status\":\"success\"");
        query_add_meta(q, r, &r->body);
        odp_buffer_add_str(&r->body, "}\n");
    }
    return odp_buffer_status(&r->body);
}
