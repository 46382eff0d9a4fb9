/* view=gantt of a resource with odp:timeline: its milestones by project.
 *
 *   {"data":[{"id_proyek":"PRJ-00001","nama_proyek":…,"start":"2023-01-10","end":"2024-06-30","delay_days":12,
 *             "milestones":[{"urutan":1,…,"date":"2023-01-10","delay_days":0},…]},…],…}
 *   CSV: one line a milestone: project, …, start, end, project_delay_days, the milestone's columns, date, delay_days
 *
 * A project is there where one of its milestones matches; those that match are shown, by day (null last), then by record.
 * start, end and delay_days are the project's, of all its milestones, whatever was asked for: start, end    the earliest and
 * the latest of their planned and actual days delay_days    of the milestone that is furthest along: of those reached or
 * overdue the one planned last (the larger delay, where two are planned for the same day); null: none is reached or overdue The
 * delays of milestones were computed when the index was made. The other columns of a project are the index's columns that are
 * no field of the record (odp:queryables), as they are in its first milestone shown. Milestones without a project are in no
 * entry. Projects come in the order of their key; `limit` counts projects, a cursor is the key of the last one shown. */
#include <errno.h>

#include "service/queries/engine/engine_internal.h"
#include "service/queries/engine/write_internal.h"

struct milestone {
    int64_t id;
    uint32_t project;      /* place in `projects` */
    struct odp_slice date; /* canonical text; ptr NULL: null */
    bool late;             /* delay is not null */
    int64_t delay;
};
struct project {
    struct odp_sql_value key; /* as the index has it */
    struct odp_slice start, end;
    bool late;
    int64_t delay;
};
struct gantt {
    struct odp_query *q;
    struct query_run *run;
    struct odp_query_result *r;
    struct odp_query_fault *fault;
    struct query_reader reader;
    uint32_t *own, nown, *taken, ntaken; /* columns of a milestone, of a project besides its key */
    const char *name_start, *name_end, *name_delay, *name_milestones, *name_date, *name_late;
    struct project *projects; /* of the page, and one more where there are more */
    uint32_t nprojects, shown;
    struct odp_buffer milestones; /* struct milestone */
    bool csv, more;
};

/* ---- reading ----------------------------------------------------------------------------------------- */

static enum odp_status copy_text(struct gantt *g, sqlite3_stmt *stmt, int k, struct odp_slice *out)
{
    struct odp_sql_value v;
    enum odp_status status = query_copy_value(stmt, k, g->q->arena, &v);
    *out = v.kind == ODP_SQL_TEXT ? v.text : (struct odp_slice){NULL, 0};
    return status;
}

static bool value_is(const struct odp_sql_value *a, const struct odp_sql_value *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == ODP_SQL_INT    ? a->i == b->i
           : a->kind == ODP_SQL_REAL ? a->r == b->r
                                     : odp_slice_eq(a->text, b->text);
}

static void add_column(const struct gantt *g, struct odp_sql *sql, const char *before, int column)
{
    odp_buffer_printf(&sql->text, "%sd.%s", before, g->q->info->columns[column].sql);
}

/* FROM, what matches, and " AND " or " WHERE ". */
static enum odp_status add_where(const struct odp_query *q, struct odp_sql *sql)
{
    bool any = q->words != NULL || q->filter != NULL || q->box != NULL || q->datetime[0] != NULL ||
               q->datetime[1] != NULL;
    enum odp_status status = query_sql_where(q, sql, false);
    odp_buffer_add_str(&sql->text, any ? " AND " : " WHERE ");
    return status;
}

static enum odp_status run_sql(struct gantt *g, const struct odp_sql *sql, void *out,
                               enum odp_status (*each)(struct gantt *, sqlite3_stmt *, void *))
{
    sqlite3_stmt *stmt = NULL;
    enum odp_status status = query_run_prepare(g->run, sql, &stmt);
    while (status == ODP_OK && (status = query_run_step(g->run, stmt, g->fault)) == ODP_OK)
        status = each(g, stmt, out);
    query_run_done(g->run, stmt);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status take_project(struct gantt *g, sqlite3_stmt *stmt, void *out)
{
    (void)out;
    struct project *p = &g->projects[g->nprojects++];
    *p = (struct project){.late = false};
    return query_copy_value(stmt, 0, g->q->arena, &p->key);
}

/* Projects of the page. */
static enum odp_status find_projects(struct gantt *g)
{
    const struct odp_query *q = g->q;
    int project = q->info->project;
    struct odp_sql sql;
    odp_sql_init(&sql, q->arena);
    add_column(g, &sql, "SELECT DISTINCT ", project);
    enum odp_status status = add_where(q, &sql);
    add_column(g, &sql, "", project);
    odp_buffer_add_str(&sql.text, q->after != NULL ? " > " : " IS NOT NULL");
    if (status == ODP_OK && q->after != NULL)
        status = odp_sql_bind(&sql, &q->after[0]);
    add_column(g, &sql, " ORDER BY ", project);
    odp_buffer_add_str(&sql.text, " LIMIT ");
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = (int64_t)q->limit + 1});
    if (status == ODP_OK)
        status = run_sql(g, &sql, NULL, take_project);
    odp_sql_release(&sql);
    g->more = g->nprojects > q->limit;
    g->nprojects -= g->more;
    return status;
}

static enum odp_status take_milestone(struct gantt *g, sqlite3_stmt *stmt, void *out)
{
    uint32_t *at = out;
    struct odp_sql_value key;
    struct milestone m = {.id = sqlite3_column_int64(stmt, 1)};
    enum odp_status status = query_copy_value(stmt, 0, g->q->arena, &key);
    if (status == ODP_OK)
        status = copy_text(g, stmt, 2, &m.date);
    m.late = sqlite3_column_type(stmt, 3) != SQLITE_NULL;
    m.delay = sqlite3_column_int64(stmt, 3);
    while (*at < g->nprojects && !value_is(&g->projects[*at].key, &key))
        ++*at;
    if (*at == g->nprojects)
        return odp_failure_set("index", "projects", EIO);
    m.project = *at;
    odp_buffer_add(&g->milestones, &m, sizeof m);
    return status == ODP_OK ? odp_buffer_status(&g->milestones) : status;
}

/* The milestones of the page's projects that match, by project. */
static enum odp_status find_milestones(struct gantt *g)
{
    const struct odp_search_info *info = g->q->info;
    struct odp_sql sql;
    uint32_t at = 0;
    odp_sql_init(&sql, g->q->arena);
    add_column(g, &sql, "SELECT ", info->project);
    odp_buffer_add_str(&sql.text, ",d.fid");
    add_column(g, &sql, ",", info->date);
    add_column(g, &sql, ",", info->delay);
    enum odp_status status = add_where(g->q, &sql);
    add_column(g, &sql, "", info->project);
    odp_buffer_add_str(&sql.text, " BETWEEN ");
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &g->projects[0].key);
    odp_buffer_add_str(&sql.text, " AND ");
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &g->projects[g->nprojects - 1].key);
    add_column(g, &sql, " ORDER BY ", info->project);
    add_column(g, &sql, ",", info->date);
    odp_buffer_add_str(&sql.text, " NULLS LAST,d.fid");
    if (status == ODP_OK)
        status = run_sql(g, &sql, &at, take_milestone);
    odp_sql_release(&sql);
    return status;
}

static enum odp_status take_span(struct gantt *g, sqlite3_stmt *stmt, void *out)
{
    struct project *p = out;
    enum odp_status status = copy_text(g, stmt, 0, &p->start);
    if (status == ODP_OK)
        status = copy_text(g, stmt, 1, &p->end);
    p->late = sqlite3_column_type(stmt, 2) != SQLITE_NULL;
    p->delay = sqlite3_column_int64(stmt, 2);
    return status;
}

/* FUNCTION ("min", "max") of all planned and actual days. */
static void add_days(const struct gantt *g, struct odp_sql *sql, const char *function)
{
    const char *planned = g->q->info->columns[g->q->info->planned].sql,
               *actual = g->q->info->columns[g->q->info->actual].sql;
    odp_buffer_printf(&sql->text, "%s(coalesce(%s(d.%s),%s(d.%s)),coalesce(%s(d.%s),%s(d.%s))),", function,
                      function, planned, function, actual, function, actual, function, planned);
}

/* Of all milestones of a project: its first and last day, and the delay of the one that is furthest along. */
static enum odp_status find_span(struct gantt *g, struct project *p)
{
    const struct odp_search_info *info = g->q->info;
    const char *project = info->columns[info->project].sql, *delay = info->columns[info->delay].sql;
    struct odp_sql sql;
    odp_sql_init(&sql, g->q->arena);
    odp_buffer_add_str(&sql.text, "SELECT ");
    add_days(g, &sql, "min");
    add_days(g, &sql, "max");
    odp_buffer_printf(&sql.text, "(SELECT l.%s FROM %s AS l WHERE l.%s IS NOT NULL AND l.%s=", delay,
                      info->names.table, delay, project);
    enum odp_status status = odp_sql_bind(&sql, &p->key);
    odp_buffer_printf(&sql.text, " ORDER BY l.%s DESC,l.%s DESC LIMIT 1) FROM %s AS d WHERE d.%s=",
                      info->columns[info->planned].sql, delay, info->names.table, project);
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &p->key);
    if (status == ODP_OK)
        status = run_sql(g, &sql, p, take_span);
    odp_sql_release(&sql);
    return status;
}

static enum odp_status take_total(struct gantt *g, sqlite3_stmt *stmt, void *out)
{
    (void)g;
    *(int64_t *)out = sqlite3_column_int64(stmt, 0);
    return ODP_OK;
}

/* How many projects there are; -1 where counting takes too long. */
static enum odp_status count_projects(struct gantt *g)
{
    struct odp_query *q = g->q;
    struct odp_sql sql;
    g->r->total = -1;
    if (q->call->limits->count_ms == 0)
        return ODP_OK;
    odp_sql_init(&sql, q->arena);
    add_column(g, &sql, "SELECT count(DISTINCT ", q->info->project);
    odp_buffer_add_char(&sql.text, ')');
    enum odp_status status = query_sql_where(q, &sql, false);
    query_run_limit(g->run, q->call->limits->count_ms);
    if (status == ODP_OK)
        status = run_sql(g, &sql, &g->r->total, take_total);
    odp_sql_release(&sql);
    return status == ODP_BAD ? ODP_OK : status;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static void add_member(struct odp_buffer *out, const char *name, enum odp_type type, struct odp_slice text)
{
    if (!query_ends_with(out, '{'))
        odp_buffer_add_char(out, ',');
    query_add_name(out, name);
    query_add_value(out, type, text);
}

static struct odp_slice delay_text(bool late, int64_t delay, char digits[QUERY_DIGITS])
{
    return late ? (struct odp_slice){digits, query_put_int(delay, digits)} : (struct odp_slice){NULL, 0};
}

/* A column's value of the record that was read. */
static void add_value(struct gantt *g, uint32_t k)
{
    const struct odp_search_column *c = &g->q->info->columns[k];
    struct odp_slice text = g->reader.row.values[k];
    if (g->csv)
        query_csv_add_value(&g->r->body, c->type, text);
    else
        add_member(&g->r->body, c->name, c->type, text);
}

static void begin_project(struct gantt *g, const struct project *p)
{
    struct odp_buffer *out = &g->r->body;
    char digits[QUERY_DIGITS];
    query_add_between(out);
    odp_buffer_add_char(out, '{');
    add_value(g, (uint32_t)g->q->info->project);
    for (uint32_t k = 0; k < g->ntaken; k++)
        add_value(g, g->taken[k]);
    add_member(out, g->name_start, ODP_TYPE_DATE, p->start);
    add_member(out, g->name_end, ODP_TYPE_DATE, p->end);
    add_member(out, g->name_delay, ODP_TYPE_INTEGER, delay_text(p->late, p->delay, digits));
    add_member(out, g->name_milestones, ODP_TYPE_ARRAY, ODP_LIT("["));
}

static void add_milestone(struct gantt *g, const struct milestone *m)
{
    struct odp_buffer *out = &g->r->body;
    char digits[QUERY_DIGITS];
    odp_buffer_add_str(out, query_ends_with(out, '[') ? "{" : ",{");
    for (uint32_t k = 0; k < g->nown; k++)
        add_value(g, g->own[k]);
    add_member(out, g->name_date, ODP_TYPE_DATE, m->date);
    add_member(out, g->name_late, ODP_TYPE_INTEGER, delay_text(m->late, m->delay, digits));
    odp_buffer_add_char(out, '}');
}

static void add_csv_text(struct gantt *g, struct odp_slice text)
{
    odp_buffer_add_char(&g->r->body, ',');
    query_csv_add_text(&g->r->body, text);
}

static void add_csv_values(struct gantt *g, const uint32_t *columns, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        odp_buffer_add_char(&g->r->body, ',');
        add_value(g, columns[k]);
    }
}

static void add_line(struct gantt *g, const struct project *p, const struct milestone *m)
{
    char digits[QUERY_DIGITS];
    add_value(g, (uint32_t)g->q->info->project);
    add_csv_values(g, g->taken, g->ntaken);
    add_csv_text(g, p->start);
    add_csv_text(g, p->end);
    add_csv_text(g, delay_text(p->late, p->delay, digits));
    add_csv_values(g, g->own, g->nown);
    add_csv_text(g, m->date);
    add_csv_text(g, delay_text(m->late, m->delay, digits));
    odp_buffer_add_str(&g->r->body, "\r\n");
}

static void add_csv_name(struct odp_buffer *out, const char *before, const char *name)
{
    odp_buffer_add_str(out, before);
    query_csv_add_text(out, odp_slice_of(name));
}

static void add_header(struct gantt *g)
{
    const struct odp_search_info *info = g->q->info;
    struct odp_buffer *out = &g->r->body;
    add_csv_name(out, "", info->columns[info->project].name);
    for (uint32_t k = 0; k < g->ntaken; k++)
        add_csv_name(out, ",", info->columns[g->taken[k]].name);
    add_csv_name(out, ",", g->name_start);
    add_csv_name(out, ",", g->name_end);
    add_csv_name(out, ",project_", g->name_delay);
    for (uint32_t k = 0; k < g->nown; k++)
        add_csv_name(out, ",", info->columns[g->own[k]].name);
    add_csv_name(out, ",", g->name_date);
    add_csv_name(out, ",", g->name_late);
    odp_buffer_add_str(out, "\r\n");
}

static enum odp_status add_projects(struct gantt *g)
{
    struct odp_buffer *out = &g->r->body;
    const struct milestone *m = (const struct milestone *)(const void *)g->milestones.ptr;
    size_t n = g->milestones.len / sizeof *m;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        bool first = i == 0 || m[i].project != m[i - 1].project;
        struct project *p = &g->projects[m[i].project];
        if (first && i > 0 && !g->csv)
            odp_buffer_add_str(out, "]}");
        if (first && i > 0 && out->len > g->q->call->limits->bytes) {
            g->more = true;
            return odp_buffer_status(out);
        }
        if (first)
            status = find_span(g, p);
        if (status == ODP_OK)
            status = query_reader_read(&g->reader, m[i].id, g->fault);
        if (status != ODP_OK)
            return status;
        if (first && !g->csv)
            begin_project(g, p);
        g->shown += first;
        if (g->csv)
            add_line(g, p, &m[i]);
        else
            add_milestone(g, &m[i]);
        status = odp_buffer_status(out);
    }
    if (n > 0 && !g->csv)
        odp_buffer_add_str(out, "]}");
    return status;
}

/* ---- the view ---------------------------------------------------------------------------------------- */

/* NAME, or with "gantt_" before it as often as it takes to be none of the columns shown. */
static const char *free_name(struct gantt *g, const char *name)
{
    const struct odp_search_info *info = g->q->info;
    for (int k; name != NULL && (k = odp_search_find(info, odp_slice_of(name))) >= 0 && k != info->date &&
                k != info->delay;)
        name = odp_arena_printf(g->q->arena, "gantt_%s", name);
    return name;
}

/* The project, and what is shown of it and of its milestones. */
static enum odp_status begin_reader(struct gantt *g)
{
    uint32_t *columns = odp_arena_array(g->q->arena, (size_t)g->ntaken + g->nown + 1, sizeof *columns), n = 0;
    columns[n++] = (uint32_t)g->q->info->project;
    for (uint32_t k = 0; k < g->ntaken; k++)
        columns[n++] = g->taken[k];
    for (uint32_t k = 0; k < g->nown; k++)
        columns[n++] = g->own[k];
    return query_reader_begin(&g->reader, g->q, g->run, columns, n, 0);
}

static enum odp_status begin(struct gantt *g)
{
    struct odp_query *q = g->q;
    const struct odp_search_info *info = q->info;
    g->own = odp_arena_array(q->arena, (size_t)q->nselect + 1, sizeof *g->own);
    g->taken = odp_arena_array(q->arena, (size_t)info->ncolumns + 1, sizeof *g->taken);
    g->projects = odp_arena_array(q->arena, (size_t)q->limit + 1, sizeof *g->projects);
    for (uint32_t k = 0; k < q->nselect; k++)
        if (info->columns[q->select[k]].of_record && (int)q->select[k] != info->project)
            g->own[g->nown++] = q->select[k];
    for (uint32_t k = 0; k < info->ncolumns; k++)
        if (!info->columns[k].of_record && (int)k != info->date && (int)k != info->delay &&
            (int)k != info->project)
            g->taken[g->ntaken++] = k;
    g->name_start = free_name(g, "start");
    g->name_end = free_name(g, "end");
    g->name_delay = g->name_late = free_name(g, "delay_days");
    g->name_milestones = free_name(g, "milestones");
    g->name_date = free_name(g, "date");
    bool named = g->name_start != NULL && g->name_end != NULL && g->name_delay != NULL &&
                 g->name_milestones != NULL && g->name_date != NULL;
    return named ? begin_reader(g) : ODP_FAIL;
}

static enum odp_status finish(struct gantt *g)
{
    struct odp_query_result *r = g->r;
    const char *cursor = NULL;
    r->returned = g->shown;
    if (g->more) {
        cursor = query_cursor_make(g->q, &g->projects[g->shown - 1].key, 1);
        r->next = cursor != NULL ? query_link(g->q, cursor) : NULL;
        if (r->next == NULL)
            return ODP_FAIL;
    }
    enum odp_status status = count_projects(g);
    if (status == ODP_OK && !g->csv) {
        odp_buffer_add_str(&r->body,
                           g->shown > 0 ? "\n],\"status\":\"success\"" : "],\"status\":\"success\"");
        query_add_meta(g->q, r, &r->body);
        odp_buffer_add_str(&r->body, "}\n");
    }
    return status == ODP_OK ? odp_buffer_status(&r->body) : status;
}

enum odp_status query_gantt(struct odp_query *q, struct query_run *run, struct odp_query_result *r,
                            struct odp_query_fault *fault)
{
    struct gantt g = {.q = q,
                      .run = run,
                      .r = r,
                      .fault = fault,
                      .reader = {.run = run},
                      .csv = q->call->form == ODP_QUERY_CSV};
    odp_buffer_init(&g.milestones);
    enum odp_status status = begin(&g);
    if (status == ODP_OK && g.csv)
        add_header(&g);
    else if (status == ODP_OK)
        odp_buffer_add_str(&r->body, "{\"data\":[");
    if (status == ODP_OK)
        status = find_projects(&g);
    if (status == ODP_OK && g.nprojects > 0)
        status = find_milestones(&g);
    if (status == ODP_OK)
        status = add_projects(&g);
    if (status == ODP_OK)
        status = finish(&g);
    query_reader_end(&g.reader);
    odp_buffer_release(&g.milestones);
    return status;
}
