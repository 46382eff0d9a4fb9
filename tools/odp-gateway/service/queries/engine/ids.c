/* The numbers of a page's records. SQLite's planner knows how many records there are, not how many match; and where that
 * matters, two ways are far apart:
 *
 *   in the order asked for, each record looked at, until the page is full     quick where many match, hopeless where few do
 *   all that matches (or all there is), in the table's order, then sorted     quick where few match, else one reading of all
 *
 * So sets that an index gives (words, the R*Tree) are measured first, up to QUERY_FEW or what a walk would cost; and a walk in
 * order is given up after its budget, for the other way. The answer is the same. Small indexes are quick in any way. */
#include <math.h>

#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

struct finding {
    struct odp_query *q;
    struct query_run *run;
    struct odp_query_fault *fault;
    int64_t *ids;
    uint32_t n;
};

/* ---- which way ---- */

/* Whether SQL, which counts up to FEW + 1, counts more than FEW; remembered under KEY. */
static enum odp_status are_many(struct finding *f, struct odp_sql *sql, int64_t few, const char *key,
                                bool *many)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n = 0;
    if (key == NULL)
        return ODP_FAIL;
    if (query_recall(f->run->ix, key, &n)) {
        *many = n > few;
        return ODP_OK;
    }
    enum odp_status status = query_run_prepare(f->run, sql, &stmt);
    if (status == ODP_OK)
        status = query_run_step(f->run, stmt, f->fault);
    if (status == ODP_OK) {
        n = sqlite3_column_int64(stmt, 0);
        *many = n > few;
        query_remember(f->run->ix, key, n);
    }
    query_run_done(f->run, stmt);
    return status;
}

static enum odp_status measure_words(struct finding *f, bool *many)
{
    struct odp_sql sql;
    odp_sql_init(&sql, f->q->arena);
    odp_buffer_add_str(&sql.text, "SELECT count(*) FROM (SELECT 1 FROM odp_words WHERE odp_words MATCH ");
    enum odp_status status =
        odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(f->q->words)});
    odp_buffer_printf(&sql.text, " LIMIT %d)", QUERY_FEW + 1);
    if (status == ODP_OK)
        status = are_many(f, &sql, QUERY_FEW, odp_arena_printf(f->q->arena, "words %s", f->q->words), many);
    odp_sql_release(&sql);
    return status;
}

/* How many records of a box are few. A walk meets a page's among N of them after page * rows / N records
 * where order and place have nothing to do with each other, and far later where they have (keys begin with
 * a region's code): N² <= page * rows would be even, four times that is in favour of the search. */
static int64_t few_of_box(const struct finding *f)
{
    double even = sqrt(((double)f->q->limit + 1) * (double)f->q->info->rows);
    bool allowed = 2 * even <= (double)(f->run->rows / 4); /* a search, too, counts as looking at records */
    return allowed && 2 * even > QUERY_FEW ? (int64_t)(2 * even) : QUERY_FEW;
}

/* About: rounding does not matter here. A box across 180° is not measured. */
static enum odp_status measure_box(struct finding *f, bool *many)
{
    static const char *const parts[] = {"minx <= ", " AND maxx >= ", " AND miny <= ", " AND maxy >= "};
    const double *box = f->q->bounds, bound[] = {box[2], box[0], box[3], box[1]};
    struct odp_sql sql;
    enum odp_status status = ODP_OK;
    int64_t few = few_of_box(f);
    if (box[0] > box[2])
        return ODP_OK;
    odp_sql_init(&sql, f->q->arena);
    odp_buffer_printf(&sql.text, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE ", f->q->info->names.rtree);
    for (int i = 0; i < 4 && status == ODP_OK; i++) {
        odp_buffer_add_str(&sql.text, parts[i]);
        status = odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_REAL, .r = bound[i]});
    }
    odp_buffer_add_str(&sql.text, " LIMIT ");
    if (status == ODP_OK)
        status = odp_sql_bind(&sql, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = few + 1});
    odp_buffer_add_char(&sql.text, ')');
    const char *key = odp_arena_printf(f->q->arena, "box %lld %.7f %.7f %.7f %.7f", (long long)few, box[0],
                                       box[1], box[2], box[3]);
    if (status == ODP_OK)
        status = are_many(f, &sql, few, key, many);
    odp_sql_release(&sql);
    return status;
}

static bool is_large(const struct finding *f)
{
    return f->q->info->rows > QUERY_SMALL;
}

static enum odp_status choose_way(struct finding *f, struct query_way *way)
{
    enum odp_status status = ODP_OK;
    *way = (struct query_way){0};
    if (is_large(f) && f->q->words != NULL &&
        !f->q->prefixes) /* beginnings are gathered once, not for each record */
        status = measure_words(f, &way->each_word);
    if (status == ODP_OK && is_large(f) && f->q->box != NULL)
        status = measure_box(f, &way->each_box);
    return status;
}

/* The way after WAY. */
static struct query_way other_way(struct query_way way)
{
    return way.each_word || way.each_box ? (struct query_way){0} : (struct query_way){.table = true};
}

/* Whether STMT may begin, and with which budget; *OTHER: another way is better from the start. */
static enum odp_status look_at_plan(struct finding *f, sqlite3_stmt *stmt, const struct odp_sql *sql,
                                    struct query_way way, bool *other)
{
    bool each = way.each_word || way.each_box, too_many = f->q->info->rows > f->run->rows;
    unsigned plan = 0;
    *other = false;
    if (!is_large(f) && !too_many)
        return ODP_OK;
    enum odp_status status = query_run_plan(f->run, stmt, sql, &plan);
    if (status != ODP_OK)
        return status;
    if (plan & QUERY_PLAN_SORTS && plan & QUERY_PLAN_SCANS) {
        *other = each; /* each and every one of them */
        return each || !too_many ? ODP_OK : query_fault_whole(f->q, f->fault);
    }
    if (plan & QUERY_PLAN_SORTS && !each)
        return ODP_OK;
    uint64_t most = f->q->info->rows / 40 + (uint64_t)f->q->limit;
    if (f->q->conditions[0] != '\0' && !way.table && (each || !too_many))
        f->run->budget = most > QUERY_FEW ? most : QUERY_FEW;
    return ODP_OK;
}

/* ---- reading ---- */

/* Records of PART in this way. *OTHER: it was given up. */
static enum odp_status read_part(struct finding *f, unsigned part, struct query_way way, bool *last,
                                 bool *other)
{
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    uint32_t before = f->n;
    *other = false;
    odp_sql_init(&sql, f->q->arena);
    enum odp_status status = query_sql_page(f->q, part, f->q->limit + 1 - f->n, way, &sql, last);
    if (status == ODP_OK)
        status = query_run_prepare(f->run, &sql, &stmt);
    if (status == ODP_OK)
        status = look_at_plan(f, stmt, &sql, way, other);
    while (status == ODP_OK && !*other && f->n <= f->q->limit &&
           (status = query_run_step(f->run, stmt, f->fault)) == ODP_OK)
        f->ids[f->n++] = sqlite3_column_int64(stmt, 0);
    if (f->run->stop == QUERY_OUT_OF_BUDGET) {
        *other = true;
        f->n = before;
        f->run->stop = QUERY_GOES_ON;
        status = ODP_OK;
    }
    f->run->budget = UINT64_MAX;
    query_run_done(f->run, stmt);
    odp_sql_release(&sql);
    return status == ODP_DONE ? ODP_OK : status;
}

/* ---- where the page begins ---- */

/* The cursor says which record; its sort values stand in the index. */
static enum odp_status look_up_cursor(struct finding *f)
{
    struct odp_query *q = f->q;
    struct odp_sql_value *values = odp_arena_zero(q->arena, (size_t)q->nsort + 1, sizeof *values);
    struct odp_sql sql;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, q->arena);
    odp_buffer_add_str(&sql.text, "SELECT d.fid");
    for (uint32_t i = 0; i < q->nsort; i++)
        odp_buffer_printf(&sql.text, ", d.%s", q->info->columns[q->sort[i].column].sql);
    odp_buffer_printf(&sql.text, " FROM %s AS d WHERE d.fid = ", q->info->names.table);
    enum odp_status status = odp_sql_bind(&sql, &q->after[0]);
    if (status == ODP_OK)
        status = query_run_prepare(f->run, &sql, &stmt);
    if (status == ODP_OK)
        status = query_run_step(f->run, stmt, f->fault);
    for (uint32_t i = 0; i < q->nsort && status == ODP_OK; i++)
        status = query_copy_value(stmt, (int)i + 1, q->arena, &values[i]);
    values[q->nsort] = q->after[0];
    query_run_done(f->run, stmt);
    odp_sql_release(&sql);
    if (status == ODP_DONE)
        return query_fault(q, f->fault, ODP_QUERY_CURSOR_INVALID, "cursor",
                           W_queries_there_no_record_cursor_begin, (struct odp_slice){NULL, 0},
                           (struct odp_slice){NULL, 0});
    q->after = values;
    q->nafter = q->nsort + 1;
    return status;
}

enum odp_status query_find_ids(struct odp_query *q, struct query_run *run, int64_t **ids, uint32_t *n,
                               struct odp_query_fault *fault)
{
    struct finding f = {.q = q, .run = run, .fault = fault};
    struct query_way way;
    bool last = false, other = false;
    enum odp_status status = ODP_OK;
    f.ids = odp_arena_array(q->arena, (size_t)q->limit + 1, sizeof *f.ids);
    if (q->after != NULL && q->nafter == 1 && q->after[0].kind == ODP_SQL_INT)
        status = look_up_cursor(&f);
    if (status == ODP_OK && q->after != NULL && q->nafter != q->nsort + 1)
        status = query_fault(q, fault, ODP_QUERY_CURSOR_INVALID, "cursor",
                             W_queries_cursor_belongs_another_view_begin, (struct odp_slice){NULL, 0},
                             (struct odp_slice){NULL, 0});
    if (status == ODP_OK)
        status = choose_way(&f, &way);
    for (unsigned part = 0; status == ODP_OK && !last && f.n <= q->limit;) {
        status = read_part(&f, part, way, &last, &other);
        if (other) {
            way = other_way(way);
            last = false;
        } else {
            part++;
        }
    }
    *ids = f.ids;
    *n = f.n;
    return status;
}
