/* view=gantt of a resource with odp:timeline: milestones by project.
 *
 *   {"data":[{"id_proyek":"PRJ-00001","nama_proyek":…,"start":"2023-01-10","end":"2024-06-30","delay_days":12,
 *             "milestones":[{"urutan":1,…,"date":"2023-01-10","delay_days":0},…]},…],…}
 *   CSV: a line a milestone: project, …, start, end, project_delay_days, the milestone's columns, date,
 *     delay_days
 *
 * A project appears if one of its milestones matches; the matching ones are shown, by day (null last),
 * then by record.
 * Of all its milestones, whatever the filter: start, end    the earliest and
 * the latest of their planned and actual days delay_days the delay    of the milestone that is furthest
 *   along: the last planned one of those reached or
 * overdue (the larger delay of two for one day); null: none is The delays of milestones were computed when
 * the index was made. The project's other columns are those that are no field of the record
 * (odp:queryables), from its first milestone shown. Milestones without a project are left out. Projects
 * come in the order of their key; `limit` counts projects, a cursor holds the last key shown. */
#include <errno.h>

#include "service/queries/engine/engine_internal.h"

struct project {
    struct odp_sql_value key; /* as the index has it */
    struct odp_slice start, end, delay;
};
struct gantt {
    struct odp_query *q;
    uint32_t *columns, n;    /* what is shown of it, and of its milestones: the project's key first, */
    uint32_t nproject;       /* then its other columns; those of a milestone from here on */
    struct odp_text *called; /* by column: names of the row's codes */
    const char *name_start, *name_end, *name_delay, *name_milestones, *name_date;
    struct project *projects; /* of the page */
    uint32_t nprojects, shown;
    bool more;
};

/* ---- reading ---- */

static struct odp_slice copy_of(const struct query_rows *rows, int column)
{
    struct odp_slice text = query_rows_bytes(rows, column);
    return text.ptr != NULL ? odp_arena_copy(rows->q->arena, text) : QUERY_NOTHING;
}

/* The page's projects, with the first and last day of all their milestones and the delay of the one furthest
 * along. */
static enum odp_status find_projects(struct gantt *g)
{
    struct odp_query *q = g->q;
    const struct odp_search_info *info = q->info;
    unsigned project = (unsigned)info->project, planned = (unsigned)info->planned,
             actual = (unsigned)info->actual, delay = (unsigned)info->delay;
    static const char *const functions[] = {"min", "max"};
    struct query_rows rows;
    query_rows_begin(&rows, q);
    query_sql(q, &rows.sql, "SELECT p.k");
    for (int i = 0; i < 2; i++) {
        const char *f = functions[i];
        query_sql(q, &rows.sql,
                  ",(SELECT %s(coalesce(%s(d.%c),%s(d.%c)),coalesce(%s(d.%c),%s(d.%c))) FROM %t AS d WHERE "
                  "d.%c=p.k)",
                  f, f, planned, f, actual, f, actual, f, planned, project);
    }
    query_sql(q, &rows.sql,
              ",(SELECT l.%c FROM %t AS l WHERE l.%c IS NOT NULL AND l.%c=p.k ORDER BY l.%c DESC,l.%c DESC "
              "LIMIT 1)",
              delay, delay, project, planned, delay);
    query_sql(q, &rows.sql, " FROM (SELECT DISTINCT %d AS k", project);
    query_sql_where(q, &rows.sql);
    query_sql(q, &rows.sql, query_has_conditions(q) ? " AND %d" : " WHERE %d", project);
    if (q->after != NULL)
        query_sql(q, &rows.sql, " > %b", &q->after[0]);
    else
        query_sql(q, &rows.sql, " IS NOT NULL");
    query_sql(q, &rows.sql, " ORDER BY %d LIMIT %i) AS p ORDER BY p.k", project, (int64_t)q->limit + 1);
    while (query_rows_next(&rows)) {
        g->more = g->nprojects == q->limit;
        if (g->more)
            break;
        struct project *p = &g->projects[g->nprojects++];
        p->key = query_rows_value(&rows, 0);
        p->start = copy_of(&rows, 1);
        p->end = copy_of(&rows, 2);
        p->delay = copy_of(&rows, 3);
    }
    return query_rows_end(&rows);
}

/* The matching milestones of the page's projects. A row: key, date, delay, then the texts of g->columns. */
static void add_milestones_sql(const struct gantt *g, struct odp_sql *sql)
{
    struct odp_query *q = g->q;
    unsigned project = (unsigned)q->info->project, date = (unsigned)q->info->date;
    query_sql(q, sql, "SELECT %d,%d,%d", project, date, (unsigned)q->info->delay);
    query_add_texts(q->info, g->columns, g->n, sql);
    query_sql(q, sql, " FROM (SELECT d.fid AS id");
    query_sql_where(q, sql);
    query_sql(q, sql, query_has_conditions(q) ? " AND " : " WHERE ");
    query_sql(q, sql, "%d BETWEEN %b AND %b) AS m CROSS JOIN %t AS d ON d.fid=m.id", project,
              &g->projects[0].key, &g->projects[g->nprojects - 1].key);
    query_join_texts(q->info, g->columns, g->n, sql);
    query_sql(q, sql, " ORDER BY %d,%d NULLS LAST,d.fid", project, date);
}

static bool value_is(const struct odp_sql_value *a, const struct odp_sql_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == ODP_SQL_INT)
        return a->i == b->i;
    return a->kind == ODP_SQL_REAL ? a->r == b->r : odp_slice_eq(a->text, b->text);
}

/* ---- writing ---- */

static void add_project(const struct gantt *g, const struct project *p, const struct odp_slice *texts)
{
    query_add_columns(g->q, g->columns, g->nproject, texts, g->called);
    query_add_cell(g->q, g->name_start, ODP_TYPE_DATE, p->start);
    query_add_cell(g->q, g->name_end, ODP_TYPE_DATE, p->end);
    query_add_cell(g->q, g->name_delay, ODP_TYPE_INTEGER, p->delay);
}

static void add_milestone(const struct gantt *g, const struct query_rows *rows, const struct odp_slice *texts)
{
    query_add_columns(g->q, g->columns + g->nproject, g->n - g->nproject, texts, g->called);
    query_add_cell(g->q, g->name_date, ODP_TYPE_DATE, query_rows_bytes(rows, 1));
    query_add_cell(g->q, g->name_delay, ODP_TYPE_INTEGER, query_rows_bytes(rows, 2));
}

static void add_head(const struct gantt *g)
{
    query_add_heads(g->q, g->columns, g->nproject);
    query_add_head(g->q, g->name_start);
    query_add_head(g->q, g->name_end);
    query_add_head(g->q, odp_arena_printf(g->q->arena, "project_%s", g->name_delay));
    query_add_heads(g->q, g->columns + g->nproject, g->n - g->nproject);
    query_add_head(g->q, g->name_date);
    query_add_head(g->q, g->name_delay);
    query_end_line(g->q);
}

/* A row of milestones of the project P, whose FIRST it is. */
static void add_row(const struct gantt *g, const struct query_rows *rows, const struct project *p, bool first,
                    const struct odp_slice *texts)
{
    struct odp_buffer *out = &g->q->answer->body;
    if (query_is_csv(g->q)) {
        add_project(g, p, texts);
    } else if (first) {
        query_add_between(out);
        odp_buffer_add_char(out, '{');
        add_project(g, p, texts);
        query_add_cell(g->q, g->name_milestones, ODP_TYPE_ARRAY, ODP_LIT("[{"));
    } else {
        odp_buffer_add_str(out, ",{");
    }
    add_milestone(g, rows, texts);
    query_end_line(g->q);
}

static enum odp_status add_projects(struct gantt *g)
{
    struct odp_query *q = g->q;
    struct odp_buffer *out = &q->answer->body;
    struct odp_slice *texts = odp_arena_array(q->arena, q->info->ncolumns, sizeof *texts);
    enum odp_status named = ODP_OK;
    struct query_rows rows;
    query_rows_begin(&rows, q);
    add_milestones_sql(g, &rows.sql);
    for (uint32_t at = 0; query_rows_next(&rows);) {
        struct odp_sql_value key = query_rows_value(&rows, 0);
        while (at < g->nprojects && !value_is(&g->projects[at].key, &key))
            at++;
        if (at == g->nprojects) {
            rows.status = odp_failure_set("index", "projects", EIO);
            break;
        }
        bool first = at == g->shown, next = first && at > 0;
        if (next && !query_is_csv(q))
            odp_buffer_add_str(out, "]}");
        if (next && out->len > q->call->limits->bytes) {
            g->more = true;
            return query_rows_end(&rows);
        }
        g->shown += first;
        (void)query_take_texts(rows.stmt, 3, q->info, g->columns, g->n, texts);
        if (q->names && (named = query_find_names(q, g->columns, g->n, texts, g->called)) != ODP_OK)
            break;
        add_row(g, &rows, &g->projects[at], first, texts);
    }
    if (g->shown > 0 && !query_is_csv(q))
        odp_buffer_add_str(out, "]}");
    enum odp_status status = query_rows_end(&rows);
    return named != ODP_OK ? named : status;
}

/* ---- the view ---- */

/* NAME, with as many "gantt_" before it as make it none of the columns shown. */
static const char *free_name(const struct gantt *g, const char *name)
{
    const struct odp_search_info *info = g->q->info;
    for (int k; (k = odp_search_find(info, odp_slice_of(name))) >= 0 && k != info->date && k != info->delay;)
        name = odp_arena_printf(g->q->arena, "gantt_%s", name);
    return name;
}

static void choose_columns(struct gantt *g)
{
    struct odp_query *q = g->q;
    const struct odp_search_info *info = q->info;
    g->columns = odp_arena_array(q->arena, (size_t)q->nselect + info->ncolumns + 1, sizeof *g->columns);
    g->called = odp_arena_zero(q->arena, (size_t)info->ncolumns + 1, sizeof *g->called);
    g->columns[g->n++] = (uint32_t)info->project;
    for (uint32_t k = 0; k < info->ncolumns; k++)
        if (!info->columns[k].of_record && (int)k != info->date && (int)k != info->delay &&
            (int)k != info->project)
            g->columns[g->n++] = k;
    g->nproject = g->n;
    for (uint32_t k = 0; k < q->nselect; k++)
        if (info->columns[q->select[k]].of_record && (int)q->select[k] != info->project)
            g->columns[g->n++] = q->select[k];
    g->name_start = free_name(g, "start");
    g->name_end = free_name(g, "end");
    g->name_delay = free_name(g, "delay_days");
    g->name_milestones = free_name(g, "milestones");
    g->name_date = free_name(g, "date");
}

/* How many projects there are; -1 where counting takes too long. */
static enum odp_status count_projects(struct odp_query *q, int64_t *total)
{
    struct query_rows rows;
    *total = -1;
    if (q->call->limits->count_ms == 0)
        return ODP_OK;
    query_rows_begin(&rows, q);
    query_sql(q, &rows.sql, "SELECT count(DISTINCT %d)", (unsigned)q->info->project);
    query_sql_where(q, &rows.sql);
    query_run_limit(q, q->call->limits->count_ms);
    if (query_rows_next(&rows))
        *total = sqlite3_column_int64(rows.stmt, 0);
    enum odp_status status = query_rows_end(&rows);
    return status == ODP_BAD ? ODP_OK : status;
}

enum odp_status query_gantt(struct odp_query *q)
{
    struct gantt g = {.q = q};
    struct odp_buffer *out = &q->answer->body;
    g.projects = odp_arena_array(q->arena, (size_t)q->limit + 1, sizeof *g.projects);
    choose_columns(&g);
    if (query_is_csv(q))
        add_head(&g);
    else
        odp_buffer_add_str(out, "{\"data\":[");
    enum odp_status status = find_projects(&g);
    if (status == ODP_OK && g.nprojects > 0)
        status = add_projects(&g);
    if (status != ODP_OK)
        return status;
    q->answer->returned = g.shown;
    if (g.more)
        q->answer->next = query_cursor_link(q, &g.projects[g.shown - 1].key, false);
    status = count_projects(q, &q->answer->total);
    if (status == ODP_OK && !query_is_csv(q))
        query_end_envelope(q, g.shown > 0, QUERY_NOTHING);
    return status;
}
