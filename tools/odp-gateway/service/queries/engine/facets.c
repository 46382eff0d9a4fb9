/* facets=a,b: how often each value of a column occurs among the records that match. Records are counted by
 * what they are in the index (equal numbers are one value however they are written) and shown as the first of
 * them is published. Null is a value like others. Most frequent first, then by value, null last among equals;
 * at most 100 of a column.
 *
 *   {"data":[{"facet":"tingkat","title":{"id":…,"en":…},"values":[{"value":"Ringan","label":{"id":…,"en":…},"count":12},…],"more":false}],…}
 *   CSV: facet,value,label_id,label_en,count
 *
 * "label" is there where the column's codes or categories have labels; null where this one has none. */
#include "base/json.h"
#include "service/queries/engine/engine_internal.h"

enum { VALUES_MAX = 100 };

enum odp_status query_label(struct odp_query *q, uint32_t k, struct odp_slice text, struct odp_text *label)
{
    struct query_rows rows;
    if (!q->info->columns[k].labels || text.ptr == NULL)
        return ODP_DONE;
    query_rows_begin(&rows, q);
    query_sql(q, &rows.sql, "SELECT id,en FROM odp_label WHERE \"column\"=%x AND code=%b",
              q->info->columns[k].name, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = text});
    bool found = query_rows_next(&rows);
    for (enum odp_lang lang = 0; found && lang < ODP_LANGS; lang++)
        label->in[lang] = odp_arena_copy(q->arena, query_rows_bytes(&rows, (int)lang)).ptr;
    enum odp_status status = query_rows_end(&rows);
    return status == ODP_OK && !found ? ODP_DONE : status;
}

/* The values of column K with their counts, one more than are shown. The statement's columns: count, text. */
static void add_sql(const struct odp_query *q, const uint32_t *k, struct odp_sql *sql)
{
    query_sql(q, sql, "SELECT v.n");
    query_add_texts(q->info, k, 1, sql);
    query_sql(q, sql, " FROM (SELECT min(d.fid) AS fid,count(*) AS n,%k AS k", *k);
    query_sql_where(q, sql);
    query_sql(
        q, sql,
        " GROUP BY %k ORDER BY count(*) DESC,%k NULLS LAST LIMIT %u) AS v CROSS JOIN %t AS d ON d.fid=v.fid",
        *k, *k, VALUES_MAX + 1);
    query_join_texts(q->info, k, 1, sql);
    query_sql(q, sql, " ORDER BY v.n DESC,v.k NULLS LAST");
}

static void add_csv(struct odp_query *q, const struct odp_search_column *c, struct odp_slice text,
                    int64_t count, const struct odp_text *label)
{
    const struct odp_slice number = odp_slice_of(odp_arena_printf(q->arena, "%lld", (long long)count));
    query_add_cell(q, "facet", ODP_TYPE_STRING, odp_slice_of(c->name));
    query_add_cell(q, "value", c->type, text);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        query_add_cell(q, "label", ODP_TYPE_STRING,
                       label != NULL ? odp_slice_of(odp_text_get(label, lang)) : QUERY_NOTHING);
    query_add_cell(q, "count", ODP_TYPE_INTEGER, number);
    query_end_line(q);
}

static void add_json(struct odp_query *q, const struct odp_search_column *c, struct odp_slice text,
                     int64_t count, const struct odp_text *label)
{
    struct odp_buffer *out = &q->answer->body;
    odp_buffer_add_str(out, query_ends_with(out, '[') ? "{\"value\":" : ",{\"value\":");
    query_add_value(out, c->type, text);
    odp_buffer_add_str(out, c->labels ? ",\"label\":" : "");
    if (label != NULL)
        query_add_text(label, "", out);
    else
        odp_buffer_add_str(out, c->labels ? "null" : "");
    odp_buffer_printf(out, ",\"count\":%lld}", (long long)count);
}

/* *SUM: how many records were counted; *MORE: there are values that are not shown. */
static enum odp_status add_values(struct odp_query *q, const uint32_t *k, int64_t *sum, bool *more)
{
    const struct odp_search_column *c = &q->info->columns[*k];
    struct odp_slice *texts = odp_arena_array(q->arena, q->info->ncolumns, sizeof *texts);
    enum odp_status labelled = ODP_OK;
    struct query_rows rows;
    query_rows_begin(&rows, q);
    add_sql(q, k, &rows.sql);
    for (int n = 0; !*more && query_rows_next(&rows); n++) {
        struct odp_text label;
        int64_t count = sqlite3_column_int64(rows.stmt, 0);
        *more = n == VALUES_MAX;
        if (*more)
            break;
        *sum += count;
        (void)query_take_texts(rows.stmt, 1, q->info, k, 1, texts);
        labelled = query_label(q, *k, texts[*k], &label);
        if (labelled != ODP_OK && labelled != ODP_DONE)
            break;
        (query_is_csv(q) ? add_csv : add_json)(q, c, texts[*k], count, labelled == ODP_OK ? &label : NULL);
    }
    enum odp_status status = query_rows_end(&rows);
    return labelled == ODP_BAD || labelled == ODP_FAIL ? labelled : status;
}

enum odp_status query_facets(struct odp_query *q)
{
    struct odp_query_result *r = q->answer;
    struct odp_buffer *out = &r->body;
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(out, query_is_csv(q) ? "facet,value,label_id,label_en,count\r\n" : "{\"data\":[");
    for (uint32_t i = 0; i < q->nfacets && status == ODP_OK; i++) {
        const struct odp_search_column *c = &q->info->columns[q->facets[i]];
        int64_t sum = 0;
        bool more = false;
        if (!query_is_csv(q)) {
            query_add_between(out);
            odp_buffer_add_str(out, "{\"facet\":");
            odp_json_add_string(out, odp_slice_of(c->name));
            odp_buffer_add_str(out, ",\"title\":");
            query_add_text(&c->title, c->name, out);
            odp_buffer_add_str(out, ",\"values\":[");
        }
        status = add_values(q, &q->facets[i], &sum, &more);
        if (!query_is_csv(q))
            odp_buffer_add_str(out, more ? "],\"more\":true}" : "],\"more\":false}");
        r->total = more ? r->total : sum;
        r->returned++;
    }
    if (status == ODP_OK && r->total < 0)
        status = query_count(q, &r->total);
    if (status == ODP_OK && !query_is_csv(q))
        query_end_envelope(q, r->returned > 0, QUERY_NOTHING);
    return status;
}
