/* Inside of service/queries/engine: an open index with its connections, and one query's run on one of
 * them. Only index.c, connection.c, run.c, count.c and page.c look into these. */
#ifndef ODP_SERVICE_QUERIES_ENGINE_ENGINE_INTERNAL_H
#define ODP_SERVICE_QUERIES_ENGINE_ENGINE_INTERNAL_H

#include <pthread.h>

#include "service/queries/engine/query_internal.h"

enum {
    QUERY_STATEMENTS = 32, /* prepared statements that a connection keeps */
    QUERY_FEW = 10000,     /* records that a set of them may have, to be looked up one by one and sorted */
    QUERY_SMALL = 20000,   /* an index with no more records is quick in any way */
    QUERY_COUNTS = 64,     /* counts that an index remembers */
    QUERY_TICK = 2000,     /* instructions of SQLite's machine between two looks at the limits */
    QUERY_OPS_PER_ROW = 20 /* instructions that stand for one record looked at where SQLite does not count them (ranges of an index) */
};

struct query_statement {
    sqlite3_stmt *stmt; /* NULL: free */
    char *text;
    size_t len;
    uint64_t used;      /* the connection's clock when it was last given out */
    bool busy;
    signed char plan;   /* bits of enum query_plan; -1: not looked at */
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

    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t freed;
    struct query_connection *idle;
    unsigned made, most;
    struct query_counted counted[QUERY_COUNTS];
    uint64_t clock;
};

/* connection.c. BAD: *WHY (a literal) says what is wrong with the file. */
enum odp_status query_connection_open(struct query_connection **out, const char *uri, const char **why) ODP_MUST_USE;
void query_connection_close(struct query_connection *c);
/* After the virtual tables have been opened: nothing but reading from now on. */
void query_connection_lock(struct query_connection *c);
/* A statement of C for TEXT: a kept one, else prepared. BAD: SQLite refuses the text (too deep, too many
 * values). */
enum odp_status query_connection_prepare(struct query_connection *c, struct odp_slice text, sqlite3_stmt **out) ODP_MUST_USE;
void query_connection_done(struct query_connection *c, sqlite3_stmt *stmt);
/* Records why SQLite failed; FAIL. */
enum odp_status query_connection_failed(const struct query_connection *c, const char *path);

/* index.c: a connection for one query; waits where all are in use. */
enum odp_status query_index_take(struct odp_index *ix, struct query_connection **out) ODP_MUST_USE;
void query_index_give(struct odp_index *ix, struct query_connection *c);

struct query_run {
    struct odp_query *q;
    struct odp_index *ix;
    struct query_connection *c;
    sqlite3_stmt *now;      /* being stepped */
    int64_t deadline;       /* nanoseconds of the monotonic clock; INT64_MAX: none */
    uint64_t rows;          /* limit; UINT64_MAX: none */
    uint64_t looked, ops;   /* by statements that are done; instructions of the one that runs */
    uint64_t budget;        /* records after which the statement that runs is given up, for another way; UINT64_MAX: none */
    enum { QUERY_GOES_ON, QUERY_OUT_OF_TIME, QUERY_OUT_OF_ROWS, QUERY_OUT_OF_BUDGET } stop;
};

uint64_t query_run_looked(const struct query_run *r);
void query_run_limits(struct query_run *r); /* the call's own limits, from now on */
/* The plan of STMT, which was made of SQL: bits of enum query_plan. */
enum odp_status query_run_plan(struct query_run *r, sqlite3_stmt *stmt, const struct odp_sql *sql, unsigned *plan) ODP_MUST_USE;
enum odp_status query_fault_whole(struct odp_query *q, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_fault_expensive(struct odp_query *q, struct odp_query_fault *fault, const char *id, const char *en) ODP_MUST_USE;

/* How conditions on large sets are asked: by the set as a whole (its numbers are collected first), or of
 * each record that another order leads to. */
struct query_way {
    bool each_word, each_box;
    bool table; /* the table itself, without its indexes */
};
/* sql.c: the statement of a page's ids. PART 0: the first (or only) one; 1: records whose first sort value
 * is null, after those of part 0. *LAST: no further part. The limit is bound last. */
enum odp_status query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct query_way way, struct odp_sql *out, bool *last) ODP_MUST_USE;
/* d."luas_ha"; and of a wide column what orders and groups it: odp_order(d."luas_ha"). */
void query_sql_column(const struct odp_query *q, uint32_t column, struct odp_sql *out);
void query_sql_key(const struct odp_query *q, uint32_t column, struct odp_sql *out);

/* ids.c: the numbers of a page's records in the order of reading (q->limit + 1 of them where more follow),
 * in Q's arena. */
enum odp_status query_find_ids(struct odp_query *q, struct query_run *run, int64_t **ids, uint32_t *n, struct odp_query_fault *fault) ODP_MUST_USE;
/* count.c: what was remembered under KEY; and to remember it. */
bool query_recall(struct odp_index *ix, const char *key, int64_t *total);
void query_remember(struct odp_index *ix, const char *key, int64_t total);

/* page.c: records, and the one record of a key. */
enum odp_status query_page(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_item(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;

#endif
