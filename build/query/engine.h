/* Inside of the engine: an open index with its connections, and one query's run on one of them. Only index.c, connection.c, run.c, count.c and page.c
 * look into these. */
#ifndef ODP_QUERY_ENGINE_H
#define ODP_QUERY_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "query/plan.h"

enum {
    QUERY_STATEMENTS = 32, /* prepared statements that a connection keeps */
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
    int64_t total;
    uint64_t used;
};

struct odp_index {
    struct odp_arena arena; /* path, info */
    struct odp_search_info info;
    const char *path, *uri;
    bool *wide;             /* by column, for odp_sql_table */
    atomic_int bare;        /* records without geometry: -1 not known yet, 0 none, 1 some */

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
/* A statement of C for TEXT: a kept one, else prepared. BAD: SQLite refuses the text (too deep, too many values). */
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
    enum { QUERY_GOES_ON, QUERY_OUT_OF_TIME, QUERY_OUT_OF_ROWS } stop;
};

uint64_t query_run_looked(const struct query_run *r);
/* Refuses a statement whose plan reads all of a resource with more records than the limit. WHOLE: it has to see every record (else it may stop early). */
enum odp_status query_run_check(struct query_run *r, const struct odp_sql *sql, bool whole, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_fault_expensive(struct odp_query *q, struct odp_query_fault *fault, const char *id, const char *en) ODP_MUST_USE;

/* sql.c: the statement of a page's ids. PART 0: the first (or only) one; 1: records whose first sort value is null, after those of part 0. *LAST: no
 * further part. The limit is bound last. */
enum odp_status query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct odp_sql *out, bool *last) ODP_MUST_USE;
/* "d"."name", or odp_order("d"."name") of a wide column. */
void query_sql_key(const struct odp_query *q, uint32_t column, struct odp_sql *out);

/* page.c: records, and the one record of a key. */
enum odp_status query_page(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;
enum odp_status query_item(struct odp_query *q, struct query_run *run, struct odp_query_result *r, struct odp_query_fault *fault) ODP_MUST_USE;

#endif
