/* Inside of service/queries/engine: a query that was understood. parse_*.c fill it from parameters, sql.c
 * makes statements of it, run.c runs them, write_*.c make bodies. */
#ifndef ODP_SERVICE_QUERIES_ENGINE_QUERY_INTERNAL_H
#define ODP_SERVICE_QUERIES_ENGINE_QUERY_INTERNAL_H

#include <sqlite3.h>

#include "catalog/expr/sql.h"
#include "service/queries/engine/query.h"

/* One key of the order. Nulls come last in either direction. */
struct query_sort {
    uint32_t column;
    bool descending;
};

enum query_aggregate_kind { QUERY_COUNT, QUERY_SUM, QUERY_AVG, QUERY_MIN, QUERY_MAX };
struct query_aggregate {
    enum query_aggregate_kind kind;
    int column;                 /* -1: count() */
    const char *name;           /* its member in the answer: "sum_luas_ha", "count" */
};

enum query_view { QUERY_RECORDS, QUERY_FACETS, QUERY_AGGREGATES, QUERY_GANTT };

struct odp_query {
    const struct odp_query_call *call;
    const struct odp_search_info *info;
    struct odp_arena *arena;
    enum query_view view;

    /* what matches: all of these AND each other */
    const struct odp_expr *filter;      /* filter and equality parameters as one expression; NULL: none */
    const struct odp_expr *box;         /* bbox as S_INTERSECTS; NULL: none. Records without geometry match, too (OGC 17-069r4, 7.15.3) */
    double bounds[4];                   /* of `box`: west, south, east, north in degrees */
    const char *words;                  /* q as an FTS5 expression; NULL: none */
    bool prefixes;                      /* words begin so: FTS5 gathers all of theirs before it tells the first record */
    const char *datetime[2];            /* bounds as the index has datetimes; NULL: open. Both NULL: none */

    uint32_t *select;                   /* columns of the record that are shown, in order; nselect */
    uint32_t nselect;
    bool show_geometry;
    struct query_sort *sort;            /* the record's number after these, so that the order is total */
    uint32_t nsort;
    uint32_t limit;
    uint32_t offset;                    /* records left out before the first; not with a cursor, and not in `normal` */
    const struct odp_sql_value *after;  /* from the cursor: nsort values and the record's number; NULL: from the beginning */

    uint32_t *facets, nfacets;          /* columns */
    struct query_aggregate *aggregates;
    uint32_t naggregates;
    uint32_t *groups, ngroups;          /* groupby: columns */

    const char *cursor;                 /* the call's cursor as it was given; NULL: none */
    struct query_record_plan *record;   /* record.c's own, made when it is first used */
    struct odp_arena shapes;            /* the geometry that is being written */

    const char *normal;                 /* the parameters in their normal form, without cursor, percent-encoded: for the ETag and links */
    const char *conditions;             /* the part of it that says what matches (key of remembered counts) */
    const char *order;                  /* the part that says in which order: "" or "sortby=…" */

    uint32_t nafter;                    /* values of AFTER: nsort + 1; 1 with nsort > 0: the record's number alone, the others are looked up when it runs */
    bool backward;                      /* the cursor asks for the records before it */
    const struct odp_expr **parts;      /* what `filter` is made of, to be released with `box`; ends with NULL */
};

/* parse.c and its kin: BAD with q's fault. */
enum odp_status query_parse(struct odp_query *q, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_fault(struct odp_query *q, struct odp_query_fault *fault, enum odp_query_problem p, const char *parameter, const char *id,
                            const char *en, struct odp_slice first, struct odp_slice second) ODP_MUST_USE; /* {0}, {1} are replaced; always BAD (or FAIL) */

/* ---- statements ---- */

/* A growing statement with its values. */
struct query_sql {
    struct odp_sql sql;                 /* catalog/expr/sql.h */
};
/* " FROM … WHERE …" of Q; CURSOR: with what comes after it. The table's alias is d. */
enum odp_status query_sql_where(const struct odp_query *q, struct odp_sql *out, bool cursor) ODP_MUST_USE;
/* How many records match: "SELECT count(*) …". */
enum odp_status query_sql_count(const struct odp_query *q, struct odp_sql *out) ODP_MUST_USE;

/* A connection of the index's pool, with the functions of functions.h, and the limits of one query on it. */
struct query_run;
enum odp_status query_run_begin(struct query_run **out, struct odp_query *q) ODP_MUST_USE;
void query_run_end(struct query_run *r);
/* A prepared statement of SQL with its values bound; kept for the next query with the same text. Not
 * finalized by the caller; query_run_done gives it back. */
enum odp_status query_run_prepare(struct query_run *r, const struct odp_sql *sql, sqlite3_stmt **out) ODP_MUST_USE;
void query_run_done(struct query_run *r, sqlite3_stmt *stmt);
/* OK: a row. DONE: no more. BAD: the limit of time or rows was reached (*FAULT says with which advice).
 * FAIL. */
enum odp_status query_run_step(struct query_run *r, sqlite3_stmt *stmt, struct odp_query_fault *fault) ODP_MUST_USE;
/* A new limit of time from now on, and none of rows: counting what matches has its own. Reaching it is BAD
 * as well. */
void query_run_limit(struct query_run *r, uint32_t time_ms);
/* One value of the row of STMT as it stands in the index, in A. */
enum odp_status query_copy_value(sqlite3_stmt *stmt, int column, struct odp_arena *a, struct odp_sql_value *v) ODP_MUST_USE;

/* How many records match; -1: not known within count_ms. Remembered by the index for the last few
 * conditions. */
enum odp_status query_count(struct query_run *r, int64_t *total) ODP_MUST_USE;

/* ---- bodies ---- */

/* One record on its way into a body; what it points to lives until the next one is read. */
struct query_row {
    int64_t id;
    struct odp_slice *values;           /* by column, those that were asked for: texts as published; ptr NULL: null */
    struct odp_slice shape, simple;     /* GeoPackageBinary, GeoJSON; ptr NULL: none */
    bool labelled;
    double label[2];                    /* degrees */
};
/* What of a record is read besides values. */
enum { QUERY_READ_SHAPE = 1, QUERY_READ_LABEL = 2, QUERY_READ_SIMPLE = 4 };
enum { QUERY_DIGITS = 24 };             /* room for an integer */
struct query_reader {
    struct odp_query *q;
    struct query_run *run;
    const uint32_t *columns;            /* N of them, each once */
    uint32_t n;
    unsigned parts;
    struct query_row row;               /* the last one read */
    sqlite3_stmt *stmt;
    const int64_t *ids;                 /* those to read: NIDS of them, the next one is AT */
    int64_t one;                        /* query_reader_read's */
    uint32_t nids, at;
    char *list;                         /* the same as JSON, with room for ROOM of them */
    uint32_t room;
};
/* COLUMNS are borrowed until the end, which is due whatever begin returned. */
enum odp_status query_reader_begin(struct query_reader *r, struct odp_query *q, struct query_run *run, const uint32_t *columns, uint32_t n,
                                   unsigned parts) ODP_MUST_USE;
/* The records IDS (borrowed), to be read one by one in this order: by one run of the statement, which is a
 * third cheaper than one for each. */
enum odp_status query_reader_take(struct query_reader *r, const int64_t *ids, uint32_t n) ODP_MUST_USE;
enum odp_status query_reader_next(struct query_reader *r, struct odp_query_fault *fault) ODP_MUST_USE;
/* Both of a single one. */
enum odp_status query_reader_read(struct query_reader *r, int64_t id, struct odp_query_fault *fault) ODP_MUST_USE;
void query_reader_end(struct query_reader *r);
/* The same for a statement of one's own, in which d is the table of records: ",d.a,e.b", the join that
 * this needs, and the texts of a row's columns from AT on, into OUT by column; returns the place behind
 * them. */
void query_add_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n, struct odp_sql *sql);
void query_join_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n, struct odp_sql *sql);
int query_take_texts(sqlite3_stmt *stmt, int at, const struct odp_search_info *info, const uint32_t *columns, uint32_t n, struct odp_slice *out);
size_t query_put_int(int64_t v, char digits[QUERY_DIGITS]);

/* A form of body. begin, row by row, end. */
struct query_writer {
    enum odp_query_form form;
    const char *media_type;
    enum odp_status (*begin)(struct odp_query *q, struct odp_query_result *r);
    enum odp_status (*row)(struct odp_query *q, const struct query_row *row, struct odp_query_result *r);
    enum odp_status (*end)(struct odp_query *q, struct odp_query_result *r);   /* r->total, next, previous, returned are set */
    unsigned parts;                     /* of a record's geometry, where it is shown: QUERY_READ_… */
};
extern const struct query_writer query_write_envelope, query_write_geojson, query_write_csv, query_write_html;
const struct query_writer *query_writer_of(enum odp_query_form form);

/* The views that are no records: the whole body. Same statuses as odp_query_run. */
enum odp_status query_facets(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_aggregate(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_gantt(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;

/* Shared by writers: the record as the envelope's object (static pages have the same bytes where all
 * fields are shown), its id as JSON. */
void query_add_record(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
void query_add_id(struct odp_query *q, const struct query_row *row, struct odp_buffer *out);
void query_add_meta(struct odp_query *q, const struct odp_query_result *r, struct odp_buffer *out);   /* ,"meta":{…},"links":{…} */
/* A link to this query: self and, with CURSOR not NULL, what follows. In Q's arena. */
const char *query_link(struct odp_query *q, const char *cursor) ODP_MUST_USE;

/* cursor.c: opaque text for the record with these sort values; and back into q->after. BAD: fault. */
const char *query_cursor_make(struct odp_query *q, const struct odp_sql_value *after, uint32_t n) ODP_MUST_USE;
enum odp_status query_cursor_read(struct odp_query *q, struct odp_slice text, struct odp_query_fault *fault) ODP_MUST_USE;

#endif
