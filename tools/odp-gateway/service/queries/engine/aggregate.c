/* aggregate=sum(a),avg(a),min(a),max(a),count() groupby=a,b: one object a group, in the order of the groups (null last).
 *
 *   {"data":[{"kode_provinsi":"31","sum_luas_ha":12.50,"count":3},…],"status":"success","meta":{…,"labels":{"kode_provinsi":{"31":{"id":…,"en":…}}}},…}
 *   CSV: kode_provinsi,sum_luas_ha,count
 *
 * Sums are exact; an average is the exact quotient, rounded half even to six decimals more than the column has. Smallest and
 * largest values, and those of groups, are as they are published. What codes mean stands once in meta.labels. More than 10,000
 * groups are refused, not cut: whoever adds up what came would be wrong without noticing. */
#include <errno.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/json.h"
#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/write_internal.h"
#include "words/queries.h"

enum { GROUPS_MAX = 10000, MORE_PLACES = 6 };

struct group {
    int64_t id, count;
    int64_t extreme;          /* the record with the smallest or largest value; -1: none */
    struct odp_slice *values; /* of its columns, then of the aggregates: texts; ptr NULL: null */
};

struct aggregating {
    struct odp_query *q;
    struct query_run *run;
    struct odp_query_fault *fault;
    struct group *groups;
    uint32_t n, at;
};

/* ---- averages ---------------------------------------------------------------------------------------- */

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

/* ---- counting ---------------------------------------------------------------------------------------- */

/* The groups, each after BEFORE. With another column to be read for every record, an index on the groups
 * would lead through the table in no order of it: the unary plus keeps SQLite from that. */
static void add_groups(const struct odp_query *q, bool others, const char *before, const char *after,
                       struct odp_sql *sql)
{
    for (uint32_t k = 0; k < q->ngroups; k++) {
        odp_buffer_add_str(&sql->text, k == 0 ? before : ",");
        odp_buffer_add_str(&sql->text, others ? "+" : "");
        query_sql_key(q, q->groups[k], sql);
        odp_buffer_add_str(&sql->text, after);
    }
}

static enum odp_status add_rest(const struct odp_query *q, struct odp_sql *sql)
{
    enum odp_status status = query_sql_where(q, sql, false);
    bool others = false;
    for (uint32_t k = 0; k < q->naggregates; k++)
        others = others || q->aggregates[k].column >= 0;
    add_groups(q, others, " GROUP BY ", "", sql);
    add_groups(q, others, " ORDER BY ", " NULLS LAST", sql);
    odp_buffer_add_str(&sql->text, " LIMIT ");
    odp_buffer_add_u64(&sql->text, GROUPS_MAX + 1);
    return status;
}

static bool is_extreme(const struct query_aggregate *a)
{
    return a->kind == QUERY_MIN || a->kind == QUERY_MAX;
}

/* SELECT the first record, how many, and for each sum, average or count of a column: how many values,
 * their sum. */
static enum odp_status make_sql(const struct odp_query *q, struct odp_sql *sql)
{
    odp_buffer_add_str(&sql->text, "SELECT min(d.fid),count(*)");
    for (uint32_t k = 0; k < q->naggregates; k++) {
        const struct query_aggregate *a = &q->aggregates[k];
        if (is_extreme(a) || a->column < 0)
            continue;
        const struct odp_search_column *c = &q->info->columns[a->column];
        odp_buffer_printf(&sql->text, ",count(d.%s)", c->sql);
        if (a->kind != QUERY_COUNT)
            odp_buffer_printf(&sql->text, ",odp_sum(d.%s,%d)", c->sql, c->scale);
    }
    return add_rest(q, sql);
}

static int places_of(struct odp_slice sum)
{
    const char *point = memchr(sum.ptr, '.', sum.len);
    return point != NULL ? (int)(sum.ptr + sum.len - point) - 1 : 0;
}

/* What aggregate A is of a row of the statement, from column *AT on; in the arena. */
static enum odp_status read_value(struct odp_query *q, const struct query_aggregate *a, sqlite3_stmt *stmt,
                                  int *at, struct odp_slice *out)
{
    char digits[ODP_DECIMAL_SIZE * 2];
    *out = (struct odp_slice){NULL, 0};
    int64_t count = sqlite3_column_int64(stmt, a->column < 0 ? 1 : (*at)++);
    if (a->kind == QUERY_COUNT) {
        *out = odp_arena_copy(q->arena, (struct odp_slice){digits, query_put_int(count, digits)});
        return out->ptr != NULL ? ODP_OK : ODP_FAIL;
    }
    const char *text = (const char *)sqlite3_column_text(stmt, *at);
    struct odp_slice sum = {text, (size_t)sqlite3_column_bytes(stmt, (*at)++)};
    if (text == NULL || count == 0)
        return ODP_OK;
    if (a->kind == QUERY_AVG) {
        char plain[ODP_DECIMAL_SIZE];
        int scale = q->info->columns[a->column].scale;
        sum = (struct odp_slice){plain, odp_decimal_normal(sum, plain)};
        int places = places_of(sum) > scale ? places_of(sum) : scale;
        sum = (struct odp_slice){digits, divide(sum, (uint64_t)count, places + MORE_PLACES, digits)};
    }
    *out = odp_arena_copy(q->arena, sum);
    return out->ptr != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status read_group(struct aggregating *g, sqlite3_stmt *stmt)
{
    struct odp_query *q = g->q;
    if (g->n == GROUPS_MAX)
        return query_fault(q, g->fault, ODP_QUERY_TOO_EXPENSIVE, "groupby",
                           W_queries_more_than_groups_filter_records, ODP_LIT("10,000"), ODP_LIT(""));
    struct group *group = &g->groups[g->n++];
    *group = (struct group){.id = sqlite3_column_int64(stmt, 0), .count = sqlite3_column_int64(stmt, 1)};
    group->values = odp_arena_zero(q->arena, (size_t)q->ngroups + q->naggregates + 1, sizeof *group->values);
    enum odp_status status = ODP_OK;
    int at = 2;
    for (uint32_t k = 0; k < q->naggregates && status == ODP_OK; k++)
        if (!is_extreme(&q->aggregates[k]))
            status = read_value(q, &q->aggregates[k], stmt, &at, &group->values[q->ngroups + k]);
    return status;
}

/* Runs SQL; EACH takes its rows. */
static enum odp_status run_sql(struct aggregating *g, const struct odp_sql *sql,
                               enum odp_status (*each)(struct aggregating *, sqlite3_stmt *))
{
    sqlite3_stmt *stmt = NULL;
    enum odp_status status = query_run_prepare(g->run, sql, &stmt);
    while (status == ODP_OK && (status = query_run_step(g->run, stmt, g->fault)) == ODP_OK)
        status = each(g, stmt);
    if (stmt != NULL)
        query_run_done(g->run, stmt);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status count_groups(struct aggregating *g)
{
    struct odp_sql sql;
    odp_sql_init(&sql, g->q->arena);
    enum odp_status status = make_sql(g->q, &sql);
    if (status == ODP_OK)
        status = run_sql(g, &sql, read_group);
    odp_sql_release(&sql);
    return status;
}

/* ---- smallest and largest, and the groups' own values ------------------------------------------------ */

/* Texts as published of N COLUMNS, of the record that AT says of each group (less than 0: none), into its
 * values from FIRST on. */
static enum odp_status read_texts(struct aggregating *g, const uint32_t *columns, uint32_t n, uint32_t first,
                                  bool extreme)
{
    struct query_reader reader;
    enum odp_status status = query_reader_begin(&reader, g->q, g->run, columns, n, 0);
    for (uint32_t i = 0; i < g->n && status == ODP_OK; i++) {
        struct group *group = &g->groups[i];
        int64_t id = extreme ? group->extreme : group->id;
        if (id >= 0)
            status = query_reader_read(&reader, id, g->fault);
        for (uint32_t k = 0; k < n && id >= 0 && status == ODP_OK; k++) {
            struct odp_slice text = reader.row.values[columns[k]], *out = &group->values[first + k];
            *out = text.ptr != NULL ? odp_arena_copy(g->q->arena, text) : text;
            status = out->ptr != NULL || text.ptr == NULL ? ODP_OK : ODP_FAIL;
        }
    }
    query_reader_end(&reader);
    return status;
}

static enum odp_status take_extreme(struct aggregating *g, sqlite3_stmt *stmt)
{
    if (g->at == g->n)
        return odp_failure_set("index", "groups", EIO);
    bool null = sqlite3_column_type(stmt, 1) == SQLITE_NULL;
    g->groups[g->at++].extreme = null ? -1 : sqlite3_column_int64(stmt, 0);
    return ODP_OK;
}

/* With one min() or max() in it, SQLite takes other columns from the record that has that value. */
static enum odp_status find_extremes(struct aggregating *g, uint32_t k)
{
    const struct query_aggregate *a = &g->q->aggregates[k];
    struct odp_sql sql;
    odp_sql_init(&sql, g->q->arena);
    odp_buffer_add_str(&sql.text, a->kind == QUERY_MIN ? "SELECT d.fid,min(" : "SELECT d.fid,max(");
    query_sql_key(g->q, (uint32_t)a->column, &sql);
    odp_buffer_add_char(&sql.text, ')');
    enum odp_status status = add_rest(g->q, &sql);
    g->at = 0;
    if (status == ODP_OK)
        status = run_sql(g, &sql, take_extreme);
    odp_sql_release(&sql);
    if (status == ODP_OK && g->at != g->n)
        status = odp_failure_set("index", "groups", EIO);
    const uint32_t column = (uint32_t)a->column;
    return status == ODP_OK ? read_texts(g, &column, 1, g->q->ngroups + k, true) : status;
}

/* ---- the body ---------------------------------------------------------------------------------------- */

/* Value K of a group: its columns, then the aggregates. */
static const char *name_of(const struct odp_query *q, uint32_t k)
{
    return k < q->ngroups ? q->info->columns[q->groups[k]].name : q->aggregates[k - q->ngroups].name;
}

static enum odp_type type_of(const struct odp_query *q, uint32_t k)
{
    if (k < q->ngroups)
        return q->info->columns[q->groups[k]].type;
    const struct query_aggregate *a = &q->aggregates[k - q->ngroups];
    return is_extreme(a) ? q->info->columns[a->column].type : ODP_TYPE_NUMBER;
}

static void add_json(struct aggregating *g, struct odp_buffer *out)
{
    const struct odp_query *q = g->q;
    odp_buffer_add_str(out, "{\"data\":[");
    for (uint32_t i = 0; i < g->n; i++) {
        query_add_between(out);
        odp_buffer_add_char(out, '{');
        for (uint32_t k = 0; k < q->ngroups + q->naggregates; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            query_add_name(out, name_of(q, k));
            query_add_value(out, type_of(q, k), g->groups[i].values[k]);
        }
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_str(out, g->n > 0 ? "\n],\"status\":\"success\"" : "],\"status\":\"success\"");
}

static void add_csv(struct aggregating *g, struct odp_buffer *out)
{
    const struct odp_query *q = g->q;
    for (uint32_t k = 0; k < q->ngroups + q->naggregates; k++) {
        odp_buffer_add_str(out, k > 0 ? "," : "");
        query_csv_add_text(out, odp_slice_of(name_of(q, k)));
    }
    odp_buffer_add_str(out, "\r\n");
    for (uint32_t i = 0; i < g->n; i++) {
        for (uint32_t k = 0; k < q->ngroups + q->naggregates; k++) {
            odp_buffer_add_str(out, k > 0 ? "," : "");
            query_csv_add_value(out, type_of(q, k), g->groups[i].values[k]);
        }
        odp_buffer_add_str(out, "\r\n");
    }
}

static int by_text(const void *a, const void *b)
{
    return odp_slice_cmp(*(const struct odp_slice *)a, *(const struct odp_slice *)b);
}

/* "column":{"code":{…},…} of the codes that stand in the groups' K-th column. */
static enum odp_status add_labels(struct aggregating *g, uint32_t k, struct odp_buffer *out)
{
    struct odp_slice *codes = odp_arena_array(g->q->arena, (size_t)g->n + 1, sizeof *codes);
    enum odp_status status = ODP_OK;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        codes[n] = g->groups[i].values[k];
        n += codes[n].ptr != NULL;
    }
    if (n > 1)
        qsort(codes, n, sizeof *codes, by_text);
    query_add_name(out, g->q->info->columns[g->q->groups[k]].name);
    odp_buffer_add_char(out, '{');
    for (uint32_t i = 0, shown = 0; i < n && status == ODP_OK; i++) {
        struct odp_text label;
        if (i > 0 && odp_slice_eq(codes[i], codes[i - 1]))
            continue;
        status = query_view_label(g->q, g->run, g->q->groups[k], codes[i], &label, g->fault);
        if (status == ODP_OK) {
            if (shown++ > 0)
                odp_buffer_add_char(out, ',');
            odp_json_add_string(out, codes[i]);
            odp_buffer_add_char(out, ':');
            query_add_text(&label, "", out);
        }
        status = status == ODP_DONE ? ODP_OK : status;
    }
    odp_buffer_add_char(out, '}');
    return status;
}

static enum odp_status add_meta(struct aggregating *g, struct odp_query_result *r)
{
    struct odp_buffer labels;
    enum odp_status status = ODP_OK;
    bool any = false;
    odp_buffer_init(&labels);
    for (uint32_t k = 0; k < g->q->ngroups && status == ODP_OK; k++) {
        if (!g->q->info->columns[g->q->groups[k]].labels)
            continue;
        odp_buffer_add_str(&labels, any ? "," : ",\"labels\":{");
        any = true;
        status = add_labels(g, k, &labels);
    }
    if (any)
        odp_buffer_add_char(&labels, '}');
    if (status == ODP_OK)
        status = odp_buffer_status(&labels);
    if (status == ODP_OK) {
        query_add_meta_with(g->q, r, odp_buffer_slice(&labels), &r->body);
        odp_buffer_add_str(&r->body, "}\n");
    }
    odp_buffer_release(&labels);
    return status;
}

enum odp_status query_aggregate(struct odp_query *q, struct query_run *run, struct odp_query_result *r,
                                struct odp_query_fault *fault)
{
    struct aggregating g = {.q = q, .run = run, .fault = fault};
    g.groups = odp_arena_array(q->arena, GROUPS_MAX, sizeof *g.groups);
    enum odp_status status = count_groups(&g);
    for (uint32_t k = 0; k < q->naggregates && status == ODP_OK; k++)
        if (is_extreme(&q->aggregates[k]))
            status = find_extremes(&g, k);
    if (status == ODP_OK && q->ngroups > 0)
        status = read_texts(&g, q->groups, q->ngroups, 0, false);
    r->returned = g.n;
    r->total = 0;
    for (uint32_t i = 0; i < g.n; i++)
        r->total += g.groups[i].count;
    if (status == ODP_OK && q->call->form == ODP_QUERY_CSV) {
        add_csv(&g, &r->body);
    } else if (status == ODP_OK) {
        add_json(&g, &r->body);
        status = add_meta(&g, r);
    }
    return status == ODP_OK ? odp_buffer_status(&r->body) : status;
}
