/* aggregate=sum(a),avg(a),min(a),max(a),count() groupby=a,b: an object a group, in the order of the groups
 * (null last).
 *
 *   {"data":[{"kode_provinsi":"31","sum_luas_ha":12.50,"count":3},…],"status":"success",
 *    "meta":{…,"labels":{"kode_provinsi":{"31":{"id":…,"en":…}}}},…}
 *   CSV: kode_provinsi,sum_luas_ha,count   (labels=true: kode_provinsi,kode_provinsi_nama,…)
 *
 * Sums are exact; an average is the exact quotient, rounded half even to six decimals more than the column
 * has. Other values are as published. Labels of codes are in meta.labels. More than 10,000 groups are
 * refused, not cut: sums over a part would be wrong without notice. */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "service/queries/engine/engine_internal.h"
#include "base/decimal.h"
#include "words/queries.h"

/* ---- facets ---- */

/* facets=a,b: how often each value of a column occurs among the matching records. Equal values of the index
 * are one value (numbers, however written), shown as the first is published; null is a value. Most frequent
 * first, then by value; at most 100 of a column.
 *
 *   {"data":[{"facet":"tingkat","title":{"id":…,"en":…},"values":[{"value":"Ringan","label":{"id":…,"en":…},
 *    "count":12},…],"more":false}],…}
 *   CSV: facet,value,label_id,label_en,count
 *
 * "label" exists where the column's codes or categories have labels; null where this one has none. */

enum { VALUES_MAX = 100 };

/* The values of column K with their counts, one more than are shown. The statement's columns: count, text. */
static void add_values_sql(const struct odp_query *q, const uint32_t *k, struct odp_sql *sql)
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
    enum odp_status named = ODP_OK;
    struct query_rows rows;
    query_rows_begin(&rows, q);
    add_values_sql(q, k, &rows.sql);
    for (int n = 0; !*more && query_rows_next(&rows); n++) {
        struct odp_text label;
        int64_t count = sqlite3_column_int64(rows.stmt, 0);
        *more = n == VALUES_MAX;
        if (*more)
            break;
        *sum += count;
        (void)query_take_texts(rows.stmt, 1, q->info, k, 1, texts);
        named = query_find_name(q, *k, texts[*k], &label);
        if (named != ODP_OK)
            break;
        (query_is_csv(q) ? add_csv : add_json)(q, c, texts[*k], count,
                                               odp_text_is_empty(&label) ? NULL : &label);
    }
    enum odp_status status = query_rows_end(&rows);
    return named != ODP_OK ? named : status;
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
            odp_json_add_str(out, "{\"facet\":", c->name);
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

enum { GROUPS_MAX = 10000, MORE_PLACES = 6 };

/* The groups: their own values, then those of the aggregates. */
struct table {
    struct odp_query *q;
    uint32_t width, n;       /* values of a group; groups */
    struct odp_slice *cells; /* WIDTH of each group: texts; ptr NULL: null */
    struct odp_slice *texts; /* by column, of the row that is being read */
};

/* ---- averages ---- */

/* One more in the last place of the digits from *START to END; *START moves where a digit is carried out. */
static void round_up(char **start, char *end)
{
    while (--end >= *start) {
        if (*end == '.')
            continue;
        if (*end != '9') {
            ++*end;
            return;
        }
        *end = '0';
    }
    *--*start = '1';
}

/* SUM (a plain decimal with at most PLACES decimals) / N with PLACES decimals, half even, zeros at its end
 * left away: into OUT; returns the length. */
static size_t divide(struct odp_slice sum, uint64_t n, int places, char out[ODP_DECIMAL_SIZE * 2])
{
    char room[ODP_DECIMAL_SIZE * 2], *start = room + 1, *w = start;
    const char *p = sum.ptr, *end = sum.ptr + sum.len;
    bool negative = p < end && *p == '-';
    unsigned __int128 rest = 0;
    for (p += negative; p < end && *p != '.'; p++) {
        rest = rest * 10 + (unsigned)(*p - '0');
        *w++ = (char)('0' + (unsigned)(rest / n));
        rest %= n;
    }
    p += p < end;
    *w++ = '.';
    for (int k = 0; k < places; k++) {
        rest = rest * 10 + (p < end ? (unsigned)(*p++ - '0') : 0);
        *w++ = (char)('0' + (unsigned)(rest / n));
        rest %= n;
    }
    bool odd = (w[-1] - '0') % 2 == 1;
    if (rest * 2 > n || (rest * 2 == n && odd))
        round_up(&start, w);
    while (w[-1] == '0')
        w--;
    w -= w[-1] == '.';
    while (start + 1 < w && *start == '0' && start[1] != '.')
        start++;
    size_t len = 0;
    if (negative && (w != start + 1 || *start != '0'))
        out[len++] = '-';
    memcpy(out + len, start, (size_t)(w - start));
    return len + (size_t)(w - start);
}

/* ---- counting ---- */

static bool is_extreme(const struct query_aggregate *a)
{
    return a->kind == QUERY_MIN || a->kind == QUERY_MAX;
}

/* The groups of the records, each after BEFORE. With another column to be read for every record, an index on
 * the groups would lead through the table in no order of it: the unary plus keeps SQLite from that. */
static void add_groups(const struct odp_query *q, const char *before, const char *after, struct odp_sql *sql)
{
    bool others = false;
    for (uint32_t k = 0; k < q->naggregates; k++)
        others = others || q->aggregates[k].column >= 0;
    for (uint32_t k = 0; k < q->ngroups; k++)
        query_sql(q, sql, "%s%s%k%s", k == 0 ? before : ",", others ? "+" : "", q->groups[k], after);
}

/* "SELECT g.*" and texts of N COLUMNS of the record that is g.fid, of the groups g in their order. SELECT:
 * what of a group is selected; its texts come after that and the groups. */
static void add_sql(const struct odp_query *q, const char *select, const uint32_t *columns, uint32_t n,
                    struct odp_sql *sql)
{
    query_sql(q, sql, "SELECT g.*");
    query_add_texts(q->info, columns, n, sql);
    query_sql(q, sql, " FROM (SELECT %s", select);
    for (uint32_t k = 0; k < q->ngroups; k++)
        query_sql(q, sql, ",%k AS g%u", q->groups[k], k);
    query_sql_where(q, sql);
    add_groups(q, " GROUP BY ", "", sql);
    add_groups(q, " ORDER BY ", " NULLS LAST", sql);
    query_sql(q, sql, n > 0 ? " LIMIT %u) AS g CROSS JOIN %t AS d ON d.fid=g.fid" : " LIMIT %u) AS g",
              GROUPS_MAX + 1);
    query_join_texts(q->info, columns, n, sql);
    for (uint32_t k = 0; n > 0 && k < q->ngroups; k++)
        query_sql(q, sql, "%sg.g%u NULLS LAST", k == 0 ? " ORDER BY " : ",", k);
}

static int places_of(struct odp_slice sum)
{
    const char *point = memchr(sum.ptr, '.', sum.len);
    return point != NULL ? (int)(sum.ptr + sum.len - point) - 1 : 0;
}

/* What aggregate A is of a row, from column *AT on; in the arena. */
static struct odp_slice value_of(const struct query_rows *rows, const struct query_aggregate *a, int *at)
{
    struct odp_arena *arena = rows->q->arena;
    int64_t count = sqlite3_column_int64(rows->stmt, a->column < 0 ? 1 : (*at)++);
    if (a->kind == QUERY_COUNT)
        return odp_slice_of(odp_arena_printf(arena, "%lld", (long long)count));
    struct odp_slice sum = query_rows_bytes(rows, (*at)++);
    if (sum.ptr == NULL || count == 0)
        return QUERY_NOTHING;
    if (a->kind == QUERY_SUM)
        return odp_arena_copy(arena, sum);
    char plain[ODP_DECIMAL_SIZE], digits[ODP_DECIMAL_SIZE * 2];
    int scale = rows->q->info->columns[a->column].scale;
    sum = (struct odp_slice){plain, odp_decimal_normal(sum, plain)};
    int places = (places_of(sum) > scale ? places_of(sum) : scale) + MORE_PLACES;
    return odp_arena_copy(arena, (struct odp_slice){digits, divide(sum, (uint64_t)count, places, digits)});
}

/* The texts at the end of a row, of N COLUMNS. */
static void copy_texts(const struct table *t, sqlite3_stmt *stmt, const uint32_t *columns, uint32_t n,
                       struct odp_slice *out)
{
    const struct odp_query *q = t->q;
    (void)query_take_texts(stmt, sqlite3_column_count(stmt) - (int)n, q->info, columns, n, t->texts);
    for (uint32_t k = 0; k < n; k++)
        out[k] =
            t->texts[columns[k]].ptr != NULL ? odp_arena_copy(q->arena, t->texts[columns[k]]) : QUERY_NOTHING;
}

/* Of each group the first record's own values, how many records, and for each sum, average or count of a
 * column how many values, their sum. */
static enum odp_status count_groups(struct table *t)
{
    struct odp_query *q = t->q;
    struct odp_buffer select = {0};
    struct query_rows rows;
    odp_buffer_add_str(&select, "min(d.fid) AS fid,count(*)");
    for (uint32_t k = 0; k < q->naggregates; k++) {
        const struct query_aggregate *a = &q->aggregates[k];
        if (is_extreme(a) || a->column < 0)
            continue;
        const struct odp_search_column *c = &q->info->columns[a->column];
        odp_buffer_printf(&select, ",count(d.%s)", c->sql);
        if (a->kind != QUERY_COUNT)
            odp_buffer_printf(&select, ",odp_sum(d.%s,%d)", c->sql, c->scale);
    }
    query_rows_begin(&rows, q);
    add_sql(q, odp_buffer_keep(&select, q->arena), q->groups, q->ngroups, &rows.sql);
    for (; t->n <= GROUPS_MAX && query_rows_next(&rows); t->n++) {
        struct odp_slice *cells = &t->cells[(size_t)t->n * t->width];
        int at = 2;
        if (t->n == GROUPS_MAX) {
            rows.status =
                query_fault(q, ODP_QUERY_TOO_EXPENSIVE, "groupby", W_queries_more_than_groups_filter_records,
                            QUERY_SHOWN(ODP_LIT("10,000"), ODP_LIT("")));
            break;
        }
        copy_texts(t, rows.stmt, q->groups, q->ngroups, cells);
        q->answer->total += sqlite3_column_int64(rows.stmt, 1);
        for (uint32_t k = 0; k < q->naggregates; k++)
            if (!is_extreme(&q->aggregates[k]))
                cells[q->ngroups + k] = value_of(&rows, &q->aggregates[k], &at);
    }
    return query_rows_end(&rows);
}

/* With a single min() or max(), SQLite takes other columns from a record with that value; without groups
 * and records there is no such record. Where equal values may be published in several ways it is the
 * first. */
static enum odp_status find_extremes(struct table *t, uint32_t k)
{
    struct odp_query *q = t->q;
    const uint32_t column = (uint32_t)q->aggregates[k].column;
    const struct odp_search_column *c = &q->info->columns[column];
    const bool least = q->aggregates[k].kind == QUERY_MIN;
    const char *value = odp_arena_printf(q->arena, c->wide ? "odp_order(d.%s)" : "d.%s", c->sql),
               *select = odp_arena_printf(q->arena, "d.fid AS fid,%s(%s)", least ? "min" : "max", value);
    if (odp_search_is_exact(c->type) && c->places < 0)
        select = odp_arena_printf(q->arena, "odp_extreme(%s,d.fid,%d) AS fid", value, least ? -1 : 1);
    struct query_rows rows;
    uint32_t i = 0;
    query_rows_begin(&rows, q);
    add_sql(q, select, &column, 1, &rows.sql);
    for (; i < t->n && query_rows_next(&rows); i++)
        copy_texts(t, rows.stmt, &column, 1, &t->cells[(size_t)i * t->width + q->ngroups + k]);
    enum odp_status status = query_rows_end(&rows);
    return status == ODP_OK && i < t->n && q->ngroups > 0 ? odp_failure_set("index", "groups", EIO) : status;
}

/* ---- the body ---- */

static void add_groups_head(const struct table *t)
{
    struct odp_query *q = t->q;
    query_add_heads(q, q->groups, q->ngroups);
    for (uint32_t k = 0; k < q->naggregates; k++)
        query_add_head(q, q->aggregates[k].name);
    query_end_line(q);
}

static enum odp_status add_group(const struct table *t, uint32_t i)
{
    struct odp_query *q = t->q;
    const struct odp_search_column *columns = q->info->columns;
    const struct odp_slice *cells = &t->cells[(size_t)i * t->width];
    enum odp_status status = ODP_OK;
    query_begin_line(q);
    for (uint32_t k = 0; k < q->ngroups && status == ODP_OK; k++) {
        struct odp_text name = {{NULL, NULL}};
        query_add_cell(q, columns[q->groups[k]].name, columns[q->groups[k]].type, cells[k]);
        if (q->names)
            status = query_find_name(q, q->groups[k], cells[k], &name);
        query_add_names(q, q->groups[k], &name);
    }
    for (uint32_t k = 0; k < q->naggregates; k++) {
        const struct query_aggregate *a = &q->aggregates[k];
        query_add_cell(q, a->name, is_extreme(a) ? columns[a->column].type : ODP_TYPE_NUMBER,
                       cells[q->ngroups + k]);
    }
    query_end_line(q);
    return status;
}

static enum odp_status add_groups_body(const struct table *t)
{
    enum odp_status status = ODP_OK;
    if (query_is_csv(t->q))
        add_groups_head(t);
    for (uint32_t i = 0; i < t->n && status == ODP_OK; i++)
        status = add_group(t, i);
    return status;
}

/* "column":{"code":{…},…} of the codes in the groups' K-th column. */
static enum odp_status add_labels(const struct table *t, uint32_t k, struct odp_buffer *out)
{
    struct odp_query *q = t->q;
    struct odp_slice *codes = odp_arena_array(q->arena, (size_t)t->n + 1, sizeof *codes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        codes[n] = t->cells[(size_t)i * t->width + k];
        n += codes[n].ptr != NULL;
    }
    if (n > 1)
        qsort(codes, n, sizeof *codes, odp_by_slice);
    query_add_name(out, q->info->columns[q->groups[k]].name);
    odp_buffer_add_char(out, '{');
    for (uint32_t i = 0; i < n; i++) {
        struct odp_text label;
        if (i > 0 && odp_slice_eq(codes[i], codes[i - 1]))
            continue;
        enum odp_status status = query_find_name(q, q->groups[k], codes[i], &label);
        if (status != ODP_OK)
            return status;
        if (odp_text_is_empty(&label))
            continue;
        odp_json_add_slice(out, query_ends_with(out, '{') ? "" : ",", codes[i]);
        odp_buffer_add_char(out, ':');
        query_add_text(&label, "", out);
    }
    odp_buffer_add_char(out, '}');
    return ODP_OK;
}

/* ,"labels":{…} of the groups' columns that have any. */
static enum odp_status end_envelope(const struct table *t)
{
    struct odp_query *q = t->q;
    struct odp_buffer labels = {0};
    enum odp_status status = ODP_OK;
    for (uint32_t k = 0; k < q->ngroups && status == ODP_OK; k++) {
        if (!q->info->columns[q->groups[k]].labels)
            continue;
        odp_buffer_add_str(&labels, labels.len > 0 ? "," : ",\"labels\":{");
        status = add_labels(t, k, &labels);
    }
    odp_buffer_add_str(&labels, labels.len > 0 ? "}" : "");
    const char *text = odp_buffer_keep(&labels, q->arena);
    if (status == ODP_OK)
        query_end_envelope(q, t->n > 0, odp_slice_of(text));
    return status;
}

enum odp_status query_aggregate(struct odp_query *q)
{
    struct table t = {.q = q, .width = q->ngroups + q->naggregates};
    const size_t most = q->ngroups > 0 ? GROUPS_MAX : 1;
    t.cells = odp_arena_zero(q->arena, most * t.width, sizeof *t.cells);
    t.texts = odp_arena_array(q->arena, q->info->ncolumns, sizeof *t.texts);
    q->answer->total = 0;
    enum odp_status status = count_groups(&t);
    for (uint32_t k = 0; k < q->naggregates && status == ODP_OK; k++)
        if (is_extreme(&q->aggregates[k]))
            status = find_extremes(&t, k);
    if (status != ODP_OK)
        return status;
    q->answer->returned = t.n;
    if (!query_is_csv(q))
        odp_buffer_add_str(&q->answer->body, "{\"data\":[");
    status = add_groups_body(&t);
    return query_is_csv(q) || status != ODP_OK ? status : end_envelope(&t);
}
