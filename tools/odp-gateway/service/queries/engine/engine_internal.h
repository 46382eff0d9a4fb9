/* Internal to service/queries/engine. parse*.c fill a query from parameters, sql.c makes statements of it,
 * run.c runs them on a connection, write*.c make bodies.
 *
 * Memory latches: the arena's, and `failed` of the query for buffers. query.c asks both when a query is made
 * and when it is answered. */
#pragma once

#include <pthread.h>
#include <sqlite3.h>

#include "base/map.h"
#include "catalog/expr/sql.h"
#include "service/queries/engine/query.h"

#define QUERY_NOTHING ((struct odp_slice){NULL, 0})

/* ---- an open index with its connections (run.c) ---- */

enum {
    QUERY_STATEMENTS = 32, /* prepared statements that a connection keeps */
    QUERY_FEW = 10000,     /* a set of so many records is looked up one by one and sorted */
    QUERY_SMALL = 20000,   /* an index of so many records is quick in any way */
    QUERY_COUNTS = 64,     /* counts that an index remembers */
    QUERY_TICK = 2000,     /* instructions of SQLite between two looks at the limits */
    QUERY_OPS_PER_ROW = 20 /* instructions that count as one record where SQLite does not count records
                              (ranges of an index) */
};

struct query_statement {
    sqlite3_stmt *stmt; /* NULL: free */
    char *text;
    size_t len;
    uint64_t used; /* the connection's clock at its last use */
    bool busy;
    signed char plan; /* bits of enum query_plan; -1: not looked at */
};

enum query_plan {
    QUERY_PLAN_SCANS = 1, /* reads the whole table of records, or a whole index of it */
    QUERY_PLAN_SORTS = 2  /* sees all matches before the first record comes out */
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
    int64_t total;    /* -1: it took too long; counted again after UNTIL (seconds of the monotonic clock) */
    int64_t until;
    uint64_t used;
};

struct odp_index {
    struct odp_arena arena; /* path, info */
    struct odp_search_info info;
    bool *english; /* by column: a code has an English name of its own */
    const char *path, *uri;
    struct odp_sql_table table; /* its records, as d */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t freed;
    struct query_connection *idle;
    unsigned made, most;
    struct query_counted counted[QUERY_COUNTS];
    uint64_t clock;
};

/* Records why SQLite failed. Returns FAIL. */
enum odp_status query_connection_failed(const struct query_connection *c, const char *path);

/* ---- a query that was understood ---- */

/* A sort key. Nulls come last in either direction. */
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

/* What codes of a column mean. */
struct query_naming {
    const char *name[ODP_LANGS]; /* "kode_kabkota_nama", "kode_kabkota_nama_en"; NULL: no such column */
    struct odp_map codes;        /* those looked up, and by their numbers what was found */
    struct odp_text *found;
};

/* A query on its connection. */
struct query_run {
    struct query_connection *c; /* NULL: none */
    sqlite3_stmt *now;          /* being stepped */
    int64_t deadline;           /* nanoseconds of the monotonic clock; INT64_MAX: none */
    uint64_t rows;              /* limit; UINT64_MAX: none */
    uint64_t looked, ops;       /* by finished statements; instructions of the running one */
    uint64_t budget; /* records after which the statement is given up for another way; UINT64_MAX: none */
    enum { QUERY_GOES_ON, QUERY_OUT_OF_TIME, QUERY_OUT_OF_ROWS, QUERY_OUT_OF_BUDGET } stop;
};

struct odp_query {
    const struct odp_query_call *call;
    const struct odp_search_info *info;
    struct odp_arena *arena;
    struct odp_query_fault fault; /* after BAD */
    bool failed;                  /* out of memory, or no secret signs cursors */
    enum query_view view;

    /* what matches: all of these, joined by AND */
    const struct odp_expr *filter; /* filter and equality parameters as one expression; NULL: none */
    const struct odp_expr **parts; /* its parts, released with `box`; ends with NULL */
    const struct odp_expr *
        box; /* bbox as S_INTERSECTS; NULL: none. Records without geometry match too (OGC 17-069r4, 7.15.3) */
    double bounds[4];  /* of `box`: west, south, east, north in degrees */
    const char *words; /* q as an FTS5 expression; NULL: none */
    bool prefixes;     /* it has prefixes: FTS5 gathers all their words before it gives the first record */
    const char *datetime[2]; /* bounds as the index has datetimes; NULL: open. Both NULL: none */

    uint32_t *select; /* columns of the record that are shown, in order; nselect */
    uint32_t nselect;
    bool show_geometry;          /* it exists and is shown */
    bool names;                  /* labels=true: columns of names after those of codes */
    struct query_naming *naming; /* by column */
    struct query_sort *sort;     /* followed by the record's number, so that the order is total */
    uint32_t nsort;
    uint32_t limit;
    uint32_t offset; /* records skipped; not with a cursor, and not in `normal` */

    uint32_t *facets, nfacets; /* columns */
    struct query_aggregate *aggregates;
    uint32_t naggregates;
    uint32_t *groups, ngroups; /* groupby: columns */

    const char *cursor;                /* the call's cursor as it was given; NULL: none */
    const struct odp_sql_value *after; /* the cursor's value: the record's number (nsort values come before it
                      when the query runs), or a project's key; NULL: from the beginning */
    bool backward;                     /* the cursor asks for the records before it */

    const char *normal; /* the parameters in their normal form, percent-encoded, without the cursor: for ETag
                           and links */
    const char *conditions; /* its part that says what matches: the key of remembered counts */
    const char *order;      /* its part that orders: "" or "sortby=…" */

    struct query_run run;
    struct odp_query_result *answer;
    struct query_record_plan *record; /* write.c's; made at its first use */
    struct odp_arena shapes;          /* the geometry that is being written */
};

/* Whether any condition restricts the records. */
bool query_has_conditions(const struct odp_query *q);

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
    QUERY_P_LABELS,
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

/* A step takes its parameters out of `given` and adds them to the query and to the normal form. */
enum odp_status query_parse(struct odp_query *q) ODP_MUST_USE;
enum odp_status
query_parse_filter(struct query_parsing *p) ODP_MUST_USE; /* filter, filter-lang, columns by name */
enum odp_status query_parse_words(struct query_parsing *p) ODP_MUST_USE; /* q */
enum odp_status query_parse_bbox(struct query_parsing *p) ODP_MUST_USE;  /* bbox, *-crs */
enum odp_status query_parse_datetime(struct query_parsing *p) ODP_MUST_USE;
enum odp_status query_parse_view(struct query_parsing *p) ODP_MUST_USE; /* facets, aggregate, groupby, view */
enum odp_status query_parse_page(struct query_parsing *p)
    ODP_MUST_USE; /* properties, skipGeometry, labels, sortby, limit, offset */

/* parse_base.c. Adds NAME and the text in SCRATCH, which it empties, to the normal form. */
void query_add_pair(struct query_parsing *p, const char *name, enum query_pair_kind kind);
const char *query_parameter_name(enum query_parameter p);       /* "filter-lang" */
int query_find_parameter(struct odp_slice name);                /* enum query_parameter, or -1 */
bool query_parameter_allowed(const struct odp_query *q, int p); /* Whether Q's kind of call takes it */
/* The next part of VALUE between commas, trimmed, pointing into VALUE; *AT begins at 0. False: no more. */
bool query_next_item(struct odp_slice value, size_t *at, struct odp_slice *item);
/* The column that ITEM (a part of parameter P's value) names. */
enum odp_status query_find_column(struct query_parsing *p, enum query_parameter parameter,
                                  struct odp_slice item, uint32_t *column) ODP_MUST_USE;
bool query_type_ordered(enum odp_type t); /* it has an order */
bool query_type_complex(
    enum odp_type t); /* list, array, object, geopoint, geojson: its values are not compared */

/* Faults. A value of PARAMETER is invalid at ITEM, which is {0}. */
enum odp_status query_fault_in(struct query_parsing *p, enum query_parameter parameter, struct odp_slice item,
                               const char *id, const char *en, struct odp_slice second);
/* What was given as NAME is wrong; {0} is NAME. */
enum odp_status query_fault_name(struct query_parsing *p, enum odp_query_problem problem,
                                 struct odp_slice name, const char *id, const char *en,
                                 struct odp_slice second);
/* NAME is neither a parameter nor a column. */
enum odp_status query_fault_unknown(struct query_parsing *p, struct odp_slice name);

/* Fills {0} and {1} of a fault's texts. */
struct query_shown {
    struct odp_slice in[2];
};
#define QUERY_SHOWN(...) ((struct query_shown){{__VA_ARGS__}})

/* ---- faults (fault.c): they set q->fault and return BAD ---- */

enum odp_status query_fault(struct odp_query *q, enum odp_query_problem p, const char *parameter,
                            const char *id, const char *en, struct query_shown shown);
/* The fault is at ITEM, if that is a part of VALUE. */
void query_fault_at(struct odp_query *q, struct odp_slice value, struct odp_slice item);
/* Too expensive, with advice. */
enum odp_status query_fault_expensive(struct odp_query *q, const char *id, const char *en);

/* ---- statements (sql.c) ---- */

enum { QUERY_FID = UINT16_MAX }; /* instead of a column: the record's number */

/* Appends TEXT, with these arguments:
 *
 *   %t   the table of records          %g   the geometry's column
 *   %c   a column: "luas_ha"           %d   the same of d: d."luas_ha"
 *   %k   a column's order and group: odp_order(d."luas_ha") of a wide one; of QUERY_FID d.fid
 *   %v   column, value: the value bound, to be compared with %k
 *   %b   bound: struct odp_sql_value *      %i   int64_t      %x   text
 *   %s   text, as it is                     %u   a number, as it is */
void query_sql(const struct odp_query *q, struct odp_sql *out, const char *text, ...);
/* " FROM … WHERE …" of Q without its cursor. The table's alias is d. */
void query_sql_where(const struct odp_query *q, struct odp_sql *out);
/* "SELECT count(*) …": how many records match. */
void query_sql_count(const struct odp_query *q, struct odp_sql *out);
/* How conditions on large sets are evaluated: for the set as a whole (its numbers are collected first), or
 * for each record that another order leads to. */
struct query_way {
    bool each_word, each_box;
    bool table; /* the table itself, without its indexes */
};
/* The statement of a page's record numbers. PART 0: the first or only one; 1: records whose first sort value
 * is null, after part 0. *LAST: no further part. The limit is bound last. */
void query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct query_way way,
                    struct odp_sql *out, bool *last);
/* Published texts of columns of record d: ",d.a,e.b"; the join they need; and those of a row from column AT
 * on, into OUT by column, valid until the next row. Returns the column after them. */
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
/* Sets a new time limit from now on and drops the row limit, for counting. Reaching it is BAD too. */
void query_run_limit(struct odp_query *q, uint32_t time_ms);
uint64_t query_run_looked(const struct odp_query *q);

/* Prepares SQL with its values bound. query_run_done keeps the statement for the next query with the same
 * text. */
enum odp_status query_run_prepare(struct odp_query *q, const struct odp_sql *sql,
                                  sqlite3_stmt **out) ODP_MUST_USE;
/* OK: a row. DONE: no more. BAD: the limit of time or rows was reached. FAIL. */
enum odp_status query_run_step(struct odp_query *q, sqlite3_stmt *stmt) ODP_MUST_USE;
void query_run_done(struct odp_query *q, sqlite3_stmt *stmt);
/* The plan of STMT, which was made of SQL: bits of enum query_plan. */
enum odp_status query_run_plan(struct odp_query *q, sqlite3_stmt *stmt, const struct odp_sql *sql,
                               unsigned *plan) ODP_MUST_USE;

/* The rows of a statement; write `sql` between begin and the first next. */
struct query_rows {
    struct odp_query *q;
    struct odp_sql sql;
    sqlite3_stmt *stmt;
    enum odp_status status;
};
void query_rows_begin(struct query_rows *rows, struct odp_query *q);
bool query_rows_next(struct query_rows *rows);
enum odp_status
query_rows_end(struct query_rows *rows) ODP_MUST_USE; /* OK: no row is left, or the caller stopped */
struct odp_slice query_rows_bytes(const struct query_rows *rows,
                                  int column); /* until the next row; ptr NULL: null */
struct odp_sql_value query_rows_value(const struct query_rows *rows,
                                      int column); /* the index's value, in Q's arena */

/* ---- records (page.c, cursor.c) ---- */

/* How many records match; -1: not counted within count_ms. The index remembers the last few. */
enum odp_status query_count(struct odp_query *q, int64_t *total) ODP_MUST_USE;
/* A link to the records after (or before) AT. */
const char *query_cursor_link(struct odp_query *q, const struct odp_sql_value *at,
                              bool backward) ODP_MUST_USE;
/* Reads a cursor into q->after. */
enum odp_status query_cursor_read(struct odp_query *q, struct odp_slice text) ODP_MUST_USE;

/* Bodies; statuses as of odp_query_run. */
enum odp_status query_page(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_item(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_facets(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_aggregate(struct odp_query *q) ODP_MUST_USE;
enum odp_status query_gantt(struct odp_query *q) ODP_MUST_USE;

/* ---- names of codes (names.c) ---- */

/* Sets q->naming, which query_release_names releases. */
void query_plan_names(struct odp_query *q);
void query_release_names(struct odp_query *q);
/* What CODE of column K means, in Q's arena; empty: nothing is known. */
enum odp_status query_find_name(struct odp_query *q, uint32_t k, struct odp_slice code,
                                struct odp_text *name) ODP_MUST_USE;
/* Of N COLUMNS of a record; VALUES, OUT by column. */
enum odp_status query_find_names(struct odp_query *q, const uint32_t *columns, uint32_t n,
                                 const struct odp_slice *values, struct odp_text *out) ODP_MUST_USE;

/* ---- writing (write*.c): into the answer's body ---- */

/* A record to write; what it points to lives until the next one is read. */
struct query_row {
    int64_t id;
    struct odp_slice *values;       /* published texts by column, of those read; ptr NULL: null */
    struct odp_text *names;         /* of codes by column, where names are shown */
    struct odp_slice shape, simple; /* GeoPackageBinary, GeoJSON; ptr NULL: none */
    bool labelled;
    double label[2]; /* degrees */
};

/* Parts of a geometry to read, where it is shown. */
enum { QUERY_READ_SHAPE = 1, QUERY_READ_LABEL = 2, QUERY_READ_SIMPLE = 4 };

/* A form of body: begin, row by row, end (after the answer's total, links and count are set). */
struct query_writer {
    const char *media_type;
    void (*begin)(struct odp_query *q);
    void (*row)(struct odp_query *q, const struct query_row *row);
    void (*end)(struct odp_query *q);
    unsigned parts; /* QUERY_READ_… */
};
extern const struct query_writer query_write_envelope, query_write_geojson, query_write_csv, query_write_html;
const struct query_writer *query_writer_of(enum odp_query_form form); /* page.c */

/* The record as an object, with its geometry as in the envelope (the bytes of static pages where all fields
 * are shown), or without; its id as JSON. */
void query_add_record(struct odp_query *q, const struct query_row *row, bool geometry,
                      struct odp_buffer *out);
void query_add_id(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
void query_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
void query_csv_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
void query_begin_line(struct odp_query *q);
void query_add_cell(struct odp_query *q, const char *name, enum odp_type type, struct odp_slice text);
/* Cells of the columns of names after column K, of a value that is called NAME. */
void query_add_names(struct odp_query *q, uint32_t k, const struct odp_text *name);
void query_end_line(struct odp_query *q);
void query_add_head(struct odp_query *q, const char *name);
/* N COLUMNS, each with what its codes mean after it where labels=true: their heads; their VALUES, NAMES (by
 * column). */
void query_add_heads(struct odp_query *q, const uint32_t *columns, uint32_t n);
void query_add_columns(struct odp_query *q, const uint32_t *columns, uint32_t n,
                       const struct odp_slice *values, const struct odp_text *names);
static inline bool query_is_csv(const struct odp_query *q)
{
    return q->call->form == ODP_QUERY_CSV;
}
static inline bool query_ends_with(const struct odp_buffer *b, char c)
{
    return b->len > 0 && b->ptr[b->len - 1] == c;
}
void query_add_between(struct odp_buffer *out); /* the comma before a record, if one is needed */
/* Closes the data (ANY: there is some) with status, meta and links. EXTRA: more members of meta, each after a
 * comma. */
void query_end_envelope(struct odp_query *q, bool any, struct odp_slice extra);
void query_add_text(const struct odp_text *t, const char *fallback,
                    struct odp_buffer *out); /* {"id":…,"en":…}; FALLBACK where both are empty */
void query_add_name(struct odp_buffer *out, const char *name); /* "name": */
void query_add_degrees(struct odp_buffer *out, double v);      /* with at most 7 decimals */
/* ROW's label in degrees, and its geometry until the next one is read. False: none, or damaged (then the
 * query has failed). */
bool query_label_of(struct odp_query *q, const struct query_row *row, double at[2],
                    struct odp_geom *g) ODP_MUST_USE;

/* Addresses in Q's arena: this query after CURSOR (NULL: from the beginning), or this page, in form F. */
const char *query_link(struct odp_query *q, const char *cursor) ODP_MUST_USE;
const char *query_link_form(struct odp_query *q, const char *cursor, const char *f) ODP_MUST_USE;
const char *query_link_self(struct odp_query *q, const char *f) ODP_MUST_USE;
/* The collection of OGC API - Features: "https://…/v1/ogc/collections/<id>". */
const char *query_link_collection(struct odp_query *q) ODP_MUST_USE;
/* Appends the address of ROW alone, percent-encoded. */
void query_add_item_link(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);

/* ---- SQL functions (functions_number.c) ---- */

/* The borrowed bytes of a TEXT or BLOB; ptr NULL: out of memory. */
static inline struct odp_slice query_value_slice(sqlite3_value *v)
{
    bool text = sqlite3_value_type(v) == SQLITE_TEXT;
    const char *ptr = text ? (const char *)sqlite3_value_text(v) : sqlite3_value_blob(v);
    int len = sqlite3_value_bytes(v);
    return (struct odp_slice){ptr == NULL && len == 0 ? "" : ptr, (size_t)len};
}
