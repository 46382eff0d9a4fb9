/* Inside of service/queries/engine. parse*.c fill a query from parameters, sql.c makes statements of it,
 * run.c runs them on a connection, write*.c make bodies of what comes.
 *
 * Memory latches: the arena's, and `failed` of the query for buffers. query.c asks both where a query is made
 * and answered. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>

#include "catalog/expr/sql.h"
#include "service/queries/engine/query.h"

#define QUERY_NOTHING ((struct odp_slice){NULL, 0})

/* ---- an open index with its connections (run.c) ---- */

enum {
    QUERY_STATEMENTS = 32, /* prepared statements that a connection keeps */
    QUERY_FEW = 10000,     /* records that a set of them may have, to be looked up one by one and sorted */
    QUERY_SMALL = 20000,   /* an index with no more records is quick in any way */
    QUERY_COUNTS = 64,     /* counts that an index remembers */
    QUERY_TICK = 2000,     /* instructions of SQLite's machine between two looks at the limits */
    QUERY_OPS_PER_ROW = 20 /* instructions that stand for one record looked at where SQLite does not count
                              them (ranges of an index) */
};

struct query_statement {
    sqlite3_stmt *stmt; /* NULL: free */
    char *text;
    size_t len;
    uint64_t used; /* the connection's clock when it was last given out */
    bool busy;
    signed char plan; /* bits of enum query_plan; -1: not looked at */
};

enum query_plan {
    QUERY_PLAN_SCANS = 1, /* the table of records or one of its indexes is read from one end to the other */
    QUERY_PLAN_SORTS = 2  /* all that matches is seen before the first record comes out */
};

/* Belongs to one query at a time. */
struct query_connection {
    sqlite3 *db;
    struct query_statement kept[QUERY_STATEMENTS];
    uint64_t clock;
    struct query_connection *next; /* idle ones */
};

struct query_counted {
    char *conditions; /* NULL: free */
    int64_t total;    /* -1: it took too long; asked again after UNTIL (seconds of the monotonic clock) */
    int64_t until;
    uint64_t used;
};

struct odp_index {
    struct odp_arena arena; /* path, info */
    struct odp_search_info info;
    const char *path, *uri;
    struct odp_sql_table table; /* its records, as d */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t freed;
    struct query_connection *idle;
    unsigned made, most;
    struct query_counted counted[QUERY_COUNTS];
    uint64_t clock;
};

/* Records why SQLite failed; FAIL. */
enum odp_status query_connection_failed(const struct query_connection *c, const char *path);

/* ---- a query that was understood ---- */

/* One key of the order. Nulls come last in either direction. */
struct query_sort {
    uint32_t column;
    bool descending;
};

enum query_aggregate_kind { QUERY_COUNT, QUERY_SUM, QUERY_AVG, QUERY_MIN, QUERY_MAX };
struct query_aggregate {
    enum query_aggregate_kind kind;
    int column;       /* -1: count() */
    const char *name; /* its member in the answer: "sum_luas_ha", "count" */
};

enum query_view { QUERY_RECORDS, QUERY_FACETS, QUERY_AGGREGATES, QUERY_GANTT };

/* A query on its connection. */
struct query_run {
    struct query_connection *c; /* NULL: none */
    sqlite3_stmt *now;          /* being stepped */
    int64_t deadline;           /* nanoseconds of the monotonic clock; INT64_MAX: none */
    uint64_t rows;              /* limit; UINT64_MAX: none */
    uint64_t looked, ops;       /* by statements that are done; instructions of the one that runs */
    uint64_t budget; /* records after which the statement that runs is given up, for another way; UINT64_MAX:
                        none */
    enum { QUERY_GOES_ON, QUERY_OUT_OF_TIME, QUERY_OUT_OF_ROWS, QUERY_OUT_OF_BUDGET } stop;
};

struct odp_query {
    const struct odp_query_call *call;
    const struct odp_search_info *info;
    struct odp_arena *arena;
    struct odp_query_fault fault; /* after BAD */
    bool failed;                  /* a buffer had no memory, or nothing signs cursors */
    enum query_view view;

    /* what matches: all of these AND each other */
    const struct odp_expr *filter; /* filter and equality parameters as one expression; NULL: none */
    const struct odp_expr **parts; /* what it is made of, to be released with `box`; ends with NULL */
    const struct odp_expr *box; /* bbox as S_INTERSECTS; NULL: none. Records without geometry match, too (OGC
                                   17-069r4, 7.15.3) */
    double bounds[4];           /* of `box`: west, south, east, north in degrees */
    const char *words;          /* q as an FTS5 expression; NULL: none */
    bool prefixes;           /* words begin so: FTS5 gathers all of theirs before it tells the first record */
    const char *datetime[2]; /* bounds as the index has datetimes; NULL: open. Both NULL: none */

    uint32_t *select; /* columns of the record that are shown, in order; nselect */
    uint32_t nselect;
    bool show_geometry;      /* there is one, and it is asked for */
    struct query_sort *sort; /* the record's number after these, so that the order is total */
    uint32_t nsort;
    uint32_t limit;
    uint32_t offset; /* records left out before the first; not with a cursor, and not in `normal` */

    uint32_t *facets, nfacets; /* columns */
    struct query_aggregate *aggregates;
    uint32_t naggregates;
    uint32_t *groups, ngroups; /* groupby: columns */

    const char *cursor; /* the call's cursor as it was given; NULL: none */
    const struct odp_sql_value
        *after;    /* the cursor's value: the record's number (nsort values come before it
                      when the query runs), or a project's key; NULL: from the beginning */
    bool backward; /* the cursor asks for the records before it */

    const char *normal; /* the parameters in their normal form, without cursor, percent-encoded: for the ETag
                           and links */
    const char *conditions; /* the part of it that says what matches (key of remembered counts) */
    const char *order;      /* the part that says in which order: "" or "sortby=…" */

    struct query_run run;
    struct odp_query_result *answer;
    struct query_record_plan *record; /* of write.c, made when it is first used */
    struct odp_arena shapes;          /* the geometry that is being written */
};

/* Whether anything says which records match. */
bool query_has_conditions(const struct odp_query *q);

/* ---- texts (text.c) ---- */

/* B's text in Q's arena; B is released. */
const char *query_text_of(struct odp_query *q, struct odp_buffer *b) ODP_MUST_USE;
/* S with everything but unreserved characters (RFC 3986) and those of KEEP percent-encoded. */
void query_add_percent(struct odp_buffer *out, struct odp_slice s, const char *keep);

/* ---- parameters (parse.c, which calls parse_*.c; they and it call parse_base.c) ---- */

/* In the order of documents (templates/openapi describes them). */
enum query_parameter {
    QUERY_P_FILTER,
    QUERY_P_FILTER_LANG,
    QUERY_P_FILTER_CRS,
    QUERY_P_Q,
    QUERY_P_BBOX,
    QUERY_P_BBOX_CRS,
    QUERY_P_DATETIME,
    QUERY_P_PROPERTIES,
    QUERY_P_SKIP_GEOMETRY,
    QUERY_P_CRS,
    QUERY_P_SORTBY,
    QUERY_P_OFFSET,
    QUERY_P_CURSOR,
    QUERY_P_LIMIT,
    QUERY_P_FACETS,
    QUERY_P_AGGREGATE,
    QUERY_P_GROUPBY,
    QUERY_P_VIEW,
    QUERY_P_F,
    QUERY_P_COUNT
};

enum query_pair_kind { QUERY_PAIR_OTHER, QUERY_PAIR_CONDITION, QUERY_PAIR_ORDER };
struct query_pair {
    const char *name;
    const char *value;
    enum query_pair_kind kind;
};

struct query_parsing {
    struct odp_query *q;
    struct odp_slice given[QUERY_P_COUNT]; /* ptr NULL: absent */
    const json_t *filter;                  /* CQL2 JSON of the body; NULL: none */
    struct odp_slice *equal;               /* by column; ptr NULL: absent */
    const json_t **listed;                 /* by column: an array of the body; NULL: none */
    struct query_pair *pairs;              /* of the normal form */
    uint32_t npairs;
    struct odp_buffer scratch; /* the value of a pair that is being written */
};

/* A step takes what it understands out of `given`, and adds it to the query and to the normal form. */
enum odp_status query_parse(struct odp_query *q) ODP_MUST_USE;
enum odp_status
query_parse_filter(struct query_parsing *p) ODP_MUST_USE; /* filter, filter-lang, columns by name */
enum odp_status query_parse_words(struct query_parsing *p) ODP_MUST_USE; /* q */
enum odp_status query_parse_bbox(struct query_parsing *p) ODP_MUST_USE;  /* bbox, *-crs */
enum odp_status query_parse_datetime(struct query_parsing *p) ODP_MUST_USE;
enum odp_status query_parse_view(struct query_parsing *p) ODP_MUST_USE; /* facets, aggregate, groupby, view */
enum odp_status
query_parse_page(struct query_parsing *p) ODP_MUST_USE; /* properties, skipGeometry, sortby, limit, offset */

/* parse_base.c. NAME=VALUE goes into the normal form; VALUE is what stands in SCRATCH, which is empty after
 * it. */
void query_add_pair(struct query_parsing *p, const char *name, enum query_pair_kind kind);
const char *query_parameter_name(enum query_parameter p);       /* "filter-lang" */
int query_find_parameter(struct odp_slice name);                /* enum query_parameter; -1: there is none */
bool query_parameter_allowed(const struct odp_query *q, int p); /* Q's kind of call may have it */
/* The next part of VALUE between commas, trimmed; *AT is 0 in the beginning. False: no more. ITEM->ptr points
 * into VALUE. */
bool query_next_item(struct odp_slice value, size_t *at, struct odp_slice *item);
/* The column that ITEM (a part of parameter P's value) names. */
enum odp_status query_find_column(struct query_parsing *p, enum query_parameter parameter,
                                  struct odp_slice item, uint32_t *column) ODP_MUST_USE;
bool query_type_ordered(enum odp_type t); /* it can be sorted, and has a least and a greatest value */
bool query_type_complex(
    enum odp_type t); /* list, array, object, geopoint, geojson: its values are not compared */

/* Faults, as of fault.c. A value of PARAMETER is invalid, at ITEM where that lies in it; {0} is ITEM. */
enum odp_status query_fault_in(struct query_parsing *p, enum query_parameter parameter, struct odp_slice item,
                               const char *id, const char *en, struct odp_slice second);
/* What was given by NAME is wrong; {0} is NAME. */
enum odp_status query_fault_name(struct query_parsing *p, enum odp_query_problem problem,
                                 struct odp_slice name, const char *id, const char *en,
                                 struct odp_slice second);
/* NAME is no parameter's, nor (where they may be given) a column's. */
enum odp_status query_fault_unknown(struct query_parsing *p, struct odp_slice name);

/* ---- faults (fault.c): {0}, {1} of the texts are replaced; always BAD, with q->fault ---- */

enum odp_status query_fault(struct odp_query *q, enum odp_query_problem p, const char *parameter,
                            const char *id, const char *en, struct odp_slice first, struct odp_slice second);
/* The fault is at ITEM of VALUE, where it lies in it. */
void query_fault_at(struct odp_query *q, struct odp_slice value, struct odp_slice item);
/* Too expensive, with advice. */
enum odp_status query_fault_expensive(struct odp_query *q, const char *id, const char *en);

/* ---- statements (sql.c) ---- */

enum { QUERY_FID = UINT16_MAX }; /* in the place of a column: the record's number */

/* Appends TEXT, in which stand
 *   %t   the table of records              %c   a column's name: "luas_ha"
 *   %d   the same of d: d."luas_ha"        %k   what orders and groups it: of a wide one
 * odp_order(d."luas_ha"), of QUERY_FID d.fid %v   column, value: bound to be compared with %k %b   a bound
 * struct odp_sql_value *    %i   a bound int64_t       %x   a bound text (char *) %s   text as it is %u   a
 * number as it is     %g   the geometry's column */
void query_sql(const struct odp_query *q, struct odp_sql *out, const char *text, ...);
/* " FROM … WHERE …" of Q without its cursor. The table's alias is d. */
void query_sql_where(const struct odp_query *q, struct odp_sql *out);
/* "SELECT count(*) …": how many records match. */
void query_sql_count(const struct odp_query *q, struct odp_sql *out);
/* How conditions on large sets are asked: by the set as a whole (its numbers are collected first), or of each
 * record that another order leads to. */
struct query_way {
    bool each_word, each_box;
    bool table; /* the table itself, without its indexes */
};
/* The statement of a page's ids. PART 0: the first (or only) one; 1: records whose first sort value is null,
 * after those of part 0. *LAST: no further part. The limit is bound last. */
void query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct query_way way,
                    struct odp_sql *out, bool *last);
/* Texts as published, of columns of the record d: ",d.a,e.b", the join that this needs, and those of a row
 * from column AT on, into OUT by column, until the next row; returns the place after them. */
void query_add_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                     struct odp_sql *sql);
void query_join_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                      struct odp_sql *sql);
int query_take_texts(sqlite3_stmt *stmt, int at, const struct odp_search_info *info, const uint32_t *columns,
                     uint32_t n, struct odp_slice *out);

/* ---- running them (run.c) ---- */

/* A connection of the index's pool, with the functions of functions.h, and the call's limits. */
enum odp_status query_run_begin(struct odp_query *q) ODP_MUST_USE;
void query_run_end(struct odp_query *q);
/* A new limit of time from now on, and none of rows: counting what matches has its own. Reaching it is BAD as
 * well. */
void query_run_limit(struct odp_query *q, uint32_t time_ms);
uint64_t query_run_looked(const struct odp_query *q);

/* A prepared statement of SQL with its values bound; kept for the next query with the same text.
 * query_run_done gives it back. */
enum odp_status query_run_prepare(struct odp_query *q, const struct odp_sql *sql,
                                  sqlite3_stmt **out) ODP_MUST_USE;
/* OK: a row. DONE: no more. BAD: the limit of time or rows was reached. FAIL. */
enum odp_status query_run_step(struct odp_query *q, sqlite3_stmt *stmt) ODP_MUST_USE;
void query_run_done(struct odp_query *q, sqlite3_stmt *stmt);
/* The plan of STMT, which was made of SQL: bits of enum query_plan. */
enum odp_status query_run_plan(struct odp_query *q, sqlite3_stmt *stmt, const struct odp_sql *sql,
                               unsigned *plan) ODP_MUST_USE;

/* The rows of a statement, which is written into `sql` between begin and the first next. */
struct query_rows {
    struct odp_query *q;
    struct odp_sql sql;
    sqlite3_stmt *stmt;
    enum odp_status status;
};
void query_rows_begin(struct query_rows *rows, struct odp_query *q);
bool query_rows_next(struct query_rows *rows);
enum odp_status
query_rows_end(struct query_rows *rows) ODP_MUST_USE; /* OK: no row is left, or the caller wanted no more */
struct odp_slice query_rows_bytes(const struct query_rows *rows,
                                  int column); /* until the next row; ptr NULL: null */
struct odp_sql_value query_rows_value(const struct query_rows *rows,
                                      int column); /* as it is in the index, in Q's arena */

/* ---- records (page.c, cursor.c) ---- */

/* How many records match; -1: not known within count_ms. Remembered by the index for the last few conditions.
 */
enum odp_status query_count(struct odp_query *q, int64_t *total) ODP_MUST_USE;
/* A link to what comes after a record with these values in Q's order, or before it. */
const char *query_cursor_link(struct odp_query *q, const struct odp_sql_value *at,
                              bool backward) ODP_MUST_USE;
/* A cursor's text back into q->after. */
enum odp_status query_cursor_read(struct odp_query *q, struct odp_slice text) ODP_MUST_USE;

/* Bodies. Same statuses as odp_query_run. */
enum odp_status query_page(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_item(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_facets(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_aggregate(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_gantt(struct odp_query *q) ODP_MUST_USE;

/* ---- writing (write*.c): into the answer's body ---- */

/* One record on its way into a body; what it points to lives until the next one is read. */
struct query_row {
    int64_t id;
    struct odp_slice *values; /* by column, those that were asked for: texts as published; ptr NULL: null */
    struct odp_slice shape, simple; /* GeoPackageBinary, GeoJSON; ptr NULL: none */
    bool labelled;
    double label[2]; /* degrees */
};

/* What of a record's geometry is read, where it is shown. */
enum { QUERY_READ_SHAPE = 1, QUERY_READ_LABEL = 2, QUERY_READ_SIMPLE = 4 };

/* A form of body: begin, row by row, end (the answer's total, next, previous and returned are set by then).
 */
struct query_writer {
    const char *media_type;
    void (*begin)(struct odp_query *q);
    void (*row)(struct odp_query *q, const struct query_row *row);
    void (*end)(struct odp_query *q);
    unsigned parts; /* QUERY_READ_… */
};
extern const struct query_writer query_write_envelope, query_write_geojson, query_write_csv, query_write_html;
const struct query_writer *query_writer_of(enum odp_query_form form); /* page.c */

/* The record as an object, with its geometry as the envelope's (static pages have the same bytes where all
 * fields are shown) or without; the exact geometry as GeoJSON, or null; its id as JSON. */
void query_add_record(struct odp_query *q, const struct query_row *row, bool geometry,
                      struct odp_buffer *out);
void query_add_id(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
void query_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
void query_begin_line(struct odp_query *q);
void query_add_cell(struct odp_query *q, const char *name, enum odp_type type, struct odp_slice text);
void query_end_line(struct odp_query *q);
void query_add_head(struct odp_query *q, const char *name);
static inline bool query_is_csv(const struct odp_query *q)
{
    return q->call->form == ODP_QUERY_CSV;
}
static inline bool query_ends_with(const struct odp_buffer *b, char c)
{
    return b->len > 0 && b->ptr[b->len - 1] == c;
}
void query_add_between(
    struct odp_buffer *out); /* comma between records where one is needed: before each, after "[" */
/* Closes the data, of which there are ANY, with status, meta (EXTRA is empty, or more members that begin with
 * a comma), links. */
void query_end_envelope(struct odp_query *q, bool any, struct odp_slice extra);
void query_add_text(const struct odp_text *t, const char *fallback,
                    struct odp_buffer *out); /* {"id":…,"en":…}; FALLBACK where both are empty */
void query_add_name(struct odp_buffer *out, const char *name); /* "name": */
void query_add_degrees(struct odp_buffer *out, double v);      /* with at most 7 decimals */
/* The point that stands for ROW's geometry in degrees, and the geometry, until the next one is read. False:
 * it has none, or is damaged (then the query has failed). */
bool query_label_of(struct odp_query *q, const struct query_row *row, double at[2],
                    struct odp_geom *g) ODP_MUST_USE;

/* Addresses, in Q's arena: this query after CURSOR, or (of it or self) in the form with the name F in `f`;
 * NULL: none. */
const char *query_link(struct odp_query *q, const char *cursor) ODP_MUST_USE;
const char *query_link_form(struct odp_query *q, const char *cursor, const char *f) ODP_MUST_USE;
const char *query_link_self(struct odp_query *q, const char *f) ODP_MUST_USE; /* this page: with its cursor */
/* The collection of OGC API - Features: "https://…/v1/ogc/collections/<id>". */
const char *query_link_collection(struct odp_query *q) ODP_MUST_USE;
/* Appends the address of ROW alone, percent-encoded. */
void query_add_item_link(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);

/* ---- SQL functions (functions_number.c) ---- */

/* The bytes of a TEXT or BLOB, borrowed; ptr NULL only without memory. */
static inline struct odp_slice query_value_slice(sqlite3_value *v)
{
    bool text = sqlite3_value_type(v) == SQLITE_TEXT;
    const char *ptr = text ? (const char *)sqlite3_value_text(v) : sqlite3_value_blob(v);
    int len = sqlite3_value_bytes(v);
    return (struct odp_slice){ptr == NULL && len == 0 ? "" : ptr, (size_t)len};
}
