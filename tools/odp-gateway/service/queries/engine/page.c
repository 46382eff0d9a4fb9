/* A page of records: their numbers, then each record by its number. A page ends after `limit` records, or
 * when its body has the bytes allowed; one record more is looked for, to know whether a next page follows. */
#include <stdlib.h>
#include <math.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/line.h"
#include "base/monotonic.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

const struct query_writer *query_writer_of(enum odp_query_form form)
{
    static const struct query_writer *const writers[] = {[ODP_QUERY_ENVELOPE] = &query_write_envelope,
                                                         [ODP_QUERY_GEOJSON] = &query_write_geojson,
                                                         [ODP_QUERY_CSV] = &query_write_csv,
                                                         [ODP_QUERY_HTML] = &query_write_html};
    return writers[form];
}

/* ---- totals ---- */

/* How many records match. The answer is remembered by what matches, so that paging through it counts once.
 * That it took too long is remembered for a minute: another time it may not. */

enum { RETRY_MS = 60000 };

/* The lock is held. */
static struct query_counted *find(struct odp_index *ix, const char *key)
{
    for (size_t i = 0; i < QUERY_COUNTS; i++)
        if (ix->counted[i].conditions != NULL && strcmp(ix->counted[i].conditions, key) == 0)
            return &ix->counted[i];
    return NULL;
}

static bool recall(struct odp_index *ix, const char *key, int64_t *total)
{
    (void)pthread_mutex_lock(&ix->lock);
    struct query_counted *c = find(ix, key);
    bool found = c != NULL && (c->total >= 0 || odp_monotonic_ms() < c->until);
    if (found) {
        *total = c->total;
        c->used = ++ix->clock;
    }
    (void)pthread_mutex_unlock(&ix->lock);
    return found;
}

/* Replaces the entry that was not used for longest. Out of memory, it forgets. */
static void remember(struct odp_index *ix, const char *key, int64_t total)
{
    char *copy = strdup(key);
    if (copy == NULL)
        return;
    (void)pthread_mutex_lock(&ix->lock);
    struct query_counted *c = find(ix, key); /* another query was as fast */
    if (c == NULL) {
        c = ix->counted;
        for (size_t i = 1; i < QUERY_COUNTS; i++)
            if (ix->counted[i].used < c->used)
                c = &ix->counted[i];
    }
    free(c->conditions);
    *c = (struct query_counted){
        .conditions = copy, .total = total, .used = ++ix->clock, .until = odp_monotonic_ms() + RETRY_MS};
    (void)pthread_mutex_unlock(&ix->lock);
}

enum odp_status query_count(struct odp_query *q, int64_t *total)
{
    bool words_only = q->words != NULL && q->filter == NULL && q->box == NULL && q->datetime[0] == NULL &&
                      q->datetime[1] == NULL;
    struct query_rows counted;
    *total = -1;
    if (q->conditions[0] == '\0') {
        *total = (int64_t)q->info->rows;
        return ODP_OK;
    }
    if (q->call->limits->count_ms == 0 || recall(q->call->index, q->conditions, total))
        return ODP_OK;
    query_rows_begin(&counted, q);
    if (words_only) /* FTS5 counts them alone */
        query_sql(q, &counted.sql, "SELECT count(*) FROM odp_words WHERE odp_words MATCH %x", q->words);
    else
        query_sql_count(q, &counted.sql);
    query_run_limit(q, q->call->limits->count_ms);
    if (query_rows_next(&counted))
        *total = sqlite3_column_int64(counted.stmt, 0);
    enum odp_status status = query_rows_end(&counted);
    if (status != ODP_FAIL)
        remember(q->call->index, q->conditions, *total);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- numbers ---- */

/* SQLite's planner knows how many records there are, not how many match. Where that matters, two ways are far
 * apart:
 *
 *   in the order asked for, until the page is full     quick where many match, hopeless where few do
 *   all matches in the table's order, then sorted      quick where few match, else one reading of all
 *
 * So sets from an index (words, the R*Tree) are measured first, up to QUERY_FEW or the cost of a walk; and a
 * walk in order is given up after its budget, for the other way. The answer is the same. Small indexes are
 * quick in any way. */

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
    if (recall(ix, key, &n)) {
        *many = n > few;
    } else if (query_rows_next(counting)) {
        n = sqlite3_column_int64(counting->stmt, 0);
        *many = n > few;
        remember(ix, key, n);
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

/* Looks up the sort values of the cursor's record. */
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
                       QUERY_SHOWN(QUERY_NOTHING));
}

static enum odp_status find_ids(struct odp_query *q, int64_t **ids, uint32_t *n)
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

struct page {
    struct odp_query *q;
    const struct query_writer *writer;
    int64_t *ids;             /* in the order of reading */
    uint32_t n;               /* of them; one more than the limit where more follow */
    uint32_t *columns, width; /* the columns shown and the key, each once */
    unsigned parts;           /* QUERY_READ_… */
    struct query_rows record; /* its statement gives the records of TAKEN */
    const int64_t *taken;     /* the next one to read */
    struct query_row row;     /* the last one read */
};

/* ---- the records ---- */

static void choose_columns(struct page *p)
{
    const struct odp_query *q = p->q;
    const struct odp_search_info *info = q->info;
    bool *wanted = odp_arena_zero(q->arena, (size_t)info->ncolumns + 1, sizeof *wanted);
    p->columns = odp_arena_array(q->arena, (size_t)info->ncolumns + 1, sizeof *p->columns);
    for (uint32_t k = 0; k < q->nselect; k++)
        wanted[q->select[k]] = true;
    for (uint32_t k = 0; k < info->nkey; k++)
        wanted[info->key[k]] = true;
    for (uint32_t k = 0; k < info->ncolumns; k++)
        if (wanted[k])
            p->columns[p->width++] = k;
    p->parts = q->show_geometry && info->has_geometry ? p->writer->parts : 0;
    if (info->mode != ODP_GEOMETRY_SIMPLIFIED || !odp_search_has_geometry(info))
        p->parts &= ~(unsigned)QUERY_READ_SIMPLE;
    if (info->csv_points || !odp_search_has_geometry(info))
        p->parts &= ~(unsigned)QUERY_READ_LABEL;
}

/* By a list of numbers, in its order: a table on the left of CROSS JOIN is the outer loop. One run of the
 * statement for all is a third cheaper than one for each. */
static enum odp_status begin_records(struct page *p)
{
    struct odp_query *q = p->q;
    struct odp_sql *sql = &p->record.sql;
    bool exact = false;
    choose_columns(p);
    p->row.values = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *p->row.values);
    p->row.names = odp_arena_zero(q->arena, (size_t)q->info->ncolumns + 1, sizeof *p->row.names);
    query_rows_begin(&p->record, q);
    odp_buffer_add_str(&sql->text, "SELECT d.fid");
    query_add_texts(q->info, p->columns, p->width, sql);
    query_sql(q, sql, p->parts & QUERY_READ_SHAPE ? ",d.%g" : "");
    query_sql(q, sql, p->parts & QUERY_READ_SIMPLE ? ",g.simple" : "");
    query_sql(q, sql, p->parts & QUERY_READ_LABEL ? ",g.lon,g.lat" : "");
    for (uint32_t k = 0; k < p->width; k++)
        exact = exact || odp_search_is_exact(q->info->columns[p->columns[k]].type);
    query_sql(q, sql, " FROM json_each(%x) AS w CROSS JOIN %t AS d ON d.fid=w.value", "");
    query_sql(q, sql, exact ? " CROSS JOIN odp_exact AS e ON e.fid=d.fid" : "");
    query_sql(q, sql,
              p->parts & (QUERY_READ_SIMPLE | QUERY_READ_LABEL)
                  ? " LEFT JOIN odp_geometry AS g ON g.fid=d.fid"
                  : "");
    return query_run_prepare(q, sql, &p->record.stmt);
}

static void take_row(struct page *p)
{
    struct query_row *row = &p->row;
    int at = query_take_texts(p->record.stmt, 1, p->q->info, p->columns, p->width, row->values);
    row->shape = p->parts & QUERY_READ_SHAPE ? query_rows_bytes(&p->record, at++) : QUERY_NOTHING;
    row->simple = p->parts & QUERY_READ_SIMPLE ? query_rows_bytes(&p->record, at++) : QUERY_NOTHING;
    row->labelled = p->parts & QUERY_READ_LABEL && sqlite3_column_type(p->record.stmt, at) != SQLITE_NULL;
    for (int i = 0; row->labelled && i < 2; i++)
        row->label[i] = sqlite3_column_double(p->record.stmt, at + i);
}

/* IDS (borrowed) are to be read, one by one. */
static enum odp_status take_records(struct page *p, const int64_t *ids, uint32_t n)
{
    enum { MOST = 24 }; /* bytes of a number and its comma */
    struct odp_query *q = p->q;
    char *list = odp_arena_array(q->arena, n + 1u, MOST);
    size_t len = 0;
    for (uint32_t i = 0; i < n; i++)
        len += (size_t)snprintf(list + len, MOST, "%c%" PRId64, i > 0 ? ',' : '[', ids[i]);
    list[len++] = n > 0 ? ']' : ' ';
    p->taken = ids;
    (void)sqlite3_reset(p->record.stmt);
    if (sqlite3_bind_text64(p->record.stmt, 1, list, len, SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
        return query_connection_failed(q->run.c, q->call->index->path);
    return ODP_OK;
}

static enum odp_status read_record(struct page *p)
{
    struct odp_query *q = p->q;
    enum odp_status status = query_run_step(q, p->record.stmt);
    if (status == ODP_DONE || (status == ODP_OK && sqlite3_column_int64(p->record.stmt, 0) != *p->taken))
        return odp_failure_set("index: a record is missing", q->call->index->path, 0);
    if (status != ODP_OK)
        return status;
    p->row.id = *p->taken++;
    take_row(p);
    if (!q->names && q->call->form != ODP_QUERY_HTML)
        return ODP_OK;
    return query_find_names(q, p->columns, p->width, p->row.values, p->row.names);
}

/* How many of a backward page's records fit: sizes are known only when bodies are made, and those come from
 * the other end. About what the forms take. */
static enum odp_status fit_backward(struct page *p, uint32_t *count)
{
    size_t bytes = 0;
    enum odp_status status = take_records(p, p->ids, *count);
    uint32_t n = 0;
    while (n < *count && status == ODP_OK && (n == 0 || bytes < p->q->call->limits->bytes)) {
        status = read_record(p);
        n++;
        for (uint32_t k = 0; k < p->width; k++)
            bytes += p->row.values[p->columns[k]].len + 2;
        bytes += p->row.simple.ptr != NULL ? p->row.simple.len : p->row.shape.len * 5 / 4;
    }
    *count = n;
    return status;
}

/* The first COUNT in the order in which they are shown. */
static enum odp_status take_shown(struct page *p, uint32_t count)
{
    int64_t *ids = odp_arena_array(p->q->arena, count + 1u, sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = p->ids[p->q->backward ? count - 1 - i : i];
    return take_records(p, ids, count);
}

static enum odp_status write_records(struct page *p, uint32_t count, uint32_t *written)
{
    struct odp_query *q = p->q;
    enum odp_status taken = take_shown(p, count);
    struct odp_buffer *body = &q->answer->body;
    size_t start = body->len, most = q->call->limits->bytes;
    for (*written = 0; *written < count; ++*written) {
        if (*written > 0 && most > 0 && !q->backward && body->len - start >= most)
            break;
        enum odp_status status = taken == ODP_OK ? read_record(p) : taken;
        if (status != ODP_OK)
            return status;
        p->writer->row(q, &p->row);
        q->answer->returned++;
        if (odp_buffer_status(body) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static const char *link_of(struct page *p, int64_t id, bool backward)
{
    return query_cursor_link(p->q, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = id}, backward);
}

/* After WRITTEN records in the body. */
static void make_links(struct page *p, uint32_t written)
{
    struct odp_query *q = p->q;
    bool more = written < p->n, from_cursor = q->after != NULL || q->offset > 0;
    if (written == 0)
        return;
    if (q->backward || more)
        q->answer->next = link_of(p, q->backward ? p->ids[0] : p->ids[written - 1], false);
    if (q->backward ? more : from_cursor)
        q->answer->previous = link_of(p, q->backward ? p->ids[written - 1] : p->ids[0], true);
}

static enum odp_status write_page(struct page *p)
{
    struct odp_query *q = p->q;
    uint32_t count = p->n > q->limit ? q->limit : p->n, written = 0;
    enum odp_status status = begin_records(p);
    q->answer->looked_at = query_run_looked(q);
    if (status == ODP_OK && q->backward && q->call->limits->bytes > 0)
        status = fit_backward(p, &count);
    if (status == ODP_OK)
        p->writer->begin(q);
    if (status == ODP_OK)
        status = write_records(p, count, &written);
    if (query_rows_end(&p->record) != ODP_OK || status != ODP_OK)
        return status;
    make_links(p, written);
    bool all = q->after == NULL && q->offset == 0 && written == p->n;
    q->answer->total = (int64_t)written;
    if (!all)
        status = query_count(q, &q->answer->total);
    if (status == ODP_OK)
        p->writer->end(q);
    return status;
}

enum odp_status query_page(struct odp_query *q)
{
    struct page p = {.q = q, .writer = query_writer_of(q->call->form)};
    enum odp_status status = find_ids(q, &p.ids, &p.n);
    return status == ODP_OK ? write_page(&p) : status;
}

/* ---- one record ---- */

/* The next part of a composite key, up to its comma, with %25 and %2C decoded. False: there is no comma after
 * it, and it is not the last one. */
static bool next_part(struct odp_query *q, struct odp_slice *rest, bool last, struct odp_slice *part)
{
    size_t before = rest->len, n = 0;
    struct odp_slice raw = odp_slice_cut(rest, ',');
    char *out = odp_arena_alloc(q->arena, raw.len + 1);
    for (size_t i = 0; i < raw.len; i++) {
        bool percent = raw.ptr[i] == '%' && raw.len - i > 2 && raw.ptr[i + 1] == '2';
        if (percent && (raw.ptr[i + 2] == '5' || (raw.ptr[i + 2] | 0x20) == 'c')) {
            out[n++] = raw.ptr[i + 2] == '5' ? '%' : ',';
            i += 2;
        } else {
            out[n++] = raw.ptr[i];
        }
    }
    *part = (struct odp_slice){out, n};
    return (raw.len == before) == last;
}

/* The statement of a record's number by its key. False: no record can have that key. */
static bool add_key(struct odp_query *q, struct odp_sql *sql)
{
    const struct odp_search_info *info = q->info;
    struct odp_slice rest = q->call->key, part = rest; /* a key of one field is its value, as it is */
    uint32_t n = info->nkey > 0 ? info->nkey : 1;
    query_sql(q, sql, "SELECT d.fid FROM %t AS d WHERE ");
    for (uint32_t i = 0; i < n; i++) {
        unsigned column = info->nkey > 0 ? info->key[i] : QUERY_FID;
        enum odp_type type = column == QUERY_FID ? ODP_TYPE_INTEGER : info->columns[column].type;
        struct odp_sql_value v;
        struct odp_text expected;
        if (n > 1 && !next_part(q, &rest, i + 1 == n, &part))
            return false;
        if (odp_sql_literal(part, type, q->arena, &v, &expected) != ODP_OK ||
            (column == QUERY_FID && v.kind != ODP_SQL_INT))
            return false;
        query_sql(q, sql, i > 0 ? " AND %k = %v" : "%k = %v", column, column, &v);
    }
    return true;
}

static enum odp_status find_key(struct odp_query *q, int64_t *id)
{
    struct query_rows rows;
    query_rows_begin(&rows, q);
    bool found = add_key(q, &rows.sql) && query_rows_next(&rows);
    if (found)
        *id = sqlite3_column_int64(rows.stmt, 0);
    enum odp_status status = query_rows_end(&rows);
    if (status != ODP_OK || found)
        return status;
    return query_fault(q, ODP_QUERY_NOT_FOUND, NULL, W_queries_there_no_record_with_key,
                       QUERY_SHOWN(q->call->key));
}

enum odp_status query_item(struct odp_query *q)
{
    struct page p = {.q = q, .writer = query_writer_of(q->call->form)};
    int64_t id = 0;
    enum odp_status status = find_key(q, &id);
    if (status != ODP_OK)
        return status;
    status = begin_records(&p);
    if (status == ODP_OK)
        status = take_records(&p, &id, 1);
    if (status == ODP_OK)
        status = read_record(&p);
    if (status == ODP_OK) {
        q->answer->returned = 1;
        q->answer->total = 1;
        p.writer->begin(q);
        p.writer->row(q, &p.row);
    }
    if (query_rows_end(&p.record) != ODP_OK || status != ODP_OK)
        return status;
    q->answer->looked_at = query_run_looked(q);
    p.writer->end(q);
    return ODP_OK;
}
