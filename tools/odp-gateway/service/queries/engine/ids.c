/* The numbers of a page's records. SQLite's planner knows how many records there are, not how many match; and
 * where that matters, two ways are far apart:
 *
 *   in the order asked for, each record looked at, until the page is full     quick where many match,
 * hopeless where few do all that matches (or all there is), in the table's order, then sorted     quick where
 * few match, else one reading of all
 *
 * So sets that an index gives (words, the R*Tree) are measured first, up to QUERY_FEW or what a walk would
 * cost; and a walk in order is given up after its budget, for the other way. The answer is the same. Small
 * indexes are quick in any way. */
#include <math.h>

#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

struct finding {
    struct odp_query *q;
    struct query_way way;
    int64_t *ids;
    uint32_t n;
};

/* ---- which way ---- */

/* Whether COUNTING, which counts up to FEW + 1, counts more than FEW; remembered under KEY. Ends COUNTING. */
static enum odp_status are_many(struct query_rows *counting, int64_t few, const char *key, bool *many)
{
    struct odp_index *ix = counting->q->call->index;
    int64_t n = 0;
    if (query_recall(ix, key, &n)) {
        *many = n > few;
    } else if (query_rows_next(counting)) {
        n = sqlite3_column_int64(counting->stmt, 0);
        *many = n > few;
        query_remember(ix, key, n);
    }
    return query_rows_end(counting);
}

static enum odp_status measure_words(struct finding *f)
{
    const struct odp_query *q = f->q;
    struct query_rows counting;
    query_rows_begin(&counting, f->q);
    query_sql(q, &counting.sql,
              "SELECT count(*) FROM (SELECT 1 FROM odp_words WHERE odp_words MATCH %x LIMIT %u)", q->words,
              QUERY_FEW + 1);
    return are_many(&counting, QUERY_FEW, odp_arena_printf(q->arena, "words %s", q->words),
                    &f->way.each_word);
}

/* How many records of a box are few. A walk meets a page's among N of them after page * rows / N records
 * where order and place have nothing to do with each other, and far later where they have (keys begin with a
 * region's code): N² <= page * rows would be even, four times that is in favour of the search. */
static int64_t few_of_box(const struct odp_query *q)
{
    double even = sqrt(((double)q->limit + 1) * (double)q->info->rows);
    bool allowed = 2 * even <= (double)(q->run.rows / 4); /* a search, too, counts as looking at records */
    return allowed && 2 * even > QUERY_FEW ? (int64_t)(2 * even) : QUERY_FEW;
}

/* About: rounding does not matter here. A box across 180° is not measured. */
static enum odp_status measure_box(struct finding *f)
{
    const struct odp_query *q = f->q;
    const double *box = q->bounds;
    struct odp_sql_value edge[4];
    struct query_rows counting;
    int64_t few = few_of_box(q);
    if (box[0] > box[2])
        return ODP_OK;
    for (int i = 0; i < 4; i++)
        edge[i] = (struct odp_sql_value){.kind = ODP_SQL_REAL, .r = box[i]};
    query_rows_begin(&counting, f->q);
    query_sql(q, &counting.sql,
              "SELECT count(*) FROM (SELECT 1 FROM %s WHERE minx <= %b AND maxx >= %b AND miny <= %b AND "
              "maxy >= %b LIMIT %i)",
              q->info->names.rtree, &edge[2], &edge[0], &edge[3], &edge[1], few + 1);
    const char *key = odp_arena_printf(q->arena, "box %lld %.7f %.7f %.7f %.7f", (long long)few, box[0],
                                       box[1], box[2], box[3]);
    return are_many(&counting, few, key, &f->way.each_box);
}

static bool is_large(const struct odp_query *q)
{
    return q->info->rows > QUERY_SMALL;
}

static enum odp_status choose_way(struct finding *f)
{
    const struct odp_query *q = f->q;
    enum odp_status status = ODP_OK;
    if (is_large(q) && q->words != NULL &&
        !q->prefixes) /* beginnings are gathered once, not for each record */
        status = measure_words(f);
    if (status == ODP_OK && is_large(q) && q->box != NULL)
        status = measure_box(f);
    return status;
}

/* Whether STMT may begin, and with which budget; *OTHER: another way is better from the start. */
static enum odp_status look_at_plan(struct finding *f, sqlite3_stmt *stmt, const struct odp_sql *sql,
                                    bool *other)
{
    struct odp_query *q = f->q;
    bool each = f->way.each_word || f->way.each_box, too_many = q->info->rows > q->run.rows;
    unsigned plan = 0;
    if (!is_large(q) && !too_many)
        return ODP_OK;
    enum odp_status status = query_run_plan(q, stmt, sql, &plan);
    if (status != ODP_OK)
        return status;
    if (plan & QUERY_PLAN_SORTS && plan & QUERY_PLAN_SCANS) {
        *other = each; /* each and every one of them */
        return each || !too_many ? ODP_OK : query_fault_expensive(q, W_queries_query_has_look_at_all);
    }
    if (plan & QUERY_PLAN_SORTS && !each)
        return ODP_OK;
    uint64_t most = q->info->rows / 40 + (uint64_t)q->limit;
    if (q->conditions[0] != '\0' && !f->way.table && (each || !too_many))
        q->run.budget = most > QUERY_FEW ? most : QUERY_FEW;
    return ODP_OK;
}

/* ---- reading ---- */

/* Records of PART. *OTHER: this way was given up, and the other one comes next. */
static enum odp_status read_part(struct finding *f, unsigned part, bool *last, bool *other)
{
    struct odp_query *q = f->q;
    struct query_rows rows;
    uint32_t before = f->n;
    *other = false;
    query_rows_begin(&rows, q);
    query_sql_page(q, part, q->limit + 1 - f->n, f->way, &rows.sql, last);
    rows.status = query_run_prepare(q, &rows.sql, &rows.stmt);
    if (rows.status == ODP_OK)
        rows.status = look_at_plan(f, rows.stmt, &rows.sql, other);
    while (rows.status == ODP_OK && !*other && f->n <= q->limit && query_rows_next(&rows))
        f->ids[f->n++] = sqlite3_column_int64(rows.stmt, 0);
    if (q->run.stop == QUERY_OUT_OF_BUDGET) {
        *other = true;
        f->n = before;
        q->run.stop = QUERY_GOES_ON;
        rows.status = ODP_OK;
    }
    q->run.budget = UINT64_MAX;
    if (*other)
        f->way = (struct query_way){.table = !f->way.each_word && !f->way.each_box};
    return query_rows_end(&rows);
}

/* The cursor says which record; its sort values stand in the index. */
static enum odp_status look_up_cursor(struct odp_query *q)
{
    struct odp_sql_value *values = odp_arena_zero(q->arena, (size_t)q->nsort + 1, sizeof *values);
    struct query_rows rows;
    query_rows_begin(&rows, q);
    query_sql(q, &rows.sql, "SELECT d.fid");
    for (uint32_t i = 0; i < q->nsort; i++)
        query_sql(q, &rows.sql, ", %d", q->sort[i].column);
    query_sql(q, &rows.sql, " FROM %t AS d WHERE d.fid = %b", &q->after[0]);
    bool found = query_rows_next(&rows);
    for (uint32_t i = 0; found && i < q->nsort; i++)
        values[i] = query_rows_value(&rows, (int)i + 1);
    values[q->nsort] = q->after[0];
    q->after = values;
    enum odp_status status = query_rows_end(&rows);
    if (status != ODP_OK || found)
        return status;
    return query_fault(q, ODP_QUERY_CURSOR_INVALID, "cursor", W_queries_there_no_record_cursor_begin,
                       QUERY_NOTHING, QUERY_NOTHING);
}

enum odp_status query_find_ids(struct odp_query *q, int64_t **ids, uint32_t *n)
{
    struct finding f = {.q = q};
    bool last = false, other = false;
    enum odp_status status = ODP_OK;
    f.ids = odp_arena_array(q->arena, (size_t)q->limit + 1, sizeof *f.ids);
    if (q->after != NULL)
        status = look_up_cursor(q);
    if (status == ODP_OK)
        status = choose_way(&f);
    for (unsigned part = 0; status == ODP_OK && (other || !last) && f.n <= q->limit; part += !other)
        status = read_part(&f, part, &last, &other);
    *ids = f.ids;
    *n = f.n;
    return status;
}
